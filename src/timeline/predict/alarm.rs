//! When a health check on a metric turns: the age of a queue, or the success of a synthetic probe.

use std::time::Duration;

use crate::health::InsufficientData;
use crate::plan::{AlarmPlan, Bounds, CellKind, Fault, Metric, ProbePlan, QueuePlan};
use crate::service::QUEUE_PUBLISHES_EVERY;
use crate::verdict::wording::secs;

use super::holding::OldCell;
use super::old_cell;
use super::reached::Reached;
use super::scene::Scene;
use super::signals::Falls;

/// What the faults make of an alarm check.
pub(super) fn falls(scene: &Scene<'_>, alarm: &AlarmPlan) -> Option<Falls> {
    match &alarm.metric {
        Metric::QueueAge(cell) => queue_age(scene, cell, alarm),
        // A worker that is killed may leave a message that was received once; that makes no dead letter for certain.
        Metric::DeadLetterAge(_) => None,
        Metric::ProbeSuccess(probe) => probe_success(scene, probe, alarm),
    }
}

fn queue_age(scene: &Scene<'_>, cell: &str, alarm: &AlarmPlan) -> Option<Falls> {
    let CellKind::Region(region) = &scene.plan.cells.get(cell)?.kind else { return None };
    let queue = region.queue?;
    let faults = scene.plan.faults.iter().filter(|fault| fault.cell() == Some(cell));
    let falls = faults.filter_map(|fault| match fault {
        Fault::StopWorker(_) => grows_old(queue, alarm),
        Fault::AbandonQueue(_) => abandoned(queue, alarm),
        Fault::QuietQueue(_) | Fault::KillRegion(_) => falls_silent(queue, alarm),
        _ => None,
    });
    falls.reduce(Falls::with)
}

/// Nobody takes messages out: the oldest grows older. It was being worked on at the fault, or comes with the producer's
/// next.
fn grows_old(queue: QueuePlan, alarm: &AlarmPlan) -> Option<Falls> {
    let back = "the worker works off what has piled up while it was gone";
    ages(alarm, (queue.work_takes, queue.message_every), back)
}

/// The same, and whoever sends has gone before the fault is seen to hold. The queue may be deleted before its metric
/// has told of it; what insufficient data make of the status after that is not predicted.
fn abandoned(queue: QueuePlan, alarm: &AlarmPlan) -> Option<Falls> {
    let sent_before = queue.work_takes.saturating_add(queue.message_every);
    let mut falls =
        ages(alarm, (sent_before, Duration::ZERO), "the worker works off what was left, if it is still there")?;
    let deleted_first = falls.there.bounds.worst.is_some_and(|worst| worst > queue.settings.deleted_when_idle_for);
    if deleted_first {
        falls.there.bounds.worst = None;
    }
    Some(falls)
}

/// The oldest message, sent between so long before and so long after the fault, becomes older than the threshold.
fn ages(alarm: &AlarmPlan, (before, after): (Duration, Duration), back: &str) -> Option<Falls> {
    let settings = alarm.alarm.settings;
    let threshold = Duration::try_from_secs_f64(settings.threshold).ok()?;
    // An age that must not be low says nothing of a worker that is gone.
    if settings.breaches(0.0) || !settings.breaches(f64::MAX) {
        return None;
    }
    let worst = threshold.saturating_add(after).saturating_add(QUEUE_PUBLISHES_EVERY);
    let old = Reached::new(
        (threshold.saturating_sub(before), worst),
        format!("the oldest message is {} old, told once a minute", secs(threshold)),
    );
    Some(Falls { there: old.then(alarms(alarm)), back: Reached::unbounded(settings.clears_within().0, back) })
}

/// Nobody uses the queue: its metric ends, and what a missing metric means is the health check's own setting (R53-142).
fn falls_silent(queue: QueuePlan, alarm: &AlarmPlan) -> Option<Falls> {
    let settings = alarm.alarm.settings;
    if alarm.insufficient_data != InsufficientData::Unhealthy {
        return None;
    }
    let silent = Reached::new(
        queue.settings.falls_silent_within(),
        format!("the queue publishes for {} more", secs(queue.settings.active_for)),
    );
    let empty = Reached::new(settings.empties_within(), "the evaluation range runs empty, which means unhealthy");
    let speaks = Reached::new(queue.settings.speaks_again_within(), "the queue publishes again");
    Some(Falls { there: silent.then(empty), back: speaks.then(clears(alarm)) })
}

/// A synthetic probe fails as clients do at the cells that it is answered.
fn probe_success(scene: &Scene<'_>, name: &str, alarm: &AlarmPlan) -> Option<Falls> {
    let probe = scene.plan.probes.get(name)?;
    let settings = alarm.alarm.settings;
    let cells = &scene.probes.get(name)?.labels;
    let fails = |cell: &&String| old_cell::left_of(scene, cell) != OldCell::Serves;
    let failing = cells.iter().filter(fails).count();
    if failing == 0 || !settings.breaches(0.0) || settings.breaches(1.0) {
        return None;
    }
    let mut there = probed(probe, probe.every, "probe that fails").then(alarms(alarm));
    if failing < cells.len() {
        // Which cell a probe comes to is chance.
        there.bounds = Bounds::unbounded(there.bounds.best);
    }
    Some(Falls { there, back: probed(probe, probe.every, "probe that succeeds").then(clears(alarm)) })
}

/// The first probe that ends otherwise. One that is under way may be it already; a failing one is refused at once, or
/// given up in time.
fn probed(probe: &ProbePlan, every: Duration, what: &str) -> Reached {
    let worst = every.saturating_add(probe.timeout);
    Reached::new((Duration::ZERO, worst), format!("the first {what}, one every {}", secs(every)))
}

fn alarms(alarm: &AlarmPlan) -> Reached {
    let settings = alarm.alarm.settings;
    let why = format!("{} of {} breaching", settings.evaluation_periods, secs(settings.period));
    Reached::new(settings.alarms_within(), why.replacen(" of ", " periods of ", 1))
}

fn clears(alarm: &AlarmPlan) -> Reached {
    let settings = alarm.alarm.settings;
    Reached::new(settings.clears_within(), format!("a period of {} that does not breach", secs(settings.period)))
}
