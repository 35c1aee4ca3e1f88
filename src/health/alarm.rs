//! `CloudWatch` alarms on one metric: what they are set to, and what of it is possible (R53-187 to R53-201).
//!
//! How a state comes out of datapoints is the matter of the evaluation; nothing here holds a datapoint.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::{LabTime, seconds};

/// The shortest period that a health check can be based on (R53-148).
const SHORTEST_CHECK_PERIOD: Duration = Duration::from_secs(60);
/// The longest `period` x `evaluation_periods` (R53-200).
const LONGEST_RANGE: Duration = Duration::from_secs(604_800);
/// The same for periods below [`LONG_PERIOD`] (R53-200).
const LONGEST_RANGE_OF_SHORT_PERIODS: Duration = Duration::from_secs(86_400);
const LONG_PERIOD: Duration = Duration::from_secs(3_600);
/// So many periods more than N are looked at for real datapoints: AWS's examples read 5 when N is 3, and say that the
/// number depends on period and resolution without saying how (R53-189).
const RANGE_BEYOND_N: u32 = 2;

/// What is compared, and how: what a Route 53 health check copies of an alarm (R53-140).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AlarmSettings {
    /// What a period's datapoint is made of.
    pub statistic: Statistic,
    /// At least 60 s for a health check (R53-148).
    #[serde(with = "seconds")]
    pub period: Duration,
    /// N: so many of the latest periods are looked at (R53-188).
    pub evaluation_periods: u32,
    /// What datapoints are compared with.
    pub threshold: f64,
    /// When a datapoint breaches.
    pub comparison: Comparison,
}

/// An alarm as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alarm {
    /// What a health check copies.
    pub settings: AlarmSettings,
    /// M: so many breaching datapoints of the N make an alarm (R53-188). A health check knows only N of N (R53-151).
    pub datapoints_to_alarm: u32,
    /// How missing datapoints are treated. A health check ignores it (R53-144).
    pub treat_missing_data: MissingData,
}

/// An alarm that `CloudWatch` or Route 53 would refuse.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum AlarmSettingsError {
    /// `CloudWatch` API Reference, `PutMetricAlarm`.
    #[error("period {0:?} is not possible: expected 10 s, 20 s, 30 s, or whole minutes")]
    Period(Duration),
    /// `CloudWatch` API Reference, `PutMetricAlarm`.
    #[error("0 evaluation periods are not possible: expected at least 1")]
    EvaluationPeriods,
    /// R53-188.
    #[error("{m} datapoints to alarm of {n} evaluation periods are not possible: expected 1 to {n} (R53-188)")]
    DatapointsToAlarm {
        /// M.
        m: u32,
        /// N.
        n: u32,
    },
    /// R53-200.
    #[error(
        "{n} evaluation periods of {period:?} are not possible: expected at most {longest:?} in all for this period \
         (R53-200)"
    )]
    Range {
        /// N.
        n: u32,
        /// The period.
        period: Duration,
        /// The longest range for such a period.
        longest: Duration,
    },
    /// No number that anything could be compared with.
    #[error("threshold {0} is not possible: expected a finite number")]
    Threshold(f64),
    /// R53-148.
    #[error("period {0:?} is not possible for a health check: expected at least 60 s (R53-148)")]
    HighResolution(Duration),
    /// R53-151.
    #[error("{m} of {n} datapoints are not possible for a health check: it knows only {n} of {n} (R53-151)")]
    FewerThanN {
        /// M.
        m: u32,
        /// N.
        n: u32,
    },
}

impl Alarm {
    /// # Errors
    /// When `CloudWatch` would refuse this alarm.
    pub fn validate(&self) -> Result<(), AlarmSettingsError> {
        use AlarmSettingsError as Error;
        let AlarmSettings { period, evaluation_periods: n, threshold, .. } = self.settings;
        let whole_minutes = period.as_nanos() % Duration::from_secs(60).as_nanos() == 0 && !period.is_zero();
        if !whole_minutes && ![10, 20, 30].map(Duration::from_secs).contains(&period) {
            return Err(Error::Period(period));
        }
        if n == 0 {
            return Err(Error::EvaluationPeriods);
        }
        if !(1..=n).contains(&self.datapoints_to_alarm) {
            return Err(Error::DatapointsToAlarm { m: self.datapoints_to_alarm, n });
        }
        let longest = if period < LONG_PERIOD { LONGEST_RANGE_OF_SHORT_PERIODS } else { LONGEST_RANGE };
        if period.saturating_mul(n) > longest {
            return Err(Error::Range { n, period, longest });
        }
        if threshold.is_finite() { Ok(()) } else { Err(Error::Threshold(threshold)) }
    }

