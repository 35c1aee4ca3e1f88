//! From a table of record sets to a zone.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr};

use hickory_proto::rr::{Name, RecordType};

use crate::geography;
use crate::source::nearest;
use crate::zone::{
    Alias, FailoverRole, GeoLocation, GeoproximityOrigin, HealthCheckId, Policy, RecordData, RecordSet, Visibility,
    Zone, validate,
};

use super::call::Call;
use super::explanation::Explanation;
use super::parameters::record_type;
use super::table::Row;
use super::zone_under_test::name_in;

/// The columns of a table of record sets.
pub(super) const COLUMNS: [&str; 9] =
    ["name", "type", "routing", "id", "health check", "alias to", "evaluate target health", "ttl", "values"];

const DEFAULT_TTL: u32 = 60;

/// The zone of a step's table.
///
/// A record set without values and without `alias to` gets an address of its own, so that a scenario need not speak of
/// addresses; one without `ttl` has 60 s.
///
/// # Errors
/// What stands in the table and is no record set, and what Route 53 would refuse.
pub(super) fn zone(call: &Call<'_>, apex: &Name, visibility: Visibility) -> Result<Zone, Explanation> {
    let mut records = Vec::new();
    for (index, row) in call.rows(&COLUMNS, &["name"])?.iter().enumerate() {
        records.push(record(&row, apex, index)?);
    }
    let zone = Zone { visibility, ..Zone::of(apex.clone(), records) };
    validate::validate(&zone).map_err(|errors| Explanation::cannot_run(errors.to_string()))?;
    Ok(zone)
}

fn record(row: &Row<'_>, apex: &Name, index: usize) -> Result<RecordSet, Explanation> {
    let rtype = row.read("type", record_type)?.unwrap_or(RecordType::A);
    let at = row.at("name");
    Ok(RecordSet {
        name: row.need_as("name", |written| name_in(apex, written))?,
        rtype,
        set_identifier: row.get("id").map(str::to_owned),
        policy: row.read("routing", policy)?.unwrap_or(Policy::Simple),
        health_check: row.get("health check").map(|id| HealthCheckId(id.to_owned())),
        data: data(row, apex, rtype, index)?,
        at,
    })
}

fn data(row: &Row<'_>, apex: &Name, rtype: RecordType, index: usize) -> Result<RecordData, Explanation> {
    let evaluates = row.read("evaluate target health", yes_or_no)?;
    let ttl = row.read("ttl", |text| {
        text.trim_end_matches(" s").parse().map_err(|_| format!("`{text}` is no TTL; expected whole seconds"))
    })?;
    let Some(target) = row.read("alias to", |written| name_in(apex, written))? else {
        if evaluates.is_some() {
            return Err(
                row.refuse("evaluate target health", "only an alias has a target; expected `alias to` beside it")
            );
        }
        let values = match row.get("values") {
            Some(values) => values.split(", ").map(|value| value.trim().to_owned()).collect(),
            None => vec![own_address(row, rtype, index)?],
        };
        return Ok(RecordData::Values { ttl: ttl.unwrap_or(DEFAULT_TTL), values });
    };
    for column in ["ttl", "values"] {
        if row.get(column).is_some() {
            return Err(
                row.refuse(column, format!("an alias has no {column} of its own; expected a blank cell (R53-235)"))
            );
        }
    }
    let hosted_zone_id = owning_zone_id(apex, &target).to_owned();
    Ok(RecordData::Alias(Alias { target, hosted_zone_id, evaluate_target_health: evaluates.unwrap_or(false) }))
}

/// The id of the hosted zone that owns an alias target: made up, where the service has not one for all Regions.
fn owning_zone_id(apex: &Name, target: &Name) -> &'static str {
    if apex.zone_of(target) {
        return "Z-OWN";
    }
    validate::alias_zone_id(target).unwrap_or("Z-AWS")
}

fn own_address(row: &Row<'_>, rtype: RecordType, index: usize) -> Result<String, Explanation> {
    let host = u16::try_from(index).unwrap_or(u16::MAX) + 1;
    let [high, low] = host.to_be_bytes();
    match rtype {
        RecordType::A => Ok(Ipv4Addr::new(198, 19, high, low).to_string()),
        RecordType::AAAA => Ok(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, host).to_string()),
        _ => Err(row
            .refuse("values", "`values` is blank; expected values, separated by `, ` (only A and AAAA get their own)")),
    }
}

fn yes_or_no(text: &str) -> Result<bool, String> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        other => Err(format!("`{other}` is neither yes nor no")),
    }
}

