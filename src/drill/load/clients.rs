//! Who asks: resolvers and clients, and the places where they stand.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::decide::Viewpoint;

use super::super::addresses;
use super::super::error::{Noun, Problem};
use super::super::loaded::{Cell, CellMake, Client, Probe, Resolver};
use super::super::schema::{ClientFile, DrillFile, ResolverFile};
use super::not_plain;
use super::reader::Reader;
use super::software;
use crate::plan::expectation::{Claim, Expectation};
use crate::plan::{Asks, ClientProfile, ClientRuns, ProfileKind, ResolverKind};

/// No client asks more often: the lab must keep up at its speed.
pub(super) const MOST_OFTEN: Duration = Duration::from_millis(200);
/// No client asks less often: a move could not be told from a pause.
pub(super) const LEAST_OFTEN: Duration = Duration::from_secs(60);
/// A client gives a request up within this.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(60);
/// The same for one that reads a stream: its answer is long.
const LONGEST_STREAM: Duration = Duration::from_secs(600);
/// Side by side at most: one machine asks for all of them.
const MOST_WORKERS: u32 = 64;

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
        let (software, serve_stale) = software::resolver(reader, &path, written, kind);
        let resolver = Resolver { place: written.place.clone(), viewpoint, kind, software, serve_stale };
        resolvers.insert(name.clone(), resolver);
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
    cells: &BTreeMap<String, Cell>,
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
        reader.within(&path, "every", every, MOST_OFTEN, LEAST_OFTEN);
        let asks = asks(reader, &path, written, cells);
        let longest = if matches!(asks, Asks::Stream(_)) { LONGEST_STREAM } else { LONGEST_TIMEOUT };
        let timeout = reader.duration_or(&path, "timeout", written.timeout.as_ref(), Duration::from_secs(5));
        reader.within(&path, "timeout", timeout, Duration::from_secs(1), longest);
        let runs = software::client(reader, &path, written);
        let client = Client {
            place: written.place.clone(),
            viewpoint,
            resolver: written.resolver.clone(),
            profile: profile(reader, &path, written, &runs),
            runs,
            family: reader.family(&format!("{path}.family"), written.family.as_deref()),
            every,
            timeout,
            slow: reader.duration_or(&path, "slow", written.slow.as_ref(), Duration::from_secs(1)),
            asks,
            workers: reader.number_or(&path, "workers", written.workers, 1, (1, MOST_WORKERS)),
            tier: tier(reader, &path, written),
        };
        software::limits(reader, &path, written, &client);
        clients.insert(name.clone(), client);
    }
    clients
}

/// What the client asks for, which some cell must serve.
fn asks(reader: &mut Reader<'_>, path: &str, written: &ClientFile, cells: &BTreeMap<String, Cell>) -> Asks {
    let tokens = reader.number_or(path, "tokens", written.tokens, 16, (1, 100_000));
    let words = [
        ("page", Asks::Page),
        ("completion", Asks::Completion(tokens)),
        ("stream", Asks::Stream(tokens)),
        ("telemetry", Asks::Telemetry),
    ];
    let word = written.asks.as_deref().unwrap_or("page");
    let Some(asks) = reader.word(&format!("{path}.asks"), Noun::Asks, word, &words) else { return Asks::Page };
    let served = match asks {
        Asks::Page => true,
        Asks::Completion(_) | Asks::Stream(_) => cells.values().any(|cell| matches!(cell.make, CellMake::Llm(_))),
        Asks::Telemetry => cells.values().any(|cell| cell.make == CellMake::TelemetryGateway),
    };
    if !served {
        let (what, instead) = if asks == Asks::Telemetry {
            (
                "a telemetry gateway",
                "write `telemetry-gateway: {}` for a cell, or let the client ask for something else",
            )
        } else {
            ("an LLM region", "write `llm: {}` for a cell, or let the client ask for something else")
        };
        let why = format!("the client asks for `{word}`, and no cell is {what}");
        reader.complain(&format!("{path}.asks"), Problem::Impossible { why, instead });
    }
    if matches!(asks, Asks::Page | Asks::Telemetry) {
        let keys = [("tokens", written.tokens.is_some()), ("tier", written.tier.is_some())];
        reader.without(path, &format!("a client that asks for `{word}`"), &keys);
    }
    asks
}

/// A word that goes into a header.
fn tier(reader: &mut Reader<'_>, path: &str, written: &ClientFile) -> Option<String> {
    let tier = written.tier.as_ref()?;
    if let Some(problem) = not_plain("a tier", tier) {
        reader.complain(&format!("{path}.tier"), problem);
    }
    Some(tier.clone())
}

fn profile(reader: &mut Reader<'_>, path: &str, written: &ClientFile, runs: &ClientRuns) -> ClientProfile {
    let own =
        if let ClientRuns::Known(software) = runs { Some(software::own_profile(*software, written)) } else { None };
    let Some(word) = written.profile.as_deref().or(own.map(ProfileKind::name)) else {
        if written.software.is_none() {
            let what = if written.image.is_some() { "a client with an `image`" } else { "a client" };
            reader.complain(path, Problem::Missing { what, key: "profile", example: "fresh-lookup" });
        }
        return ClientProfile::FreshLookup;
    };
    let cache = reader.duration_or(path, "cache", written.cache.as_ref(), Duration::from_secs(30));
    let max_age = reader.duration_or(path, "max-age", written.max_age.as_ref(), Duration::from_secs(60));
    let words = [
        ("fresh-lookup", ClientProfile::FreshLookup),
        ("runtime-cache", ClientProfile::RuntimeCache(cache)),
        ("cache-forever", ClientProfile::CacheForever),
        ("keep-alive-pool", ClientProfile::KeepAlivePool),
        ("recycling-pool", ClientProfile::RecyclingPool(max_age)),
        ("ageing-pool", ClientProfile::AgeingPool(max_age)),
    ];
    let Some(profile) = reader.word(&format!("{path}.profile"), Noun::Profile, word, &words) else {
        return ClientProfile::FreshLookup;
    };
    let what = format!("a client with the profile `{word}`");
    let caches = matches!(profile, ClientProfile::RuntimeCache(_));
    let ages = matches!(profile, ClientProfile::RecyclingPool(_) | ClientProfile::AgeingPool(_));
    let keys = [("cache", written.cache.is_some() && !caches), ("max-age", written.max_age.is_some() && !ages)];
    reader.without(path, &what, &keys);
    profile
}

/// Each place has room for so many, and a lab for so many places.
pub(super) fn room(
    reader: &mut Reader<'_>,
    resolvers: &BTreeMap<String, Resolver>,
    clients: &BTreeMap<String, Client>,
    probes: &BTreeMap<String, Probe>,
    expectations: &[Expectation],
) {
    let mut at_place: BTreeMap<&str, usize> = BTreeMap::new();
    let probes = probes.values().filter_map(|probe| resolvers.get(&probe.resolver));
    let places = resolvers.values().chain(probes).map(|resolver| &resolver.place);
    let places = places.chain(clients.values().map(|client| &client.place));
    for place in places {
        *at_place.entry(place).or_default() += 1;
    }
    // One machine serves them all, and loopback has one address for each.
    let (found, most) = (at_place.values().sum::<usize>(), addresses::MOST_ASKING);
    if found > most {
        let what = "resolvers, clients and probes".to_owned();
        reader.complain_of_key("clients", Problem::TooMany { what, found, most });
    }
    let most = addresses::MOST_AT_PLACE;
    for (place, found) in at_place.iter().filter(|(_, found)| **found > most) {
        let what = format!("resolvers, clients and probes in {place}");
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
