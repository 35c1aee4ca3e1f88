//! A load balancer's target group: which targets are healthy, and which get requests (R53-158 to R53-165).
//!
//! It says which target to check when, and what the results amount to. It never checks.

use std::fmt;
use std::time::Duration;

use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::clock::{LabTime, seconds};

use super::cadence::{Cadence, Rhythm};
use super::streak::Streak;

/// How a load balancer checks its targets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetGroupSettings {
    /// Asked with `GET`; a 200 to 399 passes.
    pub path: String,
    /// From one check's start to the next, per target.
    #[serde(with = "seconds")]
    pub interval: Duration,
    /// A check that takes longer fails.
    #[serde(with = "seconds")]
    pub timeout: Duration,
    /// Consecutive failed checks that make a target unhealthy.
    pub unhealthy_threshold: u32,
    /// Consecutive passed checks that make an unhealthy target healthy again.
    pub healthy_threshold: u32,
}

/// Settings that Elastic Load Balancing would refuse (Elastic Load Balancing API Reference, `CreateTargetGroup`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetGroupSettingsError {
    /// No path.
    #[error("path `{0}` is not possible: expected a `/` first")]
    Path(String),
    /// 5 s to 300 s.
    #[error("interval {0:?} is not possible: expected 5 s to 300 s")]
    Interval(Duration),
    /// 2 s to 120 s.
    #[error("timeout {0:?} is not possible: expected 2 s to 120 s")]
    Timeout(Duration),
    /// A check would not end before the next begins.
    #[error("timeout {timeout:?} is not possible with interval {interval:?}: expected less than the interval")]
    TimeoutBeyondInterval {
        /// The timeout.
        timeout: Duration,
        /// The interval.
        interval: Duration,
    },
    /// 2 to 10.
    #[error("threshold {0} is not possible: expected 2 to 10")]
    Threshold(u32),
}

impl TargetGroupSettings {
    /// # Errors
    /// When Elastic Load Balancing would refuse these settings.
    pub fn validate(&self) -> Result<(), TargetGroupSettingsError> {
        use TargetGroupSettingsError as Error;
        let secs = Duration::from_secs;
        if !self.path.starts_with('/') {
            return Err(Error::Path(self.path.clone()));
        }
        if !(secs(5)..=secs(300)).contains(&self.interval) {
            return Err(Error::Interval(self.interval));
        }
        if !(secs(2)..=secs(120)).contains(&self.timeout) {
            return Err(Error::Timeout(self.timeout));
        }
        if self.timeout >= self.interval {
            return Err(Error::TimeoutBeyondInterval { timeout: self.timeout, interval: self.interval });
        }
        match [self.unhealthy_threshold, self.healthy_threshold].into_iter().find(|n| !(2..=10).contains(n)) {
            Some(threshold) => Err(Error::Threshold(threshold)),
            None => Ok(()),
        }
    }

    /// Whether an answer passes: 200 to 399, not later than the timeout. No answer never does.
    #[must_use]
    pub fn passes(&self, status: u16, took: Duration) -> bool {
        (200..=399).contains(&status) && took <= self.timeout
    }

    /// From a fault to a healthy target's turning unhealthy, best and worst; see [`Cadence::turns_within`].
    ///
    /// The same bounds hold for a whole group whose targets all fail at once.
    #[must_use]
    pub const fn fails_within(&self, passing_takes: Duration, failing_takes: Duration) -> (Duration, Duration) {
        Cadence::StartToStart(self.interval).turns_within(self.unhealthy_threshold, passing_takes, failing_takes)
    }

    /// From the heal to an unhealthy target's turning healthy, best and worst; see [`Cadence::turns_within`].
    ///
    /// The same bounds hold for a whole group whose targets all recover at once.
    #[must_use]
    pub const fn recovers_within(&self, passing_takes: Duration, failing_takes: Duration) -> (Duration, Duration) {
        Cadence::StartToStart(self.interval).turns_within(self.healthy_threshold, failing_takes, passing_takes)
    }
}

