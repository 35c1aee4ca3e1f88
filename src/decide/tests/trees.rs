use std::time::Instant;

use super::*;
use crate::decide::{Reason, StepEnd};

/// latency(e, a; both ETH=Yes) -> weighted e{e0,e1}, a{a0,a1}; seen from where e is best.
fn two_regions(e_eth: bool) -> Vec<RecordSet> {
    let weighted = |label: &str, id: &str| checked(leaf(label, id, Policy::Weighted(1)));
    vec![
        alias("api", "e", latency("us-east-1"), "e", e_eth),
        alias("api", "a", latency("ap-southeast-2"), "a", true),
        weighted("e", "e0"),
        weighted("e", "e1"),
        weighted("a", "a0"),
        weighted("a", "a1"),
    ]
}

fn uncheck(records: &mut [RecordSet], id: &str) {
    for record in records.iter_mut().filter(|record| record.set_identifier.as_deref() == Some(id)) {
        record.health_check = None;
    }
}

/// failover(P, S aliases) -> failover p{pp,ps}, s{sp,ss}.
fn two_pairs(p_eth: bool) -> Vec<RecordSet> {
    vec![
        alias("api", "P", PRIMARY, "p", p_eth),
        alias("api", "S", SECONDARY, "s", true),
        checked(leaf("p", "pp", PRIMARY)),
        checked(leaf("p", "ps", SECONDARY)),
        checked(leaf("s", "sp", PRIMARY)),
        checked(leaf("s", "ss", SECONDARY)),
    ]
}

fn simple_between(m_eth: bool) -> Vec<RecordSet> {
    vec![
        alias("api", "P", PRIMARY, "m", true),
        leaf("api", "S", SECONDARY),
        alias("m", "m", Policy::Simple, "w", m_eth),
        checked(leaf("w", "w0", Policy::Weighted(1))),
        checked(leaf("w", "w1", Policy::Weighted(1))),
    ]
}

fn nested_places() -> Vec<RecordSet> {
    vec![
        checked(leaf("api", "state", geo_state("CA"))),
        checked(leaf("api", "us", geo_country("US"))),
        checked(leaf("api", "na", geo_continent("NA"))),
        checked(leaf("api", "default", geo_default())),
    ]
}

#[test]
fn r53_85_to_93_the_seventeen_vectors_for_trees() {
    let east = near(&["us-east-1", "ap-southeast-2"]);
    let mut e1_unchecked = two_regions(true);
    uncheck(&mut e1_unchecked, "e1");
    let mut alias_checked = two_regions(true);
    alias_checked[0] = checked(alias_checked[0].clone());
    let mut ps_unchecked = two_pairs(true);
    uncheck(&mut ps_unchecked, "ps");
    let mut p_hides = two_pairs(false);
    p_hides[0] = checked(p_hides[0].clone());
    let california = Viewpoint { subdivision: Some("CA".to_owned()), ..country("US") };
    let vectors: [(Vec<RecordSet>, &Viewpoint, &[&str], &str); 15] = [
        (two_regions(true), &east, &["e0", "e1"], "a0,a1"),
        (two_regions(true), &east, &["e0"], "e1"),
        (e1_unchecked, &east, &["e0"], "e1"),
        (two_regions(false), &east, &["e0", "e1"], "e0,e1"),
        (alias_checked, &east, &["e", "a1"], "a0"),
        (two_regions(true), &east, &["e0", "e1", "a0", "a1"], "e0,e1"),
        (two_pairs(true), &nowhere(), &["pp"], "ps"),
        (two_pairs(true), &nowhere(), &["pp", "ps", "sp"], "ss"),
        (two_pairs(true), &nowhere(), &["pp", "ps", "sp", "ss"], "pp"),
        (ps_unchecked, &nowhere(), &["pp"], "ps"),
        (p_hides, &nowhere(), &["pp", "ps"], "pp"),
        (simple_between(true), &nowhere(), &["w0", "w1"], "S"),
        (simple_between(false), &nowhere(), &["w0", "w1"], "w0,w1"),
        (nested_places(), &california, &["state"], "us"),
        (nested_places(), &california, &["state", "us", "na"], "default"),
    ];
    for (row, (records, viewpoint, unhealthy, answer)) in vectors.into_iter().enumerate() {
        let decision = ask(&zone(records), "api", viewpoint, unhealthy);
        assert_eq!(possible(&decision), answer, "row {}", row + 1);
    }
    let all = ["state", "us", "na", "default"];
    assert_eq!(possible(&ask(&zone(nested_places()), "api", &california, &all)), "state", "row 16");
    let only_us = zone([leaf("api", "us", geo_country("US"))]);
    assert_eq!(ask(&only_us, "api", &country("DE"), &[]).outcome, Outcome::NoData, "row 17");
}

