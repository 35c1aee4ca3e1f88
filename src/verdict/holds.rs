//! Whether a claim holds when it should: within a time and from then on, once or again within a time, always, or never.

use std::time::Duration;

use crate::plan::expectation::Holds;
use crate::timeline::measure::Interval;
use crate::timeline::measure::Span;

use super::evidence::{Evidence, Observation};
use super::wording::{after, secs};
use super::{Case, Finding};

pub(super) fn judge(case: &Case<'_>, evidence: &Evidence, holds: Holds) -> Finding {
    match holds {
        Holds::Within(limit) => within(case, evidence, limit),
        Holds::OnceWithin(limit) => once_within(case, evidence, limit, false),
        Holds::AgainWithin(limit) => once_within(case, evidence, limit, true),
        Holds::Always => throughout(case, evidence, true),
        Holds::Never => throughout(case, evidence, false),
    }
}

/// From some moment within `limit` on, to the leg's end.
fn within(case: &Case<'_>, evidence: &Evidence, limit: Duration) -> Finding {
    let leg = case.leg();
    let Some(start) = leg.window.start else { return nothing_seen(evidence) };
    let late = case.measured.lateness.map_or(Duration::ZERO, |lateness| lateness.max);
    let inside: Vec<&Observation> = evidence.observations.iter().filter(|seen| leg.window.holds(seen.at)).collect();
    let Some(first) = inside.first() else { return nothing_seen(evidence) };
    let after = after(case.expectation.during);
    let Some(last_other) = inside.iter().rposition(|seen| !seen.as_claimed) else {
        let before = evidence.observations.iter().rev().find(|seen| seen.at < start.after);
        if before.is_some_and(|before| before.as_claimed) {
            let count = inside.len();
            return Finding::passed(format!("true from the start, at all {count} {} of the leg", evidence.called));
        }
        return limited(
            Span::between(start, Interval { after: start.after, until: first.at }, late),
            case,
            evidence,
            limit,
        );
    };
    let other = inside[last_other];
    if let Some(now) = inside.get(last_other + 1) {
        let span = Span::between(start, Interval { after: other.at, until: now.at }, late);
        return limited(span, case, evidence, limit);
    }
    let least = other.at.since(start.until).saturating_sub(late);
    let seen = format!("still {} at {} {after}, at the leg's end", other.saw, secs(other.at.since(start.until)));
    let limit_said = secs(limit);
    if least > limit {
        Finding::failed(format!("{seen}; the limit is {limit_said}"))
    } else {
        let words = format!("{seen}, and the limit of {limit_said} was not yet over; a longer leg would settle it");
        Finding::inconclusive(words)
    }
}

/// At some moment within `limit`; it need not last. An observation that may have been made before the leg began, or
/// after the limit, proves nothing; nor, when it must be so `again`, does one before which it was not otherwise.
fn once_within(case: &Case<'_>, evidence: &Evidence, limit: Duration, again: bool) -> Finding {
    let window = case.leg().window;
    let Some(start) = window.start else { return nothing_seen(evidence) };
    let late = case.measured.lateness.map_or(Duration::ZERO, |lateness| lateness.max);
    let inside: Vec<&Observation> = evidence.observations.iter().filter(|seen| window.holds(seen.at)).collect();
    if inside.is_empty() {
        return nothing_seen(evidence);
    }
    let when = |seen: &Observation| Span::between(start, Interval::exactly(seen.at), late);
    let (after, said) = (after(case.expectation.during), secs(limit));
    let surely = |seen: &Observation| window.surely_holds(seen.since);
    // What is to be so again counts from where it was otherwise in the leg: surely, or perhaps.
    let from = |other: Option<usize>| if again { other.unwrap_or(inside.len()) } else { 0 };
    let certain = from(inside.iter().position(|seen| !seen.as_claimed && surely(seen)));
    let possible = from(inside.iter().position(|seen| !seen.as_claimed));
    let as_claimed = |from: usize| inside.iter().copied().skip(from).filter(|seen| seen.as_claimed);
    if let Some(seen) = as_claimed(certain).find(|seen| surely(seen) && when(seen).most <= limit) {
        return Finding::passed(format!("{} seen {} {after}; the limit is {said}", seen.saw, when(seen)));
    }
    if let Some(seen) = as_claimed(possible).find(|seen| when(seen).least <= limit) {
        let words =
            format!("{} seen {} {after}, which may lie outside the leg or the limit of {said}", seen.saw, when(seen));
        return Finding::inconclusive(words);
    }
    let watched = window.end.since(start.until).saturating_sub(late);
    let unseen = if again { "not seen again" } else { "not seen" };
    match as_claimed(possible).next() {
        Some(seen) => Finding::failed(format!("{} seen only {} {after}; the limit is {said}", seen.saw, when(seen))),
        None if watched < limit => Finding::inconclusive(format!(
            "{unseen} in the {} that were watched, and the limit of {said} was not yet over; a longer leg would settle it",
            secs(watched)
        )),
        None => {
            Finding::failed(format!("{unseen} at any of {} {}; the limit is {said}", inside.len(), evidence.called))
        }
    }
}

