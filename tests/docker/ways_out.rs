//! On every way out of a run nothing of it stays on the engine, or the next one removes it.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use muster::containers::{AddressPlan, ContainerSpec, Containers, Owner, Wire};
use muster::drill::{PlanOptions, load};
use muster::images::Engine;
use muster::journal::event::Event;
use muster::lab::docker::{Footing, on_its_thread};
use muster::lab::{Lab, Next};

use crate::bad_input::run_that_is_refused;
use crate::desk::{Desk, code, drill_file, muster, place, said, the_only_lab};
use crate::engine::{Kind, Thing, everything, is_as_before, of_process};

/// How long the first container of a run may take to be there, images and all.
const COMES_WITHIN: Duration = Duration::from_secs(120);

fn ends_healed_and_leaves_nothing(signal: &str) {
    let _lab = the_only_lab();
    let before = everything();
    let desk = Desk::new();
    let mut run = desk.start("database-down", &["--lab", "docker"]);
    run.until("the fault holds");
    let process = run.child.id();
    assert!(holds_all_kinds(&of_process(process)), "there is nothing to leave behind");
    run.signal(signal);
    let output = run.end();
    assert_eq!(code(&output), 130, "{}", said(&output));
    assert!(said(&output).contains("verdict: interrupted"), "{}", said(&output));
    is_as_before(&before, process);

    let journal = desk.journal();
    let named = |event: &Event| matches!(event, Event::Interrupted { signal: name } if *name == format!("SIG{signal}"));
    let healed = place(&journal.events, |event| matches!(event, Event::Healed { .. }));
    assert!(place(&journal.events, named) < healed);
    assert!(!journal.cut_off);
}

/// There are containers and networks, all of one run; a lab has no volumes.
fn holds_all_kinds(things: &[Thing]) -> bool {
    let runs: BTreeSet<_> = things.iter().map(|thing| &thing.run).collect();
    let has = |kind| things.iter().any(|thing| thing.kind == kind);
    runs.len() == 1 && has(Kind::Container) && has(Kind::Network)
}

pub(crate) fn ctrl_c_heals_and_removes_everything() {
    ends_healed_and_leaves_nothing("INT");
}

pub(crate) fn sigterm_heals_and_removes_everything() {
    ends_healed_and_leaves_nothing("TERM");
}

pub(crate) fn a_panic_of_the_labs_thread_removes_everything_of_its_run_and_of_no_other() {
    build_the_base();
    let before = everything();
    let runs = ["0badcafe", "0badcaff"].map(|name| format!("{name}{}", std::process::id()));
    let [panics, stays] = &runs;
    make_a_network_and_a_container(stays);
    let told = lab_that_panics(panics.clone());
    assert!(told.contains("a node panicked") && told.contains("a node is upside down"), "{told}");
    let left: Vec<Thing> = of_process(std::process::id());
    assert!(left.iter().all(|thing| thing.run.as_ref() == Some(stays)), "{left:#?}");
    assert!(holds_all_kinds(&left), "{left:#?}");
    wait_for(async { of_run(stays).await.remove_all().await.unwrap() });
    is_as_before(&before, std::process::id());
}

/// Has the thread of a lab make something and panic; what it told, when it has ended.
fn lab_that_panics(run: String) -> String {
    let plan = load(&drill_file("database-down")).unwrap().plan(PlanOptions::default());
    let footing = wait_for(Footing::make(&plan, run.clone(), false, &|_| ())).unwrap();
    let body = move |_, _: &_, _| {
        make_a_network_and_a_container(&run);
        assert!(holds_all_kinds(&of_run_alone(&run)), "there is nothing to leave behind");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        tokio::task::LocalSet::new().block_on(&runtime, async { panic!("a node is upside down") })
    };
    let mut lab = on_its_thread("panics", plan.speed, footing, body).unwrap();
    wait_for(async {
        let mut told = Vec::new();
        while let Next::Event(stamped) = lab.next(None).await {
            told.push(format!("{:?}", stamped.event));
        }
        told.join("\n")
    })
}

fn of_run_alone(run: &str) -> Vec<Thing> {
    everything().into_iter().filter(|thing| thing.run.as_deref() == Some(run)).collect()
}

fn wait_for<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

async fn of_run(run: &str) -> Containers {
    Containers::of_run(Engine::reach().await.unwrap().docker(), run.to_owned(), Owner::this())
}

pub(crate) fn ctrl_c_while_the_containers_come_up_leaves_nothing() {
    let _lab = the_only_lab();
    let before = everything();
    let desk = Desk::new();
    let run = desk.start("database-down", &["--lab", "docker"]);
    let process = run.child.id();
    // All are asked for at once, so the others are being made when the first is there.
    comes(|| of_process(process).iter().any(|thing| thing.kind == Kind::Container));
    run.signal("INT");
    let output = run.end();
    assert_eq!(code(&output), 130, "{}", said(&output));
    is_as_before(&before, process);
}

