//! Plans of the ready drills, and of one that has every kind of evidence.

use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::super::every_signal;
use super::super::settling::settled_after;
use super::*;
use crate::drill::Cadence;
use crate::drill::load;
use crate::plan::{Asks, ClientProfile, ClientRuns, ClientSoftware, Fault, HealthCheckPlan, Schedule};

fn drill(name: &str) -> LoadedDrill {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("drills/{name}.yaml"));
    load(&path).unwrap_or_else(|errors| panic!("{errors}"))
}

/// Every drill of the folder, by its file's name. A campaign is a list of drills, and none itself.
fn ready_drills() -> Vec<(String, LoadedDrill)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("drills");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut drills: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .filter(|path| !fs::read_to_string(path).unwrap().lines().any(|line| line.starts_with("campaign:")))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .map(|name| (name.clone(), drill(&name)))
        .collect();
    drills.sort_by(|(a, _), (b, _)| a.cmp(b));
    assert!(drills.len() >= 5, "{drills:?}");
    drills
}

/// Every ready drill, and the one that has every kind of evidence.
fn drills() -> Vec<(String, LoadedDrill)> {
    let mut drills = ready_drills();
    drills.push(("every-signal".to_owned(), every_signal::drill()));
    drills
}

fn options(seed: u64) -> PlanOptions {
    PlanOptions { seed, speed: None, control: false, ..PlanOptions::default() }
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_another_moment() {
    for (name, drill) in drills() {
        let json = |seed| serde_json::to_string_pretty(&drill.plan(options(seed))).unwrap();
        assert_eq!(json(7), json(7), "{name}");
        assert_ne!(json(7), json(8), "{name}");
    }
}

#[test]
fn a_plan_survives_the_journal() {
    for (name, drill) in drills() {
        let plan = drill.plan(options(7));
        let text = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan, "{name}");
    }
}

#[test]
fn no_address_is_given_twice_and_no_network_covers_two_places() {
    for (name, drill) in drills() {
        let plan = drill.plan(options(1));
        let mut addresses = plan.observe.authoritative_addresses.clone();
        addresses.extend(plan.resolvers.values().map(|resolver| resolver.address));
        addresses.extend(plan.clients.values().flat_map(|client| client.addresses.clone()));
        addresses.extend(plan.probes.values().map(|probe| probe.address));
        // The fleets of all checks are one.
        let fleet = plan.health_checks.values().find_map(HealthCheckPlan::endpoint);
        addresses.extend(fleet.into_iter().flat_map(|endpoint| endpoint.checker_addresses.clone()));
        for cell in plan.cells.values() {
            addresses.extend(&cell.addresses);
            addresses.extend(cell.kind.inside());
        }
        let observers: BTreeSet<_> = plan.observe.questions.iter().map(|question| question.address).collect();
        addresses.extend(observers);
        let distinct: BTreeSet<_> = addresses.iter().collect();
        assert_eq!(distinct.len(), addresses.len(), "{name}");

        let clients = plan.clients.values().flat_map(|client| {
            client.addresses.iter().map(|address| (*address, &client.place, &client.viewpoint.country))
        });
        let probes = plan.probes.values().map(|probe| {
            let resolver = &plan.resolvers[&probe.resolver];
            (probe.address, &resolver.place, &resolver.viewpoint.country)
        });
        let located = locations(&plan);
        for (address, place, country) in clients.chain(probes) {
            let covering: Vec<_> = located.iter().filter(|(network, ..)| network.contains(&address)).collect();
            assert_eq!(covering.len(), 1, "{name}: {address}");
            assert_eq!((&covering[0].1, &covering[0].2.country), (place, country), "{name}: {address}");
        }
    }
}

#[test]
fn questions_are_asked_for_each_family_and_place_and_for_what_is_expected() {
    let plan = drill("database-down").plan(options(1));
    let front = |family: &str, place: &str| format!("api.exemplo.com. {family} {place}");
    let asked: Vec<_> = plan
        .observe
        .questions
        .iter()
        .map(|question| format!("{} {:?} {}", question.name, question.family, question.place))
        .collect();
    let expected = [front("A", "Brazil"), front("A", "Germany"), front("A", "United States"), front("Aaaa", "Brazil")];
    assert_eq!(asked, expected);
    let plan = drill("everything-down").plan(options(1));
    assert!(plan.observe.questions.iter().any(|question| question.name == "api-live.exemplo.com."));
}

#[test]
fn every_ready_drill_ends_within_about_twenty_two_seconds() {
    for (name, drill) in ready_drills() {
        let plan = drill.plan(options(1));
        let Schedule { fault_after, hold, .. } = plan.schedule;
        let totals = plan.prediction.failback.totals.values().filter_map(|total| total.worst);
        let back = totals.chain(drill.recover).max().unwrap_or_default();
        let passes = settled_after(&plan) + fault_after + hold;
        let (least, most) = (plan.speed.to_wall(passes), plan.speed.to_wall(passes + back));
        assert!(least <= Duration::from_secs(22), "{name}: {least:?} at {}", plan.speed);
        assert!(most >= Duration::from_secs(10), "{name}: {most:?} at {}: faster than it needs be", plan.speed);
    }
}

