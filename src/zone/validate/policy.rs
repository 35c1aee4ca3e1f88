//! The settings of one record set's routing policy.

use crate::geography::{self, CONTINENTS, COUNTRIES, REGIONS, UNSUPPORTED_COUNTRIES, US_STATES};
use crate::source::nearest;

use super::super::{GeoLocation, GeoproximityOrigin, Policy, PolicyProblem, RecordSet, Visibility, Zone, ZoneError};

pub(super) fn check(record: &RecordSet, problems: &mut Vec<ZoneError>) {
    let mut refuse = |problem| problems.push(ZoneError::Policy { at: record.at.clone(), problem });
    match &record.policy {
        Policy::Simple | Policy::Multivalue | Policy::Failover(_) | Policy::Weighted(_) => {}
        Policy::Latency(region) => known_region(region).unwrap_or_else(refuse),
        Policy::Geolocation(location) => known_location(location).unwrap_or_else(refuse),
        Policy::Geoproximity { origin, bias } => {
            if bias.unsigned_abs() > 99 {
                refuse(PolicyProblem::Bias { found: bias.to_string() });
            }
            match origin {
                GeoproximityOrigin::Region(region) => known_region(region).unwrap_or_else(refuse),
                GeoproximityOrigin::LocalZoneGroup(group) => {
                    if geography::parent_region(group).is_none() {
                        refuse(unknown_region(group));
                    }
                }
                GeoproximityOrigin::Coordinates { latitude, longitude } => {
                    for (axis, degrees, limit) in [("Latitude", latitude, 90.0), ("Longitude", longitude, 180.0)] {
                        if let Err(problem) = coordinate(axis, &degrees.to_string(), limit) {
                            refuse(problem);
                        }
                    }
                }
            }
        }
        Policy::IpBased { location, .. } => {
            if location != "*" && !is_location_name(location) {
                refuse(PolicyProblem::CidrLocationName { found: location.clone() });
            }
        }
    }
}

/// R53-208.
pub(super) fn check_visibility(zone: &Zone, problems: &mut Vec<ZoneError>) {
    if zone.visibility == Visibility::Public {
        return;
    }
    let ip_based = zone.record_sets().filter(|record| matches!(record.policy, Policy::IpBased { .. }));
    problems.extend(
        ip_based
            .map(|record| ZoneError::Policy { at: record.at.clone(), problem: PolicyProblem::IpBasedInPrivateZone }),
    );
}

/// R53-245.
pub(crate) fn is_location_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (1..=16).contains(&name.len()) && name.chars().all(fits)
}

/// Degrees from a text, within `limit` to both sides, at most two decimals (R53-65).
pub(crate) fn coordinate(axis: &'static str, text: &str, limit: f64) -> Result<f64, PolicyProblem> {
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let expected = if axis == "Latitude" { "-90 to 90" } else { "-180 to 180" };
    text.parse::<f64>()
        .ok()
        .filter(|degrees| degrees.abs() <= limit && decimals <= 2)
        .ok_or_else(|| PolicyProblem::Coordinate { axis, found: text.to_owned(), expected })
}

fn known_region(region: &str) -> Result<(), PolicyProblem> {
    if geography::region(region).is_some() { Ok(()) } else { Err(unknown_region(region)) }
}

fn unknown_region(found: &str) -> PolicyProblem {
    let nearest = nearest(found, REGIONS.iter().map(|(name, ..)| *name)).map(str::to_owned);
    PolicyProblem::Region { found: found.to_owned(), nearest }
}

fn known_location(location: &GeoLocation) -> Result<(), PolicyProblem> {
    match location {
        GeoLocation::Default => Ok(()),
        GeoLocation::Continent(code) => {
            if CONTINENTS.iter().any(|(known, _)| known == code) {
                Ok(())
            } else {
                Err(PolicyProblem::Continent { found: code.clone() })
            }
        }
        GeoLocation::Country(code) => known_country(code),
        GeoLocation::Subdivision { country, subdivision } => {
            known_country(country)?;
            if country != "US" {
                let (found, country) = (subdivision.clone(), country.clone());
                return Err(PolicyProblem::SubdivisionOutsideUs { found, country });
            }
            if US_STATES.iter().any(|(known, ..)| known == subdivision) {
                return Ok(());
            }
            // Somebody may have written the state's name, or its code in lower case.
            let by_name = US_STATES.iter().find(|(_, name, ..)| name.eq_ignore_ascii_case(subdivision));
            let nearest = by_name
                .map(|(code, ..)| *code)
                .or_else(|| nearest(subdivision, US_STATES.iter().map(|(code, ..)| *code)));
            Err(PolicyProblem::Subdivision { found: subdivision.clone(), nearest: nearest.map(str::to_owned) })
        }
    }
}

fn known_country(code: &str) -> Result<(), PolicyProblem> {
    if UNSUPPORTED_COUNTRIES.contains(&code) {
        return Err(PolicyProblem::UnsupportedCountry { found: code.to_owned() });
    }
    if geography::country(code).is_some() {
        return Ok(());
    }
    let by_name = COUNTRIES.iter().find(|known| known.name.eq_ignore_ascii_case(code));
    let nearest = by_name.map(|known| known.code).or_else(|| nearest(code, COUNTRIES.iter().map(|known| known.code)));
    Err(PolicyProblem::Country { found: code.to_owned(), nearest: nearest.map(str::to_owned) })
}
