//! The address plan of a lab's wires: 198.18.0.0/15, which RFC 2544 keeps for labs, in networks of 254 hosts.

use std::net::Ipv4Addr;

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

    /// The host of this number in it; 1 is the engine itself.
    #[must_use]
    pub fn host(self, number: u8) -> Ipv4Addr {
        Ipv4Addr::from_bits(Ipv4Addr::new(198, 18, 0, 0).to_bits() + (u32::from(self.0) << 8) + u32::from(number))
    }

    /// As an engine wants it, for example `198.18.7.0/24`.
    #[must_use]
    pub fn cidr(self) -> String {
        format!("{}/24", self.host(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plan_is_198_18_0_0_15_and_begins_again_at_its_end() {
        assert_eq!(Subnet::number(0).cidr(), "198.18.0.0/24");
        assert_eq!(Subnet::number(300).host(2), Ipv4Addr::new(198, 19, 44, 2));
        assert_eq!(Subnet::number(511).cidr(), "198.19.255.0/24");
        assert_eq!(Subnet::number(511).next(), Subnet::number(0));
    }
}
