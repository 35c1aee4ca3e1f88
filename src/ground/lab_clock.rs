//! Lab time, off the wall clock or simulated: what nodes read and wait by, whichever lab they are in.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};

use crate::clock::{LabTime, Speed};

use super::{SimulatedClock, TimedOut, WallClock};

/// The clock of a lab; cheap to clone, and every clone is the same clock.
#[derive(Clone, Debug)]
pub enum LabClock {
    /// Time passes by itself.
    Wall(WallClock),
    /// Time passes when everybody waits.
    Simulated(SimulatedClock),
}

impl LabClock {
    /// Lab seconds per wall second. Simulated time has none; it counts as real time.
    #[must_use]
    pub const fn speed(&self) -> Speed {
        match self {
            Self::Wall(clock) => clock.speed(),
            Self::Simulated(_) => Speed::REAL,
        }
    }

    /// The moment of lab time that it is now.
    #[must_use]
    pub fn now(&self) -> LabTime {
        match self {
            Self::Wall(clock) => clock.now(),
            Self::Simulated(clock) => clock.now(),
        }
    }

    /// Waits until `moment`; how late it woke up, in wall time.
    pub async fn sleep_until(&self, moment: LabTime) -> Duration {
        match self {
            Self::Wall(clock) => clock.sleep_until(moment).await,
            Self::Simulated(clock) => {
                clock.sleep_until(moment).await;
                Duration::ZERO
            }
        }
    }

    /// Waits for `future`, at most `limit` of lab time.
    ///
    /// # Errors
    /// When the time was up first.
    pub async fn within<F: Future>(&self, limit: Duration, future: F) -> Result<F::Output, TimedOut> {
        let mut future = pin!(future);
        match self {
            Self::Wall(clock) => clock.within(limit, future.as_mut()).await,
            Self::Simulated(clock) => {
                let limited = clock.sleep_until(clock.now() + limit);
                match select(future.as_mut(), pin!(limited)).await {
                    Either::Left((done, _)) => Ok(done),
                    Either::Right(_) => Err(TimedOut(limit)),
                }
            }
        }
    }
}

impl From<WallClock> for LabClock {
    fn from(clock: WallClock) -> Self {
        Self::Wall(clock)
    }
}

impl From<SimulatedClock> for LabClock {
    fn from(clock: SimulatedClock) -> Self {
        Self::Simulated(clock)
    }
}
