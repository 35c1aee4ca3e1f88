//! What happens during a run, a line for each stage, and what is awaited until when at worst.
//!
//! A reader of the event stream like any other: it asks no clock and draws nothing. What it says is a first
//! impression; the timeline measures.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::clock::LabTime;
use crate::health::AlarmState;
use crate::journal::event::{Event, Phase, SeenAnswer, Server, Signal, Stamped};
use crate::plan::expectation::Leg;
use crate::plan::{Bounds, LegPrediction, Move};
use crate::plan::{Family, Fault, Plan};
use crate::timeline::measure::{is_evidence, labels};
use crate::verdict::wording::{after, bounds, secs};

/// One line of progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// When.
    pub at: LabTime,
    /// What happened.
    pub text: String,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>8.1} s  {}", self.at.as_secs_f64(), self.text)
    }
}

/// How far a run has come.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    plan: Option<Box<Plan>>,
    phase: Option<(Phase, Option<LabTime>)>,
    held: BTreeSet<Fault>,
    healed: BTreeSet<Fault>,
    running: Option<Running>,
    /// What the alarm behind each health check was last evaluated to.
    alarms: BTreeMap<String, AlarmState>,
    /// What had not come when the failover ended: it cannot come back.
    stuck: Option<Running>,
}

/// The leg that is running: what has not come yet.
#[derive(Clone, Debug)]
struct Running {
    leg: Leg,
    start: LabTime,
    detected: bool,
    questions: BTreeSet<usize>,
    resolvers: BTreeSet<String>,
    clients: BTreeSet<String>,
}

impl Progress {
    /// Before the first event.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next event; what there is to tell of it.
    pub fn on(&mut self, stamped: &Stamped) -> Vec<Line> {
        let texts = self.told(stamped);
        texts.into_iter().map(|text| Line { at: stamped.at, text }).collect()
    }

    fn told(&mut self, Stamped { at, event }: &Stamped) -> Vec<String> {
        match event {
            Event::Planned { plan } => {
                self.plan = Some(plan.clone());
                vec![format!("{}: {} (seed {}, speed {})", plan.drill, plan.title, plan.seed, plan.speed)]
            }
            Event::LabReady { ground, hosts, took, .. } => {
                vec![format!(
                    "the lab is ready: {hosts} hosts on the {ground} ground, after {} of wall time",
                    secs(*took)
                )]
            }
            Event::LabRemoved { containers, networks, took } => vec![format!(
                "the lab is removed: {containers} containers and {networks} networks, in {} of wall time",
                secs(*took)
            )],
            Event::WallClockSet { step } => vec![format!("the wall clock was {step}: real resolvers count by it")],
            Event::PhaseEntered { phase, until } => {
                self.phase = Some((*phase, *until));
                self.entered(*phase, *at)
            }
            Event::FaultHeld { fault } => {
                self.held.insert(fault.clone());
                if self.every_fault_is_in(&self.held) {
                    self.start(Leg::Failover, *at);
                }
                vec![format!("the fault holds: {}", fault.subject())]
            }
            Event::Healed { fault } => {
                self.healed.insert(fault.clone());
                if self.every_fault_is_in(&self.healed) {
                    self.start(Leg::Failback, *at);
                }
                vec![format!("the fault is gone: {}", fault.subject())]
            }
            Event::HealthChanged { signal, healthy, .. } => self.turned(*at, signal, *healthy).into_iter().collect(),
            Event::AlarmEvaluated { copied_by, state } => {
                let before = self.alarms.insert(copied_by.clone(), *state).unwrap_or_default();
                (*state != before).then(|| format!("the alarm of {copied_by} is {state}")).into_iter().collect()
            }
            Event::Observed { server, name, family, place, answer, .. } => {
                let question = self.plan.as_ref().and_then(|plan| {
                    let mut all = plan.observe.questions.iter();
                    all.position(|watched| {
                        watched.name == *name && watched.family == *family && watched.place == *place
                    })
                });
                match server {
                    Server::Authoritative => {
                        question.and_then(|index| self.answered(*at, index, place, *family, answer))
                    }
                    Server::Resolver(resolver) => self.resolved(*at, resolver, answer),
                }
                .into_iter()
                .collect()
            }
            Event::ControlTurned { control, on, refused } => {
                let to = if *on { "on" } else { "off" };
                vec![refused.as_ref().map_or_else(
                    || format!("routing control {control} is turned {to}"),
                    |why| format!("routing control {control} is not turned {to}: {why}"),
                )]
            }
            Event::RequestArrived { client, cell, zone, .. } => {
                self.moved(*at, client, zone.as_ref().unwrap_or(cell)).into_iter().collect()
            }
            Event::FaultDidNotHold { fault, detail } => {
                vec![format!("the fault did not hold: {}: {detail}", fault.subject())]
            }
            Event::FaultRefused { fault, detail } => {
                vec![format!("the fault cannot be brought about: {}: {detail}", fault.subject())]
            }
            Event::UndoFailed { detail } | Event::NotUndone { detail } => vec![format!("the undo failed: {detail}")],
            Event::Interrupted { signal } => vec![format!("stopped by {signal}: healing, then ending")],
            Event::LabBroke { reason } => vec![format!("the lab broke: {reason}")],
            Event::NeverSteady { detail } => vec![detail.clone()],
            _ => Vec::new(),
        }
    }