#[test]
fn a_fault_is_held_until_the_last_bounded_move_and_the_last_deadline() {
    let plan = drill("database-down").plan(options(1));
    assert_eq!(plan.schedule.hold, Duration::from_secs(125 + 15), "the deadline of br-jvm, and the margin");
    let mut loaded = drill("database-down");
    loaded.expectations.clear();
    assert_eq!(loaded.plan(options(1)).schedule.hold, Duration::from_secs(120 + 15), "br-jvm at worst");
    loaded.hold = Some(Duration::from_secs(300));
    assert_eq!(loaded.plan(options(1)).schedule.hold, Duration::from_secs(300));
}

#[test]
fn the_speed_that_is_asked_for_is_the_speed() {
    let speed = Speed::new(3.0).unwrap();
    let plan =
        drill("region-down").plan(PlanOptions { seed: 1, speed: Some(speed), control: true, ..PlanOptions::default() });
    assert_eq!((plan.speed, plan.control), (speed, true));
}

proptest! {
    #[test]
    fn the_fault_meets_no_check_in_step(seed: u64) {
        let moment = fault_moment(seed, Duration::from_secs(15));
        prop_assert!((pace::STEADY..pace::STEADY + Duration::from_secs(15)).contains(&moment));
    }
}

#[test]
fn what_a_drill_says_of_itself_stands_in_its_plan() {
    let plan = every_signal::drill().plan(options(1));
    assert_eq!(plan.hazard.as_deref(), Some("an empty queue drains a sound region"));
    let estimate = plan.estimate.unwrap();
    assert_eq!((estimate.detection.as_secs(), estimate.total.as_secs()), (45, 165));
    assert_eq!(plan.routing_controls.controls.keys().collect::<Vec<_>>(), ["us-east", "us-west"]);
    let app = &plan.clients["app"];
    assert_eq!((app.asks, app.workers, app.tier.as_deref()), (Asks::Completion(16), 4, Some("free")));
    assert_eq!(app.profile, ClientProfile::AgeingPool(Duration::from_secs(60)));
}

#[test]
fn an_llm_region_is_settled_after_twelve_good_probes_and_the_fleet() {
    let mut loaded = every_signal::drill();
    loaded.health_checks.retain(|id, _| ["HC-A", "HC-F"].contains(&id.0.as_str()));
    loaded.probes.clear();
    let plan = loaded.plan(options(1));
    // 12 probes of 16 tokens at 32 a second, 11 pauses of 5 s, 3 checks 10 s apart.
    assert_eq!(settled_after(&plan), Duration::from_secs(6 + 55 + 30));
    assert!(plan.schedule.settle_within >= Duration::from_secs(2 * 91));
}

#[test]
fn an_alarm_has_data_after_its_periods() {
    let mut loaded = every_signal::drill();
    loaded.health_checks.retain(|id, _| id.0 == "HC-E");
    let plan = loaded.plan(options(1));
    assert_eq!(longest_interval(&plan), Duration::from_secs(60));
    assert_eq!(settled_after(&plan), Duration::from_secs(3 * 60 + 60), "three periods of a minute, and an evaluation");
}

#[test]
fn the_time_for_the_way_back_is_the_drills_own() {
    let mut loaded = every_signal::drill();
    let speed = Some(Speed::REAL);
    let recover = |loaded: &LoadedDrill| {
        loaded.plan(PlanOptions { seed: 1, speed, control: false, ..PlanOptions::default() }).schedule.recover_within
    };
    loaded.recover = Some(Duration::from_secs(300));
    let own = recover(&loaded);
    loaded.recover = Some(Duration::from_secs(400));
    assert_eq!(recover(&loaded), own + Duration::from_secs(100));
}

#[test]
fn load_balancers_that_no_decision_uses_have_time_to_come_back() {
    let mut loaded = drill("routing-controls-off");
    loaded.faults.push(Fault::KillRegion("us-east".to_owned()));
    let plan = loaded.plan(options(1));
    assert!(plan.prediction.failback.detection.worst.unwrap() < Duration::from_secs(5), "the controls alone decide");
    assert!(plan.schedule.recover_within >= Duration::from_secs(5 * 15), "a target passes five checks, 15 s apart");
}

