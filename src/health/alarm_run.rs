//! An alarm itself, with a state of its own, as CloudWatch runs it (R53-187 to R53-201).
//!
//! No health check looks at it: see the health check's own copy of its settings.

use crate::clock::LabTime;

use super::alarm::Alarm;
use super::alarm_evaluation::{AlarmState, evaluate_alarm};
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
        self.clock.evaluated(now);
        let Alarm { settings, datapoints_to_alarm: m, treat_missing_data: missing } = self.alarm;
        let points = metric.datapoints(now, settings.period, settings.statistic, settings.evaluation_range());
        let breaching: Vec<_> = points.iter().map(|point| point.map(|value| settings.breaches(value))).collect();
        self.turn(evaluate_alarm(&breaching, settings.evaluation_periods, m, missing, self.state))
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
