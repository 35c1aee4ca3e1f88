//! t2 and t3: when the authoritative server and the resolvers gave the new answer.

use crate::clock::LabTime;
use crate::journal::event::{Event, SeenAnswer, Server};
use crate::plan::Move;
use crate::plan::{Family, ResolverKind, WatchedQuestion};

use super::boundary::{Boundary, Change, Sign, boundary};
use super::subject::{Subject, last};
use super::{Interval, Measurement, labels};

/// A watched question that is predicted to change, and when it did.
pub(super) type Asked<'a> = (&'a WatchedQuestion, Measurement);

/// t2 of each question that is predicted to change.
pub(super) fn questions<'a>(subject: &Subject<'a>, detected: Option<Interval>) -> Vec<Asked<'a>> {
    let questions = subject.plan.observe.questions.iter().zip(&subject.predicted.answers);
    questions
        .filter(|(_, change)| change.changes())
        .map(|(question, change)| {
            let signs: Vec<Sign> = observations(subject, |server, name, family, place| {
                *server == Server::Authoritative
                    && name == question.name
                    && family == question.family
                    && place == question.place
            })
            .map(|(at, answer)| Sign { at, shows: labels(subject.plan, answer) })
            .collect();
            let crossed = boundary(&signs, &Change::of([change]), &subject.window);
            let of = match question.family {
                Family::A => question.place.clone(),
                Family::Aaaa => format!("{} (AAAA)", question.place),
            };
            (question, subject.measurement(&of, subject.predicted.authoritative, detected, crossed))
        })
        .collect()
}

/// When the authoritative answer had changed for these places: the last of their questions of a family; where none
/// of these is watched, the last of all questions.
pub(super) fn changed_for(questions: &[Asked<'_>], places: &[&str], family: Family) -> Option<Interval> {
    let here: Vec<&Measurement> = questions
        .iter()
        .filter(|(question, _)| question.family == family && places.contains(&question.place.as_str()))
        .map(|(_, measured)| measured)
        .collect();
    if here.is_empty() { last(questions.iter().map(|(_, measured)| measured)) } else { last(here) }
}

/// t3 of each resolver that is predicted to change: the last of what it keeps apart.
pub(super) fn resolvers(subject: &Subject<'_>, questions: &[Asked<'_>]) -> Vec<Measurement> {
    subject
        .predicted
        .resolvers
        .iter()
        .map(|(name, &predicted)| {
            let each: Vec<(Option<Interval>, Boundary)> = kept_apart(subject, name)
                .iter()
                .map(|kept| {
                    let changed = changed_for(questions, &kept.places, kept.family);
                    (changed, emptied(subject, name, kept, changed))
                })
                .collect();
            let latest = |moments: Vec<Option<Interval>>| {
                moments.into_iter().reduce(|a, b| a.zip(b).map(|(a, b)| a.latest(b))).flatten()
            };
            let from = latest(each.iter().map(|(changed, _)| *changed).collect());
            let moment = latest(each.iter().map(|(_, crossed)| crossed.moment).collect());
            let last_old = each.iter().filter_map(|(_, crossed)| crossed.last_old).max();
            subject.measurement(name, predicted, from, Boundary { moment, last_old })
        })
        .collect()
}

/// One cached answer of a resolver, and the clients that are to be moved by it.
struct Kept<'a> {
    family: Family,
    /// Only as from here; `None`: the same from everywhere.
    only: Option<&'a str>,
    /// Where the authoritative answer is watched for it.
    places: Vec<&'a str>,
    clients: Vec<&'a str>,
}

