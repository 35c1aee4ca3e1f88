//! Why a process of a spread lab ended.

use std::io;
use std::net::SocketAddr;

/// Why a process of a spread lab ended before it was told to.
#[derive(Debug, thiserror::Error)]
pub enum SpreadError {
    /// A port cannot be listened at.
    #[error("port {port} cannot be listened at: {problem}")]
    Port {
        /// Which.
        port: u16,
        /// What the kernel said.
        problem: io::Error,
    },
    /// Nobody came to lead the lab.
    #[error("nobody came to lead the lab within {seconds} s")]
    NobodyLeads {
        /// How long was waited.
        seconds: u64,
    },
    /// The hub was not reached.
    #[error(
        "the hub at {hub} was not reached within {seconds} s: {problem}; the containers' wires are 100.126.0.0/15: if \
         something on the engine's machine filters what is in 100.64.0.0/10, as Tailscale does, stop it \
         (`tailscale down`), or let these through"
    )]
    NoHub {
        /// Where it should be.
        hub: SocketAddr,
        /// How long it was tried.
        seconds: u64,
        /// The last refusal.
        problem: io::Error,
    },
    /// The other side ended, or said something else than it should have.
    #[error("{who} ended before it said {expected}")]
    Silent {
        /// Who.
        who: &'static str,
        /// What was expected.
        expected: &'static str,
    },
    /// The share cannot be built.
    #[error("{0}")]
    Broke(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_does_not_reach_the_hub_is_told_what_may_filter_the_wires() {
        let hub = "100.126.7.2:9053".parse().unwrap();
        let said = SpreadError::NoHub { hub, seconds: 120, problem: io::ErrorKind::TimedOut.into() }.to_string();
        assert!(said.contains("100.126.0.0/15") && said.contains("Tailscale"), "{said}");
    }
}
