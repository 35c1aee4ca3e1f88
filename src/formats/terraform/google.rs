//! `google_dns_record_set`: the same settings as the DNS API has, in blocks of Terraform's.

use std::collections::BTreeMap;

use hickory_proto::rr::Name;
use serde_json::{Map, Value, json};

use crate::formats::Options;
use crate::formats::cloud_dns;
use crate::zone::cloud_dns::{CloudDnsRecordSet, CloudDnsZone, validate};
use crate::zone::document::Node;
use crate::zone::{ZoneError, ZoneErrors};

use super::resource::Resource;
use super::{GOOGLE_RECORD, GOOGLE_ZONE};

/// The managed zones with their record sets, those that are meant.
pub(super) fn zones(
    resources: &[Resource],
    options: &Options,
    root: &Node<'_>,
) -> Result<Vec<CloudDnsZone>, ZoneErrors> {
    let mut names: BTreeMap<String, Name> = BTreeMap::new();
    for resource in resources.iter().filter(|resource| resource.kind == GOOGLE_ZONE) {
        let node = resource.node(root);
        if let Some(apex) = node.get("dns_name").and_then(|name| name.name()) {
            names.insert(resource.id("name"), apex);
        }
    }
    let mut sets: BTreeMap<String, Vec<CloudDnsRecordSet>> = BTreeMap::new();
    for resource in resources.iter().filter(|resource| resource.kind == GOOGLE_RECORD && resource.managed) {
        let node = resource.node(root);
        let Some(zone) = node.need("managed_zone").and_then(|zone| zone.text().map(str::to_owned)) else { continue };
        // What is a list of one block in Terraform is an object in the API; the place is that of the resource.
        let shaped = as_in_api(node.value());
        let read = cloud_dns::record_set(&node.reshaped(&shaped));
        sets.entry(zone).or_default().extend(read);
    }
    root.findings().none_so_far()?;
    let mut zones = Vec::new();
    for (id, sets) in sets {
        let Some(first) = sets.first() else { continue };
        let at = first.at.clone();
        let known = names.get(&id).or(options.zone.as_ref());
        let zone = cloud_dns::zone(sets, known, root)?;
        if options.zone.as_ref().is_some_and(|wanted| *wanted != zone.apex) {
            continue;
        }
        if !names.contains_key(&id) && options.zone.is_none() {
            let text = format!("nothing here names the zone `{id}`: by the names of its records it is {}", zone.apex);
            root.findings().note(at.clone(), text);
        }
        if zones.iter().any(|other: &CloudDnsZone| other.apex == zone.apex) {
            let problem = format!("two zones are called {}; expected one in this file", zone.apex);
            return Err(ZoneError::Invalid { at, problem }.into());
        }
        validate(&zone)?;
        zones.push(zone);
    }
    Ok(zones)
}

/// Terraform's attribute and the API's field that it is.
const NAMES: [(&str, &str); 20] = [
    ("name", "name"),
    ("type", "type"),
    ("ttl", "ttl"),
    ("rrdatas", "rrdatas"),
    ("health_check", "healthCheck"),
    ("weight", "weight"),
    ("location", "location"),
    ("health_checked_targets", "healthCheckedTargets"),
    ("external_endpoints", "externalEndpoints"),
    ("internal_load_balancers", "internalLoadBalancers"),
    ("ip_address", "ipAddress"),
    ("ip_protocol", "ipProtocol"),
    ("load_balancer_type", "loadBalancerType"),
    ("network_url", "networkUrl"),
    ("port", "port"),
    ("project", "project"),
    ("region", "region"),
    ("primary", "primaryTargets"),
    ("trickle_ratio", "trickleTraffic"),
    ("primary_backup", "primaryBackup"),
];

/// Attributes of the resource that are no part of the record set.
const OTHER: [&str; 4] = ["id", "managed_zone", "routing_policy", "timeouts"];

fn as_in_api(attributes: &Value) -> Value {
    let mut set = Map::new();
    for (key, value) in attributes.as_object().into_iter().flatten() {
        // The project is that of the zone; a load balancer has its own.
        if !OTHER.contains(&key.as_str()) && key != "project" {
            set.insert(named(key), value.clone());
        }
    }
    if let Some(policy) = first(attributes, "routing_policy") {
        set.insert("routingPolicy".to_owned(), self::policy(policy));
    }
    Value::Object(set)
}

fn policy(written: &Value) -> Value {
    let mut policy = Map::new();
    for (key, value) in written.as_object().into_iter().flatten() {
        let is_empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        match key.as_str() {
            "enable_geo_fencing" => {}
            _ if is_empty => {}
            "wrr" => {
                policy.insert("wrr".to_owned(), json!({"items": items(value)}));
            }
            "geo" => {
                let fencing = written.get("enable_geo_fencing").cloned().unwrap_or_default();
                policy.insert("geo".to_owned(), json!({"enableFencing": fencing, "items": items(value)}));
            }
            "primary_backup" => {
                policy.insert("primaryBackup".to_owned(), primary_backup(value.get(0).unwrap_or(&Value::Null)));
            }
            other => {
                policy.insert(named(other), value.clone());
            }
        }
    }
    Value::Object(policy)
}

fn primary_backup(written: &Value) -> Value {
    let mut policy = Map::new();
    for (key, value) in written.as_object().into_iter().flatten() {
        match key.as_str() {
            "enable_geo_fencing_for_backups" => {}
            "backup_geo" => {
                let fencing = written.get("enable_geo_fencing_for_backups").cloned().unwrap_or_default();
                let backup = json!({"enableFencing": fencing, "items": items(value)});
                policy.insert("backupGeoTargets".to_owned(), backup);
            }
            "primary" => {
                policy.insert(named(key), fields(value.get(0).unwrap_or(&Value::Null)));
            }
            other => {
                policy.insert(named(other), value.clone());
            }
        }
    }
    Value::Object(policy)
}

/// The items of a policy, each with its targets as one object.
fn items(list: &Value) -> Value {
    let items = list.as_array().into_iter().flatten().map(|item| {
        let mut item = fields(item);
        if let Some(targets) = item.get_mut("healthCheckedTargets") {
            *targets = targets.get(0).map_or(Value::Null, fields);
        }
        item
    });
    Value::Array(items.collect())
}

/// An object with the API's names, and of its load balancers too.
fn fields(object: &Value) -> Value {
    let Some(object) = object.as_object() else { return object.clone() };
    let fields = object.iter().map(|(key, value)| {
        let value = match (key.as_str(), value) {
            ("internal_load_balancers", Value::Array(list)) => Value::Array(list.iter().map(fields).collect()),
            _ => value.clone(),
        };
        (named(key), value)
    });
    Value::Object(fields.collect())
}

/// What is not known stays as it is, and is refused by its name.
fn named(key: &str) -> String {
    NAMES.iter().find(|(own, _)| *own == key).map_or(key, |(_, api)| api).to_owned()
}

fn first<'a>(object: &'a Value, key: &str) -> Option<&'a Value> {
    object.get(key)?.get(0).filter(|value| !value.is_null())
}
