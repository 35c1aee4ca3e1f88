//! When the next check is due, and how long a cadence of checks takes to turn a status.
//!
//! A cadence knows nothing of what is checked, nor of what the results were.

use std::time::Duration;

use rand::{Rng, RngExt};

use crate::clock::LabTime;

/// What an interval is counted between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cadence {
    /// From the end of one check to the start of the next: Route 53's checkers (R53-121). Slow checks stretch it.
    EndToStart(Duration),
    /// From the start of one check to the start of the next: a load balancer's targets, and its node.
    StartToStart(Duration),
}

impl Cadence {
    /// The interval, whatever it is counted between.
    #[must_use]
    pub const fn interval(self) -> Duration {
        match self {
            Self::EndToStart(interval) | Self::StartToStart(interval) => interval,
        }
    }

    /// How long after a change of the checked thing its status turns, at best and at worst, whatever the phase.
    ///
    /// `threshold` consecutive results turn the status. A check of the old state takes `old_takes`, one of the new
    /// state `new_takes`. A check that is under way at the change may give either result; that is why `old_takes`
    /// widens the bounds. Both may be given as zero for checks that are answered at once:
    /// [`StartToStart`](Self::StartToStart) 15 s and 2 give 15 to 30 s, [`EndToStart`](Self::EndToStart) 10 s and 3
    /// give 20 to 30 s. Where a duration is not known exactly, ask once with each extreme: best falls with
    /// `old_takes`, worst rises with both.
    #[must_use]
    pub const fn turns_within(self, threshold: u32, old_takes: Duration, new_takes: Duration) -> (Duration, Duration) {
        let threshold = if threshold == 0 { 1 } else { threshold };
        match self {
            Self::EndToStart(interval) => {
                let round = interval.saturating_add(new_takes);
                let best = round.saturating_mul(threshold - 1).saturating_add(new_takes.saturating_sub(old_takes));
                (best, round.saturating_mul(threshold).saturating_add(old_takes))
            }
            Self::StartToStart(interval) => {
                let best = interval.saturating_mul(threshold - 1).saturating_add(new_takes).saturating_sub(old_takes);
                (best, interval.saturating_mul(threshold).saturating_add(new_takes))
            }
        }
    }
}

/// Who is next when: a cadence, and where in it one series of checks stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rhythm {
    cadence: Cadence,
    stand: Stand,
}

#[derive(Clone, Copy, Debug)]
enum Stand {
    /// The next check starts then.
    Waiting { due: LabTime },
    /// A check is under way; it was due then.
    UnderWay { due: LabTime },
}

impl Rhythm {
    pub(super) const fn new(cadence: Cadence, first: LabTime) -> Self {
        Self { cadence, stand: Stand::Waiting { due: first } }
    }

    /// The first check falls anywhere in the interval that begins at `start`.
    pub(super) fn drawn(cadence: Cadence, start: LabTime, rng: &mut impl Rng) -> Self {
        let interval = cadence.interval();
        let phase = if interval.is_zero() { interval } else { rng.random_range(Duration::ZERO..interval) };
        Self::new(cadence, start + phase)
    }

    /// When the next check is due; `None` while one is under way.
    pub(super) const fn next_wakeup(&self) -> Option<LabTime> {
        match self.stand {
            Stand::Waiting { due } => Some(due),
            Stand::UnderWay { .. } => None,
        }
    }

    /// Starts the check if it is due; whether it was.
    pub(super) fn start_if_due(&mut self, now: LabTime) -> bool {
        let is_due = self.next_wakeup().is_some_and(|due| due <= now);
        if is_due {
            self.start(now);
        }
        is_due
    }

    /// Starts a check now, due or not. Nothing happens while one is under way.
    pub(super) fn start(&mut self, now: LabTime) {
        if let Stand::Waiting { due } = self.stand {
            self.stand = Stand::UnderWay { due: due.min(now) };
        }
    }

    /// The series was left alone and goes on at `now`: what was due meanwhile is left out, and the phase is kept, so
    /// that many series do not all start at this moment. Nothing happens while a check is under way.
    pub(super) fn resume(&mut self, now: LabTime) {
        let interval = self.cadence.interval().as_nanos();
        let Stand::Waiting { due } = self.stand else { return };
        if due >= now || interval == 0 {
            return;
        }
        let missed = now.since(due).as_nanos().div_ceil(interval).saturating_mul(interval);
        self.stand = Stand::Waiting { due: due + Duration::from_nanos(u64::try_from(missed).unwrap_or(u64::MAX)) };
    }

