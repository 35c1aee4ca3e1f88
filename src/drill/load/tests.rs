//! Every mistake that loading tells, as it is told.

use std::fs;

use proptest::prelude::*;

use super::*;

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
    drill.yaml:10:1: 241 resolvers and clients, but a lab has room for 200; split the drill
    drill.yaml:10:1: 241 resolvers and clients in Brazil, but a lab has room for 240; split the drill
    ");
}

#[test]
fn a_name_below_a_wildcard_of_the_zone_has_its_records() {
    let zone = ZONE.replace("\"api.example.com.\"", "\"*.example.com.\"");
    assert!(load_texts(DRILL, &zone).is_ok());
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
    insta::assert_snapshot!(mistakes(&[("region: {}", "region: { target-group: { intervall: 15s } }")]), @"drill.yaml:6:37: unknown key `intervall`; did you mean `interval`? Known here: `path`, `interval`, `timeout`, `unhealthy-threshold`, `healthy-threshold`");
}

#[test]
fn an_unknown_key_at_the_top_lists_what_could_stand_there() {
    insta::assert_snapshot!(mistakes(&[("title: A test", "titel: A test")]), @"drill.yaml:2:1: unknown key `titel`; did you mean `title`? Known here: `drill`, `title`, `zone`, `name`, `cells`, `health-checks`, `resolvers`, `clients`, `fault`, `faults`, `hold`, `observe`, `expect`");
}

#[test]
fn a_missing_key_is_named() {
    insta::assert_snapshot!(mistakes(&[("name: api.example.com\n", "")]), @"drill.yaml:1:1: the drill does not fit: missing field `name`; see the ready drills for how it is written");
}

#[test]
fn a_value_of_the_wrong_shape_is_told() {
    insta::assert_snapshot!(mistakes(&[("cells:\n", "cells: []\nx:\n")]), @"drill.yaml:5:8: cells does not fit: invalid type: sequence, expected a map; see the ready drills for how it is written");
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
    insta::assert_snapshot!(mistake_in_expectation("  - health: { of: eastt, is: unhealthy, within: 40s }"), @"drill.yaml:15:19: unknown cell or health check `eastt`; did you mean `east`? Known here: `east`");
}

#[test]
fn an_unknown_profile_lists_all() {
    insta::assert_snapshot!(mistakes(&[("fresh-lookup", "keep-alive")]), @"drill.yaml:11:48: unknown client profile `keep-alive`; did you mean `keep-alive-pool`? Known here: `fresh-lookup`, `runtime-cache`, `cache-forever`, `keep-alive-pool`, `recycling-pool`");
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
    insta::assert_snapshot!(mistakes(&[("resolvers:", "health-checks:\n  HC-1: { cell: east, http: /health, interval: 15s }\nresolvers:")]), @"drill.yaml:9:48: interval 15s is not possible: Route 53 probes every 10 s or every 30 s; write a value within the bounds");
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
    insta::assert_snapshot!(mistakes(&[("region: {}", "region: {}, static-site: {}")]), @"drill.yaml:6:9: more than one of `region`, `static-site` stands here, expected exactly one; keep one of them");
}

#[test]
fn a_database_of_a_static_site_cannot_be_killed() {
    insta::assert_snapshot!(mistakes(&[("kill-database: east", "kill-database: page")]), @"drill.yaml:12:25: `kill-database` cannot break cell `page`, which is a static site; name a region, or use another fault");
}

#[test]
fn a_cell_cannot_be_broken_twice() {
    insta::assert_snapshot!(mistakes(&[("fault: { kill-database: east }", "faults: [ { kill-database: east }, { kill-region: east } ]")]), @"drill.yaml:12:36: cell `east` is broken twice; keep one fault for each cell");
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
    insta::assert_snapshot!(mistakes(&[("within: 40s", "within: 40s, holds: always")]), @"drill.yaml:14:13: more than one of `within`, `holds` stands here, expected exactly one; keep one of them");
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
