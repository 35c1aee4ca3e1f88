//! The catalogue of faults: what each breaks, part by part, and how it is undone.
//!
//! This says what; a lab knows how. A fault holds when every one of its parts was observed to be broken, and is gone
//! when every one was observed to work again.

mod kill_database;
mod kill_region;
mod kill_static_site;

use serde::{Deserialize, Serialize};

/// Something broken on purpose, and the cell in which it is broken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// The database of this cell refuses connections.
    KillDatabase(String),
    /// The load balancer, the targets and the database of this cell refuse connections.
    KillRegion(String),
    /// This static site refuses connections.
    KillStaticSite(String),
}

/// A part of a cell that can be broken and looked at by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The database.
    Database,
    /// One application target, from 0.
    Target(usize),
    /// The load balancer.
    LoadBalancer,
    /// The static site.
    StaticSite,
}

impl Fault {
    /// The cell that it breaks.
    #[must_use]
    pub fn cell(&self) -> &str {
        match self {
            Self::KillDatabase(cell) | Self::KillRegion(cell) | Self::KillStaticSite(cell) => cell,
        }
    }

    /// The parts that it breaks, in a cell with so many targets.
    #[must_use]
    pub fn parts(&self, targets: usize) -> Vec<Part> {
        match self {
            Self::KillDatabase(_) => kill_database::parts(),
            Self::KillRegion(_) => kill_region::parts(targets),
            Self::KillStaticSite(_) => kill_static_site::parts(),
        }
    }

    /// What it does, for people.
    #[must_use]
    pub fn breaks(&self) -> String {
        match self {
            Self::KillDatabase(cell) => kill_database::breaks(cell),
            Self::KillRegion(cell) => kill_region::breaks(cell),
            Self::KillStaticSite(cell) => kill_static_site::breaks(cell),
        }
    }

    /// How it is undone, for people; written down before the fault is applied.
    #[must_use]
    pub fn undo(&self) -> String {
        match self {
            Self::KillDatabase(cell) => kill_database::undo(cell),
            Self::KillRegion(cell) => kill_region::undo(cell),
            Self::KillStaticSite(cell) => kill_static_site::undo(cell),
        }
    }
}

impl Part {
    /// The part's name in its cell, for people.
    #[must_use]
    pub fn of(self, cell: &str) -> String {
        match self {
            Self::Database => format!("the database of {cell}"),
            Self::Target(target) => format!("target {target} of {cell}"),
            Self::LoadBalancer => format!("the load balancer of {cell}"),
            Self::StaticSite => format!("the static site {cell}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dead_region_is_its_load_balancer_every_target_and_its_database() {
        let parts = Fault::KillRegion("eu".to_owned()).parts(2);
        assert_eq!(parts, [Part::LoadBalancer, Part::Target(0), Part::Target(1), Part::Database]);
    }

    #[test]
    fn a_dead_database_is_nothing_but_the_database() {
        let fault = Fault::KillDatabase("eu".to_owned());
        assert_eq!(fault.parts(2), [Part::Database]);
        assert_eq!(fault.undo(), "start the database of eu again");
    }
}