#[test]
fn r53_16_eth_of_a_lone_simple_alias_changes_nothing() {
    for eth in [true, false] {
        let zone = zone([alias("api", "x", Policy::Simple, "lb.amazonaws.com.", eth)]);
        for unhealthy in [&[][..], &["lb.amazonaws.com."]] {
            assert_eq!(possible(&ask(&zone, "api", &nowhere(), unhealthy)), "lb.amazonaws.com.");
        }
    }
}

#[test]
fn r53_17_the_switch_lets_a_simple_alias_hide_its_targets_health() {
    let switches = Switches { simple_alias_passes_health_up: false, ..Switches::default() };
    let zone = zone(simple_between(true));
    assert_eq!(possible(&ask(&zone, "api", &nowhere(), &["w0", "w1"])), "S");
    assert_eq!(possible(&ask_with(&zone, "api", &nowhere(), &["w0", "w1"], switches)), "w0,w1");
}

#[test]
fn r53_19_a_simple_record_with_values_never_lets_its_parent_go() {
    let zone =
        zone([alias("api", "P", PRIMARY, "m", true), leaf("api", "S", SECONDARY), leaf("m", "m", Policy::Simple)]);
    assert_eq!(possible(&ask(&zone, "api", &nowhere(), &[])), "m");
}

#[test]
fn r53_8_the_switch_lets_a_zero_weight_leave_its_group_unhealthy() {
    let zone = zone([
        alias("api", "P", PRIMARY, "w", true),
        leaf("api", "S", SECONDARY),
        checked(leaf("w", "w1", Policy::Weighted(1))),
        checked(leaf("w", "w0", Policy::Weighted(0))),
    ]);
    assert_eq!(possible(&ask(&zone, "api", &nowhere(), &["w1"])), "w0");
    let switches = Switches { zero_weight_keeps_group_healthy: false, ..Switches::default() };
    assert_eq!(possible(&ask_with(&zone, "api", &nowhere(), &["w1"], switches)), "S");
    // Asked by its own name, the group answers with it all the same (R53-42).
    assert_eq!(possible(&ask_with(&zone, "w", &nowhere(), &["w1"], switches)), "w0");
}

#[test]
fn r53_93_a_group_is_healthy_only_for_the_queries_that_its_healthy_records_apply_to() {
    let zone = zone([
        alias("api", "P", PRIMARY, "geo", true),
        leaf("api", "S", SECONDARY),
        checked(leaf("geo", "de", geo_country("DE"))),
        checked(leaf("geo", "fr", geo_country("FR"))),
    ]);
    assert_eq!(possible(&ask(&zone, "api", &country("DE"), &["de"])), "S");
    assert_eq!(possible(&ask(&zone, "api", &country("FR"), &["de"])), "fr");
    assert_eq!(possible(&ask(&zone, "api", &country("IT"), &[])), "S");
    let switches = Switches { query_relative_health: false, ..Switches::default() };
    let decision = ask_with(&zone, "api", &country("DE"), &["de"], switches);
    assert_eq!(possible(&decision), "de");
    assert!(admissible(&decision)[0].last_resort);
    assert_eq!(ask_with(&zone, "api", &country("IT"), &[], switches).outcome, Outcome::NoData);
}

