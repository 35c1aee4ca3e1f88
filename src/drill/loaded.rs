//! A drill that was loaded: every name in it names something, every duration has its unit.
//!
//! It is not yet planned: nothing has an address in the lab, no chance is drawn, nothing is predicted.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use hickory_proto::rr::Name;

use crate::decide::Viewpoint;
use crate::fault::Anatomy;
use crate::health::{MinimumHealthy, ProberSettings, TargetGroupSettings};
use crate::service::{EngineSettings, QueueSettings};
use crate::zone::{HealthCheckId, Zone};

use crate::plan::expectation::Expectation;
use crate::plan::{
    Asks, ClientProfile, ClientRuns, Estimate, Family, Fault, GatewaySettings, HealthCheckPlan, LoadBalancerSoftware,
    NodeCheck, ResolverKind, ResolverSoftware, RoutingControlsPlan, Source,
};

/// A drill and its zone, as [`super::load`] gives them.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedDrill {
    /// The drill's name, also that of its report folder.
    pub name: String,
    /// One line for people.
    pub title: String,
    /// What goes wrong on purpose, one line for people.
    pub hazard: Option<String>,
    /// What somebody else estimated.
    pub estimate: Option<Estimate>,
    /// The drill file and the zone file.
    pub sources: Vec<Source>,
    /// The zone, validated.
    pub zone: Zone,
    /// The name that clients ask for, absolute and in lower case.
    pub front: Name,
    /// The places that serve.
    pub cells: BTreeMap<String, Cell>,
    /// The health checks that the zone names.
    pub health_checks: BTreeMap<HealthCheckId, HealthCheckPlan>,
    /// Synthetic probes.
    pub probes: BTreeMap<String, Probe>,
    /// Switches that an operator turns.
    pub routing_controls: RoutingControlsPlan,
    /// The recursive resolvers.
    pub resolvers: BTreeMap<String, Resolver>,
    /// Who asks.
    pub clients: BTreeMap<String, Client>,
    /// What breaks, all at the same moment.
    pub faults: Vec<Fault>,
    /// How long the fault is held, when the drill says so.
    pub hold: Option<Duration>,
    /// How long the way back may take, when the drill says so.
    pub recover: Option<Duration>,
    /// How often the observers look.
    pub cadence: Cadence,
    /// What must be seen.
    pub expectations: Vec<Expectation>,
}

/// A cell without its addresses inside the lab.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// What it is made of.
    pub make: CellMake,
    /// The AWS resource that it stands for, absolute and in lower case.
    pub alias_target: Option<Name>,
    /// The addresses that the drill writes for it.
    pub addresses: Vec<IpAddr>,
}

impl Cell {
    /// Whether evaluate target health sees a health of it: a static site has none (R53-97), nor has a gateway without
    /// a target group.
    #[must_use]
    pub const fn has_health(&self) -> bool {
        matches!(self.make, CellMake::Region(_))
    }
}

impl CellMake {
    /// What faults can break of it.
    #[must_use]
    pub const fn anatomy(&self) -> Anatomy {
        match self {
            Self::Region(region) => Anatomy::Region { targets: region.targets, queue: region.queue.is_some() },
            Self::Llm(llm) => {
                let own_engine = matches!(llm.engine, EngineMake::Own(_));
                Anatomy::Llm { prober: llm.prober.is_some(), own_engine }
            }
            Self::TelemetryGateway => Anatomy::TelemetryGateway,
            Self::StaticSite => Anatomy::StaticSite,
        }
    }
}

/// What a cell is made of.
#[derive(Clone, Debug, PartialEq)]
pub enum CellMake {
    /// A load balancer with a target group, and a database behind the targets.
    Region(RegionMake),
    /// A gateway, an inference engine behind it, perhaps a prober.
    Llm(LlmMake),
    /// A gateway that takes telemetry.
    TelemetryGateway,
    /// Files behind an address.
    StaticSite,
}

