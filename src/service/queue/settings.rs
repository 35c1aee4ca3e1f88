//! What a queue is set to, and what follows from it for whoever waits for its metric.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::seconds;

use super::QUEUE_PUBLISHES_EVERY;

/// How a queue publishes its metrics, and when it gives up a message, or itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueSettings {
    /// It publishes for so long after it last held a message or was asked for one; 6 h (R53-202).
    #[serde(with = "seconds")]
    pub active_for: Duration,
    /// A queue that was inactive publishes again within this from being used; 15 min (R53-202).
    #[serde(with = "seconds")]
    pub wakes_within: Duration,
    /// A queue that nobody has used for so long is deleted, with all that it holds; 30 days (Amazon SQS API Reference,
    /// `DeleteQueue`), minutes where a client sweeps idle queues (Amazon SQS Developer Guide, "Temporary queues").
    #[serde(with = "seconds")]
    pub deleted_when_idle_for: Duration,
    /// `maxReceiveCount`: a message that was received so often, and not deleted, goes to the dead-letter queue instead of
    /// to its next receiver. `None`: there is no dead-letter queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dead_letter_after: Option<u32>,
}

impl Default for QueueSettings {
    /// Those of Amazon SQS (R53-202), without a dead-letter queue.
    fn default() -> Self {
        Self {
            active_for: Duration::from_hours(6),
            wakes_within: Duration::from_mins(15),
            deleted_when_idle_for: Duration::from_hours(30 * 24),
            dead_letter_after: None,
        }
    }
}

impl QueueSettings {
    /// From the last use of an empty queue to the last datapoint of its metric, best and worst.
    #[must_use]
    pub fn falls_silent_within(&self) -> (Duration, Duration) {
        let published_for = self.active_for.min(self.deleted_when_idle_for);
        (published_for.saturating_sub(QUEUE_PUBLISHES_EVERY), published_for)
    }

    /// From the first use of an inactive queue, or of one that was deleted, to the first datapoint of its metric, best
    /// and worst.
    #[must_use]
    pub const fn speaks_again_within(&self) -> (Duration, Duration) {
        (Duration::ZERO, self.wakes_within.saturating_add(QUEUE_PUBLISHES_EVERY))
    }
}