fn limited(span: Span, case: &Case<'_>, evidence: &Evidence, limit: Duration) -> Finding {
    let seen = format!("true since {span} {}; the limit is {}", after(case.expectation.during), secs(limit));
    held_against(span, Limits { at_least: None, at_most: Some(limit) }, &seen, &evidence.cadence)
}

/// How long something may last, both ends included.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) at_least: Option<Duration>,
    pub(super) at_most: Option<Duration>,
}

/// A duration that is known within bounds, held against limits: passed at the worst reading, failed at the best.
pub(super) fn held_against(span: Span, limits: Limits, seen: &str, cadence: &[(String, Duration)]) -> Finding {
    let Limits { at_least, at_most } = limits;
    if at_most.is_some_and(|most| span.least > most) || at_least.is_some_and(|least| span.most < least) {
        return Finding::failed(seen);
    }
    let unsettled = at_most.filter(|most| span.most > *most).or(at_least.filter(|least| span.least < *least));
    let Some(limit) = unsettled else { return Finding::passed(seen) };
    let which = if at_least.and(at_most).is_some() { format!("of which {}", secs(limit)) } else { "which".to_owned() };
    Finding::inconclusive(format!(
        "{seen}, {which} lies inside what is uncertain ({} to {}); {}",
        secs(span.least),
        secs(span.most),
        what_settles(span, limit, cadence)
    ))
}

/// How often the observers would have to look for the limit to fall outside: the width shrinks as their cadence does.
fn what_settles(span: Span, limit: Duration, cadence: &[(String, Duration)]) -> String {
    let distance = span.middle().abs_diff(limit).as_secs_f64();
    let share = distance / span.uncertainty().as_secs_f64().max(1e-6);
    let ways: Vec<String> = cadence
        .iter()
        .filter_map(|(what, every)| {
            let millis = (every.as_secs_f64() * share * 1e3).floor();
            let needed = Duration::try_from_secs_f64(millis / 1e3).ok()?;
            (needed >= Duration::from_millis(10))
                .then(|| format!("{what} every {} (now {})", secs(needed), secs(*every)))
        })
        .collect();
    if ways.is_empty() || ways.len() < cadence.len() {
        "no cadence would settle it, because the limit is all but the figure itself: move the limit".to_owned()
    } else {
        format!("to settle it, {}", ways.join(" and "))
    }
}

/// At every observation of the leg, or at none.
fn throughout(case: &Case<'_>, evidence: &Evidence, wanted: bool) -> Finding {
    let window = case.leg().window;
    let Some(start) = window.start else { return nothing_seen(evidence) };
    let inside: Vec<&Observation> = evidence
        .observations
        .iter()
        .filter(|seen| window.surely_holds(seen.since) && window.surely_holds(seen.at))
        .collect();
    if inside.is_empty() {
        return nothing_seen(evidence);
    }
    let against: Vec<&&Observation> = inside.iter().filter(|seen| seen.as_claimed != wanted).collect();
    let (count, called) = (inside.len(), evidence.called);
    match against.first() {
        None => Finding::passed(format!(
            "{} {count} {called} of the leg",
            if wanted { "true at all" } else { "true at none of" }
        )),
        Some(first) => Finding::failed(format!(
            "not true at {} of {count} {called}: first {} at {} {}",
            against.len(),
            first.saw,
            secs(first.at.since(start.until)),
            after(case.expectation.during)
        )),
    }
}

fn nothing_seen(evidence: &Evidence) -> Finding {
    Finding::inconclusive(format!("no {} in the leg: nothing was observed; hold the fault longer", evidence.called))
}
