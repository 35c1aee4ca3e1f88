use std::path::Path;

use crate::formats::{Format, Imported, Options, muster, read, read_zone};
use crate::source::Position;
use crate::zone::cloud_dns::{CloudDnsData, CloudDnsZone, GeoPolicy, Target};

const LISTING: &str = include_str!("../../../tests/cases/31-gdns-primary-backup.json");
const PLAN: &str = include_str!("../../../tests/cases/29-tf-plan-google.json");

fn imported(text: &str) -> Imported {
    read(Path::new("x.json"), text, &Options::default()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn data<'z>(zone: &'z CloudDnsZone, owner: &str) -> &'z CloudDnsData {
    &zone.record_sets.iter().find(|set| set.name.to_string() == owner).unwrap().data
}

fn placeless(zone: &CloudDnsZone) -> CloudDnsZone {
    let mut zone = zone.clone();
    for set in &mut zone.record_sets {
        set.at = Position::default();
    }
    zone
}

#[test]
fn a_primary_with_a_backup_is_read_with_its_trickle() {
    let imported = imported(LISTING);
    assert_eq!(imported.format, Format::CloudDns);
    let zone = &imported.cloud_dns[0];
    assert_eq!(zone.apex.to_string(), "example.com.");
    let CloudDnsData::PrimaryBackup { primary, backup, trickle } = data(zone, "db.example.com.") else { panic!() };
    assert_eq!(primary.iter().map(Target::address).collect::<Vec<_>>(), ["203.0.113.11", "203.0.113.12"]);
    assert!((trickle - 0.2).abs() < 1e-9);
    let GeoPolicy { fenced: false, items } = backup else { panic!("{backup:?}") };
    assert_eq!(items[0].answers.checked[0].address(), "198.51.100.11");
    assert_eq!(items[1].answers.values, ["198.51.100.12"]);
    let CloudDnsData::PrimaryBackup { trickle, .. } = data(zone, "notrickle.example.com.") else { panic!() };
    assert!(trickle.abs() < 1e-9);
}

#[test]
fn a_plan_with_blocks_of_one_is_the_same_policies_and_what_it_leaves_open_is_named() {
    let imported = imported(PLAN);
    assert!(imported.zones.is_empty());
    let zone = &imported.cloud_dns[0];
    let CloudDnsData::Geo(GeoPolicy { fenced: false, items }) = data(zone, "geo.example.com.") else { panic!() };
    let places: Vec<_> = items.iter().map(|item| (item.location.as_str(), item.answers.checked.len())).collect();
    assert_eq!(places, [("us-east1", 2), ("europe-west1", 1)]);
    let CloudDnsData::Weighted(items) = data(zone, "wrr.example.com.") else { panic!() };
    assert_eq!(items.iter().map(|item| item.weight.to_string()).collect::<Vec<_>>(), ["0", "1"]);
    assert_eq!(*data(zone, "plain.example.com."), CloudDnsData::Plain(vec!["203.0.113.5".to_owned()]));
    let unknown: Vec<String> = imported.unknown().into_iter().map(|unknown| unknown.name).collect();
    let way = "routing_policy.0.primary_backup.0.primary.0.internal_load_balancers.0.ip_address";
    assert_eq!(unknown, [format!("unknown:google_dns_record_set.pb.{way}")]);
    let check = zone.record_sets.iter().find_map(|set| set.health_check.as_deref());
    assert_eq!(check, Some("projects/p-0000/global/healthChecks/hc"));
}

#[test]
fn either_is_the_same_after_it_was_written_as_muster_s_own_yaml() {
    for text in [LISTING, PLAN] {
        let zone = imported(text).cloud_dns.remove(0);
        let yaml = muster::write_cloud_dns(&zone, &["from a test".to_owned()]).unwrap();
        let again = imported(&yaml);
        assert_eq!(again.format, Format::Muster);
        assert_eq!(placeless(&again.cloud_dns[0]), placeless(&zone), "{yaml}");
    }
}

#[test]
fn nothing_is_made_to_look_like_route_53() {
    let told = read_zone(Path::new("x.json"), LISTING, None).unwrap_err().to_string();
    insta::assert_snapshot!(told, @"x.json: example.com. is a zone of Cloud DNS; expected one of Route 53: nothing answers as Cloud DNS yet");
}

