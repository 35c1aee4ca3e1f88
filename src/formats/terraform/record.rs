//! `aws_route53_record`.

use hickory_proto::rr::RecordType;

use crate::zone::document::Node;
use crate::zone::{
    Alias, FailoverRole, GeoLocation, GeoproximityOrigin, HealthCheckId, Policy, PolicyProblem, RecordData,
    RecordProblem, SPF, ZoneError, values,
};

use super::resource::Resource;
use super::zone_id;

/// A record set whose name may still want its zone.
#[derive(Debug)]
pub(super) struct Written {
    /// As it is written: perhaps relative, perhaps with a dot at its end.
    pub(super) name: String,
    /// Its whole name, where a state knows it.
    pub(super) fqdn: Option<String>,
    pub(super) rtype: RecordType,
    pub(super) set_identifier: Option<String>,
    pub(super) policy: Policy,
    pub(super) health_check: Option<HealthCheckId>,
    /// The target of an alias may be relative neither here nor in Route 53.
    pub(super) data: RecordData,
    pub(super) at: crate::source::Position,
}

/// The id of its zone, and the record set; `None` when it cannot be made sense of, then the findings say why.
pub(super) fn read(node: &Node<'_>, resource: &Resource) -> Option<(String, Written)> {
    let text = |key| node.get(key).and_then(|text| text.text().map(str::to_owned));
    let rtype = node.need("type").and_then(|rtype| rtype.record_type());
    let zone = node.need("zone_id").and_then(|zone| zone.text().map(zone_id));
    let policy = policy(node);
    let data = data(node, rtype);
    // No name at all is the zone's own.
    let name = text("name").unwrap_or_default();
    if crate::zone::is_unknown(&name) {
        node.invalid(format!("the name of {} is known only after apply; expected a name", resource.address));
        return None;
    }
    let written = Written {
        name,
        fqdn: text("fqdn").filter(|fqdn| !crate::zone::is_unknown(fqdn)),
        rtype: rtype?,
        set_identifier: text("set_identifier"),
        policy: policy?,
        health_check: text("health_check_id").map(HealthCheckId),
        data: data?,
        at: node.at(),
    };
    Some((zone?, written))
}

/// The one block of a list, or none.
fn block<'a>(node: &Node<'a>, key: &str) -> Option<Node<'a>> {
    let list = node.get(key)?;
    let items = list.items();
    if items.len() > 1 {
        list.invalid(format!("{} blocks `{key}`; expected one", items.len()));
    }
    items.into_iter().next()
}

fn refuse<T>(node: &Node<'_>, problem: PolicyProblem) -> Option<T> {
    node.findings().add(ZoneError::Policy { at: node.at(), problem });
    None
}

/// A number, which old states write as a text.
fn integer(node: &Node<'_>) -> Option<i64> {
    node.value().as_i64().or_else(|| node.value().as_str()?.parse().ok())
}

