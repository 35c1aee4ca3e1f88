//! Which lab address belongs to whom.
//!
//! Two blocks are the lab's own, each with an IPv6 twin whose digits say the same: 198.18.0.0/16 holds what serves,
//! 198.19.0.0/16 what asks (both are set aside for tests of network devices, RFC 2544). What asks is ordered by place:
//! each place has a /24 and a /56 for itself, so that a client subnet never covers two places.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::health::CheckerId;

/// Cells that a lab has room for: one /24 each, the last two blocks are kept for the name server.
pub(super) const MOST_CELLS: usize = 250;
/// Zones that a cell has room for, each with addresses of its own.
pub(super) const MOST_ZONES: usize = 6;
/// Places that a lab has room for.
pub(super) const MOST_PLACES: usize = 256;
/// Resolvers, clients and probes together that a lab has room for.
pub(super) const MOST_ASKING: usize = 200;
/// Resolvers, clients and probes together that one place has room for; hosts 1 to 9 are the observers'.
pub(super) const MOST_AT_PLACE: usize = 240;

const FRONT: u8 = 10;
const DATABASE: u8 = 20;
const ENGINE: u8 = 30;
const PROBER: u8 = 31;
const QUEUE: u8 = 40;
const PRODUCER: u8 = 41;
const WORKER: u8 = 42;
const FIRST_TARGET: u8 = 101;
const OBSERVER: u8 = 1;
const FIRST_AT_PLACE: u8 = 10;

/// The addresses inside one cell, by the cell's rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellBlock(u8);

impl CellBlock {
    pub(super) fn of(rank: usize) -> Self {
        Self(low_byte(rank))
    }

    /// What an alias to this cell is answered with: one of each family for each zone, of which there is at least one.
    pub(super) fn fronts(self, zones: usize) -> Vec<IpAddr> {
        let hosts = (0..zones.max(1)).map(|zone| FRONT.saturating_add(low_byte(zone)));
        hosts
            .flat_map(|host| {
                let twin = Ipv6Addr::new(0x2001, 0xdb8, 0xc612, self.0.into(), 0, 0, 0, host.into());
                [Ipv4Addr::new(198, 18, self.0, host).into(), twin.into()]
            })
            .collect()
    }

    pub(super) const fn database(self) -> IpAddr {
        self.host(DATABASE)
    }

    pub(super) const fn engine(self) -> IpAddr {
        self.host(ENGINE)
    }

    pub(super) const fn prober(self) -> IpAddr {
        self.host(PROBER)
    }

    pub(super) const fn queue(self) -> IpAddr {
        self.host(QUEUE)
    }

    pub(super) const fn producer(self) -> IpAddr {
        self.host(PRODUCER)
    }

    pub(super) const fn worker(self) -> IpAddr {
        self.host(WORKER)
    }

    pub(super) fn target(self, index: usize) -> IpAddr {
        self.host(FIRST_TARGET.saturating_add(low_byte(index)))
    }

    const fn host(self, host: u8) -> IpAddr {
        IpAddr::V4(Ipv4Addr::new(198, 18, self.0, host))
    }
}

/// The addresses of one place, by the place's rank; gives each host of the place the next one.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaceBlock {
    rank: u8,
    next: u8,
}

impl PlaceBlock {
    pub(super) fn of(rank: usize) -> Self {
        Self { rank: low_byte(rank), next: FIRST_AT_PLACE }
    }

    /// Where the observers of this place ask from.
    pub(super) const fn observer(self) -> IpAddr {
        self.v4(OBSERVER)
    }

    /// The next host's addresses: IPv4, then its IPv6 twin.
    pub(super) fn next_host(&mut self) -> (IpAddr, IpAddr) {
        let host = self.next;
        self.next = self.next.saturating_add(1);
        let twin = Ipv6Addr::new(0x2001, 0xdb8, 0xc613, u16::from(self.rank) << 8, 0, 0, 0, host.into());
        (self.v4(host), twin.into())
    }

    const fn v4(self, host: u8) -> IpAddr {
        IpAddr::V4(Ipv4Addr::new(198, 19, self.rank, host))
    }
}

/// The authoritative server's addresses.
pub(super) fn authoritative() -> Vec<IpAddr> {
    vec![Ipv4Addr::new(198, 18, 255, 53).into(), Ipv6Addr::new(0x2001, 0xdb8, 0xc612, 0xff, 0, 0, 0, 0x53).into()]
}

/// Where the checkers of a Route 53 health check probe from, one address each.
pub(super) fn checkers() -> Vec<IpAddr> {
    CheckerId::all().map(|id| Ipv4Addr::new(198, 18, 254, low_byte(id.index()).saturating_add(1)).into()).collect()
}

/// Whether an address lies in the lab's own blocks, where a zone's or a drill's must not.
pub(super) fn is_reserved(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => matches!(address.octets(), [198, 18 | 19, ..]),
        IpAddr::V6(address) => matches!(address.segments(), [0x2001, 0xdb8, 0xc612 | 0xc613, ..]),
    }
}

/// Loading has made sure that nothing is counted beyond a byte.
fn low_byte(rank: usize) -> u8 {
    u8::try_from(rank).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_that_the_lab_gives_away_is_reserved() {
        let mut place = PlaceBlock::of(255);
        let (v4, v6) = place.next_host();
        let cell = CellBlock::of(249);
        let asking = [v4, v6, place.observer()];
        let given: Vec<IpAddr> = asking
            .into_iter()
            .chain(inside(cell))
            .chain(cell.fronts(MOST_ZONES))
            .chain(authoritative())
            .chain(checkers())
            .collect();
        for address in &given {
            assert!(is_reserved(*address), "{address}");
        }
        let distinct: std::collections::BTreeSet<_> = given.iter().collect();
        assert_eq!(distinct.len(), given.len(), "one address, one host");
    }

    /// Every host that a cell can have, twenty targets among them.
    fn inside(cell: CellBlock) -> Vec<IpAddr> {
        let parts = [cell.database(), cell.engine(), cell.prober(), cell.queue(), cell.producer(), cell.worker()];
        parts.into_iter().chain((0..20).map(|index| cell.target(index))).collect()
    }

    #[test]
    fn the_last_host_of_a_full_place_still_has_an_address_of_its_own() {
        let mut place = PlaceBlock::of(0);
        let hosts: std::collections::BTreeSet<_> = (0..MOST_AT_PLACE).map(|_| place.next_host()).collect();
        assert_eq!(hosts.len(), MOST_AT_PLACE);
    }
}
