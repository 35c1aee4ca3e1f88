//! Expectations held against a journal.
//!
//! The verdict is reached from the journal alone: nothing here asks a clock, a file or a lab. A limit that falls
//! inside what is uncertain is inconclusive, never a pass.

mod budget;
mod counts;
mod ending;
mod evidence;
mod exit_code;
mod holds;
mod loss;
mod outcome;
mod overload;
pub(crate) mod wording;

use serde::{Deserialize, Serialize};

use crate::journal::event::{Event, Stamped};
use crate::plan::Plan;
use crate::plan::expectation::{Claim, Expectation, Stage};
use crate::timeline::measure::{Fit, LegMeasured, Measured, measure, planned};

pub use crate::timeline::measure::NoPlan;
pub(crate) use budget::spoken_of;
pub use ending::{FirstTry, ORDER, ending};
pub(crate) use evidence::served;
pub use exit_code::{ExitCode, TABLE};
pub use outcome::Outcome;
pub use overload::Overload;

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// In one word.
    pub outcome: Outcome,
    /// Why, for every outcome that the expectations do not explain.
    pub reason: Option<String>,
    /// Every expectation of the drill, in its order.
    pub expectations: Vec<Judged>,
    /// The machine was too loaded to tell.
    pub overload: Option<Overload>,
    /// What was measured outside its prediction, or predicted and not seen; each a finding of its own, in words.
    pub findings: Vec<String>,
    /// The fault was left out.
    pub control: bool,
}

impl Verdict {
    /// What a control proves; `None` for a run with its fault, and for a control that came to no judgement.
    #[must_use]
    pub const fn control_line(&self) -> Option<&'static str> {
        match self.outcome {
            Outcome::Failed if self.control => Some("control: failed, as it must"),
            Outcome::Passed if self.control => Some("control: PASSED — this drill proves nothing"),
            _ => None,
        }
    }
}

/// An expectation, judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// As the plan has it.
    pub expectation: Expectation,
    /// In one word.
    pub judgement: Judgement,
    /// In plain words: what was seen, when, and what would settle it.
    pub explanation: String,
}

/// What came of an expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judgement {
    /// Seen, at the worst reading of what is uncertain.
    Passed,
    /// Not so, at the best reading.
    Failed,
    /// Neither.
    Inconclusive,
    /// The ground cannot carry what it speaks of.
    NotApplicable,
}

/// A judgement and its words.
#[derive(Clone, Debug, PartialEq)]
struct Finding {
    judgement: Judgement,
    explanation: String,
}

impl Finding {
    fn passed(explanation: impl Into<String>) -> Self {
        Self { judgement: Judgement::Passed, explanation: explanation.into() }
    }

    fn failed(explanation: impl Into<String>) -> Self {
        Self { judgement: Judgement::Failed, explanation: explanation.into() }
    }

    fn inconclusive(explanation: impl Into<String>) -> Self {
        Self { judgement: Judgement::Inconclusive, explanation: explanation.into() }
    }
}

/// What one expectation is held against.
struct Case<'a> {
    events: &'a [Stamped],
    plan: &'a Plan,
    measured: &'a Measured,
    expectation: &'a Expectation,
}

impl Case<'_> {
    const fn leg(&self) -> &LegMeasured {
        self.measured.leg(self.expectation.during)
    }
}

/// Judges a run.
///
/// # Errors
/// When the journal holds no plan.
pub fn judge(events: &[Stamped]) -> Result<Verdict, NoPlan> {
    let plan = planned(events)?;
    let measured = measure(events)?;
    let overload = Overload::of(events, plan, measured.lateness.as_ref());
    let expectations: Vec<Judged> = plan
        .expectations
        .iter()
        .map(|expectation| {
            let finding = settle(&Case { events, plan, measured: &measured, expectation }, overload.as_ref());
            Judged { expectation: expectation.clone(), judgement: finding.judgement, explanation: finding.explanation }
        })
        .collect();
    let (outcome, reason) = outcome::reached(events, plan, &measured, &expectations, overload.as_ref());
    // A control has nothing to be seen, and was not predicted.
    let findings = if plan.control { Vec::new() } else { findings(&measured) };
    Ok(Verdict { outcome, reason, expectations, overload, findings, control: plan.control })
}

