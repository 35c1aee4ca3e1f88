//! A small zone, and a lab around it, for the tests of DNS nodes.

use std::net::IpAddr;
use std::sync::Arc;

use hickory_proto::rr::{Name, RecordType};

use crate::decide::{Switches, Viewpoint};
use crate::source::Position;
use crate::zone::{Alias, FailoverRole, GeoLocation, HealthCheckId, Policy, RecordData, RecordSet, Zone};

use super::{AuthoritativeSettings, CellNames, Location, LocationMap, NameServer};

pub(crate) const PRIMARY: &str = "203.0.113.1";
pub(crate) const SECONDARY: &str = "203.0.113.2";
pub(crate) const GERMAN: &str = "203.0.113.49";
pub(crate) const BRAZILIAN: &str = "203.0.113.55";
pub(crate) const ELSEWHERE: &str = "203.0.113.99";
pub(crate) const LOAD_BALANCER: &str = "lb-1.us-east-1.elb.amazonaws.com.";

pub(crate) fn name(text: &str) -> Name {
    Name::from_ascii(text).unwrap()
}

pub(crate) fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

pub(crate) fn check(id: &str) -> HealthCheckId {
    HealthCheckId(id.to_owned())
}

fn record(owner: &str, rtype: RecordType, policy: Policy, data: RecordData) -> RecordSet {
    let set_identifier = (policy != Policy::Simple).then(|| format!("{policy:?}"));
    let at = Position::default();
    RecordSet { name: name(owner), rtype, set_identifier, policy, health_check: None, data, at }
}

fn values(ttl: u32, values: &[&str]) -> RecordData {
    RecordData::Values { ttl, values: values.iter().map(|&value| value.to_owned()).collect() }
}

fn alias(target: &str) -> RecordData {
    let target = name(target);
    RecordData::Alias(Alias { target, hosted_zone_id: "Z1".to_owned(), evaluate_target_health: true })
}

fn simple(owner: &str, rtype: RecordType, data: RecordData) -> RecordSet {
    record(owner, rtype, Policy::Simple, data)
}

/// `www`: a failover pair under checks `p` and `s`. `geo`: by location. `many`: more than a UDP answer holds.
pub(crate) fn zone() -> Zone {
    use RecordType::{A, AAAA, CNAME, MX, NS, TXT};
    let failover = |role, value: &str, id| RecordSet {
        health_check: Some(check(id)),
        ..record("www.example.com.", A, Policy::Failover(role), values(60, &[value]))
    };
    let located =
        |location, value: &str| record("geo.example.com.", A, Policy::Geolocation(location), values(60, &[value]));
    let many: Vec<String> = (0..300).map(|n| format!("198.18.{}.{}", n / 250, n % 250)).collect();
    Zone::of(
        name("example.com."),
        [
            failover(FailoverRole::Primary, PRIMARY, "p"),
            failover(FailoverRole::Secondary, SECONDARY, "s"),
            located(GeoLocation::Country("DE".to_owned()), GERMAN),
            located(GeoLocation::Country("BR".to_owned()), BRAZILIAN),
            located(GeoLocation::Default, ELSEWHERE),
            record("weighted.example.com.", A, Policy::Weighted(1), values(60, &[PRIMARY])),
            record("weighted.example.com.", A, Policy::Weighted(2), values(60, &[SECONDARY])),
            simple("alias.example.com.", A, alias("www.example.com.")),
            simple("example.com.", A, alias(LOAD_BALANCER)),
            simple("cname.example.com.", CNAME, values(300, &["www.example.com."])),
            simple("mail.example.com.", MX, values(300, &["10 mx.example.net."])),
            simple("text.example.com.", TXT, values(300, &["\"Case Kept\""])),
            simple("dozen.example.com.", A, values(60, &many.iter().map(String::as_str).take(40).collect::<Vec<_>>())),
            simple("many.example.com.", A, values(60, &many.iter().map(String::as_str).collect::<Vec<_>>())),
            simple("sub.example.com.", NS, values(172_800, &["ns.sub.example.com.", "ns.elsewhere.net."])),
            simple("ns.sub.example.com.", A, values(300, &["198.51.100.99"])),
            simple("ns.sub.example.com.", AAAA, values(300, &["2001:db8::99"])),
        ],
    )
}

pub(crate) fn authoritative() -> AuthoritativeSettings {
    let place = |network: &str, country: &str| Location {
        network: network.parse().unwrap(),
        place: country.to_owned(),
        viewpoint: Viewpoint { country: Some(country.to_owned()), ..Viewpoint::default() },
    };
    let zone_of = |zone: &str, addresses: [&str; 2]| (zone.to_owned(), addresses.map(ip).to_vec());
    let load_balancer =
        [zone_of("us-east-1a", ["192.0.2.1", "2001:db8::1"]), zone_of("us-east-1b", ["192.0.2.2", "2001:db8::2"])]
            .into();
    AuthoritativeSettings {
        zone: Arc::new(zone()),
        resources: [(name(LOAD_BALANCER), load_balancer)].into(),
        name_servers: vec![NameServer { name: name("ns-1.example.net."), addresses: vec![ip("198.51.100.53")] }],
        locations: LocationMap::new(vec![place("10.49.0.0/16", "DE"), place("10.55.0.0/16", "BR")]),
        cells: CellNames { by_address: [(ip(PRIMARY), "one".to_owned()), (ip(SECONDARY), "two".to_owned())].into() },
        switches: Switches::default(),
        seed: 7,
    }
}
