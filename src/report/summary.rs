//! `summary.json`: a run in numbers, for machines. Key names are stable; all times are lab seconds.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::clock::LabTime;
use crate::journal::Chain;
use crate::journal::event::{Event, Stamped};
use crate::plan::{Bounds, Estimate, LegPrediction, Plan, SignalPrediction, Source};
use crate::timeline::measure::Interval;
use crate::timeline::measure::{LegMeasured, Lost, Measured, Measurement, Spread, Turning};
use crate::verdict::{ExitCode, Judgement, Outcome, Overload, Verdict};

/// A run in numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The drill's name.
    pub drill: String,
    /// The drill's title.
    pub title: String,
    /// `passed`, `failed`, `inconclusive`, `lab-broke`, `fault-did-not-hold`, `undo-failed` or `interrupted`.
    pub outcome: Outcome,
    /// Why, where the expectations do not say.
    pub reason: Option<String>,
    /// What the shell sees.
    pub exit_code: u8,
    /// What goes wrong in this drill on purpose; null when nothing does.
    pub hazard: Option<String>,
    /// Whether the run has shown it; null when there is none, or nothing was judged.
    pub hazard_shown: Option<bool>,
    /// What somebody else estimated; null when nobody did. Its client's prediction is among the totals.
    pub estimate: Option<Estimate>,
    /// What every random choice came from.
    pub seed: u64,
    /// Lab seconds per wall second.
    pub speed: f64,
    /// `namespace` or `loopback`; null when the lab never became ready.
    pub ground: Option<String>,
    /// RFC 3339: the wall clock at lab time 0.
    pub started: Option<String>,
    /// muster's version.
    pub version: Option<String>,
    /// The fault was left out.
    pub control: bool,
    /// What a control proves; null for a run with its fault.
    pub control_line: Option<&'static str>,
    /// From the fault's holding on.
    pub failover: LegSummary,
    /// From the fault's being gone on.
    pub failback: LegSummary,
    /// Every expectation, in the drill's order.
    pub expectations: Vec<ExpectationSummary>,
    /// What was measured outside its prediction, or never seen, in words.
    pub findings: Vec<String>,
    /// How late the observers asked.
    pub lateness: Option<crate::timeline::measure::Lateness>,
    /// The clock of who observed against that of who led the run, lab time; null where they are one.
    pub clock: Option<crate::clock::ClockOffset>,
    /// Set when the machine was too loaded to tell.
    pub overload: Option<Overload>,
    /// The files that the run was made from, each with its SHA-256.
    pub sources: Vec<Source>,
    /// The hash chain after the journal's last line: whoever keeps this can tell whether the journal was changed.
    pub journal_chain: String,
}

/// One leg in numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LegSummary {
    /// t0: the moment lies after `after`, at or before `until`; null: not seen.
    pub start: Option<Interval>,
    /// When the leg ended.
    pub end: LabTime,
    /// Whether it ran to its planned end.
    pub complete: bool,
    /// Statuses that were predicted to turn, in the order of their worst case, each with what it is made of.
    pub signals: Vec<SignalPrediction>,
    /// Why nothing after the detection is predicted; null when it is.
    pub unsettled: Option<String>,
    /// Statuses that turned, in order.
    pub turnings: Vec<Turning>,
    /// t1 - t0.
    pub detection: Measurement,
    /// t2 - t1, the last; null when no answer is predicted to change.
    pub authoritative: Option<Measurement>,
    /// t2 - t1 of each place.
    pub questions: Vec<Measurement>,
    /// t3 - t2 of each resolver.
    pub resolvers: Vec<Measurement>,
    /// The same: first, median, last.
    pub resolvers_spread: Option<Spread>,
    /// t4 - t3 of each client.
    pub clients: Vec<Measurement>,
    /// The same: first, median, last.
    pub clients_spread: Option<Spread>,
    /// t4 - t0 of each client.
    pub totals: Vec<Measurement>,
    /// The same: first, median, last.
    pub totals_spread: Option<Spread>,
    /// What the worst total was predicted to be; null when no client is predicted to move.
    pub predicted_total: Option<Bounds>,
    /// What each client lost.
    pub losses: BTreeMap<String, Lost>,
}

/// One expectation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExpectationSummary {
    /// The drill's words.
    pub text: String,
    /// File, line and column.
    pub at: String,
    /// `passed`, `failed`, `inconclusive` or `not-applicable`.
    pub judgement: Judgement,
    /// In words.
    pub explanation: String,
}

