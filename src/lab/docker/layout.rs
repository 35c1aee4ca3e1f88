//! Which containers a plan asks for, and how they are wired: pure.
//!
//! A cell, a resolver and a client each have a network of their own to live in, which one container, the *pod*, holds
//! and never gives up: what a fault kills or freezes are programs inside it. So a dead database refuses, as one does
//! whose host lives, and its address stays where it is. Each cell is on a wire of its own, everybody else on one that
//! they share; the hub is on all of them, and the way from each to each.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use crate::containers::{ContainerSpec, Subnet, Wire};
use crate::fault::Part;
use crate::ground::Wiring;
use crate::lab::building::lab_addresses;
use crate::lab::spread::{CONTROL_PORT, MEMBER_PORT, SWITCHES_PORT, TOKEN, Token};
use crate::lab::{Share, parts_by_themselves};
use crate::plan::{CellPlan, Plan};

use super::LayoutError;
use super::software::Software;

/// The hub's host number on every wire.
const HUB: u8 = 2;
/// The host number of the first pod on a wire.
const FIRST_POD: u8 = 10;
/// The wire of everybody who is no cell.
const OUTSIDE: &str = "outside";

/// The images that a lab stands on: references that the engine has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Images {
    /// muster itself.
    pub muster: String,
    /// The others, by their names in the catalogue.
    pub others: BTreeMap<String, String>,
}

/// When a container is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Start {
    /// At once.
    First,
    /// When the container runs whose network it shares.
    Joined,
    /// When the clients are to ask.
    WithClients,
}

/// A container of the lab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Container {
    /// What it is to be.
    pub spec: ContainerSpec,
    /// When it is started.
    pub start: Start,
    /// Which part of which cell it is, if a fault can stop it as a whole.
    pub part: Option<(String, Part)>,
    /// What of the lab it builds; `None` of a program that knows nothing of muster.
    pub share: Option<Share>,
}

/// Every container of a lab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// In the order in which each is made: nobody shares a network that is not there.
    pub containers: Vec<Container>,
}

/// The wires that a plan asks for, by the names of their networks.
#[must_use]
pub fn wires(plan: &Plan) -> Vec<String> {
    [OUTSIDE.to_owned()].into_iter().chain(plan.cells.keys().map(|cell| format!("cell-{cell}"))).collect()
}

/// The name of a container, or of a network, on the engine.
pub(super) fn on_engine(run: &str, name: &str) -> String {
    format!("muster-{run}-{name}")
}

/// Lays a plan out on these networks, which stand for [`wires`] in their order.
///
/// # Errors
/// When a wire has too few addresses.
pub fn lay_out(plan: &Plan, apex: &str, run: &str, subnets: &[Subnet], images: &Images) -> Result<Layout, LayoutError> {
    let networks: Vec<String> = wires(plan).iter().map(|wire| on_engine(run, wire)).collect();
    let mut work = Work { plan, apex, run, images, hub: Vec::new(), behind: Vec::new(), containers: Vec::new() };
    let mut wires = networks.iter().zip(subnets);
    if let Some((network, subnet)) = wires.next() {
        work.hub.push((network.clone(), subnet.host(HUB)));
        work.outside(network, *subnet)?;
    }
    for ((name, cell), (network, subnet)) in plan.cells.iter().zip(wires) {
        work.hub.push((network.clone(), subnet.host(HUB)));
        work.cell(name, cell, network, *subnet);
    }
    Ok(Layout { containers: work.finish() })
}

struct Work<'a> {
    plan: &'a Plan,
    apex: &'a str,
    run: &'a str,
    images: &'a Images,
    /// The networks that the hub is on, and its address in each.
    hub: Vec<(String, Ipv4Addr)>,
    /// On which wire each lab address is.
    behind: Vec<(IpAddr, Ipv4Addr)>,
    containers: Vec<Container>,
}

/// A pod's place on a wire.
struct Place<'a> {
    network: &'a str,
    own: Ipv4Addr,
    hub: Ipv4Addr,
}

