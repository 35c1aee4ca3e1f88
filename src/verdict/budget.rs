//! Whether a stage stayed within its budget.

use std::time::Duration;

use crate::plan::expectation::Stage;
use crate::timeline::measure::{Fit, LegMeasured, Measurement, Span};

use super::holds::{Limits, held_against};
use super::wording::secs;
use super::{Case, Finding, Judgement};

/// The measurements that a budget speaks of: those of its stage, and of one client or resolver where it names one.
pub(crate) fn spoken_of<'a>(leg: &'a LegMeasured, stage: Stage, of: Option<&str>) -> Vec<&'a Measurement> {
    let all: Vec<&Measurement> = match stage {
        Stage::Detection => vec![&leg.detection],
        Stage::Authoritative => leg.authoritative.iter().collect(),
        Stage::Resolver => leg.resolvers.iter().collect(),
        Stage::Client => leg.clients.iter().collect(),
        Stage::Total => leg.totals.iter().collect(),
    };
    let named = |row: &&Measurement| {
        of.is_none_or(|of| row.of == of || matches!(stage, Stage::Detection | Stage::Authoritative))
    };
    all.into_iter().filter(named).collect()
}

pub(super) fn judge(case: &Case<'_>, stage: Stage, of: Option<&str>, limits: Limits) -> Finding {
    let named = spoken_of(case.leg(), stage, of);
    if named.is_empty() {
        let who = of.unwrap_or("anything");
        return Finding::inconclusive(format!("nothing to measure: {who} is not predicted to change in this leg"));
    }
    let rows: Vec<&Measurement> = named.into_iter().filter(|row| row.fit != Fit::NotApplicable).collect();
    if rows.is_empty() {
        let explanation = "this ground carries none of the clients that this budget speaks of".to_owned();
        return Finding { judgement: Judgement::NotApplicable, explanation };
    }
    if let Some(missing) = rows.iter().find(|row| row.span.is_none()) {
        return unseen(case, missing, limits);
    }
    let spans: Vec<Span> = rows.iter().filter_map(|row| row.span).collect();
    let span = Span {
        least: spans.iter().map(|span| span.least).max().unwrap_or_default(),
        most: spans.iter().map(|span| span.most).max().unwrap_or_default(),
    };
    let last = rows.iter().max_by_key(|row| row.span.map(|span| span.most)).map_or("", |row| row.of.as_str());
    let who = if rows.len() > 1 { format!(" (the last of {}: {last})", rows.len()) } else { String::new() };
    let seen = format!("took {span}{who}; the budget is {}", said(limits));
    held_against(span, limits, &seen, &cadence(case, stage, last))
}

/// `95 s`, `at least 85 s`, `85 s to 130 s`.
fn said(Limits { at_least, at_most }: Limits) -> String {
    match (at_least.map(secs), at_most.map(secs)) {
        (Some(least), Some(most)) => format!("{least} to {most}"),
        (Some(least), None) => format!("at least {least}"),
        (None, most) => most.unwrap_or_default(),
    }
}

/// A stage that never ended. How long it surely lasted: from its boundary's start to the last sight of the old.
fn unseen(case: &Case<'_>, missing: &Measurement, limits: Limits) -> Finding {
    let window = case.leg().window;
    let who = if missing.of.is_empty() { String::new() } else { format!(" of {}", missing.of) };
    if missing.moment.is_some() {
        return Finding::inconclusive(format!("the stage before that{who} was not seen to end: nothing to count from"));
    }
    let lasted = missing.from.zip(missing.still_old).map(|(from, old)| old.since(from.until));
    let budget = said(limits);
    let still_old = |lasted| {
        let lasted = secs(lasted);
        format!("the change{who} was never seen: {lasted} into the stage it was still the old; the budget is {budget}")
    };
    let late = case.measured.lateness.map_or(Duration::ZERO, |lateness| lateness.max);
    match lasted {
        // However long it goes on, it has lasted long enough.
        Some(lasted) if limits.at_most.is_none() && limits.at_least <= Some(lasted.saturating_sub(late)) => {
            Finding::passed(still_old(lasted))
        }
        Some(lasted) if limits.at_most.is_none_or(|most| lasted <= most) => Finding::inconclusive(format!(
            "the change{who} was not seen in the {} that were watched, less than the budget of {budget}; hold the fault \
             longer",
            secs(lasted)
        )),
        _ if !window.complete => {
            Finding::inconclusive(format!("the change{who} was not seen before the run was cut short"))
        }
        Some(lasted) => Finding::failed(still_old(lasted)),
        None if limits.at_most.is_none() => {
            Finding::inconclusive(format!("the change{who} was never seen: nothing to count; the budget is {budget}"))
        }
        None => Finding::failed(format!("the change{who} was never seen; the budget is {budget}")),
    }
}

/// Who would have to look more often.
fn cadence(case: &Case<'_>, stage: Stage, of: &str) -> Vec<(String, Duration)> {
    let observe = &case.plan.observe;
    let fault = || ("look at the fault".to_owned(), observe.fault_every);
    let authoritative = || ("ask the authoritative server".to_owned(), observe.authoritative_every);
    let resolvers = || ("ask the resolvers".to_owned(), observe.resolver_every);
    let client = || case.plan.clients.get(of).map(|client| (format!("let {of} ask"), client.every));
    match stage {
        Stage::Detection => vec![fault()],
        Stage::Authoritative => vec![authoritative()],
        Stage::Resolver => vec![authoritative(), resolvers()],
        Stage::Client => std::iter::once(resolvers()).chain(client()).collect(),
        Stage::Total => std::iter::once(fault()).chain(client()).collect(),
    }
}
