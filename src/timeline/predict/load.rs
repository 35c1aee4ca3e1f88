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
        Some(Demand { requests_per_second, tokens })
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
    let demands = demands(plan, cell, (engine, gateway), clients);
    demands.iter().map(|demand| demand.requests_per_second / engine.capacity(demand.tokens)).sum()
}

/// How long a request for so many tokens lasts at worst when clients ask for more than the engine carries. Those in
/// front of it are given up by the gateway before they have waited for longer than that does; then the next slot that
/// becomes free is its own.
pub(super) fn lasts_behind_a_queue(
    plan: &Plan,
    cell: &str,
    (engine, gateway): (&EngineSettings, GatewaySettings),
    clients: &BTreeMap<&str, Answered>,
    tokens: u32,
) -> Duration {
    let longest =
        demands(plan, cell, (engine, gateway), clients).iter().map(|demand| engine.answers_in(demand.tokens)).max();
    let slot = longest.unwrap_or_default() / engine.slots.max(1);
    gateway.first_byte_within.saturating_add(slot).saturating_add(engine.answers_in(tokens))
}

/// How long it takes at worst until a request waits for `limit`, in front of an engine that is asked for more than it
/// carries; `None` when it carries what its clients ask for.
pub(super) fn queue_outlasts(
    scene: &Scene<'_>,
    cell: &str,
    left: &EngineSettings,
    limit: Duration,
) -> Option<Duration> {
    let (_, gateway) = engine(scene.plan, cell)?;
    let beyond = asked_of(scene.plan, cell, left, gateway, &scene.clients) - 1.0;
    // Each second adds so much to the wait.
    (beyond > 0.0).then(|| Duration::try_from_secs_f64(limit.as_secs_f64() / beyond).unwrap_or(Duration::MAX))
}