pub(crate) fn a_cell_that_somebody_kills_breaks_the_lab_and_is_told_with_its_exit_code() {
    let _lab = the_only_lab();
    let before = everything();
    let desk = Desk::new();
    let mut run = desk.start("database-down", &["--lab", "docker"]);
    run.until("the lab is ready");
    let process = run.child.id();
    let name = of_process(process)[0].run.clone().unwrap();
    let cell = format!("muster-{name}-cell-us-east-1");
    wait_for(async { of_run(&name).await.kill(&cell).await.unwrap() });
    let output = run.end();
    assert_eq!(code(&output), 4, "{}", said(&output));
    assert!(said(&output).contains(&format!("{cell} ended by itself, with 137")), "{}", said(&output));
    is_as_before(&before, process);
}

/// Waits for something, within a bound.
fn comes(is_so: impl Fn() -> bool) {
    let until = Instant::now() + COMES_WITHIN;
    while !is_so() {
        assert!(Instant::now() < until, "it never came");
    }
}

pub(crate) fn two_who_remove_the_same_run_do_not_fail_each_other() {
    let _lab = the_only_lab();
    build_the_base();
    let before = everything();
    let run = format!("0badcafd{}", std::process::id());
    make_a_network_and_a_container(&run);
    wait_for(async {
        let (one, other) = (of_run(&run).await, of_run(&run).await);
        let (one, other) = tokio::join!(one.remove_all(), other.remove_all());
        one.unwrap();
        other.unwrap();
    });
    is_as_before(&before, std::process::id());
}

pub(crate) fn clean_passes_over_a_run_under_way_though_it_is_to_be_kept_and_removes_what_is_named() {
    let _lab = the_only_lab();
    let before = everything();
    let desk = Desk::new();
    let mut run = desk.start("database-down", &["--lab", "docker", "--keep"]);
    run.until("the lab is ready");
    let process = run.child.id();
    let name = of_process(process)[0].run.clone().unwrap();
    let listed = muster().args(["clean", "--dry-run"]).output().unwrap();
    assert!(said(&listed).contains(&format!("passed over run {name}:")), "{}", said(&listed));
    run.signal("INT");
    assert_eq!(code(&run.end()), 130);
    assert!(holds_all_kinds(&of_process(process)), "it is kept");

    let listed = muster().args(["clean", "--dry-run"]).output().unwrap();
    assert!(said(&listed).contains(&format!("would remove run {name}:")), "{}", said(&listed));
    let removed = muster().args(["clean", "--run", &name]).output().unwrap();
    assert_eq!(code(&removed), 0, "{}", said(&removed));
    assert!(said(&removed).contains(&format!("removed run {name}:")), "{}", said(&removed));
    is_as_before(&before, process);
}

fn build_the_base() {
    let built = muster().args(["images", "build", "base"]).output().unwrap();
    assert_eq!(code(&built), 0, "{}", said(&built));
}

fn make_a_network_and_a_container(run: &str) {
    wait_for(async {
        let engine = Engine::reach().await.unwrap();
        let image = engine.held().await.unwrap().into_iter().find(|held| held.name == "base").unwrap().tag;
        let containers = Containers::of_run(engine.docker(), run.to_owned(), Owner::this());
        let network = format!("muster-{run}-outside");
        // Out of addresses of one's own, as with MUSTER_NETWORKS.
        let addresses: AddressPlan = "10.213.192.0/20".parse().unwrap();
        let subnet = containers.make_network(&network, addresses.subnet(7), &[]).await.unwrap();
        assert!(subnet.cidr().starts_with("10.213."), "{subnet:?}");
        let name = format!("muster-{run}-sleeper");
        let spec = ContainerSpec {
            name: name.clone(),
            image,
            command: vec!["sleep".to_owned(), "600".to_owned()],
            environment: Vec::new(),
            wire: Wire::Networks(vec![(network, subnet.host(10))]),
            wires_itself: false,
            published: Vec::new(),
        };
        containers.make(&spec).await.unwrap();
        containers.start(&name).await.unwrap();
    });
}

pub(crate) fn what_kill_9_leaves_the_next_run_removes() {
    let _lab = the_only_lab();
    let before = everything();
    let desk = Desk::new();
    let mut run = desk.start("database-down", &["--lab", "docker"]);
    run.until("the fault holds");
    let process = run.child.id();
    run.signal("KILL");
    assert_eq!(run.end().status.code(), None);
    let left = of_process(process);
    assert!(holds_all_kinds(&left), "{left:#?}");

    // What `muster clean` would remove holds it. Here the next run removes it: somebody else may have kept a lab.
    let run = left[0].run.as_ref().unwrap();
    let listed = muster().args(["clean", "--dry-run"]).output().unwrap();
    assert_eq!(code(&listed), 0, "{}", said(&listed));
    let count = |kind| left.iter().filter(|thing| thing.kind == kind).count();
    let (containers, networks) = (count(Kind::Container), count(Kind::Network));
    let line = format!("would remove run {run}: {containers} containers, {networks} networks (its process is gone)");
    assert!(said(&listed).contains(&line), "{line}: {}", said(&listed));

    let next = run_that_is_refused();
    assert!(next.contains(&format!("removing what run {run} left behind")), "{next}");
    is_as_before(&before, process);
}
