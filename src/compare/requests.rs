//! How many of each client's requests failed and how many were slow, at each time.
//!
//! How many a run loses on the way depends on how long the way took, and that is chance; so shares are compared, and no
//! counts. Each is known as well as so many requests tell it: two shares differ when what each of them may be, at a
//! confidence of 99 %, does not meet; they agree when each is one that the other may be.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use crate::clock::LabTime;
use crate::journal::event::{Event, RequestOutcome, Stamped};
use crate::plan::expectation::Leg;

use super::outcome::Agreement;
use super::run::Run;
use super::times::{When, time};
use super::watched::Who;

/// One request of a client.
#[derive(Clone, Debug)]
pub(super) struct Request {
    began: LabTime,
    ended: LabTime,
    ending: Ending,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Served,
    Failed,
    TimedOut,
    NotConnectable,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    /// Those that got no answer, or a 5xx one.
    Failed,
    /// Of those that were served: later than the client's limit.
    Slow,
}

/// So many requests of so many. What the machine's own lateness may have done is counted at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Share {
    /// At least.
    pub least: u32,
    /// At most.
    pub most: u32,
    /// Of so many.
    pub of: u32,
}

/// The same share of two runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RequestPair {
    /// Whose requests.
    pub client: String,
    /// Which.
    pub counted: Counted,
    /// When.
    pub when: When,
    /// In the one run.
    pub before: Share,
    /// In the other.
    pub after: Share,
    /// Whether it is the same, as far as so many tell.
    pub agreement: Agreement,
}

/// Every request of a client that ended.
pub(super) fn of(events: &[Stamped], client: &str) -> Vec<Request> {
    let ended = events.iter().filter_map(|stamped| match &stamped.event {
        Event::RequestEnded { client: who, began, outcome, .. } if who == client => {
            let ending = match outcome {
                RequestOutcome::Served { .. } => Ending::Served,
                RequestOutcome::TimedOut => Ending::TimedOut,
                RequestOutcome::NotConnectable => Ending::NotConnectable,
                RequestOutcome::Refused { .. }
                | RequestOutcome::Unresolved { .. }
                | RequestOutcome::Unconnected { .. } => Ending::Failed,
            };
            Some(Request { began: *began, ended: stamped.at, ending })
        }
        _ => None,
    });
    ended.collect()
}

/// Whether the ground had no connection for any of the requests in a time, and there are some.
pub(super) fn none_connectable(requests: &[Request], from: LabTime, until: LabTime) -> bool {
    let mut within = requests.iter().filter(|request| request.lies_within(from, until)).peekable();
    within.peek().is_some() && within.all(|request| request.ending == Ending::NotConnectable)
}

impl Request {
    fn lies_within(&self, from: LabTime, until: LabTime) -> bool {
        self.began >= from && self.ended <= until
    }
}

const TIMES: [When; 5] = [When::Steady, When::FailingOver, When::Held, When::FailingBack, When::Healed];

/// Every client of both runs, at each time in which one of them ended a request.
pub(super) fn pairs(before: &Run, after: &Run) -> Vec<RequestPair> {
    let clients = before.requests.keys().filter(|client| after.requests.contains_key(*client));
    let each = clients.flat_map(|client| TIMES.map(|when| (client, when)));
    let each = each.flat_map(|each| [Counted::Failed, Counted::Slow].map(|counted| (each, counted)));
    let pair = |((client, when), counted): ((&String, When), Counted)| {
        let [one, other] = [before, after].map(|run| share(run, client, when, counted));
        if one.of == 0 && other.of == 0 {
            return None;
        }
        let workers = before.plan.clients.get(client).map_or(1, |client| client.workers.max(1));
        let agreement = match agreement(one, other, workers, when) {
            Agreement::Differ if cannot_tell([before, after], client, when) => Agreement::NotTold,
            told => told,
        };
        Some(RequestPair { client: client.clone(), counted, when, before: one, after: other, agreement })
    };
    each.filter_map(pair).collect()
}

/// Whether it is told otherwise, or cannot be: that a client moved in one run only stands among the figures.
fn cannot_tell(runs: [&Run; 2], client: &str, when: When) -> bool {
    let Some(leg) = when.leg() else { return false };
    let moved =
        runs.map(|run| run.measured.leg(leg).totals.iter().any(|total| total.of == client && total.moment.is_some()));
    moved[0] != moved[1] || runs.iter().any(|run| run.is_unsettled(leg))
}

