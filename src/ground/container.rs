//! The network of a container: the lab's own addresses on its loopback link, and routes through the lab's router.
//!
//! A container engine gives each container an address out of a network of its own. Nobody in the lab uses those: they
//! are the wires. On them every pod carries its lab addresses, and sends what is for others to the router, which knows
//! behind which wire each lab address is. So two labs with the same lab addresses never meet, and the zone's addresses
//! are the ones that answers carry. IPv6 needs nothing of the engine: each wire gets an address of a private prefix.

use std::collections::BTreeSet;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::Path;

use futures_util::TryStreamExt;
use rtnetlink::RouteMessageBuilder;
use rtnetlink::packet_route::address::{AddressAttribute, AddressHeaderFlags, AddressMessage};
use rtnetlink::packet_route::route::RouteMessage;
use serde::{Deserialize, Serialize};

use super::{GroundError, namespace};

/// The loopback link is the first of every network namespace.
pub(super) const LOOPBACK: u32 = 1;
/// The private prefix (RFC 4193) of the wires, whose last 32 bits are the wire's IPv4 address.
const WIRE_PREFIX: Ipv6Addr = Ipv6Addr::new(0xfd6d, 0x7573, 0x7465, 0x7200, 0, 0, 0, 0);
/// The IPv4 address is so many bits in.
const BITS_BEFORE_IPV4: u8 = 96;

/// How a container is wired.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wiring {
    /// Its lab addresses. The first of each family is what it sends from, unless a program binds another.
    pub addresses: Vec<IpAddr>,
    /// The router's address on its wire; `None` of the router itself, which keeps the engine's own way out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub router: Option<Ipv4Addr>,
    /// Lab addresses, and on which wire each is; of the router.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub behind: Vec<(IpAddr, Ipv4Addr)>,
    /// The lab address of the resolver that programs of this container ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolver: Option<IpAddr>,
}

/// Why a container is not wired.
#[derive(Debug, thiserror::Error)]
pub enum WiringError {
    /// The kernel refuses.
    #[error("the container's network cannot be wired: {step}: {problem}; it needs the capability NET_ADMIN")]
    Netlink {
        /// What was done.
        step: String,
        /// What the kernel said.
        problem: String,
    },
    /// Its addresses cannot be given to it.
    #[error(transparent)]
    Addresses(#[from] GroundError),
    /// The file that names the resolver cannot be written.
    #[error("/etc/resolv.conf cannot be written: {0}")]
    Resolver(io::Error),
}

/// A link that the engine made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wire {
    link: u32,
    own: Ipv4Addr,
    prefix: u8,
}

/// Wires the container that this process runs in. Once: its addresses are then taken.
///
/// # Errors
/// When the kernel refuses.
pub async fn wire_container(wiring: &Wiring) -> Result<(), WiringError> {
    let addresses: BTreeSet<IpAddr> = wiring.addresses.iter().copied().collect();
    let ipv6 = namespace::furnish(&addresses).await? && carries_ipv6();
    let (connection, netlink, _) = rtnetlink::new_connection().map_err(|error| failed("opening netlink", &error))?;
    let connection = tokio::spawn(connection);
    let listed: Vec<AddressMessage> =
        netlink.address().get().execute().try_collect().await.map_err(|error| failed("listing addresses", &error))?;
    let wires: Vec<Wire> = listed.iter().filter_map(wire).collect();
    if ipv6 {
        for wire in &wires {
            let mut request =
                netlink.address().add(wire.link, on_wire(wire.own).into(), BITS_BEFORE_IPV4 + wire.prefix);
            request.message_mut().header.flags |= AddressHeaderFlags::Nodad;
            let added = request.replace().execute().await;
            added.map_err(|error| failed("adding the wire's IPv6 address", &error))?;
        }
    }
    for route in routes(wiring, ipv6) {
        let step = format!("adding the route {route:?}");
        netlink.route().add(route).replace().execute().await.map_err(|error| failed(&step, &error))?;
    }
    connection.abort();
    if let Some(resolver) = wiring.resolver {
        let text = format!("nameserver {resolver}\noptions timeout:5 attempts:1\n");
        std::fs::write("/etc/resolv.conf", text).map_err(WiringError::Resolver)?;
    }
    Ok(())
}

/// Whether IPv6 is switched on here.
pub(super) fn carries_ipv6() -> bool {
    let switch = Path::new("/proc/sys/net/ipv6/conf/all/disable_ipv6");
    std::fs::read_to_string(switch).is_ok_and(|disabled| disabled.trim() == "0")
}