/// Where one target stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TargetHealth {
    /// Registered, and its first checks have not settled it: one pass makes it healthy.
    Initial,
    /// It gets requests.
    Healthy,
    /// It gets none while another target is healthy.
    Unhealthy,
}

impl fmt::Display for TargetHealth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Initial => "initial",
            Self::Healthy => "healthy",
            Self::Unhealthy => "unhealthy",
        })
    }
}

/// A target turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetChange {
    /// Which, from 0.
    pub target: usize,
    /// To what; never [`TargetHealth::Initial`].
    pub health: TargetHealth,
    /// How many targets are healthy now.
    pub healthy_targets: usize,
}

#[derive(Clone, Copy, Debug)]
struct Target {
    rhythm: Rhythm,
    streak: Streak,
    is_initial: bool,
}

impl Target {
    const fn health(&self) -> TargetHealth {
        match (self.is_initial, self.streak.is_healthy()) {
            (true, _) => TargetHealth::Initial,
            (false, true) => TargetHealth::Healthy,
            (false, false) => TargetHealth::Unhealthy,
        }
    }

    fn count(&mut self, passed: bool) {
        let turned = self.streak.count(passed);
        // Its streak starts as healthy, so that failures count; the first pass, or enough failures, settle it.
        if passed || turned.is_some() {
            self.is_initial = false;
        }
    }
}

/// The targets of one group.
///
/// A target that is still initial is not healthy: evaluate target health asks for at least one healthy target
/// (R53-158), so a group of initial targets only is unhealthy to it, as is an empty group (R53-159). Such a group
/// still gets requests, since it fails open. Both end with the first passed check, at most an interval after the start.
#[derive(Clone, Debug)]
pub struct TargetGroup {
    targets: Vec<Target>,
}

impl TargetGroup {
    /// `targets` new targets, each with its first check at a moment drawn over the interval that begins at `start`.
    #[must_use]
    pub fn new(settings: &TargetGroupSettings, targets: usize, start: LabTime, rng: &mut impl Rng) -> Self {
        let cadence = Cadence::StartToStart(settings.interval);
        let streak = Streak::new(true, settings.unhealthy_threshold, settings.healthy_threshold);
        let mut target = || Target { rhythm: Rhythm::drawn(cadence, start, rng), streak, is_initial: true };
        Self { targets: (0..targets).map(|_| target()).collect() }
    }

    /// The targets whose check is due. Each now counts as being checked, and must be finished.
    pub fn due(&mut self, now: LabTime) -> Vec<usize> {
        let checked = self.targets.iter_mut().enumerate();
        checked.filter_map(|(index, target)| target.rhythm.start_if_due(now).then_some(index)).collect()
    }

    /// A target's check ended; a check that timed out did not pass. The change if the target turned. Nothing happens
    /// when it was not being checked, or there is no such target.
    pub fn finish(&mut self, now: LabTime, target: usize, passed: bool) -> Option<TargetChange> {
        let checked = self.targets.get_mut(target)?;
        if !checked.rhythm.end(now) {
            return None;
        }
        let before = checked.health();
        checked.count(passed);
        let health = checked.health();
        (health != before).then(|| TargetChange { target, health, healthy_targets: self.healthy_targets().len() })
    }

    /// When the next check is due; `None` when all are under way.
    #[must_use]
    pub fn next_wakeup(&self) -> Option<LabTime> {
        self.targets.iter().filter_map(|target| target.rhythm.next_wakeup()).min()
    }

    /// How many targets are registered.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether no target is registered.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Where a target stands; `None` when there is no such target.
    #[must_use]
    pub fn health(&self, target: usize) -> Option<TargetHealth> {
        self.targets.get(target).map(Target::health)
    }

    /// The healthy targets, in order.
    #[must_use]
    pub fn healthy_targets(&self) -> Vec<usize> {
        (0..self.targets.len()).filter(|&index| self.targets[index].health() == TargetHealth::Healthy).collect()
    }

