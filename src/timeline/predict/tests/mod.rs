//! The prediction of every ready drill, held against what their authors worked out by hand.

use std::collections::BTreeSet;
use std::path::Path;

mod signals;
mod waiting;

use super::*;
use crate::drill::{LoadedDrill, PlanOptions, load};
use crate::health::MinimumHealthy;
use crate::plan::expectation::{Claim, Expectation, ExpectedAnswer, Holds, Leg, Stage};
use crate::plan::{CellKind, Signal};

fn drill(name: &str) -> LoadedDrill {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("drills").join(name);
    load(&path).unwrap_or_else(|errors| panic!("{errors}"))
}

fn prediction(name: &str) -> Prediction {
    drill(name).plan(PlanOptions { seed: 1, speed: None, control: false, ..PlanOptions::default() }).prediction
}

const fn between(best: u64, worst: u64) -> Bounds {
    Bounds::between(Duration::from_secs(best), Duration::from_secs(worst))
}

fn never(best: u64) -> Bounds {
    Bounds::unbounded(Duration::from_secs(best))
}

fn bounds<const N: usize>(of: [(&str, Bounds); N]) -> BTreeMap<String, Bounds> {
    of.into_iter().map(|(name, bounds)| (name.to_owned(), bounds)).collect()
}

const DRILLS: [&str; 7] = [
    "database-down.yaml",
    "region-down.yaml",
    "both-regions-down.yaml",
    "everything-down.yaml",
    "chat-region-down.yaml",
    "zone-down.yaml",
    "minimum-healthy.yaml",
];

fn moved(leg: &LegPrediction) -> Vec<String> {
    let changed = leg.moves.iter().filter(|(_, client)| client.changes());
    changed.map(|(name, client)| format!("{name}: {} > {}", client.from.join("|"), client.to.join("|"))).collect()
}

#[test]
fn a_dead_database_is_left_within_ninety_seconds_by_who_resolves_again() {
    let Prediction { failover, .. } = prediction("database-down.yaml");
    assert_eq!(failover.detection, between(15, 30));
    assert_eq!(failover.authoritative, between(0, 0));
    assert_eq!(failover.resolvers, bounds([("br", between(0, 60))]));
    let clients = [
        ("br-forever", never(0)),
        ("br-fresh", between(0, 0)),
        ("br-gateway", between(0, 0)),
        ("br-jvm", between(0, 30)),
        ("br-pool", never(0)),
        ("br-v6", between(0, 0)),
    ];
    assert_eq!(failover.clients, bounds(clients));
    assert_eq!(failover.totals["br-fresh"], between(15, 90));
    assert_eq!(failover.totals["br-jvm"], between(15, 120));
    assert_eq!(failover.totals["br-pool"], never(15));
}

#[test]
fn a_dead_database_moves_brazil_and_nobody_else() {
    let Prediction { failover, failback } = prediction("database-down.yaml");
    let brazil = ["br-forever", "br-fresh", "br-gateway", "br-jvm", "br-pool", "br-v6"];
    assert_eq!(moved(&failover), brazil.map(|client| format!("{client}: sa-east-1 > us-east-1")));
    assert_eq!(moved(&failback), brazil.map(|client| format!("{client}: us-east-1 > sa-east-1")));
    assert_eq!(failover.moves["us-web"].to, ["us-east-1"]);
    assert_eq!(failover.moves["de-web"].to, ["eu-central-1"]);
}

#[test]
fn the_way_back_from_a_dead_database_counts_only_those_who_had_left() {
    let Prediction { failback, .. } = prediction("database-down.yaml");
    assert_eq!(failback.detection, between(60, 75));
    assert_eq!(failback.resolvers, bounds([("br", between(0, 60))]));
    let clients = [
        ("br-fresh", between(0, 0)),
        ("br-gateway", between(0, 60)),
        ("br-jvm", between(0, 30)),
        ("br-v6", between(0, 0)),
    ];
    assert_eq!(failback.clients, bounds(clients));
    assert_eq!(failback.totals["br-gateway"], between(60, 195));
}