impl Work<'_> {
    fn name(&self, name: &str) -> String {
        on_engine(self.run, name)
    }

    /// The resolvers and the clients.
    fn outside(&mut self, network: &str, subnet: Subnet) -> Result<(), LayoutError> {
        let plan = self.plan;
        let pods = plan.resolvers.len() + plan.clients.len();
        let mut hosts = FIRST_POD..=u8::MAX - 1;
        if pods > hosts.len() {
            return Err(LayoutError::TooManyPods { pods, most: hosts.len() });
        }
        let mut place = || Place { network, own: subnet.host(hosts.next().unwrap_or_default()), hub: subnet.host(HUB) };
        for (name, resolver) in &plan.resolvers {
            let place = place();
            let addresses = vec![resolver.address];
            match Software::of_resolver(plan, self.apex, resolver) {
                None => {
                    self.member(&format!("resolver-{name}"), &place, addresses, None, Share::Resolver(name.clone()));
                }
                Some(software) => {
                    self.program(&format!("resolver-{name}"), &place, addresses, None, &software, Start::Joined);
                }
            }
        }
        for (name, client) in &plan.clients {
            let place = place();
            let resolver = plan.resolvers.get(&client.resolver).map(|resolver| resolver.address);
            let addresses = client.addresses.clone();
            match Software::of_client(plan, name, client) {
                None => self.member(&format!("client-{name}"), &place, addresses, None, Share::Client(name.clone())),
                Some(software) => {
                    let name = format!("client-{name}");
                    self.program(&name, &place, addresses, resolver, &software, Start::WithClients);
                }
            }
        }
        Ok(())
    }

    fn cell(&mut self, name: &str, cell: &CellPlan, network: &str, subnet: Subnet) {
        let place = Place { network, own: subnet.host(FIRST_POD), hub: subnet.host(HUB) };
        let addresses = cell.addresses.iter().copied().chain(cell.kind.inside()).collect();
        let pod = format!("cell-{name}");
        self.member(&pod, &place, addresses, None, Share::Cell(name.to_owned()));
        for part in parts_by_themselves(cell) {
            let share = Share::Part { cell: name.to_owned(), part };
            let (image, command, environment, share) = match Software::of_part(self.plan, name, cell, part) {
                Some(software) => (software.image(self.images), software.command, software.environment, None),
                None => (self.images.muster.clone(), part_command(&share, place.hub), Vec::new(), Some(share.clone())),
            };
            self.containers.push(Container {
                spec: ContainerSpec {
                    name: self.name(&format!("cell-{}", Share::Part { cell: name.to_owned(), part })),
                    image,
                    command,
                    environment,
                    wire: Wire::Of(self.name(&pod)),
                    wires_itself: false,
                    published: Vec::new(),
                },
                start: Start::Joined,
                part: Some((name.to_owned(), part)),
                share,
            });
        }
    }

    /// A pod that is a member itself.
    fn member(
        &mut self,
        name: &str,
        place: &Place<'_>,
        addresses: Vec<IpAddr>,
        resolver: Option<IpAddr>,
        share: Share,
    ) {
        let mut command = self.wiring("member", place, addresses, resolver);
        command.extend(["--share".to_owned(), json(&share), "--hub".to_owned(), gathering(place.hub)]);
        self.pod(name, place, command, Some(share));
    }

    /// A pod that only holds a network, and a program in it.
    fn program(
        &mut self,
        name: &str,
        place: &Place<'_>,
        addresses: Vec<IpAddr>,
        resolver: Option<IpAddr>,
        software: &Software,
        start: Start,
    ) {
        let pod = format!("{name}.pod");
        let command = self.wiring("pod", place, addresses, resolver);
        self.pod(&pod, place, command, None);
        self.containers.push(Container {
            spec: ContainerSpec {
                name: self.name(name),
                image: software.image(self.images),
                command: software.command.clone(),
                environment: software.environment.clone(),
                wire: Wire::Of(self.name(&pod)),
                wires_itself: false,
                published: Vec::new(),
            },
            start,
            part: None,
            share: None,
        });
    }

    fn pod(&mut self, name: &str, place: &Place<'_>, command: Vec<String>, share: Option<Share>) {
        let spec = ContainerSpec {
            name: self.name(name),
            image: self.images.muster.clone(),
            command,
            environment: Vec::new(),
            wire: Wire::Networks(vec![(place.network.to_owned(), place.own)]),
            wires_itself: true,
            published: Vec::new(),
        };
        self.containers.push(Container { spec, start: Start::First, part: None, share });
    }

    /// The command of a pod up to its wiring; its addresses are from now on behind its place.
    fn wiring(
        &mut self,
        role: &str,
        place: &Place<'_>,
        addresses: Vec<IpAddr>,
        resolver: Option<IpAddr>,
    ) -> Vec<String> {
        self.behind.extend(addresses.iter().map(|address| (*address, place.own)));
        let wiring = Wiring { addresses, router: Some(place.hub), behind: Vec::new(), resolver };
        node(role, &wiring)
    }

    /// Puts the hub in front: it has every lab address that nobody else has.
    fn finish(self) -> Vec<Container> {
        let elsewhere = |address: &IpAddr| self.behind.iter().any(|(lab, _)| lab == address);
        let addresses = lab_addresses(self.plan).into_iter().filter(|address| !elsewhere(address)).collect();
        let wiring = Wiring { addresses, router: None, behind: self.behind.clone(), resolver: None };
        let hub = Container {
            spec: ContainerSpec {
                name: self.name("hub"),
                image: self.images.muster.clone(),
                command: node("hub", &wiring),
                environment: Vec::new(),
                wire: Wire::Networks(self.hub.clone()),
                wires_itself: true,
                published: vec![CONTROL_PORT, SWITCHES_PORT],
            },
            start: Start::First,
            part: None,
            share: None,
        };
        [hub].into_iter().chain(self.containers).collect()
    }
}

impl Layout {
    /// The hub.
    #[must_use]
    pub fn hub(&self) -> Option<&Container> {
        self.containers.first()
    }

    /// Has the hub obey only who says this.
    #[must_use]
    pub fn led_with(mut self, token: &Token) -> Self {
        if let Some(hub) = self.containers.first_mut() {
            hub.spec.environment.push((TOKEN.to_owned(), token.to_string()));
        }
        self
    }

    /// The members that will come to the hub.
    #[must_use]
    pub fn members(&self) -> Vec<Share> {
        self.containers.iter().filter_map(|container| container.share.clone()).collect()
    }
}

fn node(role: &str, wiring: &Wiring) -> Vec<String> {
    ["node".to_owned(), role.to_owned(), "--wiring".to_owned(), json(wiring)].into()
}

fn part_command(share: &Share, hub: Ipv4Addr) -> Vec<String> {
    ["node", "part", "--share", &json(share), "--hub", &gathering(hub)].map(str::to_owned).into()
}

/// Where the hub gathers its members.
fn gathering(hub: Ipv4Addr) -> String {
    SocketAddr::new(hub.into(), MEMBER_PORT).to_string()
}

/// What cannot be written is written as nothing, and refused by who reads it.
fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests;
