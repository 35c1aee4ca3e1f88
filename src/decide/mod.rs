//! Decisions: health evidence in, admissible answers out.
//!
//! A decision never picks; it names every admissible answer with its probability and the path that led there.
//! Picking one is [`pick::pick`], with a generator that the caller seeds. Nothing here knows a socket or a clock.

mod flow;
mod lookup;
pub mod pick;
mod place;
mod reach;
mod remembered;
mod resource;
mod route53;
mod tiers;
mod viewpoint;
mod walk;

use hickory_proto::rr::{Name, RecordType};
use serde::{Deserialize, Serialize};

use crate::zone::{HealthCheckId, RecordSet, Zone, type_text};

pub use flow::{MULTIVALUE_LIMIT, RESOURCE_TTL};
pub use place::PlaceError;
pub use remembered::Remembered;
pub use resource::has_health;
pub use viewpoint::Viewpoint;

/// Everything a decision may know of health.
pub trait Evidence {
    /// The status of a Route 53 health check (R53-1), its inversion and disabling already applied.
    fn health_check_is_healthy(&self, id: &HealthCheckId) -> bool;
    /// Whether an AWS resource counts as healthy for evaluate target health (R53-96 to R53-100).
    fn resource_is_healthy(&self, target: &Name) -> bool;
    /// Whether an AWS resource's own name answers with the addresses of this zone (R53-163, R53-164). No decision
    /// depends on it; whoever puts an answer on the wire does.
    fn zone_is_answered(&self, target: &Name, zone: &str) -> bool;
}

/// One query, seen from where the decision places its sender.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The query name; case does not matter.
    pub name: Name,
    /// The query type.
    pub rtype: RecordType,
    /// Where the query comes from.
    pub viewpoint: Viewpoint,
}

/// Rules that AWS does not state in words. Each can be turned; the defaults are those of the rulebook (section 13).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one switch of the rulebook, independent of the others")]
pub struct Switches {
    /// A simple alias passes the health of its target up to its parent (R53-17).
    pub simple_alias_passes_health_up: bool,
    /// A group behind an alias is healthy only if a record *applicable to this query* is (R53-93).
    pub query_relative_health: bool,
    /// IP-based routing falls back to broader locations (R53-73).
    pub ip_based_falls_back: bool,
    /// A weight-0 record that is the only healthy one makes its group healthy for a parent (R53-8).
    pub zero_weight_keeps_group_healthy: bool,
    /// S3 websites, API Gateways and VPC interface endpoints always count as healthy (R53-97, R53-98).
    pub sites_and_gateways_always_healthy: bool,
}

impl Default for Switches {
    fn default() -> Self {
        Self {
            simple_alias_passes_health_up: true,
            query_relative_health: true,
            ip_based_falls_back: true,
            zero_weight_keeps_group_healthy: true,
            sites_and_gateways_always_healthy: true,
        }
    }
}

/// What a name server has to say to one question.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// What may be answered.
    pub outcome: Outcome,
    /// How the search went, group by group, in the order in which it was walked.
    pub path: Vec<Step>,
}

/// What may be answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Each admissible answer; never empty, the probabilities sum to 1.
    Answers(Vec<Admissible>),
    /// The name exists, the answer is empty (R53-55, R53-184).
    NoData,
    /// No such name (R53-184).
    NxDomain,
    /// The name lies below a delegation: these name servers know (their `NS` values).
    Referral {
        /// The delegated name.
        cut: Name,
        /// The name servers, in presentation format.
        servers: Vec<String>,
        /// Seconds.
        ttl: u32,
    },
    /// The name is not in this zone.
    NotInZone,
}

/// One answer that the rules admit.
#[derive(Clone, Debug, PartialEq)]
pub struct Admissible {
    /// Above 0, at most 1.
    pub probability: f64,
    /// The answer.
    pub answer: Answer,
    /// Whether some group on the way had no healthy record and was treated as all healthy (R53-10).
    pub last_resort: bool,
}

/// One answer: a record set, or the AWS resource that it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The type of the answer; `CNAME` when the name has one (R53-179).
    pub rtype: RecordType,
    /// Seconds: of the record finally chosen (R53-172), of the resource for an alias to one (R53-169 to R53-171).
    pub ttl: u32,
    /// What the answer holds.
    pub content: Content,
    /// The record sets passed on the way, outermost first; at the end all that a multivalue answer is made of.
    pub via: Vec<RecordRef>,
}

/// What an answer holds.
///
/// Answers with the same content, TTL and `last_resort` cannot be told apart from outside: they are one admissible
/// answer, whose `via` is the most probable way to it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Content {
    /// Values in presentation format. All of them, in random order (R53-14); with `at_most`, a random choice of
    /// that many (R53-74). Sorted and without duplicates here.
    ///
    /// Empty (with TTL 0) where one of several branches has nothing for this query: no data, with that probability.
    /// When all branches have nothing the outcome is [`Outcome::NoData`].
    Values {
        /// In presentation format.
        values: Vec<String>,
        /// A multivalue answer gives at most eight.
        at_most: Option<usize>,
    },
    /// The addresses of an AWS resource, by the alias target's name.
    Resource(Name),
}

/// Names one record set of a zone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RecordRef {
    /// Owner name, with its trailing dot.
    pub name: String,
    /// Record type.
    #[serde(rename = "type")]
    pub rtype: String,
    /// Set identifier, unless the policy is simple.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set_identifier: Option<String>,
}

impl RecordRef {
    /// Names `record`.
    #[must_use]
    pub fn of(record: &RecordSet) -> Self {
        Self {
            name: record.name.to_string(),
            rtype: type_text(record.rtype),
            set_identifier: record.set_identifier.clone(),
        }
    }
}

/// One group on the search's way, and what became of its records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Owner name of the group.
    pub group: String,
    /// The group's policy.
    pub policy: String,
    /// How deep below the question's own group, which is 0.
    pub depth: usize,
    /// What became of each record, in the order in which the search looked at them.
    pub considered: Vec<Considered>,
    /// How the group was left.
    pub end: StepEnd,
}

/// How the search left a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepEnd {
    /// At least one record could be used.
    Used,
    /// No record was healthy: the search returned to the parent.
    BackedOut,
    /// No record was healthy and there was no parent to return to: all were treated as healthy.
    LastResort,
    /// No record applies to this query.
    NothingApplies,
}

/// What became of one record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Considered {
    /// The record.
    pub record: RecordRef,
    /// Why it is in or out.
    pub reason: Reason,
}

/// Why a record is in or out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Usable.
    Healthy,
    /// Usable: there is nothing that could make it unhealthy (R53-3, R53-5).
    Unchecked,
    /// Its own health check is unhealthy.
    HealthCheckUnhealthy,
    /// Its alias target is unhealthy.
    TargetUnhealthy,
    /// A better tier had a usable record.
    NotReached,
    /// It does not apply to this query.
    NotApplicable,
    /// Taken as the last resort, whatever its health.
    LastResort,
}

/// Decides one question by the rules of Route 53 (rulebook, section 5.1).
///
/// The zone must have passed validation: every alias into the zone has its target, and there is no alias loop.
#[must_use]
pub fn decide(zone: &Zone, question: &Question, evidence: &dyn Evidence, switches: Switches) -> Decision {
    route53::decide(zone, question, evidence, switches)
}

#[cfg(test)]
mod tests;
