//! A health check on a metric: Route 53 evaluates the stream with its own copy of an alarm's settings (R53-139 to
//! R53-146).
//!
//! It never asks what state the alarm itself is in.

use crate::clock::LabTime;

use super::alarm::{Alarm, AlarmSettings, InsufficientData, MissingData};
use super::alarm_evaluation::{AlarmState, evaluate_alarm};
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
    /// Copies the alarm's settings, and nothing else of it: M is always N, and missing data are always missing (R53-140,
    /// R53-144).
    #[must_use]
    pub const fn new(alarm: &Alarm, insufficient_data: InsufficientData, status: StatusSettings) -> Self {
        let copy = alarm.settings;
        let clock = EvaluationClock::new(&copy);
        Self { copy, insufficient_data, status, clock, last_known: true, evaluated: true }
    }

    /// Copies the settings anew, as they are now: until this, edits of the alarm do not reach the health check (R53-146).
    pub const fn update(&mut self, alarm: &Alarm) {
        self.copy = alarm.settings;
        self.clock.keep_pace_with(&self.copy);
    }

    /// When the next evaluation is due (R53-187); `None`: never, the check is disabled.
    #[must_use]
    pub const fn next_wakeup(&self) -> Option<LabTime> {
        if self.status.disabled { None } else { Some(self.clock.next()) }
    }

    /// Evaluates the metric, due or not. Of a disabled check the status never turns.
    pub fn evaluate(&mut self, now: LabTime, metric: &MetricStream) -> AlarmEvaluation {
        self.clock.evaluated(now);
        let before = self.is_healthy();
        let n = self.copy.evaluation_periods;
        let points = metric.datapoints(now, self.copy.period, self.copy.statistic, self.copy.evaluation_range());
        let breaching: Vec<_> = points.iter().map(|point| point.map(|value| self.copy.breaches(value))).collect();
        let state = evaluate_alarm(&breaching, n, n, MissingData::Missing, AlarmState::InsufficientData);
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
