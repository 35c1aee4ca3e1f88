//! The typed parameters of steps: how each is written, and what it becomes.
//!
//! A pattern is as wide as a person may err; what it lets through and is no such thing is told where it stands.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use hickory_proto::rr::RecordType;
use ipnet::IpNet;

use crate::decide::Viewpoint;
use crate::geography::REGIONS;
use crate::source::nearest;
use crate::zone::{SUPPORTED_TYPES, type_of_text};

/// A parameter of muster's own; `{string}`, `{word}` and `{int}` are those of cucumber expressions.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// As expressions write it, without its braces.
    pub name: &'static str,
    /// How it is written, as a regular expression without groups that capture.
    pub pattern: &'static str,
    /// What it is, for people.
    pub about: &'static str,
    /// Some that are right.
    pub examples: &'static str,
}

/// Every parameter of muster's own.
pub const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "duration",
        pattern: r"-?\d+(?:\.\d+)? ?[[:alpha:]]+",
        about: "a time in lab time: ms, s, min, h or d",
        examples: "60 s, 10 min, 1.5 s",
    },
    Parameter {
        name: "place",
        pattern: r"[[:alpha:]][^\x22]*?",
        about: "a country by name or code, a state of the US, or an AWS Region",
        examples: "Brazil, DE, US-CA, US/California, sa-east-1",
    },
    Parameter {
        name: "address",
        pattern: r"[[:xdigit:].:]+",
        about: "an IP address",
        examples: "192.0.2.1, 2001:db8::1",
    },
    Parameter {
        name: "subnet",
        pattern: r"[[:xdigit:].:]+/\d+",
        about: "a network",
        examples: "198.51.100.0/24, 2001:db8::/56",
    },
    Parameter {
        name: "type",
        pattern: r"[A-Za-z]+",
        about: "a record type of Route 53",
        examples: "A, AAAA, CNAME, MX",
    },
    Parameter { name: "health", pattern: "healthy|unhealthy", about: "a status", examples: "healthy, unhealthy" },
    Parameter { name: "turn", pattern: "on|off", about: "a switch's position", examples: "on, off" },
    Parameter {
        name: "signal",
        pattern: "health check|load balancer|verdict behind",
        about: "what has a status: a health check, a load balancer, the verdict on the engine behind an endpoint",
        examples: "health check, load balancer, verdict behind",
    },
    Parameter {
        name: "change",
        pattern: "disabled|enabled|inverted|no longer inverted|updated",
        about: "what is changed of a health check; an update copies the settings of its alarm anew",
        examples: "disabled, enabled, inverted, no longer inverted, updated",
    },
    Parameter {
        name: "behaviour",
        pattern: "refuses connections|accepts and never answers|has no IPv4 address|tells the verdict on an engine|recovers",
        about: "what an endpoint does from now on",
        examples: "refuses connections, accepts and never answers, has no IPv4 address, tells the verdict on an engine, recovers",
    },
    Parameter {
        name: "verdict",
        pattern: r"passes|fails: \x22[^\x22]*\x22",
        about: "what a probe comes to; when it fails, with a part of the reason",
        examples: "passes; fails: \"status 404\"",
    },
    Parameter {
        name: "stream",
        pattern: "breaches from now on|is fine from now on|ends",
        about: "what a metric does from now on, with a sample a minute unless it ends",
        examples: "breaches from now on, is fine from now on, ends",
    },
    Parameter {
        name: "reach",
        pattern: "out of reach|within reach",
        about: "whether Route 53 reaches a load balancer's nodes",
        examples: "out of reach, within reach",
    },
    Parameter {
        name: "use",
        pattern: "was just used|is sent a message|is polled once a minute|is left alone|hands out a message that is not deleted",
        about: "who uses a queue",
        examples: "was just used, is sent a message, is polled once a minute, is left alone, hands out a message that is not deleted",
    },
    Parameter {
        name: "engine",
        pattern: "refuses connections|is wedged|answers again|is drained by hand|is no longer drained|loses its prober",
        about: "what happens to an inference engine or its prober",
        examples: "refuses connections, is wedged, answers again, is drained by hand, is no longer drained, loses its prober",
    },
    Parameter {
        name: "answers",
        pattern: r"(?:\x22[^\x22]*\x22|[^\s,\x22]+)(?:, (?:\x22[^\x22]*\x22|[^\s,\x22]+))*",
        about: "set identifiers (their values are meant), values or AWS resources, separated by `, `; quoted when there \
                is a space in one",
        examples: "primary; e0, e1; 192.0.2.1; \"10 mail.example.com.\"",
    },
    Parameter {
        name: "names",
        pattern: r"\x22[^\x22]*\x22(?:, \x22[^\x22]*\x22)*",
        about: "names in quotes, separated by `, `",
        examples: "\"hc-a\", \"hc-b\"",
    },
];

/// The patterns by name, as cucumber expressions take them.
#[must_use]
pub fn patterns() -> HashMap<&'static str, &'static str> {
    PARAMETERS.iter().map(|parameter| (parameter.name, parameter.pattern)).collect()
}

