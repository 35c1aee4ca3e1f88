//! When the cached verdict on an inference engine turns, for each fault of its cell.

use crate::health::ProberSettings;
use crate::plan::{CellKind, EnginePlan, Fault, LlmPlan, Signal};
use crate::service::{EngineSettings, THROTTLED_ANSWER_TAKES};
use crate::verdict::wording::secs;

use std::time::Duration;

use super::load;
use super::reached::{Reached, in_a_row};
use super::scene::Scene;
use super::signals::{Falls, Turn};

/// The verdict on one cell's engine, if a fault turns it and somebody is left to tell.
pub(super) fn turn(scene: &Scene<'_>, cell: &str) -> Option<Turn> {
    let falls = falls(scene, cell)?;
    // A dead `/healthz` tells nothing; the one that comes back tells when it is healthy again.
    let there = (!scene.plan.faults.iter().any(|fault| kills_healthz(fault, cell))).then_some(falls.there);
    Some(Turn {
        signal: Signal::Verdict { cell: cell.to_owned() },
        healthy: false,
        evidence: false,
        there,
        back: Some(falls.back),
    })
}

/// What the faults make of the verdict that `/healthz` answers with.
pub(super) fn falls(scene: &Scene<'_>, cell: &str) -> Option<Falls> {
    let CellKind::Llm(llm) = &scene.plan.cells.get(cell)?.kind else { return None };
    let faults = scene.plan.faults.iter().filter(|fault| fault.cell() == Some(cell));
    faults.filter_map(|fault| of_fault(scene, cell, llm, fault)).reduce(Falls::with)
}

fn kills_healthz(fault: &Fault, cell: &str) -> bool {
    matches!(fault, Fault::KillRegion(of) if of == cell)
}

fn of_fault(scene: &Scene<'_>, cell: &str, llm: &LlmPlan, fault: &Fault) -> Option<Falls> {
    let settings = &llm.prober.as_ref()?.settings;
    let at_once = Duration::ZERO;
    let (own, loads_for) = match &llm.engine {
        EnginePlan::Own { settings, .. } => (Some(settings), settings.loads_for),
        EnginePlan::Real { .. } => (None, Duration::ZERO),
    };
    // How long an engine that runs already takes for a probe is not known, only what it may take.
    let known = own.map(|engine| engine.answers_in(settings.max_tokens));
    let (soonest, good) = (known.unwrap_or_default(), known.unwrap_or(settings.budget));
    match fault {
        // The connection of a probe under way breaks with the engine, and that probe is bad.
        Fault::KillEngine(_) => Some(Falls {
            there: bad_probes(settings, (at_once, at_once), "each refused at once"),
            back: loading(loads_for, good_probes(settings, good, at_once)),
        }),
        Fault::KillRegion(_) => Some(Falls {
            there: Reached::at_once("its /healthz refuses at once"),
            back: new_prober(settings, (soonest, good), loads_for),
        }),
        // A probe under way got part of its answer already: the rest of its budget is all that it still lasts.
        Fault::WedgeEngine(_) | Fault::FreezeEngine(_) | Fault::StallEngine(_) => Some(Falls {
            there: lasting(settings, good, settings.budget),
            back: good_probes(settings, good, settings.budget),
        }),
        // A probe under way has had its work done, and is good: it may end after the fault.
        Fault::ThrottleEngine(_) if THROTTLED_ANSWER_TAKES >= settings.budget => Some(Falls {
            there: lasting_after(settings, (good, good), settings.budget),
            back: good_probes(settings, good, settings.budget),
        }),
        Fault::StarveEngine(_) => starved(scene, cell, own?, settings, good),
        Fault::WrongModel(_) => Some(Falls {
            there: bad_probes(settings, (good, good), "each answered fast by another model"),
            back: good_probes(settings, good, good),
        }),
        Fault::KillProber(_) => Some(Falls {
            there: Reached::new(
                settings.expires_within(good),
                format!("the last verdict expires {} after the end of its probe", secs(settings.max_age)),
            ),
            back: new_prober(settings, (soonest, good), Duration::ZERO),
        }),
        Fault::Drain(_) => Some(Falls {
            there: Reached::at_once("the drain switch is told at once"),
            back: Reached::at_once("the probes went on: the verdict behind the switch is told at once"),
        }),
        // A prober that waits for so long has its answer.
        Fault::ThrottleEngine(_)
        | Fault::KillDatabase(_)
        | Fault::StallDatabase(_)
        | Fault::KillTargets { .. }
        | Fault::PartitionRegion(_)
        | Fault::KillStaticSite(_)
        | Fault::StopWorker(_)
        | Fault::QuietQueue(_)
        | Fault::AbandonQueue(_)
        | Fault::LockOutCheckers(_)
        | Fault::DrainCheck(_)
        | Fault::TurnOff(_)
        | Fault::SilenceAuthoritative => None,
    }
}

