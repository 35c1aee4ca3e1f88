//! 127/8 and high ports: one block of addresses per lab, claimed so that two labs never meet.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicU32, Ordering};

use super::GroundError;

/// Blocks lie in 127.64.0.0/10: away from 127.0/16, where systems put resolvers and host names.
const FIRST_NETWORK: u32 = 0x7F40_0000;
const BLOCKS: u32 = 1 << 14;
/// How many blocks are tried before giving up.
const TRIES: u32 = 512;
/// The lease lies on the block's first address; it carries no traffic.
const LEASE_PORT: u16 = 10_000;
/// .2 to .254.
const MOST_HOSTS: usize = 253;
/// Ports below this need a privilege, or are likely to be taken.
const LOW_PORTS: u16 = 10_000;

/// A block of loopback addresses that this lab alone holds.
#[derive(Debug)]
pub(super) struct Block {
    hosts: BTreeMap<Ipv4Addr, Ipv4Addr>,
    labs: BTreeMap<Ipv4Addr, Ipv4Addr>,
    /// Bound for as long as the block is held: the kernel lets go of it however the process ends.
    #[cfg_attr(not(test), expect(dead_code, reason = "held, never used"))]
    lease: UdpSocket,
}

impl Block {
    /// Claims a block for the IPv4 addresses among these.
    pub(super) fn claim(addresses: &BTreeSet<IpAddr>) -> Result<Self, GroundError> {
        let wanted: Vec<Ipv4Addr> = addresses
            .iter()
            .filter_map(|address| match address {
                IpAddr::V4(v4) => Some(*v4),
                IpAddr::V6(_) => None,
            })
            .collect();
        if wanted.len() > MOST_HOSTS {
            return Err(GroundError::TooManyHosts { hosts: wanted.len(), most: MOST_HOSTS });
        }
        let (network, lease) = lease_a_block()?;
        let hosts: BTreeMap<_, _> = wanted.into_iter().zip((network + 2..).map(Ipv4Addr::from_bits)).collect();
        let labs = hosts.iter().map(|(lab, host)| (*host, *lab)).collect();
        Ok(Self { hosts, labs, lease })
    }

    pub(super) fn here(&self, lab: SocketAddr) -> Option<SocketAddr> {
        match lab.ip() {
            IpAddr::V4(v4) => self.hosts.get(&v4).map(|host| SocketAddr::from((*host, port_here(lab.port())))),
            IpAddr::V6(_) => None,
        }
    }

    pub(super) fn lab_address(&self, peer: IpAddr) -> IpAddr {
        match peer {
            IpAddr::V4(v4) => self.labs.get(&v4).map_or(peer, |lab| IpAddr::V4(*lab)),
            IpAddr::V6(_) => peer,
        }
    }
}

/// 53 to 10053, 443 to 10443; high ports as they are, and 0 still means any.
const fn port_here(port: u16) -> u16 {
    if port == 0 || port >= LOW_PORTS { port } else { port + LOW_PORTS }
}

/// The network address of a free block, and the socket that holds it.
fn lease_a_block() -> Result<(u32, UdpSocket), GroundError> {
    /// Labs of one process do not start their search at the same block.
    static LABS: AtomicU32 = AtomicU32::new(0);
    let first = std::process::id().wrapping_mul(61).wrapping_add(LABS.fetch_add(1, Ordering::Relaxed));
    let mut problem = ErrorKind::AddrInUse.into();
    for attempt in 0..TRIES {
        let network = FIRST_NETWORK + (first.wrapping_add(attempt) % BLOCKS) * 256;
        match UdpSocket::bind((Ipv4Addr::from_bits(network + 1), LEASE_PORT)) {
            Ok(lease) => return Ok((network, lease)),
            Err(refused) => problem = refused,
        }
    }
    Err(GroundError::NoBlock { tried: TRIES as usize, problem })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(addresses: &[&str]) -> Block {
        Block::claim(&addresses.iter().map(|address| address.parse().unwrap()).collect()).unwrap()
    }

    fn here(block: &Block, lab: &str) -> Option<SocketAddr> {
        block.here(lab.parse().unwrap())
    }

    #[test]
    fn a_lab_address_comes_back_from_the_address_that_stands_for_it() {
        let block = block(&["10.0.0.1", "198.51.100.7", "203.0.113.53"]);
        for lab in ["10.0.0.1", "198.51.100.7", "203.0.113.53"] {
            let there = here(&block, &format!("{lab}:0")).unwrap();
            assert!(there.ip().is_loopback());
            assert_eq!(block.lab_address(there.ip()), lab.parse::<IpAddr>().unwrap());
        }
    }

    #[test]
    fn hosts_of_one_block_have_addresses_of_their_own() {
        let block = block(&["10.0.0.1", "10.0.0.2"]);
        assert_ne!(here(&block, "10.0.0.1:53"), here(&block, "10.0.0.2:53"));
    }

    #[test]
    fn low_ports_move_up_high_ports_stay_and_any_port_stays_any() {
        let block = block(&["10.0.0.1"]);
        for (lab, expected) in [(53, 10_053), (80, 10_080), (443, 10_443), (5432, 15_432), (18_080, 18_080), (0, 0)] {
            assert_eq!(here(&block, &format!("10.0.0.1:{lab}")).unwrap().port(), expected);
        }
    }

    #[test]
    fn an_address_that_no_host_has_and_an_ipv6_address_are_nowhere() {
        let block = block(&["10.0.0.1", "2001:db8::1"]);
        assert_eq!(here(&block, "10.0.0.2:53"), None);
        assert_eq!(here(&block, "[2001:db8::1]:53"), None);
        let stranger = "192.0.2.9".parse().unwrap();
        assert_eq!(block.lab_address(stranger), stranger);
    }

    #[test]
    fn two_blocks_at_once_never_meet() {
        let blocks: Vec<Block> = (0..40).map(|_| block(&["10.0.0.1"])).collect();
        let places: BTreeSet<_> = blocks.iter().map(|block| here(block, "10.0.0.1:53").unwrap()).collect();
        assert_eq!(places.len(), blocks.len());
    }

    #[test]
    fn a_dropped_block_can_be_claimed_again() {
        let held = block(&["10.0.0.1"]);
        let lease = held.lease.local_addr().unwrap();
        assert_eq!(UdpSocket::bind(lease).unwrap_err().kind(), ErrorKind::AddrInUse);
        drop(held);
        UdpSocket::bind(lease).unwrap();
    }

    #[test]
    fn more_hosts_than_a_block_has_are_refused() {
        let addresses = (0..254).map(|n| IpAddr::from([10, 0, 0, n])).collect();
        assert!(matches!(Block::claim(&addresses), Err(GroundError::TooManyHosts { hosts: 254, most: 253 })));
    }
}
