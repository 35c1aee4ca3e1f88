use std::path::Path;

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use super::{Format, Options, read};
use crate::health::DefinedKind;

fn errors(text: &str) -> String {
    read(Path::new("x"), text, &Options::default()).unwrap_err().to_string()
}

#[test]
fn every_format_is_recognised_from_its_content_alone() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    for (file, format) in [
        ("12-r53-octodns-tree.json", Format::Route53),
        ("23-cb-swap-roles.json", Format::Route53),
        ("19-hc-mixed.json", Format::Route53HealthChecks),
        ("26-tf-plan-module-index.json", Format::Terraform),
        ("27-tf-state-show.json", Format::Terraform),
        ("27-tf-state-raw-v1weight.json", Format::TerraformState),
    ] {
        let text = std::fs::read_to_string(cases.join(file)).unwrap();
        assert_eq!(read(Path::new(file), &text, &Options::default()).unwrap().format, format, "{file}");
    }
}

#[test]
fn what_is_of_no_format_is_told_with_each_that_was_tried() {
    insta::assert_snapshot!(errors("hello: world\n"));
}

#[test]
fn a_format_that_is_forced_is_the_only_one_that_is_tried() {
    let options = Options { format: Some(Format::Route53), ..Options::default() };
    let told = read(Path::new("x"), "{\"HealthChecks\": []}", &options).unwrap_err().to_string();
    assert!(told.contains("this is neither a listing nor a change batch"), "{told}");
    assert_eq!("terraform-state".parse(), Ok(Format::TerraformState));
    let told = "teraform".parse::<Format>().unwrap_err();
    assert!(told.ends_with("did you mean `terraform`?"), "{told}");
}

#[test]
fn what_is_broken_or_nested_too_deep_is_told_with_its_place() {
    let deep_json = format!("{{\"ResourceRecordSets\": {}", "[".repeat(100_000));
    let deep_yaml = format!("zone: {}", "[".repeat(100_000));
    let deeper_yaml = format!("zone:\n{}", "- ".repeat(100_000));
    let table: Vec<String> = [
        ("nothing", ""),
        ("broken JSON", "{\"ResourceRecordSets\": [}"),
        ("cut JSON", "{\"ResourceRecordSets\": ["),
        ("broken YAML", "zone: [a\nb: c\n"),
        ("a key twice", "zone: a\nzone: b\n"),
        ("deep JSON", &deep_json),
        ("deep YAML", &deep_yaml),
        ("deep YAML, without brackets", &deeper_yaml),
        ("an alias bomb", "a: &a [x, x]\nb: [*a, *a]\n"),
    ]
    .into_iter()
    .map(|(what, text)| format!("{what}: {}", errors(text)))
    .collect();
    insta::assert_snapshot!(table.join("\n"));
}

