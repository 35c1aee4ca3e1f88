//! What is told of a drill file whose shape does not fit.

use super::*;
use crate::drill::schema::DrillFile;

const DRILL: &str = "\
drill: test
title: A test
zone: zone.json
name: api.example.com
cells:
  east: { region: {}, address: 203.0.113.10 }
health-checks:
  HC: { cell: east, http: /health, contains: ready }
resolvers:
  br: { place: Brazil, client-subnet: true }
clients:
  web: { place: Brazil, resolver: br, profile: fresh-lookup, every: 2s, workers: 1 }
fault: { kill-region: east }
expect:
  - served: { client: web, by: nobody, within: 40s }
";

/// What is told when `old` is written as `new`, with its place.
fn told(old: &str, new: &str) -> String {
    assert!(DRILL.contains(old), "{old}");
    let text = DRILL.replacen(old, new, 1);
    let map = SourceMap::of_yaml(std::path::Path::new("d.yaml"), &text).unwrap();
    let (at, problem) = parse::<DrillFile>(&map, &text, "the drill").unwrap_err();
    format!("{at}: {problem}")
}

#[test]
fn the_drill_that_the_misfits_are_made_in_fits() {
    let map = SourceMap::of_yaml(std::path::Path::new("d.yaml"), DRILL).unwrap();
    parse::<DrillFile>(&map, DRILL, "the drill").unwrap();
}

#[test]
fn a_null_is_refused_where_it_stands_with_what_was_expected_whether_or_not_the_key_may_be_missing() {
    for (old, new, expected) in [
        (
            "contains: ready",
            "contains: null",
            "d.yaml:8:46: health-checks.HC.contains does not fit: found nothing; expected a text",
        ),
        ("drill: test", "drill: ~", "d.yaml:1:8: drill does not fit: found nothing; expected a text"),
        (
            "region: {}",
            "region: null",
            "d.yaml:6:19: cells.east.region does not fit: found nothing; expected a mapping (`key: value`)",
        ),
        (
            "client-subnet: true",
            "client-subnet: null",
            "d.yaml:10:39: resolvers.br.client-subnet does not fit: found nothing; expected `true` or `false`",
        ),
        (
            "workers: 1",
            "workers: NULL",
            "d.yaml:12:82: clients.web.workers does not fit: found nothing; expected a whole number from 0 to 4294967295",
        ),
        (
            "every: 2s",
            "every: null",
            "d.yaml:12:69: clients.web.every does not fit: found nothing; expected a duration with its unit, for example \
             `15s` or `1m 30s`",
        ),
        (
            "address: 203.0.113.10",
            "address: [null]",
            "d.yaml:6:33: cells.east.address.0 does not fit: found nothing; expected a text",
        ),
        (
            "fault: { kill-region: east }",
            "faults: [null]",
            "d.yaml:13:10: faults.0 does not fit: found nothing; expected a fault and what it is done to, for \
             example `kill-region: eu-west-1`",
        ),
        (
            "resolvers:",
            "probes:\nresolvers:",
            "d.yaml:9:1: probes does not fit: found nothing; expected a mapping (`key: value`)",
        ),
    ] {
        assert_eq!(told(old, new), expected, "{new}");
    }
}

#[test]
fn a_null_below_a_key_that_is_not_known_is_told_by_that_key() {
    assert_eq!(told("contains: ready", "contain: null"), "d.yaml:8:36: unknown key `contain`");
}

#[test]
fn a_value_of_the_wrong_kind_is_told_without_the_words_of_rust() {
    for (old, new, expected) in [
        ("name: api.example.com\n", "", "d.yaml:1:1: the drill does not fit: `name` is missing"),
        (
            "region: {}",
            "region: []",
            "d.yaml:6:19: cells.east.region does not fit: found a list; expected a mapping (`key: value`)",
        ),
        (
            "workers: 1",
            "workers: -1",
            "d.yaml:12:82: clients.web.workers does not fit: found the number `-1`; expected a whole number from 0 to 4294967295",
        ),
        (
            "contains: ready",
            "contains: [ready]",
            "d.yaml:8:46: health-checks.HC.contains does not fit: found a list; expected a text",
        ),
    ] {
        assert_eq!(told(old, new), expected, "{new}");
    }
}
