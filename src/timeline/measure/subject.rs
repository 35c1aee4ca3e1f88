//! What a leg is measured from and against, and what its boundaries have in common.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::journal::event::{Event, RequestOutcome, Stamped};
use crate::plan::expectation::Leg;
use crate::plan::{Bounds, Family, LegPrediction, Plan};

use super::boundary::Boundary;
use super::{Fit, Interval, Lateness, Measurement, Span, Window};

/// What is measured, and what it is measured against.
pub(super) struct Subject<'a> {
    pub(super) events: &'a [Stamped],
    pub(super) plan: &'a Plan,
    pub(super) leg: Leg,
    pub(super) predicted: &'a LegPrediction,
    pub(super) window: Window,
    /// The latest that an observer asked; lab time.
    late: Duration,
    families: Option<Vec<Family>>,
}

impl<'a> Subject<'a> {
    pub(super) fn of(events: &'a [Stamped], plan: &'a Plan, leg: Leg, lateness: Option<&Lateness>) -> Self {
        let families = events.iter().find_map(|stamped| match &stamped.event {
            Event::LabReady { families, .. } => Some(families.clone()),
            _ => None,
        });
        Self {
            events,
            plan,
            leg,
            predicted: match leg {
                Leg::Failover => &plan.prediction.failover,
                Leg::Failback => &plan.prediction.failback,
            },
            window: Window::of(events, plan, leg),
            late: lateness.map_or(Duration::ZERO, |lateness| lateness.max),
            families,
        }
    }

    /// Whether the ground connects this client to anything.
    pub(super) fn carries(&self, client: &str) -> bool {
        let family = self.plan.clients.get(client).map(|client| client.family);
        let missing = self.families.as_ref().zip(family).is_some_and(|(all, family)| !all.contains(&family));
        !missing && !self.events.iter().any(|stamped| {
            matches!(&stamped.event, Event::RequestEnded { client: who, outcome: RequestOutcome::NotConnectable, .. }
                    if who == client)
        })
    }

    /// A boundary, as a duration from the one before it and beside its prediction.
    pub(super) fn measurement(
        &self,
        of: &str,
        predicted: Bounds,
        from: Option<Interval>,
        boundary: Boundary,
    ) -> Measurement {
        let span = from.zip(boundary.moment).map(|(from, to)| Span::between(from, to, self.late));
        let fit = match (span, predicted.worst) {
            (None, None) if boundary.moment.is_none() => Fit::Inside,
            (None, _) => Fit::NotSeen,
            (Some(span), worst) if span.most < predicted.best || worst.is_some_and(|worst| span.least > worst) => {
                Fit::Outside
            }
            (Some(_), _) => Fit::Inside,
        };
        let still_old = if boundary.moment.is_none() { boundary.last_old } else { None };
        Measurement { of: of.to_owned(), predicted, from, moment: boundary.moment, still_old, span, fit }
    }
}

/// The last of several boundaries, all of which are crossed.
pub(super) fn last<'m>(all: impl IntoIterator<Item = &'m Measurement>) -> Option<Interval> {
    all.into_iter().map(|each| each.moment).reduce(|a, b| a.zip(b).map(|(a, b)| a.latest(b))).flatten()
}

/// The cells that the drill's faults break.
pub(super) fn broken_cells(plan: &Plan) -> BTreeSet<&str> {
    plan.faults.iter().filter_map(crate::plan::Fault::cell).collect()
}
