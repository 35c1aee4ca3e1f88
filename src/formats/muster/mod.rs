//! muster's own YAML: a zone and its health checks in Route 53's words, spelled as in drills (`set-identifier`).
//!
//! Every other format is converted to it. What is written is read back the same.

mod cloud_dns;
mod write;

use crate::zone::cloud_dns::validate as validate_cloud_dns;
use crate::zone::document::{Findings, Node, Spelling};
use crate::zone::{CidrCollection, HealthCheckId, Visibility, Zone, ZoneErrors, route53_json, validate};

use super::content::Content;
use super::format::none_of;
use super::{Format, Imported, Options, health_check, route53_health_checks};

pub use cloud_dns::write as write_cloud_dns;
pub use write::write;

/// Whose rules hold for a zone; Route 53's where nothing is written.
const ROUTE53: &str = "route53";
const CLOUD_DNS: &str = "cloud-dns";

pub(super) const KEYS: [&str; 2] = ["record-sets", "health-checks"];
const TOP: [&str; 7] = ["Dialect", "Zone", "Visibility", "Signed", "RecordSets", "CidrCollections", "HealthChecks"];

/// How visibility is written.
const VISIBILITY: [(&str, Visibility); 2] = [("public", Visibility::Public), ("private", Visibility::Private)];

pub(super) fn why_not(content: &Content) -> Option<String> {
    if !content.value.is_object() {
        return Some("the top is no object".to_owned());
    }
    KEYS.iter().all(|key| !content.has(key)).then(|| none_of(&KEYS))
}

pub(super) fn read(content: &Content, options: &Options) -> Result<Imported, ZoneErrors> {
    let findings = Findings::default();
    let root = Node::root(&content.value, &content.map, &findings).spelled(Spelling::Kebab);
    root.only(&TOP);
    let mut imported = Imported::new(Format::Muster);
    for (id, node) in root.get("HealthChecks").map_or_else(Vec::new, |checks| checks.entries()) {
        if let Some(check) = health_check::read(&node, &route53_health_checks::WORDS) {
            imported.health_checks.insert(HealthCheckId(id.to_owned()), check);
        }
    }
    health_check::check(&imported.health_checks, &findings);
    let dialect = root.get("Dialect");
    match dialect.as_ref().and_then(Node::text).unwrap_or(ROUTE53) {
        ROUTE53 => {}
        CLOUD_DNS => {
            imported.cloud_dns.extend(cloud_dns::read(&root));
            findings.none_so_far()?;
            for zone in &imported.cloud_dns {
                validate_cloud_dns(zone)?;
            }
            imported.remarks = findings.notes();
            return Ok(imported);
        }
        other => root.invalid(format!("dialect `{other}` is not known; expected {ROUTE53} or {CLOUD_DNS}")),
    }
    if root.get("RecordSets").is_some() || root.get("Zone").is_some() {
        imported.zones.extend(zone(&root));
    }
    if let (Some(zone), Some(wanted)) = (imported.zones.first(), &options.zone)
        && zone.apex != *wanted
    {
        root.invalid(format!("the zone is {}, and not {wanted}; expected another name for the zone", zone.apex));
    }
    findings.none_so_far()?;
    for zone in &imported.zones {
        validate::validate(zone)?;
    }
    imported.remarks = findings.notes();
    Ok(imported)
}

fn zone(root: &Node<'_>) -> Option<Zone> {
    let apex = root.need("Zone").and_then(|zone| zone.name());
    let sets = root.need("RecordSets").map_or_else(Vec::new, |sets| sets.items());
    let records: Vec<_> = sets.iter().filter_map(route53_json::record::read).collect();
    let visibility = match root.get("Visibility") {
        None => Visibility::Public,
        Some(written) => {
            let word = written.text()?;
            let found = VISIBILITY.iter().find(|(known, _)| *known == word);
            if found.is_none() {
                written.invalid(format!("visibility `{word}` is not known; expected public or private"));
            }
            found?.1
        }
    };
    let signed = root.get("Signed").map_or(Some(false), |signed| signed.flag())?;
    let mut zone = Zone { visibility, signed, ..Zone::of(apex?, records) };
    for (id, node) in root.get("CidrCollections").map_or_else(Vec::new, |all| all.entries()) {
        zone.cidr_collections.insert(id.to_owned(), collection(&node));
    }
    Some(zone)
}

fn collection(node: &Node<'_>) -> CidrCollection {
    let mut collection = CidrCollection::new();
    for (location, list) in node.entries() {
        let blocks = collection.entry(location.to_owned()).or_default();
        for block in list.items() {
            match block.text().map(str::parse) {
                Some(Ok(net)) => blocks.push(net),
                Some(Err(_)) => block.invalid(format!("{} is no CIDR block", block.value())),
                None => {}
            }
        }
    }
    collection
}

#[cfg(test)]
mod tests;
