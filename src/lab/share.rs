//! Which part of a lab one process builds.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::fault::Part;
use crate::plan::{CellKind, CellPlan, EnginePlan};

/// Which part of a lab one process builds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Share {
    /// All of it.
    Whole,
    /// The authoritative server, everything that feeds a health status, every observer.
    Hub,
    /// A cell without the parts that run by themselves.
    Cell(String),
    /// One part of a cell.
    Part {
        /// The cell.
        cell: String,
        /// Which part.
        part: Part,
    },
    /// muster's own resolver of this name.
    Resolver(String),
    /// muster's own client of this name.
    Client(String),
}

impl Share {
    /// Whether the evidence is kept here.
    #[must_use]
    pub const fn is_hub(&self) -> bool {
        matches!(self, Self::Whole | Self::Hub)
    }

    /// Whether this cell, or a part of it, is built here.
    #[must_use]
    pub fn has_cell(&self, name: &str) -> bool {
        match self {
            Self::Whole => true,
            Self::Cell(cell) | Self::Part { cell, .. } => cell == name,
            Self::Hub | Self::Resolver(_) | Self::Client(_) => false,
        }
    }

    /// Whether muster's own resolver of this name is built here.
    #[must_use]
    pub fn has_resolver(&self, name: &str) -> bool {
        match self {
            Self::Whole => true,
            Self::Resolver(resolver) => resolver == name,
            _ => false,
        }
    }

    /// Whether muster's own client of this name is built here.
    #[must_use]
    pub fn has_client(&self, name: &str) -> bool {
        match self {
            Self::Whole => true,
            Self::Client(client) => client == name,
            _ => false,
        }
    }
}

/// For people, and as the name of a process: `sa-east-1`, `sa-east-1.target-0`, `br-fresh`. No name of a drill has a dot.
impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str("lab"),
            Self::Hub => f.write_str("hub"),
            Self::Cell(name) | Self::Resolver(name) | Self::Client(name) => f.write_str(name),
            Self::Part { cell, part: Part::Target(index) } => write!(f, "{cell}.target-{index}"),
            Self::Part { cell, part: Part::LoadBalancer } => write!(f, "{cell}.load-balancer"),
            Self::Part { cell, part } => write!(f, "{cell}.{}", format!("{part:?}").to_lowercase()),
        }
    }
}

/// The parts of a cell that run by themselves where a lab is spread: what a fault can stop, kill or pause as a whole.
#[must_use]
pub fn parts_by_themselves(plan: &CellPlan) -> BTreeSet<Part> {
    match &plan.kind {
        CellKind::Region(region) => {
            let load_balancer = region.load_balancer_software.map(|_| Part::LoadBalancer);
            (0..region.targets).map(Part::Target).chain([Part::Database]).chain(load_balancer).collect()
        }
        CellKind::Llm(llm) if matches!(llm.engine, EnginePlan::Own { .. }) => BTreeSet::from([Part::Engine]),
        CellKind::Llm(_) | CellKind::TelemetryGateway | CellKind::StaticSite => BTreeSet::new(),
    }
}
