//! Which cells were answered and which served, at each time.
//!
//! At rest what is answered must be the same. Caches and clients may still hold what was passed through on the way; of that
//! it is chance what they caught. On the way only what is not predicted is looked at: neither the old nor the new.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::journal::event::Server;
use crate::plan::expectation::Leg;
use crate::timeline::measure::Seen;

use super::outcome::Agreement;
use super::run::Run;
use super::times::{AT_REST, ON_THE_WAY, When, time};
use super::watched::{SILENT, Watched, Who, answered, cells, given_to, planned, watched};

/// Which cells were seen by the same asker in two runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AnswerPair {
    /// Who was asked and as from where, or whose requests were served.
    pub of: String,
    /// When.
    pub when: When,
    /// In the one run; on the way: what is neither the old nor the new.
    pub before: BTreeSet<String>,
    /// In the other.
    pub after: BTreeSet<String>,
    /// Whether it is the same: of a weighted choice, whether both are part of it and have something in common.
    pub agreement: Agreement,
}

/// Every asker of either run, at each time; on the way those who saw something that is not predicted.
pub(super) fn pairs(before: &Run, after: &Run) -> Vec<AnswerPair> {
    let (ours, theirs) = (watched(before), watched(after));
    let added = theirs.iter().filter(|watched| !ours.iter().any(|known| known.of == watched.of));
    let all: Vec<&Watched<'_>> = ours.iter().chain(added).collect();
    let seen = |watched: &Watched<'_>, look: &dyn Fn(&Run, &Who<'_>) -> BTreeSet<String>| {
        let find = |run: &Run, all: &[Watched<'_>]| {
            all.iter().find(|known| known.of == watched.of).map(|known| look(run, &known.who)).unwrap_or_default()
        };
        (find(before, &ours), find(after, &theirs))
    };
    let rest = |watched: &&Watched<'_>, when: When| {
        let (one, other) = seen(watched, &|run, who| cells(run, who, when));
        let agreement = at_rest([before, after], &watched.who, when, [&one, &other]);
        AnswerPair { of: watched.of.clone(), when, before: one, after: other, agreement }
    };
    let way = |watched: &&Watched<'_>, when: When| {
        let (one, other) = seen(watched, &|run, who| unpredicted(run, who, when));
        let agreement = on_the_way([before, after], &watched.who, when, [&one, &other]);
        let pair = AnswerPair { of: watched.of.clone(), when, before: one, after: other, agreement };
        (!pair.before.is_empty() || !pair.after.is_empty()).then_some(pair)
    };
    let rests = all.iter().flat_map(|watched| AT_REST.map(|when| rest(watched, when)));
    let ways = all.iter().flat_map(|watched| ON_THE_WAY.map(|when| way(watched, when))).flatten();
    rests.chain(ways).collect()
}

fn at_rest(runs: [&Run; 2], who: &Who<'_>, when: When, [one, other]: [&BTreeSet<String>; 2]) -> Agreement {
    let choice = choice(runs[0], who, when);
    let all_of_it = choice.len() > 1 && [one, other].iter().all(|seen| !seen.is_empty() && seen.is_subset(&choice));
    if one == other || (all_of_it && !one.is_disjoint(other)) {
        return Agreement::Agree;
    }
    if all_of_it || runs.iter().any(|run| cannot_tell(run, who, when)) {
        return Agreement::NotTold;
    }
    match who {
        Who::Answered(Seen { server: Server::Authoritative, .. }) => Agreement::Differ,
        // Nobody asks it for what it does not keep.
        Who::Answered(_) if one.is_empty() || other.is_empty() => Agreement::NotTold,
        Who::Served(_) if one.is_disjoint(other) => Agreement::Differ,
        // A cache with a floor may hold until the end what it was given for a second on the way.
        Who::Answered(_) | Who::Served(_) => {
            let mut may_be_held = choice;
            may_be_held.extend(runs.iter().flat_map(|run| passed_through(run, who, when)));
            only_chance(one.symmetric_difference(other).all(|cell| may_be_held.contains(cell)))
        }
    }
}

