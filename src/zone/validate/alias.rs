//! Where aliases lead.

use std::collections::{BTreeMap, BTreeSet};

use hickory_proto::rr::{Name, RecordType};

use crate::source::nearest;

use super::super::{
    Alias, AliasProblem, RecordData, RecordSet, Visibility, Zone, ZoneError, type_text, unknown_of_name,
};

type Key<'z> = (&'z Name, RecordType);

const CLOUD_FRONT: &str = "cloudfront.net.";
const ONE_ID: &[(&str, &str)] = &[(CLOUD_FRONT, "Z2FDTNDATAQYW2"), ("awsglobalaccelerator.com.", "Z2BJ6XQ5FK7U4H")];

pub(super) fn check(zone: &Zone, problems: &mut Vec<ZoneError>) {
    let own_ids: BTreeSet<&str> = aliases(zone)
        .filter(|(_, alias)| !zone.is_resource(&alias.target))
        .map(|(_, alias)| alias.hosted_zone_id.as_str())
        .collect();
    for (record, alias) in aliases(zone) {
        if unknown_of_name(&alias.target).is_some() {
            continue;
        }
        let problem = if zone.is_resource(&alias.target) {
            let id = &alias.hosted_zone_id;
            if own_ids.contains(id.as_str()) {
                Some(AliasProblem::OutsideWithOwnZoneId { target: alias.target.to_string(), id: id.clone() })
            } else {
                refused_resource(zone, alias)
            }
        } else {
            missing(zone, &alias.target, record.rtype)
        };
        problems.extend(problem.map(|problem| ZoneError::Alias { at: record.at.clone(), problem }));
    }
    loops(zone, problems);
}

fn aliases(zone: &Zone) -> impl Iterator<Item = (&RecordSet, &Alias)> {
    zone.record_sets().filter_map(|record| match &record.data {
        RecordData::Alias(alias) => Some((record, alias)),
        RecordData::Values { .. } => None,
    })
}

/// The hosted zone id that an alias to this resource must name, for services that have one for all Regions (R53-238).
#[must_use]
pub fn alias_zone_id(target: &Name) -> Option<&'static str> {
    let target = target.to_string();
    ONE_ID.iter().find(|(service, _)| belongs_to(&target, service)).map(|(_, id)| *id)
}

fn belongs_to(target: &str, service: &str) -> bool {
    target.strip_suffix(service).is_some_and(|rest| rest.ends_with('.'))
}

/// R53-99, of every alias.
pub(super) fn check_cloud_front(zone: &Zone, problems: &mut Vec<ZoneError>) {
    let evaluated = aliases(zone)
        .filter(|(_, alias)| alias.evaluate_target_health && belongs_to(&alias.target.to_string(), CLOUD_FRONT));
    problems.extend(
        evaluated
            .map(|(record, _)| ZoneError::Alias { at: record.at.clone(), problem: AliasProblem::CloudFrontEvaluated }),
    );
}

fn refused_resource(zone: &Zone, alias: &Alias) -> Option<AliasProblem> {
    let target = alias.target.to_string();
    let to_cloud_front = belongs_to(&target, CLOUD_FRONT);
    if to_cloud_front && zone.visibility == Visibility::Private {
        return Some(AliasProblem::CloudFrontInPrivateZone);
    }
    let expected = alias_zone_id(&alias.target)?;
    let found = alias.hosted_zone_id.clone();
    (found != expected).then_some(AliasProblem::ResourceZoneId { target, found, expected })
}

fn missing(zone: &Zone, target: &Name, rtype: RecordType) -> Option<AliasProblem> {
    if zone.group(target, rtype).is_some() {
        return None;
    }
    let types: Vec<String> =
        zone.groups.keys().filter(|(name, _)| name == target).map(|(_, rtype)| type_text(*rtype)).collect();
    if !types.is_empty() {
        let (target, rtype) = (target.to_string(), type_text(rtype));
        return Some(AliasProblem::TargetOfOtherType { target, rtype, found: types.join(", ") });
    }
    let target = target.to_string();
    let names: Vec<String> =
        zone.groups.keys().filter(|(_, of)| *of == rtype).map(|(name, _)| name.to_string()).collect();
    let nearest = nearest(&target, names.iter().map(String::as_str)).map(str::to_owned);
    Some(AliasProblem::TargetMissing { target, nearest })
}

/// Takes away every group that leads to no other, until only loops and what leads into them are left.
fn loops(zone: &Zone, problems: &mut Vec<ZoneError>) {
    let mut edges: BTreeMap<Key<'_>, BTreeSet<Key<'_>>> = BTreeMap::new();
    let mut sources: BTreeMap<Key<'_>, Vec<Key<'_>>> = BTreeMap::new();
    for (record, alias) in aliases(zone) {
        let (from, to) = ((&record.name, record.rtype), (&alias.target, record.rtype));
        if zone.group(to.0, to.1).is_some() && edges.entry(from).or_default().insert(to) {
            sources.entry(to).or_default().push(from);
        }
    }
    let mut settled: Vec<Key<'_>> = sources.keys().copied().filter(|key| !edges.contains_key(key)).collect();
    loop {
        while let Some(done) = settled.pop() {
            edges.remove(&done);
            for from in sources.get(&done).into_iter().flatten() {
                if let Some(left) = edges.get_mut(from)
                    && left.remove(&done)
                    && left.is_empty()
                {
                    settled.push(*from);
                }
            }
        }
        let Some(start) = edges.keys().next().copied() else { return };
        let ring = ring(&edges, start);
        if let Some(record) = zone.group(ring[0].0, ring[0].1).and_then(|group| group.records.first()) {
            let closed = ring.iter().chain(ring.first());
            let shown = closed.map(|(name, _)| name.to_string()).collect::<Vec<_>>().join(" -> ");
            let shown = format!("{shown} ({})", type_text(record.rtype));
            problems.push(ZoneError::Alias { at: record.at.clone(), problem: AliasProblem::Loop { shown } });
        }
        settled.extend(ring);
    }
}

/// The first ring met when following first targets; every key that is left has one that is left.
fn ring<'z>(edges: &BTreeMap<Key<'z>, BTreeSet<Key<'z>>>, start: Key<'z>) -> Vec<Key<'z>> {
    let mut way = vec![start];
    let mut places = BTreeMap::from([(start, 0)]);
    let mut here = start;
    while let Some(next) = edges.get(&here).and_then(|targets| targets.first()).copied() {
        if let Some(&first) = places.get(&next) {
            return way.split_off(first);
        }
        places.insert(next, way.len());
        way.push(next);
        here = next;
    }
    way
}
