//! What a run of one resolver says of it and of its clients, read from its journal alone: figures beside predictions, and
//! whether they are as the rule has it.

use std::time::Duration;

use serde::Serialize;

use crate::clock::optional_seconds;
use crate::journal::event::Stamped;
use crate::plan::{Bounds, ClientPlan, Plan};
use crate::timeline::measure::{Fit, LegMeasured, Measurement, NoPlan, Span, measure, planned};

use super::entrants::{Client, Resolver};

/// How long something was predicted to take, and took. Lab time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Figure {
    /// At best, and at worst; a worst that is null: never.
    pub predicted: Bounds,
    /// At least, and at most; null: not seen.
    pub measured: Option<Span>,
    /// Half of what lies between these two, seconds: what stands after `±`.
    #[serde(with = "optional_seconds")]
    pub uncertainty: Option<Duration>,
}

/// What was seen, held against what was predicted, which is what the rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// It is inside what is predicted; or it never moved, and was to never.
    Agrees,
    /// It is not: sooner, later, not at all, or although it was never to.
    Disagrees,
    /// The run did not come so far that it could be told.
    NotTold,
}

/// What one run says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Told {
    /// From the fault to the health status.
    pub detection: Figure,
    /// From the authoritative answer to the resolver's (t3 - t2).
    pub resolver: Figure,
    /// Of the resolver.
    pub standing: Standing,
    /// In the order of the matrix.
    pub clients: Vec<ClientTold>,
}

/// What a run says of one client. Of a program nothing is known but what arrives at the cells.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClientTold {
    /// Its name.
    pub client: &'static str,
    /// The number of the rule that says what it does.
    pub rule: &'static str,
    /// From its resolver's answer to its first request at the new place (t4 - t3).
    pub own: Figure,
    /// From the fault to that request (t4 - t0).
    pub total: Figure,
    /// It was still at the old place at the end: for so many seconds it was watched since the fault; null: it moved, or
    /// the run was cut off, or it had fallen silent before.
    #[serde(with = "optional_seconds")]
    pub never_in: Option<Duration>,
    /// Whether it moved at all.
    pub moved: bool,
    /// Beside the prediction and the rule.
    pub standing: Standing,
    /// Its requests that arrived at any cell from the fault on, until it moved (the first at the new place included) or until
    /// the end.
    pub arrived: u64,
    /// Those of them that were answered with a 5xx status.
    pub refused: u64,
    /// Those of them that arrived at the old place when the authoritative answer was surely a new one.
    pub stale: u64,
}

impl Told {
    /// Reads a journal.
    ///
    /// # Errors
    /// When it holds no plan.
    pub fn of(events: &[Stamped], resolver: &Resolver, clients: &[&'static Client]) -> Result<Self, NoPlan> {
        let (plan, leg) = (planned(events)?, measure(events)?.failover);
        let row = find(&leg.resolvers, resolver.name);
        let standing = match row {
            Some(row) if row.moment.is_none() => unmoved(&leg),
            Some(row) if row.span.is_some() => fits(row.fit),
            _ => Standing::NotTold,
        };
        Ok(Self {
            detection: Figure::of(Some(&leg.detection)),
            resolver: Figure::of(row),
            standing,
            clients: clients.iter().map(|client| ClientTold::of(&leg, plan, client)).collect(),
        })
    }

    /// Whether any client moved.
    #[must_use]
    pub fn anybody_moved(&self) -> bool {
        self.clients.iter().any(|client| client.moved)
    }

    /// The standing of the resolver and of each client, by name.
    pub fn standings(&self, resolver: &Resolver) -> impl Iterator<Item = (&'static str, Standing)> {
        let clients = self.clients.iter().map(|client| (client.client, client.standing));
        [(resolver.name, self.standing)].into_iter().chain(clients)
    }
}

impl ClientTold {
    fn of(leg: &LegMeasured, plan: &Plan, client: &Client) -> Self {
        let (own, total) = (find(&leg.clients, client.name), find(&leg.totals, client.name));
        let moment = total.and_then(|row| row.moment);
        // One that hangs is not at the old place: it is nowhere.
        let seen_there = total.and_then(|row| row.still_old);
        let silent_after = plan.clients.get(client.name).map(ClientPlan::silent_after);
        let was_there =
            seen_there.zip(silent_after).is_some_and(|(seen, silent_after)| leg.window.end.since(seen) <= silent_after);
        let watched = leg.window.start.filter(|_| was_there && leg.window.complete);
        let standing = match total {
            None => Standing::NotTold,
            // Who never moves was there to the end.
            Some(row) if row.predicted.worst.is_none() => match (moment, watched) {
                (Some(_), _) => Standing::Disagrees,
                (None, Some(_)) => Standing::Agrees,
                (None, None) => Standing::NotTold,
            },
            Some(_) if moment.is_none() => unmoved(leg),
            Some(row) => worse(fits(row.fit), own.map_or(Standing::NotTold, |own| fits(own.fit))),
        };
        let lost = leg.losses.get(client.name).copied().unwrap_or_default();
        Self {
            client: client.name,
            rule: client.rule.number,
            own: Figure::of(own),
            total: Figure::of(total),
            never_in: watched.map(|start| leg.window.end.since(start.until)),
            moved: moment.is_some(),
            standing,
            arrived: lost.arrived,
            refused: lost.refused,
            stale: lost.stale,
        }
    }
}

impl Figure {
    fn of(row: Option<&Measurement>) -> Self {
        let measured = row.and_then(|row| row.span);
        let predicted = row.map(|row| row.predicted).unwrap_or_default();
        Self { predicted, measured, uncertainty: measured.map(|span| span.uncertainty()) }
    }
}

fn find<'m>(rows: &'m [Measurement], name: &str) -> Option<&'m Measurement> {
    rows.iter().find(|row| row.of == name)
}

const fn fits(fit: Fit) -> Standing {
    match fit {
        Fit::Inside => Standing::Agrees,
        Fit::Outside => Standing::Disagrees,
        Fit::NotSeen | Fit::NotApplicable => Standing::NotTold,
    }
}

/// Of what was to come and did not, in a run that lasts longer than that may take.
fn unmoved(leg: &LegMeasured) -> Standing {
    if leg.window.complete && leg.window.start.is_some() { Standing::Disagrees } else { Standing::NotTold }
}

/// What disagrees goes before what is not told.
fn worse(one: Standing, other: Standing) -> Standing {
    match (one, other) {
        (Standing::Disagrees, _) | (_, Standing::Disagrees) => Standing::Disagrees,
        (Standing::Agrees, Standing::Agrees) => Standing::Agrees,
        _ => Standing::NotTold,
    }
}
