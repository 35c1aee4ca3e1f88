//! t1: when the health statuses of the fault's cells turned.

use crate::journal::event::{Event, Signal};
use crate::plan::{HealthCheckPlan, Plan};
use crate::zone::HealthCheckId;

use super::boundary::Boundary;
use super::subject::{Subject, broken_cells};
use super::{Interval, Leg, Measurement, Turning};

/// The first turning of each status of the fault's cells in the leg, in the order of time.
pub(super) fn turnings(subject: &Subject<'_>) -> Vec<Turning> {
    let mut all: Vec<Turning> = Vec::new();
    for stamped in subject.events.iter().filter(|stamped| subject.window.holds(stamped.at)) {
        let Event::HealthChanged { signal, healthy, .. } = &stamped.event else { continue };
        let known = all.iter().any(|turning| turning.signal == *signal);
        if !known && concerns(subject, signal) && *healthy == turns_to(subject, signal) {
            let first_check = first_check(subject, signal, stamped.at);
            let evidence = is_evidence(subject.plan, signal);
            all.push(Turning { signal: signal.clone(), healthy: *healthy, first_check, at: stamped.at, evidence });
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
    match signal {
        Signal::Cell { cell } => plan.cells.get(cell).is_some_and(|cell| cell.evaluated),
        Signal::HealthCheck { .. } => true,
        Signal::Target { .. } | Signal::Node { .. } | Signal::Verdict { .. } | Signal::Probe { .. } => false,
    }
}

fn concerns(subject: &Subject<'_>, signal: &Signal) -> bool {
    let broken = broken_cells(subject.plan);
    match signal {
        Signal::Target { cell, .. } | Signal::Node { cell } | Signal::Cell { cell } | Signal::Verdict { cell } => {
            broken.contains(cell.as_str())
        }
        Signal::Probe { .. } => false,
        Signal::HealthCheck { id } => subject
            .plan
            .health_checks
            .get(&HealthCheckId(id.clone()))
            .and_then(HealthCheckPlan::endpoint)
            .is_some_and(|endpoint| broken.contains(endpoint.cell.as_str())),
    }
}

/// The status that a broken cell leads to in this leg; an inverted health check says the opposite (R53-104).
fn turns_to(subject: &Subject<'_>, signal: &Signal) -> bool {
    let inverted = match signal {
        Signal::HealthCheck { id } => {
            subject.plan.health_checks.get(&HealthCheckId(id.clone())).is_some_and(|check| check.status.inverted)
        }
        _ => false,
    };
    (subject.leg == Leg::Failback) != inverted
}

fn first_check(subject: &Subject<'_>, of: &Signal, until: crate::clock::LabTime) -> Option<Interval> {
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
