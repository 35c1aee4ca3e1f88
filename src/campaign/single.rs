//! A single drill in a process of its own, for whoever wants its verdict and is no campaign.

use std::path::Path;

use tokio::sync::watch;

use crate::journal::Reading;
use crate::plan::Plan;
use crate::report::folder;
use crate::verdict::{ExitCode, judge};

use super::child::{self, Runner};
use super::supervise::longest;
use super::told;

/// Runs a drill and waits for its end; its journal, which says how the run ended.
///
/// # Errors
/// In words, when it left no journal, or one that does not say what its process said. Then nothing is said of the drill.
pub fn run_alone(runner: &Runner, file: &Path, plan: &Plan) -> Result<Reading, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("no runtime for the drill's process: {error}"))?;
    // Nobody tells it to stop: the sender lives as long as the run.
    let (_stop, stopping) = watch::channel(false);
    let mut command = runner.command(file, plan.seed);
    // Whoever stops this process by the terminal stops that one, too.
    #[cfg(unix)]
    command.process_group(nix::unistd::getpgrp().as_raw());
    let ended = runtime.block_on(async { child::run(command, longest(plan), stopping).await });
    let said = if ended.said.is_empty() { String::new() } else { format!(": {}", ended.said) };
    let (code, trouble) = told::code(&ended);
    if let Some(trouble) = trouble {
        return Err(trouble + &said);
    }
    let folders = folder::of_drill(&runner.folder, &plan.drill);
    let Some(last) = folders.last() else {
        return Err(format!("exit code {}, and it left no folder{said}", code.number()));
    };
    let reading = crate::journal::read(&last.join(folder::JOURNAL)).map_err(|error| error.to_string())?;
    let outcome = judge(&reading.events).map_err(|error| error.to_string())?.outcome;
    if ExitCode::from(outcome) == code {
        return Ok(reading);
    }
    Err(format!("exit code {}, and its journal says: {outcome}{said}", code.number()))
}