/// One expectation, with what makes every judgement of a run weaker.
fn settle(case: &Case<'_>, overload: Option<&Overload>) -> Finding {
    if let Some(client) = client_of(&case.expectation.claim)
        && not_connectable(case, client)
    {
        let explanation = format!("this ground does not carry the address family of {client}");
        return Finding { judgement: Judgement::NotApplicable, explanation };
    }
    let window = case.leg().window;
    if window.start.is_none() {
        return Finding::inconclusive(format!("nothing to count from: {}", wording::no_start(case.expectation.during)));
    }
    let finding = match &case.expectation.claim {
        Claim::Answer { holds, .. }
        | Claim::Health { holds, .. }
        | Claim::Data { holds, .. }
        | Claim::Alarm { holds, .. }
        | Claim::Served { holds, .. } => holds::judge(case, &evidence::of(case), *holds),
        Claim::Budget { stage, of, at_least, at_most } => {
            budget::judge(case, *stage, of.as_deref(), holds::Limits { at_least: *at_least, at_most: *at_most })
        }
        Claim::Turns { of, at_least, at_most } => {
            counts::turns(case, of, counts::Range { at_least: *at_least, at_most: *at_most })
        }
        Claim::Swings { client, at_least, at_most } => {
            counts::swings(case, client, counts::Range { at_least: *at_least, at_most: *at_most })
        }
        Claim::Loss { .. } => loss::judge(case),
    };
    match finding.judgement {
        Judgement::Passed if !window.complete => {
            Finding::inconclusive(format!("so far as expected, but the run was cut short: {}", finding.explanation))
        }
        Judgement::Failed if overload.is_some() => {
            Finding::inconclusive(format!("the machine was too loaded to tell; what was seen: {}", finding.explanation))
        }
        _ => finding,
    }
}

fn client_of(claim: &Claim) -> Option<&str> {
    match claim {
        Claim::Served { client, .. } | Claim::Loss { client, .. } | Claim::Swings { client, .. } => Some(client),
        Claim::Budget { stage: Stage::Client | Stage::Total, of, .. } => of.as_deref(),
        _ => None,
    }
}

fn not_connectable(case: &Case<'_>, client: &str) -> bool {
    let families = case.events.iter().find_map(|stamped| match &stamped.event {
        Event::LabReady { families, .. } => Some(families),
        _ => None,
    });
    let family = case.plan.clients.get(client).map(|client| client.family);
    families.zip(family).is_some_and(|(families, family)| !families.contains(&family))
        || [&case.measured.failover, &case.measured.failback]
            .iter()
            .any(|leg| leg.losses.get(client).is_some_and(|lost| lost.not_connectable > 0))
}

/// Every measurement that its prediction does not cover.
fn findings(measured: &Measured) -> Vec<String> {
    let mut findings = Vec::new();
    for (leg, measured) in [("failover", &measured.failover), ("failback", &measured.failback)] {
        if measured.window.start.is_none() {
            continue;
        }
        let rows = std::iter::once(("detection", &measured.detection))
            .chain(measured.questions.iter().map(|row| ("authoritative answer", row)))
            .chain(measured.resolvers.iter().map(|row| ("resolver", row)))
            .chain(measured.clients.iter().map(|row| ("client", row)))
            .chain(measured.totals.iter().map(|row| ("total of", row)));
        for (stage, row) in rows {
            let what = format!("{leg}: {}", format!("{stage} {}", row.of).trim_end());
            match (row.fit, row.span) {
                (Fit::Outside, Some(span)) => findings
                    .push(format!("{what} took {span}, outside the predicted {}", wording::bounds(&row.predicted))),
                (Fit::NotSeen, _) if measured.window.complete && row.moment.is_none() => findings
                    .push(format!("{what} was predicted within {}, and not seen", wording::bounds(&row.predicted))),
                _ => {}
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests;
