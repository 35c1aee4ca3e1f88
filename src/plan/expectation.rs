//! What a drill expects to see, as the verdict reads it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::{optional_seconds, seconds};
use crate::health::AlarmState;

use super::Family;

/// One expectation, with the words of the drill file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expectation {
    /// One line for people, for example `Brazil is answered us-east-1 within 95s`.
    pub text: String,
    /// `drills/database-down.yaml:40:5`.
    pub at: String,
    /// The leg of the run that it speaks of.
    pub during: Leg,
    /// What must be seen.
    pub claim: Claim,
}

/// A leg of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Leg {
    /// From the fault to the heal; times count from the moment the fault holds.
    #[default]
    Failover,
    /// From the heal to the end; times count from the moment the fault is seen to be gone.
    Failback,
}

/// What must be seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// What the authoritative server answers, asked directly as from a place.
    Answer {
        /// Absolute.
        name: String,
        /// The family asked for.
        family: Family,
        /// As from where.
        place: String,
        /// What is answered.
        answer: ExpectedAnswer,
        /// When.
        holds: Holds,
    },
    /// The health status that decisions use.
    Health {
        /// A cell, a health check's id, or a probe, whose status is its last result.
        of: String,
        /// The status.
        healthy: bool,
        /// When.
        holds: Holds,
    },
    /// Whether the metric behind a health check on an alarm has data, period by period.
    Data {
        /// The health check.
        of: String,
        /// Whether there are none.
        missing: bool,
        /// When.
        holds: Holds,
    },
    /// The state of the alarm whose settings a health check copies, as `CloudWatch` itself evaluates it.
    Alarm {
        /// The health check.
        of: String,
        /// The alarm's state.
        state: AlarmState,
        /// When.
        holds: Holds,
    },
    /// Where a client's requests arrive, read from the arrivals at the cells.
    Served {
        /// The client.
        client: String,
        /// The cell; `None` for nobody: none of its requests is served.
        by: Option<String>,
        /// When.
        holds: Holds,
    },
    /// How long a stage may take.
    Budget {
        /// The stage.
        stage: Stage,
        /// One resolver's or client's own; `None` for the last of all that are predicted to move.
        of: Option<String>,
        /// Lab time.
        #[serde(default, with = "optional_seconds", skip_serializing_if = "Option::is_none")]
        at_least: Option<Duration>,
        /// Lab time.
        #[serde(default, with = "optional_seconds", skip_serializing_if = "Option::is_none")]
        at_most: Option<Duration>,
    },
    /// How often a health status turns in the leg.
    Turns {
        /// A cell, a health check's id, or a probe.
        of: String,
        /// Turns, both ways counted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_least: Option<u64>,
        /// Turns, both ways counted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_most: Option<u64>,
    },
    /// How often a client's requests arrive at another cell than the ones before, in the leg.
    Swings {
        /// The client.
        client: String,
        /// Changes of the cell.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_least: Option<u64>,
        /// Changes of the cell.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_most: Option<u64>,
    },
    /// What a client may lose between the fault and its move (the whole leg, when it never moves).
    Loss {
        /// The client.
        client: String,
        /// Requests that got no answer, or a 5xx one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failed_at_most: Option<u64>,
        /// Requests that took longer than the client's own limit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        slow_at_most: Option<u64>,
        /// Requests that arrived at the cell which was to be left, after the authoritative answer had changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stale_at_most: Option<u64>,
    },
}

impl Claim {
    /// When it holds, for a claim about observations; `None` for budgets and losses.
    #[must_use]
    pub const fn holds(&self) -> Option<Holds> {
        match self {
            Self::Answer { holds, .. }
            | Self::Health { holds, .. }
            | Self::Data { holds, .. }
            | Self::Alarm { holds, .. }
            | Self::Served { holds, .. } => Some(*holds),
            Self::Budget { .. } | Self::Turns { .. } | Self::Swings { .. } | Self::Loss { .. } => None,
        }
    }

    /// Its deadline, if it has one.
    #[must_use]
    pub const fn within(&self) -> Option<Duration> {
        match self.holds() {
            Some(Holds::Within(within) | Holds::OnceWithin(within) | Holds::AgainWithin(within)) => Some(within),
            _ => None,
        }
    }
}

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExpectedAnswer {
    /// Addresses of this cell.
    Cell(String),
    /// Addresses of each of these zones, and of nothing else; sorted.
    Zones(Vec<String>),
    /// No error, no records.
    NoData,
    /// No such name.
    NxDomain,
}

/// When a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Holds {
    /// From some moment within this on, to the end of the leg.
    Within(#[serde(with = "seconds")] Duration),
    /// At some moment within this; it need not last.
    OnceWithin(#[serde(with = "seconds")] Duration),
    /// At some moment within this, after it was otherwise in the leg; it need not last.
    AgainWithin(#[serde(with = "seconds")] Duration),
    /// At every observation of the leg.
    Always,
    /// At no observation of the leg.
    Never,
}

/// A stage of a failover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// From the fault to the health status.
    Detection,
    /// From the health status to the authoritative answer.
    Authoritative,
    /// From the authoritative answer to a resolver's.
    Resolver,
    /// From its resolver's answer to a client's requests.
    Client,
    /// From the fault to a client's requests.
    Total,
}
