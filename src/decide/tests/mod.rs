//! What the rulebook says, held against the decision procedure.

mod failover_and_weighted;
mod geography_and_latency;
mod multi_region_api;
mod names_and_ttl;
mod properties;
mod trees;

use std::collections::BTreeMap;

use hickory_proto::rr::{Name, RecordType};

use crate::health::EvidenceBoard;
use crate::zone::{Alias, FailoverRole, GeoLocation, HealthCheckId, Policy, RecordData, RecordSet, Zone};

use super::{Admissible, Content, Decision, Outcome, Question, Switches, Viewpoint, decide};

pub(super) const PRIMARY: Policy = Policy::Failover(FailoverRole::Primary);
pub(super) const SECONDARY: Policy = Policy::Failover(FailoverRole::Secondary);
pub(super) const APEX: &str = "example.com.";

pub(super) fn name(text: &str) -> Name {
    Name::from_ascii(text).unwrap()
}

/// The name of a group by its first label.
pub(super) fn owner(label: &str) -> Name {
    name(&format!("{label}.{APEX}"))
}

fn record(label: &str, id: &str, policy: Policy, data: RecordData) -> RecordSet {
    RecordSet {
        name: owner(label),
        rtype: RecordType::A,
        set_identifier: (policy != Policy::Simple).then(|| id.to_owned()),
        policy,
        health_check: None,
        data,
        at: crate::source::Position::default(),
    }
}

/// A record whose only value is its own id.
pub(super) fn leaf(label: &str, id: &str, policy: Policy) -> RecordSet {
    record(label, id, policy, RecordData::Values { ttl: 60, values: vec![id.to_owned()] })
}

pub(super) fn alias(label: &str, id: &str, policy: Policy, target: &str, eth: bool) -> RecordSet {
    let target = if target.ends_with('.') { name(target) } else { owner(target) };
    record(
        label,
        id,
        policy,
        RecordData::Alias(Alias { target, hosted_zone_id: "Z".to_owned(), evaluate_target_health: eth }),
    )
}

/// The record with a health check that is called like its set identifier.
pub(super) fn checked(mut record: RecordSet) -> RecordSet {
    record.health_check = record.set_identifier.clone().map(HealthCheckId);
    record
}

pub(super) fn zone(records: impl IntoIterator<Item = RecordSet>) -> Zone {
    Zone::of(name(APEX), records)
}

/// Evidence in which these health checks, and these resources (with a dot), are unhealthy.
pub(super) fn down(ids: &[&str]) -> EvidenceBoard {
    let mut board = EvidenceBoard::default();
    for id in ids {
        if id.contains('.') {
            board.set_resource(name(id), false);
        } else {
            board.set_health_check(HealthCheckId((*id).to_owned()), false);
        }
    }
    board
}

pub(super) fn ask(zone: &Zone, label: &str, viewpoint: &Viewpoint, unhealthy: &[&str]) -> Decision {
    ask_with(zone, label, viewpoint, unhealthy, Switches::default())
}

pub(super) fn ask_with(
    zone: &Zone,
    label: &str,
    viewpoint: &Viewpoint,
    unhealthy: &[&str],
    switches: Switches,
) -> Decision {
    let name = if label.ends_with('.') { name(label) } else { owner(label) };
    let question = Question { name, rtype: RecordType::A, viewpoint: viewpoint.clone() };
    decide(zone, &question, &down(unhealthy), switches)
}

pub(super) fn admissible(decision: &Decision) -> &[Admissible] {
    match &decision.outcome {
        Outcome::Answers(answers) => answers,
        other => panic!("no answers: {other:?}"),
    }
}

pub(super) fn shown(content: &Content) -> String {
    match content {
        Content::Values { values, .. } => values.join("|"),
        Content::Resource(name) => name.to_string(),
    }
}

/// Each answer with its probability in percent, rounded.
pub(super) fn shares(decision: &Decision) -> BTreeMap<String, i64> {
    let mut shares: BTreeMap<String, f64> = BTreeMap::new();
    for one in admissible(decision) {
        *shares.entry(shown(&one.answer.content)).or_default() += one.probability;
    }
    #[expect(clippy::cast_possible_truncation, reason = "0 to 100")]
    let percent = |share: f64| (share * 100.0).round() as i64;
    shares.into_iter().map(|(answer, share)| (answer, percent(share))).collect()
}

/// The answers, by comma.
pub(super) fn possible(decision: &Decision) -> String {
    shares(decision).into_keys().collect::<Vec<_>>().join(",")
}

pub(super) fn nowhere() -> Viewpoint {
    Viewpoint::default()
}

pub(super) fn country(code: &str) -> Viewpoint {
    Viewpoint { country: Some(code.to_owned()), ..Viewpoint::default() }
}

pub(super) fn geo_default() -> Policy {
    Policy::Geolocation(GeoLocation::Default)
}

pub(super) fn geo_country(code: &str) -> Policy {
    Policy::Geolocation(GeoLocation::Country(code.to_owned()))
}

pub(super) fn geo_continent(code: &str) -> Policy {
    Policy::Geolocation(GeoLocation::Continent(code.to_owned()))
}

pub(super) fn geo_state(code: &str) -> Policy {
    Policy::Geolocation(GeoLocation::Subdivision { country: "US".to_owned(), subdivision: code.to_owned() })
}

pub(super) fn latency(region: &str) -> Policy {
    Policy::Latency(region.to_owned())
}

/// Sees these regions, the nearest first.
pub(super) fn near(regions: &[&str]) -> Viewpoint {
    let latency =
        regions.iter().zip(1..).map(|(region, n)| ((*region).to_owned(), std::time::Duration::from_millis(10 * n)));
    Viewpoint { latency: latency.collect(), ..Viewpoint::default() }
}
