//! What the resolvers and clients of drills run, and what each program is told.

use std::collections::BTreeMap;
use std::time::Duration;

use super::*;
use crate::lab::docker::drills::plan;
use crate::plan::{ClientImage, ClientProfile, ClientSoftware};

/// A program's settings by their names.
fn told(software: &Software) -> BTreeMap<&str, &str> {
    let settings: BTreeMap<&str, &str> =
        software.environment.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(settings.len(), software.environment.len(), "each once");
    settings
}

fn resolver(name: &str, change: impl FnOnce(&mut ResolverPlan)) -> Option<Software> {
    let plan = plan("database-down");
    let mut resolver = plan.resolvers[name].clone();
    change(&mut resolver);
    Software::of_resolver(&plan, "exemplo.com.", &resolver)
}

fn client(change: impl FnOnce(&mut ClientPlan)) -> Option<Software> {
    let plan = plan("database-down");
    let mut client = plan.clients["br-fresh"].clone();
    change(&mut client);
    Software::of_client(&plan, "br-fresh", &client)
}

#[test]
fn a_resolver_that_names_no_program_is_unbound_and_forwards_the_zone_to_an_address_of_its_family() {
    let software = resolver("br", |_| {}).unwrap();
    let plan = plan("database-down");
    let authority = plan.observe.authoritative_addresses.iter().find(|at| at.is_ipv4()).unwrap().to_string();
    assert_eq!(software.image, "unbound");
    let expected = [("MUSTER_AUTHORITY", authority.as_str()), ("MUSTER_ZONE", "exemplo.com")];
    assert_eq!(told(&software), expected.into());
}

#[test]
fn a_program_is_told_its_floor_and_its_stale_answers_in_wall_seconds() {
    // 120 s at 5 lab seconds per wall second.
    assert_eq!(told(&resolver("us-floor", |_| {}).unwrap())["MUSTER_TTL_FLOOR"], "24");
    let stale = resolver("br", |resolver| {
        resolver.software = Some(ResolverSoftware::Bind);
        resolver.serve_stale = Some(Duration::from_secs(3600));
    });
    let stale = stale.unwrap();
    assert_eq!((stale.image.as_str(), told(&stale)["MUSTER_SERVE_STALE"]), ("bind", "720"));
    assert!(!told(&stale).contains_key("MUSTER_TTL_FLOOR"));
}

#[test]
fn a_resolver_that_tells_its_clients_subnets_is_musters_own() {
    assert_eq!(resolver("de-ecs", |_| {}), None);
}

#[test]
fn a_program_is_told_who_it_is_what_to_ask_for_and_how_often() {
    let software = client(|client| {
        client.runs = ClientRuns::Known(ClientSoftware::Python);
        client.profile = ClientProfile::AgeingPool(Duration::from_secs(20));
    });
    let software = software.unwrap();
    assert_eq!(software.image, "client-python");
    let expected = [
        ("MUSTER_CLIENT", "br-fresh"),
        ("MUSTER_URL", "http://api.exemplo.com:80/"),
        // 2 s, 5 s and 20 s at 5 lab seconds per wall second.
        ("MUSTER_EVERY_MS", "400"),
        ("MUSTER_TIMEOUT_MS", "1000"),
        ("MUSTER_RECYCLE_MS", "4000"),
    ];
    assert_eq!(told(&software), expected.into());
    assert_eq!(client(|_| {}), None, "muster's own client");
}

#[test]
fn an_image_of_ones_own_is_told_the_same_and_what_its_drill_adds() {
    let own = ClientImage {
        image: "example/app:1".to_owned(),
        command: vec!["app".to_owned(), "--loop".to_owned()],
        environment: [("TARGET".to_owned(), "here".to_owned())].into(),
    };
    let software = client(|client| client.runs = ClientRuns::Image(own)).unwrap();
    assert_eq!(
        (software.image.as_str(), &software.command[..]),
        ("example/app:1", &["app".into(), "--loop".into()][..])
    );
    assert_eq!((told(&software)["TARGET"], told(&software)["MUSTER_CLIENT"]), ("here", "br-fresh"));
}

