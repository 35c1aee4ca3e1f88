//! The stages as they were measured, read from a journal alone.
//!
//! A boundary lies between the last observation of the old and the first of the new; both are kept. What was asked
//! for (a fault, a heal) is never taken for what happened. Nothing here judges: see [`crate::verdict`].

mod boundary;
mod clients;
mod clock;
mod detection;
mod lateness;
mod leg;
mod seen;
mod servers;
mod silence;
mod span;
mod subject;
mod window;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::clock::{ClockOffset, LabTime};
use crate::journal::event::{Event, Signal, Stamped};
use crate::plan::Plan;
use crate::plan::expectation::Leg;

use crate::plan::Bounds;

pub(crate) use detection::is_evidence;
pub use lateness::Lateness;
pub(crate) use seen::NOTHING_CACHED;
pub use seen::{Seen, labels};
pub(crate) use silence::{silences, tells_nothing};
pub use span::{Interval, Span, Spread};
pub use window::Window;

/// A journal that ends before its plan was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the journal holds no plan: the run ended before it began, and there is nothing to judge; run the drill again")]
pub struct NoPlan;

/// Everything measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// From the fault's holding on.
    pub failover: LegMeasured,
    /// From the fault's being gone on.
    pub failback: LegMeasured,
    /// How late the observers asked; `None` when nothing was observed.
    pub lateness: Option<Lateness>,
    /// The clock of who observed against that of who led the run; `None` where they are one, or it was not written down.
    #[serde(default)]
    pub clock: Option<ClockOffset>,
    /// What each watched question and each resolver answered over time.
    pub seen: Vec<Seen>,
}

impl Measured {
    /// One leg.
    #[must_use]
    pub const fn leg(&self, leg: Leg) -> &LegMeasured {
        match leg {
            Leg::Failover => &self.failover,
            Leg::Failback => &self.failback,
        }
    }
}

/// One leg, measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LegMeasured {
    /// When it was: t0 and the end.
    pub window: Window,
    /// Every status that turned because of the faults, in the order of turning: the sub-stages of detection.
    pub turnings: Vec<Turning>,
    /// t1: the last evidence that turned, from t0 on.
    pub detection: Measurement,
    /// t2 of each watched question that is predicted to change, from t1 on.
    pub questions: Vec<Measurement>,
    /// The last of `questions`; `None` when no answer is predicted to change.
    pub authoritative: Option<Measurement>,
    /// t3 of each resolver that is predicted to change, from t2 on.
    pub resolvers: Vec<Measurement>,
    /// t4 of each client that is predicted to move, from its resolver's t3 on.
    pub clients: Vec<Measurement>,
    /// t4 of the same clients, from t0 on.
    pub totals: Vec<Measurement>,
    /// What each client lost.
    pub losses: BTreeMap<String, Lost>,
}

impl LegMeasured {
    /// Every figure that stands beside a prediction, stage by stage.
    pub fn figures(&self) -> impl Iterator<Item = &Measurement> {
        let first = [&self.detection].into_iter().chain(&self.authoritative);
        first.chain(&self.questions).chain(&self.resolvers).chain(&self.clients).chain(&self.totals)
    }
}

/// One boundary, how long it took to come, and what was predicted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Whose: a resolver's or a client's name, a place, or empty.
    pub of: String,
    /// What was predicted.
    pub predicted: Bounds,
    /// The boundary before it, from which it counts; `None`: not seen.
    pub from: Option<Interval>,
    /// When it was crossed; `None`: not seen.
    pub moment: Option<Interval>,
    /// The last observation of the old, when the new was never seen.
    pub still_old: Option<LabTime>,
    /// How long it took, the observers' lateness added on both sides; `None` when it, or the boundary before it, was
    /// not seen.
    pub span: Option<Span>,
    /// Beside the prediction.
    pub fit: Fit,
}

/// What was measured, beside what was predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fit {
    /// What was measured overlaps what was predicted; also what never came and may never come.
    Inside,
    /// Both are disjoint: a finding of its own.
    Outside,
    /// It was predicted to come, and was not seen.
    NotSeen,
    /// The ground cannot carry the client's family.
    NotApplicable,
}

/// A health status that turned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turning {
    /// Whose.
    pub signal: Signal,
    /// To what.
    pub healthy: bool,
    /// The first probe with the new result: after the last one with the old. `None` for a status that is computed.
    pub first_check: Option<Interval>,
    /// When the status turned: known exactly.
    pub at: LabTime,
    /// Whether decisions use this status itself, rather than something computed from it.
    pub evidence: bool,
    /// What was predicted, from t0 on; `None`: that it would turn was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicted: Option<Bounds>,
}

/// What a client lost between the fault (or the heal) and its move; over the whole leg when it did not move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lost {
    /// How many requests ended in that time, those that the ground cannot carry left out. `None` here and below: not
    /// seen, because the client tells nothing, and only what arrives is known.
    pub requests: Option<u64>,
    /// Those that got no answer, or a 5xx one.
    pub failed: Option<u64>,
    /// Those that were answered below 500, but later than the client's limit.
    pub slow: Option<u64>,
    /// How many arrived at any cell in that time, the first at the new one included; an attempt that is made again arrives
    /// again.
    pub arrived: u64,
    /// Those that arrived and were answered 5xx.
    pub refused: u64,
    /// Arrivals at the cell that was to be left, surely after the authoritative answer had changed.
    pub stale: u64,
    /// The same, with those that came while the answer may have been changing.
    pub stale_at_most: u64,
    /// Requests for which the ground has no connection.
    pub not_connectable: u64,
}

/// The plan that a journal holds.
///
/// # Errors
/// When it holds none.
pub fn planned(events: &[Stamped]) -> Result<&Plan, NoPlan> {
    let plan = events.iter().find_map(|stamped| match &stamped.event {
        Event::Planned { plan } => Some(&**plan),
        _ => None,
    });
    plan.ok_or(NoPlan)
}

/// Measures both legs.
///
/// # Errors
/// When the journal holds no plan.
pub fn measure(events: &[Stamped]) -> Result<Measured, NoPlan> {
    let plan = planned(events)?;
    let lateness = Lateness::of(events, plan.speed);
    let leg = |leg| leg::measure(&subject::Subject::of(events, plan, leg, lateness.as_ref()));
    Ok(Measured {
        failover: leg(Leg::Failover),
        failback: leg(Leg::Failback),
        lateness,
        clock: clock::offset(events),
        seen: seen::read(events, plan),
    })
}

#[cfg(test)]
mod tests;