/// What differs may be chance, or not.
const fn only_chance(it_is: bool) -> Agreement {
    if it_is { Agreement::NotTold } else { Agreement::Differ }
}

/// What a cache or a client may hold at this time: what it could have been given up to then.
fn passed_through(run: &Run, who: &Who<'_>, when: When) -> BTreeSet<String> {
    let until = time(run, who, when).map(|(_, until)| until);
    let mut passed = until.map(|until| given_to(run, who, until)).unwrap_or_default();
    let moves = when.leg().map(|leg| planned(run, who, leg)).unwrap_or_default();
    passed.extend(moves.into_iter().flat_map(|planned| planned.from.iter().chain(&planned.to).cloned()));
    passed
}

/// Whether a run says nothing of this: the leg does not come to rest, the ground does not carry the client, or the leg
/// ended before the client can be sure to have asked again.
fn cannot_tell(run: &Run, who: &Who<'_>, when: When) -> bool {
    if when.leg().is_some_and(|leg| run.is_unsettled(leg)) {
        return true;
    }
    let Who::Served(client) = who else { return false };
    let Some(planned) = run.plan.clients.get(*client) else { return true };
    let asks_within = planned.every * 2 + planned.timeout;
    time(run, who, when).is_none_or(|(from, until)| {
        !run.carries(client, from, until) || (!when.is_on_the_way() && until.since(from) < asks_within)
    })
}

/// What was seen on the way and is neither the old nor the new.
fn unpredicted(run: &Run, who: &Who<'_>, when: When) -> BTreeSet<String> {
    let moves = when.leg().map(|leg| planned(run, who, leg)).unwrap_or_default();
    let is_planned =
        |cell: &String| moves.iter().any(|planned| planned.from.contains(cell) || planned.to.contains(cell));
    cells(run, who, when).into_iter().filter(|cell| !is_planned(cell)).collect()
}

fn on_the_way(runs: [&Run; 2], who: &Who<'_>, when: When, [one, other]: [&BTreeSet<String>; 2]) -> Agreement {
    if one == other {
        return Agreement::Agree;
    }
    if runs.iter().any(|run| cannot_tell(run, who, when)) {
        return Agreement::NotTold;
    }
    let may_come = |cell: &String| match who {
        Who::Answered(Seen { server: Server::Authoritative, .. }) => {
            // A question that got no answer in time says as much of the machine as of the server.
            cell == SILENT || runs.iter().any(|run| may_pass(run, when, cell))
        }
        // Whether it asked just then is chance.
        _ => runs.iter().any(|run| was_given(run, who, when, cell)),
    };
    only_chance(one.symmetric_difference(other).all(may_come))
}

/// Where several statuses turn, their order is chance, and with it the cells that are answered meanwhile.
fn may_pass(run: &Run, when: When, cell: &str) -> bool {
    let prediction = &run.plan.prediction;
    let leg = if when.leg() == Some(Leg::Failback) { &prediction.failback } else { &prediction.failover };
    let is_cell = run
        .plan
        .cells
        .iter()
        .any(|(name, planned)| name == cell || planned.zones(name).iter().any(|zone| zone.name == cell));
    is_cell && leg.signals.iter().filter(|signal| signal.evidence).count() > 1
}

fn was_given(run: &Run, who: &Who<'_>, when: When, cell: &str) -> bool {
    let Some((_, until)) = time(run, who, when) else { return false };
    let authoritative = run.measured.seen.iter().filter(|seen| seen.server == Server::Authoritative);
    authoritative.into_iter().any(|seen| answered(seen, run.steady, until).contains(cell))
}

/// What the plan lets chance choose from at this time.
fn choice(run: &Run, who: &Who<'_>, when: When) -> BTreeSet<String> {
    let moves = planned(run, who, when.leg().unwrap_or(Leg::Failover)).into_iter();
    moves.flat_map(|planned| if when == When::Steady { &planned.from } else { &planned.to }).cloned().collect()
}
