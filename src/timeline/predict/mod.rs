//! Prediction: how long each stage takes at best and at worst, computed from the plan before anything runs.
//!
//! It knows the plan, the zone and the rules of health and decision; it must never know a journal.

mod answers;
mod detection;
mod holding;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use hickory_proto::rr::Name;

use crate::decide::Viewpoint;
use crate::plan::{ClientPlan, Plan, ResolverKind};
use crate::zone::Zone;

use crate::plan::{Bounds, LegPrediction, Move, Prediction};
use answers::{Answered, Asker};
use holding::OldCell;

/// Predicts the stages of a plan. Reads everything of the plan but its speed, schedule, expectations and prediction.
#[must_use]
pub fn predict(plan: &Plan, zone: &Zone) -> Prediction {
    let turns = detection::turns(plan, zone);
    let asker = Asker { plan, zone };
    let steady = detection::evidence(plan, &[]);
    let broken = detection::evidence(plan, &plan.faults);
    let both = |name: &str, family, viewpoint: &Viewpoint| {
        let name = Name::from_ascii(name).unwrap_or_default();
        let ask = |evidence| asker.ask(&name, family, viewpoint, evidence);
        (ask(&steady), ask(&broken))
    };

    let clients: BTreeMap<&str, (Answered, Answered)> = plan
        .clients
        .iter()
        .map(|(name, client)| (name.as_str(), both(&plan.name, client.family, seen_from(plan, client))))
        .collect();
    let questions: Vec<(Answered, Answered)> = plan
        .observe
        .questions
        .iter()
        .map(|question| both(&question.name, question.family, &question.viewpoint))
        .collect();

    let there = |pair: &(Answered, Answered)| Move { from: pair.0.labels.clone(), to: pair.1.labels.clone() };
    let back = |pair: &(Answered, Answered)| Move { from: pair.1.labels.clone(), to: pair.0.labels.clone() };
    let moved = || clients.iter().filter(|(_, pair)| there(pair).changes());

    let mut failover = LegPrediction {
        detection: detection::last(turns.iter().map(|turn| turn.fails)),
        authoritative: AT_ONCE,
        resolvers: resolvers(plan, moved().map(|(name, (old, _))| (*name, old.ttl))),
        moves: clients.iter().map(|(name, pair)| ((*name).to_owned(), there(pair))).collect(),
        answers: questions.iter().map(there).collect(),
        ..LegPrediction::default()
    };
    let mut failback = LegPrediction {
        detection: detection::last(turns.iter().map(|turn| turn.recovers)),
        authoritative: AT_ONCE,
        resolvers: resolvers(plan, moved().map(|(name, (_, new))| (*name, new.ttl))),
        moves: clients.iter().map(|(name, pair)| ((*name).to_owned(), back(pair))).collect(),
        answers: questions.iter().map(back).collect(),
        ..LegPrediction::default()
    };
    for (name, (old, new)) in moved() {
        let Some(client) = plan.clients.get(*name) else { continue };
        let leaves = holding::client(client.profile, slowest(plan, &old.labels));
        let arrives = if new.labels.iter().any(|cell| arrival_is_seen(plan, cell)) { leaves } else { NEVER };
        failover.clients.insert((*name).to_owned(), arrives);
        // Who has never left has no way back.
        if leaves.worst.is_some() {
            // After the heal every cell serves, the one that is to be left as well.
            let state = if new.labels.iter().any(|cell| plan.cells.contains_key(cell)) {
                OldCell::Serves
            } else {
                OldCell::Breaks
            };
            failback.clients.insert((*name).to_owned(), holding::client(client.profile, state));
        }
    }
    for leg in [&mut failover, &mut failback] {
        leg.totals = totals(plan, leg);
    }
    Prediction { failover, failback }
}

/// A server decides from the health that it knows: no time passes.
const AT_ONCE: Bounds = Bounds::between(Duration::ZERO, Duration::ZERO);
/// Nobody sees it end.
const NEVER: Bounds = Bounds::unbounded(Duration::ZERO);

/// Where a decision places a client: where its resolver stands, unless that tells the client's subnet (R53-80, R53-81).
fn seen_from<'p>(plan: &'p Plan, client: &'p ClientPlan) -> &'p Viewpoint {
    match plan.resolvers.get(&client.resolver) {
        Some(resolver) if resolver.kind != ResolverKind::ClientSubnet => &resolver.viewpoint,
        _ => &client.viewpoint,
    }
}

/// The resolvers of the clients that move, each with the TTL of the answer that is to be left.
fn resolvers<'p>(plan: &'p Plan, moved: impl Iterator<Item = (&'p str, u32)>) -> BTreeMap<String, Bounds> {
    let mut bounds: BTreeMap<String, Bounds> = BTreeMap::new();
    for (client, ttl) in moved {
        let Some(client) = plan.clients.get(client) else { continue };
        let Some(resolver) = plan.resolvers.get(&client.resolver) else { continue };
        let own = holding::resolver(resolver.kind, ttl);
        bounds
            .entry(client.resolver.clone())
            .and_modify(|known| known.worst = known.worst.max(own.worst))
            .or_insert(own);
    }
    bounds
}

fn totals(plan: &Plan, leg: &LegPrediction) -> BTreeMap<String, Bounds> {
    let total = |(name, own): (&String, &Bounds)| {
        let resolver = leg.resolvers.get(&plan.clients.get(name)?.resolver)?;
        Some((name.clone(), leg.detection.then(leg.authoritative).then(*resolver).then(*own)))
    };
    leg.clients.iter().filter_map(total).collect()
}

/// What is left of the cells that a client may have been at: the one that lets go last.
fn slowest(plan: &Plan, cells: &[String]) -> OldCell {
    let states: BTreeSet<OldCell> = cells.iter().map(|cell| detection::left_of(plan, cell)).collect();
    states.into_iter().next_back().unwrap_or(OldCell::Breaks)
}

/// Whether a request that is sent to a cell while the fault holds arrives there.
fn arrival_is_seen(plan: &Plan, cell: &str) -> bool {
    plan.cells.contains_key(cell) && detection::left_of(plan, cell) != OldCell::Breaks
}
