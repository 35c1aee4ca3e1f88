//! Whether a client lost no more than it may.

use crate::plan::expectation::Claim;

use crate::timeline::measure::Lost;

use super::{Case, Finding, Judgement};

/// What was counted of what is limited.
struct Count {
    what: &'static str,
    least: u64,
    /// `None`: not seen.
    most: Option<u64>,
    limit: u64,
}

pub(super) fn judge(case: &Case<'_>) -> Finding {
    let Claim::Loss { client, failed_at_most, slow_at_most, stale_at_most } = &case.expectation.claim else {
        return Finding::inconclusive("no claim about losses");
    };
    let lost = case.leg().losses.get(client).copied().unwrap_or_default();
    let of = match lost.requests {
        Some(0) => {
            return Finding::inconclusive(format!("{client} ended no request in that time: nothing was observed"));
        }
        None if lost.arrived == 0 => {
            return Finding::inconclusive(format!("nothing of {client} arrived in that time: nothing was observed"));
        }
        Some(requests) => format!("of {requests} requests"),
        None => format!("of {} requests that arrived", lost.arrived),
    };
    let counts = counts(&lost, [*failed_at_most, *slow_at_most, *stale_at_most]);
    let said: Vec<String> = counts.iter().map(Count::said).collect();
    let explanation = format!("{of} {}", said.join(", "));
    if counts.iter().any(|count| count.least > count.limit) {
        return Finding { judgement: Judgement::Failed, explanation };
    }
    if counts.iter().any(|count| count.most.is_none()) {
        return Finding::inconclusive(format!(
            "{explanation}; {client} tells nothing, so what was lost before it arrived, and how long it waited, is not \
             seen: a client of muster's own beside it would tell"
        ));
    }
    if counts.iter().any(|count| count.most.is_some_and(|most| most > count.limit)) {
        return Finding::inconclusive(format!(
            "{explanation}; some came while the answer was changing: asking the authoritative server more often settles it"
        ));
    }
    Finding::passed(explanation)
}

/// What is limited of that which was lost: failed, slow, stale.
fn counts(lost: &Lost, limits: [Option<u64>; 3]) -> Vec<Count> {
    let [failed, slow, stale] = limits;
    let counted = [
        // What arrived and was refused has failed, whatever else has.
        ("failed", lost.failed.unwrap_or(lost.refused), lost.failed, failed),
        ("slow", lost.slow.unwrap_or(0), lost.slow, slow),
        ("stale", lost.stale, Some(lost.stale_at_most), stale),
    ];
    let limited = counted.into_iter().filter_map(|(what, least, most, limit)| Some((what, least, most, limit?)));
    limited.map(|(what, least, most, limit)| Count { what, least, most, limit }).collect()
}

impl Count {
    fn said(&self) -> String {
        let Self { what, least, most, limit } = self;
        match most {
            Some(most) if least == most => format!("{least} {what} (at most {limit})"),
            Some(most) => format!("{least} to {most} {what} (at most {limit})"),
            None if *least == 0 => format!("not seen how many {what} (at most {limit})"),
            None => format!("at least {least} {what} (at most {limit})"),
        }
    }
}
