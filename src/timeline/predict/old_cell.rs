//! What the faults leave of a cell for those who are connected to it.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::plan::{Asks, CellKind, ClientPlan, Fault};
use crate::service::THROTTLED_ANSWER_TAKES;

use super::holding::OldCell;
use super::load;
use super::scene::Scene;

/// What is left of a cell, or of a zone of one.
pub(super) fn left_of(scene: &Scene<'_>, zone: &str) -> OldCell {
    let Some(cell) = scene.plan.cell_of_zone(zone) else { return OldCell::Breaks };
    let faults = scene.plan.faults.iter().filter(|fault| fault.cell() == Some(cell));
    // Of several faults the one that leaves least tells.
    faults.map(|fault| left_by(scene, cell, zone, fault)).min().unwrap_or(OldCell::Serves)
}

fn left_by(scene: &Scene<'_>, cell: &str, zone: &str, fault: &Fault) -> OldCell {
    match fault {
        Fault::KillRegion(_) | Fault::KillStaticSite(_) => OldCell::Breaks,
        Fault::PartitionRegion(_) => OldCell::Vanishes,
        // Its load balancer, or its gateway, still answers: 503 without a database, 502 without an engine, 504 when
        // the engine does not begin in time.
        Fault::KillDatabase(_)
        | Fault::StallDatabase(_)
        | Fault::KillEngine(_)
        | Fault::WedgeEngine(_)
        | Fault::FreezeEngine(_)
        | Fault::StallEngine(_) => OldCell::Refuses,
        // 502, once none of the targets that the zone's node sends to is left.
        Fault::KillTargets { targets, .. } if sends_only_to(scene, cell, zone, targets) => OldCell::Refuses,
        Fault::StarveEngine(_) => starved(scene, cell),
        // 504, unless it is waited for.
        Fault::ThrottleEngine(_) => match load::engine(scene.plan, cell) {
            Some((_, gateway)) if gateway.first_byte_within < THROTTLED_ANSWER_TAKES => OldCell::Refuses,
            _ => OldCell::Serves,
        },
        Fault::KillTargets { .. }
        | Fault::WrongModel(_)
        | Fault::KillProber(_)
        | Fault::StopWorker(_)
        | Fault::QuietQueue(_)
        | Fault::AbandonQueue(_)
        | Fault::LockOutCheckers(_)
        | Fault::Drain(_)
        | Fault::DrainCheck(_)
        | Fault::TurnOff(_)
        | Fault::SilenceAuthoritative => OldCell::Serves,
    }
}

/// Whether the load balancer's node in this zone sends to none but these targets.
fn sends_only_to(scene: &Scene<'_>, cell: &str, zone: &str, targets: &BTreeSet<usize>) -> bool {
    let Some(planned) = scene.plan.cells.get(cell) else { return false };
    let CellKind::Region(region) = &planned.kind else { return false };
    let zones = planned.zones(cell).into_iter().filter(|known| known.name == zone);
    zones.flat_map(|zone| region.targets_behind(&zone)).all(|target| targets.contains(&target))
}

/// An engine with one slow slot serves as long as its gateway sees it begin in time.
fn starved(scene: &Scene<'_>, cell: &str) -> OldCell {
    let Some((engine, gateway)) = load::engine(scene.plan, cell) else { return OldCell::Serves };
    let left = engine.starved();
    let asked = scene.clients.iter().filter(|(_, answered)| answered.labels.iter().any(|label| label == cell));
    let begins = asked.filter_map(|(client, _)| match scene.plan.clients.get(*client)?.asks {
        Asks::Completion(tokens) => Some(left.answers_in(tokens)),
        Asks::Stream(_) => Some(left.token_takes()),
        Asks::Page | Asks::Telemetry => None,
    });
    let waits = load::longest_wait(scene.plan, cell, (&left, gateway), &scene.clients);
    let latest = waits.saturating_add(begins.max().unwrap_or_default());
    if latest > gateway.first_byte_within { OldCell::Refuses } else { OldCell::Serves }
}

/// How long the answer under way keeps a client at a cell, at most: a stream is left when it ends, or is given up.
pub(super) fn stream_holds(scene: &Scene<'_>, client: &ClientPlan, cell: &str, broken: bool) -> Duration {
    let Asks::Stream(tokens) = client.asks else { return Duration::ZERO };
    let faults = || scene.plan.faults.iter().filter(|fault| broken && fault.cell() == Some(cell));
    let is_llm = scene.plan.cells.get(cell).is_some_and(|cell| matches!(cell.kind, CellKind::Llm(_)));
    // A stream breaks with its engine.
    if !is_llm || faults().any(|fault| matches!(fault, Fault::KillRegion(_) | Fault::KillEngine(_))) {
        return Duration::ZERO;
    }
    // The work of a throttled engine's answer precedes its first token: a stream under way goes on.
    let stalls =
        faults().any(|fault| matches!(fault, Fault::WedgeEngine(_) | Fault::FreezeEngine(_) | Fault::StallEngine(_)));
    let starved = faults().any(|fault| matches!(fault, Fault::StarveEngine(_)));
    match load::engine(scene.plan, cell) {
        Some((engine, _)) if starved => client.timeout.min(engine.starved().answers_in(tokens)),
        Some((engine, _)) if !stalls => client.timeout.min(engine.answers_in(tokens)),
        // Nobody but the client ends it.
        _ => client.timeout,
    }
}
