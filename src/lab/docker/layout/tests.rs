//! Layouts of the drills of the folder: who is where, and what faults kill of them.

use std::collections::BTreeSet;

use super::*;
use crate::containers::AddressPlan;
use crate::fault::Fault;
use crate::lab::docker::blow::Blow;
use crate::lab::docker::drills::{every, plan};
use crate::plan::{CellKind, ClientRuns, ClientSoftware, LoadBalancerSoftware};

const RUN: &str = "00c0ffee";

fn laid_out(plan: &Plan) -> Layout {
    let subnets: Vec<Subnet> =
        (100..).map(|number| AddressPlan::default().subnet(number)).take(wires(plan).len()).collect();
    let images = Images { muster: "muster/muster:1".to_owned(), ..Images::default() };
    lay_out(plan, "example.", RUN, &subnets, &images).unwrap()
}

/// How a container wires itself, out of its command; nothing of one that does not.
fn wiring(container: &Container) -> Option<Wiring> {
    let command = &container.spec.command;
    let place = command.iter().position(|word| word == "--wiring")?;
    Some(serde_json::from_str(&command[place + 1]).unwrap())
}

/// A container's addresses on its wires.
fn on_wires(container: &Container) -> Vec<(String, Ipv4Addr)> {
    match &container.spec.wire {
        Wire::Networks(networks) => networks.clone(),
        Wire::Of(_) => Vec::new(),
    }
}

/// The names of containers without that of their run.
fn names<'l>(containers: impl IntoIterator<Item = &'l Container>) -> Vec<&'l str> {
    let own = format!("muster-{RUN}-");
    containers.into_iter().map(|container| container.spec.name.strip_prefix(&own).unwrap()).collect()
}

#[test]
fn every_lab_address_is_in_exactly_one_containers_wiring() {
    for plan in every() {
        let layout = laid_out(&plan);
        let mut carried: Vec<IpAddr> =
            layout.containers.iter().filter_map(wiring).flat_map(|wiring| wiring.addresses).collect();
        carried.sort_unstable();
        assert_eq!(carried, lab_addresses(&plan), "{}", plan.drill);
    }
}

#[test]
fn the_hub_reaches_every_address_that_is_not_its_own_over_the_wire_of_who_has_it() {
    for plan in every() {
        let layout = laid_out(&plan);
        let (hub, others) = layout.containers.split_first().unwrap();
        let mut expected = Vec::new();
        for other in others {
            for address in wiring(other).map(|wiring| wiring.addresses).unwrap_or_default() {
                let [(_, own)] = on_wires(other)[..] else { panic!("{} is on one wire", other.spec.name) };
                expected.push((address, own));
            }
        }
        let mut behind = wiring(hub).unwrap().behind;
        behind.sort_unstable();
        expected.sort_unstable();
        assert_eq!(behind, expected, "{}", plan.drill);
    }
}

#[test]
fn the_hub_is_on_every_wire_and_is_the_router_of_everybody_there() {
    for plan in every() {
        let layout = laid_out(&plan);
        let (hub, others) = layout.containers.split_first().unwrap();
        let hubs: BTreeMap<String, Ipv4Addr> = on_wires(hub).into_iter().collect();
        let networks: BTreeSet<String> = wires(&plan).iter().map(|wire| on_engine(RUN, wire)).collect();
        assert_eq!(hubs.keys().cloned().collect::<BTreeSet<_>>(), networks, "{}", plan.drill);
        assert!(hub.spec.published.contains(&CONTROL_PORT));
        let mut taken: BTreeSet<Ipv4Addr> = hubs.values().copied().collect();
        for other in others {
            assert!(other.spec.published.is_empty());
            let Some(wiring) = wiring(other) else { continue };
            let [(network, own)] = &on_wires(other)[..] else { panic!("{} is on one wire", other.spec.name) };
            assert_eq!(wiring.router, Some(hubs[network]));
            let net = |address: Ipv4Addr| address.octets()[..3].to_vec();
            assert_eq!(net(*own), net(hubs[network]), "{} and the hub are neighbours", other.spec.name);
            assert!(taken.insert(*own), "{own} is given twice");
        }
    }
}

#[test]
fn no_two_containers_have_a_name_and_nobody_shares_a_network_that_is_not_there_yet() {
    for plan in every() {
        let layout = laid_out(&plan);
        let mut seen = BTreeSet::new();
        for container in &layout.containers {
            if let Wire::Of(pod) = &container.spec.wire {
                assert!(seen.contains(pod), "{} comes before {pod}", container.spec.name);
                assert_ne!(container.start, Start::First);
                assert!(!container.spec.wires_itself);
            }
            assert!(seen.insert(container.spec.name.clone()), "{} is there twice", container.spec.name);
        }
    }
}

#[test]
fn the_members_of_database_down_are_its_cells_their_targets_and_what_is_musters_own() {
    let members: Vec<String> = laid_out(&plan("database-down")).members().iter().map(ToString::to_string).collect();
    let expected = [
        // The one resolver that no program of the catalogue can be, and the clients.
        "de-ecs",
        "br-forever",
        "br-fresh",
        "br-gateway",
        "br-jvm",
        "br-pool",
        "br-v6",
        "de-web",
        "us-web",
        "eu-central-1",
        "eu-central-1.target-0",
        "eu-central-1.target-1",
        "maintenance",
        "maintenance-eu",
        "sa-east-1",
        "sa-east-1.target-0",
        "sa-east-1.target-1",
        "us-east-1",
        "us-east-1.target-0",
        "us-east-1.target-1",
    ];
    assert_eq!(members, expected);
}