#[test]
fn r53_166_a_dead_region_is_noticed_by_the_check_of_its_node_first() {
    let Prediction { failover, failback } = prediction("region-down.yaml");
    assert_eq!(failover.detection, between(10, 20));
    assert_eq!(failback.detection, between(60, 75), "the targets must have come back as well");
    assert_eq!(failover.totals["br-fresh"], between(10, 80));
}

#[test]
fn who_is_cut_off_is_seen_by_checks_that_wait_and_left_by_clients_that_do() {
    let Prediction { failover, failback } = prediction("region-cut-off.yaml");
    assert_eq!(failover.detection, between(32, 42), "three failures of 4 s each (R53-111, R53-127)");
    assert_eq!(failback.detection, between(20, 34));
    let seen: Vec<&Signal> = failover.signals.iter().map(|signal| &signal.signal).collect();
    assert_eq!(seen, [&Signal::HealthCheck { id: "HC-PRIMARY-ID".into() }], "its load balancer sees nothing");
    let waits = between(0, 7);
    assert_eq!(failover.clients, bounds([("gateway", waits), ("pool", waits), ("web", waits)]));
    assert_eq!(failover.totals["web"], between(32, 109));
    assert_eq!(failback.clients["pool"], never(0), "its connection to the standby lives");
}

#[test]
fn a_silent_authoritative_server_is_detected_by_nobody_and_moves_nobody() {
    for name in ["authoritative-silent.yaml", "serve-stale.yaml"] {
        let Prediction { failover, failback } = prediction(name);
        for leg in [failover, failback] {
            assert_eq!((leg.detection, leg.signals.len()), (never(0), 0), "{name}");
            assert_eq!(moved(&leg), [""; 0], "{name}");
            assert!(leg.clients.is_empty() && leg.resolvers.is_empty(), "{name}");
        }
    }
}

#[test]
fn broken_connections_free_a_keep_alive_pool_and_a_good_cell_keeps_it() {
    let Prediction { failover, failback } = prediction("region-down.yaml");
    assert_eq!(failover.clients["br-pool"], between(0, 0));
    assert_eq!(failback.clients["br-pool"], never(0));
    assert_eq!(failover.clients["br-forever"], never(0));
    assert!(!failback.clients.contains_key("br-forever"));
}

#[test]
fn two_dead_regions_bring_brazil_and_the_united_states_to_the_maintenance_page() {
    let Prediction { failover, failback } = prediction("both-regions-down.yaml");
    let expected =
        ["br-fresh: sa-east-1 > maintenance", "br-gateway: sa-east-1 > maintenance", "us-web: us-east-1 > maintenance"];
    assert_eq!(moved(&failover), expected);
    assert_eq!(failover.detection, between(10, 20));
    assert_eq!(failover.resolvers, bounds([("br", between(0, 60)), ("us-floor", between(0, 120))]));
    assert_eq!(failover.totals["us-web"], between(10, 140));
    assert_eq!(failback.clients["br-gateway"], between(0, 60));
}

#[test]
fn r53_97_when_everything_is_dead_the_answers_are_pages_that_nobody_arrives_at() {
    let drill = drill("everything-down.yaml");
    let plan = drill.plan(PlanOptions { seed: 1, speed: None, control: false, ..PlanOptions::default() });
    let failover = &plan.prediction.failover;
    let expected = [
        "br-fresh: sa-east-1 > maintenance",
        "de-web: eu-central-1 > maintenance-eu",
        "us-web: us-east-1 > maintenance",
    ];
    assert_eq!(moved(failover), expected);
    assert_eq!(failover.clients, bounds([("br-fresh", never(0)), ("de-web", never(0)), ("us-web", never(0))]));
    let last_resort =
        plan.observe.questions.iter().zip(&failover.answers).find(|(asked, _)| asked.name.starts_with("api-live."));
    let (_, answer) = last_resort.unwrap();
    assert_eq!((answer.from.as_slice(), answer.changes()), (["sa-east-1".to_owned()].as_slice(), false), "R53-91");
}

