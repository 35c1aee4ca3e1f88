//! The address plan of a lab's wires, in networks of 254 hosts. It is not where labs have their own addresses
//! (198.18.0.0/15), nor where zones are published.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::str::FromStr;

use ipnet::Ipv4Net;

/// How long the prefix of one network is.
const NETWORK: u8 = 24;
/// How long that of a plan may be: a lab has a network for each of its cells and one for everybody else, and two labs at
/// once do not share any.
const PLAN: std::ops::RangeInclusive<u8> = 8..=20;

/// Which addresses the networks of labs may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressPlan(Ipv4Net);

impl Default for AddressPlan {
    /// 100.126.0.0/15, out of the shared address space of RFC 6598.
    fn default() -> Self {
        Self(Ipv4Net::new_assert(Ipv4Addr::new(100, 126, 0, 0), 15))
    }
}

/// Why something is no address plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no address plan of a lab's networks: expected an IPv4 prefix of 8 to 20 bits with no host bits set, for example \
     `10.200.0.0/16`"
)]
pub struct NoAddressPlan(String);

impl fmt::Display for AddressPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for AddressPlan {
    type Err = NoAddressPlan;

    fn from_str(text: &str) -> Result<Self, NoAddressPlan> {
        let net: Option<Ipv4Net> = text.parse().ok();
        let fits = net.filter(|net| PLAN.contains(&net.prefix_len()) && net.network() == net.addr());
        fits.map(Self).ok_or_else(|| NoAddressPlan(text.to_owned()))
    }
}

impl AddressPlan {
    /// How many networks there are: 16 to 65536.
    #[must_use]
    pub const fn count(self) -> u32 {
        1 << (NETWORK - self.0.prefix_len())
    }

    /// The network of this number; numbers from [`Self::count`] on begin again.
    #[must_use]
    pub fn subnet(self, number: u64) -> Subnet {
        let number = u32::try_from(number % u64::from(self.count())).unwrap_or_default();
        Subnet { plan: self, number }
    }
}

/// One network of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subnet {
    plan: AddressPlan,
    /// Less than the plan's count.
    number: u32,
}

impl Subnet {
    /// The plan it is of.
    #[must_use]
    pub const fn plan(self) -> AddressPlan {
        self.plan
    }

    /// The next one.
    #[must_use]
    pub fn next(self) -> Self {
        self.plan.subnet(u64::from(self.number) + 1)
    }

    /// This one and all that follow, once round, without those in which one of these addresses lies.
    pub fn onwards_without(self, taken: &[IpAddr]) -> impl Iterator<Item = Self> {
        let count = usize::try_from(self.plan.count()).unwrap_or(usize::MAX);
        let all = std::iter::successors(Some(self), |subnet| Some(subnet.next())).take(count);
        all.filter(|subnet| !taken.iter().any(|address| subnet.contains(*address)))
    }

    /// The host of this number in it; 1 is the engine itself.
    #[must_use]
    pub fn host(self, number: u8) -> Ipv4Addr {
        Ipv4Addr::from_bits(self.plan.0.network().to_bits() + (self.number << 8) + u32::from(number))
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
        format!("{}/{NETWORK}", self.host(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(number: u64) -> Subnet {
        AddressPlan::default().subnet(number)
    }

    #[test]
    fn the_plan_is_100_126_0_0_15_and_begins_again_at_its_end() {
        assert_eq!(AddressPlan::default().count(), 512);
        assert_eq!(number(0).cidr(), "100.126.0.0/24");
        assert_eq!(number(300).host(2), Ipv4Addr::new(100, 127, 44, 2));
        assert_eq!(number(511).cidr(), "100.127.255.0/24");
        assert_eq!(number(511).next(), number(0));
        assert_eq!(number(u64::MAX), number(511));
    }

    #[test]
    fn another_plan_is_any_prefix_that_has_room_and_begins_where_it_says() {
        let plan: AddressPlan = "10.200.16.0/20".parse().unwrap();
        assert_eq!((plan.count(), plan.subnet(0).cidr()), (16, "10.200.16.0/24".to_owned()));
        assert_eq!(plan.subnet(17).cidr(), "10.200.17.0/24");
        for wrong in ["10.200.0.0/21", "10.0.0.0/7", "10.200.1.0/16", "10.200.0.0", "fd00::/16", ""] {
            let error = wrong.parse::<AddressPlan>().unwrap_err();
            assert!(error.to_string().contains(&format!("`{wrong}`")), "{error}");
        }
    }

    #[test]
    fn networks_that_hold_an_address_of_somebody_are_left_out_wherever_it_begins() {
        let taken = ["100.126.7.10", "100.126.9.1", "198.18.0.1"].map(|address| address.parse().unwrap());
        let numbers: Vec<Subnet> = number(6).onwards_without(&taken).collect();
        assert_eq!(numbers[..3], [6, 8, 10].map(number));
        assert_eq!(numbers.len(), 510);
        assert_eq!(numbers.last(), Some(&number(5)));
    }

    #[test]
    fn an_address_is_in_one_network_of_the_plan_or_in_none() {
        let inside =
            |address: &str| (0..512).filter(|at| number(*at).contains(address.parse().unwrap())).collect::<Vec<_>>();
        assert_eq!(inside("100.126.7.255"), [7]);
        assert!(
            inside("198.18.1.10").is_empty() && inside("100.128.0.1").is_empty() && inside("2001:db8::1").is_empty()
        );
    }
}