#[test]
fn r53_90_and_91_the_last_resort_is_the_roots_first_and_then_each_groups_on_the_way() {
    let zone = zone(two_regions(true));
    let east = near(&["us-east-1", "ap-southeast-2"]);
    let decision = ask(&zone, "api", &east, &["e0", "e1"]);
    assert!(admissible(&decision).iter().all(|one| !one.last_resort));
    let decision = ask(&zone, "api", &east, &["e0", "e1", "a0", "a1"]);
    assert!(admissible(&decision).iter().all(|one| one.last_resort));
    let ends: Vec<(&str, StepEnd)> = decision.path.iter().map(|step| (step.group.as_str(), step.end)).collect();
    assert_eq!(
        ends,
        [
            ("api.example.com.", StepEnd::LastResort),
            ("e.example.com.", StepEnd::LastResort),
            ("a.example.com.", StepEnd::BackedOut),
        ]
    );
}

#[test]
fn the_path_tells_each_records_fate_in_the_order_of_the_search() {
    let east = near(&["us-east-1", "ap-southeast-2"]);
    let decision = ask(&zone(two_regions(true)), "api", &east, &["e0", "e1", "a1"]);
    let told: Vec<String> = decision
        .path
        .iter()
        .flat_map(|step| step.considered.iter().map(move |one| (step, one)))
        .map(|(step, one)| {
            let id = one.record.set_identifier.as_deref().unwrap_or("-");
            format!("{} {} {} {:?} {:?}", step.depth, step.policy, id, one.reason, step.end)
        })
        .collect();
    assert_eq!(
        told,
        [
            "0 latency e TargetUnhealthy Used",
            "0 latency a Healthy Used",
            "1 weighted e0 HealthCheckUnhealthy BackedOut",
            "1 weighted e1 HealthCheckUnhealthy BackedOut",
            "1 weighted a0 Healthy Used",
            "1 weighted a1 HealthCheckUnhealthy Used",
        ]
    );
    let [one] = admissible(&decision) else { panic!("{decision:?}") };
    let via: Vec<&str> = one.answer.via.iter().filter_map(|record| record.set_identifier.as_deref()).collect();
    assert_eq!(via, ["a", "a0"]);
}

#[test]
fn a_search_that_finds_its_answer_looks_no_further() {
    let east = near(&["us-east-1", "ap-southeast-2"]);
    let decision = ask(&zone(two_regions(true)), "api", &east, &[]);
    let groups: Vec<&str> = decision.path.iter().map(|step| step.group.as_str()).collect();
    assert_eq!(groups, ["api.example.com.", "e.example.com."]);
    assert_eq!(decision.path[0].considered[1].reason, Reason::NotReached);
}

#[test]
fn answers_that_cannot_be_told_apart_are_one() {
    let zone = zone([
        alias("api", "x", Policy::Weighted(1), "one", true),
        alias("api", "y", Policy::Weighted(3), "two", true),
        alias("one", "l", PRIMARY, "lb.amazonaws.com.", true),
        alias("two", "l", PRIMARY, "lb.amazonaws.com.", true),
    ]);
    let decision = ask(&zone, "api", &nowhere(), &[]);
    let [one] = admissible(&decision) else { panic!("{decision:?}") };
    assert!((one.probability - 1.0).abs() < 1e-12);
    assert_eq!(one.answer.via[0].set_identifier.as_deref(), Some("y"), "the most probable way");
}

#[test]
fn a_branch_that_has_nothing_for_the_query_is_no_data_with_its_share() {
    let zone = zone([
        alias("api", "x", Policy::Weighted(1), "geo", false),
        leaf("api", "y", Policy::Weighted(3)),
        leaf("geo", "de", geo_country("DE")),
    ]);
    let decision = ask(&zone, "api", &country("FR"), &[]);
    assert_eq!(shares(&decision), [("", 25), ("y", 75)].map(|(id, n)| (id.to_owned(), n)).into());
}

