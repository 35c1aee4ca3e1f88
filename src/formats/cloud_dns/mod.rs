//! Google Cloud DNS: `gcloud dns record-sets list --format=json`.

mod policy;

use serde_json::Value;

use crate::zone::cloud_dns::{CloudDnsData, CloudDnsRecordSet, CloudDnsZone, validate};
use crate::zone::document::{Findings, Node};
use crate::zone::{ZoneErrors, apex, type_of_text, values as presented};
use hickory_proto::rr::Name;

use super::content::Content;
use super::{Format, Imported, Options};

pub(super) fn why_not(content: &Content) -> Option<String> {
    let Value::Array(list) = &content.value else { return Some("the top is no list".to_owned()) };
    let is_set = |value: &Value| {
        let has = |key| value.get(key).is_some();
        has("name") && has("type") && (has("rrdatas") || has("routingPolicy"))
    };
    (list.is_empty() || !list.iter().all(is_set))
        .then(|| "the top is no list of record sets with `name`, `type`, and `rrdatas` or `routingPolicy`".to_owned())
}

pub(super) fn read(content: &Content, options: &Options) -> Result<Imported, ZoneErrors> {
    let findings = Findings::default();
    let root = Node::root(&content.value, &content.map, &findings);
    let sets: Vec<CloudDnsRecordSet> = root.items().iter().filter_map(record_set).collect();
    findings.none_so_far()?;
    let zone = zone(sets, options.zone.as_ref(), &root)?;
    validate(&zone)?;
    Ok(Imported { cloud_dns: vec![zone], remarks: findings.notes(), ..Imported::new(Format::CloudDns) })
}

/// The zone of record sets; its name, where nobody gave it, is the owner of the SOA, or by the names.
pub(super) fn zone(
    record_sets: Vec<CloudDnsRecordSet>,
    apex: Option<&Name>,
    root: &Node<'_>,
) -> Result<CloudDnsZone, ZoneErrors> {
    let apex = match apex {
        Some(apex) => apex.clone(),
        None => apex::of_names(record_sets.iter().map(|set| (&set.name, set.rtype, &set.at)), root.at())?,
    };
    Ok(CloudDnsZone { apex, record_sets })
}

/// `None` when it cannot be made sense of, or is left out; then the findings say why.
pub(super) fn record_set(node: &Node<'_>) -> Option<CloudDnsRecordSet> {
    node.object()?;
    node.only(&["kind", "name", "type", "ttl", "rrdatas", "signatureRrdatas", "routingPolicy"]);
    let kind = node.need("type")?;
    let kind = kind.text()?;
    let name = node.need("name").and_then(|name| name.name());
    let Some(rtype) = type_of_text(kind) else {
        let text = format!("type {kind} is not read here: the record set is left out");
        node.findings().note(node.at(), text);
        return None;
    };
    let ttl = node.need("ttl").and_then(|ttl| ttl.ttl());
    let values = node.get("rrdatas").filter(|values| values.value().as_array().is_none_or(|list| !list.is_empty()));
    let policy = node.get("routingPolicy");
    let (data, health_check) = match (values, policy) {
        (Some(values), None) => (CloudDnsData::Plain(policy::values(&values, rtype)), None),
        (None, Some(policy)) => policy::read(&policy, rtype)?,
        (Some(_), Some(policy)) => {
            policy.invalid("plain values and a routing policy stand together; expected one of them (GCD-GEN-1)".into());
            return None;
        }
        (None, None) => {
            node.invalid("it has neither `rrdatas` nor `routingPolicy`; expected one of them (GCD-GEN-1)".to_owned());
            return None;
        }
    };
    Some(CloudDnsRecordSet { name: name?, rtype, ttl: ttl?, data, health_check, at: node.at() })
}

/// A value in presentation format; names in it are absolute.
fn value(node: &Node<'_>, rtype: hickory_proto::rr::RecordType) -> Option<String> {
    let text = node.text()?;
    if let Err(problem) = presented::check(rtype, text) {
        node.findings().add(crate::zone::ZoneError::Record { at: node.at(), problem });
    }
    Some(presented::absolute(rtype, text))
}

#[cfg(test)]
mod tests;
