//! Who asks: resolvers and clients, and the places where they stand.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::decide::Viewpoint;

use super::super::addresses;
use super::super::error::{Noun, Problem};
use super::super::loaded::{Client, Resolver};
use super::super::schema::{ClientFile, DrillFile, ResolverFile};
use super::reader::Reader;
use crate::plan::expectation::{Claim, Expectation};
use crate::plan::{ClientProfile, ResolverKind};

/// No client asks more often: the lab must keep up at its speed.
const MOST_OFTEN: Duration = Duration::from_millis(200);
/// No client asks less often: a move could not be told from a pause.
const LEAST_OFTEN: Duration = Duration::from_secs(60);

/// The viewpoint of a place, by the place's name.
pub(super) fn place(reader: &mut Reader<'_>, path: &str, name: &str) -> Option<Viewpoint> {
    Viewpoint::of_place(name).map_err(|error| reader.complain(path, Problem::UnknownPlace(error))).ok()
}

pub(super) fn resolvers(reader: &mut Reader<'_>, file: &DrillFile) -> BTreeMap<String, Resolver> {
    if file.resolvers.is_empty() {
        reader.complain_of_key("resolvers", Problem::Empty { what: "resolvers" });
    }
    let mut resolvers = BTreeMap::new();
    for (name, written) in &file.resolvers {
        let path = format!("resolvers.{name}");
        let viewpoint = place(reader, &format!("{path}.place"), &written.place).unwrap_or_default();
        let kind = kind(reader, &path, written);
        resolvers.insert(name.clone(), Resolver { place: written.place.clone(), viewpoint, kind });
    }
    resolvers
}

fn kind(reader: &mut Reader<'_>, path: &str, written: &ResolverFile) -> ResolverKind {
    match (&written.ttl_floor, written.client_subnet) {
        (None, false) => ResolverKind::Plain,
        (None, true) => ResolverKind::ClientSubnet,
        (Some(floor), subnet) => {
            if subnet {
                let keys = &["ttl-floor", "client-subnet"];
                reader.complain(path, Problem::NotExactlyOne { keys, found: 2 });
            }
            let floor = reader.duration(&format!("{path}.ttl-floor"), "ttl-floor", floor);
            floor.map_or(ResolverKind::Plain, ResolverKind::TtlFloor)
        }
    }
}

pub(super) fn clients(
    reader: &mut Reader<'_>,
    file: &DrillFile,
    resolvers: &BTreeMap<String, Resolver>,
) -> BTreeMap<String, Client> {
    if file.clients.is_empty() {
        reader.complain_of_key("clients", Problem::Empty { what: "clients" });
    }
    let mut clients = BTreeMap::new();
    for (name, written) in &file.clients {
        let path = format!("clients.{name}");
        let viewpoint = place(reader, &format!("{path}.place"), &written.place).unwrap_or_default();
        let names = resolvers.keys().map(String::as_str);
        reader.known(&format!("{path}.resolver"), Noun::Resolver, &written.resolver, names);
        let every = reader.duration_or(&path, "every", written.every.as_ref(), Duration::from_secs(2));
        if !(MOST_OFTEN..=LEAST_OFTEN).contains(&every) {
            let format = humantime::format_duration;
            let expected = format!("{} to {}", format(MOST_OFTEN), format(LEAST_OFTEN));
            let problem = Problem::OutOfRange { key: "every", found: format(every).to_string(), expected };
            reader.complain(&format!("{path}.every"), problem);
        }
        let timeout = reader.duration_or(&path, "timeout", written.timeout.as_ref(), Duration::from_secs(5));
        reader.within(&path, "timeout", timeout, Duration::from_secs(1), Duration::from_secs(60));
        let client = Client {
            place: written.place.clone(),
            viewpoint,
            resolver: written.resolver.clone(),
            profile: profile(reader, &path, written),
            family: reader.family(&format!("{path}.family"), written.family.as_deref()),
            every,
            timeout,
            slow: reader.duration_or(&path, "slow", written.slow.as_ref(), Duration::from_secs(1)),
        };
        clients.insert(name.clone(), client);
    }
    clients
}

fn profile(reader: &mut Reader<'_>, path: &str, written: &ClientFile) -> ClientProfile {
    let cache = reader.duration_or(path, "cache", written.cache.as_ref(), Duration::from_secs(30));
    let max_age = reader.duration_or(path, "max-age", written.max_age.as_ref(), Duration::from_secs(60));
    let words = [
        ("fresh-lookup", ClientProfile::FreshLookup),
        ("runtime-cache", ClientProfile::RuntimeCache(cache)),
        ("cache-forever", ClientProfile::CacheForever),
        ("keep-alive-pool", ClientProfile::KeepAlivePool),
        ("recycling-pool", ClientProfile::RecyclingPool(max_age)),
    ];
    let Some(profile) = reader.word(&format!("{path}.profile"), Noun::Profile, &written.profile, &words) else {
        return ClientProfile::FreshLookup;
    };
    let applies = [
        ("cache", written.cache.is_some(), matches!(profile, ClientProfile::RuntimeCache(_))),
        ("max-age", written.max_age.is_some(), matches!(profile, ClientProfile::RecyclingPool(_))),
    ];
    for (key, set, applies) in applies {
        if set && !applies {
            let what = format!("a client with the profile `{}`", written.profile);
            reader.complain_of_key(&format!("{path}.{key}"), Problem::DoesNotApply { key, what });
        }
    }
    profile
}

/// Each place has room for so many, and a lab for so many places.
pub(super) fn room(
    reader: &mut Reader<'_>,
    resolvers: &BTreeMap<String, Resolver>,
    clients: &BTreeMap<String, Client>,
    expectations: &[Expectation],
) {
    let mut at_place: BTreeMap<&str, usize> = BTreeMap::new();
    let places = resolvers.values().map(|resolver| &resolver.place).chain(clients.values().map(|client| &client.place));
    for place in places {
        *at_place.entry(place).or_default() += 1;
    }
    // One machine serves them all, and loopback has one address for each.
    let (found, most) = (at_place.values().sum::<usize>(), addresses::MOST_ASKING);
    if found > most {
        let what = "resolvers and clients".to_owned();
        reader.complain_of_key("clients", Problem::TooMany { what, found, most });
    }
    let most = addresses::MOST_AT_PLACE;
    for (place, found) in at_place.iter().filter(|(_, found)| **found > most) {
        let what = format!("resolvers and clients in {place}");
        reader.complain_of_key("clients", Problem::TooMany { what, found: *found, most });
    }
    let mut places: BTreeSet<&str> = at_place.into_keys().collect();
    places.extend(expectations.iter().filter_map(|expectation| match &expectation.claim {
        Claim::Answer { place, .. } => Some(place.as_str()),
        _ => None,
    }));
    let (found, most) = (places.len(), addresses::MOST_PLACES);
    if found > most {
        reader.complain_of_key("clients", Problem::TooMany { what: "places".to_owned(), found, most });
    }
}
