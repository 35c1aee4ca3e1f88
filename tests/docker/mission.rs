//! The failures that muster is for, as the scenarios that the other labs run too, in containers.

use serde_json::Value;

use crate::desk::{code, muster, said};

/// Has the scenarios of a feature that break something run in containers, and again when the machine may have been too
/// busy: then they must hold. How many there were.
fn holds(feature: &str) -> usize {
    let file = format!("features/mission/{feature}.feature");
    let run = || muster().args(["conform", &file, "--lab", "docker", "--tags", "@fault", "--json"]).output().unwrap();
    let mut output = run();
    if code(&output) != 0 {
        eprintln!("{feature}: once more:\n{}", said(&output));
        output = run();
    }
    assert_eq!(code(&output), 0, "{}", said(&output));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let scenarios: Vec<&Value> = told["features"].as_array().unwrap().iter().flat_map(scenarios).collect();
    for scenario in &scenarios {
        let steps = scenario["steps"].as_array().unwrap();
        assert!(!steps.is_empty() && steps.iter().all(|step| step["status"] == "passed"), "{scenario:#}");
    }
    scenarios.len()
}

/// The scenarios of a feature, those under its rules included.
fn scenarios(feature: &Value) -> Vec<&Value> {
    let rules = feature["rules"].as_array().map(Vec::as_slice).unwrap_or_default();
    rules.iter().chain([feature]).filter_map(|place| place["scenarios"].as_array()).flatten().collect()
}

pub(crate) fn a_dead_database_is_left_as_the_scenario_says() {
    assert_eq!(holds("dead_database"), 1);
}

pub(crate) fn a_dead_database_behind_haproxy_is_left_as_the_scenario_says() {
    assert_eq!(holds("dead_database_haproxy"), 1);
}

pub(crate) fn an_engine_that_is_wedged_frozen_stalled_or_throttled_is_left_as_the_scenarios_say() {
    assert_eq!(holds("wedged_engine"), 4);
}

pub(crate) fn both_regions_down_are_told_as_the_scenario_says() {
    assert_eq!(holds("both_regions_down"), 1);
}

pub(crate) fn a_queue_so_empty_that_its_metric_vanishes_is_told_as_the_scenario_says() {
    assert_eq!(holds("empty_queue"), 1);
}
