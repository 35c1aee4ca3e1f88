//! What `--lab docker` stands on: the engine and its images, made before a run begins.

use std::time::Instant;

use rand::RngExt;

use crate::clock::LabTime;
use crate::images::Progress;
use crate::lab::Interrupts;
use crate::lab::docker::{Footing, FootingError};
use crate::plan::Plan;
use crate::report::Display;
use crate::report::progress::Line;

/// Reaches the engine and has the images that the plan needs; `None` when a signal came first. `keep`: the lab is left
/// standing.
///
/// # Errors
/// When there is no engine, or an image cannot be built.
pub(super) fn make(plan: &Plan, keep: bool, display: &Display) -> Result<Option<Footing>, FootingError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(crate::images::ImagesError::from)?;
    let start = Instant::now();
    let tell = |progress: Progress<'_>| match progress {
        Progress::Line(text) => display.show(&[Line { at: LabTime::at(start.elapsed()), text: text.to_owned() }]),
        Progress::Awaits(text) => display.await_for(text),
    };
    let run = format!("{:08x}", rand::rng().random::<u32>());
    let made = runtime.block_on(async {
        let mut interrupts = Interrupts::catch().map_err(crate::images::ImagesError::from)?;
        tokio::select! {
            made = Footing::make(plan, run, keep, &tell) => made.map(Some),
            _ = interrupts.next() => Ok(None),
        }
    });
    display.finish();
    made
}
