//! What Route 53 would refuse: the rules of the rulebook's section 10, over a zone that has been read.
//!
//! Every problem is reported, not just the first. A reader reports what a [`Zone`] cannot even hold.

mod alias;
mod group;
mod names;
mod policy;
mod record;

use std::collections::BTreeSet;

use crate::source::nearest;

use super::{Group, HealthCheckId, Policy, PolicyProblem, RecordProblem, Zone, ZoneError, ZoneErrors, type_text};

pub use alias::alias_zone_id;
pub(crate) use policy::{coordinate, is_location_name};

/// Checks a zone as Route 53 would when it were created as it stands.
///
/// CIDR collections and health checks are defined elsewhere: see [`check_cidr_collections`] and
/// [`check_health_checks`].
///
/// # Errors
/// All problems, in the order of the file.
pub fn validate(zone: &Zone) -> Result<(), ZoneErrors> {
    let mut problems = Vec::new();
    for record in zone.record_sets() {
        record::check(record, &mut problems);
        policy::check(record, &mut problems);
    }
    for one in zone.groups.values() {
        group::check(one, &mut problems);
    }
    policy::check_visibility(zone, &mut problems);
    names::check(zone, &mut problems);
    alias::check(zone, &mut problems);
    ZoneErrors::none_of(problems)
}

/// No alias to `CloudFront` evaluates the health of its target, where one is created (R53-99).
///
/// An export is not refused for it: it holds what was accepted, and nobody has seen the API refuse one.
///
/// # Errors
/// For each alias that does.
pub fn check_cloud_front(zone: &Zone) -> Result<(), ZoneErrors> {
    let mut problems = Vec::new();
    alias::check_cloud_front(zone, &mut problems);
    ZoneErrors::none_of(problems)
}

/// Every health check that a record set names must be one of `known`.
///
/// # Errors
/// R53-108, for each record set that names another; with the nearest known id.
pub fn check_health_checks(zone: &Zone, known: &BTreeSet<HealthCheckId>) -> Result<(), ZoneErrors> {
    let mut problems = Vec::new();
    for record in zone.record_sets() {
        if let Some(check) = &record.health_check
            && !known.contains(check)
        {
            let problem = RecordProblem::UnknownHealthCheck {
                found: check.0.clone(),
                nearest: nearest(&check.0, known.iter().map(|id| id.0.as_str())).map(str::to_owned),
            };
            problems.push(ZoneError::Record { at: record.at.clone(), problem });
        }
    }
    ZoneErrors::none_of(problems)
}

/// Every CIDR collection and location that a record set names must be in [`Zone::cidr_collections`].
///
/// # Errors
/// For each record set that names another; with the nearest known name.
pub fn check_cidr_collections(zone: &Zone) -> Result<(), ZoneErrors> {
    let mut problems = Vec::new();
    for record in zone.record_sets() {
        let Policy::IpBased { collection, location } = &record.policy else { continue };
        let problem = match zone.cidr_collections.get(collection) {
            None => PolicyProblem::UnknownCollection {
                found: collection.clone(),
                nearest: nearest(collection, zone.cidr_collections.keys().map(String::as_str)).map(str::to_owned),
            },
            Some(known) if location != "*" && !known.contains_key(location) => PolicyProblem::UnknownCidrLocation {
                collection: collection.clone(),
                found: location.clone(),
                nearest: nearest(location, known.keys().map(String::as_str)).map(str::to_owned),
            },
            Some(_) => continue,
        };
        problems.push(ZoneError::Policy { at: record.at.clone(), problem });
    }
    ZoneErrors::none_of(problems)
}

/// What a group is called in an error: `api.example.com. A`.
fn title(group: &Group) -> String {
    format!("{} {}", group.name, type_text(group.rtype))
}

#[cfg(test)]
mod tests;