#[test]
fn images_of_the_catalogue_are_needed_once_and_those_of_others_are_looked_for() {
    let mut plan = plan("database-down");
    assert_eq!((needed(&plan), foreign(&plan)), (vec!["postgres".to_owned(), "unbound".to_owned()], Vec::new()));
    let image = |image: &str| {
        ClientRuns::Image(ClientImage { image: image.to_owned(), command: Vec::new(), environment: [].into() })
    };
    plan.clients.get_mut("br-fresh").unwrap().runs = image("example/app:1");
    plan.clients.get_mut("br-jvm").unwrap().runs = image("base");
    plan.clients.get_mut("us-web").unwrap().runs = ClientRuns::Known(ClientSoftware::Curl);
    assert_eq!(needed(&plan), ["base", "client-curl", "postgres", "unbound"]);
    assert_eq!(foreign(&plan), [("br-fresh".to_owned(), "example/app:1".to_owned())]);
}

#[test]
fn a_name_of_the_catalogue_stands_for_what_was_built_and_any_other_reference_for_itself() {
    let images = Images { muster: "muster/muster:1".into(), others: [("bind".into(), "muster/bind:2".into())].into() };
    let of =
        |image: &str| Software { image: image.into(), command: Vec::new(), environment: Vec::new() }.image(&images);
    assert_eq!((of("bind"), of("example/app:1")), ("muster/bind:2".to_owned(), "example/app:1".to_owned()));
}

/// `database-down` with `HAProxy` before the region whose database dies.
fn behind_haproxy() -> Plan {
    let mut plan = plan("database-down");
    let CellKind::Region(region) = &mut plan.cells.get_mut("sa-east-1").unwrap().kind else { panic!("a region") };
    region.load_balancer_software = Some(LoadBalancerSoftware::Haproxy);
    plan
}

#[test]
fn haproxy_is_told_where_it_listens_its_targets_and_their_checks_in_wall_milliseconds() {
    let plan = behind_haproxy();
    let cell = &plan.cells["sa-east-1"];
    let software = Software::of_part(&plan, "sa-east-1", cell, Part::LoadBalancer).unwrap();
    let CellKind::Region(region) = &cell.kind else { panic!("a region") };
    let all = |addresses: &[IpAddr]| addresses.iter().map(ToString::to_string).collect::<Vec<_>>();
    let listens = all(&cell.addresses).join(" ");
    let [first, second] = &all(&region.target_addresses)[..] else { panic!("two targets") };
    let targets = format!("target-0={first}:80 target-1={second}:80");
    // 15 s, 5 s, 1 s and 60 s at 5 lab seconds per wall second.
    let expected = [
        ("MUSTER_CELL", "sa-east-1"),
        ("MUSTER_LISTEN", listens.as_str()),
        ("MUSTER_LISTEN_PORT", "80"),
        ("MUSTER_TARGETS", targets.as_str()),
        ("MUSTER_CHECK_PATH", "/health"),
        ("MUSTER_CHECK_EVERY_MS", "3000"),
        ("MUSTER_CHECK_TIMEOUT_MS", "1000"),
        ("MUSTER_CHECK_FALL", "2"),
        ("MUSTER_CHECK_RISE", "5"),
        ("MUSTER_CONNECT_MS", "200"),
        ("MUSTER_IDLE_MS", "12000"),
        ("MUSTER_LOG_TO", "127.0.0.1:5140"),
    ];
    assert_eq!((software.image.as_str(), told(&software)), ("haproxy", expected.into()));
    assert!(needed(&plan).contains(&"haproxy".to_owned()));
}

#[test]
fn a_target_of_ipv6_has_its_address_in_brackets() {
    let mut plan = behind_haproxy();
    let CellKind::Region(region) = &mut plan.cells.get_mut("sa-east-1").unwrap().kind else { panic!("a region") };
    region.target_addresses = vec!["2001:db8::1".parse().unwrap()];
    let software = Software::of_part(&plan, "sa-east-1", &plan.cells["sa-east-1"], Part::LoadBalancer).unwrap();
    assert_eq!(told(&software)["MUSTER_TARGETS"], "target-0=[2001:db8::1]:80");
}

#[test]
fn a_load_balancer_that_names_no_program_is_musters_own_and_runs_in_its_pod() {
    let plan = behind_haproxy();
    let of = |name: &str, part| Software::of_part(&plan, name, &plan.cells[name], part);
    assert_eq!(of("us-east-1", Part::LoadBalancer), None);
    assert_eq!(of("sa-east-1", Part::Target(0)), None);
    assert_eq!(of("sa-east-1", Part::Database).unwrap().image, "postgres");
    assert!(!parts_by_themselves(&plan.cells["us-east-1"]).contains(&Part::LoadBalancer));
    assert!(!needed(&super::super::drills::plan("database-down")).contains(&"haproxy".to_owned()));
}
