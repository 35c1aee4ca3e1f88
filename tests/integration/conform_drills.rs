//! The drills of scenarios, when `muster conform` is stopped or killed: each heals, and nobody is left.

use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use muster::journal::event::Event;
use muster::journal::read;
use tempfile::TempDir;

use crate::campaign::processes_of;
use crate::desk::{code, drill_file, muster, place, said, signal, the_only_lab};

/// Whatever is awaited comes within this, on a machine with load too.
const BOUND: Duration = Duration::from_secs(60);
const HOLDS: &str = r#""event":"fault-held""#;
const HEALS: &str = r#""event":"heal-requested""#;

/// A run of two drills in the embedded lab, with a folder for its temporary files.
struct Run {
    folder: TempDir,
    child: Child,
}

impl Run {
    /// From the moment on in which both faults hold.
    fn broken() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let scenario = |drill| {
            let file = drill_file(drill);
            format!(
                "\n  @drill\n  Scenario: {drill}\n    When the drill \"{}\" runs\n    Then the drill passes\n",
                file.display()
            )
        };
        for (name, drill) in [("a", "region-down"), ("b", "chat-region-down")] {
            let text = format!("Feature: {name}\n{}", scenario(drill));
            std::fs::write(folder.path().join(format!("{name}.feature")), text).unwrap();
        }
        let mut command = muster();
        command.current_dir(folder.path()).env("TMPDIR", folder.path());
        command.args(["conform", ".", "--lab", "embedded", "--drills", "--junit", "out.xml"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut run = Self { folder, child };
        run.until("both faults hold", |run| {
            run.goes_on()
                && run.journals().iter().filter(|text| text.contains(HOLDS) && !text.contains(HEALS)).count() == 2
        });
        run
    }

    fn until(&mut self, what: &str, mut is_so: impl FnMut(&mut Self) -> bool) {
        let bound = Instant::now() + BOUND;
        while !is_so(self) {
            assert!(Instant::now() < bound, "never: {what}");
            // Nobody tells when a file grows, or when somebody else's child ends.
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn goes_on(&mut self) -> bool {
        let ended = self.child.try_wait().unwrap();
        assert!(ended.is_none(), "the run ended too soon");
        true
    }

    /// The folder that the run has made for itself.
    fn private(&self) -> PathBuf {
        self.folder.path().join(format!("muster-{}-0", self.child.id()))
    }

    fn journal_files(&self) -> Vec<PathBuf> {
        let inside = |folder: &Path| -> Vec<PathBuf> {
            folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.path()).collect()
        };
        let reports = inside(&self.private()).into_iter().flat_map(|run| inside(&run));
        reports.map(|report| report.join("journal.jsonl")).filter(|file| file.exists()).collect()
    }

    fn journals(&self) -> Vec<String> {
        self.journal_files().iter().map(|file| std::fs::read_to_string(file).unwrap_or_default()).collect()
    }
}

#[test]
fn a_signal_to_the_run_alone_has_its_drills_heal_and_begins_nothing_new() {
    let _lab = the_only_lab();
    let mut run = Run::broken();
    signal(run.child.id(), "TERM");
    let mut told = 0;
    run.until("the run ends", |run| {
        let journals = run.journals();
        assert!(journals.len() <= 2, "something new was begun");
        told = told.max(journals.iter().filter(|text| text.contains(r#""event":"interrupted""#)).count());
        run.child.try_wait().unwrap().is_some()
    });
    assert_eq!(told, 2, "both were told");
    let (folder, private) = (run.folder.path().to_owned(), run.private());
    let output = run.child.wait_with_output().unwrap();
    assert_eq!(code(&output), 130, "{}", said(&output));
    assert!(said(&output).contains("2 not reached"), "{}", said(&output));
    assert_eq!(processes_of(&folder), 0);
    assert!(!private.exists() && folder.join("out.xml").exists());
}

#[test]
fn after_kill_9_of_the_run_its_drills_heal_and_the_next_takes_their_reports_away() {
    let _lab = the_only_lab();
    let mut run = Run::broken();
    signal(run.child.id(), "KILL");
    run.child.wait().unwrap();
    run.until("its drills end", |run| processes_of(&run.private()) == 0);
    let journals = run.journal_files();
    assert_eq!(journals.len(), 2, "{journals:?}");
    for file in journals {
        let journal = read(&file).unwrap();
        // The system tells it once for each thread that its parent had.
        let told = place(&journal.events, |event| matches!(event, Event::Interrupted { .. }));
        assert!(told < place(&journal.events, |event| matches!(event, Event::Healed { .. })));
        assert!(!journal.cut_off);
    }
    let next = muster()
        .args(["run", "--lab", "virtual", "--quiet", "--out", "reports"])
        .arg(drill_file("chat-region-down"))
        .current_dir(run.folder.path())
        .env("TMPDIR", run.folder.path())
        .output()
        .unwrap();
    assert_eq!(code(&next), 0, "{}", said(&next));
    assert!(!run.private().exists());
}
