//! Who takes part: resolvers and clients, each a program and how it is set up, and the rule that says what it does.

use crate::plan::{ClientSoftware, ResolverSoftware};

/// A resolver of the matrix, which is run with all its clients at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resolver {
    /// What it is called on the command line, and in the drill.
    pub name: &'static str,
    /// Its program.
    pub software: ResolverSoftware,
    /// To which TTL it raises every lower one, as a drill says it.
    pub ttl_floor: Option<&'static str>,
    /// What it is expected to do.
    pub rule: Rule,
}

/// A client of the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Client {
    /// What it is called on the command line, and in the drill.
    pub name: &'static str,
    /// Its program.
    pub software: ClientSoftware,
    /// Keys of the drill by which it differs from what its program does by itself.
    pub settings: &'static [(&'static str, &'static str)],
    /// What it is expected to do.
    pub rule: Rule,
}

/// What is expected, and the rule that says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rule {
    /// Its number.
    pub number: &'static str,
    /// What it says of this one, for people.
    pub says: &'static str,
}

/// Every resolver, in the order in which they are run.
pub static RESOLVERS: [Resolver; 6] = [
    Resolver { name: "unbound", software: ResolverSoftware::Unbound, ttl_floor: None, rule: HONOURS },
    Resolver { name: "bind", software: ResolverSoftware::Bind, ttl_floor: None, rule: HONOURS },
    Resolver { name: "pdns-recursor", software: ResolverSoftware::PdnsRecursor, ttl_floor: None, rule: HONOURS },
    Resolver { name: "knot-resolver", software: ResolverSoftware::KnotResolver, ttl_floor: None, rule: HONOURS },
    Resolver { name: "dnsmasq", software: ResolverSoftware::Dnsmasq, ttl_floor: None, rule: HONOURS },
    Resolver {
        name: "unbound-floor",
        software: ResolverSoftware::Unbound,
        ttl_floor: Some("120s"),
        rule: Rule { number: "RSV-TTL-3", says: "a floor (here 120 s) holds a failover record like any other" },
    },
];

const HONOURS: Rule = Rule {
    number: "RSV-TTL-1",
    says: "a resolver keeps an answer for its TTL, raised to a floor and cut at a ceiling where it has one",
};

/// Every client, in the order in which they are told.
pub static CLIENTS: [Client; 9] = [
    Client {
        name: "curl",
        software: ClientSoftware::Curl,
        settings: &[],
        rule: Rule { number: "CLI-OS-1", says: "glibc keeps nothing: the next call follows its resolver" },
    },
    Client {
        name: "go",
        software: ClientSoftware::Go,
        settings: &[],
        rule: Rule { number: "CLI-GO-2", says: "Go's net/http looks up when it dials: a busy connection never moves" },
    },
    Client {
        name: "jvm",
        software: ClientSoftware::Jvm,
        settings: &[],
        rule: Rule { number: "CLI-JVM-1", says: "the JVM keeps an address for 30 s, whatever its TTL" },
    },
    Client {
        name: "jvm-forever",
        software: ClientSoftware::Jvm,
        settings: &[("profile", "cache-forever")],
        rule: Rule { number: "CLI-JVM-2", says: "the JVM that is told so keeps an address for ever" },
    },
    Client {
        name: "node",
        software: ClientSoftware::Node,
        settings: &[],
        rule: Rule { number: "CLI-NODE-2", says: "Node's fetch moves only after 4 s without a request" },
    },
    Client {
        name: "python",
        software: ClientSoftware::Python,
        settings: &[],
        rule: Rule { number: "CLI-PY-3", says: "httpx moves only after 5 s without a request" },
    },
    Client {
        name: "python-recycling",
        software: ClientSoftware::Python,
        settings: &[("max-age", "60s")],
        rule: Rule { number: "TMX-2", says: "a connection moves when its life ends: here the wrapper ends it at 60 s" },
    },
    Client {
        name: "nginx",
        software: ClientSoftware::Nginx,
        settings: &[],
        rule: Rule { number: "CLI-NGX-1", says: "nginx resolves a literal name when it starts, and never again" },
    },
    Client {
        name: "grpc",
        software: ClientSoftware::Grpc,
        settings: &[],
        rule: Rule { number: "CLI-GRPC-1", says: "grpc-go looks up when its connection breaks, and never polls" },
    },
];

impl Resolver {
    /// The one of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        RESOLVERS.iter().find(|resolver| resolver.name == name)
    }
}

impl Client {
    /// The one of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        CLIENTS.iter().find(|client| client.name == name)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_program_of_a_resolver_takes_part_and_every_name_is_there_once() {
        for software in ResolverSoftware::ALL {
            assert!(RESOLVERS.iter().any(|resolver| resolver.software == software), "{software}");
        }
        let names: BTreeSet<_> =
            RESOLVERS.iter().map(|one| one.name).chain(CLIENTS.iter().map(|one| one.name)).collect();
        assert_eq!(names.len(), RESOLVERS.len() + CLIENTS.len());
        assert!(RESOLVERS.iter().all(|one| Resolver::named(one.name) == Some(one)));
        assert!(CLIENTS.iter().all(|one| Client::named(one.name) == Some(one)));
    }

    #[test]
    fn every_program_of_a_client_takes_part() {
        for software in ClientSoftware::ALL {
            assert!(CLIENTS.iter().any(|client| client.software == software), "{software}");
        }
    }
}
