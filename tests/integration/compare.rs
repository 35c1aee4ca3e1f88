//! Two runs, or two campaigns, are held against each other from what they left behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::desk::{Desk, code, muster, said};

/// A run in the virtual lab; its folder.
fn played(desk: &Desk, drill: &str, seed: &str, more: &[&str]) -> PathBuf {
    let before = desk.folders();
    let output = desk.run(drill, &[&["--lab", "virtual", "--seed", seed, "--quiet"], more].concat());
    assert!(matches!(code(&output), 0 | 1), "{}", said(&output));
    desk.folders().into_iter().find(|folder| !before.contains(folder)).unwrap()
}

fn compared(before: &Path, after: &Path, more: &[&str]) -> Output {
    muster().arg("compare").arg(before).arg(after).args(more).output().unwrap()
}

#[test]
fn two_runs_with_other_seeds_agree_and_every_figure_is_told() {
    let desk = Desk::new();
    let [before, after] = ["3", "4"].map(|seed| played(&desk, "unchecked-secondary", seed, &[]));
    let output = compared(&before, &after.join("journal.jsonl"), &[]);
    let page = said(&output);
    assert_eq!(code(&output), 0, "{page}");
    for told in ["(virtual lab, simulated, seed 3, speed 1x)", "│ detection ", "compared 1 drill: 1 agree"] {
        assert!(page.contains(told), "{told}: {page}");
    }
    let json = compared(&before, &after, &["--json"]);
    let told: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((code(&json), &told["likeness"]), (0, &"agree".into()));
    let figures = told["drills"][0]["figures"].as_array().unwrap();
    let detection = figures.iter().find(|figure| figure["stage"] == "detection").unwrap();
    assert!(detection["before"]["uncertainty"].is_number() && detection["after"]["measured"]["least"].is_number());
}

#[test]
fn a_zone_whose_answers_may_be_kept_for_another_time_differs_and_exits_with_1() {
    let desk = Desk::new();
    let before = played(&desk, "unchecked-secondary", "3", &[]);
    // The same drill, of a zone with another TTL: the zone is no setting of a drill, but what it is about.
    let copied = tempfile::tempdir().unwrap();
    let drills = Path::new(env!("CARGO_MANIFEST_DIR")).join("drills");
    fs::create_dir(copied.path().join("zones")).unwrap();
    let drill = copied.path().join("unchecked-secondary.yaml");
    fs::copy(drills.join("unchecked-secondary.yaml"), &drill).unwrap();
    let zone = "zones/unchecked-secondary.route53.json";
    let text = fs::read_to_string(drills.join(zone)).unwrap();
    fs::write(copied.path().join(zone), text.replace("\"TTL\": 60,", "\"TTL\": 20,")).unwrap();
    let after = played(&desk, drill.to_str().unwrap(), "3", &[]);
    let output = compared(&before, &after, &[]);
    let page = said(&output);
    assert_eq!(code(&output), 1, "{page}");
    for told in ["United States, TTL of us-east: 60 s → 20 s", "compared 1 drill: 1 differ"] {
        assert!(page.contains(told), "{told}: {page}");
    }
}

#[test]
fn what_cannot_be_compared_is_told_and_exits_with_2() {
    let desk = Desk::new();
    let run = played(&desk, "unchecked-secondary", "3", &[]);
    let control = played(&desk, "unchecked-secondary", "3", &["--control"]);
    let other = played(&desk, "routing-control-waits", "3", &[]);
    for (after, told) in [
        (control, "other settings, so no figure is compared: control: false → true"),
        (other, "no drill is on both sides"),
        (desk.out.path().join("nowhere"), "nowhere"),
    ] {
        let output = compared(&run, &after, &[]);
        assert_eq!(code(&output), 2, "{}", said(&output));
        assert!(said(&output).contains(told), "{told}: {}", said(&output));
    }
}

#[test]
fn of_a_campaign_the_latest_run_of_a_drill_counts_and_a_run_is_held_against_its_own_drill() {
    let desk = Desk::new();
    let run = played(&desk, "unchecked-secondary", "3", &[]);
    let control = played(&desk, "unchecked-secondary", "3", &["--control"]);
    let other = played(&desk, "routing-control-waits", "3", &[]);
    let campaign = tempfile::tempdir().unwrap();
    let put = |from: &Path, name: &str| {
        let folder = campaign.path().join(name);
        fs::create_dir(&folder).unwrap();
        fs::copy(from.join("journal.jsonl"), folder.join("journal.jsonl")).unwrap();
    };
    put(&control, "unchecked-secondary-20260301T120000Z");
    put(&run, "unchecked-secondary-20260301T120100Z");
    put(&other, "routing-control-waits-20260301T120000Z");
    for (before, after) in [(run.as_path(), campaign.path()), (campaign.path(), run.as_path())] {
        let output = compared(before, after, &[]);
        assert_eq!(code(&output), 0, "{}", said(&output));
        assert!(said(&output).contains("compared 1 drill: 1 agree"), "{}", said(&output));
    }

    let smaller = tempfile::tempdir().unwrap();
    let folder = smaller.path().join("unchecked-secondary-20260601T120000Z");
    fs::create_dir(&folder).unwrap();
    fs::copy(run.join("journal.jsonl"), folder.join("journal.jsonl")).unwrap();
    let output = compared(campaign.path(), smaller.path(), &[]);
    assert_eq!(code(&output), 1, "{}", said(&output));
    assert!(said(&output).contains("1 agree, 1 on one side only"), "{}", said(&output));
}
