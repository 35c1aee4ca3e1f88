//! Where every node that evaluates a Route 53 health check shows the status: on the board that decisions read, and in
//! the journal. How the status came about is not its matter.

use crate::ground::Recorder;
use crate::journal::event::{Event, Signal};
use crate::zone::HealthCheckId;

use super::authoritative::SharedEvidence;

/// Shows statuses; cheap to clone.
#[derive(Clone, Debug)]
pub struct StatusBoard {
    evidence: SharedEvidence,
    recorder: Recorder,
}

impl StatusBoard {
    /// Shows on `evidence`, and records what turned.
    #[must_use]
    pub const fn new(evidence: SharedEvidence, recorder: Recorder) -> Self {
        Self { evidence, recorder }
    }

    /// A health check has this status, for this reason. If that turns it, or a calculated check that counts it, each
    /// turn is recorded; a repetition is not.
    pub fn set(&self, id: &HealthCheckId, healthy: bool, reason: &str) {
        let turned = self.evidence.borrow_mut().set_health_check(id.clone(), healthy);
        if turned {
            let signal = Signal::HealthCheck { id: id.to_string() };
            self.recorder.record(Event::HealthChanged { signal, healthy, reason: reason.to_owned() });
        }
    }
}
