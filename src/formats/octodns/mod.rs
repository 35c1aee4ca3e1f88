//! octoDNS: a zone's YAML, with dynamic pools and rules, as octodns-route53 pushes it to Route 53.
//!
//! octoDNS compiles intent; what answers is the tree that its provider makes of it, and that is what is read here.
//! Sources: octoDNS, Dynamic Records; octodns-route53, README and the tree that it is seen to push.

mod dynamic;
mod geo;
mod health;
mod plain;
mod subnet;

use std::collections::BTreeMap;
use std::path::Path;

use hickory_proto::rr::Name;
use serde_json::Value;

use crate::health::HealthCheckDefinition;
use crate::zone::document::{Findings, Node};
use crate::zone::{
    CidrCollection, HealthCheckId, Policy, RecordData, RecordSet, Zone, ZoneError, ZoneErrors, name_of_text, validate,
};

use super::content::Content;
use super::{Format, Imported, Options, health_check, muster};

/// Seconds, where a record has no `ttl` (octoDNS, `YamlProvider`).
const USUAL_TTL: u32 = 3600;

pub(super) fn why_not(content: &Content) -> Option<String> {
    let Value::Object(object) = &content.value else { return Some("the top is no object".to_owned()) };
    let is_record = |value: &Value| value.get("type").is_some_and(Value::is_string);
    let odd = object.iter().find(|(_, value)| match value {
        Value::Array(list) => list.is_empty() || !list.iter().all(is_record),
        other => !is_record(other),
    });
    let own = muster::KEYS.iter().find(|key| content.has(key));
    if let Some(key) = own {
        return Some(format!("`{key}` is a key of muster's own YAML"));
    }
    match odd {
        Some((key, _)) => Some(format!("`{key}` is no record, which has a `type`")),
        None => object.is_empty().then(|| "there is no record".to_owned()),
    }
}

pub(super) fn read(content: &Content, options: &Options) -> Result<Imported, ZoneErrors> {
    let findings = Findings::default();
    let root = Node::root(&content.value, &content.map, &findings);
    let Some(apex) = options.zone.clone().or_else(|| of_file(content.map.file())) else {
        let problem = "octoDNS calls a zone by its file's name, and this is called otherwise; expected the zone's name, \
                       with `--zone`, or a file such as `example.com.yaml`";
        return Err(ZoneError::Invalid { at: root.at(), problem: problem.to_owned() }.into());
    };
    let mut made = Made::default();
    for (label, node) in root.entries() {
        let records = if node.value().is_array() { node.items() } else { vec![node] };
        for record in records {
            one(&record, label, &apex, &mut made);
        }
    }
    health_check::check(&made.checks, &findings);
    findings.none_so_far()?;
    let mut zone = Zone::of(apex, made.sets);
    if !made.blocks.is_empty() {
        zone.cidr_collections.insert(subnet::COLLECTION.to_owned(), made.blocks);
    }
    validate::validate(&zone)?;
    Ok(Imported {
        zones: vec![zone],
        health_checks: made.checks,
        remarks: findings.notes(),
        ..Imported::new(Format::OctoDns)
    })
}

/// The zone's name, where the file has it: `example.com.yaml`, or `example.com..yaml`.
fn of_file(file: &Path) -> Option<Name> {
    let name = file.file_name()?.to_str()?;
    let name = name.strip_suffix(".yaml").or_else(|| name.strip_suffix(".yml"))?;
    let mut name = name_of_text(name).ok()?.to_lowercase();
    name.set_fqdn(true);
    // A single label is rather a file's own name.
    (name.num_labels() > 1).then_some(name)
}

/// What octodns-route53 makes.
#[derive(Default)]
struct Made {
    sets: Vec<RecordSet>,
    checks: BTreeMap<HealthCheckId, HealthCheckDefinition>,
    /// The blocks of rules by subnet.
    blocks: CidrCollection,
}

const KEYS: &[&str] = &["type", "ttl", "value", "values", "dynamic", "geo", "octodns", "comment"];

fn one(node: &Node<'_>, label: &str, apex: &Name, made: &mut Made) {
    node.only(KEYS);
    let octodns = node.get("octodns");
    if octodns.as_ref().and_then(|own| own.get("ignored")).is_some_and(|flag| flag.value() == true) {
        node.findings().note(node.at(), format!("`{label}` is ignored by octoDNS: left out"));
        return;
    }
    for key in ["included", "excluded"] {
        if let Some(list) = octodns.as_ref().and_then(|own| own.get(key)) {
            let text =
                format!("`{label}` goes to some providers alone (`{key}`); it is read as if Route 53 were one of them");
            node.findings().note(list.key_at(), text);
        }
    }
    let Some(kind) = node.need("type").and_then(|kind| kind.text().map(str::to_owned)) else { return };
    let Some(name) = owner(node, label, apex) else { return };
    if kind == plain::ALIAS {
        made.sets.extend(plain::aliases(node, &name, apex));
        return;
    }
    if !plain::TYPES.contains(&kind.as_str()) {
        let text =
            format!("`{label}` {kind} is no type that octodns-route53 keeps, or none that is read here: left out");
        node.findings().note(node.at(), text);
        return;
    }
    if let Some(geo) = node.get("geo") {
        geo.invalid("`geo` is not read: octoDNS has `dynamic` in its place; expected pools and rules".to_owned());
    }
    let ttl = match node.get("ttl") {
        Some(ttl) => ttl.ttl(),
        None => Some(USUAL_TTL),
    };
    let rtype = node.need("type").and_then(|kind| kind.record_type());
    let (Some(ttl), Some(rtype)) = (ttl, rtype) else { return };
    let values = plain::values(node, rtype);
    let base = RecordSet {
        name,
        rtype,
        set_identifier: None,
        policy: Policy::Simple,
        health_check: None,
        data: RecordData::Values { ttl, values },
        at: node.at(),
    };
    match node.get("dynamic") {
        Some(dynamic) => dynamic::tree(&dynamic, octodns.as_ref(), &base, ttl, made),
        None => made.sets.push(base),
    }
}

fn owner(node: &Node<'_>, label: &str, apex: &Name) -> Option<Name> {
    if label.is_empty() {
        return Some(apex.clone());
    }
    let whole = format!("{}.{apex}", label.trim_end_matches('.'));
    match name_of_text(&whole) {
        Ok(name) => Some(name.to_lowercase()),
        Err(problem) => {
            node.invalid(format!("`{whole}` is no domain name: {problem}"));
            None
        }
    }
}

/// A name below the owner of a record: `_octodns-eu-value.www.example.com.`.
fn below(node: &Node<'_>, label: &str, owner: &Name) -> Option<Name> {
    let whole = format!("{label}.{owner}");
    match name_of_text(&whole) {
        Ok(name) => Some(name.to_lowercase()),
        Err(problem) => {
            node.invalid(format!("octodns-route53 would make `{whole}`, which is no domain name: {problem}"));
            None
        }
    }
}

#[cfg(test)]
mod tests;
