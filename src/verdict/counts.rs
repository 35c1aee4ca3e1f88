//! How often something turned: a health status, or the cell at which a client's requests arrive.

use crate::clock::LabTime;
use crate::journal::event::Event;

use super::wording::{after, secs};
use super::{Case, Finding, evidence};

/// So many changes are told one by one.
const TOLD: usize = 6;

/// Something that changed, and to what.
struct Change {
    at: LabTime,
    to: String,
}

/// What the count must be, both ends included.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub(super) at_least: Option<u64>,
    pub(super) at_most: Option<u64>,
}

/// The turns of a status are all written down, each at its moment.
pub(super) fn turns(case: &Case<'_>, of: &str, range: Range) -> Finding {
    let observed = evidence::statuses(case, of, true);
    if !observed.iter().any(|seen| case.leg().window.holds(seen.at)) {
        return Finding::inconclusive(format!("nothing was seen of {of} in the leg; hold the fault longer"));
    }
    let named = |healthy| if healthy { "healthy" } else { "unhealthy" }.to_owned();
    let changes = evidence::turns(case, of).into_iter().map(|(at, healthy)| Change { at, to: named(healthy) });
    judge(case, "turn", changes.collect(), range)
}

/// A client has swung when as many arrivals in a row as it has workers were at another cell than before.
pub(super) fn swings(case: &Case<'_>, client: &str, range: Range) -> Finding {
    let mut arrivals: Vec<(LabTime, &str)> = case
        .events
        .iter()
        .filter_map(|stamped| match &stamped.event {
            Event::RequestArrived { cell, client: who, held, .. } if who == client => {
                Some((stamped.at - *held, cell.as_str()))
            }
            _ => None,
        })
        .collect();
    arrivals.sort_by_key(|(at, _)| *at);
    if !arrivals.iter().any(|(at, _)| case.leg().window.holds(*at)) {
        return Finding::inconclusive(format!("no request of {client} arrived in the leg; hold the fault longer"));
    }
    let workers = case.plan.clients.get(client).map_or(1, |client| client.workers.max(1));
    let mut changes = Vec::new();
    let mut at_cell: Option<&str> = None;
    let mut run: (Option<&str>, u32) = (None, 0);
    for (at, cell) in arrivals {
        run = if run.0 == Some(cell) { (run.0, run.1.saturating_add(1)) } else { (Some(cell), 1) };
        if run.1 < workers || at_cell == Some(cell) {
            continue;
        }
        if at_cell.is_some() {
            changes.push(Change { at, to: cell.to_owned() });
        }
        at_cell = Some(cell);
    }
    judge(case, "swing", changes, range)
}

/// What changed while the fault came to hold may belong to the leg, or not.
fn judge(case: &Case<'_>, what: &str, changes: Vec<Change>, range: Range) -> Finding {
    let window = case.leg().window;
    let possible: Vec<Change> = changes.into_iter().filter(|change| window.holds(change.at)).collect();
    let count = |sure: bool| {
        let counted = possible.iter().filter(|change| !sure || window.surely_holds(change.at));
        u64::try_from(counted.count()).unwrap_or(u64::MAX)
    };
    let (least, most) = (count(true), count(false));
    let plural = |count: u64| if count == 1 { what.to_owned() } else { format!("{what}s") };
    let counted =
        if least == most { format!("{least} {}", plural(least)) } else { format!("{least} to {most} {what}s") };
    let limits = [
        range.at_least.map(|limit| format!("at least {limit}")),
        range.at_most.map(|limit| format!("at most {limit}")),
    ];
    let limits = limits.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let said = format!("{counted} ({limits}){}", told(case, &possible));
    if range.at_most.is_some_and(|limit| least > limit) {
        return Finding::failed(said);
    }
    if range.at_least.is_some_and(|limit| most < limit) {
        return if window.complete {
            Finding::failed(said)
        } else {
            Finding::inconclusive(format!("{said}; the run was cut short before there could be more"))
        };
    }
    if range.at_least.is_some_and(|limit| least < limit) || range.at_most.is_some_and(|limit| most > limit) {
        return Finding::inconclusive(format!(
            "{said}; some came while the fault came to hold: looking at the fault more often settles it"
        ));
    }
    Finding::passed(said)
}

fn told(case: &Case<'_>, changes: &[Change]) -> String {
    let Some(start) = case.leg().window.start.filter(|_| !changes.is_empty()) else { return String::new() };
    let each: Vec<String> = changes
        .iter()
        .take(TOLD)
        .map(|change| format!("to {} at {}", change.to, secs(change.at.since(start.until))))
        .collect();
    let more = changes.len().saturating_sub(TOLD);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!(": {}{more}, {}", each.join(", "), after(case.expectation.during))
}