    /// The check under way ended; whether there was one.
    ///
    /// A check that started late does not push the later ones of its series back, unless it is late by more than
    /// an interval: then the series goes on from here, and does not catch up.
    pub(super) fn end(&mut self, now: LabTime) -> bool {
        let Stand::UnderWay { due } = self.stand else { return false };
        let next = match self.cadence {
            Cadence::EndToStart(interval) => now + interval,
            Cadence::StartToStart(interval) => (due + interval).max(now),
        };
        self.stand = Stand::Waiting { due: next };
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::super::streak::Streak;
    use super::*;

    const fn secs(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn end_to_start_counts_from_the_end() {
        let mut rhythm = Rhythm::new(Cadence::EndToStart(secs(10)), LabTime::secs(1));
        assert!(!rhythm.start_if_due(LabTime::START));
        assert!(rhythm.start_if_due(LabTime::secs(1)));
        assert_eq!(rhythm.next_wakeup(), None);
        assert!(!rhythm.start_if_due(LabTime::secs(2)), "one is under way");
        assert!(rhythm.end(LabTime::secs(7)));
        assert_eq!(rhythm.next_wakeup(), Some(LabTime::secs(17)));
        assert!(!rhythm.end(LabTime::secs(8)), "none is under way");
    }

    #[test]
    fn start_to_start_counts_from_the_start_and_keeps_its_grid() {
        let mut rhythm = Rhythm::new(Cadence::StartToStart(secs(15)), LabTime::secs(1));
        assert!(rhythm.start_if_due(LabTime::secs(3)), "late by two seconds");
        rhythm.end(LabTime::secs(8));
        assert_eq!(rhythm.next_wakeup(), Some(LabTime::secs(16)));
    }

    #[test]
    fn a_series_that_fell_behind_does_not_catch_up() {
        let mut rhythm = Rhythm::new(Cadence::StartToStart(secs(5)), LabTime::START);
        rhythm.start(LabTime::START);
        rhythm.end(LabTime::secs(23));
        assert_eq!(rhythm.next_wakeup(), Some(LabTime::secs(23)));
        rhythm.start(LabTime::secs(23));
        rhythm.end(LabTime::secs(23));
        assert_eq!(rhythm.next_wakeup(), Some(LabTime::secs(28)));
    }

    #[test]
    fn a_series_that_was_left_alone_goes_on_at_its_phase() {
        for (resumed, next) in [(2, 3), (3, 3), (4, 13), (13, 13), (1000, 1003)] {
            let mut rhythm = Rhythm::new(Cadence::EndToStart(secs(10)), LabTime::secs(3));
            rhythm.resume(LabTime::secs(resumed));
            assert_eq!(rhythm.next_wakeup(), Some(LabTime::secs(next)), "resumed at {resumed} s");
        }
        let mut under_way = Rhythm::new(Cadence::EndToStart(secs(10)), LabTime::START);
        under_way.start(LabTime::START);
        under_way.resume(LabTime::secs(1000));
        assert!(under_way.end(LabTime::secs(1001)), "a check under way is not lost");
    }

    #[test]
    fn a_drawn_phase_lies_within_one_interval() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let start = LabTime::secs(100);
        for _ in 0..200 {
            let due = Rhythm::drawn(Cadence::EndToStart(secs(10)), start, &mut rng).next_wakeup().unwrap();
            assert!(due >= start && due < start + secs(10), "{due}");
        }
    }

    #[test]
    fn two_checks_every_fifteen_seconds_turn_a_status_within_15_to_30_s() {
        let bounds = Cadence::StartToStart(secs(15)).turns_within(2, Duration::ZERO, Duration::ZERO);
        assert_eq!(bounds, (secs(15), secs(30)));
    }

    #[test]
    fn r53_127_three_checks_ten_seconds_apart_turn_a_status_within_20_to_30_s() {
        let ten = Cadence::EndToStart(secs(10));
        assert_eq!(ten.turns_within(3, Duration::ZERO, Duration::ZERO), (secs(20), secs(30)));
        // Failures that last 2 s stretch every round.
        assert_eq!(ten.turns_within(3, Duration::ZERO, secs(2)), (secs(26), secs(36)));
    }

    /// One series of checks against a thing that changes at `change`. How long after the change the status turned.
    fn measured(
        cadence: Cadence,
        threshold: u32,
        first: LabTime,
        change: LabTime,
        (old_takes, new_takes): (Duration, Duration),
        looks_at: f64,
    ) -> Duration {
        let (mut rhythm, mut streak) = (Rhythm::new(cadence, first), Streak::new(true, threshold, threshold));
        loop {
            let started = rhythm.next_wakeup().unwrap();
            rhythm.start(started);
            // Where within a check of the old state the outcome falls.
            let is_old = started + old_takes.mul_f64(looks_at) < change;
            // A check that fell victim to the change cannot have ended before it.
            let ended = if is_old { started + old_takes } else { (started + new_takes).max(change) };
            rhythm.end(ended);
            if streak.count(is_old).is_some() {
                return ended.since(change);
            }
        }
    }

    proptest! {
        #[test]
        fn r53_127_the_real_turn_lies_within_the_bounds_for_any_phase(
            end_to_start: bool,
            interval in 5_000_u64..30_000,
            threshold in 1_u32..=10,
            phase in 0_u64..30_000,
            change in 60_000_u64..120_000,
            old_takes in 0_u64..4_000,
            new_takes in 0_u64..5_000,
            looks_at in 0.0..=1.0_f64,
        ) {
            let ms = Duration::from_millis;
            let cadence =
                if end_to_start { Cadence::EndToStart(ms(interval)) } else { Cadence::StartToStart(ms(interval)) };
            let takes = (ms(old_takes), ms(new_takes));
            let took =
                measured(cadence, threshold, LabTime::at(ms(phase)), LabTime::at(ms(change)), takes, looks_at);
            let (best, worst) = cadence.turns_within(threshold, takes.0, takes.1);
            prop_assert!(best <= took && took <= worst, "{best:?} <= {took:?} <= {worst:?}");
        }
    }

    #[test]
    fn the_bounds_are_reached() {
        for cadence in [Cadence::EndToStart(secs(10)), Cadence::StartToStart(secs(10))] {
            let (best, worst) = cadence.turns_within(3, Duration::ZERO, secs(2));
            let takes = (Duration::ZERO, secs(2));
            // A check starts at the change itself, and one started just before it.
            let at_once = measured(cadence, 3, LabTime::START, LabTime::secs(60), takes, 0.0);
            let just_missed = measured(cadence, 3, LabTime::START, LabTime::at(Duration::from_nanos(1)), takes, 0.0);
            assert_eq!((at_once, just_missed + Duration::from_nanos(1)), (best, worst));
        }
    }
}
