//! `aws_route53_zone`: the zones by their ids, and the record sets in them.

use std::collections::BTreeMap;

use hickory_proto::rr::Name;
use ipnet::IpNet;

use crate::formats::Options;
use crate::zone::document::Node;
use crate::zone::{RecordSet, Visibility, Zone, apex, is_unknown, name_of_text};

use super::record::Written;
use super::resource::Resource;
use super::{CIDR_COLLECTION, CIDR_LOCATION, ZONE, zone_id};

/// A zone that the file speaks of.
#[derive(Clone, Debug)]
pub(super) struct Known {
    apex: Name,
    visibility: Visibility,
}

/// The zones by each of their ids, managed or only looked up.
pub(super) fn known(resources: &[Resource], root: &Node<'_>) -> BTreeMap<String, Known> {
    let mut zones = BTreeMap::new();
    for resource in resources.iter().filter(|resource| resource.kind == ZONE) {
        let node = resource.node(root);
        let Some(apex) = node.get("name").filter(|name| !name.value().as_str().is_some_and(is_unknown)) else {
            continue;
        };
        let Some(apex) = apex.name() else { continue };
        let is_private = node.get("private_zone").is_some_and(|flag| flag.value() == true)
            || node.get("vpc").is_some_and(|vpc| vpc.value().as_array().is_some_and(|list| !list.is_empty()));
        let visibility = if is_private { Visibility::Private } else { Visibility::Public };
        for id in [resource.id("zone_id"), resource.id("id")] {
            zones.insert(zone_id(&id), Known { apex: apex.clone(), visibility });
        }
    }
    zones
}

/// The zones with their record sets, those that are meant.
pub(super) fn of(
    records: BTreeMap<String, Vec<Written>>,
    known: &BTreeMap<String, Known>,
    options: &Options,
    root: &Node<'_>,
) -> Vec<Zone> {
    let nameless: Vec<String> = records.keys().filter(|id| !known.contains_key(*id)).cloned().collect();
    // A name that was given is that of the only zone without one.
    let given =
        options.zone.as_ref().filter(|zone| nameless.len() == 1 && !known.values().any(|one| one.apex == **zone));
    let mut zones: BTreeMap<Name, Zone> = BTreeMap::new();
    let wanted_is_known = options.zone.as_ref().is_some_and(|zone| known.values().any(|one| one.apex == *zone));
    for (id, written) in records {
        // A zone without a name is not the one that is meant when that one has its name.
        if wanted_is_known && !known.contains_key(&id) {
            continue;
        }
        let (apex, visibility) = match known.get(&id) {
            Some(zone) => (Some(zone.apex.clone()), zone.visibility),
            None => (given.cloned(), Visibility::Public),
        };
        if options.zone.as_ref().is_some_and(|wanted| apex.as_ref().is_some_and(|apex| apex != wanted)) {
            continue;
        }
        let sets = record_sets(written, apex.as_ref(), &id, root);
        let Some(apex) = apex.or_else(|| of_names(&sets, &id, root)) else { continue };
        if options.zone.as_ref().is_some_and(|wanted| *wanted != apex) {
            continue;
        }
        let zone = Zone { visibility, ..Zone::of(apex.clone(), sets) };
        if zones.insert(apex.clone(), zone).is_some() {
            root.invalid(format!(
                "two zones are called {apex}; expected one: name the records of one in a file of its own"
            ));
        }
    }
    zones.into_values().collect()
}

/// Where nothing names the zone, the names of its records do, as those of a change batch.
fn of_names(sets: &[RecordSet], id: &str, root: &Node<'_>) -> Option<Name> {
    if sets.is_empty() {
        return None;
    }
    match apex::of(sets, root.at()) {
        Ok(apex) => {
            let text = format!("nothing here names the zone `{id}`: by the names of its records it is {apex}");
            root.findings().note(root.at(), text);
            Some(apex)
        }
        Err(error) => {
            root.findings().add(error);
            None
        }
    }
}

fn record_sets(written: Vec<Written>, apex: Option<&Name>, id: &str, root: &Node<'_>) -> Vec<RecordSet> {
    let mut sets = Vec::new();
    for one in written {
        let Written { name, fqdn, rtype, set_identifier, policy, health_check, data, at } = one;
        let invalid = |problem: String| {
            root.findings().add(crate::zone::ZoneError::Invalid { at: at.clone(), problem });
        };
        let whole = match (&fqdn, apex) {
            (Some(fqdn), _) => fqdn.clone(),
            (None, Some(apex)) => expanded(&name, &apex.to_string()),
            (None, None) => {
                invalid(format!(
                    "nothing here names the zone `{id}`, so it cannot be told whether `{name}` is a whole name; expected \
                     the zone's name, with `--zone`"
                ));
                continue;
            }
        };
        match name_of_text(&whole) {
            Ok(name) => {
                let mut name = name.to_lowercase();
                name.set_fqdn(true);
                sets.push(RecordSet { name, rtype, set_identifier, policy, health_check, data, at });
            }
            Err(problem) => invalid(format!("`{whole}` is no domain name: {problem}")),
        }
    }
    sets
}

/// A name as the provider completes it: with its zone, unless it already ends with the same letters.
fn expanded(name: &str, apex: &str) -> String {
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    let apex = apex.trim_end_matches('.').to_ascii_lowercase();
    match name.as_str() {
        "" => apex,
        whole if whole.ends_with(&apex) => name,
        _ => format!("{name}.{apex}"),
    }
}

/// The blocks of CIDR collections that are in the file too.
pub(super) fn add_cidr(zones: &mut [Zone], resources: &[Resource], root: &Node<'_>) {
    let mut collections: BTreeMap<String, crate::zone::CidrCollection> = BTreeMap::new();
    for resource in resources.iter().filter(|resource| resource.kind == CIDR_COLLECTION) {
        collections.entry(resource.id("id")).or_default();
    }
    for resource in resources.iter().filter(|resource| resource.kind == CIDR_LOCATION) {
        let node = resource.node(root);
        let text = |key| node.need(key).and_then(|text| text.text().map(str::to_owned));
        let (Some(collection), Some(location)) = (text("cidr_collection_id"), text("name")) else { continue };
        let mut blocks = Vec::new();
        for block in node.need("cidr_blocks").map_or_else(Vec::new, |list| list.items()) {
            match block.text().map(str::parse::<IpNet>) {
                Some(Ok(net)) => blocks.push(net.trunc()),
                Some(Err(_)) => block.invalid(format!("{} is no CIDR block", block.value())),
                None => {}
            }
        }
        blocks.sort();
        collections.entry(collection).or_default().insert(location, blocks);
    }
    for zone in zones {
        let named: Vec<String> = zone
            .record_sets()
            .filter_map(|record| match &record.policy {
                crate::zone::Policy::IpBased { collection, .. } => Some(collection.clone()),
                _ => None,
            })
            .collect();
        for id in named {
            if let Some(collection) = collections.get(&id) {
                zone.cidr_collections.insert(id, collection.clone());
            }
        }
    }
}
