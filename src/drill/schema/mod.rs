//! The drill file, key by key, as people write it.
//!
//! Only the shape is read here: which keys there are and whether a value is a word, a number, a list or a mapping.
//! What the words mean, and whether the names exist, is looked at in [`super::load`], so that all mistakes of a file
//! are told at once.

mod asking;
mod cells;
mod expectations;
mod fault;
mod health_checks;
mod written;

use std::collections::BTreeMap;

use serde::Deserialize;

pub use asking::{ClientFile, ProbeFile, ResolverFile};
pub use cells::{
    CellFile, EngineFile, GatewayFile, LlmFile, MinimumHealthyFile, NodeCheckFile, ProberFile, QueueFile, RegionFile,
    StaticSiteFile, TargetGroupFile, TelemetryGatewayFile,
};
pub(super) use expectations::When;
pub use expectations::{
    AlarmStateFile, AnswerFile, BudgetFile, DataFile, ExpectFile, HealthFile, LossFile, ServedFile, SwingsFile,
    TurnsFile,
};
pub use fault::{FaultFile, OfFile, TargetsFile};
pub use health_checks::{AlarmFile, HealthCheckFile, RoutingControlsFile};
pub use written::{OneOrMore, OrNone, WrittenDuration};

/// A drill file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DrillFile {
    /// The drill's name, also that of its report folder: lower-case letters, digits, `-`.
    pub drill: String,
    /// One line for people.
    pub title: String,
    /// What goes wrong in this drill on purpose, one line for people: when the drill passes, it has shown this hazard.
    pub hazard: Option<String>,
    /// What somebody else said the failover would take; it is held beside the prediction.
    pub estimate: Option<EstimateFile>,
    /// The zone's file, relative to the drill file.
    pub zone: String,
    /// The name that clients ask for.
    pub name: String,
    /// The places that serve.
    pub cells: BTreeMap<String, CellFile>,
    /// The health checks that the zone's record sets name, by their id.
    #[serde(default)]
    pub health_checks: BTreeMap<String, HealthCheckFile>,
    /// Synthetic probes, each with its metric.
    #[serde(default)]
    pub probes: BTreeMap<String, ProbeFile>,
    /// Switches that an operator turns.
    #[serde(default)]
    pub routing_controls: RoutingControlsFile,
    /// The recursive resolvers.
    pub resolvers: BTreeMap<String, ResolverFile>,
    /// Who asks.
    pub clients: BTreeMap<String, ClientFile>,
    /// What breaks, when it is one thing.
    pub fault: Option<FaultFile>,
    /// What breaks, when it is several things at the same moment.
    pub faults: Option<Vec<FaultFile>>,
    /// How long the fault is held; what the prediction needs, when missing.
    pub hold: Option<WrittenDuration>,
    /// Within what the steady state must be back after the heal; what the prediction needs, when missing.
    pub recover: Option<WrittenDuration>,
    /// How often the observers look.
    #[serde(default)]
    pub observe: ObserveFile,
    /// What must be seen.
    pub expect: Vec<ExpectFile>,
}

/// How often the observers look, each 100 ms to 30 s; 1 s when missing. Slower observers let a long drill run faster.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ObserveFile {
    /// At the authoritative server.
    pub authoritative_every: Option<WrittenDuration>,
    /// At each resolver.
    pub resolver_every: Option<WrittenDuration>,
    /// At what the fault breaks.
    pub fault_every: Option<WrittenDuration>,
}

/// An estimate of the failover, worst cases, each from the fault on.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EstimateFile {
    /// Whose it is, for people.
    pub by: String,
    /// The client whose total is estimated.
    pub client: String,
    /// Until the health status turns.
    pub detection: WrittenDuration,
    /// Until the client's requests arrive elsewhere; at least `detection`.
    pub total: WrittenDuration,
}
