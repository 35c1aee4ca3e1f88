//! How a clock that is somewhere else stands against the one here: pure.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{LabTime, seconds};

/// How a far clock stands against the one here, as one question and its answer tell it. Lab time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClockOffset {
    /// Seconds by which the far clock is ahead of the one here; negative: it is behind. Of two things that happen at once,
    /// what the far one stamps has the stamp that is larger by this.
    pub ahead: f64,
    /// How far off that may be, either way: half of the time between question and answer, in which the far clock was read
    /// at a moment that nobody here knows.
    #[serde(with = "seconds")]
    pub within: Duration,
}

impl ClockOffset {
    /// Out of a question that was asked and answered at these moments of the clock here, and what the far clock showed in
    /// between.
    #[must_use]
    pub fn read(asked: LabTime, shown: LabTime, answered: LabTime) -> Self {
        let within = answered.since(asked) / 2;
        let ahead = shown.as_secs_f64() - (asked + within).as_secs_f64();
        // As fine as the journal's stamps.
        Self { ahead: (ahead * 1e6).round() / 1e6, within }
    }

    /// How far apart the two may be at most.
    #[must_use]
    pub fn at_most(&self) -> Duration {
        Duration::try_from_secs_f64(self.ahead.abs()).unwrap_or_default() + self.within
    }
}

impl fmt::Display for ClockOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = if self.ahead < 0.0 { "behind" } else { "ahead of" };
        write!(f, "{:.1} ms {side} ours, ± {:.1} ms", self.ahead.abs() * 1e3, self.within.as_secs_f64() * 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> LabTime {
        LabTime::at(Duration::from_millis(millis))
    }

    #[test]
    fn a_clock_is_as_far_ahead_as_it_shows_more_than_the_middle_of_question_and_answer() {
        let ahead = ClockOffset::read(at(1000), at(1025), at(1020));
        assert_eq!(ahead, ClockOffset { ahead: 0.015, within: Duration::from_millis(10) });
        assert_eq!(ahead.at_most(), Duration::from_millis(25));
        assert_eq!(ahead.to_string(), "15.0 ms ahead of ours, ± 10.0 ms");
        let behind = ClockOffset::read(at(1000), at(998), at(1001));
        assert_eq!(behind.to_string(), "2.5 ms behind ours, ± 0.5 ms");
        assert_eq!(behind.at_most(), Duration::from_millis(3));
    }
}
