//! When the health of a load balancer turns: of its targets, of its node, and of both together.

use crate::health::Cadence;
use crate::plan::{CellKind, Fault, NodeCheck, Plan, RegionPlan, Signal};
use crate::verdict::wording::secs;

use std::time::Duration;

use super::reached::{Reached, in_a_row};
use super::signals::{Falls, Turn};

/// Every status of one cell that evaluate target health has to do with.
pub(super) fn turns(plan: &Plan, cell: &str) -> Vec<Turn> {
    let Some((known, region)) = plan.cells.get(cell).and_then(|known| match &known.kind {
        CellKind::Region(region) => Some((known, region)),
        CellKind::Llm(_) | CellKind::TelemetryGateway | CellKind::StaticSite => None,
    }) else {
        return Vec::new();
    };
    let of = |fault: &&Fault| fault.cell() == Some(cell);
    let whole = plan.faults.iter().filter(of).any(|fault| matches!(fault, Fault::KillRegion(_)));
    let database = plan.faults.iter().filter(of).any(|fault| matches!(fault, Fault::KillDatabase(_)));
    if !whole && !database {
        return Vec::new();
    }
    let turn = |signal, evidence, falls: Falls| Turn {
        signal,
        healthy: false,
        evidence,
        there: Some(falls.there),
        back: Some(falls.back),
    };
    let targets = targets(region);
    let mut turns: Vec<Turn> = (0..region.targets)
        .map(|target| turn(Signal::Target { cell: cell.to_owned(), target }, false, targets.clone()))
        .collect();
    // The node of a region without its database can still be reached.
    let node = whole.then(|| node(region.node_check));
    turns.extend(node.iter().map(|node| turn(Signal::Node { cell: cell.to_owned() }, false, node.clone())));
    // Whichever notices first turns it; both must be content to turn it back (R53-158, R53-166).
    let both = node.into_iter().fold(targets, Falls::with);
    turns.push(turn(Signal::Cell { cell: cell.to_owned() }, known.evaluated, both));
    turns
}

/// A target that refuses, and one that answers 503, are answered at once.
fn targets(region: &RegionPlan) -> Falls {
    let (group, at_once) = (&region.target_group, Duration::ZERO);
    let why = |count, what| format!("{} of each target", in_a_row(count, what, group.interval));
    Falls {
        there: Reached::new(group.fails_within(at_once, at_once), why(group.unhealthy_threshold, "failed check")),
        back: Reached::new(group.recovers_within(at_once, at_once), why(group.healthy_threshold, "good check")),
    }
}

fn node(NodeCheck { interval, threshold }: NodeCheck) -> Falls {
    let bounds = Cadence::StartToStart(interval).turns_within(threshold, Duration::ZERO, Duration::ZERO);
    let why = |what| format!("{threshold} {what} of the load balancer's node in a row, {} apart", secs(interval));
    Falls { there: Reached::new(bounds, why("failed checks")), back: Reached::new(bounds, why("good checks")) }
}
