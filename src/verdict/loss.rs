//! Whether a client lost no more than it may.

use crate::plan::expectation::Claim;

use super::{Case, Finding, Judgement};

pub(super) fn judge(case: &Case<'_>) -> Finding {
    let Claim::Loss { client, failed_at_most, slow_at_most, stale_at_most } = &case.expectation.claim else {
        return Finding::inconclusive("no claim about losses");
    };
    let lost = case.leg().losses.get(client).copied().unwrap_or_default();
    if lost.requests == 0 {
        return Finding::inconclusive(format!("{client} ended no request in that time: nothing was observed"));
    }
    let counts = [
        ("failed", lost.failed, lost.failed, *failed_at_most),
        ("slow", lost.slow, lost.slow, *slow_at_most),
        ("stale", lost.stale, lost.stale_at_most, *stale_at_most),
    ];
    let mut judgement = Judgement::Passed;
    let mut said = Vec::new();
    for (what, least, most, limit) in counts {
        let Some(limit) = limit else { continue };
        let count = if least == most { least.to_string() } else { format!("{least} to {most}") };
        said.push(format!("{count} {what} (at most {limit})"));
        if least > limit {
            judgement = Judgement::Failed;
        } else if most > limit && judgement == Judgement::Passed {
            judgement = Judgement::Inconclusive;
        }
    }
    let mut explanation = format!("of {} requests {}", lost.requests, said.join(", "));
    if judgement == Judgement::Inconclusive {
        explanation +=
            "; some came while the answer was changing: asking the authoritative server more often settles it";
    }
    Finding { judgement, explanation }
}
