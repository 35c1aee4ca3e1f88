//! Which health statuses a fault turns, and how long that takes.

use std::time::Duration;

use hickory_proto::rr::Name;

use crate::health::{Cadence, CheckProtocol, EvidenceBoard};
use crate::plan::Bounds;
use crate::plan::{CellKind, CellPlan, EndpointPlan, Fault, HealthCheckPlan, NodeCheck, Plan, RegionPlan};
use crate::zone::{HealthCheckId, Zone};

use super::holding::OldCell;

/// A health status that the zone's decisions use and that the faults turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Turn {
    /// From the fault to the turn.
    pub(super) fails: Bounds,
    /// From the heal to the turn back.
    pub(super) recovers: Bounds,
}

/// Every status that turns.
pub(super) fn turns(plan: &Plan, zone: &Zone) -> Vec<Turn> {
    let mut turns = Vec::new();
    for fault in &plan.faults {
        let Some(cell) = fault.cell().and_then(|cell| plan.cells.get(cell)) else { continue };
        if let CellKind::Region(region) = &cell.kind
            && cell.evaluated
        {
            turns.push(cell_turn(fault, region));
        }
        let seen = plan.health_checks.iter().filter(|(id, planned)| named(zone, id) && sees(planned, fault));
        turns.extend(seen.filter_map(|(_, planned)| planned.endpoint()).map(check_turn));
    }
    turns
}

/// From the first moment to the last of several turns. Nothing to turn: nothing is ever detected.
pub(super) fn last(turns: impl Iterator<Item = Bounds>) -> Bounds {
    turns.reduce(later).unwrap_or(super::NEVER)
}

/// What decisions know while the faults hold and everything has been detected.
pub(super) fn evidence(plan: &Plan, faults: &[Fault]) -> EvidenceBoard {
    let mut board = EvidenceBoard::default();
    for (id, planned) in &plan.health_checks {
        // A disabled check is healthy whatever happens (R53-105); an inverted one says the opposite (R53-104, R53-106).
        let passes = !faults.iter().any(|fault| sees(planned, fault));
        board.set_health_check(id.clone(), passes != planned.status.inverted);
    }
    for fault in faults {
        let Some(cell) = fault.cell().and_then(|cell| plan.cells.get(cell)) else { continue };
        // A static site has no health that evaluate target health could see (R53-97).
        if let (CellKind::Region(_), Some(target)) = (&cell.kind, alias_target(cell)) {
            board.set_resource(target, false);
        }
    }
    board
}

/// What the faults leave of a cell for those who are connected to it.
pub(super) fn left_of(plan: &Plan, cell: &str) -> OldCell {
    let Some(known) = plan.cells.get(cell) else { return OldCell::Breaks };
    match plan.faults.iter().find(|fault| fault.cell() == Some(cell)) {
        None => OldCell::Serves,
        Some(Fault::KillDatabase(_)) if matches!(known.kind, CellKind::Region(_)) => OldCell::Refuses,
        Some(_) => OldCell::Breaks,
    }
}

/// The load balancer's status. Whichever notices first turns it; both must be content to turn it back (R53-158, R53-166).
fn cell_turn(fault: &Fault, region: &RegionPlan) -> Turn {
    let at_once = Duration::ZERO;
    let targets_fail = bounds(region.target_group.fails_within(at_once, at_once));
    let targets_recover = bounds(region.target_group.recovers_within(at_once, at_once));
    match fault {
        Fault::KillRegion(_) => {
            let node = node_turns(region.node_check);
            Turn { fails: sooner(targets_fail, node), recovers: later(targets_recover, node) }
        }
        // The node of a region without its database can still be reached.
        _ => Turn { fails: targets_fail, recovers: targets_recover },
    }
}

fn node_turns(NodeCheck { interval, threshold }: NodeCheck) -> Bounds {
    bounds(Cadence::StartToStart(interval).turns_within(threshold, Duration::ZERO, Duration::ZERO))
}

/// The threshold counts both ways (R53-122), and a cell that refuses is answered at once.
fn check_turn(planned: &EndpointPlan) -> Turn {
    let turn = bounds(planned.check.turns_within(Duration::ZERO, Duration::ZERO));
    Turn { fails: turn, recovers: turn }
}

/// Whether a health check fails because of a fault.
fn sees(planned: &HealthCheckPlan, fault: &Fault) -> bool {
    let Some(endpoint) = planned.endpoint() else { return false };
    let shallow = endpoint.check.protocol == CheckProtocol::Tcp;
    Some(endpoint.cell.as_str()) == fault.cell()
        && !planned.status.disabled
        // Without its database a region still accepts connections.
        && !(shallow && matches!(fault, Fault::KillDatabase(_)))
}

fn named(zone: &Zone, id: &HealthCheckId) -> bool {
    zone.groups.values().flat_map(|group| &group.records).any(|record| record.health_check.as_ref() == Some(id))
}

fn alias_target(cell: &CellPlan) -> Option<Name> {
    cell.alias_target.as_deref().and_then(|target| Name::from_ascii(target).ok())
}

fn bounds((best, worst): (Duration, Duration)) -> Bounds {
    Bounds::between(best, worst)
}

fn later(a: Bounds, b: Bounds) -> Bounds {
    Bounds { best: a.best.max(b.best), worst: a.worst.zip(b.worst).map(|(a, b)| a.max(b)) }
}

fn sooner(a: Bounds, b: Bounds) -> Bounds {
    Bounds { best: a.best.min(b.best), worst: a.worst.into_iter().chain(b.worst).min() }
}