    /// # Errors
    /// When `CloudWatch` would refuse this alarm, or Route 53 a health check on it (R53-148, R53-151).
    pub fn validate_for_health_check(&self) -> Result<(), AlarmSettingsError> {
        self.validate()?;
        let AlarmSettings { period, evaluation_periods: n, .. } = self.settings;
        if period < SHORTEST_CHECK_PERIOD {
            return Err(AlarmSettingsError::HighResolution(period));
        }
        if self.datapoints_to_alarm < n {
            return Err(AlarmSettingsError::FewerThanN { m: self.datapoints_to_alarm, n });
        }
        Ok(())
    }
}

impl AlarmSettings {
    /// The evaluation range: so many of the latest periods are looked at for datapoints (R53-189).
    #[must_use]
    pub const fn evaluation_range(&self) -> u32 {
        self.evaluation_periods.saturating_add(RANGE_BEYOND_N)
    }

    /// Whether a datapoint breaches.
    #[must_use]
    pub fn breaches(&self, datapoint: f64) -> bool {
        self.comparison.breaches(datapoint, self.threshold)
    }

    /// From one evaluation to the next (R53-187).
    #[must_use]
    pub const fn evaluated_every(&self) -> Duration {
        let seconds = if self.period.as_secs() < SHORTEST_CHECK_PERIOD.as_secs() { 10 } else { 60 };
        Duration::from_secs(seconds)
    }

    /// When an evaluation was last due, counted from the lab's start: at a whole multiple of its interval.
    #[must_use]
    pub const fn evaluation_due(&self, now: LabTime) -> Duration {
        let now = now.since_start();
        let over = now.as_secs() % self.evaluated_every().as_secs();
        Duration::from_secs(now.as_secs() - over)
    }

    /// So old is the oldest sample that an evaluation looks at, when it is an interval late at most.
    #[must_use]
    pub const fn looks_back(&self) -> Duration {
        self.period.saturating_mul(self.evaluation_range()).saturating_add(self.evaluated_every())
    }

    /// From the first breaching sample to `ALARM` with N of N, best and worst, when the metric has a sample in every
    /// period, and every sample breaches from then on.
    ///
    /// The oldest of the N periods must have slid over the first sample (R53-187). Where one breaching sample does not
    /// make the whole period breach (a maximum that must be low, any average), it must begin after the last that does
    /// not.
    #[must_use]
    pub const fn alarms_within(&self) -> (Duration, Duration) {
        let before = self.evaluation_periods.saturating_sub(1);
        let partial = if self.one_sample_makes_it_breach() { 0 } else { 1 };
        (self.period.saturating_mul(before), self.and_an_evaluation(before.saturating_add(partial)))
    }

    /// From the first sample that does not breach to `OK` with N of N, best and worst, when the metric has a sample in
    /// every period, and none breaches from then on.
    #[must_use]
    pub const fn clears_within(&self) -> (Duration, Duration) {
        let partial = if self.one_sample_makes_it_fine() { 0 } else { 1 };
        (Duration::ZERO, self.and_an_evaluation(partial))
    }

    /// From the last sample of a metric that ends to the first evaluation whose range holds no real datapoint, best
    /// and worst (R53-192, R53-201).
    #[must_use]
    pub const fn empties_within(&self) -> (Duration, Duration) {
        let range = self.evaluation_range();
        (self.period.saturating_mul(range), self.and_an_evaluation(range))
    }

    /// So many periods, and the time until the next evaluation.
    const fn and_an_evaluation(&self, periods: u32) -> Duration {
        self.period.saturating_mul(periods).saturating_add(self.evaluated_every())
    }

    /// Whether a period breaches as soon as one of its samples does.
    const fn one_sample_makes_it_breach(&self) -> bool {
        matches!(
            (self.statistic, self.comparison.is_upwards()),
            (Statistic::Maximum, true) | (Statistic::Minimum, false)
        )
    }

    /// Whether a period does not breach as soon as one of its samples does not.
    const fn one_sample_makes_it_fine(&self) -> bool {
        matches!(
            (self.statistic, self.comparison.is_upwards()),
            (Statistic::Maximum, false) | (Statistic::Minimum, true)
        )
    }
}

/// A period's datapoint (R53-149).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "CloudWatch's own words")]
pub enum Statistic {
    Average,
    Minimum,
    Maximum,
    Sum,
    SampleCount,
}