#[test]
fn pages_of_a_listing_are_one_listing() {
    let set = |name: &str| {
        format!(r#"{{"Name": "{name}", "Type": "A", "TTL": 60, "ResourceRecords": [{{"Value": "192.0.2.1"}}]}}"#)
    };
    let page = |name: &str, more: &str| format!(r#"{{"ResourceRecordSets": [{}]{more}}}"#, set(name));
    let more = r#", "IsTruncated": true, "NextRecordName": "b.example.com.", "NextRecordType": "A", "MaxItems": "1""#;
    let pages = format!("[{}, {}]", page("a.example.com.", more), page("b.example.com.", ""));
    let imported = read(Path::new("x"), &pages, &Options::default()).unwrap();
    assert_eq!(imported.zones[0].groups.len(), 2);
    let cut = format!("[{}, {}]", page("a.example.com.", ""), page("b.example.com.", more));
    assert!(errors(&cut).contains("this listing is cut short"), "{}", errors(&cut));
}

#[test]
fn health_checks_of_every_kind_are_read_and_keep_what_is_not_theirs_unset() {
    let text = include_str!("../../tests/cases/19-hc-mixed.json");
    let checks = read(Path::new("x"), text, &Options::default()).unwrap().health_checks;
    assert_eq!(checks.len(), 8);
    let of = |end: &str| checks.iter().find(|(id, _)| id.0.ends_with(end)).unwrap().1;
    assert!(of("a5").status.disabled && of("a5").status.inverted);
    assert!(of("c1").is_calculated());
    assert!(
        matches!(&of("d1").kind, DefinedKind::Alarm { region, name, .. } if region == "us-east-1" && name == "svc-errors")
    );
    assert!(
        matches!(&of("e1").kind, DefinedKind::RoutingControl { arn } if arn.ends_with("/routingcontrol/0000000000000001"))
    );
}

#[test]
fn a_health_check_that_route_53_would_refuse_is_told() {
    let check = |config: &str| format!(r#"{{"HealthChecks": [{{"Id": "h", "HealthCheckConfig": {{{config}}}}}]}}"#);
    let table: Vec<String> = [
        r#""Type": "HTTP""#,
        r#""Type": "PING", "IPAddress": "192.0.2.1""#,
        r#""Type": "TCP", "IPAddress": "192.0.2.1""#,
        r#""Type": "TCP", "IPAddress": "192.0.2.1", "Port": 65536"#,
        r#""Type": "TCP", "IPAddress": "192.0.2.1", "Port": 80, "RequestInterval": 20"#,
        r#""Type": "HTTP", "IPAddress": "192.0.2.1", "SearchString": "ok""#,
        r#""Type": "HTTP_STR_MATCH", "IPAddress": "192.0.2.1""#,
        r#""Type": "CALCULATED", "ChildHealthChecks": ["nobody"], "HealthThreshold": 1"#,
        r#""Type": "CLOUDWATCH_METRIC", "AlarmIdentifier": {"Name": "a"}, "InsufficientDataHealthStatus": "Sick""#,
    ]
    .into_iter()
    .map(|config| format!("{config}\n    {}", errors(&check(config)).replace('\n', "\n    ")))
    .collect();
    insta::assert_snapshot!(table.join("\n"));
}

/// A file of each format.
const FILES: [&str; 8] = [
    include_str!("../../tests/cases/12-r53-octodns-tree.json"),
    include_str!("../../tests/cases/23-cb-swap-roles.json"),
    include_str!("../../tests/cases/19-hc-mixed.json"),
    include_str!("../../tests/cases/26-tf-plan-module-index.json"),
    include_str!("../../tests/cases/27-tf-state-show.json"),
    include_str!("../../tests/cases/27-tf-state-raw-v1weight.json"),
    include_str!("../../tests/cases/29-tf-plan-google.json"),
    include_str!("../../tests/cases/31-gdns-primary-backup.json"),
];

const POOLS: &str = "{\"www\": {\"type\": \"A\", \"ttl\": 30, \"values\": [\"192.0.2.1\"], \"dynamic\": {\"pools\": {\"a\": \
    {\"values\": [{\"value\": \"192.0.2.2\", \"weight\": 1, \"status\": \"up\"}]}}, \"rules\": [{\"geos\": [\"EU\"], \"pool\": \
    \"a\"}, {\"pool\": \"a\"}]}, \"octodns\": {\"healthcheck\": {\"port\": 80, \"protocol\": \"HTTP\"}}}}";

/// The texts of [`FILES`], pools of octoDNS, and each as muster's own YAML.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = FILES.iter().map(ToString::to_string).collect();
    texts.push(POOLS.to_owned());
    let own: Vec<String> = FILES
        .iter()
        .filter_map(|text| {
            let imported = read(Path::new("x"), text, &Options::default()).ok()?;
            match imported.cloud_dns.first() {
                Some(zone) => super::muster::write_cloud_dns(zone, &[]).ok(),
                None => super::muster::write(imported.zones.first(), &imported.health_checks, &[]).ok(),
            }
        })
        .collect();
    assert_eq!(own.len(), FILES.len());
    texts.extend(own);
    texts
}

/// Reads it as whatever it is, and as every format it may be forced to be; what comes of it does not matter here.
fn read_anyhow(text: &str) {
    for format in Format::all().map(Some).chain([None]) {
        let zone = Some(hickory_proto::rr::Name::from_ascii("example.com.").unwrap());
        for zone in [zone, None] {
            let _ = read(Path::new("x"), text, &Options { format, zone, ..Options::default() });
        }
    }
}

/// The ways to every value of a document.
fn ways(value: &Value, way: &str, all: &mut Vec<String>) {
    all.push(way.to_owned());
    match value {
        Value::Array(list) => list.iter().enumerate().for_each(|(at, value)| ways(value, &format!("{way}/{at}"), all)),
        Value::Object(object) => {
            for (key, value) in object {
                ways(value, &format!("{way}/{}", key.replace('~', "~0").replace('/', "~1")), all);
            }
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_text_that_is_cut_or_changed_anywhere_is_read_or_told(
        which in any::<Index>(), at in any::<Index>(), length in 0_usize..4, put in "[\\[\\]{}:,\" \n#&*!é0-9a-]{0,3}", cut in any::<bool>(),
    ) {
        let texts = texts();
        let chars: Vec<char> = texts[which.index(texts.len())].chars().collect();
        let at = at.index(chars.len());
        let rest = if cut { chars.len() } else { (at + length).min(chars.len()) };
        let text: String = chars[..at].iter().copied().chain(put.chars()).chain(chars[rest..].iter().copied()).collect();
        read_anyhow(&text);
    }

    #[test]
    fn a_value_of_another_kind_anywhere_is_read_or_told(which in any::<Index>(), at in any::<Index>(), kind in 0_usize..9) {
        let texts = texts();
        let text = &texts[which.index(texts.len())];
        let mut value: Value = serde_yaml::from_str(text).unwrap();
        let mut all = Vec::new();
        ways(&value, "", &mut all);
        let kinds = [json!(null), json!(true), json!(-1), json!(1.5), json!(""), json!("unknown:x..y"), json!([]), json!([[]]), json!({"": {}})];
        *value.pointer_mut(&all[at.index(all.len())]).unwrap() = kinds[kind].clone();
        read_anyhow(&value.to_string());
    }
}
