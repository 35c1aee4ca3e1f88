//! The evidence of the zone's health checks: endpoints, other checks, alarms, routing controls.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::WrittenDuration;

/// A Route 53 health check: exactly one of `http`, `https`, `tcp`, `calculated`, `alarm` and `routing-control`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HealthCheckFile {
    /// The cell that an endpoint check looks at. Stands with `http`, `https` and `tcp`, and with nothing else.
    pub cell: Option<String>,
    /// The path that is asked for.
    pub http: Option<String>,
    /// The path that is asked for by HTTPS. The certificate is not validated (R53-116).
    pub https: Option<String>,
    /// The TCP port that is connected to: 80, or 8081 of a cell with a prober.
    pub tcp: Option<u16>,
    /// The port of an `http` check, 80, or 8081 of a cell with a prober; 80 when missing. An `https` check has 443.
    pub port: Option<u16>,
    /// Sent as `Host` (R53-118); the address when missing. An endpoint by `name` has its name.
    pub host: Option<String>,
    /// The endpoint by its name in the zone, resolved at each interval (R53-119); by the cell's address when missing.
    pub name: Option<String>,
    /// Whether an `https` check sends the host name in its client hello (R53-117); `true` when missing.
    pub sni: Option<bool>,
    /// What the body of an `http` or `https` check must contain in its first 5,120 bytes (R53-113, R53-114).
    pub contains: Option<String>,
    /// 10 s or 30 s (R53-121); 30 s when missing.
    pub interval: Option<WrittenDuration>,
    /// 1 to 10 (R53-122); 3 when missing.
    pub failure_threshold: Option<u32>,
    /// The health checks that are counted, by their id; at most 255, none of them calculated (R53-128 to R53-138).
    pub calculated: Option<Vec<String>>,
    /// How many of the `calculated` must be healthy; must be written (R53-132).
    pub healthy_threshold: Option<u32>,
    /// The alarm whose settings are copied (R53-139, R53-140).
    pub alarm: Option<AlarmFile>,
    /// What an `alarm` without enough data means: `healthy`, `unhealthy` or `last-known-status` (R53-142); must be
    /// written.
    pub insufficient_data: Option<String>,
    /// The routing control whose status this is (R53-154).
    pub routing_control: Option<String>,
    /// The opposite of the status is used (R53-104).
    #[serde(default)]
    pub inverted: bool,
    /// Not evaluated, always healthy, and with `inverted` always unhealthy (R53-105, R53-106).
    #[serde(default)]
    pub disabled: bool,
}

/// A `CloudWatch` alarm on one metric: exactly one of `queue-age-of`, `dead-letter-age-of` and `success-of`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AlarmFile {
    /// The age of the oldest message in this cell's queue, seconds.
    pub queue_age_of: Option<String>,
    /// The age of the oldest message in this cell's dead-letter queue, seconds since it was moved there (R53-205).
    pub dead_letter_age_of: Option<String>,
    /// 1 when this synthetic probe succeeded, 0 when not.
    pub success_of: Option<String>,
    /// Refused: no health check follows an alarm on metric math (R53-150).
    pub metric_math: Option<IgnoredAny>,
    /// `average`, `minimum`, `maximum`, `sum` or `sample-count` (R53-149); must be written.
    pub statistic: Option<String>,
    /// `greater-than-threshold`, `greater-than-or-equal-to-threshold`, `less-than-threshold` or
    /// `less-than-or-equal-to-threshold`; must be written.
    pub comparison: Option<String>,
    /// What is compared with: seconds for an age, 0 to 1 for `success-of`; must be written.
    pub threshold: Option<f64>,
    /// What one datapoint is made over, at least 60 s (R53-148); 60 s when missing.
    pub period: Option<WrittenDuration>,
    /// N: how many of the latest periods are looked at (R53-188); 1 when missing.
    pub evaluation_periods: Option<u32>,
    /// M: how many of them must breach; `evaluation-periods` when missing, and no other for a health check (R53-151).
    pub datapoints_to_alarm: Option<u32>,
    /// `missing`, `ignore`, `breaching` or `not-breaching`; the health check ignores it (R53-144). `missing` when
    /// missing.
    pub treat_missing_data: Option<String>,
}

/// Switches that an operator turns, and the safety rule that holds for all of them.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RoutingControlsFile {
    /// Each control, `on` or `off` at the start.
    pub controls: BTreeMap<String, String>,
    /// A turn that leaves fewer on is refused; 0, no safety rule, when missing.
    #[serde(default)]
    pub at_least_on: u32,
}