/// What a resolver keeps apart: an answer for each family, and with client subnets for each place of a client.
fn kept_apart<'a>(subject: &Subject<'a>, name: &str) -> Vec<Kept<'a>> {
    let Some(resolver) = subject.plan.resolvers.get(name) else { return Vec::new() };
    let by_place = resolver.kind == ResolverKind::ClientSubnet;
    let mut all: Vec<Kept<'a>> = Vec::new();
    for (client, planned) in &subject.plan.clients {
        if planned.resolver != name || !subject.predicted.moves.get(client).is_some_and(Move::changes) {
            continue;
        }
        let place = planned.place.as_str();
        let only = by_place.then_some(place);
        let known = all.iter_mut().find(|kept| kept.family == planned.family && kept.only == only);
        if let Some(kept) = known {
            kept.places.push(place);
            kept.clients.push(client);
            continue;
        }
        let places = if by_place { vec![place] } else { vec![place, resolver.place.as_str()] };
        all.push(Kept { family: planned.family, only, places, clients: vec![client] });
    }
    all
}

/// When the resolver no longer held the old answer while the authoritative server gave the new one. A cache that has
/// nothing holds nothing old.
fn emptied(subject: &Subject<'_>, name: &str, kept: &Kept<'_>, changed: Option<Interval>) -> Boundary {
    let change = Change::of(kept.clients.iter().filter_map(|client| subject.predicted.moves.get(*client)));
    let seen: Vec<(LabTime, &SeenAnswer)> = observations(subject, |server, asked, family, place| {
        matches!(server, Server::Resolver(who) if who == name)
            && family == kept.family
            && asked == subject.plan.name
            && kept.only.is_none_or(|only| only == place)
    })
    .filter(|(at, _)| subject.window.holds(*at))
    .collect();
    if change.leaves("nodata") {
        // An empty answer that is cached looks like nothing cached: only the new answer tells.
        let new = |at: LabTime| changed.is_some_and(|changed| at > changed.after);
        let first = seen.iter().find(|(at, answer)| new(*at) && change.shows_arriving(&labels(subject.plan, answer)));
        let moment = changed.zip(first).map(|(changed, (until, _))| Interval { until: *until, ..changed });
        return Boundary { moment, last_old: seen.last().map(|(at, _)| *at) };
    }
    let seen: Vec<(LabTime, Vec<String>)> =
        seen.into_iter().map(|(at, answer)| (at, labels(subject.plan, answer))).collect();
    // Of an answer that only gains something, what shows nothing of that is the old one.
    // A run may end before the cache is seen to hold the new one: then the authoritative server has shown it.
    let given: Vec<Vec<String>> = observations(subject, |server, asked, family, place| {
        *server == Server::Authoritative
            && family == kept.family
            && asked == subject.plan.name
            && kept.places.contains(&place)
    })
    .filter(|(at, _)| subject.window.holds(*at))
    .map(|(_, answer)| labels(subject.plan, answer))
    .collect();
    let shown = seen.iter().map(|(_, shows)| shows).chain(&given);
    let gains_whole = change.only_gains() && change.arrives_whole(shown.map(Vec::as_slice));
    let is_old = |shows: &[String]| {
        change.shows_leaving(shows) || (gains_whole && shows != ["nodata"] && !change.shows_arriving(shows))
    };
    let told: Vec<(LabTime, bool)> =
        seen.iter().filter(|(_, shows)| !shows.is_empty()).map(|(at, shows)| (*at, is_old(shows))).collect();
    let last_old = told.iter().rev().find(|(_, old)| *old).map(|(at, _)| *at);
    let first_not_old =
        told.iter().find(|(at, old)| !old && last_old.is_none_or(|before| *at > before)).map(|(at, _)| *at);
    let moment = changed.zip(first_not_old).map(|(changed, until)| {
        let after = last_old.unwrap_or(changed.after);
        changed.latest(Interval { after, until })
    });
    Boundary { moment, last_old }
}

fn observations<'a>(
    subject: &Subject<'a>,
    wanted: impl Fn(&Server, &str, Family, &str) -> bool,
) -> impl Iterator<Item = (LabTime, &'a SeenAnswer)> {
    subject.events.iter().filter_map(move |stamped| match &stamped.event {
        Event::Observed { server, name, family, place, answer, .. } if wanted(server, name, *family, place) => {
            Some((stamped.at, answer))
        }
        _ => None,
    })
}
