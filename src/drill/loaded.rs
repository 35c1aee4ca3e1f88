//! A drill that was loaded: every name in it names something, every duration has its unit.
//!
//! It is not yet planned: nothing has an address in the lab, no chance is drawn, nothing is predicted.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use hickory_proto::rr::Name;

use crate::decide::Viewpoint;
use crate::health::TargetGroupSettings;
use crate::zone::{HealthCheckId, Zone};

use crate::plan::expectation::Expectation;
use crate::plan::{ClientProfile, Family, Fault, HealthCheckPlan, NodeCheck, ResolverKind, Source};

/// A drill and its zone, as [`super::load`] gives them.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedDrill {
    /// The drill's name, also that of its report folder.
    pub name: String,
    /// One line for people.
    pub title: String,
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
    /// The recursive resolvers.
    pub resolvers: BTreeMap<String, Resolver>,
    /// Who asks.
    pub clients: BTreeMap<String, Client>,
    /// What breaks, all at the same moment.
    pub faults: Vec<Fault>,
    /// How long the fault is held, when the drill says so.
    pub hold: Option<Duration>,
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
    /// A static site has none (R53-97).
    #[must_use]
    pub const fn has_health(&self) -> bool {
        matches!(self.make, CellMake::Region(_))
    }
}

/// What a cell is made of.
#[derive(Clone, Debug, PartialEq)]
pub enum CellMake {
    /// A load balancer with a target group, and a database behind the targets.
    Region(RegionMake),
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
    /// How the load balancer's own node is checked.
    pub node_check: NodeCheck,
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
    /// Which address family it uses.
    pub family: Family,
    /// From one request's start to the next.
    pub every: Duration,
    /// When it gives a request up.
    pub timeout: Duration,
    /// A request that takes longer is counted as slow.
    pub slow: Duration,
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
