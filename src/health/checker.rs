//! One of Route 53's health checkers: its own view of an endpoint (R53-121, R53-122).
//!
//! It decides when to probe and what to make of the results. It never probes, and knows no other checker.

use std::time::Duration;

use rand::Rng;

use crate::clock::LabTime;

use super::cadence::{Cadence, Rhythm};
use super::streak::Streak;

/// One checker. It starts with a healthy view (R53-103).
#[derive(Clone, Copy, Debug)]
pub struct Checker {
    rhythm: Rhythm,
    view: Streak,
    has_reported: bool,
}

impl Checker {
    /// Probes first at `first`, then `interval` after each response; `threshold` consecutive opposite results turn
    /// its view, both ways (R53-122).
    #[must_use]
    pub const fn new(first: LabTime, interval: Duration, threshold: u32) -> Self {
        Self::with(Rhythm::new(Cadence::EndToStart(interval), first), threshold)
    }

    /// The same, with the first probe drawn over the interval that begins at `start`.
    #[must_use]
    pub fn drawn(start: LabTime, interval: Duration, threshold: u32, rng: &mut impl Rng) -> Self {
        Self::with(Rhythm::drawn(Cadence::EndToStart(interval), start, rng), threshold)
    }

    const fn with(rhythm: Rhythm, threshold: u32) -> Self {
        Self { rhythm, view: Streak::new(true, threshold, threshold), has_reported: false }
    }

    /// The same, but no result that agrees with its view resets the count of opposite ones.
    #[must_use]
    pub const fn counting_on(mut self) -> Self {
        self.view = self.view.counting_on();
        self
    }

    /// When the next probe is due; `None` while one is in flight.
    #[must_use]
    pub const fn next_wakeup(&self) -> Option<LabTime> {
        self.rhythm.next_wakeup()
    }

    /// Starts the probe if it is due; whether it was.
    pub fn start_if_due(&mut self, now: LabTime) -> bool {
        self.rhythm.start_if_due(now)
    }

    /// A probe starts now, due or not. Nothing happens while one is in flight.
    pub fn start(&mut self, now: LabTime) {
        self.rhythm.start(now);
    }

    /// It goes on at `now`, after a time in which nobody asked it to probe: at its own phase, with the view it had.
    pub fn resume(&mut self, now: LabTime) {
        self.rhythm.resume(now);
    }

    /// The probe in flight ended; the new view if it turned. Nothing happens when none is in flight.
    pub fn finish(&mut self, now: LabTime, passed: bool) -> Option<bool> {
        if !self.rhythm.end(now) {
            return None;
        }
        self.has_reported = true;
        self.view.count(passed)
    }

    /// Its view now.
    #[must_use]
    pub const fn is_healthy(&self) -> bool {
        self.view.is_healthy()
    }

    /// Whether any probe has ended yet.
    #[must_use]
    pub const fn has_reported(&self) -> bool {
        self.has_reported
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEN: Duration = Duration::from_secs(10);

    fn probe(checker: &mut Checker, passed: bool) -> Option<bool> {
        let now = checker.next_wakeup().unwrap();
        checker.start(now);
        checker.finish(now, passed)
    }

    #[test]
    fn r53_103_a_new_checker_is_healthy() {
        let checker = Checker::new(LabTime::START, TEN, 3);
        assert!(checker.is_healthy());
        assert!(!checker.has_reported());
    }

    #[test]
    fn r53_121_the_interval_counts_from_the_response_to_the_next_request() {
        let mut checker = Checker::new(LabTime::secs(3), TEN, 3);
        assert_eq!(checker.next_wakeup(), Some(LabTime::secs(3)));
        checker.start(LabTime::secs(3));
        assert_eq!(checker.next_wakeup(), None, "a probe is in flight");
        checker.finish(LabTime::secs(5), true);
        assert_eq!(checker.next_wakeup(), Some(LabTime::secs(15)));
    }

    #[test]
    fn r53_122_only_consecutive_opposite_results_turn_the_view() {
        let mut checker = Checker::new(LabTime::START, TEN, 3);
        let views: Vec<_> = [false, false, true, false, false, false].map(|passed| probe(&mut checker, passed)).into();
        assert_eq!(views, [None, None, None, None, None, Some(false)]);
        let views: Vec<_> = [true, true, false, true, true, true].map(|passed| probe(&mut checker, passed)).into();
        assert_eq!(views, [None, None, None, None, None, Some(true)]);
    }

    #[test]
    fn a_checker_that_counts_on_turns_by_results_that_are_not_consecutive() {
        let mut checker = Checker::new(LabTime::START, TEN, 3).counting_on();
        let views: Vec<_> = [false, true, false, false].map(|passed| probe(&mut checker, passed)).into();
        assert_eq!(views, [None, None, None, Some(false)]);
    }

    #[test]
    fn a_result_without_a_probe_counts_for_nothing() {
        let mut checker = Checker::new(LabTime::START, TEN, 1);
        assert_eq!(checker.finish(LabTime::START, false), None);
        assert!(checker.is_healthy() && !checker.has_reported());
    }
}
