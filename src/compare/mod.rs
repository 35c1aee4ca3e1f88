//! Two runs of one drill, held against each other: this quarter's against the last, one lab's against another's.
//!
//! Two honest runs are not alike to the millisecond: when checks fall and when caches let go is chance, within the bounds
//! that were predicted. So figures agree where they meet, or where both keep to the same prediction; see [`figures`].
//! Nothing here reads a file: it knows what was measured and judged of two runs, and never how.

mod answers;
mod figures;
mod outcome;
mod requests;
mod run;
mod settings;
mod times;
mod ttls;
mod watched;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::plan::expectation::Expectation;
use crate::verdict::Judgement;

pub use answers::AnswerPair;
pub use figures::{Figure, FigurePair, Stage};
pub use outcome::{Agreement, Likeness};
pub use requests::{Counted, RequestPair, Share};
pub use run::{Run, RunSummary};
pub use times::When;
pub use ttls::TtlPair;

/// Two sides, drill by drill.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The worst of the drills.
    pub likeness: Likeness,
    /// In the order of their names.
    pub drills: Vec<DrillComparison>,
}

/// The two runs of one drill.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DrillComparison {
    /// The drill's name.
    pub drill: String,
    /// How alike both runs are.
    pub likeness: Likeness,
    /// Why nothing can be said of the two, or of one of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The one run; null when the drill was run on the other side only.
    pub before: Option<RunSummary>,
    /// The other.
    pub after: Option<RunSummary>,
    /// Whether both came to the same verdict.
    pub verdict: Agreement,
    /// Every expectation of the drill, in its order.
    pub expectations: Vec<ExpectationPair>,
    /// Every figure of both legs, stage by stage.
    pub figures: Vec<FigurePair>,
    /// Which cells were answered and which served, before, during and after the fault.
    pub answers: Vec<AnswerPair>,
    /// How long the authoritative server let its answers be kept.
    pub ttls: Vec<TtlPair>,
    /// How many of each client's requests failed and were slow, before, during and after the fault.
    pub requests: Vec<RequestPair>,
}

/// What came of an expectation, twice.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExpectationPair {
    /// The drill's words.
    pub text: String,
    /// In the one run.
    pub before: Judgement,
    /// In the other.
    pub after: Judgement,
    /// Whether it is the same.
    pub agreement: Agreement,
}

/// Holds every drill of one side against the same drill of the other.
#[must_use]
pub fn compare(before: &BTreeMap<String, Run>, after: &BTreeMap<String, Run>) -> Comparison {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let drills: Vec<DrillComparison> =
        names.into_iter().map(|name| of_drill(name, before.get(name), after.get(name))).collect();
    let likeness = drills.iter().map(|drill| drill.likeness).max().unwrap_or(Likeness::OtherSettings);
    Comparison { likeness, drills }
}

fn of_drill(name: &str, before: Option<&Run>, after: Option<&Run>) -> DrillComparison {
    let mut drill = DrillComparison {
        drill: name.to_owned(),
        likeness: Likeness::OnOneSide,
        reason: None,
        before: before.map(Run::summary),
        after: after.map(Run::summary),
        verdict: Agreement::NotTold,
        expectations: Vec::new(),
        figures: Vec::new(),
        answers: Vec::new(),
        ttls: Vec::new(),
        requests: Vec::new(),
    };
    let (Some(before), Some(after)) = (before, after) else {
        let side = if before.is_some() { "before" } else { "after" };
        drill.reason = Some(format!("only {side} has it"));
        return drill;
    };
    let other = settings::that_differ(&before.plan, &after.plan);
    if !other.is_empty() {
        drill.likeness = Likeness::OtherSettings;
        drill.reason = Some(format!("the two runs have other settings, so no figure is compared: {}", told(&other)));
        return drill;
    }
    drill.verdict = Agreement::of(before.verdict.outcome == after.verdict.outcome);
    drill.expectations = expectations(before, after);
    drill.figures = figures::pairs(before, after);
    drill.answers = answers::pairs(before, after);
    drill.ttls = ttls::pairs(before, after);
    drill.requests = requests::pairs(before, after);
    (drill.likeness, drill.reason) = match [("before", before), ("after", after)].into_iter().find_map(untold) {
        Some(why) => (Likeness::Inconclusive, Some(why)),
        None => (Likeness::of(drill.agreements()), None),
    };
    drill
}

/// More than these are not listed.
const LISTED: usize = 4;

fn told(settings: &[String]) -> String {
    let more = match settings.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    settings.iter().take(LISTED).cloned().collect::<Vec<_>>().join("; ") + &more
}

/// Why a run says nothing of its subject.
fn untold((side, run): (&str, &Run)) -> Option<String> {
    outcome::says_nothing(run.verdict.outcome).then(|| {
        let why = run.verdict.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
        format!("the run {side} says nothing of its subject, {}{why}", run.verdict.outcome)
    })
}

fn expectations(before: &Run, after: &Run) -> Vec<ExpectationPair> {
    // The settings are the same, so both have the same expectations.
    let both = before.verdict.expectations.iter().zip(&after.verdict.expectations);
    let pair = |(before, after): (&crate::verdict::Judged, &crate::verdict::Judged)| {
        let Expectation { text, .. } = &before.expectation;
        let agreement = outcome::of_judgements(before.judgement, after.judgement);
        ExpectationPair { text: text.clone(), before: before.judgement, after: after.judgement, agreement }
    };
    both.map(pair).collect()
}

impl DrillComparison {
    fn agreements(&self) -> impl Iterator<Item = Agreement> {
        let expectations = self.expectations.iter().map(|pair| pair.agreement);
        let figures = self.figures.iter().map(|pair| pair.agreement);
        let answers = self.answers.iter().map(|pair| pair.agreement);
        let ttls = self.ttls.iter().map(|pair| pair.agreement);
        let requests = self.requests.iter().map(|pair| pair.agreement);
        let seen = figures.chain(answers).chain(ttls).chain(requests);
        std::iter::once(self.verdict).chain(expectations).chain(seen)
    }
}
