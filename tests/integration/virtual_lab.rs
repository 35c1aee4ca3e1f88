//! Every drill of the folder in the virtual lab: what it proves there, and that it is the same each time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::desk::{Desk, code, drill_file, muster, said};
use muster::clock::Speed;
use muster::drill::{PlanOptions, load};
use muster::journal::Writer;
use muster::journal::event::{Event, Stamped};
use muster::lab::rehearse;
use muster::plan::expectation::Leg;
use muster::timeline::measure::{Fit, Measured, measure};
use muster::verdict::{Outcome, judge};

/// Every drill of the folder that this lab can run; what names several is a campaign.
fn drills() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("drills");
    let files = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let mut drills: Vec<PathBuf> = files
        .filter(|path| path.extension().is_some_and(|ending| ending == "yaml"))
        .filter(|path| std::fs::read_to_string(path).unwrap().lines().any(|line| line.starts_with("drill:")))
        .collect();
    drills.retain(|path| load(path).unwrap().plan(PlanOptions::default()).needs_docker().is_none());
    drills.sort();
    drills
}

/// Runs a drill; its events.
fn play(drill: &Path, seed: u64, control: bool) -> Vec<Stamped> {
    let loaded = load(drill).unwrap();
    let plan = loaded.plan(PlanOptions { seed, speed: Some(Speed::REAL), control, ..PlanOptions::default() });
    rehearse(plan, Arc::new(loaded.zone)).unwrap()
}

/// The bytes of a journal of these events.
fn written(events: &[Stamped]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("journal.jsonl");
    let mut journal = Writer::create(&file).unwrap();
    for stamped in events {
        journal.write(stamped).unwrap();
    }
    std::fs::read(&file).unwrap()
}

/// Every figure of both legs that is not inside its prediction, for people.
fn beside_the_prediction(measured: &Measured) -> Vec<String> {
    let legs = [Leg::Failover, Leg::Failback].map(|leg| (leg, measured.leg(leg)));
    let figures = legs.into_iter().flat_map(|(leg, measured)| measured.figures().map(move |figure| (leg, figure)));
    let beside = figures.filter(|(_, figure)| !matches!(figure.fit, Fit::Inside));
    beside.map(|(leg, figure)| format!("{leg:?} {}: {:?} {:?}", figure.of, figure.fit, figure.span)).collect()
}

/// Does something with every drill, as many at once as there are processors; what came of each.
fn for_each_drill<T: Send>(work: impl Fn(&Path) -> T + Sync) -> BTreeMap<PathBuf, T> {
    let (drills, next, done) = (drills(), AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(drill) = drills.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let came = work(drill);
                    done.lock().unwrap().insert(drill.clone(), came);
                }
            });
        }
    });
    done.into_inner().unwrap()
}

#[test]
fn every_drill_passes_inside_its_prediction_and_no_control_does() {
    let played = for_each_drill(|drill| {
        let [events, control] = [false, true].map(|control| play(drill, 1, control));
        (judge(&events).unwrap(), beside_the_prediction(&measure(&events).unwrap()), judge(&control).unwrap().outcome)
    });
    assert!(played.len() > 20, "{:?}", played.keys());
    for (drill, (verdict, beside, control)) in played {
        let drill = drill.display();
        assert_eq!(verdict.outcome, Outcome::Passed, "{drill}: {verdict:?}");
        assert!(beside.is_empty(), "{drill}: {beside:?}");
        assert_eq!(control, Outcome::Failed, "{drill}, as a control");
    }
}

#[test]
fn the_same_seed_gives_the_same_journal_to_the_byte_and_another_seed_another() {
    for drill in ["checkers-locked-out", "long-lived-streams", "manual-drain", "thundering-standby"].map(drill_file) {
        let [first, again, other] = [7, 7, 8].map(|seed| written(&play(&drill, seed, false)));
        assert!(first == again, "{}", drill.display());
        assert!(first != other, "{}", drill.display());
    }
}

#[test]
fn both_labs_say_the_same_of_a_drill() {
    for drill in ["unchecked-secondary", "routing-control-waits"] {
        let (simulated, mut real) = (Desk::new(), Desk::new());
        let output = simulated.run(drill, &["--lab", "virtual", "--seed", "3", "--quiet"]);
        assert_eq!(code(&output), 0, "{drill}: {}", said(&output));
        let output = real.run_to_a_verdict(drill, &["--seed", "3", "--quiet"]);
        assert_eq!(code(&output), 0, "{drill}: {}", said(&output));
        let sides = [&simulated, &real].map(|desk| desk.folders().remove(0));
        let output = muster().arg("compare").args(sides).output().unwrap();
        assert_eq!(code(&output), 0, "{}", said(&output));
        let beside = beside_the_prediction(&measure(&real.journal().events).unwrap());
        assert_eq!(beside, [""; 0], "{drill}");
    }
}

#[test]
fn a_run_in_the_virtual_lab_leaves_the_same_files_and_is_told_by_its_name() {
    let desk = Desk::new();
    let output = desk.run("database-down", &["--lab", "virtual", "--seed", "4"]);
    assert_eq!(code(&output), 0, "{}", said(&output));
    assert!(said(&output).contains("hosts on the simulated ground"), "{}", said(&output));
    let events = desk.journal().events;
    let ready = events.iter().find_map(|stamped| match &stamped.event {
        Event::LabReady { lab, ground, .. } => Some((lab.clone(), ground.clone())),
        _ => None,
    });
    assert_eq!(ready, Some(("virtual".to_owned(), "simulated".to_owned())));
    let late = events.iter().find_map(|stamped| match stamped.event {
        Event::Lateness { max, .. } => Some(max),
        _ => None,
    });
    assert_eq!(late, Some(std::time::Duration::ZERO));
    for file in ["junit.xml", "summary.json"] {
        assert!(desk.folders()[0].join(file).is_file(), "{file}");
    }
    let again = muster().arg("judge").arg(&desk.folders()[0]).output().unwrap();
    assert_eq!(code(&again), 0, "{}", said(&again));
}

#[test]
fn what_only_sockets_have_is_refused_in_the_virtual_lab() {
    for (option, value) in [("--speed", "20"), ("--ground", "loopback")] {
        for file in ["database-down", "quarterly"] {
            let desk = Desk::new();
            let output = desk.run(file, &["--lab", "virtual", option, value]);
            assert_eq!(code(&output), 2, "{}", said(&output));
            assert!(said(&output).contains(&format!("`{option}` makes no sense with `--lab virtual`")));
            assert!(desk.folders().is_empty());
        }
    }
}
