//! CloudWatch alarms on one metric: what they are set to, and how their state is evaluated (R53-187 to R53-201).

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::seconds;

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
