//! The routing policy of one `ResourceRecordSet`, told by its keys.

use crate::zone::validate::coordinate;

use super::super::document::Node;
use super::super::{FailoverRole, GeoLocation, GeoproximityOrigin, Policy, PolicyProblem, RecordProblem, ZoneError};

type Reader = fn(&Node<'_>) -> Option<Policy>;

const READERS: &[(&str, Reader)] = &[
    ("Weight", weighted),
    ("Region", latency),
    ("Failover", failover),
    ("GeoLocation", geolocation),
    ("GeoProximityLocation", geoproximity),
    ("MultiValueAnswer", multivalue),
    ("CidrRoutingConfig", ip_based),
];

/// Simple when there is no key of a policy (R53-226: at most one).
pub(super) fn read(node: &Node<'_>) -> Option<Policy> {
    let found: Vec<(&str, Node<'_>, Reader)> =
        READERS.iter().filter_map(|&(key, reader)| Some((key, node.get(key)?, reader))).collect();
    match found.as_slice() {
        [] => Some(Policy::Simple),
        [(_, value, reader)] => reader(value),
        [_, (_, second, _), ..] => {
            let keys = found.iter().map(|(key, ..)| *key).collect::<Vec<_>>().join(" and ");
            let problem = RecordProblem::SeveralPolicies { found: keys };
            node.findings().add(ZoneError::Record { at: second.key_at(), problem });
            None
        }
    }
}

fn refuse(node: &Node<'_>, problem: PolicyProblem) -> Option<Policy> {
    node.findings().add(ZoneError::Policy { at: node.at(), problem });
    None
}

fn weighted(node: &Node<'_>) -> Option<Policy> {
    match node.value().as_u64().and_then(|weight| u8::try_from(weight).ok()) {
        Some(weight) => Some(Policy::Weighted(weight)),
        None => refuse(node, PolicyProblem::Weight { found: node.value().to_string() }),
    }
}

fn latency(node: &Node<'_>) -> Option<Policy> {
    node.text().map(|region| Policy::Latency(region.to_owned()))
}

fn failover(node: &Node<'_>) -> Option<Policy> {
    match node.text()? {
        "PRIMARY" => Some(Policy::Failover(FailoverRole::Primary)),
        "SECONDARY" => Some(Policy::Failover(FailoverRole::Secondary)),
        other => refuse(node, PolicyProblem::FailoverRole { found: other.to_owned() }),
    }
}

fn multivalue(node: &Node<'_>) -> Option<Policy> {
    if node.value().as_bool() == Some(true) {
        return Some(Policy::Multivalue);
    }
    refuse(node, PolicyProblem::MultiValueAnswer { found: node.value().to_string() })
}

fn geolocation(node: &Node<'_>) -> Option<Policy> {
    node.object()?;
    node.only(&["ContinentCode", "CountryCode", "SubdivisionCode"]);
    let text = |key: &str| node.get(key).and_then(|code| code.text().map(str::to_owned));
    let location = match (text("ContinentCode"), text("CountryCode"), text("SubdivisionCode")) {
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
    node.object()?;
    node.only(&["AWSRegion", "LocalZoneGroup", "Coordinates", "Bias"]);
    let bias = match node.get("Bias") {
        None => Some(0),
        Some(bias) => {
            let found = bias.value().as_i64().and_then(|bias| i8::try_from(bias).ok());
            if found.is_none() {
                refuse(&bias, PolicyProblem::Bias { found: bias.value().to_string() });
            }
            found
        }
    };
    let region = node.get("AWSRegion");
    let group = node.get("LocalZoneGroup");
    let coordinates = node.get("Coordinates");
    let origin = match (region, group, coordinates) {
        (Some(region), None, None) => GeoproximityOrigin::Region(region.text()?.to_owned()),
        (None, Some(group), None) => GeoproximityOrigin::LocalZoneGroup(group.text()?.to_owned()),
        (None, None, Some(place)) => {
            place.only(&["Latitude", "Longitude"]);
            let latitude = axis(&place, "Latitude", 90.0);
            let longitude = axis(&place, "Longitude", 180.0);
            GeoproximityOrigin::Coordinates { latitude: latitude?, longitude: longitude? }
        }
        (region, group, coordinates) => {
            let count =
                usize::from(region.is_some()) + usize::from(group.is_some()) + usize::from(coordinates.is_some());
            return refuse(node, PolicyProblem::Origins { count });
        }
    };
    Some(Policy::Geoproximity { origin, bias: bias? })
}

/// Route 53 writes coordinates as texts.
fn axis(node: &Node<'_>, key: &'static str, limit: f64) -> Option<f64> {
    let node = node.need(key)?;
    let text = node.text()?;
    match coordinate(key, text, limit) {
        Ok(degrees) => Some(degrees),
        Err(problem) => {
            refuse(&node, problem);
            None
        }
    }
}

fn ip_based(node: &Node<'_>) -> Option<Policy> {
    node.object()?;
    node.only(&["CollectionId", "LocationName"]);
    let location = node.need("LocationName").and_then(|name| name.text().map(str::to_owned));
    let Some(collection) = node.get("CollectionId") else { return refuse(node, PolicyProblem::CollectionMissing) };
    Some(Policy::IpBased { collection: collection.text()?.to_owned(), location: location? })
}
