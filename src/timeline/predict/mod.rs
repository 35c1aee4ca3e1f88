//! Prediction: how long each stage takes at best and at worst, computed from the plan before anything runs.
//!
//! It knows the plan, the zone and the rules of health and decision; it must never know a journal.

mod alarm;
mod answers;
mod calculated;
mod circle;
mod endpoint;
mod holding;
mod load;
mod old_cell;
mod reached;
mod scene;
mod signals;
mod switch;
mod target_health;
mod unsettled;
mod verdict;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use crate::plan::{Bounds, ClientPlan, LegPrediction, Move, Plan, Prediction};
use crate::zone::Zone;

use answers::Answered;
use holding::OldCell;
use scene::Scene;

pub(crate) use signals::steady_status;

/// Predicts the stages of a plan. Reads everything of the plan but its schedule, expectations and prediction, and its
/// speed only where TTLs stand on the wire in wall seconds.
#[must_use]
pub fn predict(plan: &Plan, zone: &Zone) -> Prediction {
    let scene = Scene::of(plan, zone);
    let turns = signals::turns(&scene);
    let broken = signals::broken(plan, &turns);
    let after = scene.clients_with(&broken);
    let steady = signals::steady(plan);
    let questions: Vec<(Answered, Answered)> = plan
        .observe
        .questions
        .iter()
        .map(|question| {
            let ask = |evidence| scene.ask(&question.name, question.family, &question.viewpoint, evidence);
            (ask(&steady), ask(&broken))
        })
        .collect();
    let (there, back) = (signals::predicted(&turns, true), signals::predicted(&turns, false));
    let mut failover =
        LegPrediction { detection: signals::detection(&there), signals: there, ..LegPrediction::default() };
    if let Some(why) = unsettled::why(&scene, &turns, &after) {
        failover.unsettled = Some(why.clone());
        // Nobody can say what the heal finds, nor what has turned back by then.
        let mut failback = LegPrediction { detection: NEVER, unsettled: Some(why), ..LegPrediction::default() };
        for leg in [&mut failover, &mut failback] {
            leg.moves = scene.clients.iter().map(|(name, old)| ((*name).to_owned(), known(old))).collect();
            leg.answers = questions.iter().map(|(old, _)| known(old)).collect();
        }
        return Prediction { failover, failback };
    }
    let mut failback =
        LegPrediction { detection: signals::detection(&back), signals: back, ..LegPrediction::default() };
    let pairs: BTreeMap<&str, (&Answered, &Answered)> =
        scene.clients.iter().filter_map(|(name, old)| Some((*name, (old, after.get(name)?)))).collect();
    for (leg, to_new) in [(&mut failover, true), (&mut failback, false)] {
        let way = |old: &Answered, new: &Answered| if to_new { moved(old, new) } else { moved(new, old) };
        leg.authoritative = AT_ONCE;
        leg.moves = pairs.iter().map(|(name, (old, new))| ((*name).to_owned(), way(old, new))).collect();
        leg.answers = questions.iter().map(|(old, new)| way(old, new)).collect();
        let left = pairs.iter().filter(|(_, (old, new))| old.labels != new.labels);
        leg.resolvers = resolvers(plan, left.map(|(name, (old, new))| (*name, if to_new { old.ttl } else { new.ttl })));
    }
    for (name, (old, new)) in pairs.iter().filter(|(_, (old, new))| old.labels != new.labels) {
        let Some(client) = plan.clients.get(*name) else { continue };
        let leaves = leaves(&scene, client, &old.labels);
        let arrives = if new.labels.iter().any(|cell| arrival_is_seen(&scene, cell)) { leaves } else { NEVER };
        failover.clients.insert((*name).to_owned(), arrives);
        // Who has never left has no way back.
        if leaves.worst.is_some() {
            failback.clients.insert((*name).to_owned(), comes_back(&scene, client, &new.labels));
        }
    }
    for leg in [&mut failover, &mut failback] {
        leg.totals = totals(plan, leg);
    }
    Prediction { failover, failback }
}

fn moved(from: &Answered, to: &Answered) -> Move {
    Move { from: from.labels.clone(), to: to.labels.clone() }
}

/// All that is known of an answer that does not come to rest: what it is while all is well.
fn known(steady: &Answered) -> Move {
    moved(steady, steady)
}

/// From its resolver's answer on, until a client has left the cells that it may have been at.
fn leaves(scene: &Scene<'_>, client: &ClientPlan, cells: &[String]) -> Bounds {
    let last = cells.iter().map(|cell| old_cell::left_of(scene, cell)).max().unwrap_or(OldCell::Breaks);
    let held = cells.iter().map(|cell| old_cell::stream_holds(scene, client, cell, true)).max();
    holding::client(scene.plan, client, last).then(Bounds::between(Duration::ZERO, held.unwrap_or_default()))
}

/// The same after the heal, when every cell serves, the one that is to be left as well.
fn comes_back(scene: &Scene<'_>, client: &ClientPlan, cells: &[String]) -> Bounds {
    let known = cells.iter().any(|zone| scene.plan.cell_of_zone(zone).is_some());
    let held = cells.iter().map(|cell| old_cell::stream_holds(scene, client, cell, false)).max();
    holding::client(scene.plan, client, if known { OldCell::Serves } else { OldCell::Breaks })
        .then(Bounds::between(Duration::ZERO, held.unwrap_or_default()))
}

/// A server decides from the health that it knows: no time passes.
const AT_ONCE: Bounds = Bounds::between(Duration::ZERO, Duration::ZERO);
/// Nobody sees it end.
const NEVER: Bounds = Bounds::unbounded(Duration::ZERO);

/// The resolvers of the clients that move, each with the TTL of the answer that is to be left.
fn resolvers<'p>(plan: &'p Plan, moved: impl Iterator<Item = (&'p str, u32)>) -> BTreeMap<String, Bounds> {
    let mut bounds: BTreeMap<String, Bounds> = BTreeMap::new();
    for (client, ttl) in moved {
        let Some(client) = plan.clients.get(client) else { continue };
        let Some(resolver) = plan.resolvers.get(&client.resolver) else { continue };
        let own = holding::resolver(plan, resolver, ttl);
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

/// Whether a request that is sent to a cell while the fault holds arrives there.
fn arrival_is_seen(scene: &Scene<'_>, cell: &str) -> bool {
    let gone = matches!(old_cell::left_of(scene, cell), OldCell::Breaks | OldCell::Vanishes);
    scene.plan.cell_of_zone(cell).is_some() && !gone
}