#[test]
fn what_cloud_dns_refuses_is_told_with_its_place() {
    let set = |rest: &str| format!(r#"[{{"name": "a.example.com.", "type": "A", "ttl": 30, {rest}}}]"#);
    let geo = |items: &str| set(&format!(r#""routingPolicy": {{"geo": {{"items": [{items}]}}}}"#));
    let item = r#"{"location": "us-east1", "rrdatas": ["192.0.2.1"]}"#;
    let table: Vec<String> = [
        set(r#""rrdatas": ["192.0.2.1"], "routingPolicy": {"wrr": {"items": []}}"#),
        set(r#""routingPolicy": {"wrr": {"items": []}, "geo": {"items": []}}"#),
        set(r#""routingPolicy": {"nearest": {}}"#),
        set(r#""routingPolicy": {"wrr": {"items": [{"weight": 1001, "rrdatas": ["192.0.2.1"]}]}}"#),
        set(r#""routingPolicy": {"wrr": {"items": [{"weight": "1", "rrdatas": ["192.0.2.x"]}]}}"#),
        geo(&format!("{item}, {item}")),
        geo(r#"{"location": "us-east1"}"#),
        set(&format!(
            r#""routingPolicy": {{"primaryBackup": {{"primaryTargets": {{}}, "backupGeoTargets": {{"items": [{item}]}}, "trickleTraffic": 2}}}}"#
        )),
        set(r#""routingPolicy": {"primaryBackup": {"primaryTargets": {"externalEndpoints": ["192.0.2.1"]}}}"#),
        set(r#""rrdatas": ["192.0.2.1"]"#).replace("}]", r#"}, {"name": "a.example.com.", "type": "A", "ttl": 30, "rrdatas": ["192.0.2.2"]}]"#),
    ]
    .into_iter()
    .map(|text| read(Path::new("x.json"), &text, &Options::default()).unwrap_err().to_string())
    .collect();
    insta::assert_snapshot!(table.join("\n\n"));
}

#[test]
fn policies_without_items_and_targets_that_do_not_go_together_are_refused() {
    let balancer = r#"{"ipAddress": "192.0.2.1", "ipProtocol": "tcp"}"#;
    let both = format!(r#"{{"externalEndpoints": ["192.0.2.2"], "internalLoadBalancers": [{balancer}]}}"#);
    let backup = |items: &str, primary: &str| {
        format!(r#"{{"primaryBackup": {{"primaryTargets": {primary}, "backupGeoTargets": {{"items": [{items}]}}}}}}"#)
    };
    let plain = r#"{"location": "us-east1", "rrdatas": ["192.0.2.1"]}"#;
    let checked =
        |targets: &str| format!(r#"{{"geo": {{"items": [{{"location": "a", "healthCheckedTargets": {targets}}}]}}}}"#);
    let one = r#"{"externalEndpoints": ["192.0.2.2"]}"#;
    let name = r#"{"externalEndpoints": ["b.example.net."]}"#;
    for (rtype, policy, expected) in [
        ("A", r#"{"wrr": {"items": []}}"#.to_owned(), "a policy of a.example.com. A has no items"),
        ("A", r#"{"geo": {"items": []}}"#.to_owned(), "a policy of a.example.com. A has no items"),
        ("A", backup("", one), "a policy of a.example.com. A has no items"),
        ("A", checked(&both), "both load balancers and external endpoints"),
        ("A", backup(plain, &both), "both load balancers and external endpoints"),
        ("CNAME", checked(name), "expected them for A and AAAA alone"),
    ] {
        let text =
            format!(r#"[{{"name": "a.example.com.", "type": "{rtype}", "ttl": 30, "routingPolicy": {policy}}}]"#);
        let told = read(Path::new("x.json"), &text, &Options::default()).unwrap_err().to_string();
        assert!(told.contains(expected), "{text}: {told}");
    }
    for policy in [checked(one), backup(plain, one)] {
        let text = format!(r#"[{{"name": "a.example.com.", "type": "A", "ttl": 30, "routingPolicy": {policy}}}]"#);
        imported(&text);
    }
}
