//! An inference engine that is probed in the background, behind an endpoint that tells the cached verdict.

use std::time::Duration;

use crate::clock::LabTime;
use crate::health::{CachedVerdict, ProbeResult, ProberSettings};
use crate::subject::Machines;

/// What an inference engine does when it is probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// It answers at once.
    Answers,
    /// It refuses connections.
    Refuses,
    /// It takes connections and never answers.
    Wedged,
}

/// An engine, its prober, and the verdict that is told of it.
#[derive(Debug)]
pub struct ProbedEngine {
    verdict: CachedVerdict,
    budget: Duration,
    engine: Engine,
    prober_lives: bool,
    in_flight: Option<(LabTime, ProbeResult)>,
    /// When the verdict turns by itself, unless a probe ends before.
    expiry: Option<LabTime>,
}

impl ProbedEngine {
    /// A sound engine whose prober starts now, with the settings of the article "DNS Failover for LLM Serving".
    #[must_use]
    pub fn new(machines: Machines, now: LabTime) -> Self {
        let settings = ProberSettings::default();
        let budget = settings.budget;
        let verdict = machines.cached_verdict(settings, now);
        Self { verdict, budget, engine: Engine::Answers, prober_lives: true, in_flight: None, expiry: None }
    }

    /// The engine does this from now on.
    pub const fn set_engine(&mut self, engine: Engine) {
        self.engine = engine;
    }

    /// The prober dies, in the midst of a probe if there is one.
    pub fn lose_prober(&mut self) {
        self.prober_lives = false;
        self.in_flight = None;
    }

    /// Somebody drains the engine by hand, or takes that back.
    pub const fn set_drain(&mut self, drained: bool) {
        self.verdict.set_drain(drained);
    }

    /// Whether the verdict is healthy.
    #[must_use]
    pub fn is_healthy(&self, now: LabTime) -> bool {
        self.verdict.verdict(now).healthy
    }

    /// What the endpoint answers.
    pub(super) fn status(&self, now: LabTime) -> u16 {
        if self.is_healthy(now) { 200 } else { 503 }
    }

    pub(super) fn next_wakeup(&self) -> Option<LabTime> {
        let end = self.in_flight.as_ref().map(|(end, _)| *end);
        let next = if self.prober_lives { self.verdict.next_wakeup() } else { None };
        end.into_iter().chain(next).chain(self.expiry).min()
    }

    pub(super) fn turn(&mut self, now: LabTime) {
        if let Some((_, result)) = self.in_flight.take_if(|(end, _)| *end <= now) {
            self.verdict.finish(now, &result);
            self.expiry = self.verdict.next_turn();
        }
        self.expiry = self.expiry.filter(|expiry| *expiry > now);
        if self.prober_lives && self.verdict.due(now) {
            self.verdict.start(now);
            let (took, content) = match self.engine {
                Engine::Answers => (Duration::ZERO, Ok("ready".to_owned())),
                Engine::Refuses => (Duration::ZERO, Err("connection refused".to_owned())),
                Engine::Wedged => (self.budget, Err("no answer".to_owned())),
            };
            self.in_flight = Some((now + took, ProbeResult { took, content }));
        }
    }
}