    /// The targets out of `these` that get requests: the healthy ones, or all when none is (fail open, R53-165).
    #[must_use]
    pub fn routable(&self, these: &[usize]) -> Vec<usize> {
        let healthy = |target: &usize| self.health(*target) == Some(TargetHealth::Healthy);
        let healthy: Vec<usize> = these.iter().copied().filter(healthy).collect();
        if healthy.is_empty() { these.to_vec() } else { healthy }
    }

    /// What evaluate target health makes of it: at least one target is healthy (R53-158).
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        self.targets.iter().any(|target| target.health() == TargetHealth::Healthy)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    const FIFTEEN: Duration = Duration::from_secs(15);

    fn settings() -> TargetGroupSettings {
        TargetGroupSettings {
            path: "/health".into(),
            interval: FIFTEEN,
            timeout: Duration::from_secs(5),
            unhealthy_threshold: 2,
            healthy_threshold: 5,
        }
    }

    fn group(targets: usize, seed: u64) -> TargetGroup {
        TargetGroup::new(&settings(), targets, LabTime::START, &mut ChaCha8Rng::seed_from_u64(seed))
    }

    /// Checks every target once; `passes` by target.
    fn round(group: &mut TargetGroup, number: u64, passes: &[bool]) -> Vec<TargetChange> {
        let now = LabTime::at(FIFTEEN) + FIFTEEN * u32::try_from(number).unwrap();
        group.due(now).into_iter().filter_map(|target| group.finish(now, target, passes[target])).collect()
    }

    #[test]
    fn an_initial_target_is_not_healthy_and_needs_one_passed_check() {
        let mut group = group(2, 1);
        assert_eq!(group.health(0), Some(TargetHealth::Initial));
        assert!(!group.is_healthy());
        let changes = round(&mut group, 0, &[true, false]);
        assert_eq!(changes, [TargetChange { target: 0, health: TargetHealth::Healthy, healthy_targets: 1 }]);
        assert_eq!(group.health(1), Some(TargetHealth::Initial), "one failure settles nothing");
        assert!(group.is_healthy());
    }

    #[test]
    fn an_initial_target_turns_unhealthy_at_the_threshold_and_then_needs_five_passes() {
        let mut group = group(1, 1);
        assert!(round(&mut group, 0, &[false]).is_empty());
        assert_eq!(round(&mut group, 1, &[false])[0].health, TargetHealth::Unhealthy);
        for number in 2..6 {
            assert!(round(&mut group, number, &[true]).is_empty(), "round {number}");
        }
        assert_eq!(round(&mut group, 6, &[true])[0].health, TargetHealth::Healthy);
    }

    #[test]
    fn a_healthy_target_needs_two_failures_in_a_row() {
        let mut group = group(1, 1);
        for (number, passed) in [true, false, true, false].into_iter().enumerate() {
            round(&mut group, number as u64, &[passed]);
        }
        assert!(group.is_healthy());
        assert_eq!(round(&mut group, 4, &[false])[0].health, TargetHealth::Unhealthy);
    }

    #[test]
    fn r53_165_with_no_healthy_target_all_get_requests() {
        let mut group = group(3, 1);
        assert_eq!(group.routable(&[0, 1, 2]), [0, 1, 2], "all are initial");
        round(&mut group, 0, &[true, true, false]);
        assert_eq!(group.routable(&[0, 1, 2]), [0, 1]);
        round(&mut group, 1, &[false, false, false]);
        let changes = round(&mut group, 2, &[false, false, false]);
        assert_eq!(changes.last().unwrap().healthy_targets, 0);
        assert_eq!(group.routable(&[0, 1, 2]), [0, 1, 2]);
        assert!(!group.is_healthy(), "evaluate target health sees what the data path hides");
    }

    #[test]
    fn r53_158_one_healthy_target_keeps_the_group_healthy() {
        let mut group = group(3, 1);
        for number in 0..5 {
            round(&mut group, number, &[false, true, false]);
        }
        assert_eq!(group.healthy_targets(), [1]);
        assert!(group.is_healthy());
    }

    #[test]
    fn r53_159_a_group_without_targets_is_unhealthy() {
        let group = group(0, 1);
        assert!(group.is_empty() && !group.is_healthy());
        assert_eq!(group.next_wakeup(), None);
    }

