//! The plan: a drill with every reference resolved, every chance drawn and every bound computed, before anything runs.
//!
//! A plan is written into the journal as it is, so that a run can be judged from its journal alone.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use hickory_proto::rr::RecordType;
use serde::{Deserialize, Serialize};

use crate::clock::{Speed, optional_seconds, seconds};
use crate::decide::Viewpoint;
pub use crate::fault::Fault;
use crate::zone::HealthCheckId;

mod bounds;
mod cell;
mod client_runs;
mod estimate;
pub mod expectation;
mod health_check;
mod load_balancer_software;
mod narrow;
mod needs_docker;
mod prediction;
mod resolver_software;
mod signal;
mod wire;
mod zones;

use expectation::Expectation;

pub use bounds::Bounds;
pub use cell::{
    CellKind, CellPlan, EnginePlan, FREE_TIER, GatewaySettings, HEALTHZ_PORT, LlmPlan, NodeCheck, ProberPlan,
    QueuePlan, RegionPlan,
};
pub use client_runs::{ClientImage, ClientRuns, ClientSoftware, ProfileKind};
pub use estimate::Estimate;
pub use health_check::{
    AlarmPlan, EndpointPlan, HealthCheckKind, HealthCheckPlan, Metric, ProbePlan, RoutingControlsPlan,
};
pub use load_balancer_software::LoadBalancerSoftware;
pub use prediction::{LegPrediction, Move, Prediction, SignalPrediction};
pub use resolver_software::ResolverSoftware;
pub use signal::Signal;
pub use wire::WireTtl;
pub use zones::ZonePlan;

/// Everything that a run needs to know besides the zone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The drill's name; also that of its report folder.
    pub drill: String,
    /// One line for people.
    pub title: String,
    /// What goes wrong in this drill on purpose, for people: a drill that passes has shown the hazard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hazard: Option<String>,
    /// What somebody else estimated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Estimate>,
    /// The drill file and the zone file, each with the SHA-256 of what was read.
    pub sources: Vec<Source>,
    /// The name that clients ask for, absolute.
    pub name: String,
    /// What every random choice of the run comes from.
    pub seed: u64,
    /// Lab seconds per wall second.
    pub speed: Speed,
    /// In which seconds TTLs stand on the wire.
    #[serde(default, skip_serializing_if = "WireTtl::is_lab")]
    pub wire: WireTtl,
    /// The fault is left out, and the drill must then not pass.
    pub control: bool,
    /// The places that serve.
    pub cells: BTreeMap<String, CellPlan>,
    /// The recursive resolvers.
    pub resolvers: BTreeMap<String, ResolverPlan>,
    /// Who asks.
    pub clients: BTreeMap<String, ClientPlan>,
    /// Route 53 health checks that the zone's record sets name.
    pub health_checks: BTreeMap<HealthCheckId, HealthCheckPlan>,
    /// Synthetic probes, whose results are metrics.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub probes: BTreeMap<String, ProbePlan>,
    /// Switches that an operator turns.
    #[serde(default)]
    pub routing_controls: RoutingControlsPlan,
    /// What is watched from outside, and how often.
    pub observe: ObservePlan,
    /// What breaks, all at the same moment.
    pub faults: Vec<Fault>,
    /// When what happens at the latest.
    pub schedule: Schedule,
    /// What must be seen.
    pub expectations: Vec<Expectation>,
    /// How long each stage takes, best and worst, computed from the drill.
    pub prediction: Prediction,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// As it was named.
    pub file: String,
    /// Hexadecimal SHA-256 of its bytes.
    pub sha256: String,
}

/// A recursive resolver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResolverPlan {
    /// Where it stands: its own addresses map to this.
    pub place: String,
    /// What that place looks like to a decision.
    pub viewpoint: Viewpoint,
    /// How it behaves.
    pub kind: ResolverKind,
    /// Which program it is; `None`: muster's own resolver. Where no such program runs, muster's own stands for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub software: Option<ResolverSoftware>,
    /// How long it may give an answer that has expired (RFC 8767), lab time; `None`: not at all.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "optional_seconds")]
    pub serve_stale: Option<Duration>,
    /// Its address in the lab; queries come from here.
    pub address: IpAddr,
}

/// How a resolver treats what it caches and what it tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResolverKind {
    /// Honours TTLs as they are.
    Plain,
    /// Raises TTLs below the floor to it.
    TtlFloor(#[serde(with = "seconds")] Duration),
    /// Sends the client's subnet (/24, /56) and caches by it.
    ClientSubnet,
}

