//! Runs the binary as a person would, in a folder of its own.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use muster::journal::event::{Event, Stamped};
use muster::journal::{Reading, read};
use tempfile::TempDir;

/// Lab seconds per wall second for a first try: a drill of some minutes takes some seconds.
pub(crate) const SPEED: &str = "40";

/// What muster itself advises when the machine was too loaded to tell: lower speeds, each tried once.
const SLOWER: [&str; 2] = ["17", "8"];

const INCONCLUSIVE: i32 = 3;

/// Labs run one after the other, so that the tests are not each other's load.
static ONE_LAB: Mutex<()> = Mutex::new(());

pub(crate) fn the_only_lab() -> MutexGuard<'static, ()> {
    // A test that failed while it held the lab leaves nothing behind in it.
    ONE_LAB.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A folder for reports, removed at the end.
pub(crate) struct Desk {
    pub(crate) out: TempDir,
}

/// A run that goes on.
pub(crate) struct Running {
    pub(crate) child: Child,
    progress: BufReader<ChildStderr>,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self { out: tempfile::tempdir().unwrap() }
    }

    /// `muster run <drill> <more>`, with reports on this desk.
    pub(crate) fn command(&self, drill: &str, more: &[&str]) -> Command {
        let mut command = muster();
        command.arg("run").arg(drill_file(drill)).arg("--out").arg(self.out.path()).args(more);
        command
    }

    pub(crate) fn run(&self, drill: &str, more: &[&str]) -> Output {
        let _lab = the_only_lab();
        self.command(drill, more).output().unwrap()
    }

    /// Runs a drill until the machine let it tell, each time on a clean desk.
    pub(crate) fn run_to_a_verdict(&mut self, drill: &str, more: &[&str]) -> Output {
        let mut output = self.run(drill, &[more, &["--speed", SPEED]].concat());
        for speed in SLOWER {
            if code(&output) != INCONCLUSIVE {
                break;
            }
            self.out = tempfile::tempdir().unwrap();
            output = self.run(drill, &[more, &["--speed", speed]].concat());
        }
        output
    }

    pub(crate) fn start(&self, drill: &str, more: &[&str]) -> Running {
        Running::start(self.command(drill, more))
    }

    /// The report folders, sorted.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let mut folders: Vec<PathBuf> =
            self.out.path().read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
        folders.sort();
        folders
    }

    /// The journal of the only run.
    pub(crate) fn journal(&self) -> Reading {
        let folders = self.folders();
        assert_eq!(folders.len(), 1, "{folders:?}");
        read(&folders[0].join("journal.jsonl")).unwrap()
    }
}

impl Running {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let progress = BufReader::new(child.stderr.take().unwrap());
        Self { child, progress }
    }

    /// Reads progress until a line holds `words`. The run itself is bounded, and so is this: it ends with the run.
    pub(crate) fn until(&mut self, words: &str) {
        let mut line = String::new();
        let mut seen = String::new();
        while self.progress.read_line(&mut line).unwrap() > 0 {
            if line.contains(words) {
                return;
            }
            seen += &line;
            line.clear();
        }
        panic!("the run ended before `{words}`:\n{seen}");
    }

    /// Sends a signal by its name.
    pub(crate) fn signal(&self, name: &str) {
        signal(self.child.id(), name);
    }

    pub(crate) fn end(self) -> Output {
        // The rest of the progress is read as well, so that the run never waits for a reader.
        let Self { child, progress } = self;
        let rest = std::thread::spawn(move || progress.lines().map_while(Result::ok).collect::<Vec<_>>());
        let output = child.wait_with_output().unwrap();
        rest.join().unwrap();
        output
    }
}

/// Sends a signal by its name to one process.
pub(crate) fn signal(process: u32, name: &str) {
    assert!(Command::new("kill").args(["-s", name, &process.to_string()]).status().unwrap().success());
}

pub(crate) fn muster() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_muster"));
    command.env_remove("NO_COLOR");
    command
}

pub(crate) fn drill_file(drill: &str) -> PathBuf {
    if drill.contains('/') {
        return PathBuf::from(drill);
    }
    Path::new(env!("CARGO_MANIFEST_DIR")).join("drills").join(format!("{drill}.yaml"))
}

pub(crate) fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or_else(|| panic!("ended by a signal: {output:?}"))
}

pub(crate) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Whether this machine allows the ground; says so when it does not.
pub(crate) fn allows(ground: &str) -> bool {
    let output = muster().arg("run").arg(drill_file("database-down")).args(["--dry-run", "--ground", ground]).output();
    let output = output.unwrap();
    if !output.status.success() {
        eprintln!("left out: --ground {ground}: {}", said(&output));
    }
    output.status.success()
}

/// Where the first event that `wanted` picks stands.
pub(crate) fn place(events: &[Stamped], wanted: impl Fn(&Event) -> bool) -> usize {
    events.iter().position(|stamped| wanted(&stamped.event)).expect("there is such an event")
}
