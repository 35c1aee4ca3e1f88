//! Terraform: what `terraform show -json` prints of a plan or a state, and the state file itself.
//!
//! A plan has two sides: what stands before it is applied, and what stands after. Values that only applying it will
//! tell are kept as unknown, under the name of what they refer to (JSON Output Format, Terraform's documentation).

mod google;
mod health_check;
mod record;
mod reference;
mod resource;
mod unknown;
mod zones;

use std::collections::{BTreeMap, BTreeSet};

use crate::zone::document::{Findings, Node};
use crate::zone::{HealthCheckId, ZoneErrors, validate};

use super::content::Content;
use super::{Format, Imported, Options, health_check as checks};
use resource::Resource;

/// A hosted zone's id, which the API writes with a path before it.
fn zone_id(text: &str) -> String {
    text.trim_start_matches("/hostedzone/").to_owned()
}

/// Terraform's names of what is read.
const RECORD: &str = "aws_route53_record";
const ZONE: &str = "aws_route53_zone";
const HEALTH_CHECK: &str = "aws_route53_health_check";
const GOOGLE_RECORD: &str = "google_dns_record_set";
const GOOGLE_ZONE: &str = "google_dns_managed_zone";
const CIDR_COLLECTION: &str = "aws_route53_cidr_collection";
const CIDR_LOCATION: &str = "aws_route53_cidr_location";

pub(super) fn read_shown(content: &Content, options: &Options) -> Result<Imported, ZoneErrors> {
    let findings = Findings::default();
    let root = Node::root(&content.value, &content.map, &findings);
    let resources =
        if content.has("values") { resource::of_state(&root) } else { resource::of_plan(&root, options.state) };
    read(Format::Terraform, &root, &resources, options, &findings)
}

pub(super) fn read_state_file(content: &Content, options: &Options) -> Result<Imported, ZoneErrors> {
    let findings = Findings::default();
    let root = Node::root(&content.value, &content.map, &findings);
    if root.get("version").is_some_and(|version| version.value().as_u64() != Some(4)) {
        let found = root.get("version").map(|version| version.value().to_string()).unwrap_or_default();
        let problem = format!("state files of version {found} are not read; expected 4, or `terraform show -json`");
        root.invalid(problem);
    }
    let resources = resource::of_state_file(&root);
    read(Format::TerraformState, &root, &resources, options, &findings)
}

fn read(
    format: Format,
    root: &Node<'_>,
    resources: &[Resource],
    options: &Options,
    findings: &Findings,
) -> Result<Imported, ZoneErrors> {
    let mut imported = Imported::new(format);
    for resource in resources.iter().filter(|resource| resource.kind == HEALTH_CHECK) {
        let node = resource.node(root);
        let Some(check) = health_check::read(&node) else { continue };
        let id = HealthCheckId(resource.id("id"));
        if imported.health_checks.insert(id, check).is_some() {
            node.invalid(format!(
                "the id of {} is that of another health check; expected one of its own",
                resource.address
            ));
        }
    }
    checks::check(&imported.health_checks, findings);
    let known = zones::known(resources, root);
    let mut records: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for resource in resources.iter().filter(|resource| resource.kind == RECORD && resource.managed) {
        let node = resource.node(root);
        if let Some((zone, written)) = record::read(&node, resource) {
            records.entry(zone).or_default().push(written);
        }
    }
    let has_google = resources.iter().any(|resource| resource.kind == GOOGLE_RECORD && resource.managed);
    let mut zones =
        if records.is_empty() && has_google { Vec::new() } else { zones::of(records, &known, options, root) };
    zones::add_cidr(&mut zones, resources, root);
    zones.sort_by(|one, other| one.apex.cmp(&other.apex));
    findings.none_so_far()?;
    for zone in &zones {
        validate::validate(zone)?;
    }
    imported.cloud_dns = google::zones(resources, options, root)?;
    let apexes = || zones.iter().map(|zone| &zone.apex).chain(imported.cloud_dns.iter().map(|zone| &zone.apex));
    if let Some(wanted) = options.zone.as_ref().filter(|wanted| apexes().all(|apex| apex != *wanted)) {
        root.invalid(format!("there is no zone {wanted} with records in here; expected another name for the zone"));
        findings.none_so_far()?;
    }
    imported.zones = zones;
    let mut remarks = findings.notes();
    // A plan speaks of a resource more than once.
    let mut seen = BTreeSet::new();
    remarks.retain(|note| seen.insert(note.text.clone()));
    imported.remarks = remarks;
    Ok(imported)
}

#[cfg(test)]
mod tests;