/// A region's inside, without addresses.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionMake {
    /// At least 1.
    pub targets: usize,
    /// How the load balancer checks its targets.
    pub target_group: TargetGroupSettings,
    /// How many of them must be healthy.
    pub minimum_healthy: MinimumHealthy,
    /// How the load balancer's own node is checked.
    pub node_check: NodeCheck,
    /// The queue, if there is one.
    pub queue: Option<QueueMake>,
    /// The zones of its load balancer; none: it has no more than itself.
    pub zones: Vec<String>,
    /// Whether a zone's node sends to the targets of every zone.
    pub cross_zone: bool,
    /// Which program its load balancer is; `None`: muster's own.
    pub load_balancer_software: Option<LoadBalancerSoftware>,
}

impl RegionMake {
    /// The targets that stand in the zone of this rank: they are spread over the zones in turn.
    pub fn targets_in(&self, zone: usize) -> impl Iterator<Item = usize> {
        (zone..self.targets).step_by(self.zones.len().max(1))
    }
}

/// A queue, its producer and its worker, without addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueMake {
    /// How it publishes its metrics.
    pub settings: QueueSettings,
    /// From one message of the producer to the next.
    pub message_every: Duration,
    /// How long the worker works on one; less than `message_every`.
    pub work_takes: Duration,
}

/// The inside of a region that serves a language model, without addresses.
#[derive(Clone, Debug, PartialEq)]
pub struct LlmMake {
    /// Where tokens come from.
    pub engine: EngineMake,
    /// How the gateway in front of it behaves.
    pub gateway: GatewaySettings,
    /// The prober, if there is one.
    pub prober: Option<ProberSettings>,
}

/// Where tokens come from.
#[derive(Clone, Debug, PartialEq)]
pub enum EngineMake {
    /// muster's own engine.
    Own(EngineSettings),
    /// One that runs already.
    Real {
        /// `https://llm.example.com`, without `/v1`.
        base_url: String,
        /// The model that is asked for.
        model: String,
        /// The environment variable that holds the key, if it wants one.
        api_key_from: Option<String>,
    },
}

/// A synthetic probe without its address.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// The name that it submits telemetry to, absolute and in lower case.
    pub asks: Name,
    /// Which resolver it asks, and next to which it stands.
    pub resolver: String,
    /// From one probe's start to the next.
    pub every: Duration,
    /// When it gives a probe up.
    pub timeout: Duration,
}

/// A resolver without its address.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolver {
    /// Where it stands.
    pub place: String,
    /// What that place looks like to a decision.
    pub viewpoint: Viewpoint,
    /// How it behaves.
    pub kind: ResolverKind,
    /// Which program it is.
    pub software: Option<ResolverSoftware>,
    /// How long it may give an answer that has expired.
    pub serve_stale: Option<Duration>,
}

/// A client without its addresses.
#[derive(Clone, Debug, PartialEq)]
pub struct Client {
    /// Where it stands.
    pub place: String,
    /// What that place looks like to a decision.
    pub viewpoint: Viewpoint,
    /// Which resolver it asks.
    pub resolver: String,
    /// How long it holds on to answers and connections.
    pub profile: ClientProfile,
    /// What it is made of.
    pub runs: ClientRuns,
    /// Which address family it uses.
    pub family: Family,
    /// From one request's start to the next.
    pub every: Duration,
    /// When it gives a request up.
    pub timeout: Duration,
    /// A request that takes longer is counted as slow.
    pub slow: Duration,
    /// What it asks for.
    pub asks: Asks,
    /// So many of it ask side by side; at least 1.
    pub workers: u32,
    /// The tier that its requests name.
    pub tier: Option<String>,
}

/// How often each observer looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cadence {
    /// At the authoritative server.
    pub authoritative: Duration,
    /// At each resolver.
    pub resolver: Duration,
    /// At what the fault breaks.
    pub fault: Duration,
}
