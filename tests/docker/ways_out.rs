//! On every way out of a run nothing of it stays on the engine, or the next one removes it.

use std::collections::BTreeSet;

use muster::containers::{ContainerSpec, Containers, Owner, Subnet, Wire};
use muster::images::Engine;
use muster::journal::event::Event;
use muster::lab::docker::Sweep;

use crate::bad_input::run_that_is_refused;
use crate::desk::{Desk, code, muster, place, said, the_only_lab};
use crate::engine::{Kind, Thing, everything, is_as_before, of_process};

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
    let built = muster().args(["images", "build", "base"]).output().unwrap();
    assert_eq!(code(&built), 0, "{}", said(&built));
    let before = everything();
    let runs = ["0badcafe", "0badcaff"].map(|name| format!("{name}{}", std::process::id()));
    for run in &runs {
        make_a_network_and_a_container(run);
    }
    let [panics, stays] = runs;
    let thread = std::thread::spawn({
        let panics = panics.clone();
        move || {
            // As the lab's thread does: what it holds outlives its runtime.
            let _swept = Sweep::of_run(panics);
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            tokio::task::LocalSet::new().block_on(&runtime, async { panic!("a node panics") })
        }
    });
    assert!(thread.join().is_err());
    let left: Vec<Thing> = of_process(std::process::id());
    assert!(left.iter().all(|thing| thing.run.as_ref() == Some(&stays)), "{left:#?}");
    assert!(holds_all_kinds(&left), "{left:#?}");
    drop(Sweep::of_run(stays));
    is_as_before(&before, std::process::id());
}

fn make_a_network_and_a_container(run: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let engine = Engine::reach().await.unwrap();
        let image = engine.held().await.unwrap().into_iter().find(|held| held.name == "base").unwrap().tag;
        let containers = Containers::of_run(engine.docker(), run.to_owned(), Owner::this());
        let network = format!("muster-{run}-outside");
        let subnet = containers.make_network(&network, Subnet::number(77), &[]).await.unwrap();
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
