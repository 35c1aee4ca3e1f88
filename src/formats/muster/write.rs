//! A zone and its health checks as muster's own YAML.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_yaml::{Mapping, Value};

use crate::formats::health_check::{INSUFFICIENT, Words};
use crate::formats::route53_health_checks::WORDS;
use crate::health::{CheckProtocol, DefinedEndpoint, DefinedKind, HealthCheckDefinition};
use crate::zone::document::kebab;
use crate::zone::{
    FailoverRole, GeoLocation, GeoproximityOrigin, HealthCheckId, Policy, RecordData, RecordSet, Visibility, Zone,
    type_text, unknown_of_name,
};

/// Writes a zone, or health checks alone; `preface` stands before it, each line a comment.
///
/// # Errors
/// When the YAML cannot be made, which is a defect.
pub fn write(
    zone: Option<&Zone>,
    health_checks: &BTreeMap<HealthCheckId, HealthCheckDefinition>,
    preface: &[String],
) -> Result<String, serde_yaml::Error> {
    let mut text = comments(preface);
    let mut top = Mapping::new();
    if let Some(zone) = zone {
        set(&mut top, "Zone", zone.apex.to_string());
        if zone.visibility == Visibility::Private {
            set(&mut top, "Visibility", "private");
        }
        if zone.signed {
            set(&mut top, "Signed", true);
        }
        set(&mut top, "RecordSets", zone.record_sets().map(|record| record_set(record).into()).collect::<Vec<Value>>());
        if !zone.cidr_collections.is_empty() {
            set(&mut top, "CidrCollections", collections(zone));
        }
    }
    if !health_checks.is_empty() || zone.is_none() {
        let checks = health_checks.iter().map(|(id, check)| (id.0.clone().into(), health_check(check).into()));
        set(&mut top, "HealthChecks", checks.collect::<Mapping>());
    }
    text.push_str(&serde_yaml::to_string(&top)?);
    Ok(text)
}

/// Each line as a comment.
pub(super) fn comments(preface: &[String]) -> String {
    let mut text = String::new();
    for line in preface.iter().flat_map(|text| text.lines()) {
        let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let _ = writeln!(text, "# {line}");
    }
    text
}

pub(super) fn set(mapping: &mut Mapping, key: &str, value: impl Into<Value>) {
    mapping.insert(kebab(key).into(), value.into());
}

fn record_set(record: &RecordSet) -> Mapping {
    let mut written = Mapping::new();
    set(&mut written, "Name", record.name.to_string());
    set(&mut written, "Type", type_text(record.rtype));
    if let Some(identifier) = &record.set_identifier {
        set(&mut written, "SetIdentifier", identifier.clone());
    }
    policy(&mut written, &record.policy);
    if let Some(check) = &record.health_check {
        set(&mut written, "HealthCheckId", check.0.clone());
    }
    match &record.data {
        RecordData::Values { ttl, values } => {
            set(&mut written, "TTL", *ttl);
            set(
                &mut written,
                "ResourceRecords",
                values.iter().map(|value| value.clone().into()).collect::<Vec<Value>>(),
            );
        }
        RecordData::Alias(alias) => {
            let mut target = Mapping::new();
            let name = unknown_of_name(&alias.target).unwrap_or_else(|| alias.target.to_string());
            set(&mut target, "DNSName", name);
            set(&mut target, "HostedZoneId", alias.hosted_zone_id.clone());
            set(&mut target, "EvaluateTargetHealth", alias.evaluate_target_health);
            set(&mut written, "AliasTarget", target);
        }
    }
    written
}

