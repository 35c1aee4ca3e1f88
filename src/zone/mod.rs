//! A hosted zone as Route 53 keeps it: record sets, routing policies, aliases.
//!
//! Pure data and pure checks. Nothing here knows a socket, a clock or a lab.

pub(crate) mod apex;
pub mod cloud_dns;
pub(crate) mod document;
mod error;
mod listed;
mod name_text;
mod problem;
mod record_set;
mod record_type;
pub mod route53_json;
mod unknown;
pub mod validate;
pub(crate) mod values;

use std::collections::{BTreeMap, BTreeSet};

use hickory_proto::rr::{Name, RecordType};
use ipnet::IpNet;
use serde::{Deserialize, Serialize};

pub use document::Note;
pub use error::{ZoneError, ZoneErrors};
pub use name_text::name_of_text;
pub use problem::{AliasProblem, BatchProblem, GroupProblem, NameProblem, PolicyProblem, RecordProblem};
pub use record_set::{
    Alias, FailoverRole, GeoLocation, GeoproximityOrigin, HealthCheckId, Policy, RecordData, RecordSet,
};
pub use record_type::{SPF, SUPPORTED_TYPES, type_of_text, type_text, value_form};
pub use unknown::{Part, UNKNOWN, Unknown, is_unknown, unknown_name, unknown_of_name};

/// All record sets of one name and type. One routing policy holds for all of them.
///
/// The records are kept in the order of their set identifiers, so that no answer depends on the order of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The owner name, absolute and in lower case.
    pub name: Name,
    /// The record type that this group answers.
    pub rtype: RecordType,
    /// At least one record set.
    pub records: Vec<RecordSet>,
}

/// A CIDR collection: location name to blocks (R53-68 to R53-72).
pub type CidrCollection = BTreeMap<String, Vec<IpNet>>;

/// Who can ask a hosted zone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Visibility {
    /// Everybody.
    #[default]
    Public,
    /// The VPCs that it is associated with; their Region is all that is known of a sender (R53-83).
    Private,
}

/// A hosted zone: groups of record sets by name and type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "listed::Listed", into = "listed::Listed")]
pub struct Zone {
    /// The zone's own name, absolute and in lower case.
    pub apex: Name,
    /// Every group of the zone.
    pub groups: BTreeMap<(Name, RecordType), Group>,
    /// CIDR collections by their id, for IP-based routing.
    pub cidr_collections: BTreeMap<String, CidrCollection>,
    /// Who can ask it.
    pub visibility: Visibility,
    /// Whether it is signed with DNSSEC.
    pub signed: bool,
}

/// Seconds: a signed zone serves no TTL above a week (R53-177).
const LONGEST_SIGNED_TTL: u32 = 7 * 24 * 3600;

impl Zone {
    /// The group that answers `name` and `rtype`, matched exactly (no wildcard, no CNAME).
    #[must_use]
    pub fn group(&self, name: &Name, rtype: RecordType) -> Option<&Group> {
        self.groups.get(&(name.clone(), rtype))
    }

    /// A public, unsigned zone of these record sets: grouped by name and type, each group in the order of its set identifiers.
    #[must_use]
    pub fn of(apex: Name, records: impl IntoIterator<Item = RecordSet>) -> Self {
        let mut groups: BTreeMap<(Name, RecordType), Group> = BTreeMap::new();
        for record in records {
            let key = (record.name.clone(), record.rtype);
            let (name, rtype) = key.clone();
            groups.entry(key).or_insert_with(|| Group { name, rtype, records: Vec::new() }).records.push(record);
        }
        for group in groups.values_mut() {
            group.records.sort_by(|one, other| one.set_identifier.cmp(&other.set_identifier));
        }
        let (cidr_collections, visibility, signed) = (BTreeMap::new(), Visibility::default(), false);
        Self { apex, groups, cidr_collections, visibility, signed }
    }

    /// The zone with these record sets in place of its own.
    #[must_use]
    pub fn with_record_sets(&self, records: impl IntoIterator<Item = RecordSet>) -> Self {
        let Self { groups, .. } = Self::of(self.apex.clone(), records);
        Self { groups, ..self.clone() }
    }

    /// The TTL that a record set's own becomes in an answer, in seconds.
    #[must_use]
    pub fn served_ttl(&self, ttl: u32) -> u32 {
        if self.signed { ttl.min(LONGEST_SIGNED_TTL) } else { ttl }
    }

    /// Every record set, group by group.
    pub fn record_sets(&self) -> impl Iterator<Item = &RecordSet> {
        self.groups.values().flat_map(|group| &group.records)
    }

    /// Whether an alias to `target` leads to an AWS resource: whatever is not at or below the apex does.
    #[must_use]
    pub fn is_resource(&self, target: &Name) -> bool {
        !self.apex.zone_of(target)
    }

    /// The owner names of the zone.
    #[must_use]
    pub fn names_in_use(&self) -> BTreeSet<Name> {
        self.groups.keys().map(|(name, _)| name.clone()).collect()
    }

    /// The AWS resources that aliases of this zone point at.
    #[must_use]
    pub fn aliases_to_resources(&self) -> BTreeSet<Name> {
        self.record_sets()
            .filter_map(|record| match &record.data {
                RecordData::Alias(alias) if self.is_resource(&alias.target) => Some(alias.target.clone()),
                _ => None,
            })
            .collect()
    }

    /// Whether an alias of this zone evaluates the health of an AWS resource (ETH).
    #[must_use]
    pub fn evaluates(&self, target: &Name) -> bool {
        self.record_sets().any(|record| match &record.data {
            RecordData::Alias(alias) => alias.evaluate_target_health && alias.target == *target,
            RecordData::Values { .. } => false,
        })
    }

    /// The health checks that record sets of this zone name.
    #[must_use]
    pub fn health_check_ids(&self) -> BTreeSet<HealthCheckId> {
        self.record_sets().filter_map(|record| record.health_check.clone()).collect()
    }
}
