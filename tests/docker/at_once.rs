//! Two runs at once do not meet.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use muster::journal::event::{Event, Stamped};
use muster::journal::read;
use muster::plan::Plan;

use crate::desk::{Desk, Running, code, drill_file, said, the_only_lab};
use crate::engine::{Kind, Thing, everything, is_as_before, of_process};

/// Slower than one alone: they are each other's load.
const SPEED: &str = "3";
/// When the machine was too busy to tell.
const SLOWER: &str = "1.5";
const INCONCLUSIVE: i32 = 3;

/// Of the same zone, so with the same addresses. One kills what the other expects to serve all the time.
const DRILLS: [&str; 2] = ["region-down", "zone-down"];
/// Their clients; both have some of them.
const CLIENTS: [&str; 6] = ["br-fresh", "br-jvm", "br-forever", "br-pool", "us-web", "de-web"];

pub(crate) fn two_runs_at_once_do_not_meet() {
    let _lab = the_only_lab();
    let folder = tempfile::tempdir().unwrap();
    let files = DRILLS.map(|drill| with_clients_of_its_own(drill, folder.path()));
    let before = everything();
    for speed in [SPEED, SLOWER] {
        let desks = DRILLS.map(|_| Desk::new());
        let codes = run_at_once(&files, &desks, speed, &before);
        for (drill, desk) in DRILLS.into_iter().zip(&desks) {
            holds_only_its_own(drill, &desk.folders()[0]);
        }
        if codes == [0, 0] {
            return;
        }
        // The machine was too busy to tell; slower, it may be as well, but nothing else.
        assert!(codes.iter().all(|code| [0, INCONCLUSIVE].contains(code)), "{codes:?}");
        eprintln!("inconclusive at {speed}x: {codes:?}");
    }
}

/// Runs them side by side, and nothing of them stays; their exit codes.
fn run_at_once(files: &[PathBuf; 2], desks: &[Desk; 2], speed: &str, before: &BTreeSet<Thing>) -> [i32; 2] {
    let start =
        |(file, desk): (&PathBuf, &Desk)| desk.start(file.to_str().unwrap(), &["--lab", "docker", "--speed", speed]);
    let mut runs: Vec<Running> = files.iter().zip(desks).map(start).collect();
    for run in &mut runs {
        run.until("the lab is ready");
    }
    let processes: Vec<u32> = runs.iter().map(|run| run.child.id()).collect();
    for process in &processes {
        let networks = of_process(*process).into_iter().filter(|thing| thing.kind == Kind::Network);
        assert_eq!(networks.count(), 6, "five cells, and everybody else");
    }
    let ends = runs.into_iter().zip(DRILLS).map(|(run, drill)| {
        let output = run.end();
        eprintln!("{drill}: {}", said(&output));
        code(&output)
    });
    let codes: Vec<i32> = ends.collect();
    for process in processes {
        is_as_before(before, process);
    }
    codes.try_into().unwrap()
}

/// A copy of a drill whose clients nobody else has: what arrives of another's is seen.
fn with_clients_of_its_own(drill: &str, folder: &Path) -> PathBuf {
    let original = drill_file(drill);
    let zones = original.with_file_name("zones");
    let text = std::fs::read_to_string(&original).unwrap();
    let text = text.replace("zone: zones/", &format!("zone: {}/", zones.display()));
    let text = CLIENTS.iter().fold(text, |text, client| text.replace(client, &format!("{drill}-{client}")));
    let file = folder.join(format!("{drill}.yaml"));
    std::fs::write(&file, text).unwrap();
    file
}

/// What was looked at is the run's own fault, and only it is broken; what arrived is from its own clients.
fn holds_only_its_own(drill: &str, folder: &Path) {
    let journal = read(&folder.join("journal.jsonl")).unwrap();
    assert!(!journal.cut_off);
    let plan = plan(&journal.events);
    assert_eq!(plan.drill, drill);
    assert!(plan.clients.keys().all(|client| client.starts_with(drill)), "{:?}", plan.clients.keys());
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
