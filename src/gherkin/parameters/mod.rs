//! The typed parameters of steps: how each is written, and what it becomes.
//!
//! A pattern is as wide as a person may err; what it lets through and is no such thing is told where it stands. A
//! parameter that is a choice admits its choices alone, and whoever writes another is told them.

mod choice;
mod read;

use std::collections::HashMap;

pub use choice::{Chosen, Written};
pub use read::{address, duration, items, place, record_type, subnet};

/// A parameter of muster's own; `{string}`, `{word}` and `{int}` are those of cucumber expressions.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// As expressions write it, without its braces.
    pub name: &'static str,
    /// How it is written.
    pub written: Written,
    /// What it is, for people.
    pub about: &'static str,
    /// Some that are right; of a choice, its choices tell.
    pub examples: &'static str,
}

const fn free(name: &'static str, pattern: &'static str, about: &'static str, examples: &'static str) -> Parameter {
    Parameter { name, written: Written::As(pattern), about, examples }
}

const fn choice(name: &'static str, choices: &'static [&'static str], about: &'static str) -> Parameter {
    Parameter { name, written: Written::OneOf(choices), about, examples: "" }
}

/// Every parameter of muster's own.
pub const PARAMETERS: &[Parameter] = &[
    free("duration", r"-?\d+(?:\.\d+)? ?[[:alpha:]]+", "a time in lab time: ms, s, min, h or d", "60 s, 10 min, 1.5 s"),
    free(
        "place",
        r"[[:alpha:]][^\x22]*?",
        "a country by name or code, a state of the US, or an AWS Region",
        "Brazil, DE, US-CA, US/California, sa-east-1",
    ),
    free("subnet", r"[[:xdigit:].:]+/\d+", "a network", "198.51.100.0/24, 2001:db8::/56"),
    free("type", r"[A-Za-z]+", "a record type of Route 53", "A, AAAA, CNAME, MX"),
    free(
        "answers",
        r"(?:\x22[^\x22]*\x22|[^\s,\x22]+)(?:, (?:\x22[^\x22]*\x22|[^\s,\x22]+))*",
        "set identifiers (their values are meant), values or AWS resources, separated by `, `; quoted when there is a \
         space in one",
        "primary; e0, e1; 192.0.2.1; \"10 mail.example.com.\"",
    ),
    free(
        "names",
        r"\x22[^\x22]*\x22(?:, \x22[^\x22]*\x22)*",
        "names in quotes, separated by `, `",
        "\"hc-a\", \"hc-b\"",
    ),
    choice("origin", &["under test", "of the file \"…\""], "the zone of `--zone`, or of a file, seen from the feature"),
    choice("made", &["created", "updated"], "whether it is new; what is updated must have been created"),
    choice(
        "switch",
        &[
            "\"simple alias passes health up\"",
            "\"query-relative child health\"",
            "\"IP-based falls back to broader locations\"",
            "\"zero weight keeps its group healthy\"",
            "\"sites and gateways are always healthy\"",
        ],
        "what AWS does not state in words, and each may be either way",
    ),
    choice("turn", &["on", "off"], "a switch's position"),
    choice("action", &["CREATE", "UPSERT", "DELETE"], "an action of a change batch"),
    choice("policy", &["weighted", "multivalue", "geolocation", "geoproximity"], "a routing policy of many records"),
    choice(
        "taken",
        &["accepted", "refused: \"…\""],
        "what Route 53's API answers; when it refuses, with a part of why",
    ),
    choice("health", &["healthy", "unhealthy"], "a status"),
    choice(
        "condition",
        &["healthy", "unhealthy", "disabled", "enabled", "inverted", "no longer inverted", "deleted"],
        "what a health check is from now on; a status is told outright, whatever it evaluates",
    ),
    choice(
        "behaviour",
        &[
            "refuses connections",
            "accepts and never answers",
            "has no IPv4 address",
            "has no checker that reports",
            "tells the verdict on an engine",
            "recovers",
        ],
        "what an endpoint does from now on",
    ),
    choice(
        "verdict",
        &["passes", "fails: \"…\"", "sends \"…\""],
        "what a probe comes to, when it fails with a part of the reason; or a line that it sends",
    ),
    choice(
        "stream",
        &["breaches from now on", "is fine from now on", "ends", "shows \"…\""],
        "what a metric does from now on, with a sample a minute unless it ends; or its latest periods, of which each is \
         0 (fine), X (breaching) or - (no data)",
    ),
    choice("state", &["OK", "ALARM", "INSUFFICIENT_DATA"], "the state of an alarm"),
    choice("reach", &["out of reach", "within reach"], "whether Route 53 reaches a load balancer's nodes"),
    choice(
        "serves",
        &["answers with the zones …", "forwards to … targets"],
        "what a load balancer does: the zones whose addresses it answers with, separated by `, `; how many targets get \
         requests",
    ),
    choice(
        "use",
        &[
            "was just used",
            "was just used, and gives a message up after … receives",
            "is sent a message",
            "is polled once a minute",
            "is left alone",
            "hands out a message that is not deleted",
        ],
        "who uses a queue",
    ),
    choice("report", &["nothing", "an age of …"], "what a queue's metric says of its oldest message"),
    choice(
        "engine",
        &[
            "refuses connections",
            "is wedged",
            "answers again",
            "is drained by hand",
            "is no longer drained",
            "loses its prober",
        ],
        "what happens to an inference engine or its prober",
    ),
    choice(
        "signal",
        &["health check", "load balancer", "alarm", "verdict behind"],
        "what has a status: a health check, a load balancer, an alarm, the verdict on the engine behind an endpoint",
    ),
    choice(
        "status",
        &["healthy", "unhealthy", "OK", "ALARM", "INSUFFICIENT_DATA", "not predictable"],
        "a status; OK, ALARM and INSUFFICIENT_DATA are those of an alarm, which has no others; that of a health check that \
         was deleted is not predictable",
    ),
    choice(
        "clients",
        &["a client", "many clients", "a client without EDNS", "a client that keeps to UDP"],
        "who asks; many ask a thousand times",
    ),
    choice(
        "vantage",
        &["in a VPC in …", "in …", "at …"],
        "where who asks is: in a VPC in an AWS Region, in a place (as `{place}`), or at an IP address; of places and VPCs \
         only a subject's inside knows",
    ),
    choice("cache", &["answered from its cache", "asked anew"], "where a resolver had its answer from"),
    choice(
        "spread",
        &["differ", "are all the same", "come in random order"],
        "how answers to one question lie to each other; the order is that of their values",
    ),
    choice("ttl", &["TTL", "negative TTL"], "how long an answer, or a negative one (RFC 2308), may be kept"),
    choice(
        "response",
        &["NODATA", "NXDOMAIN", "REFUSED", "truncated", "not truncated"],
        "what a response is; NODATA: the name exists, and has nothing of that type",
    ),
    choice("section", &["answer", "authority", "additional"], "a section of the message"),
    choice(
        "contents",
        &[
            "only the name that was asked for",
            "the CNAME \"…\"",
            "the zone's name servers",
            "the addresses …",
            "no addresses",
        ],
        "what a section holds: the first two are of the answer section, the third of the authority section, the others \
         of the additional section, of which the addresses of name servers are left out",
    ),
    choice(
        "scope",
        &["the whole subnet", "every client"],
        "for whom an answer holds (RFC 7871): for the client subnet on whose behalf it was asked for, or for all",
    ),
    choice("run", &["the drill", "the control of the drill"], "what runs; a control leaves the fault out"),
    choice(
        "outcome",
        &["passes", "fails", "stays inside its predictions"],
        "what comes of a drill; the last says that every stage was measured inside its prediction",
    ),
    choice("leg", &["failover", "failback"], "the way out, and the way back"),
    choice(
        "times",
        &["is predicted as", "took at most"],
        "what the table tells of each stage: `best` and `worst` of what is predicted, or `time`, which what was measured \
         must not exceed, its uncertainty included",
    ),
];

/// The parameter of this name.
#[must_use]
pub fn parameter(name: &str) -> Option<&'static Parameter> {
    PARAMETERS.iter().find(|parameter| parameter.name == name)
}

/// The patterns by name, as cucumber expressions take them.
#[must_use]
pub fn patterns() -> HashMap<&'static str, String> {
    PARAMETERS.iter().map(|parameter| (parameter.name, parameter.written.pattern())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_has_one_name_and_tells_how_it_is_written() {
        for (index, parameter) in PARAMETERS.iter().enumerate() {
            assert!(PARAMETERS[..index].iter().all(|other| other.name != parameter.name), "{}", parameter.name);
            assert_eq!(parameter.written.choices().is_empty(), !parameter.examples.is_empty(), "{}", parameter.name);
        }
    }
}