    /// What is awaited, and until when at worst.
    #[must_use]
    pub fn awaiting(&self, now: LabTime) -> String {
        let (what, until) = self.next();
        match until {
            Some(until) if until >= now => {
                format!("waiting for {what}, until {} at worst", secs(until.since_start()))
            }
            Some(until) => format!("waiting for {what}, overdue since {}", secs(until.since_start())),
            None => format!("waiting for {what}"),
        }
    }

    fn next(&self) -> (String, Option<LabTime>) {
        if let Some((plan, running)) = self.plan.as_ref().zip(self.running.as_ref()) {
            let predicted = prediction(plan, running.leg);
            let from = |bounds: Bounds| bounds.worst.map(|worst| running.start + worst);
            let answers = predicted.detection.then(predicted.authoritative);
            let resolvers = worst(running.resolvers.iter().filter_map(|name| predicted.resolvers.get(name)));
            if !running.detected {
                return ("the health status to turn".to_owned(), from(predicted.detection));
            }
            if !running.questions.is_empty() {
                return (format!("the authoritative answer ({} to change)", running.questions.len()), from(answers));
            }
            if !running.resolvers.is_empty() {
                return (format!("the resolvers: {}", joined(&running.resolvers)), from(answers.then(resolvers)));
            }
            // Who is predicted never to move is not waited for.
            let bounded = |name: &&String| predicted.totals.get(*name).is_some_and(|total| total.worst.is_some());
            let awaited: BTreeSet<String> = running.clients.iter().filter(bounded).cloned().collect();
            if !awaited.is_empty() {
                let totals = awaited.iter().filter_map(|name| predicted.totals.get(name));
                return (format!("the clients: {}", joined(&awaited)), from(worst(totals)));
            }
        }
        match self.phase {
            None => ("the lab".to_owned(), None),
            Some((phase, until)) => {
                let what = match phase {
                    Phase::Settling => "the steady state",
                    Phase::Steady => "the moment of the fault",
                    Phase::Breaking => "the fault to hold",
                    Phase::Holding => "the end of the hold",
                    Phase::Healing => "the fault to be gone",
                    Phase::Recovering => "the steady state again",
                };
                (what.to_owned(), until)
            }
        }
    }

    fn entered(&mut self, phase: Phase, at: LabTime) -> Vec<String> {
        let control = self.plan.as_ref().is_some_and(|plan| plan.control);
        let text = match phase {
            Phase::Steady => "the steady state is seen",
            Phase::Breaking => "breaking",
            Phase::Healing => {
                self.stuck = self.running.take();
                "healing"
            }
            Phase::Holding if control => {
                self.start(Leg::Failover, at);
                "control: the fault would hold from now on"
            }
            Phase::Recovering if control => {
                self.start(Leg::Failback, at);
                "control: the fault would be gone from now on"
            }
            Phase::Settling | Phase::Holding | Phase::Recovering => return Vec::new(),
        };
        vec![text.to_owned()]
    }

