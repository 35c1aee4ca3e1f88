use std::collections::BTreeMap;
use std::path::Path;

use hickory_proto::rr::{Name, RecordType};

use crate::formats::{Format, Imported, Options, read};
use crate::health::{CheckProtocol, DefinedEndpoint, DefinedKind};
use crate::source::Position;
use crate::zone::{HealthCheckId, Policy, RecordData, RecordSet, Zone};

/// What the tree of case 12 was pushed from, pools and rules as its record sets have them.
const EDGE: &str = "---
edge:
  type: A
  ttl: 30
  values: [203.0.113.90, 203.0.113.91]
  dynamic:
    pools:
      amer:
        values:
          - { value: 198.51.100.12, status: up }
          - { value: 198.51.100.11, status: down }
          - { value: 198.51.100.10 }
      emea:
        fallback: amer
        values:
          - { value: 203.0.113.10, weight: 3 }
          - { value: 203.0.113.11, weight: 1 }
      zaf:
        fallback: emea
        values:
          - value: 203.0.113.20
    rules:
      - { geos: [AF-ZA], pool: zaf }
      - { geos: [AF, EU], pool: emea }
      - { pool: amer }
";

fn imported(text: &str) -> Imported {
    read(Path::new("example.com.yaml"), text, &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// The record sets without what octoDNS's YAML does not say: places, and the ids of Route 53.
fn nameless(zone: &Zone) -> Vec<RecordSet> {
    let sets = zone.record_sets().cloned().map(|mut set| {
        set.at = Position::default();
        set.health_check = set.health_check.map(|_| HealthCheckId("h".to_owned()));
        if let RecordData::Alias(alias) = &mut set.data {
            alias.hosted_zone_id = "Z".to_owned();
        }
        set
    });
    sets.collect()
}

#[test]
fn pools_and_rules_are_the_tree_that_is_pushed() {
    let pushed = include_str!("../../../tests/cases/12-r53-octodns-tree.json");
    let pushed = read(Path::new("z.json"), pushed, &Options::default()).unwrap();
    let imported = imported(EDGE);
    assert_eq!(imported.format, Format::OctoDns);
    assert_eq!(nameless(&imported.zones[0]), nameless(&pushed.zones[0]));
}

#[test]
fn each_value_has_the_health_check_of_its_status() {
    let checks = imported(EDGE).health_checks;
    let told: BTreeMap<_, _> =
        checks.iter().map(|(id, check)| (id.0.as_str(), (check.status.disabled, check.status.inverted))).collect();
    assert_eq!(told.len(), 5, "{told:?}");
    assert_eq!(told["octodns edge.example.com. A 198.51.100.11 down"], (true, true));
    assert_eq!(told["octodns edge.example.com. A 198.51.100.10"], (false, false));
    let DefinedKind::Endpoint(DefinedEndpoint { name, check, .. }) = &checks.values().next().unwrap().kind else {
        panic!()
    };
    assert_eq!(name.as_deref(), Some("edge.example.com"));
    assert_eq!((check.port, check.interval.as_secs(), check.failure_threshold), (443, 10, 6));
    assert!(matches!(&check.protocol, CheckProtocol::Http { path, tls: Some(_), .. } if path == "/_dns"));
}

#[test]
fn the_health_check_of_a_record_is_as_it_says() {
    let own = "  octodns:\n    healthcheck: { protocol: TCP, port: 5432 }\n    route53:\n      healthcheck: { request_interval: 30, failure_threshold: 2 }\n";
    let checks = imported(&format!("{EDGE}{own}")).health_checks;
    let DefinedKind::Endpoint(DefinedEndpoint { name: None, check, .. }) = &checks.values().next().unwrap().kind else {
        panic!("{checks:?}")
    };
    assert_eq!(check.protocol, CheckProtocol::Tcp);
    assert_eq!((check.port, check.interval.as_secs(), check.failure_threshold), (5432, 30, 2));
}

#[test]
fn records_without_pools_are_read_and_what_is_not_is_told() {
    let text = r#"
'':
  - { type: A, value: 192.0.2.1 }
  - { type: MX, ttl: 60, values: [{ preference: 10, exchange: mail.example.com. }] }
  - { type: TXT, values: ['v=DKIM1\; k=rsa', 'say "x"'] }
  - { type: CAA, value: { flags: 0, tag: issue, value: ca.example.net } }
  - type: Route53Provider/ALIAS
    values:
      - { type: AAAA, name: www, evaluate-target-health: true }
www:
  - { type: AAAA, value: '2001:db8::1' }
  - { type: LOC, value: { lat_degrees: 1 } }
old: { type: CNAME, value: www.example.com., octodns: { ignored: true } }
"#;
    let imported = imported(text);
    let told: Vec<String> = imported.zones[0]
        .record_sets()
        .map(|set| match &set.data {
            RecordData::Values { ttl, values } => format!("{} {} {ttl} {}", set.name, set.rtype, values.join(" | ")),
            RecordData::Alias(alias) => format!("{} {} alias {}", set.name, set.rtype, alias.target),
        })
        .chain(imported.remarks.iter().map(|note| format!("{}: {}", note.at, note.text)))
        .collect();
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn a_zone_is_called_by_its_file_or_by_whoever_asks() {
    let text = "www: { type: A, value: 192.0.2.1 }\n";
    let of = |file: &str, zone: Option<&str>| {
        let options = Options { zone: zone.map(|zone| Name::from_ascii(zone).unwrap()), ..Options::default() };
        read(Path::new(file), text, &options).map(|imported| imported.zones[0].apex.to_string())
    };
    assert_eq!(of("config/example.com..yaml", None).unwrap(), "example.com.");
    assert_eq!(of("-", Some("example.net.")).unwrap(), "example.net.");
    let told = of("zone.yaml", None).unwrap_err().to_string();
    assert!(told.contains("expected the zone's name, with `--zone`"), "{told}");
}

#[test]
fn what_octo_dns_refuses_is_told_with_its_place() {
    let change = |from: &str, to: &str| {
        assert!(EDGE.contains(from), "{from}");
        EDGE.replacen(from, to, 1)
    };
    let table: Vec<String> = [
        change("weight: 3", "weight: 101"),
        change("status: up", "status: maybe"),
        change("- value: 203.0.113.20", "- { value: 203.0.113.20, weight: 2 }"),
        change("fallback: amer", "fallback: apac"),
        change("fallback: amer", "fallback: zaf"),
        change("      - { geos: [AF-ZA], pool: zaf }\n", ""),
        change("      - { pool: amer }\n", ""),
        change("geos: [AF-ZA], pool: zaf", "pool: zaf"),
        change("geos: [AF-ZA], pool", "geos: [EU-FR, EU, EU-DE], pool"),
        change("pool: amer }", "pool: ammer }"),
        change("geos: [AF-ZA]", "geos: [AF-ZA-X-Y]"),
        change("geos: [AF-ZA]", "subnets: [192.0.2.0/24]"),
        change("203.0.113.90", "203.0.113.900"),
        change("dynamic:", "dynamics:"),
    ]
    .into_iter()
    .map(|text| read(Path::new("example.com.yaml"), &text, &Options::default()).unwrap_err().to_string())
    .collect();
    insta::assert_snapshot!(table.join("\n\n"));
}

#[test]
fn rules_by_subnet_are_a_cidr_collection_of_octodns_own() {
    let text = "
edge:
  type: A
  ttl: 30
  values: [203.0.113.90]
  dynamic:
    pools:
      amer: { values: [{ value: 198.51.100.9 }] }
      home: { values: [{ value: 198.51.100.10 }] }
    rules:
      - { subnets: [192.168.0.0/16, 10.0.0.0/8], pool: home }
      - { pool: amer }
";
    let zone = &imported(text).zones[0];
    let own = zone.group(&Name::from_ascii("edge.example.com.").unwrap(), RecordType::A).unwrap();
    let told: Vec<_> =
        own.records.iter().map(|set| (set.set_identifier.as_deref().unwrap(), set.policy.clone())).collect();
    // The name is what octodns-route53 1.3.1 gives to these two subnets.
    let by_ip = |location: &str| Policy::IpBased { collection: "octodns".to_owned(), location: location.to_owned() };
    assert_eq!(told, [("0-home-subnet", by_ip("d396e9248fe5fb59")), ("1-amer-subnet", by_ip("*"))]);
    let blocks: Vec<_> = zone.cidr_collections["octodns"]["d396e9248fe5fb59"].iter().map(ToString::to_string).collect();
    assert_eq!(blocks, ["10.0.0.0/8", "192.168.0.0/16"]);
}

#[test]
fn subnets_that_octodns_refuses_are_told_with_their_place() {
    let rules = |rules: &str| {
        let pools = "{ a: { values: [{ value: 192.0.2.1 }] }, b: { values: [{ value: 192.0.2.2 }] }, c: { values: [{ value: 192.0.2.3 }] } }";
        let text = format!("e:\n  type: A\n  values: [192.0.2.9]\n  dynamic:\n    pools: {pools}\n    rules:\n{rules}");
        let told = read(Path::new("example.com.yaml"), &text, &Options::default()).unwrap_err().to_string();
        format!("{rules}=> {}\n", told.replace('\n', "\n   "))
    };
    let last = "      - { pool: c }\n";
    let table = [
        rules(&format!("      - {{ subnets: [10.0.0.0/8], pool: a }}\n      - {{ geos: [EU], pool: b }}\n{last}")),
        rules(&format!(
            "      - {{ subnets: [10.0.0.0/8], pool: a }}\n      - {{ subnets: [10.1.0.0/16], pool: b }}\n{last}"
        )),
        rules(&format!(
            "      - {{ subnets: [10.0.0.1/8, x], pool: a }}\n      - {{ subnets: [\"2001:db8::/32\"], pool: b }}\n{last}"
        )),
        rules(&format!("      - {{ geos: [AF-ZA, AF], pool: a }}\n      - {{ geos: [EU], pool: b }}\n{last}")),
    ];
    insta::assert_snapshot!(table.join("\n"));
}

#[test]
fn ipv6_values_are_counted_in_the_order_of_their_shortest_form() {
    let text = "
v6:
  type: AAAA
  values: ['2001:db8:0:0::90']
  dynamic:
    pools:
      one: { values: [{ value: '2001:db8::1' }, { value: '2001:db8:0:0::2' }] }
    rules: [{ pool: one }]
";
    let zone = &imported(text).zones[0];
    let told: BTreeMap<_, _> = zone
        .record_sets()
        .filter_map(|set| match &set.data {
            RecordData::Values { values, .. } => {
                Some((set.set_identifier.clone().unwrap_or_default(), values.join(" ")))
            }
            RecordData::Alias(_) => None,
        })
        .collect();
    let expected = [("", "2001:db8::90"), ("one-000", "2001:db8::1"), ("one-001", "2001:db8::2")];
    assert_eq!(told, expected.into_iter().map(|(id, value)| (id.to_owned(), value.to_owned())).collect());
}

#[test]
fn a_host_that_is_there_and_empty_is_the_value_itself() {
    for (host, expected) in [
        ("", "edge.example.com"),
        ("  octodns: { healthcheck: { host: ~ } }\n", "198.51.100.10"),
        ("  octodns: { healthcheck: { host: h.example.net } }\n", "h.example.net"),
    ] {
        let checks = imported(&format!("{EDGE}{host}")).health_checks;
        let check = &checks[&HealthCheckId("octodns edge.example.com. A 198.51.100.10".to_owned())];
        let DefinedKind::Endpoint(DefinedEndpoint { check, .. }) = &check.kind else { panic!() };
        assert!(
            matches!(&check.protocol, CheckProtocol::Http { host: Some(host), .. } if host == expected),
            "{check:?}"
        );
    }
}

#[test]
fn no_piece_of_a_long_text_ends_within_an_escape() {
    let long = format!("{}\"{}", "a".repeat(254), "b".repeat(300));
    let zone = &imported(&format!("t: {{ type: TXT, value: '{long}' }}\n")).zones[0];
    let RecordData::Values { values, .. } = &zone.record_sets().next().unwrap().data else { panic!() };
    let expected = format!("\"{}\" \"\\\"{}\" \"{}\"", "a".repeat(254), "b".repeat(253), "b".repeat(47));
    assert_eq!(*values, [expected]);
}
