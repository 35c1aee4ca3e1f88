//! How nodes write to the journal.

use tokio::sync::mpsc;

use crate::clock::LabTime;
use crate::journal::event::{Event, Stamped};

use super::LabClock;

/// Stamps events with lab time and hands them to whoever keeps the journal.
#[derive(Clone, Debug)]
pub struct Recorder {
    clock: LabClock,
    sink: mpsc::UnboundedSender<Stamped>,
}

impl Recorder {
    /// A recorder that stamps by `clock` and sends to `sink`.
    #[must_use]
    pub fn new(clock: impl Into<LabClock>, sink: mpsc::UnboundedSender<Stamped>) -> Self {
        Self { clock: clock.into(), sink }
    }

    /// The moment that an event would be stamped with.
    #[must_use]
    pub fn now(&self) -> LabTime {
        self.clock.now()
    }

    /// Writes down what happened, now. After the end of a run nobody listens, and that is no error.
    pub fn record(&self, event: Event) {
        let _ = self.sink.send(Stamped { at: self.clock.now(), event });
    }
}