/// Somebody who asks for the name and uses what it gives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClientPlan {
    /// Where it stands.
    pub place: String,
    /// What that place looks like to a decision.
    pub viewpoint: Viewpoint,
    /// Which resolver it asks.
    pub resolver: String,
    /// How long it holds on to answers and connections.
    pub profile: ClientProfile,
    /// What it is made of.
    #[serde(default, skip_serializing_if = "ClientRuns::is_muster")]
    pub runs: ClientRuns,
    /// Which address family it uses.
    pub family: Family,
    /// From one request's start to the next.
    #[serde(with = "seconds")]
    pub every: Duration,
    /// When it gives a request up.
    #[serde(with = "seconds")]
    pub timeout: Duration,
    /// A request that takes longer is counted as slow.
    #[serde(with = "seconds")]
    pub slow: Duration,
    /// What it asks for.
    #[serde(default)]
    pub asks: Asks,
    /// So many of it ask side by side, each at the cadence `every`, spread over it; at least 1.
    #[serde(default = "one")]
    pub workers: u32,
    /// The tier that its requests name; a gateway that sheds turns `free` away first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    /// The addresses that its requests come from; one of its family at least.
    pub addresses: Vec<IpAddr>,
}

const fn one() -> u32 {
    1
}

/// What a client asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Asks {
    /// `GET /`.
    #[default]
    Page,
    /// `POST /v1/completions`, for so many tokens.
    Completion(u32),
    /// `POST /v1/chat/completions` with `stream`, for so many tokens: one long answer of server-sent events.
    Stream(u32),
    /// `POST /v1/traces`: one span, by OTLP over HTTP.
    Telemetry,
}

/// An address family, as the record type that gives its addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Family {
    /// IPv4.
    #[default]
    #[serde(rename = "A")]
    A,
    /// IPv6.
    #[serde(rename = "AAAA")]
    Aaaa,
}

impl From<Family> for RecordType {
    fn from(family: Family) -> Self {
        match family {
            Family::A => Self::A,
            Family::Aaaa => Self::AAAA,
        }
    }
}

/// How long a client holds on to answers and connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClientProfile {
    /// A fresh lookup and a fresh connection for each request.
    FreshLookup,
    /// A runtime that keeps answers for a fixed time, whatever their TTL (30 s: the JDK's default).
    RuntimeCache(#[serde(with = "seconds")] Duration),
    /// A runtime that keeps the first answer for ever.
    CacheForever,
    /// A keep-alive pool that never resolves again while a connection lives.
    KeepAlivePool,
    /// A pool that recycles its connections at this age, and drops itself on 502, 503, 504, connect errors and read
    /// timeouts, then tries again.
    RecyclingPool(#[serde(with = "seconds")] Duration),
    /// A pool that recycles its connections at this age, and does nothing else: an error is told, and the connection
    /// that brought it is used again.
    AgeingPool(#[serde(with = "seconds")] Duration),
}

/// What is watched from outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObservePlan {
    /// From one question to the authoritative server to the next, of each observer.
    #[serde(with = "seconds")]
    pub authoritative_every: Duration,
    /// From one question to a resolver to the next.
    #[serde(with = "seconds")]
    pub resolver_every: Duration,
    /// From one look at a fault's target to the next.
    #[serde(with = "seconds")]
    pub fault_every: Duration,
    /// What the authoritative server is asked, and as from where.
    pub questions: Vec<WatchedQuestion>,
    /// The addresses that the authoritative server has in the lab.
    pub authoritative_addresses: Vec<IpAddr>,
}

/// The least wall time that an observer waits for an answer: a busy machine is not a silent server.
const ANSWER_AT_LEAST: Duration = Duration::from_millis(500);

impl ObservePlan {
    /// How long an observer that asks so often waits for an answer, lab time: until it would ask again, and half a second
    /// of wall time at least.
    #[must_use]
    pub fn patience(every: Duration, speed: Speed) -> Duration {
        every.max(speed.to_lab(ANSWER_AT_LEAST))
    }
}

/// One question that is asked again and again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WatchedQuestion {
    /// Absolute.
    pub name: String,
    /// The family asked for.
    pub family: Family,
    /// As from where.
    pub place: String,
    /// What that place looks like to a decision.
    pub viewpoint: Viewpoint,
    /// The address that the question comes from.
    pub address: IpAddr,
}

/// When what happens at the latest. All in lab time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// The steady state must be seen within this from the lab's start.
    #[serde(with = "seconds")]
    pub settle_within: Duration,
    /// From the steady state to the fault: drawn from the seed, so that the fault meets no check in step.
    #[serde(with = "seconds")]
    pub fault_after: Duration,
    /// The fault must be seen to hold within this.
    #[serde(with = "seconds")]
    pub confirm_within: Duration,
    /// How long the fault is held once it holds.
    #[serde(with = "seconds")]
    pub hold: Duration,
    /// The steady state must be seen again within this from the heal.
    #[serde(with = "seconds")]
    pub recover_within: Duration,
}
