//! The places that serve: what each is made of, and where its parts are.

use std::net::IpAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::seconds;
use crate::fault::Anatomy;
use crate::health::{MinimumHealthy, ProberSettings, TargetGroupSettings};
use crate::service::{EngineSettings, QueueSettings};

use super::{LoadBalancerSoftware, ZonePlan};

/// Where a cell with a prober tells its verdict: `/healthz`.
pub const HEALTHZ_PORT: u16 = 8081;

/// The tier that a gateway which sheds turns away first.
pub const FREE_TIER: &str = "free";

/// One independently failing place that serves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellPlan {
    /// What it is made of.
    pub kind: CellKind,
    /// The alias target (an AWS resource's DNS name, absolute, lower case) that it stands for, if it does for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias_target: Option<String>,
    /// The addresses that answers hold for it, as the zone or the drill writes them. At least one.
    pub addresses: Vec<IpAddr>,
    /// Whether an alias of the zone evaluates its health. If none does, no decision ever uses it.
    pub evaluated: bool,
    /// Whether a Toxiproxy stands on the way to its database, or to its engine: a fault of the drill stalls that way.
    #[serde(default, skip_serializing_if = "is_default")]
    pub proxied: bool,
    /// Whether its engine needs CPU for its answers, where it is a container of its own: a fault of the drill leaves it
    /// next to none.
    #[serde(default, skip_serializing_if = "is_default")]
    pub engine_works: bool,
}

impl CellKind {
    /// What faults can break of it.
    #[must_use]
    pub const fn anatomy(&self) -> Anatomy {
        match self {
            Self::Region(region) => Anatomy::Region { targets: region.targets, queue: region.queue.is_some() },
            Self::Llm(llm) => {
                Anatomy::Llm { prober: llm.prober.is_some(), own_engine: matches!(llm.engine, EnginePlan::Own { .. }) }
            }
            Self::TelemetryGateway => Anatomy::TelemetryGateway,
            Self::StaticSite => Anatomy::StaticSite,
        }
    }

    /// Which program its load balancer is; `None`: muster's own, or it has none.
    #[must_use]
    pub const fn load_balancer_software(&self) -> Option<LoadBalancerSoftware> {
        match self {
            Self::Region(region) => region.load_balancer_software,
            Self::Llm(_) | Self::TelemetryGateway | Self::StaticSite => None,
        }
    }

    /// The addresses of its parts inside the lab, its public ones left out.
    #[must_use]
    pub fn inside(&self) -> Vec<IpAddr> {
        match self {
            Self::Region(region) => {
                let queue = region.queue.iter();
                let queue = queue.flat_map(|queue| [queue.queue_address, queue.producer_address, queue.worker_address]);
                region.target_addresses.iter().copied().chain([region.database_address]).chain(queue).collect()
            }
            Self::Llm(llm) => {
                let engine = match &llm.engine {
                    EnginePlan::Own { address, .. } => Some(*address),
                    EnginePlan::Real { .. } => None,
                };
                engine.into_iter().chain(llm.prober.as_ref().map(|prober| prober.address)).collect()
            }
            Self::TelemetryGateway | Self::StaticSite => Vec::new(),
        }
    }
}

/// What a cell is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CellKind {
    /// A load balancer with a target group, and a database behind the targets; perhaps a queue and its worker.
    Region(RegionPlan),
    /// A gateway, an inference engine behind it, and a prober with its `/healthz`.
    Llm(LlmPlan),
    /// A gateway that takes telemetry (OTLP over HTTP).
    TelemetryGateway,
    /// Files behind an address. It has no health (R53-97).
    StaticSite,
}

impl RegionPlan {
    /// How long a target waits for its database: half of what a check waits. A silent database still becomes a 503, not
    /// a silent target.
    #[must_use]
    pub fn database_patience(&self) -> Duration {
        self.target_group.timeout / 2
    }
}

/// A region's inside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RegionPlan {
    /// How many application targets, at least 1.
    pub targets: usize,
    /// How the load balancer checks them.
    pub target_group: TargetGroupSettings,
    /// How many of them must be healthy (R53-160).
    #[serde(default, skip_serializing_if = "is_default")]
    pub minimum_healthy: MinimumHealthy,
    /// How the load balancer's own node is checked (R53-166). AWS does not publish the cadence; this is the drill's.
    pub node_check: NodeCheck,
    /// Address of each target, of the database, inside the lab.
    pub target_addresses: Vec<IpAddr>,
    /// Address of the database inside the lab.
    pub database_address: IpAddr,
    /// The queue, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueuePlan>,
    /// Its zones; none: it is one zone, all of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub zones: Vec<ZonePlan>,
    /// Whether a zone's node sends to the targets of every zone, and the minimum counts those of all together (R53-161,
    /// R53-162).
    #[serde(default = "on", skip_serializing_if = "is_on")]
    pub cross_zone: bool,
    /// Which program its load balancer is; `None`: muster's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_balancer_software: Option<LoadBalancerSoftware>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

const fn on() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
const fn is_on(cross_zone: &bool) -> bool {
    *cross_zone
}

/// The check of a load balancer's node (R53-166).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeCheck {
    /// From one check's start to the next.
    #[serde(with = "seconds")]
    pub interval: Duration,
    /// Consecutive opposite results that turn the status, both ways.
    pub threshold: u32,
}

/// A queue, who puts messages into it, and who takes them out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuePlan {
    /// How it publishes its metrics.
    pub settings: QueueSettings,
    /// From one message of the producer to the next.
    #[serde(with = "seconds")]
    pub message_every: Duration,
    /// How long the worker works on one.
    #[serde(with = "seconds")]
    pub work_takes: Duration,
    /// Address of the queue inside the lab.
    pub queue_address: IpAddr,
    /// Address of the producer inside the lab.
    pub producer_address: IpAddr,
    /// Address of the worker inside the lab.
    pub worker_address: IpAddr,
}

/// The inside of a region that serves a language model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LlmPlan {
    /// Where tokens come from.
    pub engine: EnginePlan,
    /// How the gateway in front of it behaves.
    pub gateway: GatewaySettings,
    /// The prober whose verdict `/healthz` tells, on port 8081 of the cell's addresses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prober: Option<ProberPlan>,
}

/// Where tokens come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EnginePlan {
    /// muster's own engine.
    Own {
        /// What it is made of.
        settings: EngineSettings,
        /// Its address inside the lab.
        address: IpAddr,
    },
    /// One that runs already. Faults cannot break it.
    Real {
        /// `https://llm.example.com`, without `/v1`.
        base_url: String,
        /// The model that is asked for.
        model: String,
        /// The environment variable that holds the key, if it wants one. The key itself is never written down.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        api_key_from: Option<String>,
    },
}

/// How a gateway in front of an engine behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GatewaySettings {
    /// The engine must have begun its answer within this, or the gateway answers 504.
    #[serde(with = "seconds")]
    pub first_byte_within: Duration,
    /// With so many requests under way, those of the tier `free` are turned away with 503 at once; nobody when missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sheds_above: Option<u32>,
}

/// A prober, and where it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProberPlan {
    /// What it does, and what it makes of it.
    pub settings: ProberSettings,
    /// Its address inside the lab: where it probes from, and where it can be seen to live.
    pub address: IpAddr,
}
