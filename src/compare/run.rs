//! One run, as far as it is compared: its plan, what was measured, what was judged, and where clients were served.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use crate::clock::LabTime;
use crate::journal::event::{Event, Phase, Stamped};
use crate::plan::expectation::Leg;
use crate::plan::{Family, Plan};
use crate::timeline::measure::{Measured, NoPlan, measure, planned};
use crate::verdict::{Outcome, Verdict, judge, served};

use super::requests::{self, Request};
use super::ttls::{self, Ttls};

/// One run.
#[derive(Clone, Debug)]
pub struct Run {
    pub(super) plan: Plan,
    pub(super) measured: Measured,
    pub(super) verdict: Verdict,
    /// When the steady state was seen.
    pub(super) steady: LabTime,
    /// The cell that served each request of each client, and when it arrived there.
    pub(super) served: BTreeMap<String, Vec<(LabTime, String)>>,
    /// Every request of each client.
    pub(super) requests: BTreeMap<String, Vec<Request>>,
    /// What the authoritative server let be kept, and for how long.
    pub(super) ttls: Ttls,
    /// When the first fault was asked for.
    pub(super) fault_requested: Option<LabTime>,
    /// The lab and its ground; families that answers are connected to. `None`: it never became ready.
    ready: Option<(String, String, Vec<Family>)>,
}

/// A run, told.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunSummary {
    /// What came of it.
    pub outcome: Outcome,
    /// `embedded` or `virtual`; null when the lab never became ready.
    pub lab: Option<String>,
    /// What the lab stood on.
    pub ground: Option<String>,
    /// What every random choice came from.
    pub seed: u64,
    /// Lab seconds per wall second.
    pub speed: f64,
}

impl Run {
    /// Measures and judges a run from its journal's events.
    ///
    /// # Errors
    /// When they hold no plan.
    pub fn of(events: &[Stamped]) -> Result<Self, NoPlan> {
        let plan = planned(events)?.clone();
        let steady = events.iter().find_map(|stamped| match stamped.event {
            Event::PhaseEntered { phase: Phase::Steady, .. } => Some(stamped.at),
            _ => None,
        });
        let ready = events.iter().find_map(|stamped| match &stamped.event {
            Event::LabReady { lab, ground, families, .. } => Some((lab.clone(), ground.clone(), families.clone())),
            _ => None,
        });
        let fault = events.iter().find(|stamped| matches!(stamped.event, Event::FaultRequested { .. }));
        let clients = || plan.clients.keys();
        let served = clients().map(|client| (client.clone(), served(events, client))).collect();
        let requests = clients().map(|client| (client.clone(), requests::of(events, client))).collect();
        Ok(Self {
            measured: measure(events)?,
            verdict: judge(events)?,
            steady: steady.unwrap_or_default(),
            served,
            requests,
            ttls: ttls::of(events, &plan),
            fault_requested: fault.map(|stamped| stamped.at),
            ready,
            plan,
        })
    }

    /// The drill's name.
    #[must_use]
    pub fn drill(&self) -> &str {
        &self.plan.drill
    }

    pub(super) fn summary(&self) -> RunSummary {
        let ready = self.ready.as_ref();
        RunSummary {
            outcome: self.verdict.outcome,
            lab: ready.map(|(lab, ..)| lab.clone()),
            ground: ready.map(|(_, ground, _)| ground.clone()),
            seed: self.plan.seed,
            speed: self.plan.speed.factor(),
        }
    }

    /// Whether this leg is predicted not to come to rest.
    pub(super) fn is_unsettled(&self, leg: Leg) -> bool {
        let prediction = &self.plan.prediction;
        match leg {
            Leg::Failover => prediction.failover.unsettled.is_some(),
            Leg::Failback => prediction.failback.unsettled.is_some(),
        }
    }

    /// The questions whose answer is predicted to change in a leg, told apart by their names: those that were measured, in
    /// the same order.
    pub(super) fn changing_questions(&self, leg: Leg) -> Vec<String> {
        let prediction = &self.plan.prediction;
        let answers = match leg {
            Leg::Failover => &prediction.failover.answers,
            Leg::Failback => &prediction.failback.answers,
        };
        let questions = self.plan.observe.questions.iter().zip(answers).filter(|(_, planned)| planned.changes());
        questions.map(|(question, _)| self.asked(&question.name, question.family, &question.place)).collect()
    }

    /// What is asked as from where, for people.
    pub(super) fn asked(&self, name: &str, family: Family, place: &str) -> String {
        let family = if family == Family::Aaaa { " (AAAA)" } else { "" };
        let name = if name == self.plan.name { String::new() } else { format!(", {name}") };
        format!("{place}{family}{name}")
    }

    /// How late an observer may have asked; lab time.
    pub(super) fn late(&self) -> Duration {
        self.measured.lateness.map_or(Duration::ZERO, |lateness| lateness.max)
    }

    /// Whether the ground connects this client to anything in this time.
    pub(super) fn carries(&self, client: &str, from: LabTime, until: LabTime) -> bool {
        let family = self.plan.clients.get(client).map(|client| client.family);
        let missing =
            self.ready.as_ref().zip(family).is_some_and(|((.., families), family)| !families.contains(&family));
        let requests = self.requests.get(client).map(Vec::as_slice).unwrap_or_default();
        !missing && !requests::none_connectable(requests, from, until)
    }
}
