//! A network namespace of its own: nothing to clean up, and the zone's own addresses and ports.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

use futures_util::future::join_all;
use futures_util::{Stream, StreamExt};
use nix::sched::{CloneFlags, unshare};
use rtnetlink::packet_core::{NetlinkMessage, NetlinkPayload};
use rtnetlink::packet_route::RouteNetlinkMessage;
use rtnetlink::packet_route::address::AddressHeaderFlags;
use rtnetlink::packet_route::route::{RouteAddress, RouteAttribute, RouteMessage, RouteType};
use rtnetlink::{LinkUnspec, MulticastGroup};
use tokio::runtime::{Handle, RuntimeFlavor};

use super::GroundError;

/// The loopback link is the first of every namespace.
const LOOPBACK: u32 = 1;
/// How long the kernel may take to route what it has added; it takes milliseconds.
const ROUTED_WITHIN: Duration = Duration::from_secs(10);

/// Moves this thread into an empty network namespace.
pub(super) fn enter() -> Result<(), GroundError> {
    lab_thread()?;
    unshare(CloneFlags::CLONE_NEWNET)
        .map_err(|errno| GroundError::NoNamespace { reason: format!("unshare(CLONE_NEWNET): {errno}") })
}

/// Only a thread that nobody else's work is scheduled on may move.
fn lab_thread() -> Result<(), GroundError> {
    let found = match (std::thread::current().name(), Handle::try_current()) {
        (Some("main"), _) => "the main thread",
        (_, Err(_)) => "outside any runtime",
        (_, Ok(runtime)) if runtime.runtime_flavor() != RuntimeFlavor::CurrentThread => "a multi-thread runtime",
        _ => return Ok(()),
    };
    Err(GroundError::NotALabThread { found: found.to_owned() })
}

/// Brings up loopback and gives it every address; whether it carries IPv6.
///
/// All requests are under way at once, so this takes about one round trip to the kernel, however many hosts there are.
pub(super) async fn furnish(addresses: &BTreeSet<IpAddr>) -> Result<bool, GroundError> {
    let failed = |step: &str, problem: String| GroundError::Namespace { step: step.to_owned(), problem };
    let (connection, netlink, notices) = rtnetlink::new_multicast_connection(&[MulticastGroup::Ipv6Route])
        .map_err(|error| failed("opening netlink", error.to_string()))?;
    let connection = tokio::spawn(connection);
    let up = netlink.link().set(LinkUnspec::new_with_index(LOOPBACK).up().build()).execute();
    up.await.map_err(|error| failed("bringing up loopback", error.to_string()))?;

    let added = join_all(addresses.iter().map(|&address| {
        let prefix = if address.is_ipv4() { 32 } else { 128 };
        let mut request = netlink.address().add(LOOPBACK, address, prefix);
        // Loopback looks for no duplicates today; with the flag an address is usable at once on any kernel.
        request.message_mut().header.flags |= AddressHeaderFlags::Nodad;
        async move { (address, request.execute().await) }
    }))
    .await;

    let mut ipv6 = std::path::Path::new("/proc/sys/net/ipv6").exists();
    let mut unrouted = BTreeSet::new();
    for (address, result) in added {
        match (result, address) {
            (Ok(()), IpAddr::V4(_)) => {}
            (Ok(()), IpAddr::V6(v6)) => {
                unrouted.insert(v6);
            }
            // IPv6 is switched off on this machine: the answers are still given, nothing connects to them.
            (Err(_), IpAddr::V6(_)) => ipv6 = false,
            (Err(error), IpAddr::V4(_)) => return Err(failed(&format!("adding {address}"), error.to_string())),
        }
    }
    let routed = until_routed(unrouted, notices.map(|(notice, _)| notice));
    tokio::time::timeout(ROUTED_WITHIN, routed)
        .await
        .map_err(|_| failed("routing IPv6 addresses", format!("not done within {ROUTED_WITHIN:?}")))?;
    drop(netlink);
    connection.abort();
    Ok(ipv6)
}

/// Waits until each address has its local route. The kernel acknowledges an IPv6 address before it has routed it, and
/// drops in silence what is sent to it until then; an IPv4 address is routed when it is acknowledged.
async fn until_routed(
    mut unrouted: BTreeSet<Ipv6Addr>,
    notices: impl Stream<Item = NetlinkMessage<RouteNetlinkMessage>>,
) {
    let mut notices = std::pin::pin!(notices);
    while !unrouted.is_empty() {
        let Some(notice) = notices.next().await else { return };
        if let NetlinkPayload::InnerMessage(RouteNetlinkMessage::NewRoute(route)) = notice.payload
            && let Some(address) = locally_routed(&route)
        {
            unrouted.remove(&address);
        }
    }
}

fn locally_routed(route: &RouteMessage) -> Option<Ipv6Addr> {
    if route.header.kind != RouteType::Local || route.header.destination_prefix_length != 128 {
        return None;
    }
    route.attributes.iter().find_map(|attribute| match attribute {
        RouteAttribute::Destination(RouteAddress::Inet6(address)) => Some(*address),
        _ => None,
    })
}
