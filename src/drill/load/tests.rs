//! Every mistake that loading tells, as it is told.

mod expectations;
mod load_balancers;
mod software;
mod zones;

use std::fs;

use proptest::prelude::*;

use super::super::every_signal;
use super::super::loaded::CellMake;
use super::*;
use crate::fault::CATALOGUE;
use crate::plan::{Fault, HealthCheckKind, Metric};
use crate::zone::HealthCheckId;

const DRILL: &str = "\
drill: test
title: A test
zone: zone.json
name: api.example.com
cells:
  east: { region: {}, alias: alb.example.net }
  page: { static-site: {}, alias: page.example.net }
resolvers:
  br: { place: Brazil }
clients:
  web: { place: Brazil, resolver: br, profile: fresh-lookup }
fault: { kill-database: east }
expect:
  - answer: { from: Brazil, is: page, within: 40s }
";

const ZONE: &str = r#"{
  "ResourceRecordSets": [
    {"Name": "api.example.com.", "Type": "A", "SetIdentifier": "east", "Failover": "PRIMARY", "AliasTarget":
      {"DNSName": "alb.example.net.", "HostedZoneId": "Z35SXDOTRQ7X7K", "EvaluateTargetHealth": true}},
    {"Name": "api.example.com.", "Type": "A", "SetIdentifier": "page", "Failover": "SECONDARY", "AliasTarget":
      {"DNSName": "page.example.net.", "HostedZoneId": "Z3AQBSTGFYJSTF", "EvaluateTargetHealth": false}},
    {"Name": "chat.example.com.", "Type": "A", "SetIdentifier": "a", "Failover": "PRIMARY", "TTL": 60,
      "HealthCheckId": "HC-1", "ResourceRecords": [{"Value": "203.0.113.10"}]},
    {"Name": "chat.example.com.", "Type": "A", "SetIdentifier": "b", "Failover": "SECONDARY", "TTL": 60,
      "ResourceRecords": [{"Value": "203.0.113.20"}]},
    {"Name": "www.example.com.", "Type": "CNAME", "TTL": 300, "ResourceRecords": [{"Value": "cdn.example.net"}]}
  ]
}"#;

/// Loads texts from a folder of their own; file names in errors are those inside the folder.
fn load_texts(drill: &str, zone: &str) -> Result<LoadedDrill, String> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("zone.json"), zone).unwrap();
    let path = folder.path().join("drill.yaml");
    fs::write(&path, drill).unwrap();
    load(&path).map_err(|errors| {
        assert!(!errors.errors.is_empty());
        errors.to_string().replace(&format!("{}/", folder.path().display()), "")
    })
}

/// What is told of [`DRILL`] with these texts replaced.
fn mistakes(replacements: &[(&str, &str)]) -> String {
    let drill = replacements.iter().fold(DRILL.to_owned(), |drill, (old, new)| {
        assert!(drill.contains(old), "{old}");
        drill.replacen(old, new, 1)
    });
    load_texts(&drill, ZONE).unwrap_err()
}

/// What is told of [`DRILL`] with one expectation more.
fn mistake_in_expectation(line: &str) -> String {
    load_texts(&format!("{DRILL}{line}\n"), ZONE).unwrap_err()
}

#[test]
fn the_drill_that_the_mistakes_are_made_in_is_whole() {
    let drill = load_texts(DRILL, ZONE).unwrap();
    assert_eq!(drill.expectations[0].text, "Brazil is answered page within 40s");
    assert!(drill.expectations[0].at.ends_with("drill.yaml:14:5"), "{}", drill.expectations[0].at);
}

#[test]
fn an_error_of_the_zone_is_passed_through() {
    let zone = ZONE.replacen("PRIMARY", "FIRST", 1);
    insta::assert_snapshot!(load_texts(DRILL, &zone).unwrap_err(), @"zone.json:3:84: failover role `FIRST` is not known; expected PRIMARY or SECONDARY (R53-22)");
}

#[test]
fn a_health_check_that_the_zone_names_must_be_described() {
    let cells = "  a: { region: {}, address: 203.0.113.10 }\n  b: { region: {}, address: 203.0.113.20 }\nresolvers:";
    insta::assert_snapshot!(mistakes(&[("resolvers:", cells), ("name: api", "name: chat")]), @"zone.json:7:5: chat.example.com A a names the health check `HC-1`, and the drill does not say what that looks at; add `HC-1: { cell: <cell>, http: /health }` to `health-checks` of the drill");
}

#[test]
fn an_aws_resource_that_the_zone_answers_must_be_a_cell() {
    let page = "  page: { static-site: {}, alias: page.example.net }\n";
    insta::assert_snapshot!(mistakes(&[(page, ""), ("is: page", "is: east")]), @"zone.json:5:5: api.example.com A page can answer the AWS resource page.example.net, and no cell stands for it; add a cell with `alias: page.example.net` to the drill");
}