const UNITS: [(&str, f64); 5] = [("ms", 0.001), ("s", 1.0), ("min", 60.0), ("h", 3600.0), ("d", 86_400.0)];

/// # Errors
/// What was expected.
pub fn duration(text: &str) -> Result<Duration, String> {
    let end = text.find(|c: char| c.is_alphabetic()).unwrap_or(text.len());
    let (number, unit) = (text[..end].trim(), text[end..].trim());
    let expected = "expected a number and a unit: ms, s, min, h or d, as in `60 s`";
    let Some((_, seconds)) = UNITS.iter().find(|(known, _)| *known == unit) else {
        return Err(format!("unit `{unit}` is not known; {expected}"));
    };
    let number: f64 = number.parse().map_err(|_| format!("`{text}` is no duration; {expected}"))?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| format!("`{text}` is no duration; {expected}"))
}

/// What a decision sees of a sender there: a country, a state of the US, or whoever stands in an AWS Region.
///
/// # Errors
/// When the place is not known; with the nearest known name.
pub fn place(text: &str) -> Result<Viewpoint, String> {
    if let Some(viewpoint) = Viewpoint::of_region(text) {
        return Ok(viewpoint);
    }
    if text.contains('-') && text.chars().any(|c| c.is_ascii_digit()) {
        let meant = nearest(text, REGIONS.iter().map(|(name, ..)| *name));
        let meant = meant.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
        return Err(format!("AWS Region `{text}` is not known{meant}"));
    }
    let state = text.split_once('-').filter(|(country, state)| country.len() == 2 && state.len() == 2);
    let written = state.map_or_else(|| text.to_owned(), |(country, state)| format!("{country}/{state}"));
    Viewpoint::of_place(&written).map_err(|error| error.to_string())
}

/// # Errors
/// What was expected.
pub fn address(text: &str) -> Result<IpAddr, String> {
    text.parse().map_err(|_| format!("`{text}` is no IP address; expected one such as 192.0.2.1 or 2001:db8::1"))
}

/// # Errors
/// What was expected.
pub fn subnet(text: &str) -> Result<IpNet, String> {
    let network: IpNet = text
        .parse()
        .map_err(|_| format!("`{text}` is no network; expected one such as 198.51.100.0/24 or 2001:db8::/56"))?;
    if network.trunc() == network {
        Ok(network)
    } else {
        Err(format!("`{text}` has bits beyond its prefix; expected `{}`", network.trunc()))
    }
}

/// # Errors
/// When Route 53 has no such type; with the nearest.
pub fn record_type(text: &str) -> Result<RecordType, String> {
    if text == "ANY" {
        return Ok(RecordType::ANY);
    }
    type_of_text(text).ok_or_else(|| {
        let meant = nearest(text, SUPPORTED_TYPES.iter().map(|(name, _)| *name));
        let meant = meant.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
        format!("record type `{text}` is not one of Route 53{meant}")
    })
}

/// The items of a list, without their quotes.
#[must_use]
pub fn items(text: &str) -> Vec<String> {
    let mut items = Vec::new();
    let (mut item, mut quoted) = (String::new(), false);
    for character in text.chars() {
        match character {
            '"' => quoted = !quoted,
            ',' if !quoted => items.push(std::mem::take(&mut item).trim().to_owned()),
            other => item.push(other),
        }
    }
    items.push(item.trim().to_owned());
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_a_number_and_a_unit() {
        assert_eq!(duration("60 s").unwrap(), Duration::from_secs(60));
        assert_eq!(duration("1.5 min").unwrap(), Duration::from_secs(90));
        assert_eq!(duration("250 ms").unwrap(), Duration::from_millis(250));
        assert_eq!(
            duration("60 sec").unwrap_err(),
            "unit `sec` is not known; expected a number and a unit: ms, s, min, h or d, as in `60 s`"
        );
        assert!(duration("-1 s").is_err());
    }

    #[test]
    fn a_place_is_a_country_a_state_or_a_region() {
        assert_eq!(place("Brazil").unwrap().country.as_deref(), Some("BR"));
        assert_eq!(place("US-CA").unwrap().subdivision.as_deref(), Some("CA"));
        let region = place("sa-east-1").unwrap();
        assert_eq!((region.country.as_deref(), region.continent.as_deref()), (Some("BR"), Some("SA")));
        assert!(place("Brasil").unwrap_err().contains("did you mean `Brazil`?"));
        assert!(place("sa-est-1").unwrap_err().contains("did you mean `sa-east-1`?"));
    }

    #[test]
    fn a_subnet_has_no_bits_beyond_its_prefix() {
        assert!(subnet("198.51.100.0/24").is_ok());
        assert!(subnet("198.51.100.1/24").unwrap_err().contains("expected `198.51.100.0/24`"));
    }

    #[test]
    fn an_unknown_type_names_the_nearest() {
        assert!(record_type("AAA").unwrap_err().contains("did you mean `AAAA`?"));
    }

    #[test]
    fn a_list_may_hold_quoted_items() {
        assert_eq!(items("e0, \"10 mail.example.com.\", e1"), ["e0", "10 mail.example.com.", "e1"]);
    }
}
