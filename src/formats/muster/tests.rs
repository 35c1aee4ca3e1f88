use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use hickory_proto::rr::{Name, RecordType};
use proptest::prelude::*;

use super::write;
use crate::formats::{Format, Imported, Options, read};
use crate::health::{
    CalculatedCheck, CheckProtocol, DefinedEndpoint, DefinedKind, EndpointAddress, EndpointCheck,
    HealthCheckDefinition, InsufficientData, StatusSettings, Tls,
};
use crate::source::Position;
use crate::zone::{
    Alias, FailoverRole, GeoLocation, GeoproximityOrigin, HealthCheckId, Policy, RecordData, RecordSet, Visibility,
    Zone, unknown_name,
};

fn imported(text: &str) -> Imported {
    read(Path::new("z.yaml"), text, &Options::default()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Without the places, which are others after it was written.
fn placeless(mut imported: Imported) -> (Vec<Zone>, BTreeMap<HealthCheckId, HealthCheckDefinition>) {
    for record in
        imported.zones.iter_mut().flat_map(|zone| zone.groups.values_mut()).flat_map(|group| &mut group.records)
    {
        record.at = Position::default();
    }
    for check in imported.health_checks.values_mut() {
        check.at = Position::default();
    }
    (imported.zones, imported.health_checks)
}

#[test]
fn a_zone_with_comments_is_read() {
    let text = "# ours\nzone: example.com # the apex\nrecord-sets:\n  - name: WWW.example.com\n    type: A\n    ttl: 60\n    \
                resource-records: [192.0.2.1] # one\n";
    let imported = imported(text);
    assert_eq!(imported.format, Format::Muster);
    let record = imported.zones[0].record_sets().next().unwrap();
    assert_eq!((record.name.to_string().as_str(), record.at.line), ("www.example.com.", 4));
}

#[test]
fn every_case_that_can_be_read_is_the_same_after_it_was_written() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut seen = 0;
    for entry in std::fs::read_dir(cases).unwrap() {
        let path = entry.unwrap().path();
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let Ok(first) = read(&path, &text, &Options::default()) else { continue };
        if first.zones.len() > 1 {
            continue;
        }
        let written = write(first.zones.first(), &first.health_checks, &[]).unwrap();
        // CIDR collections come from a file of their own.
        let again = imported(&written);
        assert_eq!(placeless(again), placeless(first), "{}\n{written}", path.display());
        seen += 1;
    }
    assert!(seen > 10, "{seen}");
}

#[test]
fn what_is_written_reads_well() {
    let plan = include_str!("../../../tests/cases/26-tf-plan-module-index.json");
    let imported = read(Path::new("plan.json"), plan, &Options::default()).unwrap();
    let checks = include_str!("../../../tests/cases/19-hc-mixed.json");
    let checks = read(Path::new("hc.json"), checks, &Options::default()).unwrap().health_checks;
    let preface = ["Made by `muster import` from plan.json (terraform)".to_owned()];
    insta::assert_snapshot!(write(imported.zones.first(), &checks, &preface).unwrap());
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let zone = |rest: &str| format!("zone: example.com\nrecord-sets:\n  - name: a.example.com\n    {rest}\n");
    let table: Vec<String> = [
        zone("type: A\n    ttl: 60\n    values: [192.0.2.1]"),
        zone("type: A\n    ttl: 60s\n    resource-records: [192.0.2.1]"),
        zone("type: A\n    ttl: 60\n    resource-records: [192.0.2.1]\n    weigth: 3"),
        zone("type: A\n    ttl: 60\n    resource-records: [192.0.2.1]\n    weight: 3"),
        zone("type: A\n    set-identifier: 7\n    weight: 3\n    ttl: 60\n    resource-records: [192.0.2.256]"),
        zone("type: A\n    alias-target: { dns-name: b.example.com, hosted-zone-id: Z1 }"),
        "record-sets: []\n".to_owned(),
        "zone: example.com\nvisibility: secret\nrecord-sets: []\n".to_owned(),
        "health-checks:\n  a: { type: TCP, ip-address: 192.0.2.1 }\n".to_owned(),
    ]
    .into_iter()
    .map(|text| {
        let told = read(Path::new("z.yaml"), &text, &Options::default()).unwrap_err().to_string();
        format!("{text}=> {}\n", told.replace('\n', "\n   "))
    })
    .collect();
    insta::assert_snapshot!(table.join("\n"));
}

fn word() -> impl Strategy<Value = String> {
    // What YAML could take for something else is among it.
    prop_oneof![
        "[ -~äß€]{1,40}",
        Just("null".to_owned()),
        Just("~".to_owned()),
        Just("1e3".to_owned()),
        Just("no".to_owned())
    ]
}

fn name(text: &str) -> Name {
    Name::from_ascii(text).unwrap()
}

/// The policies of one group, each with an identifier of its own, and whether its values may be an alias.
fn policies() -> impl Strategy<Value = Vec<Policy>> {
    let geo = || {
        vec![
            GeoLocation::Default,
            GeoLocation::Continent("EU".to_owned()),
            GeoLocation::Country("NO".to_owned()),
            GeoLocation::Subdivision { country: "US".to_owned(), subdivision: "CA".to_owned() },
        ]
    };
    let ip = |location: &str| Policy::IpBased { collection: "c".to_owned(), location: location.to_owned() };
    let near = |origin, bias| Policy::Geoproximity { origin, bias };
    prop_oneof![
        Just(vec![Policy::Simple]),
        Just(vec![Policy::Multivalue, Policy::Multivalue]),
        Just(vec![Policy::Failover(FailoverRole::Primary), Policy::Failover(FailoverRole::Secondary)]),
        proptest::collection::vec(any::<u8>().prop_map(Policy::Weighted), 1..4),
        Just(vec![Policy::Latency("eu-west-1".to_owned()), Policy::Latency("us-east-1".to_owned())]),
        Just(geo().into_iter().map(Policy::Geolocation).collect()),
        Just(vec![ip("*"), ip("home")]),
        (-99_i8..=99, -9000_i32..=9000, -18000_i32..=18000).prop_map(move |(bias, latitude, longitude)| vec![
            near(GeoproximityOrigin::Region("eu-west-1".to_owned()), bias),
            near(
                GeoproximityOrigin::Coordinates {
                    latitude: f64::from(latitude) / 100.0,
                    longitude: f64::from(longitude) / 100.0
                },
                0
            ),
        ]),
    ]
}

fn groups() -> impl Strategy<Value = Vec<RecordSet>> {
    let data = prop_oneof![
        (0_u32..=2_147_483_647, any::<std::net::Ipv4Addr>())
            .prop_map(|(ttl, address)| RecordData::Values { ttl, values: vec![address.to_string()] }),
        (any::<bool>(), any::<bool>()).prop_map(|(known, evaluate_target_health)| RecordData::Alias(Alias {
            target: if known {
                name("lb.example.net.")
            } else {
                unknown_name("unknown:m[\"a.b\"].aws_lb.x.dns_name").unwrap()
            },
            hosted_zone_id: "Z1".to_owned(),
            evaluate_target_health,
        })),
    ];
    let group = (policies(), data, word(), word());
    proptest::collection::vec(group, 1..5).prop_map(|groups| {
        let mut records = Vec::new();
        for (number, (policies, data, identifier, check)) in groups.into_iter().enumerate() {
            for (place, policy) in policies.into_iter().enumerate() {
                let simple = policy == Policy::Simple;
                // Route 53 takes no alias that is multivalue.
                let data = match &data {
                    RecordData::Alias(_) if policy == Policy::Multivalue => {
                        RecordData::Values { ttl: 1, values: vec!["192.0.2.1".to_owned()] }
                    }
                    other => other.clone(),
                };
                records.push(RecordSet {
                    name: name(&format!("g{number}.example.com.")),
                    rtype: RecordType::A,
                    set_identifier: (!simple).then(|| format!("{place}{identifier}")),
                    policy,
                    health_check: (!simple).then(|| HealthCheckId(check.clone())),
                    data,
                    at: Position::default(),
                });
            }
        }
        records.push(RecordSet {
            name: name("*.example.com."),
            rtype: RecordType::TXT,
            set_identifier: None,
            policy: Policy::Simple,
            health_check: None,
            data: RecordData::Values { ttl: 0, values: vec!["\"a: #b\" \"'c\"".to_owned()] },
            at: Position::default(),
        });
        records
    })
}

fn zone() -> impl Strategy<Value = Zone> {
    (groups(), any::<bool>(), any::<bool>()).prop_map(|(records, signed, private)| {
        let ip_based = records.iter().any(|record| matches!(record.policy, Policy::IpBased { .. }));
        let visibility = if private && !ip_based { Visibility::Private } else { Visibility::Public };
        let collection = BTreeMap::from([("home".to_owned(), vec!["192.0.2.0/24".parse().unwrap()])]);
        let cidr_collections = BTreeMap::from([("c".to_owned(), collection)]);
        Zone { cidr_collections, visibility, signed, ..Zone::of(name("example.com."), records) }
    })
}

fn kind() -> impl Strategy<Value = DefinedKind> {
    let host = || proptest::option::of(Just("www.example.com".to_owned()));
    let address = prop_oneof![
        any::<std::net::IpAddr>().prop_map(EndpointAddress::Ip),
        Just(EndpointAddress::Unknown("unknown:aws_eip.x.public_ip".to_owned())),
    ];
    let http = ("/[a-z?=]{0,20}", proptest::option::of(any::<bool>()), proptest::option::of(word()));
    let protocol = proptest::option::of(http);
    prop_oneof![
        (address, host(), protocol, 1_u16.., any::<bool>(), 1_u32..=10, any::<bool>()).prop_map(
            |(address, name, protocol, port, fast, failure_threshold, regions)| {
                let protocol = protocol.map_or(CheckProtocol::Tcp, |(path, tls, search)| CheckProtocol::Http {
                    path,
                    host: name.clone(),
                    tls: tls.map(|sni| Tls { sni }),
                    search,
                });
                let interval = Duration::from_secs(if fast { 10 } else { 30 });
                let check = EndpointCheck { protocol, port, interval, failure_threshold };
                let regions = if regions { vec!["eu-west-1".to_owned()] } else { Vec::new() };
                DefinedKind::Endpoint(DefinedEndpoint { address: Some(address), name, check, regions })
            }
        ),
        any::<u32>().prop_map(|healthy_threshold| DefinedKind::Calculated(CalculatedCheck {
            children: Vec::new(),
            healthy_threshold
        })),
        (word(), word()).prop_map(|(region, name)| DefinedKind::Alarm {
            region,
            name,
            insufficient_data: InsufficientData::LastKnownStatus
        }),
        word().prop_map(|arn| DefinedKind::RoutingControl { arn }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_zone_is_the_same_after_it_was_written(
        zone in zone(),
        checks in proptest::collection::btree_map(word(), (kind(), any::<bool>(), any::<bool>()), 0..5),
    ) {
        let checks: BTreeMap<_, _> = checks.into_iter().map(|(id, (kind, inverted, disabled))| {
            let status = StatusSettings { inverted, disabled };
            (HealthCheckId(id), HealthCheckDefinition { status, kind, at: Position::default() })
        }).collect();
        let text = write(Some(&zone), &checks, &["from a test".to_owned()]).unwrap();
        let again = read(Path::new("z.yaml"), &text, &Options::default());
        let again = again.map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(placeless(again), (vec![zone], checks), "{}", text);
    }
}
