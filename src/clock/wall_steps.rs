//! Whether somebody set the wall clock: pure.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::seconds;

/// What is no step: a clock that is disciplined runs up to 0.5 ms a second fast or slow (adjtimex(2)), and the two clocks
/// are read one after another.
const NO_STEP: Duration = Duration::from_millis(100);

/// A step of the wall clock, wall time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WallStep {
    /// It was set back, and not forward.
    pub back: bool,
    /// By how much; at least a tenth of a second.
    #[serde(with = "seconds")]
    pub by: Duration,
}

impl fmt::Display for WallStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let way = if self.back { "back" } else { "forward" };
        write!(f, "set {way} by {:.1} s", self.by.as_secs_f64())
    }
}

/// Watches a wall clock beside one that nobody sets.
#[derive(Clone, Copy, Debug)]
pub struct WallSteps {
    wall: Duration,
    monotonic: Duration,
}

impl WallSteps {
    /// Both clocks as they stand: the wall clock since its epoch, the other since whatever it counts from.
    #[must_use]
    pub const fn from(wall: Duration, monotonic: Duration) -> Self {
        Self { wall, monotonic }
    }

    /// Both clocks as they stand now; by how much the wall clock was set since the last look.
    pub fn look(&mut self, wall: Duration, monotonic: Duration) -> Option<WallStep> {
        let due = self.wall + monotonic.saturating_sub(self.monotonic);
        *self = Self { wall, monotonic };
        let by = wall.abs_diff(due);
        (by >= NO_STEP).then_some(WallStep { back: wall < due, by })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_clock_that_was_set_is_told_once_with_its_way_and_a_disciplined_one_never() {
        let mut steps = WallSteps::from(ms(1_000_000), ms(50));
        // Late looks, and half a millisecond a second too fast: as it should be.
        let (mut wall, mut monotonic) = (ms(1_000_000), ms(50));
        for took in [1000, 1003, 9000] {
            (wall, monotonic) = (wall + ms(took) + ms(took / 2000), monotonic + ms(took));
            assert_eq!(steps.look(wall, monotonic), None);
        }
        (wall, monotonic) = (wall + ms(4200), monotonic + ms(1000));
        assert_eq!(steps.look(wall, monotonic), Some(WallStep { back: false, by: ms(3200) }));
        (wall, monotonic) = (wall + ms(1000), monotonic + ms(1000));
        assert_eq!(steps.look(wall, monotonic), None);
        (wall, monotonic) = (wall.saturating_sub(ms(500)), monotonic + ms(1000));
        let back = steps.look(wall, monotonic).unwrap();
        assert_eq!(back, WallStep { back: true, by: ms(1500) });
        assert_eq!(back.to_string(), "set back by 1.5 s");
    }
}
