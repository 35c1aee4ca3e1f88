use std::path::Path;

use hickory_proto::rr::{Name, RecordType};

use super::super::{Policy, RecordData, Zone, ZoneErrors};
use super::{read, read_cidr_blocks, read_with_notes};

fn zone(text: &str) -> Zone {
    read(Path::new("z.json"), text, None).unwrap()
}

fn errors(text: &str) -> String {
    read(Path::new("z.json"), text, None).unwrap_err().to_string()
}

fn name(text: &str) -> Name {
    Name::from_ascii(text).unwrap()
}

fn values(zone: &Zone, owner: &str, rtype: RecordType) -> Vec<String> {
    match &zone.group(&name(owner), rtype).unwrap().records[0].data {
        RecordData::Values { values, .. } => values.clone(),
        RecordData::Alias(alias) => panic!("{alias:?}"),
    }
}

const APEX: &str = include_str!("../../../drills/zones/multi-region-api.route53.json");
const BATCH: &str = include_str!("../../../drills/zones/chat-api.change-batch.json");

#[test]
fn a_listing_is_read_with_its_apex_from_the_soa() {
    let zone = zone(APEX);
    assert_eq!(zone.apex, name("exemplo.com."));
    assert_eq!(zone.record_sets().count(), 26);
    let resources: Vec<String> = zone.aliases_to_resources().iter().map(ToString::to_string).collect();
    assert_eq!(resources.len(), 5, "{resources:?}");
    assert!(zone.is_resource(&name("s3-website-sa-east-1.amazonaws.com.")));
    assert!(!zone.is_resource(&name("api-geo.exemplo.com.")));
}

#[test]
fn the_a_and_the_aaaa_tree_of_the_ready_zone_are_identical() {
    let zone = zone(APEX);
    for group in zone.groups.values().filter(|group| group.rtype == RecordType::A) {
        let twin = zone.group(&group.name, RecordType::AAAA).unwrap();
        let facts = |group: &super::super::Group| {
            let of = |record: &super::super::RecordSet| {
                (record.set_identifier.clone(), record.policy.clone(), record.data.clone())
            };
            group.records.iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(facts(group), facts(twin));
    }
}

#[test]
fn a_change_batch_is_read_and_a_single_name_stands_in_its_parents_zone() {
    let zone = zone(BATCH);
    assert_eq!(zone.apex, name("example.com."));
    let ids: Vec<String> = zone.health_check_ids().iter().map(ToString::to_string).collect();
    assert_eq!(ids, ["HC-PRIMARY-ID", "HC-STANDBY-ID"]);
    let wrapped = format!("{{\"HostedZoneId\": \"Z1\", \"ChangeBatch\": {BATCH}}}");
    assert_eq!(super::read(Path::new("z.json"), &wrapped, None).unwrap().groups.len(), 1);
}

#[test]
fn a_change_batch_that_swaps_roles_leaves_what_it_creates() {
    let set = |action: &str, id: &str, role: &str, address: &str| {
        format!(
            r#"{{"Action": "{action}", "ResourceRecordSet": {{"Name": "api.example.com", "Type": "A", "TTL": 60,
            "SetIdentifier": "{id}", "Failover": "{role}", "HealthCheckId": "h-{address}",
            "ResourceRecords": [{{"Value": "{address}"}}]}}}}"#
        )
    };
    let batch = [
        set("DELETE", "p", "PRIMARY", "203.0.113.20"),
        set("DELETE", "s", "SECONDARY", "198.51.100.20"),
        set("CREATE", "p", "PRIMARY", "198.51.100.20"),
        set("CREATE", "s", "SECONDARY", "203.0.113.20"),
    ];
    let zone = zone(&format!(r#"{{"Changes": [{}]}}"#, batch.join(",")));
    assert_eq!(values(&zone, "api.example.com.", RecordType::A), ["198.51.100.20"]);
}

#[test]
fn r53_220_a_batch_that_deletes_twice_is_refused() {
    let delete = r#"{"Action": "DELETE", "ResourceRecordSet": {"Name": "a.example.com", "Type": "A", "TTL": 60,
        "ResourceRecords": [{"Value": "192.0.2.1"}]}}"#;
    let text = format!(r#"{{"Changes": [{delete}, {delete}]}}"#);
    assert!(errors(&text).contains("deletes a.example.com. A twice"), "{}", errors(&text));
}