fn share(run: &Run, client: &str, when: When, counted: Counted) -> Share {
    let window = span(run, client, when);
    let (Some((from, until)), Some(planned)) = (window, run.plan.clients.get(client)) else { return Share::default() };
    if !run.carries(client, from, until) {
        return Share::default();
    }
    // The machine may have made a request as late as it made the observers.
    let late = run.late();
    let in_time = late < planned.timeout / 2;
    let mut share = Share::default();
    let requests = run.requests.get(client).into_iter().flatten();
    for request in requests.filter(|request| request.lies_within(from, until)) {
        let took: Duration = request.ended.since(request.began);
        let (surely, perhaps) = match (counted, request.ending) {
            (Counted::Failed, Ending::Served) => (false, false),
            (Counted::Failed, Ending::TimedOut) => (in_time, true),
            (Counted::Failed, Ending::Failed | Ending::NotConnectable) => (true, true),
            (Counted::Slow, Ending::Served) => (took > planned.slow + late, took > planned.slow),
            (Counted::Slow, _) => continue,
        };
        share.of += 1;
        share.least += u32::from(surely);
        share.most += u32::from(perhaps);
    }
    share
}

/// The time, without the moments at which a fault may hold or not.
fn span(run: &Run, client: &str, when: When) -> Option<(LabTime, LabTime)> {
    let (from, until) = time(run, &Who::Served(client), when)?;
    let begins = |leg: Leg| run.measured.leg(leg).window.start.map(|start| start.until);
    Some(match when {
        When::Steady => (from, run.fault_requested.map_or(until, |fault| fault.min(until))),
        When::FailingOver => (begins(Leg::Failover)?, until),
        When::FailingBack => (begins(Leg::Failback)?, until),
        When::Held | When::Healed => (from, until),
    })
}

/// The quantile of the normal distribution for a confidence of 99 % on both sides.
const QUANTILE: f64 = 2.576;

impl Share {
    /// The least and the most that it may be (Wilson's score interval). What the workers of a client do at the same moment
    /// shares its fate, so it counts once.
    fn may_be(self, workers: u32) -> (f64, f64) {
        if self.of == 0 {
            return (0.0, 1.0);
        }
        let rounds = f64::from(self.of) / f64::from(workers);
        let square = QUANTILE * QUANTILE / rounds;
        let bound = |count: u32, side: f64| {
            let share = f64::from(count) / f64::from(self.of);
            let half = QUANTILE * (share * (1.0 - share) / rounds + square / (4.0 * rounds)).sqrt();
            ((share + square / 2.0 + side * half) / (1.0 + square)).clamp(0.0, 1.0)
        };
        // Rounding must not push a bound past what was counted.
        let least = if self.least == 0 { 0.0 } else { bound(self.least, -1.0) };
        let most = if self.most == self.of { 1.0 } else { bound(self.most, 1.0) };
        (least, most)
    }

    /// Whether all that was counted lies within these.
    fn lies_within(self, (least, most): (f64, f64)) -> bool {
        let of = f64::from(self.of);
        self.of > 0 && f64::from(self.least) >= least * of && f64::from(self.most) <= most * of
    }
}

/// On the way a share depends on how long each stage took; there only none against many differs.
fn agreement(one: Share, other: Share, workers: u32, when: When) -> Agreement {
    let (mine, theirs) = (one.may_be(workers), other.may_be(workers));
    let is_apart = mine.1 < theirs.0 || theirs.1 < mine.0;
    let one_lost_none = one.most == 0 || other.most == 0;
    if is_apart && (!when.is_on_the_way() || one_lost_none) {
        Agreement::Differ
    } else if one.lies_within(theirs) && other.lies_within(mine) {
        Agreement::Agree
    } else {
        Agreement::NotTold
    }
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Failed => "failed",
            Self::Slow => "slow",
        })
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { least, most, of } = self;
        if least == most { write!(f, "{least} of {of}") } else { write!(f, "{least} to {most} of {of}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn share(count: u32, of: u32) -> Share {
        Share { least: count, most: count, of }
    }

    #[test]
    fn shares_differ_only_when_so_many_requests_tell_it() {
        use Agreement::{Agree, Differ, NotTold};
        let [rest, way] = [When::Held, When::FailingOver];
        for (one, other, workers, when, due) in [
            (share(0, 40), share(0, 50), 1, rest, Agree),
            (share(0, 40), share(20, 40), 1, rest, Differ),
            // Too few to tell.
            (share(0, 3), share(3, 3), 1, rest, NotTold),
            (share(0, 40), share(1, 40), 1, rest, NotTold),
            (share(20, 40), share(23, 40), 1, rest, Agree),
            // As many rounds as requests, or a sixteenth of them.
            (share(0, 48), share(24, 48), 1, rest, Differ),
            (share(0, 48), share(24, 48), 16, rest, NotTold),
            // How long it took to get there is chance.
            (share(10, 40), share(40, 40), 1, rest, Differ),
            (share(10, 40), share(40, 40), 1, way, NotTold),
            (share(0, 40), share(40, 40), 1, way, Differ),
            // The machine may have done it.
            (share(0, 40), Share { least: 0, most: 40, of: 40 }, 1, rest, NotTold),
            (share(0, 0), share(4, 40), 1, rest, NotTold),
        ] {
            assert_eq!(agreement(one, other, workers, when), due, "{one} {other}");
            assert_eq!(agreement(other, one, workers, when), due, "{other} {one}");
        }
    }
}