type Reader = fn(&Node<'_>) -> Option<Policy>;

const BLOCKS: [(&str, Reader); 6] = [
    ("weighted_routing_policy", |block| weight(&block.need("weight")?)),
    ("failover_routing_policy", |block| role(&block.need("type")?)),
    ("latency_routing_policy", |block| Some(Policy::Latency(block.need("region")?.text()?.to_owned()))),
    ("geolocation_routing_policy", geolocation),
    ("geoproximity_routing_policy", geoproximity),
    ("cidr_routing_policy", |block| {
        let text = |key| block.need(key).and_then(|text| text.text().map(str::to_owned));
        Some(Policy::IpBased { collection: text("collection_id")?, location: text("location_name")? })
    }),
];

/// Simple when there is none (R53-226: at most one).
fn policy(node: &Node<'_>) -> Option<Policy> {
    let mut found: Vec<(&str, Node<'_>, Reader)> =
        BLOCKS.iter().filter_map(|&(key, reader)| Some((key, block(node, key)?, reader))).collect();
    if let Some(flag) = node.get("multivalue_answer_routing_policy").filter(|flag| flag.value() != false) {
        found.push(("multivalue_answer_routing_policy", flag, |flag| flag.flag().map(|_| Policy::Multivalue)));
    }
    // States of the first provider have the weight, -1 for none, and the role beside the rest.
    if let Some(weighted) = node.get("weight").filter(|weighted| integer(weighted) != Some(-1)) {
        found.push(("weight", weighted, weight));
    }
    if let Some(failover) = node.get("failover") {
        found.push(("failover", failover, role));
    }
    match found.as_slice() {
        [] => Some(Policy::Simple),
        [(_, block, reader)] => reader(block),
        [_, (_, second, _), ..] => {
            let keys = found.iter().map(|(key, ..)| *key).collect::<Vec<_>>().join(" and ");
            let problem = RecordProblem::SeveralPolicies { found: keys };
            node.findings().add(ZoneError::Record { at: second.at(), problem });
            None
        }
    }
}

fn weight(node: &Node<'_>) -> Option<Policy> {
    if let Some(unknown) = node.value().as_str().filter(|text| crate::zone::is_unknown(text)) {
        node.invalid(format!(
            "the weight is known only after apply (`{unknown}`); expected a number: shares depend on it"
        ));
        return None;
    }
    match integer(node).and_then(|weight| u8::try_from(weight).ok()) {
        Some(weight) => Some(Policy::Weighted(weight)),
        None => refuse(node, PolicyProblem::Weight { found: node.value().to_string() }),
    }
}

fn role(node: &Node<'_>) -> Option<Policy> {
    match node.text()? {
        "PRIMARY" => Some(Policy::Failover(FailoverRole::Primary)),
        "SECONDARY" => Some(Policy::Failover(FailoverRole::Secondary)),
        other => refuse(node, PolicyProblem::FailoverRole { found: other.to_owned() }),
    }
}

fn geolocation(node: &Node<'_>) -> Option<Policy> {
    let text = |key: &str| node.get(key).and_then(|code| code.text().map(str::to_owned));
    let location = match (text("continent"), text("country"), text("subdivision")) {
        (Some(continent), None, None) => GeoLocation::Continent(continent),
        (Some(_), _, _) => return refuse(node, PolicyProblem::ContinentWithCountry),
        (None, Some(country), None) if country == "*" => GeoLocation::Default,
        (None, Some(country), None) => GeoLocation::Country(country),
        (None, Some(country), Some(subdivision)) => GeoLocation::Subdivision { country, subdivision },
        (None, None, _) => return refuse(node, PolicyProblem::NoLocation),
    };
    Some(Policy::Geolocation(location))
}

fn geoproximity(node: &Node<'_>) -> Option<Policy> {
    let bias = match node.get("bias") {
        None => 0,
        Some(bias) => match integer(&bias).and_then(|bias| i8::try_from(bias).ok()) {
            Some(found) => found,
            None => return refuse(&bias, PolicyProblem::Bias { found: bias.value().to_string() }),
        },
    };
    let (region, group, place) = (node.get("aws_region"), node.get("local_zone_group"), block(node, "coordinates"));
    let origin = match (region, group, place) {
        (Some(region), None, None) => GeoproximityOrigin::Region(region.text()?.to_owned()),
        (None, Some(group), None) => GeoproximityOrigin::LocalZoneGroup(group.text()?.to_owned()),
        (None, None, Some(place)) => {
            let axis = |key, axis, limit| {
                let node = place.need(key)?;
                let text = node.text()?;
                crate::zone::validate::coordinate(axis, text, limit)
                    .map_err(|problem| node.findings().add(ZoneError::Policy { at: node.at(), problem }))
                    .ok()
            };
            let latitude = axis("latitude", "Latitude", 90.0);
            let longitude = axis("longitude", "Longitude", 180.0);
            GeoproximityOrigin::Coordinates { latitude: latitude?, longitude: longitude? }
        }
        (region, group, place) => {
            let count = usize::from(region.is_some()) + usize::from(group.is_some()) + usize::from(place.is_some());
            return refuse(node, PolicyProblem::Origins { count });
        }
    };
    Some(Policy::Geoproximity { origin, bias })
}

/// An alias keeps a TTL of 0 and an empty list beside it; with values, a TTL of 0 is one (R53-173).
fn data(node: &Node<'_>, rtype: Option<RecordType>) -> Option<RecordData> {
    if let Some(alias) = block(node, "alias") {
        return read_alias(&alias).map(RecordData::Alias);
    }
    let Some(ttl) = node.get("ttl") else {
        let problem = RecordProblem::NeitherAliasNorValues { missing: "`ttl`" };
        node.findings().add(ZoneError::Record { at: node.at(), problem });
        return None;
    };
    let Some(seconds) = integer(&ttl).and_then(|ttl| u32::try_from(ttl).ok()).filter(|ttl| i32::try_from(*ttl).is_ok())
    else {
        let problem = RecordProblem::TtlRange { found: ttl.value().to_string() };
        node.findings().add(ZoneError::Record { at: ttl.at(), problem });
        return None;
    };
    let records = node.need("records")?;
    // A list of which nothing is known stands as one value.
    let items = if records.value().is_string() { vec![records] } else { records.items() };
    let mut found = Vec::new();
    for value in items {
        let text = value_text(rtype, value.text()?);
        if let Err(problem) = rtype.map_or(Ok(()), |rtype| values::check(rtype, &text)) {
            value.findings().add(ZoneError::Record { at: value.at(), problem });
        }
        found.push(rtype.map_or_else(|| text.clone(), |rtype| values::absolute(rtype, &text)));
    }
    Some(RecordData::Values { ttl: seconds, values: found })
}

/// The provider puts the outer quotes around a text itself.
fn value_text(rtype: Option<RecordType>, text: &str) -> String {
    let is_text = rtype.is_some_and(|rtype| rtype == RecordType::TXT || rtype == SPF);
    if is_text && !crate::zone::is_unknown(text) { format!("\"{text}\"") } else { text.to_owned() }
}

fn read_alias(node: &Node<'_>) -> Option<Alias> {
    let target = node.need("name")?;
    let name = target.name();
    let hosted_zone_id = node.need("zone_id").and_then(|id| id.text().map(zone_id));
    let evaluate = node.need("evaluate_target_health").and_then(|flag| flag.flag());
    Some(Alias { target: name?, hosted_zone_id: hosted_zone_id?, evaluate_target_health: evaluate? })
}
