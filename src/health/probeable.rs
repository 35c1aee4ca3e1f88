//! Which addresses Route 53 lets an endpoint health check name (R53-120).
//!
//! A drill's own checks are not held to it: a lab stands on documentation addresses, which Route 53 refuses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

const fn v4(a: u8, b: u8, c: u8, prefix: u8) -> IpNet {
    IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, 0), prefix))
}

const fn v6(first: u16, second: u16, last: u16, prefix: u8) -> IpNet {
    IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::new(first, second, 0, 0, 0, 0, 0, last), prefix))
}

/// The blocks that are refused: their kind, and the RFC that sets them aside.
const REFUSED: [(&str, IpNet); 17] = [
    ("this host (RFC 1122)", v4(0, 0, 0, 8)),
    ("private (RFC 1918)", v4(10, 0, 0, 8)),
    ("shared (RFC 6598)", v4(100, 64, 0, 10)),
    ("loopback (RFC 1122)", v4(127, 0, 0, 8)),
    ("link-local (RFC 3927)", v4(169, 254, 0, 16)),
    ("private (RFC 1918)", v4(172, 16, 0, 12)),
    ("documentation (RFC 5737)", v4(192, 0, 2, 24)),
    ("private (RFC 1918)", v4(192, 168, 0, 16)),
    ("documentation (RFC 5737)", v4(198, 51, 100, 24)),
    ("documentation (RFC 5737)", v4(203, 0, 113, 24)),
    ("multicast (RFC 5771)", v4(224, 0, 0, 4)),
    ("unspecified (RFC 4291)", v6(0, 0, 0, 128)),
    ("loopback (RFC 4291)", v6(0, 0, 1, 128)),
    ("private (RFC 4193)", v6(0xfc00, 0, 0, 7)),
    ("link-local (RFC 4291)", v6(0xfe80, 0, 0, 10)),
    ("documentation (RFC 3849)", v6(0x2001, 0x0db8, 0, 32)),
    ("multicast (RFC 4291)", v6(0xff00, 0, 0, 8)),
];

/// An address that no health check can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "address {address} is not possible for a health check: it is {kind}, and Route 53 probes public addresses (R53-120)"
)]
pub struct NotProbeable {
    /// As it was asked for.
    pub address: IpAddr,
    /// What kind of address it is, and the RFC that sets it aside.
    pub kind: &'static str,
}

/// Whether Route 53 would take a health check of this address. An IPv4 address inside an IPv6 one counts as itself.
///
/// # Errors
/// For a private, loopback, link-local, shared, documentation or multicast address (R53-120).
pub fn probeable(address: IpAddr) -> Result<(), NotProbeable> {
    let plain = address.to_canonical();
    match REFUSED.iter().find(|(_, block)| block.contains(&plain)) {
        Some((kind, _)) => Err(NotProbeable { address, kind }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r53_120_addresses_that_the_internet_does_not_reach_are_refused() {
        for (address, possible) in [
            ("9.255.255.255", true),
            ("10.0.0.0", false),
            ("10.255.255.255", false),
            ("11.0.0.0", true),
            ("100.63.255.255", true),
            ("100.64.0.0", false),
            ("100.127.255.255", false),
            ("100.128.0.0", true),
            ("127.0.0.1", false),
            ("169.254.169.254", false),
            ("172.15.255.255", true),
            ("172.16.0.0", false),
            ("172.31.255.255", false),
            ("172.32.0.0", true),
            ("192.0.2.44", false),
            ("192.167.255.255", true),
            ("192.168.0.1", false),
            ("198.51.100.1", false),
            ("203.0.113.255", false),
            ("203.0.114.0", true),
            ("223.255.255.255", true),
            ("224.0.0.1", false),
            ("239.255.255.255", false),
            ("::1", false),
            ("::", false),
            ("::ffff:10.0.0.1", false),
            ("::ffff:9.9.9.9", true),
            ("fd00::1", false),
            ("fe80::1", false),
            ("febf::1", false),
            ("2001:db8::1", false),
            ("2001:db9::1", true),
            ("2600:1f00::1", true),
            ("ff02::1", false),
        ] {
            assert_eq!(probeable(address.parse().unwrap()).is_ok(), possible, "{address}");
        }
    }

    #[test]
    fn r53_120_a_refusal_says_what_kind_of_address_it_is() {
        let refused = probeable("10.0.0.1".parse().unwrap()).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "address 10.0.0.1 is not possible for a health check: it is private (RFC 1918), and Route 53 probes public \
             addresses (R53-120)"
        );
    }
}
