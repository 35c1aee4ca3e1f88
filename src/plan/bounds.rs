//! What a stage may take.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::{optional_seconds, seconds};

/// What a stage may take: at best, and at worst. The default says nothing: any time, perhaps for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// At best.
    #[serde(with = "seconds")]
    pub best: Duration,
    /// At worst; `None`: never ends.
    #[serde(with = "optional_seconds")]
    pub worst: Option<Duration>,
}

impl Bounds {
    /// From `best` to `worst`.
    #[must_use]
    pub const fn between(best: Duration, worst: Duration) -> Self {
        Self { best, worst: Some(worst) }
    }

    /// At least `best`, perhaps for ever.
    #[must_use]
    pub const fn unbounded(best: Duration) -> Self {
        Self { best, worst: None }
    }

    /// One stage after the other.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        let worst = self.worst.zip(next.worst).map(|(a, b)| a.saturating_add(b));
        Self { best: self.best.saturating_add(next.best), worst }
    }
}