#[test]
fn a_program_stands_in_the_network_of_its_pod_and_a_client_waits_until_it_is_to_ask() {
    let mut plan = plan("database-down");
    plan.clients.get_mut("br-fresh").unwrap().runs = ClientRuns::Known(ClientSoftware::Curl);
    let layout = laid_out(&plan);
    let found = |name: &str| layout.containers.iter().find(|one| one.spec.name == on_engine(RUN, name)).unwrap();
    for (program, pod, start) in [
        ("resolver-br", "resolver-br.pod", Start::Joined),
        ("client-br-fresh", "client-br-fresh.pod", Start::WithClients),
        ("cell-us-east-1.database", "cell-us-east-1", Start::Joined),
    ] {
        let program = found(program);
        assert_eq!(program.spec.wire, Wire::Of(on_engine(RUN, pod)));
        assert_eq!((program.start, &program.share), (start, &None));
    }
    // What a program looks up, its container's resolver is asked for.
    let asked = wiring(found("client-br-fresh.pod")).unwrap().resolver;
    assert_eq!(asked, Some(plan.resolvers["br"].address));
    assert!(!layout.members().contains(&Share::Client("br-fresh".to_owned())));
}

/// `region-down` with `HAProxy` before the region that dies.
fn region_behind_haproxy_down() -> Plan {
    let mut plan = plan("region-down");
    let CellKind::Region(region) = &mut plan.cells.get_mut("sa-east-1").unwrap().kind else { panic!("a region") };
    region.load_balancer_software = Some(LoadBalancerSoftware::Haproxy);
    plan
}

#[test]
fn haproxy_stands_in_the_network_of_its_cell_whose_addresses_stay_with_the_pod() {
    let plan = region_behind_haproxy_down();
    let layout = laid_out(&plan);
    let found = |name: &str| layout.containers.iter().find(|one| one.spec.name == on_engine(RUN, name));
    let haproxy = found("cell-sa-east-1.load-balancer").unwrap();
    assert_eq!(haproxy.spec.wire, Wire::Of(on_engine(RUN, "cell-sa-east-1")));
    assert_eq!((haproxy.spec.image.as_str(), haproxy.start, &haproxy.share), ("haproxy", Start::Joined, &None));
    assert_eq!(haproxy.part, Some(("sa-east-1".to_owned(), Part::LoadBalancer)));
    let addresses = wiring(found("cell-sa-east-1").unwrap()).unwrap().addresses;
    assert!(plan.cells["sa-east-1"].addresses.iter().all(|address| addresses.contains(address)));
    assert!(found("cell-us-east-1.load-balancer").is_none(), "muster's own is in its pod");
}

#[test]
fn haproxy_is_killed_with_its_region_and_with_nothing_less() {
    let plan = region_behind_haproxy_down();
    let layout = laid_out(&plan);
    let killed =
        |fault: Fault| names(layout.hit_by(&plan, [&fault], Blow::Kill)).contains(&"cell-sa-east-1.load-balancer");
    assert!(killed(Fault::KillRegion("sa-east-1".into())));
    assert!(!killed(Fault::KillDatabase("sa-east-1".into())));
    assert!(!killed(Fault::KillTargets { cell: "sa-east-1".into(), targets: [0, 1].into() }));
    assert!(!killed(Fault::KillRegion("us-east-1".into())));
}

#[test]
fn faults_kill_the_containers_of_the_parts_that_they_break_and_no_others() {
    let killed = |drill: &str| {
        let plan = plan(drill);
        names(laid_out(&plan).hit_by(&plan, &plan.faults, Blow::Kill))
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(killed("database-down"), ["cell-sa-east-1.database"]);
    // The load balancer is a program of the pod itself, which stays.
    let region = ["cell-sa-east-1.database", "cell-sa-east-1.target-0", "cell-sa-east-1.target-1"];
    assert_eq!(killed("region-down"), region);
    assert_eq!(killed("zone-down"), ["cell-sa-east-1.target-0", "cell-sa-east-1.target-2"]);
    // A wedged engine accepts, so it lives.
    assert!(killed("wedged-engine").is_empty());
    assert!(killed("checkers-locked-out").is_empty());
}

#[test]
fn what_one_of_two_faults_leaves_killed_is_told_apart_from_what_both_kill() {
    let plan = plan("database-down");
    let layout = laid_out(&plan);
    let (database, region) = (Fault::KillDatabase("sa-east-1".into()), Fault::KillRegion("sa-east-1".into()));
    let elsewhere = Fault::KillTargets { cell: "us-east-1".into(), targets: [1].into() };
    let all = names(layout.hit_by(&plan, [&database, &region, &elsewhere], Blow::Kill));
    let unique: BTreeSet<_> = all.iter().collect();
    assert_eq!((all.len(), unique.len()), (4, 4), "each once: {all:?}");
    assert!(all.contains(&"cell-us-east-1.target-1") && all.contains(&"cell-sa-east-1.target-0"));
    assert_eq!(names(layout.hit_by(&plan, [&database], Blow::Kill)), ["cell-sa-east-1.database"]);
    assert!(layout.hit_by(&plan, [], Blow::Kill).is_empty());
}

#[test]
fn more_pods_than_a_wire_has_addresses_are_refused_and_one_less_is_not() {
    let mut plan = plan("database-down");
    let client = plan.clients["br-fresh"].clone();
    let most = 245 - plan.resolvers.len();
    plan.clients = (0..most).map(|number| (format!("c{number}"), client.clone())).collect();
    laid_out(&plan);
    plan.clients.insert("one-more".to_owned(), client);
    let subnets = vec![AddressPlan::default().subnet(0); wires(&plan).len()];
    let refused = lay_out(&plan, "example.", RUN, &subnets, &Images::default());
    assert_eq!(refused, Err(LayoutError::TooManyPods { pods: 246, most: 245 }));
}
