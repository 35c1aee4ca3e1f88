use std::collections::BTreeMap;
use std::path::Path;

use crate::zone::{name_of_text, route53_json};

use super::*;

/// The twelve-record tree.
pub(crate) fn multi_region() -> Zone {
    let text = include_str!("../../drills/zones/multi-region-api.route53.json");
    route53_json::read(Path::new("multi-region-api.route53.json"), text, None).unwrap()
}

/// A chain of so many simple aliases, the last of which leads to a value.
pub(crate) fn chain(length: usize) -> Zone {
    let alias = |number: usize| {
        serde_json::json!({"Name": format!("a{number}.example.com."), "Type": "A", "AliasTarget": {
            "HostedZoneId": "Z1", "DNSName": format!("a{}.example.com.", number + 1), "EvaluateTargetHealth": true}})
    };
    let mut records: Vec<_> = (0..length - 1).map(alias).collect();
    records.push(serde_json::json!({"Name": format!("a{}.example.com.", length - 1), "Type": "A", "TTL": 60,
        "ResourceRecords": [{"Value": "192.0.2.1"}]}));
    let text = serde_json::json!({"ResourceRecordSets": records}).to_string();
    route53_json::read(Path::new("chain.json"), &text, Some(&name_of_text("example.com").unwrap())).unwrap()
}

/// The account of a question for A records, from there, with these down.
pub(crate) fn told(zone: &Zone, name: &str, from: &[&str], down: &[&str]) -> Explanation {
    let mut health = Health::of(zone, &BTreeMap::new());
    for name in down {
        health.say(name, Status::Unhealthy).unwrap();
    }
    let from: Vec<String> = from.iter().map(|text| (*text).to_owned()).collect();
    let viewpoint = sender(&from).unwrap();
    let question = Question { name: name_of_text(name).unwrap(), rtype: RecordType::A, viewpoint };
    explain(zone, &question, &from, &health, Switches::default())
}

/// The answers in one line each.
fn answered(told: &Explanation) -> Vec<String> {
    let one = |answer: &ToldAnswer| {
        let last_resort = if answer.last_resort { ", last resort" } else { "" };
        format!("{} {} ttl {}{last_resort}", readings::percent(answer.probability), answer.values.join("+"), answer.ttl)
    };
    told.answers.iter().map(one).collect()
}

#[test]
fn the_twelve_record_tree_is_told_in_ten_states() {
    let zone = multi_region();
    let (br, us, eu) = ("alb-sa-east-1", "alb-us-east-1", "alb-eu-central-1");
    for (state, from, down) in [
        ("all-healthy", "Brazil", &[][..]),
        ("own-region-down", "Brazil", &[br]),
        ("another-region-down", "Brazil", &[us]),
        ("the-americas-down", "Brazil", &[br, us]),
        ("all-regions-down", "Brazil", &[br, us, eu]),
        ("all-healthy-from-germany", "Germany", &[]),
        ("own-region-down-from-germany", "Germany", &[eu]),
        ("all-regions-down-from-germany", "Germany", &[br, us, eu]),
        ("both-neighbours-down-from-the-united-states", "United States", &[us, br]),
        ("own-region-down-from-the-united-states", "United States", &[us]),
    ] {
        insta::assert_json_snapshot!(state, told(&zone, "api.exemplo.com", &[from], down));
    }
}

#[test]
fn r53_93_the_maintenance_page_of_brazil_rests_on_an_inferred_rule_and_both_answers_are_told() {
    let told = told(&multi_region(), "api.exemplo.com", &["Brazil"], &["alb-sa-east-1", "alb-us-east-1"]);
    assert_eq!(answered(&told), ["100 % s3-website-sa-east-1.amazonaws.com. ttl 60"]);
    let reading = told.readings.iter().find(|reading| reading.rule == "R53-93").unwrap();
    assert!(reading.otherwise.contains("elb.amazonaws.com."), "{reading:?}");
    assert!(told.rules.iter().any(|rule| rule.id == "R53-93" && rule.inferred && rule.evidence == "I"));
}

#[test]
fn an_answer_that_rests_on_no_inferred_rule_has_no_other_reading() {
    assert_eq!(told(&multi_region(), "api.exemplo.com", &["Brazil"], &[]).readings, []);
}

#[test]
fn every_rule_that_is_named_is_one_of_the_book() {
    let zone = multi_region();
    for (from, down) in [("Brazil", &["alb-sa-east-1", "alb-us-east-1"][..]), ("Germany", &["alb-eu"]), ("US/CA", &[])]
    {
        let told = told(&zone, "api.exemplo.com", &[from], down);
        let named = told.groups.iter().flat_map(|group| {
            group.rules.iter().chain(group.records.iter().flat_map(|record| &record.rules)).collect::<Vec<_>>()
        });
        for rule in named {
            assert!(told.rules.iter().any(|known| known.id == *rule), "{rule}");
        }
    }
}

#[test]
fn what_no_record_answers_is_told_as_what_it_is() {
    let zone = multi_region();
    assert_eq!(told(&zone, "nothing.exemplo.com", &[], &[]).outcome, "nxdomain");
    assert_eq!(told(&zone, "example.org", &[], &[]).outcome, "not-in-zone");
    let told = told(&zone, "exemplo.com", &[], &[]);
    assert_eq!((told.outcome, told.answers.len()), ("nodata", 0));
}