#[test]
fn r53_127_the_chat_apis_checkers_take_thirty_seconds_both_ways() {
    let Prediction { failover, failback } = prediction("chat-region-down.yaml");
    assert_eq!(failover.detection, between(20, 30));
    assert_eq!(failback.detection, between(20, 30));
    assert_eq!(failover.resolvers, bounds([("isp", between(0, 60)), ("office", between(0, 120))]));
    assert_eq!(failover.totals["web"], between(20, 90));
    assert_eq!(failover.totals["sdk"], between(20, 120));
    assert_eq!(failback.totals["gateway"], between(20, 150));
}

#[test]
fn a_stalled_database_is_noticed_when_each_target_has_waited_for_it() {
    let Prediction { failover, failback } = prediction("stalled-database.yaml");
    let half = |seconds: u64| Duration::from_millis(seconds * 1000 + 500);
    // Two checks, 15 s apart, each after 2.5 s: half of what a check may take.
    assert_eq!(failover.detection, Bounds::between(half(17), half(32)));
    assert_eq!(failover.totals["br-web"].worst, Some(half(92)));
    assert_eq!(failback.detection.worst, Some(Duration::from_secs(75)), "five good checks, the first after a bad one");
    let why = &failover.signals.iter().find(|signal| signal.evidence).unwrap().why;
    assert!(why.contains("each after 2.5 s without an answer of the database"), "{why}");
}

#[test]
fn an_endpoint_check_through_a_stalled_database_waits_for_its_status_as_long_as_it_may() {
    let chat = drill("chat-region-down.yaml");
    let mut plan = chat.plan(PlanOptions { seed: 1, ..PlanOptions::default() });
    let mut detection = |fault: fn(String) -> crate::plan::Fault| {
        plan.faults = vec![fault("us-east".to_owned())];
        predict(&plan, &chat.zone).failover.detection
    };
    let (killed, stalled) = (detection(crate::plan::Fault::KillDatabase), detection(crate::plan::Fault::StallDatabase));
    // R53-111: a status has 2 s; the target's 503 would come after 2.5 s. Each of three checks begins after the one before.
    let later = |bound: Duration| bound + 3 * Duration::from_secs(2);
    assert_eq!(stalled, Bounds { best: later(killed.best), worst: killed.worst.map(later) });
}

#[test]
fn a_check_that_only_connects_never_sees_a_dead_database() {
    let mut plan = drill("chat-region-down.yaml").plan(PlanOptions {
        seed: 1,
        speed: None,
        control: false,
        ..PlanOptions::default()
    });
    plan.faults = vec![crate::plan::Fault::KillDatabase("us-east".to_owned())];
    let zone = drill("chat-region-down.yaml").zone;
    assert!(!moved(&predict(&plan, &zone).failover).is_empty(), "a check of /health sees it");
    for planned in plan.health_checks.values_mut() {
        let crate::plan::HealthCheckKind::Endpoint(endpoint) = &mut planned.kind else { panic!("{planned:?}") };
        endpoint.check.protocol = crate::health::CheckProtocol::Tcp;
    }
    let Prediction { failover, .. } = predict(&plan, &zone);
    assert_eq!(failover.detection, never(0));
    assert_eq!(moved(&failover), [] as [&str; 0]);
}

#[test]
fn only_a_turn_that_the_fault_causes_is_expected_of_an_inverted_check() {
    let drill = drill("chat-region-down.yaml");
    let mut plan = drill.plan(PlanOptions { seed: 1, speed: None, control: false, ..PlanOptions::default() });
    for planned in plan.health_checks.values_mut() {
        planned.status.inverted = true;
    }
    let Prediction { failover, .. } = predict(&plan, &drill.zone);
    // Both are unhealthy while all is well, so the primary is the last resort; dead, it turns healthy (R53-104).
    assert_eq!(moved(&failover), [] as [&str; 0]);
    assert_eq!(failover.moves["web"].from, ["us-east"]);
}