/// Bad probes; the longest that the last good one, or the first bad one, may take widens the bounds.
fn bad_probes(settings: &ProberSettings, (good, bad): (Duration, Duration), how: &str) -> Reached {
    let (best, _) = settings.drains_within(good, Duration::ZERO);
    let (_, worst) = settings.drains_within(good, bad);
    Reached::new((best, worst), format!("{} ({how})", in_a_row(settings.fails_to_drain, "bad probe", settings.pause)))
}

/// Bad probes that last as long as they may. None that was good can end after the fault.
fn lasting(settings: &ProberSettings, good: Duration, bad: Duration) -> Reached {
    lasting_after(settings, (good, Duration::ZERO), bad)
}

/// Bad probes that last as long as they may; the last good one ends so long before the fault at most, and after it at
/// most.
fn lasting_after(settings: &ProberSettings, (before, after): (Duration, Duration), bad: Duration) -> Reached {
    let (best, _) = settings.drains_within(before, bad);
    let (_, worst) = settings.drains_within(after, bad);
    let why = format!(
        "{} bad probes, each lasting its {} budget, {} apart",
        settings.fails_to_drain,
        secs(settings.budget),
        secs(settings.pause)
    );
    Reached::new((best, worst), why)
}

/// An engine with one slow slot: whether its probes still pass is arithmetic.
fn starved(
    scene: &Scene<'_>,
    cell: &str,
    engine: &EngineSettings,
    settings: &ProberSettings,
    good: Duration,
) -> Option<Falls> {
    let starved = engine.starved();
    let back = good_probes(settings, good, settings.budget);
    if starved.answers_in(settings.max_tokens) >= settings.budget {
        return Some(Falls { there: lasting(settings, good, settings.budget), back });
    }
    // Alone a probe passes; behind a queue it does not, and the queue takes its time to grow.
    let fills = load::queue_outlasts(scene, cell, &starved, settings.budget)?;
    let (_, gateway) = load::engine(scene.plan, cell)?;
    let left = (&starved, gateway);
    if load::lasts_behind_a_queue(scene.plan, cell, left, &scene.clients, settings.max_tokens) < settings.budget {
        return None;
    }
    let mut there = lasting(settings, good, settings.budget);
    // Until then a probe passes, and that may take it just as long as it may.
    let (_, worst) = settings.drains_within(settings.budget, settings.budget);
    there.bounds.worst = Some(worst.saturating_add(fills));
    there.why = format!("{}; the queue in front of its one slot is that long within {}", there.why, secs(fills));
    Some(Falls { there, back })
}

/// Good probes, after a bad one that may still be under way.
fn good_probes(settings: &ProberSettings, good: Duration, bad: Duration) -> Reached {
    let why = in_a_row(settings.good_to_recover, "good probe", settings.pause);
    Reached::new(settings.recovers_within(good, bad), why)
}

/// The engine loads its model first.
fn loading(loads_for: Duration, probes: Reached) -> Reached {
    if loads_for.is_zero() {
        return probes;
    }
    Reached::new((loads_for, loads_for), format!("the engine loads its model for {}", secs(loads_for))).then(probes)
}

/// A prober that starts begins unhealthy, and probes at once.
fn new_prober(settings: &ProberSettings, (soonest, good): (Duration, Duration), loads_for: Duration) -> Reached {
    if loads_for.is_zero() {
        let takes = (settings.healthy_after_start(soonest), settings.healthy_after_start(good));
        let probes = in_a_row(settings.good_to_recover, "good probe", settings.pause);
        return Reached::new(takes, format!("a new prober: {probes}"));
    }
    loading(loads_for, good_probes(settings, good, Duration::ZERO))
}
