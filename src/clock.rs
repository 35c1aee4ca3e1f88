//! Lab time, and how fast it runs against the wall clock.
//!
//! Every duration a person writes or reads is lab time. This module has no clock of its own: it only converts.

mod offset;
mod wall_steps;

use std::fmt;
use std::ops::{Add, Sub};
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use offset::ClockOffset;
pub use wall_steps::{WallStep, WallSteps};

/// A moment of lab time, counted from the lab's start.
///
/// Serialized as seconds with microsecond resolution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LabTime(Duration);

impl LabTime {
    /// The lab's start.
    pub const START: Self = Self(Duration::ZERO);

    /// The moment `since_start` after the lab's start.
    #[must_use]
    pub const fn at(since_start: Duration) -> Self {
        Self(since_start)
    }

    /// The moment `seconds` after the lab's start.
    #[must_use]
    pub const fn secs(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }

    /// How long after the lab's start this is.
    #[must_use]
    pub const fn since_start(self) -> Duration {
        self.0
    }

    /// How long after `earlier` this is; zero when `earlier` is in fact later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// Seconds since the lab's start.
    #[must_use]
    pub const fn as_secs_f64(self) -> f64 {
        self.0.as_secs_f64()
    }
}

impl Add<Duration> for LabTime {
    type Output = Self;
    fn add(self, later: Duration) -> Self {
        Self(self.0.saturating_add(later))
    }
}

impl Sub<Duration> for LabTime {
    type Output = Self;
    fn sub(self, earlier: Duration) -> Self {
        Self(self.0.saturating_sub(earlier))
    }
}

impl fmt::Display for LabTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}s", self.0.as_secs_f64())
    }
}

impl Serialize for LabTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        seconds::serialize(&self.0, serializer)
    }
}

impl<'de> Deserialize<'de> for LabTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        seconds::deserialize(deserializer).map(Self)
    }
}

/// Lab seconds per wall second; finite and above zero.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Speed(f64);

/// A speed that is no speed.
#[derive(Debug, thiserror::Error)]
#[error("this speed is not usable: expected lab seconds per wall second, 0.01 to 1000")]
pub struct SpeedError(f64);

impl Speed {
    /// One lab second takes one wall second.
    pub const REAL: Self = Self(1.0);
    /// The fastest that is accepted, lab seconds per wall second.
    pub const FASTEST: f64 = 1000.0;
    /// The slowest that is accepted, lab seconds per wall second.
    pub const SLOWEST: f64 = 0.01;

    /// # Errors
    /// When the factor is no number from [`Speed::SLOWEST`] to [`Speed::FASTEST`].
    pub fn new(factor: f64) -> Result<Self, SpeedError> {
        if (Self::SLOWEST..=Self::FASTEST).contains(&factor) { Ok(Self(factor)) } else { Err(SpeedError(factor)) }
    }

    /// Lab seconds per wall second.
    #[must_use]
    pub const fn factor(self) -> f64 {
        self.0
    }

    /// How long `lab` takes on the wall clock.
    #[must_use]
    pub fn to_wall(self, lab: Duration) -> Duration {
        Duration::try_from_secs_f64(lab.as_secs_f64() / self.0).unwrap_or(Duration::MAX)
    }

    /// How much lab time passes in `wall`.
    #[must_use]
    pub fn to_lab(self, wall: Duration) -> Duration {
        Duration::try_from_secs_f64(wall.as_secs_f64() * self.0).unwrap_or(Duration::MAX)
    }
}

impl TryFrom<f64> for Speed {
    type Error = SpeedError;
    fn try_from(factor: f64) -> Result<Self, SpeedError> {
        Self::new(factor)
    }
}

impl From<Speed> for f64 {
    fn from(speed: Speed) -> Self {
        speed.0
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x", self.0)
    }
}

/// `Duration` in the journal: seconds, with microsecond resolution. For `#[serde(with = "crate::clock::seconds")]`.
pub mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// # Errors
    /// When the serializer fails.
    pub fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        #[expect(clippy::cast_precision_loss, reason = "microseconds of a run stay far below 2^53")]
        let micros = duration.as_micros() as f64;
        (micros / 1e6).serialize(serializer)
    }

    /// # Errors
    /// When the value is no number of seconds that a duration can hold.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        let seconds = f64::deserialize(deserializer)?;
        Duration::try_from_secs_f64(seconds)
            .map(|exact| Duration::from_micros(u64::try_from((exact.as_nanos() + 500) / 1000).unwrap_or(u64::MAX)))
            .map_err(serde::de::Error::custom)
    }
}

/// Lab seconds that may be missing.
pub mod optional_seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Seconds(#[serde(with = "super::seconds")] Duration);

    /// # Errors
    /// When the serializer fails.
    pub fn serialize<S: Serializer>(duration: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
        duration.map(Seconds).serialize(serializer)
    }

    /// # Errors
    /// When the value is neither missing nor a number of seconds that a duration can hold.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
        Ok(Option::<Seconds>::deserialize(deserializer)?.map(|seconds| seconds.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_survives_the_journal_to_the_microsecond() {
        let moment = LabTime::at(Duration::from_micros(90_123_457));
        let text = serde_json::to_string(&moment).unwrap();
        assert_eq!(text, "90.123457");
        assert_eq!(serde_json::from_str::<LabTime>(&text).unwrap(), moment);
    }

    #[test]
    fn a_speed_of_twenty_shrinks_a_minute_to_three_seconds() {
        let speed = Speed::new(20.0).unwrap();
        assert_eq!(speed.to_wall(Duration::from_secs(60)), Duration::from_secs(3));
        assert_eq!(speed.to_lab(Duration::from_secs(3)), Duration::from_secs(60));
    }

    #[test]
    fn a_speed_out_of_bounds_is_refused() {
        for factor in [0.0, 1e-300, 0.009, -1.0, f64::NAN, f64::INFINITY, 1000.1] {
            assert!(Speed::new(factor).is_err(), "{factor} was accepted");
        }
    }
}
