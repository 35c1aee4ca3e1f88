//! A zone of Cloud DNS in muster's own YAML: the DNS API's words, spelled as in drills (`routing-policy`).

use serde_yaml::{Mapping, Value};

use crate::formats::cloud_dns;
use crate::zone::cloud_dns::{
    Answers, CloudDnsData, CloudDnsRecordSet, CloudDnsZone, GeoPolicy, LoadBalancerTarget, Target,
};
use crate::zone::document::Node;
use crate::zone::type_text;

use super::CLOUD_DNS;
use super::write::{comments, set};

pub(super) fn read(root: &Node<'_>) -> Option<CloudDnsZone> {
    for key in ["Visibility", "Signed", "CidrCollections", "HealthChecks"] {
        if let Some(other) = root.get(key) {
            other.invalid("this stands with zones of Route 53 alone; expected it left out".to_owned());
        }
    }
    let apex = root.need("Zone").and_then(|zone| zone.name());
    let sets = root.need("RecordSets").map_or_else(Vec::new, |sets| sets.items());
    let record_sets = sets.iter().filter_map(cloud_dns::record_set).collect();
    Some(CloudDnsZone { apex: apex?, record_sets })
}

/// Writes a zone of Cloud DNS; `preface` stands before it, each line a comment.
///
/// # Errors
/// When the YAML cannot be made, which is a defect.
pub fn write(zone: &CloudDnsZone, preface: &[String]) -> Result<String, serde_yaml::Error> {
    let mut top = Mapping::new();
    set(&mut top, "Dialect", CLOUD_DNS);
    set(&mut top, "Zone", zone.apex.to_string());
    set(&mut top, "RecordSets", list(&zone.record_sets, record_set));
    Ok(comments(preface) + &serde_yaml::to_string(&top)?)
}

fn list<T>(items: &[T], written: impl Fn(&T) -> Mapping) -> Vec<Value> {
    items.iter().map(|item| Value::from(written(item))).collect()
}

fn texts(items: &[String]) -> Vec<Value> {
    items.iter().map(|item| item.clone().into()).collect()
}

fn record_set(record: &CloudDnsRecordSet) -> Mapping {
    let mut written = Mapping::new();
    set(&mut written, "name", record.name.to_string());
    set(&mut written, "type", type_text(record.rtype));
    set(&mut written, "ttl", record.ttl);
    let mut policy = Mapping::new();
    if let Some(check) = &record.health_check {
        set(&mut policy, "healthCheck", check.clone());
    }
    match &record.data {
        CloudDnsData::Plain(values) => {
            set(&mut written, "rrdatas", texts(values));
            return written;
        }
        CloudDnsData::Weighted(items) => {
            let mut wrr = Mapping::new();
            let items = list(items, |item| {
                let mut written = Mapping::new();
                set(&mut written, "weight", item.weight);
                answers(&mut written, &item.answers);
                written
            });
            set(&mut wrr, "items", items);
            set(&mut policy, "wrr", wrr);
        }
        CloudDnsData::Geo(written) => set(&mut policy, "geo", geo(written)),
        CloudDnsData::PrimaryBackup { primary, backup, trickle } => {
            let mut pair = Mapping::new();
            set(&mut pair, "primaryTargets", targets(primary));
            set(&mut pair, "backupGeoTargets", geo(backup));
            set(&mut pair, "trickleTraffic", *trickle);
            set(&mut policy, "primaryBackup", pair);
        }
    }
    set(&mut written, "routingPolicy", policy);
    written
}

fn geo(policy: &GeoPolicy) -> Mapping {
    let mut written = Mapping::new();
    set(&mut written, "enableFencing", policy.fenced);
    let items = list(&policy.items, |item| {
        let mut written = Mapping::new();
        set(&mut written, "location", item.location.clone());
        answers(&mut written, &item.answers);
        written
    });
    set(&mut written, "items", items);
    written
}

fn answers(written: &mut Mapping, answers: &Answers) {
    if !answers.values.is_empty() {
        set(written, "rrdatas", texts(&answers.values));
    }
    if !answers.checked.is_empty() {
        set(written, "healthCheckedTargets", targets(&answers.checked));
    }
}

fn targets(targets: &[Target]) -> Mapping {
    let mut written = Mapping::new();
    let (mut external, mut balancers) = (Vec::new(), Vec::new());
    for target in targets {
        match target {
            Target::External(address) => external.push(Value::from(address.clone())),
            Target::LoadBalancer(balancer) => balancers.push(Value::from(load_balancer(balancer))),
        }
    }
    if !balancers.is_empty() {
        set(&mut written, "internalLoadBalancers", balancers);
    }
    if !external.is_empty() {
        set(&mut written, "externalEndpoints", external);
    }
    written
}

fn load_balancer(balancer: &LoadBalancerTarget) -> Mapping {
    let LoadBalancerTarget { address, protocol, kind, network, port, project, region } = balancer;
    let mut written = Mapping::new();
    set(&mut written, "ipAddress", address.clone());
    for (key, value) in [
        ("ipProtocol", protocol),
        ("loadBalancerType", kind),
        ("networkUrl", network),
        ("port", port),
        ("project", project),
        ("region", region),
    ] {
        if let Some(value) = value {
            set(&mut written, key, value.clone());
        }
    }
    written
}
