use std::collections::BTreeSet;
use std::path::Path;

use super::super::{HealthCheckId, Visibility, Zone, route53_json};
use super::{check_cidr_collections, check_cloud_front, check_health_checks};

const VALUES: &str = r#""TTL": 60, "ResourceRecords": [{"Value": "192.0.2.1"}]"#;

fn set(name: &str, rest: &str) -> String {
    format!(r#"{{"Name": "{name}.example.com.", "Type": "A", {rest}}}"#)
}

fn values(name: &str, rest: &str) -> String {
    set(name, &format!("{rest}, {VALUES}"))
}

fn alias(name: &str, target: &str, eth: bool, rest: &str) -> String {
    alias_in(name, target, "ZOWN", eth, rest)
}

fn alias_in(name: &str, target: &str, id: &str, eth: bool, rest: &str) -> String {
    let comma = if rest.is_empty() { "" } else { ", " };
    set(
        name,
        &format!(
            r#""AliasTarget": {{"HostedZoneId": "{id}", "DNSName": "{target}", "EvaluateTargetHealth": {eth}}}{comma}{rest}"#
        ),
    )
}

fn read(sets: &[String]) -> Result<Zone, String> {
    let soa = r#"{"Name": "example.com.", "Type": "SOA", "TTL": 900,
        "ResourceRecords": [{"Value": "ns. host. 1 2 3 4 5"}]}"#;
    let text = format!("{{\"ResourceRecordSets\": [{soa},\n{}]}}", sets.join(",\n"));
    route53_json::read(Path::new("z.json"), &text, None).map_err(|error| error.to_string())
}

/// Exactly one problem, with this in its text, at a place that is known.
#[track_caller]
fn refused(sets: &[String], rule: &str) -> String {
    let error = read(sets).expect_err("it was accepted");
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(error.contains(rule), "{error}");
    let place = error.strip_prefix("z.json:").and_then(|rest| rest.split_once(':')).map(|(line, _)| line);
    assert!(place.is_some_and(|line| line.parse::<usize>().is_ok_and(|line| line > 1)), "{error}");
    error
}

const HC: &str = r#""HealthCheckId": "h1""#;