#[test]
fn only_a_drill_that_looks_less_finely_runs_faster_than_forty() {
    let mut loaded = every_signal::drill();
    loaded.hold = Some(Duration::from_secs(6000));
    assert!((loaded.plan(options(1)).speed.factor() - 40.0).abs() < f64::EPSILON);
    let two = Duration::from_secs(2);
    loaded.cadence = Cadence { authoritative: two, resolver: two, fault: two };
    let coarse = loaded.plan(options(1)).speed.factor();
    assert!((60.0..70.0).contains(&coarse), "{coarse}: a status within 2 s of lab time is still seen");
    loaded.clients.values_mut().for_each(|client| client.every = Duration::from_millis(500));
    assert!(
        (loaded.plan(options(1)).speed.factor() - 40.0).abs() < f64::EPSILON,
        "clients that ask often hold it back"
    );
}

#[test]
fn whole_wall_seconds_are_told_in_the_prediction_at_the_speed_of_the_run() {
    let plan = |speed, wire| drill("database-down").plan(PlanOptions { speed, wire, ..options(1) });
    let at = |factor| Some(Speed::new(factor).unwrap());
    let resolver = |plan: &Plan| plan.prediction.failover.resolvers["br"].worst.map(|worst| worst.as_secs());
    let lab = plan(at(7.0), WireTtl::Lab);
    let wall = plan(at(7.0), WireTtl::WallSeconds);
    assert_eq!((resolver(&lab), resolver(&wall)), (Some(60), Some(63 + 7)));
    let total = |plan: &Plan| plan.prediction.failover.totals["br-fresh"].worst.map(|worst| worst.as_secs());
    assert_eq!((total(&lab), total(&wall)), (Some(90), Some(100)));
    let longer = wall.prediction.failback.totals["br-gateway"].worst.unwrap();
    assert_eq!(longer.as_secs(), 195 + 10);
    assert!(wall.schedule.recover_within > lab.schedule.recover_within, "the way back is waited for");
    assert_eq!(wall.wire, WireTtl::WallSeconds);
    assert_eq!(serde_json::from_str::<Plan>(&serde_json::to_string(&wall).unwrap()).unwrap(), wall);
}

#[test]
fn where_resolvers_count_wall_seconds_ten_lab_seconds_pass_in_one_at_most() {
    let mut loaded = every_signal::drill();
    loaded.hold = Some(Duration::from_secs(6000));
    let plan = |wire| loaded.plan(PlanOptions { wire, ..options(1) });
    assert!((plan(WireTtl::WallSeconds).speed.factor() - 10.0).abs() < f64::EPSILON);
    assert!((plan(WireTtl::Lab).speed.factor() - 40.0).abs() < f64::EPSILON);
}

#[test]
fn a_plan_without_a_word_about_the_wire_counts_lab_seconds() {
    let plan = drill("database-down").plan(options(1));
    let json = serde_json::to_string(&plan).unwrap();
    assert!(!json.contains("\"wire\""), "old journals and new ones look the same");
    assert_eq!(serde_json::from_str::<Plan>(&json).unwrap().wire, WireTtl::Lab);
}

#[test]
fn that_nothing_arrives_of_a_program_whose_answer_is_empty_has_time_to_be_seen() {
    let schedule = |runs: ClientRuns, to: &str| {
        let mut plan = drill("database-down").plan(options(1));
        plan.clients.get_mut("br-fresh").unwrap().runs = runs;
        plan.prediction.failover.moves.get_mut("br-fresh").unwrap().to = vec![to.to_owned()];
        Pace::of(&plan, None, None, pace::STEADY).schedule(Speed::REAL)
    };
    let curl = || ClientRuns::Known(ClientSoftware::Curl);
    let told = schedule(ClientRuns::Muster, "nodata");
    assert_eq!(schedule(curl(), "us-east-1"), told);
    // It asks every 2 s, and gives up after 5 s.
    let silence = Duration::from_secs(3 * 2 + 5);
    let unseen = schedule(curl(), "nodata");
    let [told, unseen] = [told, unseen].map(|each| [each.settle_within, each.hold, each.recover_within]);
    assert_eq!(unseen, told.map(|limit| limit + silence));
}

#[test]
fn a_budget_that_only_whole_wall_seconds_can_break_is_named_with_what_they_make_of_it() {
    let loaded = drill("database-down");
    let plan = |wire, speed| loaded.plan(PlanOptions { wire, speed: Speed::new(speed).ok(), ..options(1) });
    let narrow = |plan: &Plan| {
        plan.too_narrow().iter().map(|(expectation, worst)| (expectation.text.clone(), *worst)).collect::<Vec<_>>()
    };
    // 62 s for a TTL of 60 s: at 5x a wall second is 5 s, at 2x 2 s.
    let told = narrow(&plan(WireTtl::WallSeconds, 5.0));
    assert_eq!(told, [("resolver caching takes at most 1m 2s".to_owned(), Duration::from_secs(65))]);
    assert_eq!(narrow(&plan(WireTtl::WallSeconds, 2.0)), []);
    assert_eq!(narrow(&plan(WireTtl::Lab, 5.0)), []);
}
