//! A message queue and the one metric that is drawn from it (R53-202 to R53-206).

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::seconds;

/// How a queue publishes its metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueSettings {
    /// It publishes for so long after it last held a message or was asked for one; 6 h (R53-202).
    #[serde(with = "seconds")]
    pub active_for: Duration,
    /// A queue that was inactive publishes again within this from being used; 15 min (R53-202).
    #[serde(with = "seconds")]
    pub wakes_within: Duration,
}
