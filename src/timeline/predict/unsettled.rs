//! Why a drill is predicted not to come to rest.

use std::collections::BTreeMap;

use crate::plan::{Fault, HEALTHZ_PORT, HealthCheckPlan, Plan, Signal};

use super::answers::Answered;
use super::scene::Scene;
use super::signals::Turn;
use super::{circle, load};

/// The reason, for people; `None` when it comes to rest. `after`: what each client is answered once everything has been
/// detected.
pub(super) fn why(scene: &Scene<'_>, turns: &[Turn], after: &BTreeMap<&str, Answered>) -> Option<String> {
    circle::why(scene, turns)
        .or_else(|| scene.plan.cells.keys().find_map(|cell| overloaded(scene, cell, after)))
        .or_else(|| scene.plan.faults.iter().find_map(|fault| recovers_when_left(scene, fault, turns)))
}

/// A cell that the clients of another one move to, and that does not carry them: its own check fails next.
fn overloaded(scene: &Scene<'_>, cell: &str, after: &BTreeMap<&str, Answered>) -> Option<String> {
    let (engine, gateway) = load::engine(scene.plan, cell)?;
    let settings = load::prober(scene.plan, cell)?;
    let broken = scene.plan.faults.iter().any(|fault| fault.cell() == Some(cell));
    let lasts = load::lasts_behind_a_queue(scene.plan, cell, (engine, gateway), after, settings.max_tokens);
    // A probe that still ends in time makes nobody unhealthy, however its clients fare.
    if broken || !is_watched(scene.plan, cell) || lasts < settings.budget {
        return None;
    }
    let asked = |clients| load::asked_of(scene.plan, cell, engine, gateway, clients);
    let (before, now) = (asked(&scene.clients), asked(after));
    (before <= 1.0 && now > 1.0).then(|| {
        format!(
            "the clients that move to {cell} ask for {:.0} % of what its engine carries, and nothing sheds them: the \
             probes of {cell} fail as well",
            now * 100.0
        )
    })
}

/// A starved engine whose probes fail only because of its clients: without them it looks well again.
fn recovers_when_left(scene: &Scene<'_>, fault: &Fault, turns: &[Turn]) -> Option<String> {
    let Fault::StarveEngine(cell) = fault else { return None };
    let (engine, _) = load::engine(scene.plan, cell)?;
    let settings = load::prober(scene.plan, cell)?;
    let turned = turns.iter().any(|turn| matches!(&turn.signal, Signal::Verdict { cell: of } if of == cell));
    let passes_alone = engine.starved().answers_in(settings.max_tokens) < settings.budget;
    (turned && passes_alone && is_watched(scene.plan, cell)).then(|| {
        format!(
            "the engine of {cell} is too slow for its clients and fast enough for its prober alone: once they are \
             gone its probes pass, and they come back"
        )
    })
}

/// Whether a health check asks for the verdict on this cell's engine.
fn is_watched(plan: &Plan, cell: &str) -> bool {
    let endpoints = plan.health_checks.values().filter(|planned| !planned.status.disabled);
    endpoints
        .filter_map(HealthCheckPlan::endpoint)
        .any(|endpoint| endpoint.cell == cell && endpoint.check.port == HEALTHZ_PORT)
}
