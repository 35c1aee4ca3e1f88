//! How the clock of who observed stands against that of who led the run.

use std::time::Duration;

use crate::clock::ClockOffset;
use crate::journal::event::{Event, Stamped};

/// As the lab read it when it was ready; `None`: there is one clock, or the journal is from before it was written down.
pub(super) fn offset(events: &[Stamped]) -> Option<ClockOffset> {
    events.iter().find_map(|stamped| match stamped.event {
        Event::LabReady { clock, .. } => Some(clock),
        _ => None,
    })?
}

/// How far what was asked for and what was seen may be apart though they were at once. Lab time.
pub(super) fn apart(events: &[Stamped]) -> Duration {
    offset(events).map_or(Duration::ZERO, |offset| offset.at_most())
}
