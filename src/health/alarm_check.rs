//! A health check on a metric: Route 53 evaluates the stream with its own copy of an alarm's settings (R53-139 to
//! R53-146).
//!
//! It never asks what state the alarm itself is in.

use crate::clock::LabTime;

use super::alarm::{Alarm, AlarmSettings, InsufficientData, MissingData};
use super::alarm_evaluation::AlarmState;
use super::alarm_points::AlarmPoints;
use super::evaluation_clock::EvaluationClock;
use super::metric_stream::MetricStream;
use super::status_settings::StatusSettings;

/// A health check that evaluates a metric.
///
/// A new one is healthy, unhealthy when inverted (R53-103), and is first evaluated when its first period is over. A
/// disabled one is never evaluated (R53-105).
#[derive(Clone, Copy, Debug)]
pub struct AlarmCheck {
    copy: AlarmSettings,
    insufficient_data: InsufficientData,
    status: StatusSettings,
    clock: EvaluationClock,
    /// What the metric said when it last said anything.
    last_known: bool,
    evaluated: bool,
}

/// What an evaluation came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlarmEvaluation {
    /// What the metric says: `OK` or `ALARM`; `None`: there is not enough of it.
    pub passed: Option<bool>,
    /// The status that decisions use.
    pub healthy: bool,
    /// Whether the status turned.
    pub changed: bool,
    /// The datapoints, and what was made of them, for people.
    pub detail: String,
}

impl AlarmCheck {
    /// Copies the alarm's settings, and nothing else of it: M is always N, and missing data are always missing
    /// (R53-140, R53-144).
    #[must_use]
    pub const fn new(alarm: &Alarm, insufficient_data: InsufficientData, status: StatusSettings) -> Self {
        let copy = alarm.settings;
        let clock = EvaluationClock::new(&copy);
        Self { copy, insufficient_data, status, clock, last_known: true, evaluated: true }
    }

    /// Copies the settings anew, as they are now. Until this, edits of the alarm do not reach the health check
    /// (R53-146).
    pub const fn update(&mut self, alarm: &Alarm) {
        self.copy = alarm.settings;
        self.clock.keep_pace_with(&self.copy);
    }

    /// Somebody inverts or disables the check, or takes that back; the status turns at once (R53-104 to R53-106). What
    /// the metric last said stays known.
    pub const fn set_status(&mut self, status: StatusSettings) {
        self.status = status;
    }

    /// When the next evaluation is due (R53-187); `None`: never, the check is disabled.
    #[must_use]
    pub const fn next_wakeup(&self) -> Option<LabTime> {
        if self.status.disabled { None } else { Some(self.clock.next()) }
    }

    /// Evaluates the metric, due or not. Of a disabled check the status never turns.
    pub fn evaluate(&mut self, now: LabTime, metric: &MetricStream) -> AlarmEvaluation {
        self.evaluate_by(now, metric, |points| points.evaluate())
    }

