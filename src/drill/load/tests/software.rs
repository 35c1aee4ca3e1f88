//! What a drill may say of the programs that its resolvers and clients are.

use std::time::Duration;

use super::*;
use crate::plan::{ClientImage, ClientProfile, ClientRuns, ClientSoftware, ResolverSoftware};

const RESOLVER: &str = "br: { place: Brazil }";
const PROFILE: &str = "profile: fresh-lookup";

/// [`DRILL`] with this instead of its client's profile.
fn client(written: &str) -> Client {
    let drill = load_texts(&DRILL.replacen(PROFILE, written, 1), ZONE);
    drill.unwrap_or_else(|mistakes| panic!("{mistakes}")).clients.remove("web").unwrap()
}

/// What is told of each of these in the place of the client's profile, without where it stands.
fn told_of_clients(all: &[&str]) -> String {
    told(PROFILE, all)
}

/// The same in the place of the resolver.
fn told_of_resolvers(all: &[&str]) -> String {
    let all: Vec<String> = all.iter().map(|keys| format!("br: {{ place: Brazil, {keys} }}")).collect();
    told(RESOLVER, &all.iter().map(String::as_str).collect::<Vec<_>>())
}

fn told(old: &str, all: &[&str]) -> String {
    let each = all.iter().map(|new| format!("{new}\n  {}\n", mistakes(&[(old, new)]).replace('\n', "\n  ")));
    each.collect()
}

#[test]
fn a_resolver_names_its_program_and_how_long_that_gives_what_has_expired() {
    let keys = "br: { place: Brazil, software: pdns-recursor, serve-stale: 1h, ttl-floor: 2m }";
    let drill = load_texts(&DRILL.replacen(RESOLVER, keys, 1), ZONE).unwrap();
    let resolver = &drill.resolvers["br"];
    assert_eq!(resolver.software, Some(ResolverSoftware::PdnsRecursor));
    assert_eq!(resolver.serve_stale, Some(Duration::from_secs(3600)));
    let plan = drill.plan(crate::drill::PlanOptions::default());
    assert_eq!(plan.resolvers["br"].software, Some(ResolverSoftware::PdnsRecursor));
    assert!(plan.needs_docker().unwrap().starts_with("resolver br "));
    let own = load_texts(DRILL, ZONE).unwrap();
    assert_eq!((own.resolvers["br"].software, own.resolvers["br"].serve_stale), (None, None));
}

#[test]
fn a_program_has_the_profile_of_what_it_does_by_itself() {
    let profile = |keys: &str| client(keys).profile;
    let seconds = Duration::from_secs;
    for (keys, due) in [
        ("software: curl", ClientProfile::FreshLookup),
        ("software: jvm", ClientProfile::RuntimeCache(seconds(30))),
        ("software: jvm, cache: 5s", ClientProfile::RuntimeCache(seconds(5))),
        ("software: jvm, profile: cache-forever", ClientProfile::CacheForever),
        ("software: go", ClientProfile::KeepAlivePool),
        ("software: go, profile: fresh-lookup", ClientProfile::FreshLookup),
        ("software: node", ClientProfile::KeepAlivePool),
        ("software: python", ClientProfile::KeepAlivePool),
        ("software: python, max-age: 20s", ClientProfile::AgeingPool(seconds(20))),
        ("software: nginx", ClientProfile::CacheForever),
        ("software: nginx, cache: 10s", ClientProfile::RuntimeCache(seconds(10))),
        ("software: grpc", ClientProfile::KeepAlivePool),
    ] {
        assert_eq!(profile(keys), due, "{keys}");
    }
    assert_eq!(client("software: curl").runs, ClientRuns::Known(ClientSoftware::Curl));
    assert_eq!(client(PROFILE).runs, ClientRuns::Muster);
}

#[test]
fn a_client_may_be_an_image_with_its_command_and_environment() {
    let keys = "image: \"registry.example.com:5000/app@sha256:00ff\", command: [app, --loop], \
                environment: { TARGET: \"http://api.example.com\" }, profile: keep-alive-pool, workers: 4";
    let client = client(keys);
    let image = ClientImage {
        image: "registry.example.com:5000/app@sha256:00ff".to_owned(),
        command: ["app", "--loop"].map(str::to_owned).to_vec(),
        environment: [("TARGET".to_owned(), "http://api.example.com".to_owned())].into(),
    };
    assert_eq!(client.runs, ClientRuns::Image(image));
    assert_eq!((client.profile, client.workers), (ClientProfile::KeepAlivePool, 4));
    let resolver = "br: { place: Brazil, software: dnsmasq, serve-stale: 90s }";
    let drill = DRILL.replacen(PROFILE, keys, 1).replacen(RESOLVER, resolver, 1);
    let plan = load_texts(&drill, ZONE).unwrap().plan(crate::drill::PlanOptions::default());
    let journal = serde_json::to_string(&plan).unwrap();
    assert_eq!(serde_json::from_str::<crate::plan::Plan>(&journal).unwrap(), plan);
}

#[test]
fn a_resolver_that_its_program_cannot_be_is_refused() {
    insta::assert_snapshot!(told_of_resolvers(&[
        "software: unbount",
        "softwar: unbound",
        "serve-stale: 1h",
        "software: bind, serve-stale: 3600",
        "software: bind, serve-stale: 10ms",
        "software: bind, serve-stale: 30h",
        "software: bind, ttl-floor: 91s",
        "software: dnsmasq, ttl-floor: 2h",
        "software: knot-resolver, client-subnet: true",
    ]));
}

#[test]
fn a_client_that_its_program_cannot_be_is_refused() {
    insta::assert_snapshot!(told_of_clients(&[
        "software: courl",
        "sofware: curl",
        "software: curl, profile: keep-alive-pool",
        "software: python, profile: recycling-pool",
        "software: curl, cache: 30s",
        "software: nginx, profile: runtime-cash",
        "software: node, every: 4s",
        "software: jvm, profile: keep-alive-pool, every: 5s",
        "software: go, workers: 2, slow: 2s",
        "software: curl, image: app, profile: fresh-lookup",
        "every: 2s",
    ]));
    let asks = "software: go, asks: completion";
    assert!(mistakes(&[(PROFILE, asks)]).contains("the image of go asks for pages alone; remove `asks`"));
}

#[test]
fn an_image_that_cannot_be_named_or_set_up_so_is_refused() {
    insta::assert_snapshot!(told_of_clients(&[
        "image: app",
        "image: \"\", profile: fresh-lookup",
        "image: \"--privileged\", profile: fresh-lookup",
        "image: \"a b\", profile: fresh-lookup",
        "profile: fresh-lookup, command: [run], environment: { A: b }",
        "image: app, profile: fresh-lookup, command: run",
        "image: app, profile: fresh-lookup, environment: { MUSTER_URL: x, B: \"\\0\" }, command: [\"a\\0\"]",
        "image: app, profile: fresh-lookup, environment: { a-b: x, 1A: y }",
        "image: app, profile: fresh-lookup, slow: 1s",
    ]));
}
