//! Whose health: everything that has a status of its own.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Whose health.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Signal {
    /// One target of a cell's target group.
    Target {
        /// The cell.
        cell: String,
        /// From 0.
        target: usize,
    },
    /// A load balancer's own node.
    Node {
        /// The cell.
        cell: String,
    },
    /// The status that evaluate target health sees of a cell.
    Cell {
        /// The cell.
        cell: String,
    },
    /// One zone of a cell's load balancer: whether its addresses are answered (R53-163).
    Zone {
        /// The cell.
        cell: String,
        /// The zone.
        zone: String,
    },
    /// The cached verdict that a cell's `/healthz` answers with.
    Verdict {
        /// The cell.
        cell: String,
    },
    /// A synthetic probe, by its name; its results are what a metric is made of.
    Probe {
        /// The probe.
        probe: String,
    },
    /// A Route 53 health check.
    HealthCheck {
        /// Its id.
        id: String,
    },
}

/// As people name it.
impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Target { cell, target } => write!(f, "target {target} of {cell}"),
            Self::Node { cell } => write!(f, "load balancer node of {cell}"),
            Self::Cell { cell } => write!(f, "target health of {cell}"),
            Self::Zone { zone, .. } => write!(f, "zone {zone}"),
            Self::Verdict { cell } => write!(f, "cached verdict of {cell}"),
            Self::Probe { probe } => write!(f, "probe {probe}"),
            Self::HealthCheck { id } => write!(f, "health check {id}"),
        }
    }
}
