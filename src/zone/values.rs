//! Values in presentation format, as Route 53 takes them.

use std::net::{Ipv4Addr, Ipv6Addr};

use hickory_proto::rr::RecordType;

use super::{RecordProblem, is_unknown};

/// Names inside values are absolute in Route 53 even without their trailing dot; here they get it.
pub(crate) fn absolute(rtype: RecordType, value: &str) -> String {
    // Which words of the value are names.
    let names: &[usize] = match rtype {
        RecordType::CNAME | RecordType::NS | RecordType::PTR => &[0],
        RecordType::MX | RecordType::HTTPS | RecordType::SVCB => &[1],
        RecordType::SRV => &[3],
        RecordType::SOA => &[0, 1],
        _ => return value.to_owned(),
    };
    if is_unknown(value) {
        return value.to_owned();
    }
    let is_relative = |&place: &usize| value.split_whitespace().nth(place).is_some_and(|word| !word.ends_with('.'));
    if !names.iter().any(is_relative) {
        return value.to_owned();
    }
    value
        .split_whitespace()
        .enumerate()
        .map(
            |(place, word)| {
                if names.contains(&place) && !word.ends_with('.') { format!("{word}.") } else { word.to_owned() }
            },
        )
        .collect::<Vec<_>>()
        .join(" ")
}

/// Whether a value is an address where it must be one.
pub(crate) fn check(rtype: RecordType, value: &str) -> Result<(), RecordProblem> {
    if is_unknown(value) {
        return Ok(());
    }
    let (fits, expected) = match rtype {
        RecordType::A => (value.parse::<Ipv4Addr>().is_ok(), "IPv4 address"),
        RecordType::AAAA => (value.parse::<Ipv6Addr>().is_ok(), "IPv6 address"),
        _ => (!value.trim().is_empty(), "value: it is empty"),
    };
    if fits { Ok(()) } else { Err(RecordProblem::Value { found: value.to_owned(), expected }) }
}
