//! The network roles of a lab: what listens, what probes, what asks.
//!
//! Nodes speak in lab addresses and let the ground say where those are. What they do by rule (checks, caches, pools)
//! is decided in the rooms without I/O; a node only turns their crank. No node knows the verdict or the expectations.
//!
//! A node runs on real sockets and, on a simulated ground, without any: it waits by its environment's clock alone, and
//! listens and asks by the few ways that know both (`http_server`, `http_client`, `connections`, the DNS server and its
//! clients).

pub mod alarm_checks;
mod arrivals;
pub mod authoritative;
pub mod cadence;
pub mod cells;
pub mod certificate;
mod certificate_problem;
pub mod checker_fleet;
pub mod client;
pub(crate) mod connections;
pub mod control_plane;
pub mod database;
mod dns_client;
pub mod dns_observer;
mod dns_server;
mod endpoint_name;
pub mod engine;
mod event_stream;
pub mod fault_lookout;
pub mod firewall;
mod forwarding;
mod grpc;
mod handshake;
pub mod haproxy_log;
mod http_client;
pub mod http_server;
mod life;
pub mod llm_gateway;
pub mod load_balancer;
pub mod metric_store;
mod probe;
pub mod prober;
pub mod process;
mod queue;
pub mod resolver;
pub mod resource_board;
pub mod static_site;
pub mod status_board;
pub mod stub_resolver;
pub mod synthetic_probe;
pub mod target;
mod target_checks;
pub mod telemetry_gateway;
mod unverified;
mod upstream;
mod way;
mod wire_ttl;

#[cfg(test)]
mod testbed;

pub use crate::dns_message::Transport;
pub use crate::plan::HEALTHZ_PORT;
pub use arrivals::{Arrival, Arrivals, GONE_BEFORE_ANSWER, Roster};
pub use dns_client::{DnsAskError, DnsClient};
pub use dns_server::{Answering, DnsServer, DnsServerError};
pub use handshake::HandshakeError;
pub use upstream::UpstreamError;

/// The header in which a cell names itself.
pub const CELL_HEADER: &str = "x-muster-cell";

/// The header in which a request names its tier; a gateway that sheds turns `free` away first.
pub const TIER_HEADER: &str = "x-muster-tier";

/// Where load balancers, targets and static sites listen.
pub const HTTP_PORT: u16 = 80;

/// Where cells serve HTTPS, with a certificate of their own making.
pub const HTTPS_PORT: u16 = 443;

/// Where inference engines listen.
pub const ENGINE_PORT: u16 = 8000;

/// Where processes that serve nobody (a prober, a worker, a producer) can be seen to live.
pub const LIFE_PORT: u16 = 9000;

/// Where databases listen.
pub const DATABASE_PORT: u16 = 5432;

/// Where an engine listens to which a Toxiproxy leads from its own port.
pub const ENGINE_BEHIND_PROXY_PORT: u16 = 8001;

/// Where a database listens to which a Toxiproxy leads from its own port.
pub const DATABASE_BEHIND_PROXY_PORT: u16 = 5433;

/// Where authoritative servers and resolvers listen, UDP and TCP.
pub const DNS_PORT: u16 = 53;
