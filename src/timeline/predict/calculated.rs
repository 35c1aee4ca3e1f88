//! When a calculated check turns: when the count of its healthy children crosses its threshold (R53-128).

use std::collections::BTreeMap;

use crate::health::CalculatedCheck;
use crate::plan::{Bounds, HealthCheckKind, Plan, Signal};
use crate::zone::HealthCheckId;

use super::reached::{Reached, later, nth};
use super::signals::{Turn, steady_status};

/// The turn of a calculated check, from those of its children.
pub(super) fn turn(
    plan: &Plan,
    id: &HealthCheckId,
    checks: &BTreeMap<&HealthCheckId, Turn>,
    evidence: bool,
) -> Option<Turn> {
    let planned = plan.health_checks.get(id)?;
    let HealthCheckKind::Calculated(check) = &planned.kind else { return None };
    if planned.status.disabled {
        return None;
    }
    let turning: Vec<&Turn> = check.children.iter().filter_map(|child| checks.get(child)).collect();
    let before = |child: &HealthCheckId| steady_status(plan, child);
    let after = |child: &HealthCheckId| checks.get(child).map_or_else(|| before(child), |turn| turn.healthy);
    let (was, is) = (check.status(before), check.status(after));
    if was == is {
        return None;
    }
    let had = check.children.iter().filter(|child| before(child)).count();
    let has = check.children.iter().filter(|child| after(child)).count();
    Some(Turn {
        signal: Signal::HealthCheck { id: id.0.clone() },
        healthy: planned.status.apply(is),
        evidence,
        there: crossing(check, had, is, &turning, true),
        back: crossing(check, has, was, &turning, false),
    })
}

/// When the count, which stands at `from`, has crossed the threshold. The children that turn the other way may hold
/// it back until the last of all has turned.
fn crossing(check: &CalculatedCheck, from: usize, to: bool, turning: &[&Turn], there: bool) -> Option<Reached> {
    let threshold = usize::try_from(check.healthy_threshold).unwrap_or(usize::MAX);
    let needed = if to { threshold.saturating_sub(from) } else { from.saturating_add(1).saturating_sub(threshold) };
    let way = |turn: &Turn| if there { turn.there.clone() } else { turn.back.clone() };
    let helps = |turn: &&&Turn| (turn.healthy == there) == to;
    let helping: Vec<Reached> = turning.iter().filter(helps).filter_map(|turn| way(turn)).collect();
    let bounds: Vec<Bounds> = helping.iter().map(|reached| reached.bounds).collect();
    let mut crossed = nth(&bounds, needed)?;
    let hindering =
        turning.iter().filter(|turn| !helps(turn)).filter_map(|turn| way(turn)).map(|reached| reached.bounds);
    if let Some(last) = hindering.reduce(later) {
        crossed.worst = later(crossed, last).worst;
    }
    let why = helping.iter().find(|reached| reached.bounds.worst == crossed.worst).map(|reached| reached.why.as_str());
    let counted = format!("at once: {} of {} children must be healthy", check.healthy_threshold, check.children.len());
    Some(Reached {
        bounds: crossed,
        why: why.into_iter().chain([counted.as_str()]).collect::<Vec<_>>().join("; then "),
    })
}