#[test]
fn more_clients_than_a_place_has_room_for_are_refused() {
    let web = "  web: { place: Brazil, resolver: br, profile: fresh-lookup }\n";
    let more: String = (0..240).map(|n| web.replace("web", &format!("web-{n}"))).collect();
    insta::assert_snapshot!(mistakes(&[(web, &more)]), @r"
    drill.yaml:10:1: 241 resolvers, clients and probes, but a lab has room for 200; split the drill
    drill.yaml:10:1: 241 resolvers, clients and probes in Brazil, but a lab has room for 240; split the drill
    ");
}

#[test]
fn a_name_below_a_wildcard_of_the_zone_has_its_records() {
    let zone = ZONE.replace("\"api.example.com.\"", "\"*.example.com.\"");
    assert!(load_texts(DRILL, &zone).is_ok());
}

#[test]
fn a_file_that_is_empty_or_no_text_is_told_with_line_and_column() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drill.yaml");
    let told = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        load(&path).unwrap_err().to_string().replace(&format!("{}/", folder.path().display()), "")
    };
    insta::assert_snapshot!(told(b""), @"drill.yaml:1:1: the drill does not fit: `drill` is missing; see the ready drills for how it is written");
    insta::assert_snapshot!(told(b"# nothing\n"), @"drill.yaml:2:1: the drill does not fit: `drill` is missing; see the ready drills for how it is written");
    insta::assert_snapshot!(told(b"drill: test\ntitle: \xff\n"), @"drill.yaml:2:8: not readable: its byte 19, counted from 0, is not UTF-8; expected a text in UTF-8; save it as UTF-8");
    fs::write(folder.path().join("zone.json"), b"{\n\xff").unwrap();
    insta::assert_snapshot!(told(DRILL.as_bytes()), @"zone.json:2:1: not readable: its byte 2, counted from 0, is not UTF-8; expected a text in UTF-8; save it as UTF-8");
    fs::write(folder.path().join("zone.json"), b"").unwrap();
    insta::assert_snapshot!(told(DRILL.as_bytes()), @"zone.json:1:1: not readable as JSON or YAML: it is empty");
}

#[test]
fn the_text_is_kept_for_whoever_shows_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drill.yaml");
    fs::write(&path, "drill: x\nzone: [").unwrap();
    let errors = load(&path).unwrap_err();
    assert_eq!(errors.text(&path), Some("drill: x\nzone: ["));
    assert_eq!(*errors.errors[0].position().file, path);
}

proptest! {
    #[test]
    fn loading_never_panics_whatever_the_text(text in "([a-z-]{1,8}: |[0-9]{1,3}|[a-zé]{1,5}|[\\[\\]{}\"'&*!|>%@`#,:-]|\n| ){0,60}") {
        let _ = load_texts(&text, ZONE);
    }

    #[test]
    fn loading_never_panics_on_a_damaged_drill(at in 0..DRILL.len(), junk in "[ \n:{}\\[\\],#'\"a0é-]{0,3}", cut in 0..6_usize) {
        let text = format!("{}{junk}{}", &DRILL[..at], DRILL.get(at + cut..).unwrap_or(""));
        let _ = load_texts(&text, ZONE);
    }

    #[test]
    fn loading_never_panics_on_a_damaged_zone(at in 0..ZONE.len(), junk in "[ \n:{}\\[\\],\"a0-]{0,3}", cut in 0..6_usize) {
        let text = format!("{}{junk}{}", &ZONE[..at], ZONE.get(at + cut..).unwrap_or(""));
        let _ = load_texts(DRILL, &text);
    }
}

#[test]
fn an_unknown_key_is_pointed_at_itself_at_any_depth() {
    insta::assert_snapshot!(mistakes(&[("region: {}", "region: { target-group: { intervall: 15s } }")]), @"drill.yaml:6:37: unknown key `intervall`; did you mean `interval`? Known here: `path`, `interval`, `timeout`, `unhealthy-threshold`, `healthy-threshold`, `minimum-healthy`");
}

#[test]
fn an_unknown_key_at_the_top_lists_what_could_stand_there() {
    insta::assert_snapshot!(mistakes(&[("title: A test", "titel: A test")]), @"drill.yaml:2:1: unknown key `titel`; did you mean `title`? Known here: `drill`, `title`, `hazard`, `estimate`, `zone`, `name`, `cells`, `health-checks`, `probes`, `routing-controls`, `resolvers`, `clients`, `fault`, `faults`, `hold`, `recover`, `observe`, `expect`");
}

#[test]
fn a_missing_key_is_named() {
    insta::assert_snapshot!(mistakes(&[("name: api.example.com\n", "")]), @"drill.yaml:1:1: the drill does not fit: `name` is missing; see the ready drills for how it is written");
}

#[test]
fn a_value_of_the_wrong_shape_is_told() {
    insta::assert_snapshot!(mistakes(&[("cells:\n", "cells: []\nx:\n")]), @"drill.yaml:5:8: cells does not fit: found a list; expected a mapping (`key: value`); see the ready drills for how it is written");
}

#[test]
fn a_key_that_stands_twice_is_refused() {
    insta::assert_snapshot!(mistakes(&[("title: A test", "title: A test\ntitle: Another")]), @"drill.yaml:3:1: not readable as YAML: key `title` stands twice; the first is on line 2");
}

#[test]
fn an_unknown_place_names_the_nearest() {
    insta::assert_snapshot!(mistakes(&[("web: { place: Brazil", "web: { place: Brasil")]), @"drill.yaml:11:17: unknown place `Brasil`; did you mean `Brazil`? Write a country (`Brazil`, `BR`) or a state of the US (`US/CA`)");
}

#[test]
fn an_unknown_cell_names_the_nearest() {
    insta::assert_snapshot!(mistakes(&[("is: page", "is: pagge")]), @"drill.yaml:14:33: unknown cell `pagge`; did you mean `page`? Known here: `east`, `page`, `nodata`, `nxdomain`");
}