fn listing(sets: &str) -> String {
    format!(r#"{{"ResourceRecordSets": [{sets}]}}"#)
}

fn simple(owner: &str, rtype: &str, value: &str) -> String {
    let value = serde_json::to_string(value).unwrap();
    let owner = serde_json::to_string(owner).unwrap();
    format!(r#"{{"Name": {owner}, "Type": "{rtype}", "TTL": 300, "ResourceRecords": [{{"Value": {value}}}]}}"#)
}

#[test]
fn octal_escapes_make_wildcards_and_names_become_lower_case_and_absolute() {
    let zone = zone(&listing(
        &[simple("\\052.Example.com", "A", "192.0.2.1"), simple("a.example.com.", "A", "192.0.2.2")].join(","),
    ));
    assert_eq!(zone.apex, name("example.com."));
    assert_eq!(values(&zone, "*.example.com.", RecordType::A), ["192.0.2.1"]);
}

#[test]
fn names_inside_values_are_absolute_even_without_their_dot() {
    let sets = [
        simple("c.example.com.", "CNAME", "www.example.net"),
        simple("m.example.com.", "MX", "10 mx.example.net"),
        simple("s.example.com.", "SRV", "1 2 443 host.example.net"),
    ];
    let zone = zone(&listing(&sets.join(",")));
    assert_eq!(values(&zone, "c.example.com.", RecordType::CNAME), ["www.example.net."]);
    assert_eq!(values(&zone, "m.example.com.", RecordType::MX), ["10 mx.example.net."]);
    assert_eq!(values(&zone, "s.example.com.", RecordType::SRV), ["1 2 443 host.example.net."]);
}

#[test]
fn several_strings_of_one_text_record_survive() {
    let zone = zone(&listing(&simple("t.example.com.", "TXT", "\"long part one; \" \"part  two\"")));
    assert_eq!(values(&zone, "t.example.com.", RecordType::TXT), ["\"long part one; \" \"part  two\""]);
}

#[test]
fn the_apex_without_soa_is_the_longest_common_parent() {
    let apex = |names: &[&str]| {
        let sets: Vec<String> = names.iter().map(|name| simple(name, "A", "192.0.2.1")).collect();
        read(Path::new("z.json"), &listing(&sets.join(",")), None).map(|zone| zone.apex.to_string())
    };
    assert_eq!(apex(&["a.example.com", "b.c.example.com"]).unwrap(), "example.com.");
    assert_eq!(apex(&["example.com", "b.example.com"]).unwrap(), "example.com.");
    assert_eq!(apex(&["api.example.com"]).unwrap(), "example.com.");
    assert_eq!(apex(&["example.com"]).unwrap(), "example.com.");
    assert_eq!(
        apex(&["a.example.com", "b.example.org"]).unwrap_err().to_string(),
        "z.json:1:121: names a.example.com. and b.example.org. share no zone; give the zone's apex"
    );
    assert!(apex(&[]).is_err());
}

#[test]
fn r53_244_a_name_outside_the_given_apex_is_refused() {
    let text = listing(&simple("a.example.com.", "A", "192.0.2.1"));
    let error = read(Path::new("z.json"), &text, Some(&name("Example.org."))).unwrap_err().to_string();
    assert_eq!(error, "z.json:1:25: a.example.com. lies outside the zone example.org. (R53-244)");
}

#[test]
fn a_listing_that_is_cut_short_is_refused() {
    let whole = r#"{"ResourceRecordSets": [], "IsTruncated": false, "MaxItems": "100"}"#;
    assert!(read(Path::new("z.json"), whole, Some(&name("example.com."))).is_ok());
    for cut in [r#""IsTruncated": true"#, r#""NextToken": "eyJ""#] {
        let text = format!(r#"{{"ResourceRecordSets": [], {cut}}}"#);
        assert!(errors(&text).starts_with("z.json:1:28: this listing is cut short"), "{}", errors(&text));
    }
}

#[test]
fn what_is_not_known_is_refused_with_its_place_and_the_nearest_name() {
    let text = r#"{"ResourceRecordSets": [
  {"Name": "a.example.com.", "Type": "AAA", "TTl": 60, "HealthCheckID": "x",
   "ResourceRecords": [{"Value": "192.0.2.1"}]}
]}"#;
    insta::assert_snapshot!(errors(text), @r"
    z.json:2:3: `TTL` is missing; expected an `AliasTarget`, or both `TTL` and `ResourceRecords` (R53-235)
    z.json:2:38: record type `AAA` is not known; did you mean `AAAA`?
    z.json:2:45: key `TTl` is not known; did you mean `TTL`?
    z.json:2:56: key `HealthCheckID` is not known; did you mean `HealthCheckId`?
    ");
    assert!(errors(r#"{"Records": []}"#).contains("neither a listing nor a change batch"));
    assert!(errors("{\n  \"ResourceRecordSets\": [,]\n}").starts_with("z.json:2:"));
}

#[test]
fn a_comment_in_the_file_is_refused_with_its_line() {
    assert!(errors("{\n  // no JSON\n  \"Changes\": []\n}").starts_with("z.json:2:"));
}

#[test]
fn a_record_of_a_traffic_policy_is_read_and_noted() {
    let set = simple("tp.example.com.", "A", "203.0.113.13");
    let set = set.replacen('{', r#"{"TrafficPolicyInstanceId": "t-1", "#, 1);
    let (zone, notes) = read_with_notes(Path::new("z.json"), &listing(&set), None).unwrap();
    assert_eq!(values(&zone, "tp.example.com.", RecordType::A), ["203.0.113.13"]);
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0].at.to_string(), "z.json:1:26");
}

#[test]
fn every_policy_is_read() {
    let with = |id: &str, policy: &str| {
        format!(
            r#"{{"Name": "{id}.example.com", "Type": "A", "TTL": 60, "SetIdentifier": "{id}", {policy},
            "HealthCheckId": "h", "ResourceRecords": [{{"Value": "192.0.2.1"}}]}}"#
        )
    };
    let sets = [
        with("w", r#""Weight": 255"#),
        with("l", r#""Region": "sa-east-1""#),
        with("f", r#""Failover": "PRIMARY""#),
        with("g", r#""GeoLocation": {"CountryCode": "US", "SubdivisionCode": "CA"}"#),
        with(
            "p",
            r#""GeoProximityLocation": {"Coordinates": {"Latitude": "48.85", "Longitude": "2.35"}, "Bias": -25}"#,
        ),
        with("m", r#""MultiValueAnswer": true"#),
        with("i", r#""CidrRoutingConfig": {"CollectionId": "c", "LocationName": "*"}"#),
    ];
    let zone = zone(&listing(&sets.join(",")));
    let policies: Vec<&str> = zone.record_sets().map(|record| record.policy.name()).collect();
    assert_eq!(policies, ["failover", "geolocation", "IP-based", "latency", "multivalue", "geoproximity", "weighted"]);
    let near = &zone.group(&name("p.example.com."), RecordType::A).unwrap().records[0].policy;
    assert!(matches!(near, Policy::Geoproximity { bias: -25, .. }));
}

#[test]
fn r53_71_cidr_blocks_are_read_and_checked() {
    let read = |blocks: &str| -> Result<_, ZoneErrors> {
        read_cidr_blocks(Path::new("b.json"), &format!(r#"{{"CidrBlocks": [{blocks}]}}"#))
    };
    let block = |net: &str, location: &str| format!(r#"{{"CidrBlock": "{net}", "LocationName": "{location}"}}"#);
    let collection = read(&[block("203.0.113.0/24", "hq"), block("2001:db8:a::/48", "hq")].join(",")).unwrap();
    assert_eq!(collection["hq"].len(), 2);
    for (bad, text) in [
        (block("203.0.113.0/25", "hq"), "IPv4 /1 to /24"),
        (block("0.0.0.0/0", "hq"), "IPv4 /1 to /24"),
        (block("2001:db8::/49", "hq"), "IPv6 /1 to /48"),
        (block("203.0.113.0/24", "*"), "R53-245"),
        (block("203.0.113.0/24", "a b"), "R53-245"),
        ([block("10.0.0.0/8", "a"), block("10.0.0.0/8", "b")].join(","), "stands twice"),
    ] {
        let error = read(&bad).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    }
}
