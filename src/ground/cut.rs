//! Cuts lab addresses off at the lab's router: what goes to them, and what comes from where they are, vanishes.
//!
//! A packet must vanish without a word: a route that the kernel knows to lead nowhere tells whoever sends. So the way to
//! what is cut off leads to a neighbour on its own wire that nobody is, with a hardware address that nobody has. What
//! comes from there is dropped by a rule before it is routed. What the router itself says and hears on the wire's own
//! addresses is left alone: that is how the lab is led.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use futures_util::TryStreamExt;
use rtnetlink::packet_route::address::{AddressAttribute, AddressMessage};
use rtnetlink::packet_route::rule::{RuleAction, RuleAttribute, RuleMessage};
use rtnetlink::{Handle, IpVersion, RouteMessageBuilder};

use super::container::{LOOPBACK, Wiring, WiringError, carries_ipv6, failed, on_wire};

/// The host number on each wire that nobody has.
const NOBODY: u8 = 3;
/// A hardware address, locally administered, that nobody has.
const NOBODYS_HARDWARE: [u8; 6] = [0x02, 0, 0, 0, 0, 0x03];
/// Before the main table, after that of the router's own addresses.
const PRIORITY: u32 = 77;

/// The wire on which some of the lab addresses are.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wire {
    link: u32,
    name: String,
}

/// Cuts off those of these lab addresses that are behind a wire, and everything else on their wires; or, without `cut`,
/// lets them through again. To be called in the router's container. Done twice, it is the same.
///
/// # Errors
/// When the kernel refuses.
pub async fn cut_off(wiring: &Wiring, addresses: &[IpAddr], cut: bool) -> Result<(), WiringError> {
    let (connection, netlink, _) = rtnetlink::new_connection().map_err(|error| failed("opening netlink", &error))?;
    let connection = tokio::spawn(connection);
    let done = Router { netlink, ipv6: carries_ipv6() }.cut(wiring, addresses, cut).await;
    connection.abort();
    done
}

struct Router {
    netlink: Handle,
    ipv6: bool,
}

impl Router {
    async fn cut(&self, wiring: &Wiring, addresses: &[IpAddr], cut: bool) -> Result<(), WiringError> {
        let listed: Vec<AddressMessage> = self
            .netlink
            .address()
            .get()
            .execute()
            .try_collect()
            .await
            .map_err(|error| failed("listing addresses", &error))?;
        let behind: Vec<(IpAddr, Ipv4Addr)> =
            wiring.behind.iter().copied().filter(|(lab, _)| addresses.contains(lab)).collect();
        let pods: BTreeSet<Ipv4Addr> = behind.iter().map(|(_, pod)| *pod).collect();
        for pod in pods {
            let wire = listed.iter().find_map(|address| wire_to(address, pod));
            let wire = wire.ok_or_else(|| failed("finding a wire", &format!("none leads to {pod}")))?;
            if cut {
                self.add_nobody(&wire, nobody_beside(pod)).await?;
            }
            for version in [IpVersion::V4, IpVersion::V6] {
                self.drop_what_comes_from(&wire, version, cut).await?;
            }
        }
        for (lab, pod) in behind {
            self.route(lab, if cut { nobody_beside(pod) } else { pod }).await?;
        }
        Ok(())
    }

    async fn add_nobody(&self, wire: &Wire, nobody: Ipv4Addr) -> Result<(), WiringError> {
        let of_ipv6 = self.ipv6.then(|| IpAddr::V6(on_wire(nobody)));
        for address in [IpAddr::V4(nobody)].into_iter().chain(of_ipv6) {
            let neighbour = self.netlink.neighbours().add(wire.link, address).link_layer_address(&NOBODYS_HARDWARE);
            let added = neighbour.replace().execute().await;
            added.map_err(|error| failed("adding a neighbour that nobody is", &error))?;
        }
        Ok(())
    }

