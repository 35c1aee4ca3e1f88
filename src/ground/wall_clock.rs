//! Lab time read off the wall clock, at a speed.

use std::future::Future;
use std::time::{Duration, Instant};

use crate::clock::{LabTime, Speed};

/// A clock that was started once and is shared by every node of a lab.
#[derive(Clone, Copy, Debug)]
pub struct WallClock {
    started: Instant,
    speed: Speed,
}

/// The time was up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no end within {0:?} of lab time")]
pub struct TimedOut(pub Duration);

impl WallClock {
    /// Lab time 0 is now.
    #[must_use]
    pub fn start(speed: Speed) -> Self {
        Self { started: Instant::now(), speed }
    }

    /// Lab time 0 was this long ago, in wall time.
    #[must_use]
    pub fn started(ago: Duration, speed: Speed) -> Self {
        let now = Instant::now();
        // Before the machine's own start there is nothing; a clock that is handed over is younger.
        Self { started: now.checked_sub(ago).unwrap_or(now), speed }
    }

    /// How long ago lab time 0 was, in wall time.
    #[must_use]
    pub fn running(&self) -> Duration {
        self.started.elapsed()
    }

    /// Lab seconds per wall second.
    #[must_use]
    pub const fn speed(&self) -> Speed {
        self.speed
    }

    /// The moment of lab time that it is now.
    #[must_use]
    pub fn now(&self) -> LabTime {
        LabTime::at(self.speed.to_lab(self.started.elapsed()))
    }

    /// Waits until `moment`; how late it woke up, in wall time.
    pub async fn sleep_until(&self, moment: LabTime) -> Duration {
        let due = self.started + self.speed.to_wall(moment.since_start());
        tokio::time::sleep_until(due.into()).await;
        due.elapsed()
    }

    /// Waits for `future`, at most `limit` of lab time.
    ///
    /// # Errors
    /// When the time was up first.
    pub async fn within<F: Future>(&self, limit: Duration, future: F) -> Result<F::Output, TimedOut> {
        tokio::time::timeout(self.speed.to_wall(limit), future).await.map_err(|_| TimedOut(limit))
    }
}