    #[test]
    fn the_interval_counts_from_start_to_start() {
        let mut group = group(1, 1);
        let first = group.next_wakeup().unwrap();
        assert!(first < LabTime::at(FIFTEEN));
        assert_eq!(group.due(first), [0]);
        assert_eq!(group.next_wakeup(), None, "a check is under way");
        group.finish(first + Duration::from_secs(5), 0, false);
        assert_eq!(group.next_wakeup(), Some(first + FIFTEEN));
    }

    #[test]
    fn an_answer_passes_with_200_to_399_within_the_timeout() {
        let settings = settings();
        assert!(settings.passes(200, settings.timeout) && settings.passes(399, Duration::ZERO));
        assert!(!settings.passes(200, settings.timeout + Duration::from_nanos(1)));
        assert!(!settings.passes(503, Duration::ZERO) && !settings.passes(199, Duration::ZERO));
    }

    #[test]
    fn settings_that_elb_would_refuse_are_refused() {
        use TargetGroupSettingsError as Error;
        let secs = Duration::from_secs;
        let timeout = FIFTEEN;
        let cases = [
            (settings(), Ok(())),
            (TargetGroupSettings { path: "health".into(), ..settings() }, Err(Error::Path("health".into()))),
            (TargetGroupSettings { interval: secs(4), ..settings() }, Err(Error::Interval(secs(4)))),
            (TargetGroupSettings { interval: secs(301), ..settings() }, Err(Error::Interval(secs(301)))),
            (TargetGroupSettings { timeout: secs(1), ..settings() }, Err(Error::Timeout(secs(1)))),
            (
                TargetGroupSettings { timeout, ..settings() },
                Err(Error::TimeoutBeyondInterval { timeout, interval: FIFTEEN }),
            ),
            (TargetGroupSettings { unhealthy_threshold: 1, ..settings() }, Err(Error::Threshold(1))),
            (TargetGroupSettings { healthy_threshold: 11, ..settings() }, Err(Error::Threshold(11))),
        ];
        for (settings, expected) in cases {
            assert_eq!(settings.validate(), expected);
        }
    }

    #[test]
    fn two_failures_15_s_apart_take_15_to_30_s_and_five_passes_60_to_75_s() {
        let secs = Duration::from_secs;
        assert_eq!(settings().fails_within(Duration::ZERO, Duration::ZERO), (secs(15), secs(30)));
        assert_eq!(settings().recovers_within(Duration::ZERO, Duration::ZERO), (secs(60), secs(75)));
    }

    proptest! {
        #[test]
        fn a_group_turns_within_its_bounds_both_ways_for_any_phases(
            seed: u64,
            targets in 1_usize..5,
            fault in 20_000_u64..40_000,
            passing in 0_u64..1_000,
            failing in 0_u64..=5_000,
        ) {
            let ms = Duration::from_millis;
            let (passing, failing, fault) = (ms(passing), ms(failing), LabTime::at(ms(fault)));
            let heal = fault + ms(100_000);
            let mut group = group(targets, seed);
            let mut flying = BTreeSet::<(LabTime, usize, bool)>::new();
            let mut turns = Vec::new();
            while turns.len() < 3 {
                let landing = flying.first().map(|&(at, ..)| at);
                let now: LabTime = landing.into_iter().chain(group.next_wakeup()).min().unwrap();
                let was = group.is_healthy();
                while let Some((_, target, passed)) = flying.first().copied().filter(|&(at, ..)| at == now) {
                    flying.pop_first();
                    group.finish(now, target, passed);
                }
                if group.is_healthy() != was {
                    turns.push(now);
                }
                for target in group.due(now) {
                    let passed = now < fault || now >= heal;
                    flying.insert((now + if passed { passing } else { failing }, target, passed));
                }
            }
            let (best, worst) = settings().fails_within(passing, failing);
            prop_assert!(best <= turns[1].since(fault) && turns[1].since(fault) <= worst);
            let (best, worst) = settings().recovers_within(passing, failing);
            prop_assert!(best <= turns[2].since(heal) && turns[2].since(heal) <= worst);
        }
    }
}
