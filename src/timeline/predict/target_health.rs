//! When the health of a load balancer turns: of its targets, of its node, of its zones, and of all together.

use crate::health::Cadence;
use crate::plan::{CellKind, CellPlan, Fault, NodeCheck, Plan, RegionPlan, Signal};
use crate::verdict::wording::secs;

use std::collections::BTreeSet;
use std::time::Duration;

use super::reached::{Reached, in_a_row};
use super::signals::{Falls, Turn};

/// Every status of one cell that evaluate target health, and answers with its addresses, have to do with.
pub(super) fn turns(plan: &Plan, cell: &str) -> Vec<Turn> {
    let Some((known, region)) = region(plan, cell) else { return Vec::new() };
    let dead = dead_targets(plan, cell);
    let whole = faults(plan, cell).any(|fault| matches!(fault, Fault::KillRegion(_)));
    let turn = |signal, evidence, falls: Falls| Turn {
        signal,
        healthy: false,
        evidence,
        there: Some(falls.there),
        back: Some(falls.back),
    };
    let stalled = faults(plan, cell).any(|fault| matches!(fault, Fault::StallDatabase(_)));
    let targets = targets(region, if stalled { region.database_patience() } else { Duration::ZERO });
    let target = |target| turn(Signal::Target { cell: cell.to_owned(), target }, false, targets.clone());
    let mut turns: Vec<Turn> = dead.iter().copied().map(target).collect();
    // The node of a region without its database can still be reached.
    let node = whole.then(|| node(region.node_check));
    turns.extend(node.iter().map(|node| turn(Signal::Node { cell: cell.to_owned() }, false, node.clone())));
    let zones = known.zones(cell);
    let broken = region.load_balancer(&zones, |target| !dead.contains(&target), !whole);
    let healthy = broken.healthy_zones();
    // Dead targets turn within the same bounds, each: so does what needs any number of them.
    let fallen = region.zones.iter().filter(|zone| !healthy.contains(zone.name.as_str()));
    turns.extend(fallen.map(|zone| {
        let signal = Signal::Zone { cell: cell.to_owned(), zone: zone.name.clone() };
        turn(signal, known.alias_target.is_some(), targets.clone())
    }));
    if !broken.is_healthy() {
        // Whichever notices first turns it; both must be content to turn it back (R53-158, R53-166).
        let both = node.into_iter().fold(targets, Falls::with);
        turns.push(turn(Signal::Cell { cell: cell.to_owned() }, known.evaluated, both));
    }
    turns
}

/// The targets that fail their checks because of the faults.
pub(super) fn dead_targets(plan: &Plan, cell: &str) -> BTreeSet<usize> {
    let Some((_, region)) = region(plan, cell) else { return BTreeSet::new() };
    let dead = |fault: &Fault| match fault {
        Fault::KillRegion(_) | Fault::KillDatabase(_) | Fault::StallDatabase(_) => (0..region.targets).collect(),
        Fault::KillTargets { targets, .. } => targets.clone(),
        _ => BTreeSet::new(),
    };
    faults(plan, cell).flat_map(dead).collect()
}

fn faults<'p>(plan: &'p Plan, cell: &'p str) -> impl Iterator<Item = &'p Fault> {
    plan.faults.iter().filter(move |fault| fault.cell() == Some(cell))
}

fn region<'p>(plan: &'p Plan, cell: &str) -> Option<(&'p CellPlan, &'p RegionPlan)> {
    let known = plan.cells.get(cell)?;
    match &known.kind {
        CellKind::Region(region) => Some((known, region)),
        CellKind::Llm(_) | CellKind::TelemetryGateway | CellKind::StaticSite => None,
    }
}

/// A target that refuses says so at once, and one without a database too; one whose database is silent waits first.
fn targets(region: &RegionPlan, waits: Duration) -> Falls {
    let (group, at_once) = (&region.target_group, Duration::ZERO);
    let why = |count, what| format!("{} of each target", in_a_row(count, what, group.interval));
    let mut failed = why(group.unhealthy_threshold, "failed check");
    if !waits.is_zero() {
        failed = format!("{failed}, each after {} without an answer of the database", secs(waits));
    }
    Falls {
        there: Reached::new(group.fails_within(at_once, waits), failed),
        back: Reached::new(group.recovers_within(at_once, waits), why(group.healthy_threshold, "good check")),
    }
}

fn node(NodeCheck { interval, threshold }: NodeCheck) -> Falls {
    let bounds = Cadence::StartToStart(interval).turns_within(threshold, Duration::ZERO, Duration::ZERO);
    let why = |what| format!("{threshold} {what} of the load balancer's node in a row, {} apart", secs(interval));
    Falls { there: Reached::new(bounds, why("failed checks")), back: Reached::new(bounds, why("good checks")) }
}