/// Each level has two groups, and each of them two aliases, one to each group of the next level.
fn diamond(depth: usize) -> Zone {
    let mut records = Vec::new();
    for level in 0..depth {
        for side in ["l", "r"] {
            for (id, other) in [("1", "l"), ("2", "r")] {
                let (here, there) = (format!("{side}{level}"), format!("{other}{}", level + 1));
                records.push(alias(&here, id, Policy::Weighted(1), &there, true));
            }
        }
    }
    for side in ["l", "r"] {
        records.push(checked(leaf(&format!("{side}{depth}"), side, Policy::Weighted(1))));
    }
    zone(records)
}

#[test]
fn a_diamond_of_aliases_costs_no_more_than_its_groups() {
    let zone = diamond(60);
    let start = Instant::now();
    for unhealthy in [&[][..], &["l"], &["l", "r"]] {
        let decision = ask(&zone, "l0", &nowhere(), unhealthy);
        let sum: f64 = admissible(&decision).iter().map(|one| one.probability).sum();
        assert!((sum - 1.0).abs() < 1e-9);
        assert!(decision.path.len() <= 2 * 60 + 2);
    }
    // 2^60 paths would take for ever; this bound is only there to end the test if they were walked.
    assert!(start.elapsed().as_secs() < 60);
}

#[test]
fn a_long_chain_of_aliases_needs_no_stack() {
    let mut records: Vec<RecordSet> =
        (0..5_000).map(|n| alias(&format!("n{n}"), "x", Policy::Simple, &format!("n{}", n + 1), true)).collect();
    records.push(leaf("n5000", "end", Policy::Simple));
    assert_eq!(possible(&ask(&zone(records), "n0", &nowhere(), &[])), "end");
}

#[test]
fn an_alias_loop_that_was_not_validated_away_ends() {
    let zone =
        zone([alias("a", "x", Policy::Weighted(1), "b", true), alias("b", "x", Policy::Weighted(1), "a", false)]);
    assert_eq!(ask(&zone, "a", &nowhere(), &[]).outcome, Outcome::NoData);
}

#[test]
fn the_way_to_a_group_that_several_aliases_share_is_the_most_probable_one() {
    let zone = zone([
        alias("api", "x", Policy::Weighted(1), "shared", true),
        alias("api", "y", Policy::Weighted(3), "shared", true),
        leaf("shared", "end", Policy::Weighted(1)),
    ]);
    let decision = ask(&zone, "api", &nowhere(), &[]);
    let [one] = admissible(&decision) else { panic!("{decision:?}") };
    let via: Vec<&str> = one.answer.via.iter().filter_map(|record| record.set_identifier.as_deref()).collect();
    assert_eq!(via, ["y", "end"]);
}

#[test]
fn an_alias_whose_target_is_missing_is_unhealthy() {
    let zone = zone([alias("api", "P", PRIMARY, "lost", true), leaf("api", "S", SECONDARY)]);
    assert_eq!(possible(&ask(&zone, "api", &nowhere(), &[])), "S");
}

#[test]
fn r53_40_a_zero_weight_is_not_even_looked_at_while_another_is_healthy() {
    let zone = zone([leaf("api", "most", Policy::Weighted(255)), leaf("api", "none", Policy::Weighted(0))]);
    let decision = ask(&zone, "api", &nowhere(), &[]);
    let reasons: Vec<Reason> = decision.path[0].considered.iter().map(|one| one.reason).collect();
    assert_eq!(reasons, [Reason::Unchecked, Reason::NotReached]);
    assert_eq!(possible(&decision), "most");
}

#[test]
fn r53_97_and_98_an_alias_to_a_site_or_a_gateway_is_always_healthy() {
    for target in ["s3-website-sa-east-1.amazonaws.com.", "d-1.execute-api.us-east-1.amazonaws.com."] {
        let zone = zone([alias("www", "p", PRIMARY, target, true), leaf("www", "s", SECONDARY)]);
        assert_eq!(possible(&ask(&zone, "www", &nowhere(), &[target])), target);
        let switches = Switches { sites_and_gateways_always_healthy: false, ..Switches::default() };
        assert_eq!(possible(&ask_with(&zone, "www", &nowhere(), &[target], switches)), "s");
    }
}
