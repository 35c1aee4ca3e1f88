//! t1: when the health statuses turned that the faults are predicted to turn, or that belong to the fault's cells.

use crate::clock::LabTime;
use crate::journal::event::{Event, Signal};
use crate::plan::{Fault, HealthCheckKind, HealthCheckPlan, LegPrediction, Metric, Plan, SignalPrediction};
use crate::zone::HealthCheckId;

use super::boundary::Boundary;
use super::subject::{Subject, broken_cells};
use super::{Interval, Leg, Measurement, Turning};

/// The first turning of each status that the faults have to do with, in the order of time.
pub(super) fn turnings(subject: &Subject<'_>) -> Vec<Turning> {
    let mut all: Vec<Turning> = Vec::new();
    for stamped in subject.events.iter().filter(|stamped| subject.window.holds(stamped.at)) {
        let Event::HealthChanged { signal, healthy, .. } = &stamped.event else { continue };
        let known = all.iter().any(|turning| turning.signal == *signal);
        if !known && turns_to(subject, signal) == Some(*healthy) {
            all.push(Turning {
                signal: signal.clone(),
                healthy: *healthy,
                first_check: first_check(subject, signal, stamped.at),
                at: stamped.at,
                evidence: is_evidence(subject.plan, signal),
                predicted: predicted(subject.predicted, signal).map(|predicted| predicted.bounds),
            });
        }
    }
    all
}

/// The last evidence that turned. A state machine turns at a known moment; only t0 is uncertain.
pub(super) fn measure(subject: &Subject<'_>, turnings: &[Turning]) -> Measurement {
    let evidence = turnings.iter().filter(|turning| turning.evidence);
    let moment = evidence.map(|turning| turning.at).max().map(Interval::exactly);
    let last_old = moment.is_none().then_some(subject.window.end);
    let boundary = Boundary { moment, last_old };
    subject.measurement("", subject.predicted.detection, subject.window.start, boundary)
}

/// Whether decisions use this status itself, rather than something computed from it.
pub(crate) fn is_evidence(plan: &Plan, signal: &Signal) -> bool {
    let legs = [&plan.prediction.failover, &plan.prediction.failback];
    if let Some(predicted) = legs.into_iter().find_map(|leg| predicted(leg, signal)) {
        return predicted.evidence;
    }
    match signal {
        // Whatever evaluates the cell, an answer with its addresses follows its zones.
        Signal::Zone { .. } => true,
        Signal::Cell { cell } => plan.cells.get(cell).is_some_and(|cell| cell.evaluated),
        // The children of a calculated check are seen through it.
        Signal::HealthCheck { id } => !plan.health_checks.values().any(|planned| {
            matches!(&planned.kind, HealthCheckKind::Calculated(check)
                if check.children.iter().any(|child| child.0 == *id))
        }),
        Signal::Target { .. } | Signal::Node { .. } | Signal::Verdict { .. } | Signal::Probe { .. } => false,
    }
}

fn predicted<'p>(leg: &'p LegPrediction, signal: &Signal) -> Option<&'p SignalPrediction> {
    leg.signals.iter().find(|predicted| predicted.signal == *signal)
}

/// What a status turns to in this leg: as predicted; where nothing is, what a broken cell leads to. `None`: the faults
/// have nothing to do with it.
fn turns_to(subject: &Subject<'_>, signal: &Signal) -> Option<bool> {
    if let Some(predicted) = predicted(subject.predicted, signal) {
        return Some(predicted.healthy);
    }
    let back = subject.leg == Leg::Failback;
    match signal {
        Signal::Target { cell, .. }
        | Signal::Node { cell }
        | Signal::Cell { cell }
        | Signal::Zone { cell, .. }
        | Signal::Verdict { cell } => broken_cells(subject.plan).contains(cell.as_str()).then_some(back),
        Signal::Probe { .. } => None,
        Signal::HealthCheck { id } => {
            let planned = subject.plan.health_checks.get(&HealthCheckId(id.clone()))?;
            // An inverted health check says the opposite (R53-104).
            concerns(subject.plan, id, planned).then_some(back != planned.status.inverted)
        }
    }
}

/// Whether the evidence of a health check comes, however far away, from what a fault breaks.
fn concerns(plan: &Plan, id: &str, planned: &HealthCheckPlan) -> bool {
    let broken = broken_cells(plan);
    match &planned.kind {
        _ if plan.faults.iter().any(|fault| matches!(fault, Fault::DrainCheck(of) if of == id)) => true,
        HealthCheckKind::Endpoint(endpoint) => broken.contains(endpoint.cell.as_str()),
        HealthCheckKind::Alarm(alarm) => match &alarm.metric {
            Metric::QueueAge(cell) | Metric::DeadLetterAge(cell) => broken.contains(cell.as_str()),
            // Where a probe arrives is the zone's to say: only the prediction knows.
            Metric::ProbeSuccess(_) => false,
        },
        HealthCheckKind::RoutingControl(control) => {
            plan.faults.iter().any(|fault| matches!(fault, Fault::TurnOff(of) if of == control))
        }
        HealthCheckKind::Calculated(check) => check.children.iter().any(|child| {
            // None of them is calculated itself (R53-133), so this ends.
            plan.health_checks.get(child).is_some_and(|planned| {
                !matches!(planned.kind, HealthCheckKind::Calculated(_)) && concerns(plan, &child.0, planned)
            })
        }),
    }
}

fn first_check(subject: &Subject<'_>, of: &Signal, until: LabTime) -> Option<Interval> {
    let passes = subject.leg == Leg::Failback;
    let checks =
        subject.events.iter().filter(|stamped| stamped.at <= until).filter_map(|stamped| match &stamped.event {
            Event::Checked { signal, passed, .. } if signal == of => Some((stamped.at, *passed)),
            _ => None,
        });
    let mut before = None;
    let mut first = None;
    for (at, passed) in checks {
        if passed == passes {
            first = first.or_else(|| Some(Interval { after: before?, until: at }));
        } else {
            before = Some(at);
            first = None;
        }
    }
    first
}
