//! `RRSetRoutingPolicy`.

use hickory_proto::rr::RecordType;

use crate::zone::cloud_dns::{Answers, CloudDnsData, GeoItem, GeoPolicy, LoadBalancerTarget, Target, WeightedItem};
use crate::zone::document::Node;
use crate::zone::is_unknown;

const POLICIES: [&str; 3] = ["wrr", "geo", "primaryBackup"];

/// The policy, and the health check that it names.
pub(super) fn read(node: &Node<'_>, rtype: RecordType) -> Option<(CloudDnsData, Option<String>)> {
    node.object()?;
    node.only(&["kind", "healthCheck", "wrr", "geo", "primaryBackup"]);
    let health_check = match node.get("healthCheck") {
        Some(check) => Some(check.text()?.to_owned()),
        None => None,
    };
    let found: Vec<(&str, Node<'_>)> = POLICIES.iter().filter_map(|key| Some((*key, node.get(key)?))).collect();
    let data = match found.as_slice() {
        [("wrr", policy)] => weighted(policy, rtype)?,
        [("geo", policy)] => CloudDnsData::Geo(geo(policy, rtype)?),
        [(_, policy)] => primary_backup(policy, rtype)?,
        _ => {
            node.invalid(format!("{} policies; expected one of wrr, geo and primaryBackup (GCD-GEN-2)", found.len()));
            return None;
        }
    };
    Some((data, health_check))
}

fn number(node: &Node<'_>) -> Option<f64> {
    let number = node.value().as_f64();
    if number.is_none() {
        node.invalid(format!("found {}; expected a number", node.value()));
    }
    number
}

fn weighted(node: &Node<'_>, rtype: RecordType) -> Option<CloudDnsData> {
    node.only(&["kind", "items"]);
    let items = node.need("items")?.items();
    let items = items.iter().filter_map(|item| {
        item.only(&["kind", "weight", "rrdatas", "signatureRrdatas", "healthCheckedTargets"]);
        // The API leaves out what is 0.
        let weight = item.get("weight").map_or(Some(0.0), |weight| number(&weight))?;
        Some(WeightedItem { weight, answers: answers(item, rtype) })
    });
    Some(CloudDnsData::Weighted(items.collect()))
}

fn geo(node: &Node<'_>, rtype: RecordType) -> Option<GeoPolicy> {
    node.only(&["kind", "enableFencing", "items"]);
    let fenced = node.get("enableFencing").map_or(Some(false), |flag| flag.flag());
    let items = node.need("items")?.items();
    let items = items.iter().filter_map(|item| {
        item.only(&["kind", "location", "rrdatas", "signatureRrdatas", "healthCheckedTargets"]);
        let location = item.need("location")?.text()?.to_owned();
        Some(GeoItem { location, answers: answers(item, rtype) })
    });
    Some(GeoPolicy { items: items.collect(), fenced: fenced? })
}

fn primary_backup(node: &Node<'_>, rtype: RecordType) -> Option<CloudDnsData> {
    node.only(&["kind", "primaryTargets", "backupGeoTargets", "trickleTraffic"]);
    let primary = node.need("primaryTargets").map(|targets| self::targets(&targets, rtype));
    let backup = node.need("backupGeoTargets").and_then(|backup| geo(&backup, rtype));
    let trickle = node.get("trickleTraffic").map_or(Some(0.0), |trickle| number(&trickle));
    Some(CloudDnsData::PrimaryBackup { primary: primary?, backup: backup?, trickle: trickle? })
}

/// Plain values in presentation format; a list of which nothing is known stands as one value.
pub(super) fn values(node: &Node<'_>, rtype: RecordType) -> Vec<String> {
    let items = if node.value().as_str().is_some_and(is_unknown) { vec![node.clone()] } else { node.items() };
    items.iter().filter_map(|item| super::value(item, rtype)).collect()
}

fn answers(node: &Node<'_>, rtype: RecordType) -> Answers {
    Answers {
        values: node.get("rrdatas").map_or_else(Vec::new, |list| values(&list, rtype)),
        checked: node.get("healthCheckedTargets").map_or_else(Vec::new, |all| targets(&all, rtype)),
    }
}

fn targets(node: &Node<'_>, rtype: RecordType) -> Vec<Target> {
    node.only(&["kind", "internalLoadBalancers", "externalEndpoints"]);
    let external = node.get("externalEndpoints").map_or_else(Vec::new, |list| values(&list, rtype));
    let balancers = node.get("internalLoadBalancers").map_or_else(Vec::new, |list| list.items());
    let balancers = balancers.iter().filter_map(|item| load_balancer(item, rtype).map(Target::LoadBalancer));
    balancers.chain(external.into_iter().map(Target::External)).collect()
}

fn load_balancer(node: &Node<'_>, rtype: RecordType) -> Option<LoadBalancerTarget> {
    node.only(&["kind", "ipAddress", "ipProtocol", "loadBalancerType", "networkUrl", "port", "project", "region"]);
    let text = |key| node.get(key).and_then(|text| text.text().map(str::to_owned));
    Some(LoadBalancerTarget {
        address: super::value(&node.need("ipAddress")?, rtype)?,
        protocol: text("ipProtocol"),
        kind: text("loadBalancerType"),
        network: text("networkUrl"),
        port: text("port"),
        project: text("project"),
        region: text("region"),
    })
}
