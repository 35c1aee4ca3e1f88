//! What must be seen.

use serde::Deserialize;

use super::WrittenDuration;

/// One expectation: exactly one of the keys.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ExpectFile {
    /// What the authoritative server answers.
    pub answer: Option<AnswerFile>,
    /// The health status that decisions use.
    pub health: Option<HealthFile>,
    /// Where a client's requests arrive.
    pub served: Option<ServedFile>,
    /// How long a stage may take.
    pub budget: Option<BudgetFile>,
    /// What a client may lose.
    pub loss: Option<LossFile>,
    /// Whether the metric behind a health check has data.
    pub data: Option<DataFile>,
    /// What the alarm that a health check copies says itself.
    pub alarm: Option<AlarmStateFile>,
    /// How often a health status turns.
    pub turns: Option<TurnsFile>,
    /// How often a client's requests go from cell to cell.
    pub swings: Option<SwingsFile>,
}

/// `answer: { from: Brazil, is: us-east-1, within: 95s }`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AnswerFile {
    /// As asked from this place.
    pub from: String,
    /// A cell, `nodata` or `nxdomain`.
    pub is: String,
    /// The name asked for; the drill's when missing.
    pub name: Option<String>,
    /// `A` or `AAAA`; `A` when missing.
    #[serde(rename = "type")]
    pub rtype: Option<String>,
    /// From some moment within this on. This, `once-within` or `holds`.
    pub within: Option<WrittenDuration>,
    /// At some moment within this; it need not last. This, `within` or `holds`.
    pub once_within: Option<WrittenDuration>,
    /// `always` or `never`. This, `within` or `once-within`.
    pub holds: Option<String>,
    /// `failover` or `failback`; `failover` when missing.
    pub during: Option<String>,
}

/// `health: { of: sa-east-1, is: unhealthy, within: 32s }`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HealthFile {
    /// A cell, or a health check's id.
    pub of: String,
    /// `healthy` or `unhealthy`.
    pub is: String,
    /// From some moment within this on. This, `once-within` or `holds`.
    pub within: Option<WrittenDuration>,
    /// At some moment within this; it need not last. This, `within` or `holds`.
    pub once_within: Option<WrittenDuration>,
    /// `always` or `never`. This, `within` or `once-within`.
    pub holds: Option<String>,
    /// `failover` or `failback`; `failover` when missing.
    pub during: Option<String>,
}

/// `data: { of: queue-sa-east-1, is: missing, within: 5m }`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DataFile {
    /// The id of a health check on an alarm.
    pub of: String,
    /// `missing` or `present`.
    pub is: String,
    /// From some moment within this on. This, `once-within` or `holds`.
    pub within: Option<WrittenDuration>,
    /// At some moment within this; it need not last. This, `within` or `holds`.
    pub once_within: Option<WrittenDuration>,
    /// `always` or `never`. This, `within` or `once-within`.
    pub holds: Option<String>,
    /// `failover` or `failback`; `failover` when missing.
    pub during: Option<String>,
}

/// `alarm: { of: queue-sa-east-1, is: insufficient-data, within: 5m }`. No health check follows it (R53-139, R53-144).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AlarmStateFile {
    /// The id of a health check on an alarm.
    pub of: String,
    /// `ok`, `alarm` or `insufficient-data`.
    pub is: String,
    /// From some moment within this on. This, `once-within` or `holds`.
    pub within: Option<WrittenDuration>,
    /// At some moment within this; it need not last. This, `within` or `holds`.
    pub once_within: Option<WrittenDuration>,
    /// `always` or `never`. This, `within` or `once-within`.
    pub holds: Option<String>,
    /// `failover` or `failback`; `failover` when missing.
    pub during: Option<String>,
}

/// `served: { client: br-fresh, by: us-east-1, within: 95s }`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ServedFile {
    /// The client.
    pub client: String,
    /// A cell, or `nobody`.
    pub by: String,
    /// From some moment within this on. This, `once-within` or `holds`.
    pub within: Option<WrittenDuration>,
    /// At some moment within this; it need not last. This, `within` or `holds`.
    pub once_within: Option<WrittenDuration>,
    /// `always` or `never`. This, `within` or `once-within`.
    pub holds: Option<String>,
    /// `failover` or `failback`; `failover` when missing.
    pub during: Option<String>,
}

/// `budget: { stage: detection, at-most: 32s }`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BudgetFile {
    /// `detection`, `authoritative`, `resolver`, `client` or `total`.
    pub stage: String,
    /// Lab time.
    pub at_most: WrittenDuration,
    /// A resolver (stage `resolver`) or a client (stages `client`, `total`); the last of all when missing.
    pub of: Option<String>,
    /// `failover` or `failback`; `failover` when missing.
    pub during: Option<String>,
}

/// `loss: { client: br-fresh, failed-at-most: 50 }`. At least one limit.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LossFile {
    /// The client.
    pub client: String,
    /// Requests without an answer, or with a 5xx one.
    pub failed_at_most: Option<u64>,
    /// Requests that took longer than the client's `slow`.
    pub slow_at_most: Option<u64>,
    /// Requests that went to the old cell after the authoritative answer had changed.
    pub stale_at_most: Option<u64>,
    /// `failover` or `failback`; `failover` when missing.
    pub during: Option<String>,
}

/// `turns: { of: us-east-1, at-least: 2, at-most: 4 }`. At least one limit.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TurnsFile {
    /// A cell, or a health check's id.
    pub of: String,
    /// Turns in the leg, both ways counted.
    pub at_least: Option<u64>,
    /// Turns in the leg, both ways counted; not below `at-least`.
    pub at_most: Option<u64>,
    /// `failover` or `failback`; `failover` when missing.
    pub during: Option<String>,
}

/// `swings: { client: app, at-most: 1 }`. At least one limit.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SwingsFile {
    /// The client.
    pub client: String,
    /// How often a request arrives at another cell than the one before it.
    pub at_least: Option<u64>,
    /// How often a request arrives at another cell than the one before it; not below `at-least`.
    pub at_most: Option<u64>,
    /// `failover` or `failback`; `failover` when missing.
    pub during: Option<String>,
}
