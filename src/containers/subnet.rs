//! The address plan of a lab's wires: 100.126.0.0/15, out of the shared address space of RFC 6598, in networks of 254
//! hosts. It is not where labs have their own addresses (198.18.0.0/15), nor where zones are published.

use std::net::{IpAddr, Ipv4Addr};

/// One network of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Subnet(u16);

impl Subnet {
    /// How many there are.
    pub const COUNT: u16 = 512;

    /// The one of this number; numbers from [`Self::COUNT`] on begin again.
    #[must_use]
    pub const fn number(number: u16) -> Self {
        Self(number % Self::COUNT)
    }

    /// The next one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self::number(self.0 + 1)
    }

    /// This one and all that follow, once round, without those in which one of these addresses lies.
    pub fn onwards_without(self, taken: &[IpAddr]) -> impl Iterator<Item = Self> {
        let all = std::iter::successors(Some(self), |subnet| Some(subnet.next())).take(Self::COUNT.into());
        all.filter(|subnet| !taken.iter().any(|address| subnet.contains(*address)))
    }

    /// The host of this number in it; 1 is the engine itself.
    #[must_use]
    pub fn host(self, number: u8) -> Ipv4Addr {
        Ipv4Addr::from_bits(Ipv4Addr::new(100, 126, 0, 0).to_bits() + (u32::from(self.0) << 8) + u32::from(number))
    }

    /// Whether an address lies in it.
    #[must_use]
    pub fn contains(self, address: IpAddr) -> bool {
        match address {
            IpAddr::V4(v4) => v4.to_bits() >> 8 == self.host(0).to_bits() >> 8,
            IpAddr::V6(_) => false,
        }
    }

    /// As an engine wants it, for example `100.126.7.0/24`.
    #[must_use]
    pub fn cidr(self) -> String {
        format!("{}/24", self.host(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plan_is_100_126_0_0_15_and_begins_again_at_its_end() {
        assert_eq!(Subnet::number(0).cidr(), "100.126.0.0/24");
        assert_eq!(Subnet::number(300).host(2), Ipv4Addr::new(100, 127, 44, 2));
        assert_eq!(Subnet::number(511).cidr(), "100.127.255.0/24");
        assert_eq!(Subnet::number(511).next(), Subnet::number(0));
    }

    #[test]
    fn networks_that_hold_an_address_of_somebody_are_left_out_wherever_it_begins() {
        let taken = ["100.126.7.10", "100.126.9.1", "198.18.0.1"].map(|address| address.parse().unwrap());
        let numbers: Vec<Subnet> = Subnet::number(6).onwards_without(&taken).collect();
        assert_eq!(numbers[..3], [6, 8, 10].map(Subnet::number));
        assert_eq!(numbers.len(), 510);
        assert_eq!(numbers.last(), Some(&Subnet::number(5)));
    }

    #[test]
    fn an_address_is_in_one_network_of_the_plan_or_in_none() {
        let inside = |address: &str| {
            (0..Subnet::COUNT)
                .filter(|number| Subnet::number(*number).contains(address.parse().unwrap()))
                .collect::<Vec<_>>()
        };
        assert_eq!(inside("100.126.7.255"), [7]);
        assert!(
            inside("198.18.1.10").is_empty() && inside("100.128.0.1").is_empty() && inside("2001:db8::1").is_empty()
        );
    }
}
