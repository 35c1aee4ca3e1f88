//! Which health statuses the faults turn, in the order in which they do, and what decisions then know.
//!
//! Each kind of signal has a file of its own; here they are put together.

use std::collections::{BTreeMap, BTreeSet};

use hickory_proto::rr::Name;

use crate::decide::Evidence;
use crate::health::EvidenceBoard;
use crate::plan::{Bounds, CellKind, CellPlan, HealthCheckKind, Plan, Signal, SignalPrediction};
use crate::zone::{HealthCheckId, Zone};

use super::reached::{self, Reached};
use super::scene::Scene;
use super::{alarm, calculated, endpoint, switch, target_health, verdict};

/// A status that the faults turn.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Turn {
    pub(super) signal: Signal,
    /// What it is while the faults hold.
    pub(super) healthy: bool,
    /// Whether decisions use it itself.
    pub(super) evidence: bool,
    /// From the fault to the turn; `None`: nobody sees it turn.
    pub(super) there: Option<Reached>,
    /// From the heal to the turn back.
    pub(super) back: Option<Reached>,
}

/// What the faults make of a status that is evaluated, before it is inverted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Falls {
    /// From the fault on, until it is unhealthy.
    pub(super) there: Reached,
    /// From the heal on, until it is healthy again.
    pub(super) back: Reached,
}

impl Falls {
    /// Of two faults: the first of them brings it down, and both must be gone before it is healthy again.
    pub(super) fn with(self, other: Self) -> Self {
        Self { there: self.there.sooner(other.there), back: self.back.later(other.back) }
    }

    /// This, and what follows from it.
    pub(super) fn then(self, next: Self) -> Self {
        Self { there: self.there.then(next.there), back: self.back.then(next.back) }
    }
}

/// Every status that turns.
pub(super) fn turns(scene: &Scene<'_>) -> Vec<Turn> {
    let Scene { plan, zone, .. } = *scene;
    let mut turns: Vec<Turn> = plan.cells.keys().flat_map(|cell| target_health::turns(plan, cell)).collect();
    turns.extend(plan.cells.keys().filter_map(|cell| verdict::turn(scene, cell)));
    let mut checks: BTreeMap<&HealthCheckId, Turn> = BTreeMap::new();
    for (id, planned) in &plan.health_checks {
        let falls = match &planned.kind {
            // A disabled check does not look (R53-105).
            _ if planned.status.disabled => None,
            HealthCheckKind::Endpoint(endpoint) => endpoint::falls(scene, endpoint),
            HealthCheckKind::Alarm(alarm) => alarm::falls(scene, alarm),
            HealthCheckKind::RoutingControl(control) => switch::control(plan, control),
            HealthCheckKind::Calculated(_) => None,
        };
        let falls = falls.or_else(|| switch::drain_check(plan, id));
        let turn = falls.map(|Falls { there, back }| Turn {
            signal: Signal::HealthCheck { id: id.0.clone() },
            healthy: !steady_status(plan, id),
            evidence: named(zone, id),
            there: Some(there),
            back: Some(back),
        });
        checks.extend(turn.map(|turn| (id, turn)));
    }
    let parents: Vec<Turn> =
        plan.health_checks.keys().filter_map(|id| calculated::turn(plan, id, &checks, named(zone, id))).collect();
    turns.extend(checks.into_values());
    turns.extend(parents);
    turns
}

/// The turns of one leg, in their order.
pub(super) fn predicted(turns: &[Turn], there: bool) -> Vec<SignalPrediction> {
    let mut all: Vec<SignalPrediction> = turns
        .iter()
        .filter_map(|turn| {
            let reached = if there { turn.there.as_ref()? } else { turn.back.as_ref()? };
            Some(SignalPrediction {
                signal: turn.signal.clone(),
                healthy: turn.healthy == there,
                bounds: reached.bounds,
                evidence: turn.evidence,
                why: reached.why.clone(),
            })
        })
        .collect();
    all.sort_by_key(|signal| reached::order(&signal.bounds));
    all
}

/// The last status that decisions use. Nothing to turn: nothing is ever detected.
pub(super) fn detection(signals: &[SignalPrediction]) -> Bounds {
    let evidence = signals.iter().filter(|signal| signal.evidence).map(|signal| signal.bounds);
    evidence.reduce(reached::later).unwrap_or(super::NEVER)
}

/// What decisions know while all is well: everything that is looked at passes, a routing control stands as it starts.
pub(super) fn steady(plan: &Plan) -> EvidenceBoard {
    let calculated = plan.health_checks.iter().filter_map(|(id, planned)| match &planned.kind {
        HealthCheckKind::Calculated(check) => Some((id.clone(), (check.clone(), planned.status))),
        _ => None,
    });
    let mut board = EvidenceBoard::with_calculated(calculated.collect());
    for (id, planned) in &plan.health_checks {
        let evaluated = match &planned.kind {
            HealthCheckKind::Endpoint(_) | HealthCheckKind::Alarm(_) => true,
            HealthCheckKind::RoutingControl(control) => {
                plan.routing_controls.controls.get(control).copied().unwrap_or(true)
            }
            // It follows its children.
            HealthCheckKind::Calculated(_) => continue,
        };
        board.set_health_check(id.clone(), planned.status.apply(evaluated));
    }
    board
}

/// What decisions know while the faults hold and everything has been detected.
pub(super) fn broken(plan: &Plan, turns: &[Turn]) -> EvidenceBoard {
    let mut board = steady(plan);
    for turn in turns {
        match &turn.signal {
            // A calculated check is not set: it follows its children.
            Signal::HealthCheck { id } => {
                board.set_health_check(HealthCheckId(id.clone()), turn.healthy);
            }
            Signal::Cell { cell } => {
                if let Some(target) = plan.cells.get(cell).and_then(alias_target) {
                    board.set_resource(target, turn.healthy);
                }
            }
            Signal::Target { .. }
            | Signal::Node { .. }
            | Signal::Zone { .. }
            | Signal::Verdict { .. }
            | Signal::Probe { .. } => {}
        }
    }
    for (name, cell) in &plan.cells {
        let Some(target) = alias_target(cell) else { continue };
        let fell = |zone: &String| {
            turns.iter().any(|turn| matches!(&turn.signal, Signal::Zone { zone: fallen, .. } if fallen == zone))
        };
        let zones: BTreeSet<String> = cell.zones(name).into_iter().map(|zone| zone.name).collect();
        let healthy: BTreeSet<String> = zones.iter().filter(|zone| !fell(zone)).cloned().collect();
        // Where none is healthy all are answered (R53-164).
        board.set_answered_zones(target, if healthy.is_empty() { zones } else { healthy });
    }
    board
}

/// The status of a health check while all is well; healthy for an id that is none (R53-103).
pub(crate) fn steady_status(plan: &Plan, id: &HealthCheckId) -> bool {
    steady(plan).health_check_is_healthy(id)
}

/// Whether a record of the zone names this health check.
fn named(zone: &Zone, id: &HealthCheckId) -> bool {
    zone.groups.values().flat_map(|group| &group.records).any(|record| record.health_check.as_ref() == Some(id))
}

fn alias_target(cell: &CellPlan) -> Option<Name> {
    // A static site has no health that evaluate target health could see (R53-97).
    let target = cell.alias_target.as_deref().filter(|_| matches!(cell.kind, CellKind::Region(_)))?;
    Name::from_ascii(target).ok()
}