fn policy(written: &mut Mapping, policy: &Policy) {
    let mut inner = Mapping::new();
    match policy {
        Policy::Simple => {}
        Policy::Multivalue => set(written, "MultiValueAnswer", true),
        Policy::Failover(FailoverRole::Primary) => set(written, "Failover", "PRIMARY"),
        Policy::Failover(FailoverRole::Secondary) => set(written, "Failover", "SECONDARY"),
        Policy::Weighted(weight) => set(written, "Weight", u32::from(*weight)),
        Policy::Latency(region) => set(written, "Region", region.clone()),
        Policy::Geolocation(location) => {
            match location {
                GeoLocation::Default => set(&mut inner, "CountryCode", "*"),
                GeoLocation::Continent(code) => set(&mut inner, "ContinentCode", code.clone()),
                GeoLocation::Country(code) => set(&mut inner, "CountryCode", code.clone()),
                GeoLocation::Subdivision { country, subdivision } => {
                    set(&mut inner, "CountryCode", country.clone());
                    set(&mut inner, "SubdivisionCode", subdivision.clone());
                }
            }
            set(written, "GeoLocation", inner);
        }
        Policy::Geoproximity { origin, bias } => {
            match origin {
                GeoproximityOrigin::Region(region) => set(&mut inner, "AWSRegion", region.clone()),
                GeoproximityOrigin::LocalZoneGroup(group) => set(&mut inner, "LocalZoneGroup", group.clone()),
                GeoproximityOrigin::Coordinates { latitude, longitude } => {
                    let mut place = Mapping::new();
                    set(&mut place, "Latitude", latitude.to_string());
                    set(&mut place, "Longitude", longitude.to_string());
                    set(&mut inner, "Coordinates", place);
                }
            }
            if *bias != 0 {
                set(&mut inner, "Bias", i64::from(*bias));
            }
            set(written, "GeoProximityLocation", inner);
        }
        Policy::IpBased { collection, location } => {
            set(&mut inner, "CollectionId", collection.clone());
            set(&mut inner, "LocationName", location.clone());
            set(written, "CidrRoutingConfig", inner);
        }
    }
}

fn collections(zone: &Zone) -> Mapping {
    let collections = zone.cidr_collections.iter().map(|(id, collection)| {
        let locations = collection.iter().map(|(location, blocks)| {
            let blocks: Vec<Value> = blocks.iter().map(|block| block.to_string().into()).collect();
            (Value::from(location.clone()), Value::from(blocks))
        });
        (Value::from(id.clone()), Value::from(locations.collect::<Mapping>()))
    });
    collections.collect()
}

fn health_check(check: &HealthCheckDefinition) -> Mapping {
    let mut written = Mapping::new();
    let w: &Words = &WORDS;
    match &check.kind {
        DefinedKind::Endpoint(endpoint) => of_endpoint(&mut written, endpoint),
        DefinedKind::Calculated(calculated) => {
            set(&mut written, w.kind, "CALCULATED");
            set(
                &mut written,
                w.children,
                calculated.children.iter().map(|id| id.0.clone().into()).collect::<Vec<Value>>(),
            );
            set(&mut written, w.healthy_threshold, calculated.healthy_threshold);
        }
        DefinedKind::Alarm { region, name, insufficient_data } => {
            set(&mut written, w.kind, "CLOUDWATCH_METRIC");
            let mut alarm = Mapping::new();
            set(&mut alarm, w.alarm_region, region.clone());
            set(&mut alarm, w.alarm_name, name.clone());
            set(&mut written, w.alarm.unwrap_or_default(), alarm);
            let word = INSUFFICIENT.iter().find(|(_, meaning)| meaning == insufficient_data).map(|(word, _)| *word);
            set(&mut written, w.insufficient_data, word.unwrap_or_default());
        }
        DefinedKind::RoutingControl { arn } => {
            set(&mut written, w.kind, "RECOVERY_CONTROL");
            set(&mut written, w.routing_control, arn.clone());
        }
    }
    if check.status.inverted {
        set(&mut written, w.inverted, true);
    }
    if check.status.disabled {
        set(&mut written, w.disabled, true);
    }
    written
}

fn of_endpoint(written: &mut Mapping, endpoint: &DefinedEndpoint) {
    let DefinedEndpoint { address, name, check, regions } = endpoint;
    let kind = match &check.protocol {
        CheckProtocol::Tcp => "TCP",
        CheckProtocol::Http { tls: None, search: None, .. } => "HTTP",
        CheckProtocol::Http { tls: None, search: Some(_), .. } => "HTTP_STR_MATCH",
        CheckProtocol::Http { tls: Some(_), search: None, .. } => "HTTPS",
        CheckProtocol::Http { tls: Some(_), search: Some(_), .. } => "HTTPS_STR_MATCH",
    };
    set(written, WORDS.kind, kind);
    if let Some(address) = address {
        set(written, WORDS.address, address.to_string());
    }
    if let Some(name) = name {
        set(written, WORDS.name, name.clone());
    }
    set(written, WORDS.port, u32::from(check.port));
    if let CheckProtocol::Http { path, tls, search, .. } = &check.protocol {
        set(written, WORDS.path, path.clone());
        if let Some(search) = search {
            set(written, WORDS.search, search.clone());
        }
        if let Some(tls) = tls {
            set(written, WORDS.sni, tls.sni);
        }
    }
    set(written, WORDS.interval, check.interval.as_secs());
    set(written, WORDS.failure_threshold, check.failure_threshold);
    if !regions.is_empty() {
        set(written, WORDS.regions, regions.iter().map(|region| region.clone().into()).collect::<Vec<Value>>());
    }
}