fn weighted(id: &str, weight: u32) -> String {
    values("w", &format!(r#""SetIdentifier": "{id}", "Weight": {weight}"#))
}

#[test]
fn r53_15_a_health_check_on_a_simple_record_is_refused() {
    refused(&[values("a", HC)], "R53-15");
}

#[test]
fn r53_20_a_second_simple_record_is_refused() {
    refused(&[set("a", VALUES), set("a", VALUES)], "R53-20");
}

#[test]
fn r53_28_a_primary_with_values_needs_a_health_check() {
    refused(&[values("a", r#""SetIdentifier": "p", "Failover": "PRIMARY""#)], "R53-28");
    read(&[values("a", &format!(r#""SetIdentifier": "p", "Failover": "PRIMARY", {HC}"#))]).unwrap();
}

#[test]
fn r53_29_an_alias_primary_needs_eth_or_a_health_check() {
    let primary = r#""SetIdentifier": "p", "Failover": "PRIMARY""#;
    refused(&[set("t", VALUES), alias("a", "t.example.com", false, primary)], "R53-29");
    read(&[set("t", VALUES), alias("a", "t.example.com", true, primary)]).unwrap();
    read(&[set("t", VALUES), alias("a", "t.example.com", false, &format!("{primary}, {HC}"))]).unwrap();
}

#[test]
fn r53_30_a_secondary_needs_neither() {
    let secondary = r#""SetIdentifier": "s", "Failover": "SECONDARY""#;
    read(&[set("t", VALUES), alias("a", "t.example.com", false, secondary), values("b", secondary)]).unwrap();
}

#[test]
fn r53_38_a_weight_above_255_is_refused() {
    read(&[weighted("a", 255), weighted("b", 0)]).unwrap();
    refused(&[weighted("a", 256)], "R53-38");
}

fn geo(id: &str, location: &str) -> String {
    values("g", &format!(r#""SetIdentifier": "{id}", "GeoLocation": {{{location}}}"#))
}

#[test]
fn r53_60_and_233_unknown_continents_and_countries_are_refused() {
    refused(&[geo("a", r#""ContinentCode": "EUR""#)], "R53-60");
    let error = refused(&[geo("a", r#""CountryCode": "Brazil""#)], "R53-233");
    assert!(error.contains("did you mean `BR`?"), "{error}");
    read(&[geo("a", r#""ContinentCode": "AN""#), geo("b", r#""CountryCode": "*""#)]).unwrap();
}

#[test]
fn r53_61_subdivisions_are_those_of_the_us() {
    refused(&[geo("a", r#""CountryCode": "CA", "SubdivisionCode": "ON""#)], "R53-61");
    let error = refused(&[geo("a", r#""CountryCode": "US", "SubdivisionCode": "Texas""#)], "R53-61");
    assert!(error.contains("did you mean `TX`?"), "{error}");
    read(&[geo("a", r#""CountryCode": "US", "SubdivisionCode": "CA""#)]).unwrap();
}

#[test]
fn r53_62_four_countries_are_not_supported() {
    for code in ["BV", "CX", "EH", "HM"] {
        refused(&[geo("a", &format!(r#""CountryCode": "{code}""#))], "R53-62");
    }
}

fn near(settings: &str) -> String {
    values("n", &format!(r#""SetIdentifier": "a", "GeoProximityLocation": {{{settings}}}"#))
}

#[test]
fn r53_64_a_bias_beyond_99_is_refused() {
    for bias in ["100", "-100", "1.5", "1000"] {
        refused(&[near(&format!(r#""AWSRegion": "eu-west-1", "Bias": {bias}"#))], "R53-64");
    }
    read(&[near(r#""AWSRegion": "eu-west-1", "Bias": -99"#)]).unwrap();
}

#[test]
fn r53_65_a_geoproximity_record_has_exactly_one_origin_on_the_globe() {
    refused(&[near(r#""Bias": 1"#)], "R53-65");
    refused(&[near(r#""AWSRegion": "eu-west-1", "LocalZoneGroup": "us-east-1-bos-1""#)], "R53-65");
    refused(&[near(r#""Coordinates": {"Latitude": "91", "Longitude": "0"}"#)], "R53-65");
    refused(&[near(r#""Coordinates": {"Latitude": "1", "Longitude": "-180.5"}"#)], "R53-65");
    refused(&[near(r#""Coordinates": {"Latitude": "1.234", "Longitude": "0"}"#)], "R53-65");
    read(&[near(r#""LocalZoneGroup": "us-east-1-bos-1""#)]).unwrap();
}

fn cidr(id: &str, collection: &str, location: &str) -> String {
    values(
        "i",
        &format!(
            r#""SetIdentifier": "{id}", "CidrRoutingConfig": {{"CollectionId": "{collection}", "LocationName": "{location}"}}"#
        ),
    )
}

#[test]
fn r53_72_a_group_names_one_cidr_collection() {
    refused(&[cidr("a", "c1", "hq"), cidr("b", "c2", "*")], "R53-72");
    refused(&[cidr("a", "c1", "hq"), cidr("b", "c1", "hq")], "R53-72");
    read(&[cidr("a", "c1", "hq"), cidr("b", "c1", "*")]).unwrap();
}

#[test]
fn r53_245_a_cidr_location_has_a_plain_name_and_a_collection() {
    refused(&[cidr("a", "c1", "a name")], "R53-245");
    refused(&[cidr("a", "c1", "seventeen-letters")], "R53-245");
    let without = r#""SetIdentifier": "a", "CidrRoutingConfig": {"LocationName": "*"}"#;
    refused(&[values("i", without)], "R53-245");
}

#[test]
fn r53_68_a_collection_that_was_not_given_is_an_error_not_a_place() {
    let mut zone = read(&[cidr("a", "c1", "hq")]).unwrap();
    let error = check_cidr_collections(&zone).unwrap_err().to_string();
    assert!(error.contains("collection `c1` is not known"), "{error}");
    let block = "203.0.113.0/24".parse().unwrap();
    zone.cidr_collections.insert("c1".to_owned(), [("hq2".to_owned(), vec![block])].into());
    let error = check_cidr_collections(&zone).unwrap_err().to_string();
    assert!(error.contains("no location `hq`") && error.contains("did you mean `hq2`?"), "{error}");
    zone.cidr_collections.insert("c1".to_owned(), [("hq".to_owned(), vec![block])].into());
    check_cidr_collections(&zone).unwrap();
}

#[test]
fn r53_78_a_multivalue_alias_is_refused() {
    let multi = r#""SetIdentifier": "a", "MultiValueAnswer": true"#;
    refused(&[set("t", VALUES), alias("a", "t.example.com", true, multi)], "R53-78");
}

#[test]
fn r53_79_and_243_some_types_take_no_policy() {
    let of = |rtype: &str, policy: &str, value: &str| {
        format!(
            r#"{{"Name": "x.example.com.", "Type": "{rtype}", "SetIdentifier": "a", {policy}, "TTL": 60,
            "ResourceRecords": [{{"Value": "{value}"}}]}}"#
        )
    };
    refused(&[of("CNAME", r#""MultiValueAnswer": true"#, "a.example.net")], "R53-79");
    refused(&[of("NS", r#""MultiValueAnswer": true"#, "a.example.net")], "R53-79");
    refused(&[of("NS", r#""Weight": 1"#, "a.example.net")], "R53-243");
    let ns =
        r#"{"Name": "\\052.example.com.", "Type": "NS", "TTL": 60, "ResourceRecords": [{"Value": "ns.example.net"}]}"#;
    refused(&[ns.to_owned()], "R53-243");
}

#[test]
fn r53_95_and_239_an_alias_target_in_the_zone_must_exist_with_the_same_type() {
    let error = refused(&[set("target", VALUES), alias("a", "tarket.example.com", true, "")], "R53-239");
    assert!(error.contains("did you mean `target.example.com.`?"), "{error}");
    let six = r#"{"Name": "t.example.com.", "Type": "AAAA", "TTL": 60, "ResourceRecords": [{"Value": "2001:db8::1"}]}"#;
    let error = refused(&[six.to_owned(), alias("a", "t.example.com", true, "")], "R53-95");
    assert!(error.contains("only of AAAA"), "{error}");
}

#[test]
fn r53_95_an_alias_loop_is_shown() {
    let sets = [
        alias("a", "b.example.com", true, ""),
        alias("b", "c.example.com", true, ""),
        alias("c", "b.example.com", true, ""),
    ];
    let error = refused(&sets, "alias loop");
    assert!(error.contains("b.example.com. -> c.example.com. -> b.example.com. (A)"), "{error}");
    refused(&[alias("a", "a.example.com", true, "")], "a.example.com. -> a.example.com.");
    let two = [sets.to_vec(), vec![alias("d", "e.example.com", true, ""), alias("e", "d.example.com", true, "")]];
    assert_eq!(read(&two.concat()).unwrap_err().lines().count(), 2);
}

#[test]
fn r53_237_and_240_a_target_outside_the_zone_has_another_zone_id() {
    let inside = [set("t", VALUES), alias("a", "t.example.com", true, "")];
    let sets = [inside.to_vec(), vec![alias("b", "www.other.example", true, "")]].concat();
    refused(&sets, "R53-240");
    let sets = [inside.to_vec(), vec![alias_in("b", "lb.us-east-1.elb.amazonaws.com", "ZELB", true, "")]].concat();
    read(&sets).unwrap();
}

#[test]
fn r53_174_weighted_records_share_one_ttl() {
    let other =
        set("w", r#""SetIdentifier": "b", "Weight": 1, "TTL": 61, "ResourceRecords": [{"Value": "192.0.2.1"}]"#);
    refused(&[weighted("a", 1), other], "R53-174");
}

#[test]
fn r53_173_a_ttl_is_a_whole_number_of_seconds_that_fits() {
    for ttl in ["2147483648", "-1", "1.5", "\"60\""] {
        refused(&[set("a", &format!(r#""TTL": {ttl}, "ResourceRecords": [{{"Value": "192.0.2.1"}}]"#))], "R53-173");
    }
    read(&[set("a", r#""TTL": 2147483647, "ResourceRecords": [{"Value": "192.0.2.1"}]"#)]).unwrap();
}

#[test]
fn r53_221_two_policies_in_one_group_are_refused() {
    refused(&[weighted("a", 1), values("w", r#""SetIdentifier": "b", "Region": "eu-west-1""#)], "R53-221");
}

#[test]
fn r53_36_and_222_a_simple_record_beside_a_policy_is_refused() {
    refused(&[weighted("a", 1), set("w", VALUES)], "R53-222");
}

#[test]
fn r53_224_set_identifier_and_policy_go_together() {
    refused(&[values("a", r#""Weight": 1"#)], "R53-224");
    refused(&[values("a", r#""SetIdentifier": "x""#)], "R53-224");
    refused(&[weighted("", 1)], "R53-224");
    refused(&[weighted(&"x".repeat(129), 1)], "R53-224");
    read(&[weighted(&"x".repeat(128), 1)]).unwrap();
}

#[test]
fn r53_225_a_set_identifier_stands_once_in_a_group() {
    refused(&[weighted("a", 1), weighted("a", 2)], "R53-225");
}

#[test]
fn r53_226_one_record_has_one_policy() {
    let error = refused(&[values("a", r#""SetIdentifier": "x", "Weight": 1, "Region": "eu-west-1""#)], "R53-226");
    assert!(error.contains("Weight and Region"), "{error}");
}

#[test]
fn r53_227_a_second_primary_or_secondary_is_refused() {
    let role = |id: &str, role: &str| values("a", &format!(r#""SetIdentifier": "{id}", "Failover": "{role}", {HC}"#));
    refused(&[role("a", "PRIMARY"), role("b", "PRIMARY")], "R53-227");
    refused(&[role("a", "SECONDARY"), role("b", "SECONDARY")], "R53-227");
}

#[test]
fn r53_230_latency_records_name_each_known_region_once() {
    let region = |id: &str, region: &str| values("a", &format!(r#""SetIdentifier": "{id}", "Region": "{region}""#));
    refused(&[region("a", "eu-west-1"), region("b", "eu-west-1")], "R53-230");
    let error = refused(&[region("a", "eu-west-9")], "R53-230");
    assert!(error.contains("did you mean `eu-west-1`?"), "{error}");
}

#[test]
fn r53_231_a_location_stands_once_in_a_group() {
    refused(&[geo("a", r#""CountryCode": "DE""#), geo("b", r#""CountryCode": "DE""#)], "R53-231");
    refused(&[geo("a", r#""CountryCode": "*""#), geo("b", r#""CountryCode": "*""#)], "R53-231");
}

#[test]
fn r53_232_a_continent_stands_without_a_country() {
    refused(&[geo("a", r#""ContinentCode": "EU", "CountryCode": "DE""#)], "R53-232");
}

#[test]
fn r53_234_groups_and_records_have_a_limit() {
    let many = |count: u32| (0..count).map(|n| weighted(&n.to_string(), 1)).collect::<Vec<_>>();
    read(&many(100)).unwrap();
    refused(&many(101), "R53-234");
    let near = |n: u32| {
        values(
            "n",
            &format!(r#""SetIdentifier": "{n}", "GeoProximityLocation": {{"AWSRegion": "eu-west-1", "Bias": {n}}}"#),
        )
    };
    read(&(0..30).map(near).collect::<Vec<_>>()).unwrap();
    refused(&(0..31).map(near).collect::<Vec<_>>(), "R53-234");
    let all = vec![r#"{"Value": "192.0.2.1"}"#; 401].join(",");
    refused(&[set("a", &format!(r#""TTL": 60, "ResourceRecords": [{all}]"#))], "R53-234");
}

#[test]
fn r53_235_a_record_is_an_alias_or_has_ttl_and_values() {
    refused(&[set("t", VALUES), alias("a", "t.example.com", true, r#""TTL": 60"#)], "R53-235");
    let both = alias("a", "t.example.com", true, r#""ResourceRecords": [{"Value": "192.0.2.1"}]"#);
    refused(&[set("t", VALUES), both], "R53-235");
    refused(&[set("a", r#""TTL": 60"#)], "R53-235");
    refused(&[set("a", r#""ResourceRecords": [{"Value": "192.0.2.1"}]"#)], "R53-235");
    refused(&[set("a", r#""TTL": 60, "ResourceRecords": []"#)], "R53-235");
    refused(&[r#"{"Name": "a.example.com.", "Type": "A"}"#.to_owned()], "R53-235");
}

#[test]
fn r53_236_evaluate_target_health_must_be_there() {
    let target = r#""AliasTarget": {"HostedZoneId": "Z", "DNSName": "lb.amazonaws.com"}"#;
    refused(&[set("a", target)], "R53-236");
}

#[test]
fn r53_241_a_cname_at_the_apex_is_refused() {
    let cname =
        r#"{"Name": "example.com.", "Type": "CNAME", "TTL": 60, "ResourceRecords": [{"Value": "a.example.net"}]}"#;
    let error = read(&[cname.to_owned()]).unwrap_err();
    assert!(error.contains("R53-241"), "{error}");
}

#[test]
fn r53_242_a_cname_stands_alone() {
    let cname =
        r#"{"Name": "a.example.com.", "Type": "CNAME", "TTL": 60, "ResourceRecords": [{"Value": "a.example.net"}]}"#;
    refused(&[cname.to_owned(), set("a", VALUES)], "R53-242");
    let two = cname.replace("[{", r#"[{"Value": "b.example.net"}, {"#);
    refused(&[two], "RFC 2181");
}

#[test]
fn r53_244_a_name_outside_the_zone_is_refused() {
    let other = format!(r#"{{"Name": "a.example.org.", "Type": "A", {VALUES}}}"#);
    refused(&[other], "R53-244");
}

#[test]
fn r53_108_a_health_check_that_is_not_defined_is_named_with_the_nearest() {
    let zone = read(&[values("a", r#""SetIdentifier": "a", "Weight": 1, "HealthCheckId": "primary-check""#)]).unwrap();
    let known = BTreeSet::from([HealthCheckId("primary-checks".to_owned()), HealthCheckId("other".to_owned())]);
    insta::assert_snapshot!(
        check_health_checks(&zone, &known).unwrap_err(),
        @"z.json:3:1: health check `primary-check` is not defined (R53-108); did you mean `primary-checks`?"
    );
    check_health_checks(&zone, &zone.health_check_ids()).unwrap();
}

#[test]
fn r53_107_of_a_record_whose_health_check_was_deleted_no_status_is_guessed() {
    let zone = read(&[values("a", r#""SetIdentifier": "a", "Weight": 1, "HealthCheckId": "deleted""#)]).unwrap();
    let mut known = BTreeSet::from([HealthCheckId("deleted".to_owned())]);
    check_health_checks(&zone, &known).unwrap();
    known.clear();
    let told = check_health_checks(&zone, &known).unwrap_err().to_string();
    assert!(told.contains("health check `deleted` is not defined"), "{told}");
}

#[test]
fn all_problems_of_a_file_are_reported_in_its_order() {
    let unread = alias("t", "lost.example.com", true, r#""TTL": 60"#);
    let sets = [values("a", HC), weighted("x", 256), values("b", r#""Weight": 3"#), unread];
    let error = read(&sets).unwrap_err();
    let rules: Vec<&str> = error.lines().filter_map(|line| line.rsplit_once("(R53-").map(|(_, rule)| rule)).collect();
    assert_eq!(rules, ["15)", "38)", "224)", "235, R53-169)"], "{error}");
}

fn to_cloud_front(id: &str, eth: bool) -> String {
    alias_in("a", "d111111abcdef8.cloudfront.net", id, eth, "")
}

#[test]
fn r53_99_an_alias_to_cloud_front_does_not_evaluate_its_target() {
    let zone = |eth| read(&[to_cloud_front("Z2FDTNDATAQYW2", eth)]).unwrap();
    let refused = check_cloud_front(&zone(true)).unwrap_err().to_string();
    assert!(refused.contains("R53-99"), "{refused}");
    check_cloud_front(&zone(false)).unwrap();
}

#[test]
fn r53_238_cloud_front_and_global_accelerator_have_one_zone_id_each() {
    refused(&[to_cloud_front("Z1", false)], "expected `Z2FDTNDATAQYW2` (R53-238)");
    let accelerator = |id| alias_in("a", "a1234567890abcdef.awsglobalaccelerator.com", id, true, "");
    refused(&[accelerator("Z2FDTNDATAQYW2")], "R53-238");
    read(&[accelerator("Z2BJ6XQ5FK7U4H")]).unwrap();
}

#[test]
fn r53_208_and_214_a_private_zone_has_no_ip_based_record_and_no_alias_to_cloud_front() {
    let refusals = |sets: &[String]| {
        let mut zone = read(sets).unwrap();
        zone.visibility = Visibility::Private;
        super::validate(&zone).map_err(|errors| errors.to_string())
    };
    assert!(refusals(&[cidr("a", "c1", "*")]).unwrap_err().contains("R53-208"));
    assert!(refusals(&[to_cloud_front("Z2FDTNDATAQYW2", false)]).unwrap_err().contains("R53-214"));
    assert_eq!(refusals(&[near(r#""AWSRegion": "eu-west-1""#)]), Ok(()));
}
