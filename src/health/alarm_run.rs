//! An alarm itself, with a state of its own, as `CloudWatch` runs it (R53-187 to R53-201).
//!
//! No health check looks at it: see the health check's own copy of its settings.

use crate::clock::LabTime;

use super::alarm::Alarm;
use super::alarm_evaluation::AlarmState;
use super::alarm_points::AlarmPoints;
use super::evaluation_clock::EvaluationClock;
use super::metric_stream::MetricStream;

/// An alarm and its state. It begins as `INSUFFICIENT_DATA` (R53-197).
#[derive(Clone, Copy, Debug)]
pub struct AlarmRun {
    alarm: Alarm,
    state: AlarmState,
    clock: EvaluationClock,
}

impl AlarmRun {
    /// A new alarm, first evaluated when its first period is over.
    #[must_use]
    pub const fn new(alarm: Alarm) -> Self {
        Self { alarm, state: AlarmState::InsufficientData, clock: EvaluationClock::new(&alarm.settings) }
    }

    /// When the next evaluation is due (R53-187).
    #[must_use]
    pub const fn next_wakeup(&self) -> LabTime {
        self.clock.next()
    }

    /// Evaluates the metric, due or not; the new state if it turned.
    pub fn evaluate(&mut self, now: LabTime, metric: &MetricStream) -> Option<AlarmState> {
        self.evaluate_by(now, metric, |points| points.evaluate())
    }

