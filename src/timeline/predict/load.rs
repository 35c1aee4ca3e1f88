//! What the clients of a cell ask of its engine, and whether it carries that.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::health::ProberSettings;
use crate::plan::{Asks, CellKind, EnginePlan, FREE_TIER, GatewaySettings, Plan};
use crate::service::EngineSettings;

use super::answers::Answered;
use super::scene::Scene;

/// muster's own engine in a cell, and the gateway in front of it.
pub(super) fn engine<'p>(plan: &'p Plan, cell: &str) -> Option<(&'p EngineSettings, GatewaySettings)> {
    match &plan.cells.get(cell)?.kind {
        CellKind::Llm(llm) => match &llm.engine {
            EnginePlan::Own { settings, .. } => Some((settings, llm.gateway)),
            EnginePlan::Real { .. } => None,
        },
        CellKind::Region(_) | CellKind::TelemetryGateway | CellKind::StaticSite => None,
    }
}

/// What the prober of a cell does, if it has one.
pub(super) fn prober<'p>(plan: &'p Plan, cell: &str) -> Option<&'p ProberSettings> {
    match &plan.cells.get(cell)?.kind {
        CellKind::Llm(llm) => llm.prober.as_ref().map(|prober| &prober.settings),
        CellKind::Region(_) | CellKind::TelemetryGateway | CellKind::StaticSite => None,
    }
}

/// What a client asks of the engine of a cell: so many requests a second, for so many tokens each.
struct Demand {
    workers: u32,
    requests_per_second: f64,
    tokens: u32,
}

/// The demand of every client who is answered this cell. One that is answered one of several cells asks each of them
/// equally often. Whom the gateway sheds asks nothing of the engine. Each worker has one request under way at a time,
/// and cuts it at the client's timeout.
fn demands(
    plan: &Plan,
    cell: &str,
    (engine, gateway): (&EngineSettings, GatewaySettings),
    clients: &BTreeMap<&str, Answered>,
) -> Vec<Demand> {
    let demand = |(name, answered): (&&str, &Answered)| {
        let client = plan.clients.get(*name)?;
        let (Asks::Completion(tokens) | Asks::Stream(tokens)) = client.asks else { return None };
        let is_shed = gateway.sheds_above.is_some() && client.tier.as_deref() == Some(FREE_TIER);
        if is_shed || !answered.labels.iter().any(|label| label == cell) {
            return None;
        }
        let cells = u32::try_from(answered.labels.len()).unwrap_or(u32::MAX);
        let lasts = engine.answers_in(tokens).min(client.timeout);
        let tokens = tokens.min(engine.tokens_within(client.timeout));
        let round = client.every.max(lasts).as_secs_f64();
        let requests_per_second = f64::from(client.workers) / round / f64::from(cells);
        Some(Demand { workers: client.workers, requests_per_second, tokens })
    };
    clients.iter().filter_map(demand).collect()
}

/// How much of an engine its clients ask for: 1 is all that it carries.
pub(super) fn asked_of(
    plan: &Plan,
    cell: &str,
    engine: &EngineSettings,
    gateway: GatewaySettings,
    clients: &BTreeMap<&str, Answered>,
) -> f64 {
    share_of(engine, &demands(plan, cell, (engine, gateway), clients))
}

fn share_of(engine: &EngineSettings, demands: &[Demand]) -> f64 {
    demands.iter().map(|demand| demand.requests_per_second / engine.capacity(demand.tokens)).sum()
}

/// From one slot that becomes free to the next, when every slot is at work on the longest request.
fn between_slots(engine: &EngineSettings, demands: &[Demand]) -> Duration {
    let longest = demands.iter().map(|demand| engine.answers_in(demand.tokens)).max();
    longest.unwrap_or_default() / engine.slots.max(1)
}

/// How long clients' requests wait at worst, in front of an engine that is asked for more than it carries. A worker has
/// one request under way at a time: no more wait than there are workers without a slot.
fn longest_wait_of(engine: &EngineSettings, demands: &[Demand]) -> Duration {
    if share_of(engine, demands) <= 1.0 {
        return Duration::ZERO;
    }
    let workers = demands.iter().map(|demand| demand.workers).fold(0, u32::saturating_add);
    between_slots(engine, demands).saturating_mul(workers.saturating_sub(engine.slots.max(1)))
}

/// How long clients' requests wait at worst for a slot of an engine.
pub(super) fn longest_wait(
    plan: &Plan,
    cell: &str,
    (engine, gateway): (&EngineSettings, GatewaySettings),
    clients: &BTreeMap<&str, Answered>,
) -> Duration {
    longest_wait_of(engine, &demands(plan, cell, (engine, gateway), clients))
}

/// How long one more request, for so many tokens, lasts at worst behind those of the clients: until none of these waits
/// in front of it (the gateway gives up whom it has to wait for too long), then until the next slot becomes free.
pub(super) fn lasts_behind_a_queue(
    plan: &Plan,
    cell: &str,
    (engine, gateway): (&EngineSettings, GatewaySettings),
    clients: &BTreeMap<&str, Answered>,
    tokens: u32,
) -> Duration {
    let demands = demands(plan, cell, (engine, gateway), clients);
    let waits = longest_wait_of(engine, &demands).min(gateway.first_byte_within);
    waits.saturating_add(between_slots(engine, &demands)).saturating_add(engine.answers_in(tokens))
}

/// How long it takes at worst until a request waits for `limit`, or for as long as any ever does, in front of an engine
/// that is asked for more than it carries; `None` when it carries what its clients ask for.
pub(super) fn queue_outlasts(
    scene: &Scene<'_>,
    cell: &str,
    left: &EngineSettings,
    limit: Duration,
) -> Option<Duration> {
    let (_, gateway) = engine(scene.plan, cell)?;
    let demands = demands(scene.plan, cell, (left, gateway), &scene.clients);
    let beyond = share_of(left, &demands) - 1.0;
    let limit = limit.min(longest_wait_of(left, &demands));
    // Each second adds so much to the wait.
    (beyond > 0.0).then(|| Duration::try_from_secs_f64(limit.as_secs_f64() / beyond).unwrap_or(Duration::MAX))
}