impl Statistic {
    /// The datapoint of a period with these samples; `None` when there are none.
    #[must_use]
    pub fn of(self, samples: &[f64]) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "the samples of a period stay far below 2^53")]
        let count = samples.len() as f64;
        let sum = || samples.iter().sum::<f64>();
        (!samples.is_empty()).then(|| match self {
            Self::Average => sum() / count,
            Self::Minimum => samples.iter().copied().fold(f64::INFINITY, f64::min),
            Self::Maximum => samples.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            Self::Sum => sum(),
            Self::SampleCount => count,
        })
    }
}

impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Average => "average",
            Self::Minimum => "minimum",
            Self::Maximum => "maximum",
            Self::Sum => "sum",
            Self::SampleCount => "sample count",
        })
    }
}

/// When a datapoint breaches: the four plain operators (R53-140).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "CloudWatch's own words")]
pub enum Comparison {
    GreaterThanThreshold,
    GreaterThanOrEqualToThreshold,
    LessThanThreshold,
    LessThanOrEqualToThreshold,
}

impl Comparison {
    /// Whether a datapoint breaches.
    #[must_use]
    pub fn breaches(self, datapoint: f64, threshold: f64) -> bool {
        match self {
            Self::GreaterThanThreshold => datapoint > threshold,
            Self::GreaterThanOrEqualToThreshold => datapoint >= threshold,
            Self::LessThanThreshold => datapoint < threshold,
            Self::LessThanOrEqualToThreshold => datapoint <= threshold,
        }
    }

    const fn is_upwards(self) -> bool {
        matches!(self, Self::GreaterThanThreshold | Self::GreaterThanOrEqualToThreshold)
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::GreaterThanThreshold => ">",
            Self::GreaterThanOrEqualToThreshold => ">=",
            Self::LessThanThreshold => "<",
            Self::LessThanOrEqualToThreshold => "<=",
        })
    }
}

/// How missing datapoints are treated (R53-191, R53-192).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MissingData {
    /// As missing: the alarm may become `INSUFFICIENT_DATA`.
    #[default]
    Missing,
    /// The state is kept.
    Ignore,
    /// As breaching.
    Breaching,
    /// As not breaching.
    NotBreaching,
}

impl MissingData {
    /// What holds for a metric of this namespace when the alarm says nothing: the state is kept for `AWS/DynamoDB`
    /// (R53-196).
    #[must_use]
    pub fn default_for(namespace: &str) -> Self {
        if namespace == "AWS/DynamoDB" { Self::Ignore } else { Self::default() }
    }
}