const POLICIES: [(&str, &str); 8] = [
    ("simple", "simple"),
    ("multivalue", "multivalue"),
    ("failover", "failover primary, failover secondary"),
    ("weight", "weight 10"),
    ("latency", "latency sa-east-1"),
    (
        "geolocation",
        "geolocation SA (a continent), geolocation BR, geolocation country SA, geolocation US-CA, geolocation default",
    ),
    ("geoproximity", "geoproximity us-east-1 bias 50, geoproximity 52.5,13.4"),
    ("cidr", "cidr <collection> <location>"),
];

/// A routing policy as the table writes it.
fn policy(text: &str) -> Result<Policy, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let first = words.first().copied().unwrap_or_default();
    let by_name: BTreeMap<&str, &str> = POLICIES.into();
    let Some(example) = by_name.get(first) else {
        let meant = nearest(first, by_name.keys().copied());
        let meant = meant.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
        let known: Vec<&str> = POLICIES.iter().map(|(name, _)| *name).collect();
        return Err(format!("routing `{text}` is not known; expected one of {}{meant}", known.join(", ")));
    };
    let expected = || format!("routing `{text}` is incomplete or unknown; expected {example}");
    match words.as_slice() {
        ["simple"] => Ok(Policy::Simple),
        ["multivalue"] => Ok(Policy::Multivalue),
        ["failover", "primary"] => Ok(Policy::Failover(FailoverRole::Primary)),
        ["failover", "secondary"] => Ok(Policy::Failover(FailoverRole::Secondary)),
        ["weight", weight] => weight
            .parse()
            .map(Policy::Weighted)
            .map_err(|_| format!("weight `{weight}` is none; expected 0 to 255 (R53-38)")),
        ["latency", region] => Ok(Policy::Latency((*region).to_owned())),
        ["geolocation", location] => Ok(Policy::Geolocation(geo_location(location))),
        ["geolocation", "country", code] => Ok(Policy::Geolocation(GeoLocation::Country((*code).to_owned()))),
        ["geoproximity", origin] => Ok(Policy::Geoproximity { origin: geo_origin(origin), bias: 0 }),
        ["geoproximity", origin, "bias", bias] => {
            let bias = bias.parse().map_err(|_| format!("bias `{bias}` is none; expected -99 to 99 (R53-64)"))?;
            Ok(Policy::Geoproximity { origin: geo_origin(origin), bias })
        }
        ["cidr", collection, location] => {
            Ok(Policy::IpBased { collection: (*collection).to_owned(), location: (*location).to_owned() })
        }
        _ => Err(expected()),
    }
}

/// A continent's code stands before a country's; the two that are both (`SA`, `NA`, `AF`, `AS`) are continents.
fn geo_location(text: &str) -> GeoLocation {
    if text == "default" || text == "*" {
        return GeoLocation::Default;
    }
    if geography::CONTINENTS.iter().any(|(code, _)| *code == text) {
        return GeoLocation::Continent(text.to_owned());
    }
    match text.split_once('-') {
        Some((country, subdivision)) => {
            GeoLocation::Subdivision { country: country.to_owned(), subdivision: subdivision.to_owned() }
        }
        None => GeoLocation::Country(text.to_owned()),
    }
}

fn geo_origin(text: &str) -> GeoproximityOrigin {
    let degrees = text.split_once(',').and_then(|(one, other)| Some((one.parse().ok()?, other.parse().ok()?)));
    match degrees {
        Some((latitude, longitude)) => GeoproximityOrigin::Coordinates { latitude, longitude },
        None if geography::region(text).is_none() && geography::parent_region(text).is_some() => {
            GeoproximityOrigin::LocalZoneGroup(text.to_owned())
        }
        None => GeoproximityOrigin::Region(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_is_written_as_an_engineer_says_it() {
        assert_eq!(policy("failover primary"), Ok(Policy::Failover(FailoverRole::Primary)));
        assert_eq!(policy("weight 10"), Ok(Policy::Weighted(10)));
        assert_eq!(policy("geolocation SA"), Ok(Policy::Geolocation(GeoLocation::Continent("SA".into()))));
        assert_eq!(policy("geolocation country SA"), Ok(Policy::Geolocation(GeoLocation::Country("SA".into()))));
        assert_eq!(
            policy("geolocation US-CA"),
            Ok(Policy::Geolocation(GeoLocation::Subdivision { country: "US".into(), subdivision: "CA".into() }))
        );
        assert_eq!(
            policy("geoproximity us-east-1 bias -20"),
            Ok(Policy::Geoproximity { origin: GeoproximityOrigin::Region("us-east-1".into()), bias: -20 })
        );
    }

    #[test]
    fn an_unknown_policy_names_the_nearest_and_an_incomplete_one_says_how_it_goes_on() {
        assert!(policy("wieght 10").unwrap_err().contains("did you mean `weight`?"));
        assert!(policy("failover").unwrap_err().contains("expected failover primary, failover secondary"));
        assert!(policy("weight 300").unwrap_err().contains("0 to 255"));
    }
}
