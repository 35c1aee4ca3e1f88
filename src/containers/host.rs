//! Where an engine is, and so where its published ports are: pure.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use axum::http::Uri;

/// Where a Docker engine's published ports are bound, and where they are reached from here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineHost {
    /// The address that the engine binds them to.
    pub(super) bound_to: IpAddr,
    /// The name or the address at which they are reached.
    pub(super) reached_at: String,
}

impl EngineHost {
    /// The engine of this machine: nobody else reaches its ports.
    #[must_use]
    pub fn here() -> Self {
        Self::loopback(Ipv4Addr::LOCALHOST.into())
    }

    /// The one that `DOCKER_HOST` names. On a loopback its ports are bound to that very address; elsewhere to every
    /// address of its machine, because which of them is reached from here only the network knows. `None` when it is named
    /// in a way that is not spoken here: expected `unix://`, `tcp://`, `http://` or `https://`.
    #[must_use]
    pub fn named(docker_host: &str) -> Option<Self> {
        let (scheme, _) = docker_host.split_once("://")?;
        match scheme {
            "unix" => Some(Self::here()),
            "tcp" | "http" | "https" => Self::on_the_network(&docker_host.parse().ok()?),
            _ => None,
        }
    }

    fn on_the_network(uri: &Uri) -> Option<Self> {
        let name = uri.host()?.trim_start_matches('[').trim_end_matches(']');
        let every = |address| Self { bound_to: address, reached_at: name.to_owned() };
        match name.parse() {
            Ok(address) if IpAddr::is_loopback(&address) => Some(Self::loopback(address)),
            Ok(IpAddr::V6(_)) => Some(every(Ipv6Addr::UNSPECIFIED.into())),
            Err(_) if name.is_empty() => None,
            Err(_) if name.eq_ignore_ascii_case("localhost") => Some(Self::here()),
            Ok(IpAddr::V4(_)) | Err(_) => Some(every(Ipv4Addr::UNSPECIFIED.into())),
        }
    }

    fn loopback(address: IpAddr) -> Self {
        Self { bound_to: address, reached_at: address.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where ports are bound, and where they are reached.
    fn ports(docker_host: &str) -> Option<(String, String)> {
        EngineHost::named(docker_host).map(|host| (host.bound_to.to_string(), host.reached_at))
    }

    fn at(bound_to: &str, reached_at: &str) -> (String, String) {
        (bound_to.to_owned(), reached_at.to_owned())
    }

    #[test]
    fn the_ports_of_an_engine_on_a_loopback_stay_there() {
        assert_eq!(ports("unix:///var/run/docker.sock"), Some(at("127.0.0.1", "127.0.0.1")));
        assert_eq!(ports("tcp://127.0.0.1:2375"), Some(at("127.0.0.1", "127.0.0.1")));
        assert_eq!(ports("tcp://127.0.0.2:2375"), Some(at("127.0.0.2", "127.0.0.2")));
        assert_eq!(ports("http://[::1]:2375"), Some(at("::1", "::1")));
        assert_eq!(ports("tcp://localhost:2375"), Some(at("127.0.0.1", "127.0.0.1")));
    }

    #[test]
    fn the_ports_of_an_engine_elsewhere_are_reached_at_its_own_name_or_address() {
        assert_eq!(ports("tcp://192.0.2.7:2376"), Some(at("0.0.0.0", "192.0.2.7")));
        assert_eq!(ports("https://engine.example.com:2376/"), Some(at("0.0.0.0", "engine.example.com")));
        assert_eq!(ports("tcp://[2001:db8::7]:2376"), Some(at("::", "2001:db8::7")));
    }

    #[test]
    fn an_engine_that_is_named_otherwise_is_nowhere() {
        for host in
            ["ssh://me@engine.example.com", "127.0.0.1:2375", "/var/run/docker.sock", "tcp://", "tcp://:2375", ""]
        {
            assert_eq!(EngineHost::named(host), None, "{host}");
        }
    }
}