/// What a health check makes of insufficient data (R53-142).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InsufficientData {
    /// Healthy.
    Healthy,
    /// Unhealthy.
    Unhealthy,
    /// What it was last; healthy when it never was anything.
    LastKnownStatus,
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn secs(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// A maximum above 300.
    fn alarm(period: u64, n: u32, m: u32) -> Alarm {
        let settings = AlarmSettings {
            statistic: Statistic::Maximum,
            period: secs(period),
            evaluation_periods: n,
            threshold: 300.0,
            comparison: Comparison::GreaterThanThreshold,
        };
        Alarm { settings, datapoints_to_alarm: m, treat_missing_data: MissingData::Missing }
    }

    #[test]
    fn r53_140_a_datapoint_on_the_threshold_breaches_only_where_the_operator_says_equal() {
        let breaches = |comparison: Comparison| [299.0, 300.0, 301.0].map(|value| comparison.breaches(value, 300.0));
        assert_eq!(breaches(Comparison::GreaterThanThreshold), [false, false, true]);
        assert_eq!(breaches(Comparison::GreaterThanOrEqualToThreshold), [false, true, true]);
        assert_eq!(breaches(Comparison::LessThanThreshold), [true, false, false]);
        assert_eq!(breaches(Comparison::LessThanOrEqualToThreshold), [true, true, false]);
    }

    #[test]
    fn r53_148_a_period_below_a_minute_is_refused_for_a_health_check_only() {
        for period in [10, 20, 30] {
            assert_eq!(alarm(period, 1, 1).validate(), Ok(()));
            let refused = alarm(period, 1, 1).validate_for_health_check();
            assert_eq!(refused, Err(AlarmSettingsError::HighResolution(secs(period))));
        }
        assert_eq!(alarm(60, 1, 1).validate_for_health_check(), Ok(()));
    }

    #[test]
    fn a_period_that_cloud_watch_does_not_know_is_refused() {
        for period in [0, 1, 45, 61, 90] {
            assert_eq!(alarm(period, 1, 1).validate(), Err(AlarmSettingsError::Period(secs(period))));
        }
        assert_eq!(alarm(120, 1, 1).validate(), Ok(()));
    }

    #[test]
    fn r53_149_a_datapoint_is_one_of_five_statistics_and_no_percentile() {
        let samples = [4.0, 1.0, 1.0, 2.0];
        let of = |statistic: Statistic| statistic.of(&samples);
        assert_eq!(of(Statistic::Average), Some(2.0));
        assert_eq!(of(Statistic::Minimum), Some(1.0));
        assert_eq!(of(Statistic::Maximum), Some(4.0));
        assert_eq!(of(Statistic::Sum), Some(8.0));
        assert_eq!(of(Statistic::SampleCount), Some(4.0));
        assert_eq!(Statistic::SampleCount.of(&[]), None, "a period without a sample has no datapoint");
        assert!(serde_json::from_str::<Statistic>("\"p99\"").is_err());
        assert_eq!(serde_json::from_str::<Statistic>("\"sample-count\"").unwrap(), Statistic::SampleCount);
    }

    #[test]
    fn r53_151_fewer_than_all_of_n_are_refused_for_a_health_check_only() {
        assert_eq!(alarm(60, 3, 2).validate(), Ok(()));
        let refused = alarm(60, 3, 2).validate_for_health_check();
        assert_eq!(refused, Err(AlarmSettingsError::FewerThanN { m: 2, n: 3 }));
        assert_eq!(alarm(60, 3, 3).validate_for_health_check(), Ok(()));
    }

    #[test]
    fn r53_187_long_periods_are_evaluated_every_minute_and_short_ones_every_ten_seconds() {
        for (period, every) in [(10, 10), (20, 10), (30, 10), (60, 60), (300, 60)] {
            assert_eq!(alarm(period, 1, 1).settings.evaluated_every(), secs(every), "{period} s");
        }
    }

    #[test]
    fn r53_188_m_is_from_1_to_n() {
        for m in [0, 4] {
            assert_eq!(alarm(60, 3, m).validate(), Err(AlarmSettingsError::DatapointsToAlarm { m, n: 3 }));
        }
        assert_eq!(alarm(60, 0, 0).validate(), Err(AlarmSettingsError::EvaluationPeriods));
    }

    #[test]
    fn r53_189_five_periods_are_looked_at_when_n_is_three() {
        assert_eq!(alarm(60, 3, 3).settings.evaluation_range(), 5);
    }

    #[test]
    fn r53_196_missing_data_of_dynamo_db_are_ignored_by_default() {
        assert_eq!(MissingData::default_for("AWS/DynamoDB"), MissingData::Ignore);
        assert_eq!(MissingData::default_for("AWS/SQS"), MissingData::Missing);
    }

    #[test]
    fn r53_200_all_periods_together_last_a_day_at_most_or_a_week_when_each_lasts_an_hour() {
        for (period, n) in [(60, 1_440), (3_540, 24), (3_600, 168), (604_800, 1)] {
            assert_eq!(alarm(period, n, n).validate(), Ok(()), "{n} of {period} s");
        }
        for (period, n, longest) in [(60, 1_441, 86_400), (3_540, 25, 86_400), (3_600, 169, 604_800)] {
            let error = AlarmSettingsError::Range { n, period: secs(period), longest: secs(longest) };
            assert_eq!(alarm(period, n, n).validate(), Err(error));
        }
    }

    #[test]
    fn a_threshold_that_is_no_number_is_refused() {
        let mut alarm = alarm(60, 1, 1);
        alarm.settings.threshold = f64::INFINITY;
        assert_eq!(alarm.validate(), Err(AlarmSettingsError::Threshold(f64::INFINITY)));
    }

    #[test]
    fn the_bounds_of_one_period_of_a_minute() {
        let settings = alarm(60, 1, 1).settings;
        assert_eq!(settings.alarms_within(), (Duration::ZERO, secs(60)));
        assert_eq!(settings.clears_within(), (Duration::ZERO, secs(120)));
        assert_eq!(settings.empties_within(), (secs(180), secs(240)));
    }

    #[test]
    fn r53_187_a_long_period_turns_within_a_minute_of_where_its_window_slides() {
        let mut settings = alarm(300, 2, 2).settings;
        assert_eq!(settings.alarms_within(), (secs(300), secs(360)));
        assert_eq!(settings.clears_within(), (Duration::ZERO, secs(360)));
        assert_eq!(settings.empties_within(), (secs(1_200), secs(1_260)));
        settings.statistic = Statistic::Minimum;
        assert_eq!(settings.alarms_within(), (secs(300), secs(660)), "the fine samples must have left both periods");
        assert_eq!(settings.clears_within(), (Duration::ZERO, secs(60)));
    }
}