/// The move of the watched question that an expectation speaks of.
fn answer_of<'p>(plan: &'p Plan, expectation: &Expectation) -> Option<(&'p Move, ExpectedAnswer, Holds)> {
    let Claim::Answer { name, family, place, answer, holds } = &expectation.claim else { return None };
    let leg = leg_of(plan, expectation);
    let mut asked = plan.observe.questions.iter().zip(&leg.answers);
    let (_, answered) =
        asked.find(|(asked, _)| (&asked.name, asked.family, &asked.place) == (name, *family, place)).unwrap();
    Some((answered, answer.clone(), *holds))
}

fn leg_of<'p>(plan: &'p Plan, expectation: &Expectation) -> &'p LegPrediction {
    match expectation.during {
        Leg::Failover => &plan.prediction.failover,
        Leg::Failback => &plan.prediction.failback,
    }
}

fn label(answer: &ExpectedAnswer) -> Vec<String> {
    match answer {
        ExpectedAnswer::Cell(cell) => vec![cell.clone()],
        ExpectedAnswer::Zones(zones) => zones.clone(),
        ExpectedAnswer::NoData => vec!["nodata".to_owned()],
        ExpectedAnswer::NxDomain => vec!["nxdomain".to_owned()],
    }
}

/// The cells of zones, each once; what is no zone as it is.
fn cells(plan: &Plan, zones: &[String]) -> Vec<String> {
    let mut cells: Vec<String> = zones.iter().map(|zone| plan.cell_of_zone(zone).unwrap_or(zone).to_owned()).collect();
    cells.dedup();
    cells
}

fn zone(name: &str) -> Signal {
    Signal::Zone { cell: "sa-east-1".to_owned(), zone: name.to_owned() }
}

fn signals(leg: &LegPrediction) -> Vec<Signal> {
    let mut all: Vec<Signal> = leg.signals.iter().map(|predicted| predicted.signal.clone()).collect();
    all.retain(|signal| !matches!(signal, Signal::Target { .. }));
    all
}

#[test]
fn r53_163_the_answer_loses_the_zone_that_lost_its_targets_and_the_region_stays() {
    let Prediction { failover, failback } = prediction("zone-down.yaml");
    assert_eq!(signals(&failover), [zone("sa-east-1a")]);
    assert_eq!((failover.detection, failback.detection), (between(15, 30), between(60, 75)));
    let both = ["sa-east-1a", "sa-east-1b"];
    let moved = &failover.moves["br-fresh"];
    assert_eq!((&moved.from[..], &moved.to[..]), (&both.map(str::to_owned)[..], &both.map(str::to_owned)[1..]));
    assert_eq!(failover.totals["br-fresh"], between(15, 90));
    assert_eq!(failback.totals["br-fresh"], between(60, 135));
}

#[test]
fn r53_160_and_r53_162_below_the_minimum_of_all_targets_every_zone_and_the_region_turn() {
    let Prediction { failover, .. } = prediction("minimum-healthy.yaml");
    let region = Signal::Cell { cell: "sa-east-1".to_owned() };
    let expected: BTreeSet<Signal> = [zone("sa-east-1a"), zone("sa-east-1b"), region].into();
    assert_eq!(signals(&failover).into_iter().collect::<BTreeSet<_>>(), expected);
    assert_eq!(failover.moves["br-fresh"].to, ["us-east-1"]);
    assert_eq!(failover.totals["br-fresh"], between(15, 90));
}

