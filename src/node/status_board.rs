//! placeholder
use crate::ground::Recorder;
use crate::journal::event::{Event, Signal};
use crate::zone::HealthCheckId;
use super::authoritative::SharedEvidence;
/// placeholder
#[derive(Clone, Debug)]
pub struct StatusBoard { pub evidence: SharedEvidence, pub recorder: Recorder }
impl StatusBoard {
    /// placeholder
    pub fn show(&self, id: &HealthCheckId, healthy: bool, reason: String) {
        let mut own = Some(reason);
        let changes = self.evidence.borrow_mut().set_health_check(id.clone(), healthy);
        for change in changes {
            let reason = own.take().unwrap_or(change.reason);
            let signal = Signal::HealthCheck { id: change.id.to_string() };
            self.recorder.record(Event::HealthChanged { signal, healthy: change.healthy, reason });
        }
    }
}