impl Summary {
    /// Puts together what was planned, measured and judged.
    #[must_use]
    pub fn of(events: &[Stamped], plan: &Plan, measured: &Measured, verdict: &Verdict, chain: Chain) -> Self {
        let started = events.iter().find_map(|stamped| match &stamped.event {
            Event::RunStarted { version, wall } => Some((version.clone(), wall.clone())),
            _ => None,
        });
        let ground = events.iter().find_map(|stamped| match &stamped.event {
            Event::LabReady { ground, .. } => Some(ground.clone()),
            _ => None,
        });
        let (version, wall) = started.unzip();
        let has_something_to_show = plan.hazard.is_some() && !plan.control;
        Self {
            drill: plan.drill.clone(),
            title: plan.title.clone(),
            outcome: verdict.outcome,
            reason: verdict.reason.clone(),
            exit_code: ExitCode::from(verdict.outcome).number(),
            hazard: plan.hazard.clone(),
            hazard_shown: match verdict.outcome {
                Outcome::Passed if has_something_to_show => Some(true),
                Outcome::Failed if has_something_to_show => Some(false),
                _ => None,
            },
            estimate: plan.estimate.clone(),
            seed: plan.seed,
            speed: plan.speed.factor(),
            ground,
            started: wall,
            version,
            control: plan.control,
            control_line: verdict.control_line(),
            failover: LegSummary::of(&measured.failover, &plan.prediction.failover),
            failback: LegSummary::of(&measured.failback, &plan.prediction.failback),
            expectations: verdict
                .expectations
                .iter()
                .map(|judged| ExpectationSummary {
                    text: judged.expectation.text.clone(),
                    at: judged.expectation.at.clone(),
                    judgement: judged.judgement,
                    explanation: judged.explanation.clone(),
                })
                .collect(),
            findings: verdict.findings.clone(),
            lateness: measured.lateness,
            clock: measured.clock,
            overload: verdict.overload,
            sources: plan.sources.clone(),
            journal_chain: chain.to_string(),
        }
    }

    /// As JSON, indented, with a line end.
    ///
    /// # Errors
    /// When a number in it is none in JSON.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }
}

impl LegSummary {
    fn of(leg: &LegMeasured, predicted: &LegPrediction) -> Self {
        let spread = |all: &[Measurement]| Spread::of(all.iter().filter_map(|each| each.span));
        let predicted_total = leg
            .totals
            .iter()
            .map(|total| total.predicted)
            .reduce(|a, b| Bounds { best: a.best.max(b.best), worst: a.worst.zip(b.worst).map(|(a, b)| a.max(b)) });
        Self {
            start: leg.window.start,
            end: leg.window.end,
            complete: leg.window.complete,
            signals: predicted.signals.clone(),
            unsettled: predicted.unsettled.clone(),
            turnings: leg.turnings.clone(),
            detection: leg.detection.clone(),
            authoritative: leg.authoritative.clone(),
            questions: leg.questions.clone(),
            resolvers: leg.resolvers.clone(),
            resolvers_spread: spread(&leg.resolvers),
            clients: leg.clients.clone(),
            clients_spread: spread(&leg.clients),
            totals: leg.totals.clone(),
            totals_spread: spread(&leg.totals),
            predicted_total,
            losses: leg.losses.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{parse, synthetic};
    use crate::timeline::measure::{measure, planned};
    use crate::verdict::judge;

    #[test]
    fn a_summary_reads_like_this() {
        let reading = parse(std::path::Path::new("j"), synthetic::passing().text().as_bytes()).unwrap();
        let events = &reading.events;
        let (measured, verdict) = (measure(events).unwrap(), judge(events).unwrap());
        let summary = Summary::of(events, planned(events).unwrap(), &measured, &verdict, reading.chain);
        insta::assert_snapshot!(summary.to_json().unwrap());
    }

    #[test]
    fn what_was_not_seen_of_a_client_that_tells_nothing_is_null() {
        let script = synthetic::passing().with_curl_as("br-fresh");
        let (events, chain) = (script.events(), crate::journal::Chain::START);
        let (measured, verdict) = (measure(&events).unwrap(), judge(&events).unwrap());
        let summary = Summary::of(&events, planned(&events).unwrap(), &measured, &verdict, chain);
        let json: serde_json::Value = serde_json::from_str(&summary.to_json().unwrap()).unwrap();
        let lost = &json["failover"]["losses"]["br-fresh"];
        assert!(
            ["requests", "failed", "slow"].iter().all(|key| lost[key].is_null() && lost.get(key).is_some()),
            "{lost}"
        );
        assert_eq!((&lost["arrived"], &lost["refused"], &lost["stale"]), (&13.into(), &12.into(), &6.into()));
    }
}