pub(super) fn failed(step: &str, problem: &dyn std::fmt::Display) -> WiringError {
    WiringError::Netlink { step: step.to_owned(), problem: problem.to_string() }
}

fn wire(address: &AddressMessage) -> Option<Wire> {
    let own = address.attributes.iter().find_map(|attribute| match attribute {
        AddressAttribute::Address(IpAddr::V4(own)) => Some(*own),
        _ => None,
    })?;
    let header = &address.header;
    (header.index != LOOPBACK).then_some(Wire { link: header.index, own, prefix: header.prefix_len })
}

/// The IPv6 address of a wire.
pub(super) fn on_wire(own: Ipv4Addr) -> Ipv6Addr {
    Ipv6Addr::from_bits(WIRE_PREFIX.to_bits() | u128::from(own.to_bits()))
}

fn routes(wiring: &Wiring, ipv6: bool) -> Vec<RouteMessage> {
    let mut routes = Vec::new();
    if let Some(router) = wiring.router {
        let first = |v4: bool| wiring.addresses.iter().find(|address| address.is_ipv4() == v4);
        let mut way = RouteMessageBuilder::<Ipv4Addr>::new().gateway(router);
        if let Some(IpAddr::V4(own)) = first(true) {
            way = way.pref_source(*own);
        }
        routes.push(way.build());
        if let (true, Some(IpAddr::V6(own))) = (ipv6, first(false)) {
            routes.push(RouteMessageBuilder::<Ipv6Addr>::new().gateway(on_wire(router)).pref_source(*own).build());
        }
    }
    for (lab, wire) in &wiring.behind {
        match lab {
            IpAddr::V4(lab) => {
                routes.push(RouteMessageBuilder::<Ipv4Addr>::new().destination_prefix(*lab, 32).gateway(*wire).build());
            }
            IpAddr::V6(lab) if ipv6 => {
                let way = RouteMessageBuilder::<Ipv6Addr>::new().destination_prefix(*lab, 128);
                routes.push(way.gateway(on_wire(*wire)).build());
            }
            IpAddr::V6(_) => {}
        }
    }
    routes
}

#[cfg(test)]
mod tests {
    use rtnetlink::packet_route::route::{RouteAddress, RouteAttribute};

    use super::*;

    fn wiring() -> Wiring {
        Wiring {
            addresses: vec!["192.0.2.10".parse().unwrap(), "2001:db8::10".parse().unwrap()],
            router: Some(Ipv4Addr::new(100, 126, 0, 2)),
            behind: vec![("192.0.2.20".parse().unwrap(), Ipv4Addr::new(100, 126, 0, 9))],
            resolver: None,
        }
    }

    fn gateway(route: &RouteMessage) -> Option<IpAddr> {
        route.attributes.iter().find_map(|attribute| match attribute {
            RouteAttribute::Gateway(RouteAddress::Inet(gateway)) => Some(IpAddr::V4(*gateway)),
            RouteAttribute::Gateway(RouteAddress::Inet6(gateway)) => Some(IpAddr::V6(*gateway)),
            _ => None,
        })
    }

    #[test]
    fn the_wires_ipv6_address_ends_in_its_ipv4_address() {
        let expected: Ipv6Addr = "fd6d:7573:7465:7200::100.126.0.2".parse().unwrap();
        assert_eq!(on_wire(Ipv4Addr::new(100, 126, 0, 2)), expected);
    }

    #[test]
    fn a_pod_sends_everything_to_the_router_from_its_own_lab_addresses() {
        let routes = routes(&wiring(), true);
        assert_eq!(gateway(&routes[0]), Some("100.126.0.2".parse().unwrap()));
        assert_eq!(gateway(&routes[1]), Some("fd6d:7573:7465:7200::100.126.0.2".parse().unwrap()));
        let own = RouteAttribute::PrefSource(RouteAddress::Inet(Ipv4Addr::new(192, 0, 2, 10)));
        assert!(routes[0].attributes.contains(&own), "{routes:?}");
        assert_eq!(routes[0].header.destination_prefix_length, 0);
    }

    #[test]
    fn the_router_reaches_each_lab_address_on_its_wire_and_nothing_of_ipv6_without_it() {
        let routes = routes(&wiring(), false);
        assert_eq!(routes.len(), 2);
        assert_eq!(gateway(&routes[1]), Some("100.126.0.9".parse().unwrap()));
        assert_eq!(routes[1].header.destination_prefix_length, 32);
    }

    #[test]
    fn a_wiring_is_read_back_as_it_was_written() {
        let text = serde_json::to_string(&wiring()).unwrap();
        assert_eq!(serde_json::from_str::<Wiring>(&text).unwrap(), wiring());
    }
}
