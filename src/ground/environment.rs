//! What every node of one lab shares. Nothing of the drill.

use super::{Ground, LabClock, Recorder};

/// What every node of one lab shares; cheap to clone.
#[derive(Clone, Debug)]
pub struct Environment {
    /// Where lab addresses are on this machine.
    pub ground: Ground,
    /// Lab time.
    pub clock: LabClock,
    /// Where events go.
    pub recorder: Recorder,
}
