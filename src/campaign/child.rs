//! One drill as a process of its own: muster, run by muster. Started, told to stop, waited for; always bounded.
//!
//! A child is the leader of its own process group, so that the terminal's ctrl-C reaches the campaign alone: a run that
//! is told twice to stop does not wait for its undo to be seen.

use std::io;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, Command};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::clock::Speed;
use crate::ground::GroundKind;
use crate::lab::docker;
use crate::plan::Plan;

use super::parent::PARENT;

/// A run that was told to stop heals within this, or is killed; only its namespace is left then, and the kernel takes that
/// away with the process. Wall time. Of a lab of containers see [`Runner::heals_within`].
const HEALS_WITHIN: Duration = Duration::from_secs(10);
/// Standard error is closed with the process; what somebody else holds open is not waited for. Wall time.
const LAST_WORDS_WITHIN: Duration = Duration::from_secs(1);
/// Bytes of what a child said last.
const LAST_WORDS: usize = 4096;

/// How long a process may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    /// In all. Wall time.
    pub(super) whole: Duration,
    /// From being told to stop until its end. Wall time.
    pub(super) heals: Duration,
}

/// How each drill of a campaign is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Runner {
    /// muster itself.
    pub program: PathBuf,
    /// The campaign's folder, which gets a folder for each run.
    pub folder: PathBuf,
    /// Lab seconds per wall second; worked out for each drill when missing.
    pub speed: Option<Speed>,
    /// What labs stand on; each finds out for itself when missing.
    pub ground: Option<GroundKind>,
    /// The fault is left out.
    pub control: bool,
}

impl Runner {
    /// How long a run that is told to stop may take before it is killed. Containers do not go with their process: so it
    /// is given the time to see its undo, and to take them down. Wall time.
    #[must_use]
    pub fn heals_within(&self, plan: &Plan) -> Duration {
        match self.ground {
            Some(GroundKind::Container) => {
                HEALS_WITHIN + plan.speed.to_wall(plan.schedule.confirm_within) + docker::STOPS_WITHIN
            }
            _ => HEALS_WITHIN,
        }
    }

    /// The command that runs one drill.
    pub(super) fn command(&self, file: &Path, seed: u64) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["run", "--quiet", "--json", "--seed", &seed.to_string(), "--out"]).arg(&self.folder);
        if let Some(speed) = self.speed {
            command.args(["--speed", &speed.factor().to_string()]);
        }
        match self.ground {
            Some(GroundKind::Simulated) => drop(command.args(["--lab", "virtual"])),
            Some(GroundKind::Container) => drop(command.args(["--lab", "docker"])),
            Some(ground) => drop(command.args(["--ground", &ground.to_string()])),
            None => {}
        }
        if self.control {
            command.arg("--control");
        }
        // A file's name may begin with a dash.
        command.arg("--").arg(file);
        // What a run says is in its folder; standard error has what went wrong beside that.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command.env(PARENT, std::process::id().to_string());
        command.kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        command
    }
}

/// A process that is over.
#[derive(Debug)]
pub(super) struct Ended {
    /// How it ended.
    pub(super) how: How,
    /// The end of what it wrote to standard error.
    pub(super) said: String,
    /// Wall time.
    pub(super) took: Duration,
}

/// How a process ended.
#[derive(Debug)]
pub(super) enum How {
    /// It could not be started, or not be waited for.
    Lost(io::Error),
    /// By itself.
    Exited(ExitStatus),
    /// After it had been told to stop; or it did not within so long, and was killed.
    Stopped(Result<ExitStatus, Duration>),
    /// It took longer than it may, in wall time, and was stopped.
    Overdue(Duration),
}

/// Runs a command until it ends, `stopping` turns true, or its time is over.
pub(super) async fn run(mut command: Command, limits: Limits, stopping: watch::Receiver<bool>) -> Ended {
    let started = Instant::now();
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Ended { how: How::Lost(error), said: String::new(), took: started.elapsed() },
    };
    let stderr = child.stderr.take();
    let mut words = pin!(last_words(stderr));
    let mut said = None;
    let how = {
        let mut end = pin!(end(&mut child, limits, stopping));
        loop {
            tokio::select! {
                how = &mut end => break how,
                // Read all the time, so that the child never waits for a reader.
                text = &mut words, if said.is_none() => said = Some(text),
            }
        }
    };
    let said = match said {
        Some(said) => said,
        None => timeout(LAST_WORDS_WITHIN, words).await.unwrap_or_default(),
    };
    Ended { how, said, took: started.elapsed() }
}

async fn end(child: &mut Child, limits: Limits, mut stopping: watch::Receiver<bool>) -> How {
    let overdue = tokio::select! {
        status = child.wait() => return status.map_or_else(How::Lost, How::Exited),
        _ = stopping.wait_for(|stop| *stop) => false,
        () = sleep(limits.whole) => true,
    };
    ask_to_stop(child);
    let waited = timeout(limits.heals, child.wait()).await;
    if waited.is_err() {
        let _ = timeout(LAST_WORDS_WITHIN, child.kill()).await;
    }
    match waited {
        _ if overdue => How::Overdue(limits.whole),
        Ok(Ok(status)) => How::Stopped(Ok(status)),
        Ok(Err(_)) | Err(_) => How::Stopped(Err(limits.heals)),
    }
}

/// One SIGTERM: the child heals what it broke, and ends.
#[cfg(unix)]
fn ask_to_stop(child: &Child) {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    // There is an id until the child was waited for, and so long the system gives it to nobody else.
    if let Some(id) = child.id().and_then(|id| i32::try_from(id).ok()) {
        // It may have ended in this moment; then there is nothing to heal.
        let _ = kill(Pid::from_raw(id), Signal::SIGTERM);
    }
}

