//! Matrices made by hand, for tests: plans of the built-in drill, and journals in which everybody moves when it is told to.

use std::net::IpAddr;
use std::time::Duration;

use crate::clock::{LabTime, Speed};
use crate::drill::{LoadedDrill, PlanOptions, load};
use crate::journal::event::{Event, Phase, SeenAnswer, Server, Signal, Stamped};
use crate::journal::synthetic::{at, secs};
use crate::plan::{Family, Plan, WireTtl};

use super::*;

/// What a run is to be like.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Made {
    /// The resolver's answer changes then, and each client arrives elsewhere then (lab seconds since the fault held), or
    /// never. With its name: who that is.
    Run { resolver: &'static str, t3: f64, moves: &'static [(&'static str, Option<f64>)] },
    /// It left nothing.
    Nothing { resolver: &'static str, why: &'static str },
    /// It was cut off when the answer had changed, by a lab that broke.
    Broke { resolver: &'static str },
    /// It was not run.
    NotRun { resolver: &'static str },
}

/// When the authoritative answer changes, lab seconds since the fault held.
const T2: f64 = 25.0;
/// When the fault is seen to hold, lab seconds.
const T0: f64 = 60.0;
/// How long it is held, lab seconds.
const HELD: f64 = 170.0;

pub(crate) const AS_PREDICTED: [Made; 2] = [
    Made::Run {
        resolver: "unbound",
        t3: 40.0,
        moves: &[("curl", Some(41.0)), ("go", None), ("jvm", Some(60.0)), ("python-recycling", Some(90.0))],
    },
    Made::Run {
        resolver: "pdns-recursor",
        t3: 80.0,
        moves: &[("curl", Some(81.0)), ("go", None), ("jvm", Some(81.0)), ("python-recycling", Some(130.0))],
    },
];

pub(crate) const EVERYTHING_ELSE: [Made; 4] = [
    // A pool that moves, a runtime that moves too late, and one that does not.
    Made::Run {
        resolver: "bind",
        t3: 40.0,
        moves: &[("curl", Some(41.0)), ("go", Some(70.0)), ("jvm", Some(150.0)), ("python-recycling", None)],
    },
    Made::Broke { resolver: "knot-resolver" },
    Made::Nothing { resolver: "dnsmasq", why: "exit code 4, and it left no folder: no space left on device" },
    Made::NotRun { resolver: "unbound-floor" },
];

pub(crate) fn clients() -> Vec<&'static Client> {
    ["curl", "go", "jvm", "python-recycling"].map(|name| Client::named(name).unwrap()).into()
}

/// The built-in drill, and the base that is made of it.
pub(crate) fn built_in() -> Base {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("zones")).unwrap();
    std::fs::write(folder.path().join(BUILT_IN_ZONE_AT), BUILT_IN_ZONE).unwrap();
    let plan = loaded(folder.path(), BUILT_IN).plan(PlanOptions::default());
    Base::of(BUILT_IN, &plan).unwrap()
}

/// A drill of this text, whose zone lies where it says.
pub(crate) fn loaded(folder: &std::path::Path, text: &str) -> LoadedDrill {
    let file = folder.join("drill.yaml");
    std::fs::write(&file, text).unwrap();
    load(&file).unwrap()
}

/// The plan of a resolver with these clients in the lab of containers.
pub(crate) fn plan(resolver: &Resolver, clients: &[&Client], control: bool) -> Plan {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("zone.json"), BUILT_IN_ZONE).unwrap();
    let text = built_in().with(resolver, clients, "zone.json").unwrap();
    let options = PlanOptions { seed: 7, speed: Some(Speed::new(5.0).unwrap()), control, wire: WireTtl::WallSeconds };
    loaded(folder.path(), &text).plan(options)
}

/// The plans of [`AS_PREDICTED`].
pub(crate) fn plans() -> Vec<Plan> {
    ["unbound", "pdns-recursor"].map(|name| plan(Resolver::named(name).unwrap(), &clients(), false)).into()
}

pub(crate) fn summary(all: &[Made]) -> MatrixSummary {
    let rows = all.iter().map(|made| row(*made, false)).collect();
    MatrixSummary::of(drill(), false, started(), Duration::from_secs(240), None, rows)
}

/// With the fault left out nobody moves.
pub(crate) fn control() -> MatrixSummary {
    let moves = &[("curl", None), ("go", None), ("jvm", None), ("python-recycling", None)];
    let rows = vec![row(Made::Run { resolver: "unbound", t3: f64::INFINITY, moves }, true)];
    MatrixSummary::of(drill(), true, started(), Duration::from_secs(120), None, rows)
}

fn drill() -> (String, String) {
    ("matrix".to_owned(), "The database of the primary dies".to_owned())
}

fn started() -> String {
    "2026-03-01T12:00:00Z".to_owned()
}

pub(crate) fn row(made: Made, control: bool) -> ResolverSummary {
    let (name, left) = match made {
        Made::Run { resolver, t3, moves } => (
            resolver,
            Left::Journal(journal(&plan(Resolver::named(resolver).unwrap(), &clients(), control), t3, moves)),
        ),
        Made::Nothing { resolver, why } => (resolver, Left::Nothing(why.to_owned())),
        Made::Broke { resolver } => {
            let plan = plan(Resolver::named(resolver).unwrap(), &clients(), control);
            let moves = [("curl", None), ("go", None), ("jvm", None), ("python-recycling", None)];
            let mut events = journal(&plan, 70.0, &moves);
            events.retain(|stamped| stamped.at < at(T0 + 40.0));
            let reason = "muster-client-jvm ended by itself, with 1".to_owned();
            events.push(Stamped { at: at(T0 + 40.0), event: Event::LabBroke { reason } });
            (resolver, Left::Journal(events))
        }
        Made::NotRun { resolver } => (resolver, Left::NotRun),
    };
    let resolver = Resolver::named(name).unwrap();
    let folder = matches!(left, Left::Journal(_)).then(|| format!("matrix-{name}-20260301T120000Z"));
    ResolverSummary::of(resolver, &clients(), Ran { seed: 7, speed: 5.0, folder, left }, control)
}

/// A run in which everything happens when it is told to: observers look once a second, clients ask every two.
pub(crate) fn journal(plan: &Plan, t3: f64, moves: &[(&str, Option<f64>)]) -> Vec<Stamped> {
    let address =
        |cell: &str| -> IpAddr { *plan.cells[cell].addresses.iter().find(|address| address.is_ipv4()).unwrap() };
    let answer = |cell: &str| SeenAnswer::Addresses { addresses: vec![address(cell)], ttl: 60 };
    let cell = |moved: bool| if moved { "secondary" } else { "primary" };
    let mut events: Vec<(f64, Event)> = vec![
        (0.0, Event::RunStarted { version: "0".into(), wall: started() }),
        (0.0, Event::Planned { plan: Box::new(plan.clone()) }),
    ];
    let phases = [(1.0, Phase::Settling), (40.0, Phase::Steady), (T0 + 0.4, Phase::Holding)];
    events.extend(phases.map(|(seconds, phase)| (seconds, Event::PhaseEntered { phase, until: None })));
    let families = vec![Family::A, Family::Aaaa];
    let (lab, ground) = ("docker".to_owned(), "container".to_owned());
    events.push((1.0, Event::LabReady { lab, ground, hosts: 20, took: secs(4.0), families, clock: None }));
    let fault = plan.faults[0].clone();
    if !plan.control {
        let looked = |broken| Event::FaultLooked {
            fault: fault.clone(),
            part: "the database of primary".into(),
            broken,
            detail: String::new(),
        };
        events.extend([
            (T0 - 1.0, Event::PhaseEntered { phase: Phase::Breaking, until: None }),
            (T0 - 1.0, Event::FaultRequested { fault: fault.clone() }),
            (T0 - 1.5, looked(false)),
            (T0 - 0.5, looked(false)),
            (T0, looked(true)),
            (T0, Event::FaultHeld { fault: fault.clone() }),
            (T0 + HELD, Event::HealRequested { fault: fault.clone() }),
            (T0 + HELD + 1.0, looked(false)),
            (T0 + HELD + 1.0, Event::Healed { fault: fault.clone() }),
        ]);
        for signal in [Signal::Target { cell: "primary".into(), target: 0 }, Signal::Cell { cell: "primary".into() }] {
            events.push((T0 + T2 - 0.5, Event::HealthChanged { signal, healthy: false, reason: String::new() }));
        }
    }
    events.push((T0 + HELD + 2.0, Event::PhaseEntered { phase: Phase::Recovering, until: None }));
    let changes = |seconds: f64, then: f64| !plan.control && seconds >= T0 + then && seconds < T0 + HELD;
    for second in 0..280_u32 {
        let now = f64::from(second) + 0.5;
        let resolver = plan.resolvers.keys().next().unwrap().clone();
        for (server, then) in [(Server::Authoritative, T2), (Server::Resolver(resolver), t3)] {
            let (name, place, late) = (plan.name.clone(), "United States".to_owned(), secs(0.01));
            let answer = answer(cell(changes(now, then)));
            events.push((now, Event::Observed { server, name, family: Family::A, place, answer, late }));
        }
    }
    for second in (1..280_u32).step_by(2) {
        let now = f64::from(second);
        for (client, moved) in moves {
            let cell = cell(moved.is_some_and(|moved| changes(now, moved)));
            let status = if cell == "primary" && changes(now, 0.0) { 503 } else { 200 };
            let (cell, client, held) = (cell.to_owned(), (*client).to_owned(), secs(0.1));
            events.push((now + 0.1, Event::RequestArrived { cell, zone: None, client, status, held }));
        }
    }
    let wall = Duration::from_millis;
    events.push((280.0, Event::Lateness { count: 500, p50: wall(1), p99: wall(20), max: wall(60) }));
    events.push((280.0, Event::RunEnded));
    events.sort_by(|a, b| a.0.total_cmp(&b.0));
    events.into_iter().map(|(seconds, event)| Stamped { at: LabTime::at(secs(seconds)), event }).collect()
}
