//! A status that turns only after enough consecutive opposite results: a checker's view, a target, a node.
//!
//! It counts results and knows nothing of time.

/// A status and how many results in a row have spoken against it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Streak {
    healthy: bool,
    opposite: u32,
    fails_to_turn: u32,
    passes_to_turn: u32,
    agreement_resets: bool,
}

impl Streak {
    /// Starts with the status `healthy`. A threshold of 0 acts as 1: no status turns without a result.
    pub(super) const fn new(healthy: bool, fails_to_turn: u32, passes_to_turn: u32) -> Self {
        Self { healthy, opposite: 0, fails_to_turn, passes_to_turn, agreement_resets: true }
    }

    /// The same, but a result that agrees with the status does not reset the count.
    pub(super) const fn counting_on(mut self) -> Self {
        self.agreement_resets = false;
        self
    }

    /// The status now.
    pub(super) const fn is_healthy(self) -> bool {
        self.healthy
    }

    /// Counts one result; the new status if this turned it. A result that agrees with the status resets the count.
    pub(super) fn count(&mut self, passed: bool) -> Option<bool> {
        if passed == self.healthy {
            if self.agreement_resets {
                self.opposite = 0;
            }
            return None;
        }
        self.opposite += 1;
        let needed = if self.healthy { self.fails_to_turn } else { self.passes_to_turn };
        if self.opposite < needed {
            return None;
        }
        self.healthy = passed;
        self.opposite = 0;
        Some(passed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_turns_at_the_threshold_of_its_direction() {
        let mut streak = Streak::new(true, 2, 3);
        assert_eq!([streak.count(false), streak.count(false)], [None, Some(false)]);
        assert_eq!([streak.count(true), streak.count(true), streak.count(true)], [None, None, Some(true)]);
        assert_eq!(streak.count(false), None, "the count starts anew after a turn");
    }

    #[test]
    fn one_agreeing_result_resets_the_count() {
        let mut streak = Streak::new(true, 2, 2);
        for passed in [false, true, false, true, false] {
            assert_eq!(streak.count(passed), None);
        }
        assert_eq!(streak.count(false), Some(false));
    }

    #[test]
    fn a_threshold_of_zero_acts_as_one() {
        let mut streak = Streak::new(true, 0, 0);
        assert_eq!(streak.count(true), None);
        assert_eq!(streak.count(false), Some(false));
    }
}
