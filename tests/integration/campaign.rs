//! Several drills are run as one: one report, one exit code, one way out.

use std::fmt::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::desk::{Desk, code, drill_file, muster, place, said, the_only_lab};
use muster::journal::event::Event;
use muster::journal::read;
use tempfile::TempDir;

/// A campaign file in a folder of its own, with all its drills at once.
struct Campaign(TempDir);

impl Campaign {
    fn of(drills: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut text = "campaign: short\ntitle: A short one\ndrills:\n".to_owned();
        for drill in drills {
            writeln!(text, "  - {}", drill_file(drill).display()).unwrap();
        }
        std::fs::write(folder.path().join("short.yaml"), text).unwrap();
        Self(folder)
    }

    fn file(&self) -> String {
        self.0.path().join("short.yaml").display().to_string()
    }
}

/// The only folder of a campaign, and those of its drills.
fn folders(desk: &Desk) -> (PathBuf, Vec<PathBuf>) {
    let campaign = desk.folders().remove(0);
    let inside = campaign.read_dir().unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let mut drills: Vec<PathBuf> = inside.collect();
    drills.sort();
    (campaign, drills)
}

/// How many processes were told to report into this folder.
pub(crate) fn processes_of(out: &Path) -> usize {
    let out = out.display().to_string();
    let of_it = |process: std::fs::DirEntry| {
        let words = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&words).contains(&out)
    };
    Path::new("/proc")
        .read_dir()
        .unwrap()
        .filter_map(Result::ok)
        .filter_map(|process| of_it(process).then_some(()))
        .count()
}

