//! Expectations of a probe, limits from below, and what comes again.

use super::*;

fn with(line: &str) -> Result<LoadedDrill, String> {
    load_texts(&format!("{}  - {line}\n", every_signal::DRILL), every_signal::ZONE)
}

#[test]
fn what_is_expected_reads_as_a_sentence() {
    for (line, sentence) in [
        ("health: { of: primary-branch, is: unhealthy, within: 40s }", "primary-branch is unhealthy within 40s"),
        ("turns: { of: primary-branch, at-most: 1 }", "primary-branch turns at most 1 times"),
        ("health: { of: HC-A, is: healthy, again-within: 90s }", "HC-A is healthy again within 1m 30s"),
        ("budget: { stage: detection, at-least: 30s }", "detection takes at least 30s"),
        ("budget: { stage: detection, at-least: 30s, at-most: 1m }", "detection takes at least 30s and at most 1m"),
    ] {
        let drill = with(line).unwrap_or_else(|errors| panic!("{errors}"));
        assert_eq!(drill.expectations.last().unwrap().text, sentence);
    }
}

#[test]
fn a_budget_without_a_limit_or_with_crossed_ones_is_refused() {
    let told = |line| with(line).map(|_| ()).unwrap_err();
    insta::assert_snapshot!(told("budget: { stage: detection }"), @"drill.yaml:52:5: `budget` is empty; set `at-least` or `at-most`");
    insta::assert_snapshot!(told("budget: { stage: detection, at-least: 2m, at-most: 1m }"), @"drill.yaml:52:43: `at-least` is 2m, expected at most 1m, as `at-most` says; write a value within the bounds");
    insta::assert_snapshot!(told("budget: { stage: detection, at-least: 15 }"), @"drill.yaml:52:43: `15` has no unit; write `15s` for seconds");
}

#[test]
fn a_name_that_two_things_have_says_the_health_of_neither() {
    let drill =
        every_signal::DRILL.replace("primary-branch", "HC-A").replace("of: HC-D, at-least", "of: HC-A, at-least");
    let told = load_texts(&drill, every_signal::ZONE).unwrap_err();
    assert!(told.contains("`HC-A` is the name of more than one of: a cell, a zone, a health check, a probe"), "{told}");
}

#[test]
fn a_deadline_for_what_comes_again_lies_in_the_leg_as_every_other() {
    let hold = every_signal::DRILL.replace("recover: 300s", "hold: 96s");
    let line = "  - health: { of: HC-A, is: healthy, again-within: 97s }\n";
    let told = load_texts(&format!("{hold}{line}"), every_signal::ZONE).unwrap_err();
    assert!(told.contains("`within` is 1m 37s, but the fault is held only 1m 36s"), "{told}");
}
