//! Which cells were answered and which served: while all was well, while the fault held, once it was gone.
//!
//! What is passed through on the way from one to the other depends on which check falls first, which is chance. So each
//! time is looked at from where it has come to rest: from the moment on at which its own boundary was crossed. What is
//! answered then must be the same. Caches and clients may still hold what was passed through, so theirs must have
//! something in common.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use serde::Serialize;

use crate::clock::LabTime;
use crate::journal::event::Server;
use crate::plan::Move;
use crate::plan::expectation::Leg;
use crate::timeline::measure::{Interval, Measurement, NOTHING_CACHED, Seen};

use super::outcome::Agreement;
use super::run::Run;

/// When.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// From the steady state to the fault.
    Steady,
    /// While the fault holds, once what is to change has changed.
    Held,
    /// The same after the heal.
    Healed,
}

/// Which cells were seen by the same asker in two runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AnswerPair {
    /// Who was asked and as from where, or whose requests were served.
    pub of: String,
    /// When.
    pub when: When,
    /// In the one run.
    pub before: BTreeSet<String>,
    /// In the other.
    pub after: BTreeSet<String>,
    /// Whether it is the same: of a weighted choice, whether both are part of it; of a cache or a client, whether there is a
    /// cell in both.
    pub agreement: Agreement,
}

/// Who is looked at.
struct Watched<'r> {
    of: String,
    who: Who<'r>,
}

enum Who<'r> {
    Answered(&'r Seen),
    Served(&'r str),
}

/// Every asker of either run, at each time.
pub(super) fn pairs(before: &Run, after: &Run) -> Vec<AnswerPair> {
    let (ours, theirs) = (watched(before), watched(after));
    let added = theirs.iter().filter(|watched| !ours.iter().any(|known| known.of == watched.of));
    let all: Vec<&Watched<'_>> = ours.iter().chain(added).collect();
    let times = [When::Steady, When::Held, When::Healed];
    let pair = |watched: &&Watched<'_>, when: When| {
        let find = |run: &Run, all: &[Watched<'_>]| {
            all.iter()
                .find(|known| known.of == watched.of)
                .map(|known| cells(run, &known.who, when))
                .unwrap_or_default()
        };
        let (one, other) = (find(before, &ours), find(after, &theirs));
        let agreement = if one == other || both_of(&one, &other, &choice(before, &watched.who, when)) {
            Agreement::Agree
        } else if [before, after].iter().any(|run| cannot_tell(run, &watched.who, when)) {
            Agreement::NotTold
        } else {
            watched.who.agree(&one, &other)
        };
        AnswerPair { of: watched.of.clone(), when, before: one, after: other, agreement }
    };
    all.iter().flat_map(|watched| times.map(|when| pair(watched, when))).collect()
}

impl Who<'_> {
    fn agree(&self, one: &BTreeSet<String>, other: &BTreeSet<String>) -> Agreement {
        match self {
            Self::Answered(Seen { server: Server::Authoritative, .. }) => Agreement::of(one == other),
            // Nobody asks it for what it does not keep.
            Self::Answered(_) if one.is_empty() || other.is_empty() => Agreement::NotTold,
            Self::Answered(_) | Self::Served(_) => Agreement::of(!one.is_disjoint(other)),
        }
    }
}

/// Whether a run says nothing of this: the leg does not come to rest, the ground does not carry the client, or the leg
/// ended before the client can be sure to have asked again.
fn cannot_tell(run: &Run, who: &Who<'_>, when: When) -> bool {
    if leg_of(when).is_some_and(|leg| run.is_unsettled(leg)) {
        return true;
    }
    let Who::Served(client) = who else { return false };
    let Some(planned) = run.plan.clients.get(*client) else { return true };
    let asks_within = planned.every * 2 + planned.timeout;
    !run.carries(client) || time(run, who, when).is_none_or(|(from, until)| until.since(from) < asks_within)
}

const fn leg_of(when: When) -> Option<Leg> {
    match when {
        When::Steady => None,
        When::Held => Some(Leg::Failover),
        When::Healed => Some(Leg::Failback),
    }
}

/// Whether both are some of what chance chooses from.
fn both_of(one: &BTreeSet<String>, other: &BTreeSet<String>, choice: &BTreeSet<String>) -> bool {
    choice.len() > 1 && [one, other].iter().all(|seen| !seen.is_empty() && seen.is_subset(choice))
}

