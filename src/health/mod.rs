//! Health evidence as sans-IO state machines: `(now, input) -> outputs, next wake-up`.
//!
//! The virtual lab turns the crank in simulated time, the network roles turn the same crank with sockets and a clock.
//! Nothing here probes anything, and nothing here knows the drill.

mod board;
mod cadence;
mod checker;
mod endpoint_check;
mod fleet;
mod load_balancer;
mod node_check;
mod streak;
mod target_group;

pub use board::EvidenceBoard;
pub use cadence::Cadence;
pub use checker::Checker;
pub use endpoint_check::{
    CheckProtocol, CheckSettingsError, EndpointCheck, HTTP_BODY_LIMIT, HTTP_CONNECT_LIMIT, HTTP_STATUS_LIMIT,
    ProbeFailure, ProbeReport, ProbeResponse, TCP_CONNECT_LIMIT, Verdict,
};
pub use fleet::{
    CHECKER_REGIONS, CHECKERS_PER_REGION, CheckerId, Fleet, FleetChange, HEALTHY_ABOVE_PERCENT, endpoint_is_healthy,
};
pub use load_balancer::{LoadBalancer, LoadBalancerChange};
pub use node_check::NodeChecker;
pub use target_group::{TargetChange, TargetGroup, TargetGroupSettings, TargetGroupSettingsError, TargetHealth};