/// There is no signal to ask with.
#[cfg(not(unix))]
fn ask_to_stop(_: &Child) {}

async fn last_words(stderr: Option<ChildStderr>) -> String {
    let Some(mut stderr) = stderr else { return String::new() };
    let mut kept = Vec::new();
    let mut read = [0; 1024];
    while let Ok(count @ 1..) = stderr.read(&mut read).await {
        kept.extend_from_slice(&read[..count]);
        kept.drain(..kept.len().saturating_sub(LAST_WORDS));
    }
    String::from_utf8_lossy(&kept).trim().to_owned()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.kill_on_drop(true);
        command
    }

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(future)
    }

    const LONG: Limits = Limits { whole: Duration::from_secs(60), heals: HEALS_WITHIN };

    #[test]
    fn the_last_words_and_the_exit_code_are_kept() {
        let (_stop, stopping) = watch::channel(false);
        let script = "i=0; while [ $i -lt 2000 ]; do echo line $i >&2; i=$((i+1)); done; exit 5";
        let ended = block_on(run(sh(script), LONG, stopping));
        assert!(matches!(ended.how, How::Exited(status) if status.code() == Some(5)), "{ended:?}");
        assert!(ended.said.ends_with("line 1999") && ended.said.len() <= LAST_WORDS, "{}", ended.said);
    }

    #[test]
    fn who_is_told_to_stop_is_waited_for() {
        let (stop, stopping) = watch::channel(false);
        stop.send(true).unwrap();
        // The trap may come after the signal: then the signal itself ends the shell.
        let script = "trap 'echo told >&2; exit 130' TERM; while :; do sleep 0.02; done";
        let ended = block_on(run(sh(script), LONG, stopping));
        let How::Stopped(Ok(status)) = ended.how else { panic!("{ended:?}") };
        assert!(
            status.code() == Some(130) && ended.said == "told" || status.code().is_none(),
            "{status} {}",
            ended.said
        );
    }

    #[test]
    fn who_does_not_stop_is_killed_when_its_time_to_heal_is_over() {
        let (stop, stopping) = watch::channel(false);
        let heals = Duration::from_millis(300);
        let folder = tempfile::tempdir().unwrap();
        let deaf = folder.path().join("deaf");
        let script = format!("trap '' TERM; : > {}; while :; do sleep 0.02; done", deaf.display());
        let ended = block_on(async {
            let mut run = pin!(run(sh(&script), Limits { heals, ..LONG }, stopping));
            while !deaf.exists() {
                let _ = timeout(Duration::from_millis(10), &mut run).await;
            }
            stop.send(true).unwrap();
            run.await
        });
        assert!(matches!(ended.how, How::Stopped(Err(limit)) if limit == heals), "{ended:?}");
    }

    #[test]
    fn a_lab_of_containers_is_given_the_time_to_be_taken_down() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("drills/database-down.yaml");
        let plan = crate::drill::load(&path).unwrap().plan(crate::drill::PlanOptions::default());
        let within = |ground| {
            let (program, folder) = ("muster".into(), "reports/q".into());
            Runner { program, folder, speed: None, ground, control: false }.heals_within(&plan)
        };
        assert_eq!(within(None), HEALS_WITHIN);
        assert_eq!(within(Some(GroundKind::Loopback)), HEALS_WITHIN);
        let sees_its_undo = plan.speed.to_wall(plan.schedule.confirm_within);
        assert!(within(Some(GroundKind::Container)) > sees_its_undo + docker::STOPS_WITHIN);
    }

    #[test]
    fn who_takes_too_long_is_stopped() {
        let (_stop, stopping) = watch::channel(false);
        let ended = block_on(run(sh("exec sleep 60"), Limits { whole: Duration::from_millis(1), ..LONG }, stopping));
        assert!(matches!(ended.how, How::Overdue(limit) if limit == Duration::from_millis(1)), "{ended:?}");
    }

    #[test]
    fn a_program_that_is_not_there_is_no_panic() {
        let (_stop, stopping) = watch::channel(false);
        let ended = block_on(run(Command::new("/no/such/program"), LONG, stopping));
        assert!(matches!(ended.how, How::Lost(_)), "{ended:?}");
    }

    #[test]
    fn a_drill_is_run_with_what_the_campaign_was_told() {
        let runner = Runner {
            program: "muster".into(),
            folder: "reports/q".into(),
            speed: Some(Speed::new(17.5).unwrap()),
            ground: Some(GroundKind::Loopback),
            control: true,
        };
        let command = runner.command(Path::new("-a.yaml"), 7);
        let words: Vec<_> = command.as_std().get_args().map(|word| word.to_str().unwrap()).collect();
        let expected =
            "run --quiet --json --seed 7 --out reports/q --speed 17.5 --ground loopback --control -- -a.yaml";
        assert_eq!(words.join(" "), expected);
    }

    #[test]
    fn a_campaign_of_the_virtual_lab_runs_each_drill_there() {
        let (program, folder) = ("muster".into(), "reports/q".into());
        let ground = Some(GroundKind::Simulated);
        let runner = Runner { program, folder, speed: None, ground, control: false };
        let command = runner.command(Path::new("a.yaml"), 7);
        let words: Vec<_> = command.as_std().get_args().map(|word| word.to_str().unwrap()).collect();
        assert_eq!(words.join(" "), "run --quiet --json --seed 7 --out reports/q --lab virtual -- a.yaml");
    }
}
