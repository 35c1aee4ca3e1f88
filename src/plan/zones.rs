//! The zones of a region: which addresses and which targets each has, and the load balancer that has a node in each.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::health::{EmptyGroup, LoadBalancer, TargetCount, TargetGroupHealth};

use super::{CellKind, CellPlan, Plan, RegionPlan};

/// An availability zone of a region, in which its load balancer has a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZonePlan {
    /// No other zone, and no cell, has this name.
    pub name: String,
    /// The addresses of its node; at least one of each family that the cell has.
    pub addresses: Vec<IpAddr>,
    /// The targets that stand in it, from 0; at least one.
    pub targets: Vec<usize>,
}

impl CellPlan {
    /// The zones of the cell called `name`: those of a region that has some; every other cell is one zone of its own
    /// name.
    #[must_use]
    pub fn zones(&self, name: &str) -> Vec<ZonePlan> {
        let (zones, targets) = (self.own_zones(), self.targets());
        if zones.is_empty() {
            let (name, addresses) = (name.to_owned(), self.addresses.clone());
            return vec![ZonePlan { name, addresses, targets: (0..targets).collect() }];
        }
        zones.to_vec()
    }

    const fn targets(&self) -> usize {
        match &self.kind {
            CellKind::Region(region) => region.targets,
            CellKind::Llm(_) | CellKind::TelemetryGateway | CellKind::StaticSite => 0,
        }
    }

    /// The zones that it has by name.
    fn own_zones(&self) -> &[ZonePlan] {
        match &self.kind {
            CellKind::Region(region) => &region.zones,
            CellKind::Llm(_) | CellKind::TelemetryGateway | CellKind::StaticSite => &[],
        }
    }
}

impl RegionPlan {
    /// The load balancer over these zones while these targets are healthy, and its node is `reachable` or not. No
    /// fault breaks the node of one zone alone, so that one node stands for all (R53-166).
    #[must_use]
    pub fn load_balancer(
        &self,
        zones: &[ZonePlan],
        is_healthy: impl Fn(usize) -> bool,
        reachable: bool,
    ) -> LoadBalancer {
        let count = |zone: &ZonePlan| TargetCount {
            healthy: zone.targets.iter().filter(|target| is_healthy(**target)).count(),
            registered: zone.targets.len(),
        };
        let counts: BTreeMap<_, _> = zones.iter().map(|zone| (zone.name.clone(), count(zone))).collect();
        LoadBalancer {
            zones: counts.keys().cloned().collect(),
            cross_zone: self.cross_zone,
            empty_group: EmptyGroup::default(),
            groups: vec![TargetGroupHealth::Targets { minimum: self.minimum_healthy, zones: counts }],
            reachable,
        }
    }

    /// The targets that the node of a zone sends to: its own, or with cross-zone load balancing those of all zones.
    #[must_use]
    pub fn targets_behind(&self, zone: &ZonePlan) -> Vec<usize> {
        if self.cross_zone { (0..self.targets).collect() } else { zone.targets.clone() }
    }
}

impl Plan {
    /// What an answer with this address leads to: a zone, or a cell that has none.
    #[must_use]
    pub fn zone_at(&self, address: IpAddr) -> Option<&str> {
        let (cell, planned) = self.cells.iter().find(|(_, cell)| cell.addresses.contains(&address))?;
        let zone = planned.own_zones().iter().find(|zone| zone.addresses.contains(&address));
        Some(zone.map_or(cell, |zone| &zone.name))
    }

    /// The cell that a zone belongs to; a cell's own name is its zone's where it has none.
    #[must_use]
    pub fn cell_of_zone(&self, zone: &str) -> Option<&str> {
        let has = |name: &str, cell: &CellPlan| match cell.own_zones() {
            [] => name == zone,
            zones => zones.iter().any(|known| known.name == zone),
        };
        self.cells.iter().find(|(name, cell)| has(name, cell)).map(|(name, _)| name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::synthetic;

    fn plan_with_zones() -> (Plan, String) {
        let mut plan = synthetic::plan();
        let (name, cell) = plan.cells.iter_mut().next().unwrap();
        let CellKind::Region(region) = &mut cell.kind else { panic!("a region") };
        cell.addresses = ["192.0.2.1", "192.0.2.2"].map(|address| address.parse().unwrap()).to_vec();
        let zone = |index: usize, name: &str| ZonePlan {
            name: name.to_owned(),
            addresses: vec![cell.addresses[index]],
            targets: vec![index],
        };
        region.zones = vec![zone(0, "a"), zone(1, "b")];
        let name = name.clone();
        (plan, name)
    }

    #[test]
    fn a_region_without_zones_is_one_zone_of_its_own_name() {
        let plan = synthetic::plan();
        for (name, cell) in &plan.cells {
            let zones = cell.zones(name);
            assert_eq!((zones.len(), &zones[0].name, &zones[0].addresses), (1, name, &cell.addresses));
            assert_eq!(plan.zone_at(cell.addresses[0]), Some(name.as_str()));
            assert_eq!(plan.cell_of_zone(name), Some(name.as_str()));
        }
    }

    #[test]
    fn r53_163_an_address_leads_to_its_zone_and_a_zone_to_its_cell() {
        let (plan, name) = plan_with_zones();
        let at = |address: &str| plan.zone_at(address.parse().unwrap());
        assert_eq!([at("192.0.2.1"), at("192.0.2.2"), at("203.0.113.9")], [Some("a"), Some("b"), None]);
        assert_eq!(plan.cell_of_zone("b"), Some(name.as_str()));
        assert_eq!(plan.cell_of_zone(&name), None, "the cell itself is no zone");
    }

    #[test]
    fn r53_161_and_r53_162_cross_zone_decides_whose_targets_count_and_get_requests() {
        let (mut plan, name) = plan_with_zones();
        let CellKind::Region(region) = &mut plan.cells.get_mut(&name).unwrap().kind else { panic!("a region") };
        let zones = region.zones.clone();
        let first_only = |target| target == 0;
        assert_eq!(region.load_balancer(&zones, first_only, true).healthy_zones().len(), 2);
        assert_eq!(region.targets_behind(&zones[1]), [0, 1]);
        region.cross_zone = false;
        assert_eq!(region.load_balancer(&zones, first_only, true).healthy_zones(), ["a"].into());
        assert_eq!(region.targets_behind(&zones[1]), [1]);
    }

    #[test]
    fn a_region_without_zones_is_written_as_it_always_was() {
        let written = serde_json::to_value(synthetic::plan()).unwrap().to_string();
        assert!(!["zones", "cross_zone", "minimum_healthy"].iter().any(|key| written.contains(key)), "{written}");
        let (plan, _) = plan_with_zones();
        let read: Plan = serde_json::from_str(&serde_json::to_string(&plan).unwrap()).unwrap();
        assert_eq!(read, plan);
    }
}
