//! What must be seen.

use serde::Deserialize;

use super::{OneOrMore, WrittenDuration};

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

/// A claim about observations: keys of its own, and those that say when it is to be so. (Serde can flatten the latter in,
/// but then no error knows where in the file a key stands, nor which keys there are.)
macro_rules! observed {
    ($(#[$about:meta])* $name:ident { $($(#[$key_about:meta])* $key:ident: $value:ty,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        pub struct $name {
            $($(#[$key_about])* pub $key: $value,)*
            /// From some moment within this on. Exactly one of this, `once-within`, `again-within` and `holds`.
            pub within: Option<WrittenDuration>,
            /// At some moment within this; it need not last.
            pub once_within: Option<WrittenDuration>,
            /// At some moment within this, after it was otherwise in the leg; it need not last.
            pub again_within: Option<WrittenDuration>,
            /// `always` or `never`.
            pub holds: Option<String>,
            /// `failover` or `failback`; `failover` when missing.
            pub during: Option<String>,
        }

        impl $name {
            /// When it is to be so.
            pub(in super::super) fn when(&self) -> When<'_> {
                When {
                    within: self.within.as_ref(),
                    once_within: self.once_within.as_ref(),
                    again_within: self.again_within.as_ref(),
                    holds: self.holds.as_deref(),
                }
            }
        }
    };
}

/// When a claim about observations is to be so, as it is written.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct When<'a> {
    pub(in super::super) within: Option<&'a WrittenDuration>,
    pub(in super::super) once_within: Option<&'a WrittenDuration>,
    pub(in super::super) again_within: Option<&'a WrittenDuration>,
    pub(in super::super) holds: Option<&'a str>,
}

observed! {
    /// `answer: { from: Brazil, is: us-east-1, within: 95s }`.
    AnswerFile {
        /// As asked from this place.
        from: String,
        /// A cell, `nodata` or `nxdomain`; or the zones of a cell that are answered, and no others.
        is: OneOrMore,
        /// The name asked for; the drill's when missing.
        name: Option<String>,
        /// `A` or `AAAA`; `A` when missing.
        #[serde(rename = "type")]
        rtype: Option<String>,
    }
}

observed! {
    /// `health: { of: sa-east-1, is: unhealthy, within: 32s }`.
    HealthFile {
        /// A cell, one of its zones, a health check's id, or a probe: it is healthy when its last result was a success.
        of: String,
        /// `healthy` or `unhealthy`.
        is: String,
    }
}

observed! {
    /// `alarm: { of: queue-sa-east-1, is: insufficient-data, within: 5m }`. No health check follows it (R53-139, R53-144).
    AlarmStateFile {
        /// The id of a health check on an alarm.
        of: String,
        /// `ok`, `alarm` or `insufficient-data`.
        is: String,
    }
}

observed! {
    /// `data: { of: queue-sa-east-1, is: missing, within: 5m }`.
    DataFile {
        /// The id of a health check on an alarm.
        of: String,
        /// `missing` or `present`.
        is: String,
    }
}

observed! {
    /// `served: { client: br-fresh, by: us-east-1, within: 95s }`.
    ServedFile {
        /// The client.
        client: String,
        /// A cell, or `nobody`.
        by: String,
    }
}

/// `budget: { stage: detection, at-most: 32s }`. At least one limit.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BudgetFile {
    /// `detection`, `authoritative`, `resolver`, `client` or `total`.
    pub stage: String,
    /// Lab time; not above `at-most`.
    pub at_least: Option<WrittenDuration>,
    /// Lab time.
    pub at_most: Option<WrittenDuration>,
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
    /// A cell, a health check's id, or a probe.
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
