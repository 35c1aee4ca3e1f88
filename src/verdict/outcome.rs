//! The one word for a whole run, and the order in which the words go before one another.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::journal::event::{Event, Stamped};
use crate::plan::Plan;
use crate::plan::expectation::Leg;
use crate::timeline::measure::Measured;

use super::{Judged, Judgement, Overload, wording};

/// What came of a run. The lab's own trouble never looks like the subject's failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Every expectation was seen.
    Passed,
    /// An expectation was not met.
    Failed,
    /// Something could not be told.
    Inconclusive,
    /// The lab failed, or never became steady.
    LabBroke,
    /// The fault was not seen to hold.
    FaultDidNotHold,
    /// The steady state was not seen again.
    UndoFailed,
    /// Somebody stopped the run, or it was killed.
    Interrupted,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Inconclusive => "inconclusive",
            Self::LabBroke => "lab broke",
            Self::FaultDidNotHold => "fault did not hold",
            Self::UndoFailed => "undo failed",
            Self::Interrupted => "interrupted",
        })
    }
}

/// A part of a fault that was seen to work again while the fault was to be held: somebody mended it, or it was never
/// what it should have been.
fn ended_early(events: &[Stamped], plan: &Plan) -> Option<String> {
    let first = events.iter().position(|stamped| matches!(stamped.event, Event::FaultHeld { .. }))?;
    let is_over = |stamped: &Stamped| {
        matches!(stamped.event, Event::HealRequested { .. } | Event::Interrupted { .. } | Event::LabBroke { .. })
    };
    let since = events[first].at;
    let mut hold = events[first..].iter().take_while(|stamped| !is_over(stamped));
    hold.find_map(|stamped| match &stamped.event {
        Event::FaultLooked { fault, part, broken: false, detail } if plan.faults.contains(fault) => {
            let after = wording::secs(stamped.at.since(since));
            Some(format!("the fault ended by itself, or by somebody else, {after} into the hold: {part}: {detail}"))
        }
        _ => None,
    })
}

/// Real resolvers count by the wall clock: one that was set makes TTLs longer or shorter than they are.
fn wall_clock_set(event: &Event) -> Option<String> {
    let Event::WallClockSet { step } = event else { return None };
    Some(format!(
        "the wall clock was {step} during the run, and real resolvers count TTLs by it; run it again when nothing sets it"
    ))
}

/// The outcome and why: the first of undo failed, interrupted, lab broke, fault did not hold, failed, inconclusive,
/// passed that applies; the middle ones are inconclusive on a machine that was too loaded to see.
pub(super) fn reached(
    events: &[Stamped],
    plan: &Plan,
    measured: &Measured,
    expectations: &[Judged],
    overload: Option<&Overload>,
) -> (Outcome, Option<String>) {
    let said = |of: fn(&Event) -> Option<String>| events.iter().find_map(|stamped| of(&stamped.event));
    let interrupted = said(|event| match event {
        Event::Interrupted { signal } => Some(format!("stopped by {signal}")),
        _ => None,
    });
    let not_undone = said(|event| match event {
        Event::NotUndone { detail } => Some(detail.clone()),
        _ => None,
    });
    let undo_failed = said(|event| match event {
        Event::UndoFailed { detail } => Some(detail.clone()),
        _ => None,
    });
    let lab_broke = said(|event| match event {
        Event::LabBroke { reason } => Some(reason.clone()),
        _ => None,
    });
    let did_not_hold = said(|event| match event {
        Event::FaultDidNotHold { detail, .. } => Some(detail.clone()),
        _ => None,
    });
    let did_not_hold = did_not_hold.or_else(|| ended_early(events, plan));
    let ended = events.iter().any(|stamped| stamped.event == Event::RunEnded);
    let never_steady = said(|event| match event {
        Event::NeverSteady { detail } => Some(detail.clone()),
        _ => None,
    });
    if let Some(detail) = not_undone.or_else(|| undo_failed.clone().filter(|_| overload.is_none())) {
        return (Outcome::UndoFailed, Some(detail));
    }
    if interrupted.is_some() {
        return (Outcome::Interrupted, interrupted);
    }
    if lab_broke.is_some() {
        return (Outcome::LabBroke, lab_broke);
    }
    // What a machine that stood still did not see in time may well have been there.
    let too_late = undo_failed.as_ref().or(never_steady.as_ref()).or(did_not_hold.as_ref());
    if let Some((overload, unseen)) = overload.zip(too_late) {
        return (Outcome::Inconclusive, Some(format!("{overload}; what was not seen: {unseen}")));
    }
    if never_steady.is_some() {
        return (Outcome::LabBroke, never_steady);
    }
    if did_not_hold.is_some() {
        return (Outcome::FaultDidNotHold, did_not_hold);
    }
    if !ended {
        return (Outcome::Interrupted, Some("the journal ends before its run did".to_owned()));
    }
    if measured.failover.window.start.is_none() && !plan.control {
        return (Outcome::FaultDidNotHold, Some(wording::no_start(Leg::Failover).to_owned()));
    }
    if let Some(reason) = said(wall_clock_set).filter(|_| !plan.wire.is_lab()) {
        return (Outcome::Inconclusive, Some(reason));
    }
    let any = |judgement| expectations.iter().any(|judged| judged.judgement == judgement);
    if any(Judgement::Failed) {
        return (Outcome::Failed, None);
    }
    if let Some(overload) = overload {
        return (Outcome::Inconclusive, Some(overload.to_string()));
    }
    if any(Judgement::Inconclusive) {
        let count = expectations.iter().filter(|one| one.judgement == Judgement::Inconclusive).count();
        let reason = format!(
            "{count} of {} expectations could not be told; see each, or run it again with a lower --speed (this run: {})",
            expectations.len(),
            plan.speed
        );
        return (Outcome::Inconclusive, Some(reason));
    }
    if !any(Judgement::Passed) {
        let reason = "no expectation could be judged, so nothing was proven";
        return (Outcome::Inconclusive, Some(reason.to_owned()));
    }
    (Outcome::Passed, None)
}
