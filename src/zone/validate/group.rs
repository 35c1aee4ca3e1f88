//! Record sets of one name and type, together.

use std::collections::BTreeSet;

use super::super::{FailoverRole, GeoLocation, Group, GroupProblem, Policy, RecordData, RecordSet, ZoneError};
use super::title;

pub(super) fn check(group: &Group, problems: &mut Vec<ZoneError>) {
    let in_file_order = {
        let mut records: Vec<&RecordSet> = group.records.iter().collect();
        records.sort_by_key(|record| (record.at.line, record.at.column));
        records
    };
    let mut refuse = |record: &RecordSet, problem| {
        problems.push(ZoneError::Group { at: record.at.clone(), problem });
    };
    for record in once_each(&in_file_order, |record| record.set_identifier.clone()) {
        let identifier = record.set_identifier.clone().unwrap_or_default();
        refuse(record, GroupProblem::DuplicateSetIdentifier { group: title(group), identifier });
    }
    one_policy(group, &in_file_order, &mut refuse);
    for record in once_each(&in_file_order, |record| Unique::of(&record.policy)) {
        if let Some(unique) = Unique::of(&record.policy) {
            refuse(record, unique.problem(title(group)));
        }
    }
    one_collection(group, &in_file_order, &mut refuse);
    one_ttl(group, &in_file_order, &mut refuse);
    if let Some(first) = in_file_order.first() {
        let limit = if matches!(first.policy, Policy::Geoproximity { .. }) { 30 } else { 100 };
        let (count, policy) = (group.records.len(), first.policy.name());
        if count > limit {
            refuse(first, GroupProblem::TooMany { group: title(group), policy, count, limit });
        }
    }
}

/// The records whose key stood before; a `None` is no key.
fn once_each<'r, K: Ord>(records: &[&'r RecordSet], key: impl Fn(&RecordSet) -> Option<K>) -> Vec<&'r RecordSet> {
    let mut seen = BTreeSet::new();
    records.iter().copied().filter(|record| key(record).is_some_and(|key| !seen.insert(key))).collect()
}

/// What may stand once in a group.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Unique {
    Role(FailoverRole),
    Region(String),
    Location(GeoLocation),
    CidrLocation(String),
}

impl Unique {
    fn of(policy: &Policy) -> Option<Self> {
        match policy {
            Policy::Failover(role) => Some(Self::Role(*role)),
            Policy::Latency(region) => Some(Self::Region(region.clone())),
            Policy::Geolocation(location) => Some(Self::Location(location.clone())),
            Policy::IpBased { location, .. } => Some(Self::CidrLocation(location.clone())),
            Policy::Simple | Policy::Multivalue | Policy::Weighted(_) | Policy::Geoproximity { .. } => None,
        }
    }

    fn problem(self, group: String) -> GroupProblem {
        match self {
            Self::Role(FailoverRole::Primary) => GroupProblem::SecondRole { group, role: "PRIMARY" },
            Self::Role(FailoverRole::Secondary) => GroupProblem::SecondRole { group, role: "SECONDARY" },
            Self::Region(region) => GroupProblem::DuplicateRegion { group, region },
            Self::CidrLocation(location) => GroupProblem::DuplicateCidrLocation { group, location },
            Self::Location(location) => {
                let location = match location {
                    GeoLocation::Default => "the default".to_owned(),
                    GeoLocation::Continent(code) => format!("continent {code}"),
                    GeoLocation::Country(code) => code,
                    GeoLocation::Subdivision { country, subdivision } => format!("{country}/{subdivision}"),
                };
                GroupProblem::DuplicateLocation { group, location }
            }
        }
    }
}

type Refuse<'a> = dyn FnMut(&RecordSet, GroupProblem) + 'a;

fn one_policy(group: &Group, records: &[&RecordSet], refuse: &mut Refuse<'_>) {
    let Some((first, rest)) = records.split_first() else { return };
    for record in rest {
        let group = title(group);
        match (&first.policy, &record.policy) {
            (Policy::Simple, Policy::Simple) => refuse(record, GroupProblem::SecondSimple { group }),
            (Policy::Simple, policy) | (policy, Policy::Simple) => {
                refuse(record, GroupProblem::SimpleBesidePolicy { group, policy: policy.name() });
            }
            (one, other) if one.name() != other.name() => {
                refuse(record, GroupProblem::MixedPolicies { group, one: other.name(), other: one.name() });
            }
            _ => {}
        }
    }
}

fn one_collection(group: &Group, records: &[&RecordSet], refuse: &mut Refuse<'_>) {
    let mut first: Option<&str> = None;
    for record in records {
        let Policy::IpBased { collection, .. } = &record.policy else { continue };
        let expected = *first.get_or_insert(collection);
        if expected != collection {
            let (one, other) = (expected.to_owned(), collection.clone());
            refuse(record, GroupProblem::SeveralCollections { group: title(group), one, other });
        }
    }
}

fn one_ttl(group: &Group, records: &[&RecordSet], refuse: &mut Refuse<'_>) {
    let mut first: Option<u32> = None;
    for record in records {
        let (Policy::Weighted(_), RecordData::Values { ttl, .. }) = (&record.policy, &record.data) else { continue };
        let one = *first.get_or_insert(*ttl);
        if one != *ttl {
            refuse(record, GroupProblem::WeightedTtls { group: title(group), one, other: *ttl });
        }
    }
}
