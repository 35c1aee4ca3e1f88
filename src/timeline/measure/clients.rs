//! t4: when each client's requests arrived at the new cell, and what it lost until then, as far as that is seen.

use std::collections::BTreeMap;

use crate::clock::LabTime;
use crate::journal::event::{Event, RequestOutcome};

use super::boundary::{Boundary, Change, Sign, boundary};
use super::servers::{Asked, changed_for};
use super::silence::{silences, tells_nothing};
use super::subject::Subject;
use super::{Fit, Lost, Measurement};

/// t4 of each client that is predicted to move: from its resolver's t3 on, and from t0 on.
pub(super) fn moves(subject: &Subject<'_>, resolvers: &[Measurement]) -> (Vec<Measurement>, Vec<Measurement>) {
    let crossed: BTreeMap<&str, Boundary> = subject
        .predicted
        .totals
        .keys()
        .chain(subject.predicted.clients.keys())
        .map(|client| (client.as_str(), moved(subject, client)))
        .collect();
    let measured = |name: &String, predicted, from| {
        let boundary = crossed.get(name.as_str()).copied().unwrap_or_default();
        let mut measured = subject.measurement(name, predicted, from, boundary);
        if !subject.carries(name) {
            measured.fit = Fit::NotApplicable;
        }
        measured
    };
    let resolved = |name: &String| {
        let resolver = &subject.plan.clients.get(name)?.resolver;
        resolvers.iter().find(|measured| measured.of == *resolver)?.moment
    };
    let clients = subject.predicted.clients.iter().map(|(name, &bounds)| measured(name, bounds, resolved(name)));
    let start = subject.window.start;
    let totals = subject.predicted.totals.iter().map(|(name, &bounds)| measured(name, bounds, start));
    (clients.collect(), totals.collect())
}

fn moved(subject: &Subject<'_>, name: &str) -> Boundary {
    let Some(planned) = subject.predicted.moves.get(name) else { return Boundary::default() };
    let change = Change::of([planned]);
    let mut signs = Vec::new();
    let mut failed: Vec<LabTime> = Vec::new();
    for stamped in subject.events {
        match &stamped.event {
            Event::RequestArrived { client, cell, zone, held, .. } if client == name => {
                signs.push(Sign { at: stamped.at - *held, shows: vec![zone.as_ref().unwrap_or(cell).clone()] });
            }
            // A stream that lives shows where its client is for as long as it does.
            Event::StreamAlive { cell, client, .. } if client == name => {
                signs.push(Sign { at: stamped.at, shows: vec![cell.clone()] });
            }
            Event::RequestEnded { client, began, address, outcome, .. } if client == name => match outcome {
                // Who moves to (or from) an empty answer arrives nowhere: not finding an address is the sign.
                RequestOutcome::Unresolved { .. } => {
                    signs.push(Sign { at: stamped.at, shows: vec!["nodata".into(), "nxdomain".into()] });
                    failed.push(*began);
                }
                // It arrived nowhere, but where it was sent to is where the client still is.
                RequestOutcome::Unconnected { .. } | RequestOutcome::TimedOut => {
                    let cell = address.and_then(|address| subject.plan.zone_at(address));
                    // A stream that was given up at the new cell had arrived there.
                    let arrived = *outcome == RequestOutcome::TimedOut
                        && cell.is_some_and(|cell| planned.to.iter().any(|to| to == cell) && !change.leaves(cell));
                    let cell = cell.filter(|cell| change.leaves(cell));
                    signs.extend(cell.map(|cell| Sign { at: *began, shows: vec![cell.to_owned()] }));
                    failed.extend((!arrived).then_some(*began));
                }
                RequestOutcome::Refused { .. } => failed.push(*began),
                RequestOutcome::Served { .. } | RequestOutcome::NotConnectable => {}
            },
            _ => {}
        }
    }
    // Of a client that tells nothing it is the sign that nothing arrives any more.
    if let Some(client) = subject.plan.clients.get(name).filter(|_| tells_nothing(subject.events, subject.plan, name)) {
        let nowhere = || vec!["nodata".to_owned(), "nxdomain".to_owned()];
        let silent = silences(subject.events, name, client).into_iter();
        signs.extend(silent.map(|at| Sign { at, shows: nowhere() }));
    }
    // Written when they were answered, read in the order in which they arrived.
    signs.sort_by_key(|sign| sign.at);
    let mut crossed = boundary(&signs, &change, &subject.window);
    // A request that got nowhere shows, too, that the client had not moved yet.
    let until = crossed.moment.map(|moment| moment.until);
    let last_failed = failed.into_iter().rfind(|&at| subject.window.holds(at) && until.is_none_or(|until| at < until));
    if let Some(moment) = &mut crossed.moment {
        moment.after = last_failed.map_or(moment.after, |failed| moment.after.max(failed));
    }
    crossed.last_old = crossed.last_old.max(last_failed);
    crossed
}

/// What each client lost.
pub(super) fn losses(subject: &Subject<'_>, questions: &[Asked<'_>], totals: &[Measurement]) -> BTreeMap<String, Lost> {
    let Some(start) = subject.window.start else { return BTreeMap::new() };
    let mut losses = BTreeMap::new();
    for (name, client) in &subject.plan.clients {
        let moved = totals.iter().find(|total| total.of == *name).and_then(|total| total.moment);
        let end = moved.map_or(subject.window.end, |moved| moved.until);
        let resolver = subject.plan.resolvers.get(&client.resolver).map(|resolver| resolver.place.as_str());
        let places: Vec<&str> = std::iter::once(client.place.as_str()).chain(resolver).collect();
        let changed = changed_for(questions, &places, client.family);
        let change = Change::of(subject.predicted.moves.get(name));
        let mut lost = Lost::default();
        if !tells_nothing(subject.events, subject.plan, name) {
            (lost.requests, lost.failed, lost.slow) = (Some(0), Some(0), Some(0));
        }
        for stamped in subject.events.iter().filter(|stamped| stamped.at >= start.after) {
            match &stamped.event {
                Event::RequestArrived { client: who, cell, zone, status, held }
                    if who == name && stamped.at - *held <= end =>
                {
                    let arrived = stamped.at - *held;
                    lost.arrived += 1;
                    lost.refused += u64::from(*status >= 500);
                    if !change.shows_leaving(std::slice::from_ref(zone.as_ref().unwrap_or(cell))) {
                        continue;
                    }
                    lost.stale += u64::from(changed.is_some_and(|changed| arrived > changed.until));
                    lost.stale_at_most += u64::from(changed.is_some_and(|changed| arrived > changed.after));
                }
                Event::RequestEnded { client: who, began, outcome, .. } if who == name && *began < end => {
                    let took = stamped.at.since(*began);
                    match outcome {
                        RequestOutcome::NotConnectable => {
                            lost.not_connectable += 1;
                            continue;
                        }
                        RequestOutcome::Served { .. } => add(&mut lost.slow, took > client.slow),
                        _ => add(&mut lost.failed, true),
                    }
                    add(&mut lost.requests, true);
                }
                _ => {}
            }
        }
        losses.insert(name.clone(), lost);
    }
    losses
}

/// One more of what is counted.
fn add(count: &mut Option<u64>, one: bool) {
    *count.get_or_insert(0) += u64::from(one);
}