    /// The same, with another way to make a state of datapoints.
    pub fn evaluate_by(
        &mut self,
        now: LabTime,
        metric: &MetricStream,
        state: impl FnOnce(AlarmPoints<'_>) -> AlarmState,
    ) -> Option<AlarmState> {
        self.clock.evaluated(now);
        let Alarm { settings, datapoints_to_alarm: m, treat_missing_data: missing } = self.alarm;
        let points = metric.datapoints(now, &settings);
        let breaching: Vec<_> = points.iter().map(|point| point.map(|value| settings.breaches(value))).collect();
        let (n, before) = (settings.evaluation_periods, self.state);
        self.turn(state(AlarmPoints { points: &breaching, n, m, missing, before }))
    }

    /// `SetAlarmState`: it lasts until the next evaluation finds otherwise, and moves no health check (R53-145). The
    /// new state if it turned.
    pub fn set_state(&mut self, state: AlarmState) -> Option<AlarmState> {
        self.turn(state)
    }

    /// Other settings, from the next evaluation on. A health check's copy stays as it is (R53-146).
    pub const fn edit(&mut self, alarm: Alarm) {
        self.alarm = alarm;
        self.clock.keep_pace_with(&alarm.settings);
    }

    /// Its settings now.
    #[must_use]
    pub const fn alarm(&self) -> &Alarm {
        &self.alarm
    }

    /// Its state now.
    #[must_use]
    pub const fn state(&self) -> AlarmState {
        self.state
    }

    fn turn(&mut self, state: AlarmState) -> Option<AlarmState> {
        let turned = state != self.state;
        self.state = state;
        turned.then_some(state)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::alarm::{AlarmSettings, Comparison, MissingData, Statistic};
    use super::*;

    fn alarm(period: u64, n: u32, m: u32, treat_missing_data: MissingData) -> Alarm {
        let settings = AlarmSettings {
            statistic: Statistic::Maximum,
            period: Duration::from_secs(period),
            evaluation_periods: n,
            threshold: 300.0,
            comparison: Comparison::GreaterThanThreshold,
        };
        Alarm { settings, datapoints_to_alarm: m, treat_missing_data }
    }

    /// One sample a minute from 30 s on.
    fn a_minute_each(values: &[f64]) -> MetricStream {
        let mut metric = MetricStream::reaching(Duration::from_secs(86_400));
        for (at, value) in (30..).step_by(60).zip(values) {
            metric.put(LabTime::secs(at), *value);
        }
        metric
    }

    /// Every turn until `end`, seconds.
    fn turns(run: &mut AlarmRun, metric: &MetricStream, end: u64) -> Vec<(u64, AlarmState)> {
        let mut turns = Vec::new();
        while run.next_wakeup() <= LabTime::secs(end) {
            let now = run.next_wakeup();
            turns.extend(run.evaluate(now, metric).map(|state| (now.since_start().as_secs(), state)));
        }
        turns
    }

    #[test]
    fn r53_187_it_is_evaluated_every_minute_from_the_end_of_its_first_period_on() {
        let mut run = AlarmRun::new(alarm(120, 1, 1, MissingData::Missing));
        let metric = MetricStream::default();
        for due in [120, 180, 240] {
            assert_eq!(run.next_wakeup(), LabTime::secs(due));
            run.evaluate(LabTime::at(Duration::from_millis(due * 1000 + 3)), &metric);
        }
        run.evaluate(LabTime::secs(250), &metric);
        assert_eq!(run.next_wakeup(), LabTime::secs(300), "one out of turn moves nothing");
        run.evaluate(LabTime::secs(601), &metric);
        assert_eq!(run.next_wakeup(), LabTime::secs(660), "what was missed is not caught up");
    }

    #[test]
    fn r53_188_m_of_n_breaching_points_turn_it_in_any_order() {
        let mut run = AlarmRun::new(alarm(60, 3, 2, MissingData::Missing));
        let metric = a_minute_each(&[0.0, 0.0, 301.0, 0.0, 301.0, 0.0, 0.0]);
        let expected = [(60, AlarmState::Ok), (300, AlarmState::Alarm), (360, AlarmState::Ok)];
        assert_eq!(turns(&mut run, &metric, 420), expected);
    }

    #[test]
    fn r53_197_a_new_alarm_has_insufficient_data_until_it_is_evaluated() {
        let mut run = AlarmRun::new(alarm(60, 1, 1, MissingData::NotBreaching));
        assert_eq!(run.state(), AlarmState::InsufficientData);
        assert_eq!(run.evaluate(LabTime::secs(60), &MetricStream::default()), Some(AlarmState::Ok));
    }

    #[test]
    fn r53_198_a_metric_that_does_not_exist_leaves_insufficient_data() {
        let mut run = AlarmRun::new(alarm(60, 1, 1, MissingData::default()));
        assert_eq!(turns(&mut run, &MetricStream::default(), 600), []);
        assert_eq!(run.state(), AlarmState::InsufficientData);
    }

    #[test]
    fn r53_199_ten_second_periods_of_a_metric_with_a_sample_a_minute_often_have_insufficient_data() {
        let mut run = AlarmRun::new(alarm(10, 1, 1, MissingData::Missing));
        let turns = turns(&mut run, &a_minute_each(&[0.0; 3]), 180);
        let expected =
            [40, 70, 100, 130, 160].into_iter().zip([AlarmState::Ok, AlarmState::InsufficientData].into_iter().cycle());
        assert_eq!(turns, expected.collect::<Vec<_>>(), "three periods are looked at, of six between samples");
    }

    #[test]
    fn r53_201_breaching_fires_only_once_the_old_points_have_left_the_range() {
        let mut run = AlarmRun::new(alarm(60, 3, 3, MissingData::Breaching));
        let metric = a_minute_each(&[0.0; 10]);
        assert_eq!(turns(&mut run, &metric, 1200), [(60, AlarmState::Ok), (900, AlarmState::Alarm)]);
        let (best, worst) = run.alarm().settings.empties_within();
        let last_sample = LabTime::secs(570);
        assert!((last_sample + best..=last_sample + worst).contains(&LabTime::secs(900)));
        assert!(LabTime::secs(900) > last_sample + Duration::from_secs(3 * 60), "later than N periods");
    }

    #[test]
    fn r53_145_a_state_that_was_set_lasts_until_the_next_evaluation() {
        let mut run = AlarmRun::new(alarm(60, 1, 1, MissingData::Missing));
        let metric = a_minute_each(&[0.0; 3]);
        run.evaluate(LabTime::secs(60), &metric);
        assert_eq!(run.set_state(AlarmState::Alarm), Some(AlarmState::Alarm));
        assert_eq!(run.set_state(AlarmState::Alarm), None);
        assert_eq!(run.state(), AlarmState::Alarm);
        assert_eq!(run.evaluate(LabTime::secs(120), &metric), Some(AlarmState::Ok));
    }

    #[test]
    fn r53_192_ignore_keeps_the_state_when_the_metric_ends() {
        let mut run = AlarmRun::new(alarm(60, 1, 1, MissingData::Ignore));
        assert_eq!(turns(&mut run, &a_minute_each(&[301.0]), 900), [(60, AlarmState::Alarm)]);
    }
}