    /// The same, with another way to make a state of datapoints.
    pub fn evaluate_by(
        &mut self,
        now: LabTime,
        metric: &MetricStream,
        state: impl FnOnce(AlarmPoints<'_>) -> AlarmState,
    ) -> AlarmEvaluation {
        self.clock.evaluated(now);
        let before = self.is_healthy();
        let n = self.copy.evaluation_periods;
        let points = metric.datapoints(now, &self.copy);
        let breaching: Vec<_> = points.iter().map(|point| point.map(|value| self.copy.breaches(value))).collect();
        let copied =
            AlarmPoints { points: &breaching, n, m: n, missing: MissingData::Missing, before: AlarmState::default() };
        let state = state(copied);
        let passed = match state {
            AlarmState::Ok => Some(true),
            AlarmState::Alarm => Some(false),
            AlarmState::InsufficientData => None,
        };
        self.evaluated = passed.unwrap_or_else(|| self.of_insufficient_data());
        self.last_known = passed.unwrap_or(self.last_known);
        let healthy = self.is_healthy();
        AlarmEvaluation { passed, healthy, changed: healthy != before, detail: self.detail(state, &points) }
    }

    /// The status that decisions use, with the check's own inverting and disabling.
    #[must_use]
    pub const fn is_healthy(&self) -> bool {
        self.status.apply(self.evaluated)
    }

    /// R53-142. What never was anything was healthy.
    const fn of_insufficient_data(&self) -> bool {
        match self.insufficient_data {
            InsufficientData::Healthy => true,
            InsufficientData::Unhealthy => false,
            InsufficientData::LastKnownStatus => self.last_known,
        }
    }

    fn detail(&self, state: AlarmState, points: &[Option<f64>]) -> String {
        let points = points.iter().map(|point| point.map_or_else(|| "-".to_owned(), |value| value.to_string()));
        let points: Vec<String> = points.collect();
        let AlarmSettings { statistic, period, comparison, threshold, evaluation_periods: n, .. } = self.copy;
        let meaning = match (state, self.insufficient_data) {
            (AlarmState::Ok | AlarmState::Alarm, _) => "",
            (_, InsufficientData::Healthy) => ", which counts as healthy",
            (_, InsufficientData::Unhealthy) => ", which counts as unhealthy",
            (_, InsufficientData::LastKnownStatus) => ", so the last known status is kept",
        };
        format!(
            "{state}{meaning}: {statistic} per {} s, newest last: {}; alarm when {n} of {n} {comparison} {threshold}",
            period.as_secs_f64(),
            points.join(" "),
        )
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::super::alarm::{Comparison, Statistic};
    use super::super::alarm_run::AlarmRun;
    use super::*;

    const PLAIN: StatusSettings = StatusSettings { inverted: false, disabled: false };

    fn settings(n: u32) -> AlarmSettings {
        AlarmSettings {
            statistic: Statistic::Maximum,
            period: Duration::from_secs(60),
            evaluation_periods: n,
            threshold: 300.0,
            comparison: Comparison::GreaterThanThreshold,
        }
    }

    fn alarm(n: u32, m: u32, treat_missing_data: MissingData) -> Alarm {
        Alarm { settings: settings(n), datapoints_to_alarm: m, treat_missing_data }
    }

    fn check(n: u32, insufficient: InsufficientData) -> AlarmCheck {
        AlarmCheck::new(&alarm(n, n, MissingData::Missing), insufficient, PLAIN)
    }

    /// One sample in the middle of each minute; `None`: a minute without.
    fn a_minute_each(values: &[Option<f64>]) -> MetricStream {
        let mut metric = MetricStream::reaching(Duration::from_secs(86_400));
        for (at, value) in (30..).step_by(60).zip(values) {
            if let Some(value) = value {
                metric.put(LabTime::secs(at), *value);
            }
        }
        metric
    }

    /// The status after each minute, from the first on.
    fn statuses(check: &mut AlarmCheck, metric: &MetricStream, minutes: u64) -> Vec<bool> {
        (1..=minutes).map(|minute| check.evaluate(LabTime::secs(minute * 60), metric).healthy).collect()
    }

    #[test]
    fn r53_103_a_new_check_is_healthy_and_unhealthy_when_inverted() {
        let inverted = StatusSettings { inverted: true, disabled: false };
        assert!(check(1, InsufficientData::Unhealthy).is_healthy());
        assert!(!AlarmCheck::new(&alarm(1, 1, MissingData::Missing), InsufficientData::Healthy, inverted).is_healthy());
    }

    #[test]
    fn r53_104_to_106_inverting_and_disabling_turn_the_status_at_once() {
        let mut check = check(1, InsufficientData::Healthy);
        assert_eq!(statuses(&mut check, &a_minute_each(&[Some(301.0)]), 1), [false]);
        let told = [(true, false), (false, true), (true, true), (false, false)].map(|(inverted, disabled)| {
            check.set_status(StatusSettings { inverted, disabled });
            (check.is_healthy(), check.next_wakeup().is_some())
        });
        assert_eq!(told, [(true, true), (true, false), (false, false), (false, true)]);
    }

    #[test]
    fn r53_104_an_inverted_check_says_the_opposite() {
        let inverted = StatusSettings { inverted: true, disabled: false };
        let mut check = AlarmCheck::new(&alarm(1, 1, MissingData::Missing), InsufficientData::Healthy, inverted);
        assert_eq!(statuses(&mut check, &a_minute_each(&[Some(301.0), Some(0.0)]), 2), [true, false]);
    }

    #[test]
    fn r53_105_a_disabled_check_is_never_due_and_never_turns() {
        let disabled = StatusSettings { inverted: false, disabled: true };
        let mut check = AlarmCheck::new(&alarm(1, 1, MissingData::Missing), InsufficientData::Unhealthy, disabled);
        assert_eq!(check.next_wakeup(), None);
        assert_eq!(statuses(&mut check, &a_minute_each(&[Some(301.0)]), 2), [true, true]);
    }

    #[test]
    fn r53_139_it_evaluates_the_stream_and_not_the_alarm() {
        // The alarm is content with one of three; the copy knows only three of three (R53-140).
        let alarm = alarm(3, 1, MissingData::Missing);
        let (mut run, mut check) = (AlarmRun::new(alarm), AlarmCheck::new(&alarm, InsufficientData::Healthy, PLAIN));
        let metric = a_minute_each(&[Some(0.0), Some(301.0), Some(301.0), Some(301.0)]);
        for (minute, state, healthy) in
            [(2, AlarmState::Alarm, true), (3, AlarmState::Alarm, true), (4, AlarmState::Alarm, false)]
        {
            run.evaluate(LabTime::secs(minute * 60), &metric);
            let evaluation = check.evaluate(LabTime::secs(minute * 60), &metric);
            assert_eq!((run.state(), evaluation.healthy), (state, healthy), "minute {minute}");
        }
    }

    #[test]
    fn r53_141_ok_is_healthy_and_alarm_is_unhealthy() {
        let mut check = check(1, InsufficientData::Healthy);
        let metric = a_minute_each(&[Some(300.0), Some(301.0), Some(0.0)]);
        let at = |check: &mut AlarmCheck, minute: u64| check.evaluate(LabTime::secs(minute * 60), &metric);
        let fine = at(&mut check, 1);
        assert_eq!((fine.passed, fine.healthy, fine.changed), (Some(true), true, false));
        let breaching = at(&mut check, 2);
        assert_eq!((breaching.passed, breaching.healthy, breaching.changed), (Some(false), false, true));
        assert_eq!(breaching.detail, "ALARM: maximum per 60 s, newest last: - 300 301; alarm when 1 of 1 > 300");
        assert!(at(&mut check, 3).changed && check.is_healthy());
    }

    #[test]
    fn r53_142_insufficient_data_mean_what_the_check_is_told_they_mean() {
        // One point, fine or breaching, and then no more: the range of three is empty after minute 4.
        let then = |value, insufficient| {
            let mut check = check(1, insufficient);
            statuses(&mut check, &a_minute_each(&[Some(value)]), 4)
        };
        assert_eq!(then(0.0, InsufficientData::Healthy), [true; 4]);
        assert_eq!(then(0.0, InsufficientData::Unhealthy), [true, true, true, false]);
        assert_eq!(then(0.0, InsufficientData::LastKnownStatus), [true; 4]);
        assert_eq!(then(301.0, InsufficientData::Healthy), [false, false, false, true]);
        assert_eq!(then(301.0, InsufficientData::Unhealthy), [false; 4]);
        assert_eq!(then(301.0, InsufficientData::LastKnownStatus), [false; 4]);
    }

    #[test]
    fn r53_142_the_last_known_status_of_a_new_check_is_healthy() {
        let mut check = check(1, InsufficientData::LastKnownStatus);
        let evaluation = check.evaluate(LabTime::secs(60), &MetricStream::default());
        assert_eq!((evaluation.passed, evaluation.healthy, evaluation.changed), (None, true, false));
        assert_eq!(
            evaluation.detail,
            "INSUFFICIENT_DATA, so the last known status is kept: maximum per 60 s, newest last: - - -; alarm when 1 \
             of 1 > 300"
        );
    }

    #[test]
    fn r53_143_the_last_known_status_outlives_its_metric_for_hours() {
        let mut check = check(1, InsufficientData::LastKnownStatus);
        check.evaluate(LabTime::secs(60), &a_minute_each(&[Some(301.0)]));
        assert!(!check.evaluate(LabTime::secs(6 * 3600), &a_minute_each(&[Some(301.0)])).healthy);
    }

    #[test]
    fn r53_144_the_alarms_own_treatment_of_missing_data_is_ignored() {
        for (treatment, state) in
            [(MissingData::Breaching, AlarmState::Alarm), (MissingData::NotBreaching, AlarmState::Ok)]
        {
            for (insufficient, healthy) in [(InsufficientData::Healthy, true), (InsufficientData::Unhealthy, false)] {
                let alarm = alarm(1, 1, treatment);
                let (mut run, mut check) = (AlarmRun::new(alarm), AlarmCheck::new(&alarm, insufficient, PLAIN));
                run.evaluate(LabTime::secs(60), &MetricStream::default());
                let evaluation = check.evaluate(LabTime::secs(60), &MetricStream::default());
                assert_eq!((run.state(), evaluation.healthy), (state, healthy));
            }
        }
    }

    #[test]
    fn r53_145_setting_the_alarms_state_does_not_move_the_check() {
        let alarm = alarm(1, 1, MissingData::Missing);
        let (mut run, mut check) = (AlarmRun::new(alarm), AlarmCheck::new(&alarm, InsufficientData::Healthy, PLAIN));
        run.set_state(AlarmState::Alarm);
        assert!(!check.evaluate(LabTime::secs(60), &a_minute_each(&[Some(0.0)])).changed);
        assert_eq!((run.state(), check.is_healthy()), (AlarmState::Alarm, true));
    }

    #[test]
    fn r53_146_an_edited_alarm_reaches_the_check_only_with_its_update() {
        let mut edited = alarm(1, 1, MissingData::Missing);
        let (mut run, mut check) = (AlarmRun::new(edited), AlarmCheck::new(&edited, InsufficientData::Healthy, PLAIN));
        edited.settings.threshold = 10.0;
        run.edit(edited);
        let metric = a_minute_each(&[Some(20.0), Some(20.0)]);
        assert_eq!(run.evaluate(LabTime::secs(60), &metric), Some(AlarmState::Alarm));
        assert!(check.evaluate(LabTime::secs(60), &metric).healthy);
        check.update(run.alarm());
        assert!(!check.evaluate(LabTime::secs(120), &metric).healthy);
    }

    #[test]
    fn r53_187_it_is_due_every_minute_from_the_end_of_its_first_period_on() {
        let mut check = check(1, InsufficientData::Healthy);
        for minute in 1..4 {
            assert_eq!(check.next_wakeup(), Some(LabTime::secs(minute * 60)));
            check.evaluate(LabTime::secs(minute * 60), &MetricStream::default());
        }
    }

    /// What samples a test's metric has: `breaching` from `from` until `to`, fine before and after, none from `end` on.
    #[derive(Clone, Copy, Debug)]
    struct Course {
        every: u64,
        phase: u64,
        from: u64,
        to: u64,
        end: u64,
    }

    /// When the check turned, each time, and the first breaching, the first fine and the last sample.
    fn run(settings: AlarmSettings, course: Course) -> (Vec<LabTime>, [LabTime; 3]) {
        let (low, high) = (0.0, 301.0);
        let upwards = settings.comparison == Comparison::GreaterThanThreshold;
        let mut metric = MetricStream::reaching(Duration::from_secs(86_400));
        let moments: Vec<u64> = (course.phase..course.end).step_by(usize::try_from(course.every).unwrap()).collect();
        let breaches = |at: u64| (course.from..course.to).contains(&at);
        for &at in &moments {
            metric.put(LabTime::secs(at), if breaches(at) == upwards { high } else { low });
        }
        let alarm = Alarm {
            settings,
            datapoints_to_alarm: settings.evaluation_periods,
            treat_missing_data: MissingData::Missing,
        };
        let mut check = AlarmCheck::new(&alarm, InsufficientData::Unhealthy, PLAIN);
        let mut turns = Vec::new();
        for _ in 0..1_000 {
            let now = check.next_wakeup().unwrap();
            if check.evaluate(now, &metric).changed {
                turns.push(now);
            }
        }
        let first = |wanted: &dyn Fn(u64) -> bool| LabTime::secs(*moments.iter().find(|&&at| wanted(at)).unwrap());
        let seen = [first(&breaches), first(&|at| at >= course.to), LabTime::secs(*moments.last().unwrap())];
        (turns, seen)
    }

    proptest! {
        #[test]
        fn it_turns_within_its_bounds_for_any_phases(
            (period, every, phase) in (1_u64..=5).prop_flat_map(|minutes| (Just(minutes * 60), 1..=minutes * 60))
                .prop_flat_map(|(period, every)| (Just(period), Just(every), 0..every)),
            n in 1_u32..=4,
            from in 1_500_u64..2_400,
            statistic in proptest::sample::select(vec![Statistic::Maximum, Statistic::Minimum, Statistic::Average]),
            comparison in proptest::sample::select(
                vec![Comparison::GreaterThanThreshold, Comparison::LessThanThreshold],
            ),
        ) {
            let settings = AlarmSettings {
                statistic,
                period: Duration::from_secs(period),
                evaluation_periods: n,
                threshold: if statistic == Statistic::Average { 150.0 } else { 300.0 },
                comparison,
            };
            let course = Course { every, phase, from, to: from + 2_400, end: from + 6_000 };
            let (turns, seen) = run(settings, course);
            prop_assert_eq!(turns.len(), 3);
            let bounds = [settings.alarms_within(), settings.clears_within(), settings.empties_within()];
            for ((turn, since), (best, worst)) in turns.into_iter().zip(seen).zip(bounds) {
                let took = turn.since(since);
                prop_assert!(best <= took && took <= worst, "{:?} not in {:?} to {:?}", took, best, worst);
            }
        }
    }
}
