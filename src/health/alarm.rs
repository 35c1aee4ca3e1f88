//! CloudWatch alarms on one metric: what they are set to, and what of it is possible (R53-187 to R53-201).
//!
//! How a state comes out of datapoints is the matter of the evaluation; nothing here holds a datapoint.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::seconds;

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

/// An alarm that CloudWatch or Route 53 would refuse.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum AlarmSettingsError {
    /// CloudWatch API Reference, `PutMetricAlarm`.
    #[error("period {0:?} is not possible: expected 10 s, 20 s, 30 s, or whole minutes")]
    Period(Duration),
    /// CloudWatch API Reference, `PutMetricAlarm`.
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
    /// When CloudWatch would refuse this alarm.
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
    /// When CloudWatch would refuse this alarm, or Route 53 a health check on it (R53-148, R53-151).
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

    /// From the first breaching sample to `ALARM` with N of N, best and worst, when the metric has a sample in every
    /// period, and every sample breaches from then on.
    ///
    /// The period of the first sample ends up to a whole period later. Where one breaching sample does not make the
    /// whole period breach (a maximum that must be low, any average), that period may not count yet.
    #[must_use]
    pub const fn alarms_within(&self) -> (Duration, Duration) {
        let n = self.evaluation_periods;
        let partial = if self.one_sample_makes_it_breach() { 0 } else { 1 };
        (self.period.saturating_mul(n.saturating_sub(1)), self.period.saturating_mul(n.saturating_add(partial)))
    }

    /// From the first sample that does not breach to `OK` with N of N, best and worst, when the metric has a sample in
    /// every period, and none breaches from then on.
    #[must_use]
    pub const fn clears_within(&self) -> (Duration, Duration) {
        let worst = if self.one_sample_makes_it_fine() { 1 } else { 2 };
        (Duration::ZERO, self.period.saturating_mul(worst))
    }

    /// From the last sample of a metric that ends to the first evaluation whose range holds no real datapoint, best
    /// and worst (R53-192, R53-201).
    #[must_use]
    pub const fn empties_within(&self) -> (Duration, Duration) {
        let range = self.evaluation_range();
        (self.period.saturating_mul(range), self.period.saturating_mul(range.saturating_add(1)))
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
