//! Two runs at once do not meet.

use std::collections::BTreeSet;
use std::path::Path;

use muster::journal::event::{Event, Stamped};
use muster::journal::read;
use muster::plan::Plan;

use crate::desk::{Desk, Running, code, said, the_only_lab};
use crate::engine::{Kind, everything, is_as_before, of_process};

/// Slower than one alone: they are each other's load.
const SPEED: &str = "3";

/// Of the same zone, so with the same addresses. One kills what the other expects to serve all the time.
const DRILLS: [&str; 2] = ["region-down", "zone-down"];

pub(crate) fn two_runs_at_once_do_not_meet() {
    let _lab = the_only_lab();
    let before = everything();
    let desks = DRILLS.map(|_| Desk::new());
    let start = |drill, desk: &Desk| desk.start(drill, &["--lab", "docker", "--speed", SPEED]);
    let mut runs: Vec<Running> = DRILLS.into_iter().zip(&desks).map(|(drill, desk)| start(drill, desk)).collect();
    for run in &mut runs {
        run.until("the lab is ready");
    }
    let wires: Vec<BTreeSet<String>> = runs.iter().map(|run| wires(run.child.id())).collect();
    assert!(wires.iter().all(|wires| wires.len() == 6), "five cells, and everybody else: {wires:?}");
    assert!(wires[0].is_disjoint(&wires[1]), "{wires:?}");

    let processes: Vec<u32> = runs.iter().map(|run| run.child.id()).collect();
    for (run, drill) in runs.into_iter().zip(DRILLS) {
        let output = run.end();
        // 3: the machine was too busy to tell.
        assert!([0, 3].contains(&code(&output)), "{drill}: {}", said(&output));
    }
    for ((process, desk), drill) in processes.into_iter().zip(&desks).zip(DRILLS) {
        is_as_before(&before, process);
        holds_only_its_own(drill, &desk.folders()[0]);
    }
}

/// The networks of a run's containers.
fn wires(process: u32) -> BTreeSet<String> {
    let networks = of_process(process).into_iter().filter(|thing| thing.kind == Kind::Network);
    networks.flat_map(|network| network.subnets).collect()
}

/// What was looked at is the run's own fault, and only it is broken; what arrived is from its own clients.
fn holds_only_its_own(drill: &str, folder: &Path) {
    let journal = read(&folder.join("journal.jsonl")).unwrap();
    assert!(!journal.cut_off);
    let plan = plan(&journal.events);
    assert_eq!(plan.drill, drill);
    let mut arrived = BTreeSet::new();
    for stamped in &journal.events {
        match &stamped.event {
            Event::FaultLooked { fault, .. } | Event::FaultHeld { fault } | Event::Healed { fault } => {
                assert!(plan.faults.contains(fault), "{drill}: {stamped:?}");
            }
            Event::RequestArrived { client, .. } => {
                assert!(plan.clients.contains_key(client), "{drill}: {stamped:?}");
                arrived.insert(client);
            }
            Event::LabBroke { .. } | Event::UndoFailed { .. } => panic!("{drill}: {stamped:?}"),
            _ => {}
        }
    }
    assert_eq!(arrived, plan.clients.keys().collect(), "{drill}");
}

fn plan(events: &[Stamped]) -> &Plan {
    let planned = events.iter().find_map(|stamped| match &stamped.event {
        Event::Planned { plan } => Some(plan),
        _ => None,
    });
    planned.unwrap()
}
