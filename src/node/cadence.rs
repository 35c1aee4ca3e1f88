//! When something that is done again and again is due. Computed from the first time, so that no lateness adds up.

use std::time::Duration;

use crate::clock::LabTime;

/// Due at `first`, and at each whole multiple of `every` (above zero) after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cadence {
    /// The first time.
    pub first: LabTime,
    /// From one time to the next.
    pub every: Duration,
}

impl Cadence {
    /// The first time that is due after `now`. What was due and is past is skipped, not made up for.
    #[must_use]
    pub fn next_after(self, now: LabTime) -> LabTime {
        if now < self.first {
            return self.first;
        }
        let every = self.every.as_nanos().max(1);
        let next = (now.since(self.first).as_nanos() / every + 1).saturating_mul(every);
        self.first + Duration::from_nanos(u64::try_from(next).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERY_TWO: Cadence = Cadence { first: LabTime::secs(5), every: Duration::from_secs(2) };

    #[test]
    fn a_late_wake_up_does_not_shift_the_ones_after_it() {
        let late = LabTime::at(Duration::from_millis(7_300));
        assert_eq!(EVERY_TWO.next_after(late), LabTime::secs(9));
    }

    #[test]
    fn what_took_longer_than_the_cadence_skips_ticks() {
        assert_eq!(EVERY_TWO.next_after(LabTime::secs(12)), LabTime::secs(13));
    }

    #[test]
    fn a_tick_is_not_given_twice() {
        assert_eq!(EVERY_TWO.next_after(LabTime::START), LabTime::secs(5));
        assert_eq!(EVERY_TWO.next_after(LabTime::secs(5)), LabTime::secs(7));
    }
}