#[test]
fn r53_160_with_the_default_minimum_the_same_dead_target_moves_nobody() {
    let drill = drill("minimum-healthy.yaml");
    let mut plan = drill.plan(PlanOptions { seed: 1, speed: None, control: false, ..PlanOptions::default() });
    let CellKind::Region(region) = &mut plan.cells.get_mut("sa-east-1").unwrap().kind else { panic!("a region") };
    region.minimum_healthy = MinimumHealthy::DEFAULT;
    let Prediction { failover, .. } = predict(&plan, &drill.zone);
    assert_eq!(signals(&failover), []);
    assert_eq!(moved(&failover), [] as [&str; 0]);
}

#[test]
fn r53_165_only_the_node_whose_targets_are_all_dead_refuses() {
    let drill = drill("zone-down.yaml");
    let plan = drill.plan(PlanOptions { seed: 1, speed: None, control: false, ..PlanOptions::default() });
    let scene = Scene::of(&plan, &drill.zone);
    let left = ["sa-east-1a", "sa-east-1b", "us-east-1"].map(|zone| old_cell::left_of(&scene, zone));
    assert_eq!(left, [OldCell::Refuses, OldCell::Serves, OldCell::Serves]);
}

#[test]
fn no_ready_drill_expects_what_the_prediction_rules_out() {
    for name in DRILLS {
        let plan = drill(name).plan(PlanOptions { seed: 1, speed: None, control: false, ..PlanOptions::default() });
        for expectation in &plan.expectations {
            let Expectation { text, claim, .. } = expectation;
            let leg = leg_of(&plan, expectation);
            let detected = leg.detection.then(leg.authoritative).worst.unwrap();
            if let Some((answered, answer, holds)) = answer_of(&plan, expectation) {
                let expected = label(&answer);
                let told = |labels: &[String]| match &answer {
                    ExpectedAnswer::Cell(_) => cells(&plan, labels),
                    _ => labels.to_vec(),
                };
                let (from, to) = (told(&answered.from), told(&answered.to));
                match holds {
                    Holds::Within(within) => {
                        assert_eq!(to, expected, "{name}: {text}");
                        assert!(within > detected, "{name}: {text}");
                    }
                    Holds::OnceWithin(within) | Holds::AgainWithin(within) => panic!("{name}: {text}: {within:?}"),
                    Holds::Always => {
                        assert_eq!((&from, &to), (&expected, &expected), "{name}: {text}");
                    }
                    Holds::Never => assert!(from != expected && to != expected, "{name}: {text}"),
                }
            }
            match claim {
                Claim::Health { holds: Holds::Within(within), .. } => assert!(*within > detected, "{name}: {text}"),
                Claim::Served { client, by: Some(cell), holds: Holds::Within(within) } => {
                    let to = &leg.moves[client].to;
                    let expected = std::slice::from_ref(cell);
                    assert!(to == expected || cells(&plan, to) == expected, "{name}: {text}");
                    assert!(leg.totals[client].worst.is_some_and(|worst| *within > worst), "{name}: {text}");
                }
                Claim::Budget { stage, of, at_most: Some(at_most), .. } => {
                    let of = of.as_deref();
                    let bounds = match stage {
                        Stage::Detection => leg.detection,
                        Stage::Authoritative => leg.authoritative,
                        Stage::Resolver => leg.resolvers[of.unwrap_or("br")],
                        Stage::Client => leg.clients[of.unwrap()],
                        Stage::Total => leg.totals[of.unwrap()],
                    };
                    assert!(bounds.worst.is_some_and(|worst| *at_most > worst), "{name}: {text}");
                }
                _ => {}
            }
        }
    }
}

#[test]
fn every_ready_drill_fails_as_a_control() {
    for name in DRILLS {
        let plan = drill(name).plan(PlanOptions { seed: 1, speed: None, control: true, ..PlanOptions::default() });
        let impossible = plan.expectations.iter().filter(|expectation| {
            let changed = answer_of(&plan, expectation).is_some_and(|(answered, answer, holds)| {
                matches!(holds, Holds::Within(_)) && answered.from != label(&answer)
            });
            expectation.during == Leg::Failover && changed
        });
        assert!(impossible.count() > 0, "{name}: with nothing broken, nothing contradicts it");
    }
}