    fn every_fault_is_in(&self, seen: &BTreeSet<Fault>) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.faults.iter().all(|fault| seen.contains(fault)))
    }

    fn start(&mut self, leg: Leg, start: LabTime) {
        let Some(plan) = &self.plan else { return };
        let predicted = prediction(plan, leg);
        let changing = predicted.answers.iter().enumerate().filter(|(_, change)| tells(change));
        let moving = |name: &&String| predicted.moves.get(*name).is_some_and(tells);
        let mut running = Running {
            leg,
            start,
            detected: predicted.detection.worst.is_none(),
            questions: changing.map(|(index, _)| index).collect(),
            resolvers: predicted.resolvers.keys().cloned().collect(),
            clients: predicted.totals.keys().filter(moving).cloned().collect(),
        };
        if let Some(stuck) = self.stuck.take().filter(|_| leg == Leg::Failback) {
            running.detected |= !stuck.detected;
            running.questions.retain(|question| !stuck.questions.contains(question));
            running.resolvers.retain(|resolver| !stuck.resolvers.contains(resolver));
            running.clients.retain(|client| !stuck.clients.contains(client));
        }
        self.running = Some(running);
    }

    fn turned(&mut self, at: LabTime, signal: &Signal, healthy: bool) -> Option<String> {
        let plan = self.plan.as_ref()?;
        let evidence = is_evidence(plan, signal);
        // A verdict, or the child of a calculated check, is a step on the way; targets and nodes are too many.
        if !evidence && !matches!(signal, Signal::Verdict { .. } | Signal::HealthCheck { .. }) {
            return None;
        }
        let status = if healthy { "healthy" } else { "unhealthy" };
        let text = format!("{signal} is {status}");
        let Some(running) = self.running.as_mut() else { return Some(text) };
        running.detected |= evidence;
        let leg = prediction(plan, running.leg);
        let own = leg.signals.iter().find(|predicted| predicted.signal == *signal && predicted.healthy == healthy);
        match own.map(|predicted| predicted.bounds) {
            Some(bounds) => Some(text + &since(running, at, &bounds)),
            None if evidence && leg.signals.is_empty() => Some(text + &since(running, at, &leg.detection)),
            // That it would turn so was not predicted.
            None => Some(format!("{text}, {} {}", secs(at.since(running.start)), after(running.leg))),
        }
    }

    fn answered(
        &mut self,
        at: LabTime,
        index: usize,
        place: &str,
        family: Family,
        answer: &SeenAnswer,
    ) -> Option<String> {
        let (plan, running) = self.plan.as_ref().zip(self.running.as_mut())?;
        let predicted = prediction(plan, running.leg);
        let shown = labels(plan, answer);
        let change = predicted.answers.get(index)?;
        if !shown.iter().any(|cell| arrives(change, cell)) || !running.questions.remove(&index) {
            return None;
        }
        let bounds = predicted.detection.then(predicted.authoritative);
        let family = if family == Family::Aaaa { " (AAAA)" } else { "" };
        Some(format!("{place}{family} is answered {}{}", shown.join(" + "), since(running, at, &bounds)))
    }

    fn resolved(&mut self, at: LabTime, resolver: &str, answer: &SeenAnswer) -> Option<String> {
        let (plan, running) = self.plan.as_ref().zip(self.running.as_mut())?;
        let predicted = prediction(plan, running.leg);
        let shown = labels(plan, answer);
        let empty = *answer == SeenAnswer::NoData && running.questions.is_empty();
        let mut moves = plan.clients.iter().filter(|(_, client)| client.resolver == resolver);
        let new = moves.any(|(name, _)| {
            predicted.moves.get(name).is_some_and(|change| shown.iter().any(|cell| arrives(change, cell)))
        });
        if !(new || empty) || !running.resolvers.remove(resolver) {
            return None;
        }
        let own = predicted.resolvers.get(resolver).copied().unwrap_or_default();
        let bounds = predicted.detection.then(predicted.authoritative).then(own);
        Some(format!("resolver {resolver} has let go of the old answer{}", since(running, at, &bounds)))
    }

    fn moved(&mut self, at: LabTime, client: &str, cell: &str) -> Option<String> {
        let (plan, running) = self.plan.as_ref().zip(self.running.as_mut())?;
        let predicted = prediction(plan, running.leg);
        if !arrives(predicted.moves.get(client)?, cell) || !running.clients.remove(client) {
            return None;
        }
        let bounds = predicted.totals.get(client).copied().unwrap_or_default();
        Some(format!("client {client} arrives at {cell}{}", since(running, at, &bounds)))
    }
}