    /// The local table comes first: what is for the router itself arrives all the same.
    async fn drop_what_comes_from(&self, wire: &Wire, version: IpVersion, drop: bool) -> Result<(), WiringError> {
        if version == IpVersion::V6 && !self.ipv6 {
            return Ok(());
        }
        let step = |error| failed("changing the rules", &error);
        let listed: Vec<RuleMessage> =
            self.netlink.rule().get(version.clone()).execute().try_collect().await.map_err(step)?;
        let known: Vec<RuleMessage> = listed.into_iter().filter(|rule| is_ours(rule, wire)).collect();
        if drop && known.is_empty() {
            let rule = self.netlink.rule().add().input_interface(&wire.name).action(RuleAction::Blackhole);
            let rule = rule.priority(PRIORITY);
            return match version {
                IpVersion::V4 => rule.v4().execute().await,
                IpVersion::V6 => rule.v6().execute().await,
            }
            .map_err(step);
        }
        for rule in known.into_iter().filter(|_| !drop) {
            self.netlink.rule().del(rule).execute().await.map_err(step)?;
        }
        Ok(())
    }

    async fn route(&self, lab: IpAddr, wire: Ipv4Addr) -> Result<(), WiringError> {
        let way = match lab {
            IpAddr::V4(lab) => RouteMessageBuilder::<Ipv4Addr>::new().destination_prefix(lab, 32).gateway(wire).build(),
            IpAddr::V6(lab) if self.ipv6 => {
                RouteMessageBuilder::<Ipv6Addr>::new().destination_prefix(lab, 128).gateway(on_wire(wire)).build()
            }
            IpAddr::V6(_) => return Ok(()),
        };
        let step = format!("changing the route {way:?}");
        self.netlink.route().add(way).replace().execute().await.map_err(|error| failed(&step, &error))
    }
}

/// Who would be a neighbour of this pod.
fn nobody_beside(pod: Ipv4Addr) -> Ipv4Addr {
    let [a, b, c, _] = pod.octets();
    Ipv4Addr::new(a, b, c, NOBODY)
}

/// The wire that leads to a pod, if this is the router's address on it.
fn wire_to(address: &AddressMessage, pod: Ipv4Addr) -> Option<Wire> {
    let own = address.attributes.iter().find_map(|attribute| match attribute {
        AddressAttribute::Address(IpAddr::V4(own)) => Some(*own),
        _ => None,
    })?;
    let name = address.attributes.iter().find_map(|attribute| match attribute {
        AddressAttribute::Label(name) => Some(name.clone()),
        _ => None,
    })?;
    let is_its = address.header.index != LOOPBACK && own.octets()[..3] == pod.octets()[..3];
    is_its.then_some(Wire { link: address.header.index, name })
}

fn is_ours(rule: &RuleMessage, wire: &Wire) -> bool {
    rule.header.action == RuleAction::Blackhole
        && rule
            .attributes
            .iter()
            .any(|attribute| matches!(attribute, RuleAttribute::Iifname(name) if *name == wire.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(link: u32, own: [u8; 4], name: &str) -> AddressMessage {
        let mut message = AddressMessage::default();
        message.header.index = link;
        message.attributes.push(AddressAttribute::Address(IpAddr::from(own)));
        message.attributes.push(AddressAttribute::Label(name.to_owned()));
        message
    }

    #[test]
    fn a_pod_is_found_on_its_own_wire_and_never_on_loopback() {
        let pod = Ipv4Addr::new(198, 18, 7, 10);
        let found = |message: AddressMessage| wire_to(&message, pod);
        assert_eq!(found(address(5, [198, 18, 7, 2], "eth1")), Some(Wire { link: 5, name: "eth1".to_owned() }));
        assert_eq!(found(address(4, [198, 18, 6, 2], "eth0")), None);
        assert_eq!(found(address(LOOPBACK, [198, 18, 7, 2], "lo")), None);
    }

    #[test]
    fn only_the_rule_that_was_made_for_a_wire_is_taken_back() {
        let wire = Wire { link: 5, name: "eth1".to_owned() };
        let rule = |action, name: &str| {
            let mut rule = RuleMessage::default();
            rule.header.action = action;
            rule.attributes.push(RuleAttribute::Iifname(name.to_owned()));
            rule
        };
        assert!(is_ours(&rule(RuleAction::Blackhole, "eth1"), &wire));
        assert!(!is_ours(&rule(RuleAction::Blackhole, "eth2"), &wire));
        assert!(!is_ours(&rule(RuleAction::ToTable, "eth1"), &wire));
    }

    #[test]
    fn nobody_is_on_the_same_wire_and_is_neither_the_engine_the_router_nor_a_pod() {
        let pod = Ipv4Addr::new(198, 18, 7, 10);
        assert_eq!(nobody_beside(pod), Ipv4Addr::new(198, 18, 7, 3));
    }
}
