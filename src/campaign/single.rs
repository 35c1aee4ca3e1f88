//! A single drill in a process of its own, for whoever wants its verdict and is no campaign.

use std::path::Path;
use std::pin::pin;
use std::time::Duration;

use tokio::process::Command;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::journal::Reading;
use crate::plan::Plan;
use crate::report::folder;
use crate::verdict::{ExitCode, judge};

use super::child::{self, Ended, How, Limits, Runner};
use super::supervise::limits;
use super::told;

/// So often whoever waits for a drill looks whether it is to stop. Wall time.
const LOOKS_EVERY: Duration = Duration::from_millis(50);

/// Runs a drill and waits for its end; its journal, which says how the run ended. As soon as `is_to_stop` the drill is
/// told so, and heals. `None`: then it had not begun yet.
///
/// # Errors
/// In words, when it left no journal, or one that does not say what its process said. Then nothing is said of the drill.
pub fn run_alone(
    runner: &Runner,
    file: &Path,
    plan: &Plan,
    is_to_stop: impl Fn() -> bool,
) -> Result<Option<Reading>, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("no runtime for the drill's process: {error}"))?;
    let command = runner.command(file, plan.seed);
    let ended = runtime.block_on(until_told(command, limits(plan, runner), is_to_stop));
    let said = if ended.said.is_empty() { String::new() } else { format!(": {}", ended.said) };
    let (code, trouble) = told::code(&ended);
    let folders = folder::of_drill(&runner.folder, &plan.drill);
    let last = match (trouble, folders.last()) {
        (Some(_), _) | (_, None) if matches!(ended.how, How::Stopped(Ok(_))) => return Ok(None),
        (Some(trouble), _) => return Err(trouble + &said),
        (None, None) => return Err(format!("exit code {}, and it left no folder{said}", code.number())),
        (None, Some(last)) => last,
    };
    let reading = crate::journal::read(&last.join(folder::JOURNAL)).map_err(|error| error.to_string())?;
    let outcome = judge(&reading.events).map_err(|error| error.to_string())?.outcome;
    if ExitCode::from(outcome) == code {
        return Ok(Some(reading));
    }
    Err(format!("exit code {}, and its journal says: {outcome}{said}", code.number()))
}

async fn until_told(command: Command, limits: Limits, is_to_stop: impl Fn() -> bool) -> Ended {
    let (stop, stopping) = watch::channel(false);
    let mut run = pin!(child::run(command, limits, stopping));
    loop {
        tokio::select! {
            ended = &mut run => return ended,
            () = sleep(LOOKS_EVERY), if !*stop.borrow() => drop(stop.send_replace(is_to_stop())),
        }
    }
}