fn watched(run: &Run) -> Vec<Watched<'_>> {
    let answered = run.measured.seen.iter().map(|seen| Watched { of: asked(run, seen), who: Who::Answered(seen) });
    let served = run.served.keys().map(|client| Watched { of: format!("client {client}"), who: Who::Served(client) });
    answered.chain(served).collect()
}

fn asked(run: &Run, seen: &Seen) -> String {
    let what = run.asked(&seen.name, seen.family, &seen.place);
    match &seen.server {
        Server::Authoritative => what,
        Server::Resolver(resolver) => format!("resolver {resolver}, {what}"),
    }
}

fn cells(run: &Run, who: &Who<'_>, when: When) -> BTreeSet<String> {
    let Some((from, until)) = time(run, who, when) else { return BTreeSet::new() };
    match who {
        Who::Answered(seen) => answered(seen, from, until),
        Who::Served(client) => {
            let served = run.served.get(*client).into_iter().flatten();
            served.filter(|(at, _)| *at >= from && *at <= until).map(|(_, cell)| cell.clone()).collect()
        }
    }
}

/// Every answer that was given in this time; what a cache does not hold is none.
fn answered(seen: &Seen, from: LabTime, until: LabTime) -> BTreeSet<String> {
    let ends = seen.answers.iter().skip(1).map(|(at, _)| Some(*at)).chain([None]);
    let given = seen.answers.iter().zip(ends);
    let given = given.filter(|((at, _), end)| *at <= until && end.is_none_or(|end| end > from));
    let given = given.map(|((_, answer), _)| answer.as_str()).filter(|answer| *answer != NOTHING_CACHED);
    given.flat_map(|answer| answer.split(" + ").map(str::to_owned)).collect()
}

/// From when to when; `None`: the leg never began.
fn time(run: &Run, who: &Who<'_>, when: When) -> Option<(LabTime, LabTime)> {
    let failover = run.measured.failover.window;
    let Some(leg) = leg_of(when) else {
        return Some((run.steady, failover.start.map_or(failover.end, |start| start.after)));
    };
    let measured = run.measured.leg(leg);
    let own = match who {
        // The last of all questions is looked at below.
        Who::Answered(Seen { server: Server::Authoritative, .. }) => None,
        Who::Answered(Seen { server: Server::Resolver(name), .. }) => crossed(&measured.resolvers, name),
        Who::Served(client) => crossed(&measured.totals, client),
    };
    let start = measured.window.start?;
    let rest =
        [Some(start), measured.detection.moment, measured.authoritative.as_ref().and_then(|all| all.moment), own];
    let from = rest.into_iter().flatten().map(|moment| moment.until).max()?;
    // What was answered at that moment is told by the next look.
    let look = match who {
        Who::Answered(Seen { server: Server::Authoritative, .. }) => run.plan.observe.authoritative_every,
        Who::Answered(Seen { server: Server::Resolver(_), .. }) => run.plan.observe.resolver_every,
        Who::Served(_) => Duration::ZERO,
    };
    Some((from + look + run.late(), measured.window.end))
}

fn crossed(all: &[Measurement], of: &str) -> Option<Interval> {
    all.iter().find(|measured| measured.of == of).and_then(|measured| measured.moment)
}

/// What the plan lets chance choose from at this time.
fn choice(run: &Run, who: &Who<'_>, when: When) -> BTreeSet<String> {
    let prediction = &run.plan.prediction;
    let leg = if when == When::Healed { &prediction.failback } else { &prediction.failover };
    let at = |planned: &Move| if when == When::Steady { planned.from.clone() } else { planned.to.clone() };
    let mut all = BTreeSet::new();
    match who {
        Who::Answered(Seen { server: Server::Authoritative, name, family, place, .. }) => {
            let questions = run.plan.observe.questions.iter().zip(&leg.answers);
            let own =
                questions.filter(|(asked, _)| (&asked.name, asked.family, &asked.place) == (name, *family, place));
            all.extend(own.flat_map(|(_, planned)| at(planned)));
        }
        Who::Answered(Seen { server: Server::Resolver(resolver), family, .. }) => {
            let clients = run.plan.clients.iter();
            let own = clients.filter(|(_, client)| client.resolver == *resolver && client.family == *family);
            all.extend(own.filter_map(|(name, _)| leg.moves.get(name)).flat_map(at));
        }
        Who::Served(client) => all.extend(leg.moves.get(*client).into_iter().flat_map(at)),
    }
    all
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Steady => "before the fault",
            Self::Held => "while the fault held",
            Self::Healed => "once it was gone",
        })
    }
}