#[test]
fn an_unknown_resolver_names_the_nearest() {
    insta::assert_snapshot!(mistakes(&[("resolver: br", "resolver: bra")]), @"drill.yaml:11:35: unknown resolver `bra`; did you mean `br`? Known here: `br`");
}

#[test]
fn an_unknown_client_names_the_nearest() {
    insta::assert_snapshot!(mistake_in_expectation("  - served: { client: wep, by: page, within: 40s }"), @"drill.yaml:15:23: unknown client `wep`; did you mean `web`? Known here: `web`");
}

#[test]
fn an_unknown_health_check_names_the_nearest() {
    insta::assert_snapshot!(mistake_in_expectation("  - health: { of: eastt, is: unhealthy, within: 40s }"), @"drill.yaml:15:19: unknown cell, zone, health check or probe `eastt`; did you mean `east`? Known here: `east`");
}

#[test]
fn an_unknown_profile_lists_all() {
    insta::assert_snapshot!(mistakes(&[("fresh-lookup", "keep-alive")]), @"drill.yaml:11:48: unknown client profile `keep-alive`; did you mean `keep-alive-pool`? Known here: `fresh-lookup`, `runtime-cache`, `cache-forever`, `keep-alive-pool`, `recycling-pool`, `ageing-pool`");
}

#[test]
fn an_unknown_stage_lists_all() {
    insta::assert_snapshot!(mistake_in_expectation("  - budget: { stage: resolvers, at-most: 40s }"), @"drill.yaml:15:22: unknown stage `resolvers`; did you mean `resolver`? Known here: `detection`, `authoritative`, `resolver`, `client`, `total`");
}

#[test]
fn a_name_without_a_record_in_the_zone_names_the_nearest() {
    insta::assert_snapshot!(mistakes(&[("name: api.example.com", "name: app.example.com")]), @"drill.yaml:4:7: unknown record name `app.example.com A`; did you mean `api.example.com`? Known here: `api.example.com`, `chat.example.com`, `www.example.com`");
}

#[test]
fn a_name_without_a_record_of_that_type_is_told() {
    insta::assert_snapshot!(mistakes(&[("fresh-lookup", "fresh-lookup, family: AAAA")]), @"drill.yaml:4:7: unknown record name `api.example.com AAAA`; known here: `www.example.com`");
}

