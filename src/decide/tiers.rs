//! The candidate lists of a group for one query, best first, before health is looked at (rulebook, section 5.1).
//!
//! It knows policies and the viewpoint; health is none of its business.

use std::cmp::Ordering;
use std::time::Duration;

use ipnet::IpNet;

use crate::zone::{FailoverRole, GeoLocation, GeoproximityOrigin, Group, Policy, RecordSet, Zone};

use super::{Switches, Viewpoint};
use crate::geography::Coordinates;
use crate::geography::{self, distance_km};

/// The candidate lists of one group for one query.
pub(super) struct Tiers<'z> {
    /// Best first; no list is empty.
    pub(super) lists: Vec<Vec<&'z RecordSet>>,
    /// Records that do not apply to this query.
    pub(super) not_applicable: Vec<&'z RecordSet>,
}

/// How good a record is for a query: the smaller the better; records with equal ranks stand in one list.
#[derive(Clone, Debug, PartialEq)]
enum Rank {
    Order(u8),
    Latency { pinned: bool, measured: Option<Duration>, km: Option<f64>, region: String },
    Nearness { km: f64, tie: Option<String> },
    PrefixLength(Option<u8>),
}

pub(super) fn tiers<'z>(zone: &'z Zone, group: &'z Group, viewpoint: &Viewpoint, switches: Switches) -> Tiers<'z> {
    let mut ranked: Vec<(Rank, &RecordSet)> = Vec::new();
    let mut not_applicable = Vec::new();
    for record in &group.records {
        match rank(zone, record, viewpoint) {
            Some(rank) => ranked.push((rank, record)),
            None => not_applicable.push(record),
        }
    }
    // Stable: records of one rank keep the group's order, that of their set identifiers.
    ranked.sort_by(|(one, _), (other, _)| compare(one, other));
    let mut lists: Vec<Vec<&RecordSet>> = Vec::new();
    let mut previous: Option<Rank> = None;
    for (rank, record) in ranked {
        match lists.last_mut() {
            Some(tier) if previous.as_ref() == Some(&rank) => tier.push(record),
            _ => lists.push(vec![record]),
        }
        previous = Some(rank);
    }
    let ip_based = group.records.iter().any(|record| matches!(record.policy, Policy::IpBased { .. }));
    if ip_based && !switches.ip_based_falls_back {
        not_applicable.extend(lists.drain(1.min(lists.len())..).flatten());
    }
    Tiers { lists, not_applicable }
}

fn rank(zone: &Zone, record: &RecordSet, viewpoint: &Viewpoint) -> Option<Rank> {
    Some(match &record.policy {
        Policy::Simple | Policy::Multivalue | Policy::Failover(FailoverRole::Primary) => Rank::Order(0),
        Policy::Failover(FailoverRole::Secondary) => Rank::Order(1),
        // R53-40, R53-42: weight 0 only when nothing above 0 is healthy.
        Policy::Weighted(weight) => Rank::Order(u8::from(*weight == 0)),
        Policy::Latency(region) => latency(region, viewpoint),
        Policy::Geolocation(location) => Rank::Order(specificity(location, viewpoint)?),
        Policy::Geoproximity { origin, bias } => {
            let km = viewpoint
                .coordinates
                .zip(place(origin))
                .map_or(f64::INFINITY, |(here, there)| biased(distance_km(here, there), *bias));
            Rank::Nearness { km, tie: record.set_identifier.clone() }
        }
        Policy::IpBased { collection, location } => Rank::PrefixLength(if location == "*" {
            None
        } else {
            Some(longest_match(zone.cidr_collections.get(collection)?.get(location)?, viewpoint.source?)?)
        }),
    })
}

/// R53-48, with R53-51: from within China the record of cn-north-1, whatever the latency.
fn latency(region: &str, viewpoint: &Viewpoint) -> Rank {
    let km = viewpoint.coordinates.zip(geography::region(region)).map(|(here, there)| distance_km(here, there));
    Rank::Latency {
        pinned: region == "cn-north-1" && viewpoint.country.as_deref() == Some("CN"),
        measured: viewpoint.latency.get(region).copied(),
        km,
        region: region.to_owned(),
    }
}

/// R53-53: state, country, continent, default.
fn specificity(location: &GeoLocation, viewpoint: &Viewpoint) -> Option<u8> {
    let here = viewpoint.country.as_deref();
    let continent = viewpoint.continent.as_deref().or_else(|| here.and_then(geography::continent_of));
    match location {
        GeoLocation::Subdivision { country, subdivision } => {
            (here == Some(country) && viewpoint.subdivision.as_deref() == Some(subdivision)).then_some(0)
        }
        GeoLocation::Country(country) => (here == Some(country)).then_some(1),
        GeoLocation::Continent(code) => (continent == Some(code)).then_some(2),
        GeoLocation::Default => Some(3),
    }
}

/// A Local Zone group stands where its parent Region does: its own place is not published as coordinates.
fn place(origin: &GeoproximityOrigin) -> Option<Coordinates> {
    match origin {
        GeoproximityOrigin::Region(region) => geography::region(region),
        GeoproximityOrigin::LocalZoneGroup(group) => geography::parent_region(group),
        GeoproximityOrigin::Coordinates { latitude, longitude } => {
            Some(Coordinates { latitude: *latitude, longitude: *longitude })
        }
    }
}

/// The effective distance of R53-63.
fn biased(km: f64, bias: i8) -> f64 {
    let share = f64::from(bias) / 100.0;
    if bias >= 0 { km * (1.0 - share) } else { km / (1.0 + share) }
}

/// R53-68, R53-69: a block matches when it holds the whole of what is known of the source.
fn longest_match(blocks: &[IpNet], source: IpNet) -> Option<u8> {
    blocks.iter().filter(|block| block.contains(&source)).map(IpNet::prefix_len).max()
}

fn compare(one: &Rank, other: &Rank) -> Ordering {
    match (one, other) {
        (Rank::Order(one), Rank::Order(other)) => one.cmp(other),
        (
            Rank::Latency { pinned: pin, measured, km, region },
            Rank::Latency { pinned: pin_2, measured: measured_2, km: km_2, region: region_2 },
        ) => pin_2
            .cmp(pin)
            .then_with(|| none_last(measured.as_ref(), measured_2.as_ref(), Ord::cmp))
            .then_with(|| none_last(km.as_ref(), km_2.as_ref(), f64::total_cmp))
            .then_with(|| region.cmp(region_2)),
        (Rank::Nearness { km, tie }, Rank::Nearness { km: km_2, tie: tie_2 }) => {
            km.total_cmp(km_2).then_with(|| tie.cmp(tie_2))
        }
        (Rank::PrefixLength(one), Rank::PrefixLength(other)) => {
            none_last(one.as_ref(), other.as_ref(), |one, other| other.cmp(one))
        }
        // Two policies in one group: validation refuses that. Any fixed order will do.
        _ => kind(one).cmp(&kind(other)),
    }
}

fn none_last<T>(one: Option<&T>, other: Option<&T>, compare: impl Fn(&T, &T) -> Ordering) -> Ordering {
    match (one, other) {
        (Some(one), Some(other)) => compare(one, other),
        (one, other) => other.is_some().cmp(&one.is_some()),
    }
}

const fn kind(rank: &Rank) -> u8 {
    match rank {
        Rank::Order(_) => 0,
        Rank::Latency { .. } => 1,
        Rank::Nearness { .. } => 2,
        Rank::PrefixLength(_) => 3,
    }
}
