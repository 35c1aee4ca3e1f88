//! Who is looked at in a run: what a server answered one question, and where one client was served.

use std::collections::BTreeSet;

use crate::clock::LabTime;
use crate::journal::event::Server;
use crate::plan::expectation::Leg;
use crate::plan::{Family, Move};
use crate::timeline::measure::{NOTHING_CACHED, Seen};

use super::run::Run;
use super::times::{When, time};

/// What stands for an answer that did not come in time.
pub(super) const SILENT: &str = "silent";

/// Who is looked at, by what both runs call it.
pub(super) struct Watched<'r> {
    pub(super) of: String,
    pub(super) who: Who<'r>,
}

/// One server and question, or one client.
pub(super) enum Who<'r> {
    Answered(&'r Seen),
    Served(&'r str),
}

pub(super) fn watched(run: &Run) -> Vec<Watched<'_>> {
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

/// Every cell that was answered or that served at this time.
pub(super) fn cells(run: &Run, who: &Who<'_>, when: When) -> BTreeSet<String> {
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
pub(super) fn answered(seen: &Seen, from: LabTime, until: LabTime) -> BTreeSet<String> {
    let ends = seen.answers.iter().skip(1).map(|(at, _)| Some(*at)).chain([None]);
    let given = seen.answers.iter().zip(ends);
    let given = given.filter(|((at, _), end)| *at <= until && end.is_none_or(|end| end > from));
    let given = given.map(|((_, answer), _)| answer.as_str()).filter(|answer| *answer != NOTHING_CACHED);
    given.flat_map(|answer| answer.split(" + ").map(str::to_owned)).collect()
}

/// What is predicted of this one in a leg.
pub(super) fn planned<'r>(run: &'r Run, who: &Who<'_>, leg: Leg) -> Vec<&'r Move> {
    let prediction = match leg {
        Leg::Failover => &run.plan.prediction.failover,
        Leg::Failback => &run.plan.prediction.failback,
    };
    match who {
        Who::Answered(Seen { server: Server::Authoritative, name, family, place, .. }) => {
            let questions = run.plan.observe.questions.iter().zip(&prediction.answers);
            let own =
                questions.filter(|(asked, _)| (&asked.name, asked.family, &asked.place) == (name, *family, place));
            own.map(|(_, planned)| planned).collect()
        }
        Who::Answered(Seen { server: Server::Resolver(resolver), family, .. }) => {
            let clients = run.plan.clients.iter();
            let own = clients.filter(|(_, client)| client.resolver == *resolver && client.family == *family);
            own.filter_map(|(name, _)| prediction.moves.get(name)).collect()
        }
        Who::Served(client) => prediction.moves.get(*client).into_iter().collect(),
    }
}

/// What the authoritative server gave, up to a moment, to those whom a cache or a client has its answers from.
pub(super) fn given_to(run: &Run, who: &Who<'_>, until: LabTime) -> BTreeSet<String> {
    let authoritative = || run.measured.seen.iter().filter(|seen| seen.server == Server::Authoritative);
    let (places, family) = sources(run, who);
    let own: Vec<&Seen> =
        authoritative().filter(|seen| seen.family == family && places.contains(&seen.place.as_str())).collect();
    let moves = || [Leg::Failover, Leg::Failback].iter().any(|&leg| planned(run, who, leg).iter().any(|m| m.changes()));
    let all = if own.is_empty() && moves() { authoritative().collect() } else { own };
    all.into_iter().flat_map(|seen| answered(seen, run.steady, until)).collect()
}

/// The places as from which a cache or a client has asked.
fn sources<'r>(run: &'r Run, who: &Who<'r>) -> (Vec<&'r str>, Family) {
    let stands = |resolver: &str| run.plan.resolvers.get(resolver).map(|resolver| resolver.place.as_str());
    match who {
        Who::Answered(Seen { server: Server::Resolver(resolver), family, .. }) => {
            let clients = run.plan.clients.values().filter(|client| client.resolver == *resolver);
            (clients.map(|client| client.place.as_str()).chain(stands(resolver)).collect(), *family)
        }
        Who::Answered(seen) => (vec![&seen.place], seen.family),
        Who::Served(client) => run.plan.clients.get(*client).map_or((Vec::new(), Family::A), |client| {
            (std::iter::once(client.place.as_str()).chain(stands(&client.resolver)).collect(), client.family)
        }),
    }
}