#[test]
fn an_alias_that_no_record_uses_names_the_nearest() {
    insta::assert_snapshot!(mistakes(&[("alias: alb.example.net", "alias: alp.example.net")]), @"
    drill.yaml:6:30: unknown alias target of the zone `alp.example.net`; did you mean `alb.example.net`? Known here: `alb.example.net`, `page.example.net`
    zone.json:3:5: api.example.com A east can answer the AWS resource alb.example.net, and no cell stands for it; add a cell with `alias: alb.example.net` to the drill
    ");
}

#[test]
fn an_address_that_the_zone_answers_must_be_a_cell() {
    insta::assert_snapshot!(mistakes(&[("name: api.example.com", "name: chat.example.com")]), @"
    zone.json:7:5: chat.example.com A a can answer 203.0.113.10, and no cell stands for it; add a cell with `address: 203.0.113.10` to the drill
    zone.json:7:5: chat.example.com A a names the health check `HC-1`, and the drill does not say what that looks at; add `HC-1: { cell: <cell>, http: /health }` to `health-checks` of the drill
    zone.json:9:5: chat.example.com A b can answer 203.0.113.20, and no cell stands for it; add a cell with `address: 203.0.113.20` to the drill
    ");
}

#[test]
fn a_cname_out_of_the_zone_cannot_be_served() {
    insta::assert_snapshot!(mistakes(&[("name: api.example.com", "name: www.example.com")]), @"zone.json:11:5: www.example.com CNAME leads to cdn.example.net., which is not in the zone; ask for a name that this zone can answer by itself");
}

#[test]
fn a_health_check_that_the_zone_does_not_name_is_refused() {
    insta::assert_snapshot!(mistakes(&[("resolvers:", "health-checks:\n  HC-3: { cell: east, http: /health, interval: 10s }\nresolvers:")]), @"drill.yaml:9:3: unknown health check id of the zone `HC-3`; did you mean `HC-1`? Known here: `HC-1`");
}

#[test]
fn a_health_check_cannot_have_any_interval() {
    insta::assert_snapshot!(mistakes(&[("resolvers:", "health-checks:\n  HC-1: { cell: east, http: /health, interval: 15s }\nresolvers:")]), @"drill.yaml:9:48: interval 15s is not possible: Route 53 probes every 10 s or every 30 s (R53-121); write a value within the bounds");
}

#[test]
fn a_target_group_cannot_have_any_threshold() {
    insta::assert_snapshot!(mistakes(&[("region: {}", "region: { target-group: { unhealthy-threshold: 1 } }")]), @"drill.yaml:6:58: threshold 1 is not possible: expected 2 to 10; write a value within the bounds");
}

#[test]
fn two_cells_cannot_have_one_address() {
    insta::assert_snapshot!(mistakes(&[("resolvers:", "  a: { region: {}, address: 203.0.113.10 }\n  b: { region: {}, address: [203.0.113.20, 203.0.113.10] }\nresolvers:")]), @r"
    drill.yaml:8:29: unknown address of the zone `203.0.113.10`; nothing is known here
    drill.yaml:9:29: cell `b` stands for 203.0.113.10, and so does cell `a`; let each address and each AWS resource belong to one cell
    drill.yaml:9:29: unknown address of the zone `203.0.113.20`; nothing is known here
    drill.yaml:9:29: unknown address of the zone `203.0.113.10`; nothing is known here
    ");
}

#[test]
fn two_cells_cannot_have_one_alias() {
    insta::assert_snapshot!(mistakes(&[("page.example.net", "alb.example.net")]), @"
    drill.yaml:7:35: cell `page` stands for alb.example.net, and so does cell `east`; let each address and each AWS resource belong to one cell
    zone.json:5:5: api.example.com A page can answer the AWS resource page.example.net, and no cell stands for it; add a cell with `alias: page.example.net` to the drill
    ");
}

#[test]
fn a_cell_that_stands_for_nothing_is_refused() {
    insta::assert_snapshot!(mistakes(&[("resolvers:", "  spare: { region: {} }\nresolvers:")]), @"drill.yaml:8:3: cell `spare` stands for nothing: it has neither `alias` nor `address`; add `alias:` with the AWS resource that the zone points at, or `address:` with the address that it writes");
}

#[test]
fn an_address_must_be_one() {
    insta::assert_snapshot!(mistakes(&[("resolvers:", "  a: { region: {}, address: 203.0.113.300 }\nresolvers:")]), @"drill.yaml:8:29: `203.0.113.300` is no IP address; write for example 203.0.113.10 or 2001:db8::10");
}

#[test]
fn the_labs_own_addresses_are_kept() {
    insta::assert_snapshot!(mistakes(&[("resolvers:", "  a: { region: {}, address: 198.18.0.10 }\nresolvers:")]), @"drill.yaml:8:29: 198.18.0.10 belongs to the lab itself; use another address, for example one of 203.0.113.0/24 or 2001:db8::/48");
}

#[test]
fn a_cell_is_one_thing() {
    insta::assert_snapshot!(mistakes(&[("region: {}", "region: {}, static-site: {}")]), @"drill.yaml:6:9: more than one of `region`, `llm`, `telemetry-gateway`, `static-site` stands here, expected exactly one; keep one of them");
}

#[test]
fn a_database_of_a_static_site_cannot_be_killed() {
    insta::assert_snapshot!(mistakes(&[("kill-database: east", "kill-database: page")]), @"drill.yaml:12:25: `kill-database` cannot break cell `page`, which is a static site; name a region, or use another fault");
}

#[test]
fn a_cell_cannot_be_broken_twice() {
    insta::assert_snapshot!(mistakes(&[("fault: { kill-database: east }", "faults: [ { kill-database: east }, { kill-region: east } ]")]), @"drill.yaml:12:36: cell `east` is broken twice; keep one fault for each");
}

#[test]
fn a_drill_without_a_fault_is_no_drill() {
    insta::assert_snapshot!(mistakes(&[("fault: { kill-database: east }\n", "")]), @"drill.yaml:1:1: none of `fault`, `faults` stands here, expected exactly one; write one of `fault`, `faults`");
}

#[test]
fn a_duration_without_unit_is_refused() {
    insta::assert_snapshot!(mistakes(&[("within: 40s", "within: 40")]), @"drill.yaml:14:47: `40` has no unit; write `40s` for seconds");
}

#[test]
fn a_duration_that_is_none_is_refused() {
    insta::assert_snapshot!(mistakes(&[("within: 40s", "within: soon")]), @"drill.yaml:14:47: `soon` is no duration: expected number at 0; write for example `15s` or `1m 30s`");
}

#[test]
fn a_duration_of_no_time_is_refused() {
    insta::assert_snapshot!(mistakes(&[("fresh-lookup", "fresh-lookup, timeout: 0s")]), @"drill.yaml:11:71: `0s` is no time at all; write a duration above zero, or remove the key for its default");
}

#[test]
fn a_client_cannot_ask_too_often() {
    insta::assert_snapshot!(mistakes(&[("fresh-lookup", "fresh-lookup, every: 10ms")]), @"drill.yaml:11:69: `every` is 10ms, expected 200ms to 1m; write a value within the bounds");
}

#[test]
fn a_setting_of_another_profile_is_refused() {
    insta::assert_snapshot!(mistakes(&[("fresh-lookup", "fresh-lookup, max-age: 60s")]), @"drill.yaml:11:62: `max-age` does nothing for a client with the profile `fresh-lookup`; remove `max-age`");
}

#[test]
fn a_drill_that_expects_nothing_is_refused() {
    insta::assert_snapshot!(mistakes(&[("expect:\n  - answer: { from: Brazil, is: page, within: 40s }\n", "expect: []\n")]), @"drill.yaml:13:1: `expect` is empty; say what must be seen: a drill that expects nothing cannot fail");
}

#[test]
fn an_expectation_has_one_deadline() {
    insta::assert_snapshot!(mistakes(&[("within: 40s", "within: 40s, holds: always")]), @"drill.yaml:14:13: more than one of `within`, `once-within`, `again-within`, `holds` stands here, expected exactly one; keep one of them");
}

#[test]
fn a_deadline_after_the_heal_is_refused() {
    insta::assert_snapshot!(mistakes(&[("fault:", "hold: 30s\nfault:")]), @"drill.yaml:12:7: `within` is 40s, but the fault is held only 30s; hold the fault longer, or remove `hold` and let muster work it out");
}

#[test]
fn a_name_of_the_drill_is_a_plain_word() {
    insta::assert_snapshot!(mistakes(&[("drill: test", "drill: A Test")]), @"drill.yaml:1:1: `A Test` cannot be used as the drill's name: expected 1 to 60 lower-case letters, digits and `-`; write another one");
}

#[test]
fn a_zone_that_cannot_be_read_points_at_its_name() {
    insta::assert_snapshot!(mistakes(&[("zone: zone.json", "zone: zones.json")]), @"drill.yaml:3:7: cannot be read: zones.json: No such file or directory (os error 2); check the path and its permissions");
}

#[test]
fn a_loss_without_a_limit_is_refused() {
    insta::assert_snapshot!(mistake_in_expectation("  - loss: { client: web }"), @"drill.yaml:15:5: `loss` is empty; set `failed-at-most`, `slow-at-most` or `stale-at-most`");
}

#[test]
fn all_mistakes_are_told_at_once_in_the_order_of_the_file() {
    insta::assert_snapshot!(mistakes(&[("web: { place: Brazil", "web: { place: Brasil"), ("resolver: br", "resolver: bra"), ("within: 40s", "within: 40")]), @"
    drill.yaml:11:17: unknown place `Brasil`; did you mean `Brazil`? Write a country (`Brazil`, `BR`) or a state of the US (`US/CA`)
    drill.yaml:11:35: unknown resolver `bra`; did you mean `br`? Known here: `br`
    drill.yaml:14:47: `40` has no unit; write `40s` for seconds
    ");
}

/// What is told of the drill with every kind of evidence, with these texts replaced.
fn mistakes_of_signals(replacements: &[(&str, &str)]) -> String {
    let drill = replacements.iter().fold(every_signal::DRILL.to_owned(), |drill, (old, new)| {
        assert!(drill.contains(old), "{old}");
        drill.replacen(old, new, 1)
    });
    match load_texts(&drill, every_signal::ZONE) {
        Ok(_) => panic!("taken as it is: {replacements:?}"),
        Err(errors) => errors,
    }
}

/// Each mistake below its change, as a person would read them.
fn table(changes: &[(&str, &str)]) -> String {
    let told = |(old, new): &(&str, &str)| {
        format!("{}\n    {}", new.trim(), mistakes_of_signals(&[(*old, *new)]).replace('\n', "\n    "))
    };
    changes.iter().map(told).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_drill_with_every_kind_of_evidence_is_whole() {
    let drill = load_texts(every_signal::DRILL, every_signal::ZONE).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(drill.faults, [Fault::WedgeEngine("us-east".to_owned())]);
    let sentences: Vec<_> = drill.expectations.iter().map(|expectation| expectation.text.as_str()).collect();
    assert_eq!(
        sentences,
        [
            "HC-A is unhealthy once within 1m 35s",
            "HC-D turns at least 1 and at most 2 times",
            "after the heal, app goes from cell to cell at most 1 times",
        ]
    );
}

#[test]
fn every_word_of_the_catalogue_is_read() {
    for entry in CATALOGUE {
        let fits = |of: &str| (entry.word, of.to_owned());
        let (word, of) = match entry.word {
            "drain-check" => fits("HC-F"),
            "turn-off" => fits("us-west"),
            "kill-static-site" | "kill-targets" | "partition-region" | "silence-authoritative" => continue,
            "abandon-queue" | "kill-database" | "kill-region" | "quiet-queue" | "stall-database" | "stop-worker" => {
                fits("sa-east-1")
            }
            _ => fits("us-east"),
        };
        let drill =
            every_signal::DRILL.replace("fault: { wedge-engine: us-east }", &format!("fault: {{ {word}: {of} }}"));
        let drill = load_texts(&drill, every_signal::ZONE).unwrap_or_else(|errors| panic!("{errors}"));
        assert_eq!((drill.faults[0].entry().word, drill.faults[0].of()), (word, of.as_str()));
    }
}

#[test]
fn a_silent_authoritative_server_is_written_alone_and_nobody_but_resolvers_may_ask_it() {
    let written = |fault: &str| DRILL.replacen("fault: { kill-database: east }", fault, 1);
    let drill = load_texts(&written("fault: silence-authoritative"), ZONE).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(drill.faults, [Fault::SilenceAuthoritative]);
    let fault = "fault: { wedge-engine: us-east }";
    let silent = (fault, "fault: silence-authoritative");
    insta::assert_snapshot!(table(&[
        silent,
        (fault, "fault: { silence-authoritative: us-east }"),
        (fault, "fault: wedge-engine"),
        (fault, "fault: silence"),
        (fault, "faults: [ silence-authoritative, silence-authoritative ]"),
    ]));
    let by_address = ("http: /, name: us-west.example.com", "http: /");
    insta::assert_snapshot!(mistakes_of_signals(&[by_address, silent]));
}

#[test]
fn the_defaults_of_a_queue_and_of_an_llm_region_are_those_of_their_sources() {
    let short = every_signal::DRILL
        .replace("      engine: { model: chat-model, slots: 8, queue: 64, tokens-per-second: 32, loads-for: 0s }\n", "")
        .replace("      prober: { pause: 5s, budget: 4s }\n", "")
        .replace("queue: { active-for: 1h }", "queue: {}");
    let written = load_texts(every_signal::DRILL, every_signal::ZONE).unwrap();
    let short = load_texts(&short, every_signal::ZONE).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(short.cells["us-east"], written.cells["us-east"]);
    let CellMake::Llm(llm) = &short.cells["us-east"].make else { panic!("{:?}", short.cells["us-east"]) };
    let prober = llm.prober.as_ref().unwrap();
    assert_eq!((prober.fails_to_drain, prober.good_to_recover, prober.max_age.as_secs()), (3, 12, 20));
    let CellMake::Region(region) = &short.cells["sa-east-1"].make else { panic!("{:?}", short.cells["sa-east-1"]) };
    let queue = region.queue.unwrap();
    assert_eq!((queue.settings.active_for.as_secs(), queue.settings.wakes_within.as_secs()), (21_600, 900));
    assert_eq!(queue.settings.deleted_when_idle_for.as_secs(), 30 * 86_400);
    assert_eq!(queue.settings.dead_letter_after, None);
}

#[test]
fn r53_205_an_alarm_follows_the_dead_letters_of_a_queue_that_has_some() {
    let with = |after: &str| {
        let queue = format!("queue: {{ active-for: 1h, dead-letter-after: {after} }}");
        let drill = every_signal::DRILL.replace("queue: { active-for: 1h }", &queue);
        load_texts(&drill.replace("queue-age-of: sa-east-1", "dead-letter-age-of: sa-east-1"), every_signal::ZONE)
    };
    let drill = with("3").unwrap_or_else(|errors| panic!("{errors}"));
    let kind = &drill.health_checks[&HealthCheckId("HC-E".into())].kind;
    let HealthCheckKind::Alarm(alarm) = kind else { panic!("{kind:?}") };
    assert_eq!(alarm.metric, Metric::DeadLetterAge("sa-east-1".into()));
    let refused = with("0").unwrap_err();
    assert!(refused.contains("`dead-letter-after` is 0, expected 1 to 1000"), "{refused}");
}

#[test]
fn what_an_alarm_says_itself_can_be_expected_of_a_health_check_on_one() {
    let with = |line: &str| load_texts(&format!("{}  - {line}\n", every_signal::DRILL), every_signal::ZONE);
    let drill = with("alarm: { of: HC-E, is: insufficient-data, within: 40s }").unwrap();
    assert_eq!(drill.expectations[3].text, "the alarm of HC-E is INSUFFICIENT_DATA within 40s");
    let unknown = with("alarm: { of: HC-A, is: ok, within: 40s }").unwrap_err();
    assert!(unknown.contains("unknown health check on an alarm `HC-A`"), "{unknown}");
    let state = with("alarm: { of: HC-E, is: okay, holds: never }").unwrap_err();
    assert!(state.contains("unknown alarm state `okay`; did you mean `ok`?"), "{state}");
}

#[test]
fn r53_128_to_138_a_calculated_check_that_route_53_would_refuse() {
    let calculated = "{ calculated: [HC-A, HC-E, HC-F], healthy-threshold: 3 }";
    insta::assert_snapshot!(table(&[
        (calculated, "{ calculated: [HC-A, HC-E, HC-F] }"),
        (calculated, "{ calculated: [], healthy-threshold: 1, disabled: true }"),
        (calculated, "{ calculated: [HC-A, HC-E, HC-F, HC-D], healthy-threshold: 1 }"),
        (calculated, "{ calculated: [HC-A, HC-E, HC-F, HC-Z], healthy-threshold: 1 }"),
        (
            calculated,
            "{ calculated: [HC-A, HC-E, HC-F], healthy-threshold: 1, interval: 10s, failure-threshold: 3, port: 80 }"
        ),
        (calculated, "{ calculated: [HC-A, HC-E, HC-F], healthy-threshold: 1, insufficient-data: healthy }"),
    ]));
}

#[test]
fn r53_134_more_than_255_children_are_refused() {
    let many = format!("calculated: [{}HC-F]", "HC-A, ".repeat(255));
    let told = mistakes_of_signals(&[("calculated: [HC-A, HC-E, HC-F]", &many)]);
    assert!(told.starts_with("drill.yaml:27:23: 256 children are not possible") && told.contains("R53-134"), "{told}");
    let most = format!("calculated: [{}HC-F]", "HC-A, HC-E, ".repeat(127));
    let drill = every_signal::DRILL.replace("calculated: [HC-A, HC-E, HC-F]", &most);
    assert!(load_texts(&drill, every_signal::ZONE).is_ok());
}

#[test]
fn r53_140_to_153_an_alarm_that_no_health_check_follows() {
    insta::assert_snapshot!(table(&[
        ("alarm: { queue-age-of: sa-east-1,", "alarm: { metric-math: m1 / m2,"),
        (
            "{ queue-age-of: sa-east-1, statistic: maximum, comparison: greater-than-threshold, threshold: 300, period: 60s, evaluation-periods: 3 }",
            "{ metric-math: m1 / m2 }"
        ),
        (", statistic: maximum, comparison: greater-than-threshold, threshold: 300", ""),
        ("queue-age-of: sa-east-1,", "queue-age-of: us-east,"),
        ("queue-age-of: sa-east-1,", "queue-age-of: sa-east-1, success-of: primary-branch,"),
        ("queue-age-of: sa-east-1,", "dead-letter-age-of: sa-east-1,"),
        ("success-of: primary-branch,", "success-of: primary,"),
        ("statistic: maximum", "statistic: p99"),
        ("statistic: maximum", "statistic: maximun"),
        ("comparison: greater-than-threshold", "comparison: greater-than"),
        ("threshold: 300", "threshold: .nan"),
        ("period: 60s", "period: 30s"),
        ("period: 60s", "period: 45s"),
        ("period: 60s", "period: 90s"),
        ("evaluation-periods: 3", "evaluation-periods: 0"),
        ("evaluation-periods: 3", "evaluation-periods: 1441"),
        ("evaluation-periods: 3", "evaluation-periods: 3, datapoints-to-alarm: 2"),
        ("evaluation-periods: 3", "evaluation-periods: 3, datapoints-to-alarm: 4"),
        ("evaluation-periods: 3", "evaluation-periods: 3, treat-missing-data: notBreaching"),
        ("    insufficient-data: unhealthy\n", ""),
        ("insufficient-data: unhealthy", "insufficient-data: unknown"),
        ("insufficient-data: unhealthy", "insufficient-data: unhealthy\n    port: 80"),
        ("sni: false }", "sni: false, insufficient-data: healthy }"),
        ("sni: false }", "sni: false, healthy-threshold: 1 }"),
    ]));
}

#[test]
fn r53_155_a_routing_control_has_nothing_of_a_probe() {
    insta::assert_snapshot!(table(&[
        ("routing-control: us-west }", "routing-control: us-west, interval: 10s, failure-threshold: 3 }"),
        ("routing-control: us-west }", "routing-control: us-west, insufficient-data: healthy }"),
        ("routing-control: us-west }", "routing-control: us-wets }"),
        ("us-west: on }", "us-west: maybe }"),
        ("at-least-on: 1", "at-least-on: 3"),
    ]));
}

#[test]
fn r53_110_to_122_an_endpoint_that_cannot_be_probed_so() {
    let string = "contains: '\"status\":\"pass\"'";
    let long = format!("contains: {}", "x".repeat(256));
    insta::assert_snapshot!(table(&[
        (string, "contains: ''"),
        (string, &long),
        ("port: 8081", "port: 8080"),
        ("{ cell: us-west, https: /, sni: false }", "{ cell: us-west, https: /, port: 80 }"),
        ("{ cell: us-west, https: /, sni: false }", "{ cell: us-west, http: /, port: 8081 }"),
        ("{ cell: us-west, https: /, sni: false }", "{ cell: us-west, http: /, sni: false }"),
        ("{ cell: us-west, https: /, sni: false }", "{ cell: us-west, tcp: 80, port: 80, contains: x }"),
        ("{ cell: us-west, https: /, sni: false }", "{ cell: us-west, https: /, tcp: 443 }"),
        ("{ cell: us-west, https: /, sni: false }", "{ https: / }"),
        ("{ cell: us-west, https: /, sni: false }", "{ cell: us-west }"),
        ("name: us-west.example.com", "name: us-west.example.org"),
        ("name: us-west.example.com", "name: us-west.example.com, host: x.example.com"),
        ("name: us-west.example.com", "name: api.example.com"),
        ("name: us-west.example.com", "name: otel-primary.example.com"),
    ]));
}

#[test]
fn a_fault_that_cannot_be_is_refused() {
    let fault = "fault: { wedge-engine: us-east }";
    insta::assert_snapshot!(table(&[
        (fault, "fault: { wedge-engin: us-east }"),
        (fault, "fault: { wedge-engine: us-est }"),
        (fault, "fault: { wedge-engine: us-west }"),
        (fault, "fault: { kill-prober: us-west }"),
        (fault, "fault: { stop-worker: us-east }"),
        (fault, "fault: { kill-static-site: otel }"),
        (fault, "fault: { drain-check: HC-B }"),
        (fault, "fault: { drain-check: HC-Z }"),
        (fault, "fault: { turn-off: us-wets }"),
        (fault, "fault: {}"),
        (fault, "fault: { wedge-engine: us-east, kill-engine: us-east }"),
        (fault, "faults: [ { turn-off: us-east }, { turn-off: us-west } ]"),
        (fault, "faults: [ { turn-off: us-east }, { turn-off: us-east } ]"),
    ]));
}

#[test]
fn a_drain_check_must_not_be_inverted_already() {
    let inverted = ("disabled: true }", "disabled: true, inverted: true }");
    insta::assert_snapshot!(mistakes_of_signals(&[inverted, ("wedge-engine: us-east", "drain-check: HC-F")]), @"drill.yaml:47:23: the health check `HC-F` is inverted already, so that it is unhealthy from the start; remove `inverted` from it");
}

#[test]
fn a_control_that_is_off_cannot_be_turned_off() {
    let off = ("us-west: on }", "us-west: off }");
    insta::assert_snapshot!(mistakes_of_signals(&[off, ("wedge-engine: us-east", "turn-off: us-west")]), @"drill.yaml:47:20: the routing control `us-west` is off from the start; turn it on at the start, or name another one");
}

#[test]
fn a_cell_that_cannot_be_made_so_is_refused() {
    insta::assert_snapshot!(table(&[
        ("budget: 4s", "budget: 6s"),
        ("budget: 4s", "budget: 4s, fails-to-drain: 0"),
        ("budget: 4s", "budget: 4s, expects: ''"),
        ("budget: 4s", "buget: 4s"),
        ("prober: none", "prober: no"),
        ("tokens-per-second: 32", "tokens-per-second: 0"),
        ("tokens-per-second: 32", "tokens-per-second: 0.09"),
        ("first-byte-within: 3s", "first-byte-within: 99ms"),
        ("slots: 8", "slots: 0"),
        ("slots: 8", "slots: 8, api-key-from: KEY"),
        ("model: chat-model, api-key-from: LLM_KEY", "api-key-from: sk-abcdef"),
        ("base-url: \"https://llm.example.com\"", "base-url: \"https://llm.example.com/v1\", slots: 8"),
        ("queue: { active-for: 1h }", "queue: { work-takes: 5s }"),
        ("queue: { active-for: 1h }", "queue: { active-for: 59s }"),
        ("queue: { active-for: 1h }", "queue: { message-every: 99ms, work-takes: 1ms }"),
        ("otel: { telemetry-gateway: {},", "otel: { telemetry-gateway: {}, static-site: {},"),
    ]));
}

#[test]
fn who_asks_what_nobody_serves_is_refused() {
    insta::assert_snapshot!(table(&[
        ("asks: telemetry", "asks: telemetri"),
        ("asks: telemetry", "asks: telemetry, tokens: 5"),
        ("asks: telemetry", "asks: page, tier: free"),
        ("timeout: 5m", "timeout: 11m"),
        ("asks: stream, tokens: 1600, timeout: 5m", "asks: completion, timeout: 5m"),
        ("workers: 4", "workers: 0"),
        ("tier: free", "tier: \"a: b\""),
        ("every: 60s, timeout: 5s", "every: 2s, timeout: 5s"),
        ("asks: otel-primary.example.com", "asks: otel-primari.example.com"),
        ("resolver: isp, every", "resolver: ips, every"),
    ]));
    insta::assert_snapshot!(mistakes(&[("fresh-lookup }", "fresh-lookup, asks: completion }")]), @"drill.yaml:11:68: the client asks for `completion`, and no cell is an LLM region; write `llm: {}` for a cell, or let the client ask for something else");
    insta::assert_snapshot!(mistakes(&[("fresh-lookup }", "fresh-lookup, asks: telemetry }")]), @"drill.yaml:11:68: the client asks for `telemetry`, and no cell is a telemetry gateway; write `telemetry-gateway: {}` for a cell, or let the client ask for something else");
    insta::assert_snapshot!(mistakes(&[("fault:", "probes: { a: { asks: api.example.com, resolver: br } }\nfault:")]), @"drill.yaml:12:1: a synthetic probe submits telemetry, and no cell is a telemetry gateway; write `telemetry-gateway: {}` for a cell, or remove `probes`");
}

#[test]
fn an_expectation_that_says_nothing_is_refused() {
    insta::assert_snapshot!(table(&[
        ("turns: { of: HC-D, at-least: 1, at-most: 2 }", "turns: { of: HC-D }"),
        ("turns: { of: HC-D, at-least: 1, at-most: 2 }", "turns: { of: HC-D, at-least: 3, at-most: 2 }"),
        ("turns: { of: HC-D, at-least: 1, at-most: 2 }", "turns: { of: us-east, at-least: 0 }"),
        ("swings: { client: app,", "swings: { client: ap,"),
        ("once-within: 95s", "once-within: 95s, within: 95s"),
        ("recover: 300s", "hold: 95s"),
        (
            "at-most: 1, during: failback }",
            "at-most: 1 }\n  - health: { of: HC-A, is: healthy, within: 301s, during: failback }"
        ),
        ("client: app, detection: 45s", "client: ap, detection: 45s"),
        ("detection: 45s", "detection: 3m"),
        ("hazard: an empty queue drains a sound region", "hazard: ''"),
    ]));
}

#[test]
fn a_cell_without_a_target_group_has_no_target_health_to_evaluate() {
    let queue = "sa-east-1: { region: { queue: { active-for: 1h } }, alias: alb.example.net }";
    let gateway = "sa-east-1: { region: { queue: {} }, alias: other.example.net }\n  x: { telemetry-gateway: {}, alias: alb.example.net }";
    insta::assert_snapshot!(mistakes_of_signals(&[(queue, gateway)]), @"
    drill.yaml:22:46: unknown alias target of the zone `other.example.net`; known here: `alb.example.net`
    drill.yaml:23:38: an alias evaluates the health of cell `x`, which has no target group to have one; set `EvaluateTargetHealth` to false, and give the record set a health check
    ");
}

proptest! {
    #[test]
    fn loading_never_panics_on_a_damaged_drill_of_signals(
        at in 0..every_signal::DRILL.len(), junk in "[ \n:{}\\[\\],#'\"a0é-]{0,3}", cut in 0..6_usize,
    ) {
        let drill = every_signal::DRILL;
        let text = format!("{}{junk}{}", drill.get(..at).unwrap_or(""), drill.get(at + cut..).unwrap_or(""));
        let _ = load_texts(&text, every_signal::ZONE);
    }
}

#[test]
fn the_health_checks_of_a_text_are_read_without_its_zone_and_its_expectations() {
    let checks = "health-checks:\n  HC-1: { cell: east, http: / }\n  HC-2: { cell: west, http: / }\n";
    let drill = format!("{checks}{DRILL}").replacen("zone: zone.json", "zone: nowhere.json", 1);
    let refused = health_checks(Path::new("drill.yaml"), &drill, None).unwrap_err();
    insta::assert_snapshot!(refused, @"drill.yaml:3:17: unknown cell `west`; did you mean `east`? Known here: `east`, `page`");
    let read = health_checks(Path::new("drill.yaml"), &drill.replacen("west", "east", 1), None).unwrap();
    assert_eq!(read.keys().map(|id| id.0.as_str()).collect::<Vec<_>>(), ["HC-1", "HC-2"]);
}