#[test]
fn a_campaign_passes_when_its_drills_do_and_tells_all_of_them_in_one_report() {
    let campaign = Campaign::of(&["region-down", "chat-region-down"]);
    let mut desk = Desk::new();
    let output = desk.run_to_a_verdict(&campaign.file(), &["--seed", "11"]);
    let page = said(&output);
    assert_eq!(code(&output), 0, "{page}");
    assert!(page.contains("verdict: passed — 2 of 2 drills"), "{page}");
    for line in ["region-down starts (seed 11,", "chat-region-down starts (seed 12,", "chat-region-down: "] {
        assert!(page.contains(line), "{line}: {page}");
    }

    let (folder, drills) = folders(&desk);
    assert!(drills.len() >= 2, "{drills:?}");
    let junit = std::fs::read_to_string(folder.join("junit.xml")).unwrap();
    assert!(junit.contains(r#"<testsuites name="short""#) && junit.contains(r#"failures="0" errors="0">"#), "{junit}");
    for (id, drill) in ["region-down", "chat-region-down"].into_iter().enumerate() {
        let (_, suite) = junit.split_once(&format!(r#"<testsuite id="{id}" name="{drill}""#)).unwrap();
        let (suite, _) = suite.split_once("</testsuite>").unwrap();
        assert!(suite.contains(r#"<testcase name="failover: detection""#), "{suite}");
        assert!(suite.contains("predicted-worst-seconds") && suite.contains("measured-most-seconds"), "{suite}");
    }
    let summary: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("summary.json")).unwrap()).unwrap();
    assert_eq!((&summary["outcome"], &summary["exit_code"]), (&"passed".into(), &0.into()));
    for (index, seed) in [(0, 11), (1, 12)] {
        let drill = &summary["drills"][index];
        let own = folder.join(drill["folder"].as_str().unwrap());
        assert_eq!(drill["seed"], seed);
        assert_eq!(drill["journal_chain"], read(&own.join("journal.jsonl")).unwrap().chain.to_string());
        assert!(own.join("junit.xml").exists() && own.join("summary.json").exists());
    }
}

#[test]
fn as_a_control_every_drill_of_a_campaign_must_fail() {
    let campaign = Campaign::of(&["region-down", "chat-region-down"]);
    let mut desk = Desk::new();
    let output = desk.run_to_a_verdict(&campaign.file(), &["--control", "--quiet"]);
    assert_eq!(code(&output), 1, "{}", said(&output));
    assert!(
        said(&output).contains("verdict: failed — control: 2 of 2 drills failed, as they must"),
        "{}",
        said(&output)
    );
    assert!(!said(&output).contains(" starts "), "quiet");
}

#[test]
fn a_mistake_in_one_drill_is_told_with_its_place_and_no_drill_is_started() {
    let campaign = Campaign::of(&["region-down"]);
    let text = std::fs::read_to_string(drill_file("chat-region-down")).unwrap();
    let zones = drill_file("zones").with_extension("");
    let text = text.replace("zone: zones", &format!("zone: {}", zones.display())).replace("\ntitle:", "\ntitel:");
    let broken = campaign.0.path().join("broken.yaml");
    std::fs::write(&broken, &text).unwrap();
    let both = std::fs::read_to_string(campaign.file()).unwrap() + "  - broken.yaml\n";
    std::fs::write(campaign.file(), both).unwrap();

    let desk = Desk::new();
    let reports = desk.out.path().join("reports");
    let output = muster().args(["run", &campaign.file(), "--out"]).arg(&reports).output().unwrap();
    let line = text.lines().position(|line| line.starts_with("titel")).unwrap() + 1;
    assert_eq!(code(&output), 2, "{}", said(&output));
    assert!(said(&output).contains(&format!("{}:{line}:1", broken.display())), "{}", said(&output));
    assert!(said(&output).contains("`title`"), "{}", said(&output));
    assert!(!reports.exists(), "something was started");
}

#[test]
fn a_file_that_is_neither_drill_nor_campaign_is_told_both() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("neither.yaml");
    std::fs::write(&file, "title: nothing\n").unwrap();
    let output = muster().arg("run").arg(&file).output().unwrap();
    assert_eq!(code(&output), 2);
    for word in ["neither.yaml:1:1", "`drill: <name>`", "`campaign: <name>`"] {
        assert!(said(&output).contains(word), "{}", said(&output));
    }
}

#[test]
fn a_dry_run_of_a_campaign_plans_every_drill_and_starts_none() {
    let desk = Desk::new();
    let output = desk.run("quarterly", &["--dry-run", "--seed", "7"]);
    assert_eq!(code(&output), 0, "{}", said(&output));
    let page = said(&output);
    let line = page.lines().find(|line| line.contains("wedged-engine ")).unwrap();
    assert!(line.contains(" 9 ") && line.contains("41.5 – 57 s") && line.contains("41.5 – 177 s"), "{page}");
    let too_wide = page.lines().find(|line| line.chars().count() > 100);
    assert_eq!(too_wide, None);
    assert!(desk.folders().is_empty());

    let json = desk.run("quarterly", &["--dry-run", "--seed", "7", "--json"]);
    let plan: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&plan["drills"][0]["seed"], &plan["drills"][1]["seed"]), (&7.into(), &8.into()));
}

/// A campaign whose faults are all held at this moment, in a process group of its own, as a shell gives it: ctrl-C
/// reaches everybody in the group. On a machine too loaded for that once more, slower.
fn all_broken(campaign: &Campaign, drills: usize) -> (Desk, Child) {
    for speed in ["17", "8"] {
        let desk = Desk::new();
        let mut command = desk.command(&campaign.file(), &["--speed", speed]);
        let mut run = command.process_group(0).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Every run is bounded, and so is this; nobody tells when a file grows.
        while run.try_wait().unwrap().is_none() {
            if faults_held(&desk) == drills {
                return (desk, run);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    panic!("the faults were never held at the same time");
}

/// In how many runs the fault holds, by now.
fn faults_held(desk: &Desk) -> usize {
    if desk.folders().is_empty() {
        return 0;
    }
    let journals = folders(desk).1.into_iter().map(|drill| std::fs::read_to_string(drill.join("journal.jsonl")));
    let holds =
        |text: &String| text.contains(r#""event":"fault-held""#) && !text.contains(r#""event":"heal-requested""#);
    journals.map(Result::unwrap_or_default).filter(holds).count()
}

#[test]
fn after_kill_9_of_the_campaign_its_drills_heal_and_end() {
    let _lab = the_only_lab();
    let campaign = Campaign::of(&["region-down", "chat-region-down"]);
    let (desk, mut run) = all_broken(&campaign, 2);
    run.kill().unwrap();
    run.wait().unwrap();
    // Every run is bounded, and so is this; nobody tells when somebody else's child ends.
    while processes_of(desk.out.path()) > 0 {
        std::thread::sleep(Duration::from_millis(20));
    }
    for drill in folders(&desk).1 {
        let journal = read(&drill.join("journal.jsonl")).unwrap();
        let interrupted = place(&journal.events, |event| matches!(event, Event::Interrupted { .. }));
        assert!(interrupted < place(&journal.events, |event| matches!(event, Event::Healed { .. })));
    }
}

#[test]
fn ctrl_c_has_every_drill_heal_once_and_leaves_no_process() {
    let _lab = the_only_lab();
    let campaign = Campaign::of(&["region-down", "chat-region-down"]);
    let (desk, mut run) = all_broken(&campaign, 2);
    assert_eq!(processes_of(desk.out.path()), 3, "the campaign and its two drills");
    let group = format!("-{}", run.id());
    assert!(Command::new("kill").args(["-s", "INT", "--", &group]).status().unwrap().success());
    assert_eq!(run.wait().unwrap().code(), Some(130));

    assert_eq!(processes_of(desk.out.path()), 0);
    let (folder, drills) = folders(&desk);
    assert!(folder.join("junit.xml").exists());
    let summary = std::fs::read_to_string(folder.join("summary.json")).unwrap();
    assert!(summary.contains("stopped by SIGINT") && summary.contains(r#""exit_code": 130"#), "{summary}");
    assert_eq!(drills.len(), 2);
    for drill in drills {
        let journal = read(&drill.join("journal.jsonl")).unwrap();
        let told = journal.events.iter().filter(|stamped| matches!(stamped.event, Event::Interrupted { .. })).count();
        assert_eq!(told, 1, "{}: told once, so that its healing is seen to its end", drill.display());
        let healed = place(&journal.events, |event| matches!(event, Event::Healed { .. }));
        assert!(healed > place(&journal.events, |event| matches!(event, Event::Interrupted { .. })));
        assert!(!journal.cut_off);
    }
}