const fn prediction(plan: &Plan, leg: Leg) -> &LegPrediction {
    match leg {
        Leg::Failover => &plan.prediction.failover,
        Leg::Failback => &plan.prediction.failback,
    }
}

/// Whether one answer can tell that a move has come.
fn tells(change: &Move) -> bool {
    change.to.iter().any(|cell| arrives(change, cell))
}

fn arrives(change: &Move, cell: &str) -> bool {
    let holds = |cells: &[String]| cells.iter().any(|each| each == cell);
    holds(&change.to) && !holds(&change.from)
}

fn worst<'a>(all: impl Iterator<Item = &'a Bounds>) -> Bounds {
    all.copied()
        .reduce(|a, b| Bounds { best: a.best.max(b.best), worst: a.worst.zip(b.worst).map(|(a, b)| a.max(b)) })
        .unwrap_or_default()
}

fn since(running: &Running, at: LabTime, predicted: &Bounds) -> String {
    format!(", {} {} (predicted {})", secs(at.since(running.start)), after(running.leg), bounds(predicted))
}

fn joined(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::synthetic::{self, Script, at};

    fn lines(script: &Script) -> String {
        let mut progress = Progress::new();
        let events = script.events();
        let lines = events.iter().flat_map(|stamped| progress.on(stamped));
        lines.map(|line| line.to_string()).collect::<Vec<_>>().join("\n")
    }

    fn awaiting(seconds: f64) -> String {
        let mut progress = Progress::new();
        for stamped in synthetic::passing().events().iter().filter(|stamped| stamped.at <= at(seconds)) {
            progress.on(stamped);
        }
        progress.awaiting(at(seconds))
    }

    #[test]
    fn a_run_is_told_a_line_for_each_stage() {
        insta::assert_snapshot!(lines(&synthetic::passing()));
    }

    #[test]
    fn a_control_is_told_as_one() {
        insta::assert_snapshot!(lines(&synthetic::control()));
    }

    #[test]
    fn an_alarm_is_told_when_its_own_state_turns() {
        let evaluated = |state| Event::AlarmEvaluated { copied_by: "queue-age".into(), state };
        let script = [(50.0, AlarmState::Ok), (110.0, AlarmState::Ok), (170.0, AlarmState::InsufficientData)]
            .into_iter()
            .fold(synthetic::passing(), |script, (at, state)| script.add(at, evaluated(state)));
        let told = lines(&script);
        let told: Vec<&str> = told.lines().filter(|line| line.contains("alarm")).collect();
        assert_eq!(
            told,
            ["    50.0 s  the alarm of queue-age is OK", "   170.0 s  the alarm of queue-age is INSUFFICIENT_DATA"]
        );
    }

    #[test]
    fn how_long_the_removal_of_a_lab_took_is_told() {
        let removed = Event::LabRemoved { containers: 28, networks: 6, took: synthetic::secs(2.1) };
        let told = lines(&synthetic::passing().until(62.0).add(421.0, removed));
        assert_eq!(
            told.lines().last(),
            Some("   421.0 s  the lab is removed: 28 containers and 6 networks, in 2.1 s of wall time")
        );
    }

    #[test]
    fn what_is_awaited_has_a_latest_moment_from_the_plan() {
        let all =
            [0.5, 10.0, 50.0, 60.5, 70.0, 90.2, 100.0, 121.5, 200.0, 300.5, 310.0, 400.0].map(awaiting).join("\n");
        insta::assert_snapshot!(all);
    }
}
