//! The state machine that leads a drill.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::LabTime;
use crate::journal::event::{Event, Phase, Stamped};
use crate::plan::{Fault, Plan};

use super::steady::{Steady, Target};

/// How long an interrupted run may still look for its undo where nodes are tasks, wall time.
const LAST_LOOK: Duration = Duration::from_millis(1200);

/// A deadline that is met so much too late was not missed by the lab: muster was not running. Wall time.
const STALL: Duration = Duration::from_millis(500);

/// What a lab must do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Command {
    /// Everything that serves is healthy: let the clients ask. Earlier they would only learn, and keep, how a lab
    /// looks while it comes up.
    StartClients,
    /// Break it.
    Inject(Fault),
    /// Undo it.
    Heal(Fault),
}

/// What the conductor wants done, in this order.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Write this down, durably, before anything that follows.
    Record(Event),
    /// Have the lab do this.
    Command(Command),
}

/// Leads one run.
#[derive(Debug)]
pub struct Conductor {
    plan: Plan,
    stage: Stage,
    steady: Steady,
    clients_started: bool,
    only_watching: bool,
    interrupted: bool,
    /// Why parts of the fault could not be broken, as the lab told it.
    refusals: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Starting { until: LabTime },
    Settling { until: LabTime },
    Steady { fault_at: LabTime },
    Breaking { until: LabTime },
    Holding { until: LabTime },
    Healing { until: LabTime, then: Then },
    Recovering { not_before: LabTime, until: LabTime },
    Ended,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    Recover,
    End,
}

impl Conductor {
    /// A conductor for this plan; nothing has happened yet.
    #[must_use]
    pub fn new(plan: Plan) -> Self {
        let until = LabTime::at(plan.schedule.settle_within);
        Self {
            steady: Steady::of(&plan),
            plan,
            stage: Stage::Starting { until },
            clients_started: false,
            only_watching: false,
            interrupted: false,
            refusals: Vec::new(),
        }
    }

    /// Whether the run is over.
    #[must_use]
    pub fn ended(&self) -> bool {
        self.stage == Stage::Ended
    }

    /// When [`Conductor::on_time`] wants to be called at the latest.
    #[must_use]
    pub const fn next_wakeup(&self) -> Option<LabTime> {
        match self.stage {
            Stage::Starting { until } => Some(until),
            Stage::Ended => None,
            Stage::Steady { fault_at: at }
            | Stage::Settling { until: at }
            | Stage::Breaking { until: at }
            | Stage::Holding { until: at }
            | Stage::Healing { until: at, .. } => Some(at),
            // Steady already, and only to be watched a little longer: then the end of that is what is waited for.
            Stage::Recovering { not_before, until } => Some(if self.only_watching { not_before } else { until }),
        }
    }

    /// Takes in what the lab saw.
    pub fn on_event(&mut self, stamped: &Stamped) -> Vec<Output> {
        if self.ended() {
            return Vec::new();
        }
        self.steady.see(&self.plan, stamped);
        let now = stamped.at;
        match &stamped.event {
            Event::LabReady { .. } if matches!(self.stage, Stage::Starting { .. }) => {
                let until = LabTime::START + self.plan.schedule.settle_within;
                return self.enter(Stage::Settling { until });
            }
            Event::LabBroke { .. } => return self.give_up(now),
            Event::FaultRefused { detail, .. } => self.refusals.push(detail.clone()),
            _ => {}
        }
        self.advance(now)
    }

    /// The time that [`Conductor::next_wakeup`] named has come.
    pub fn on_time(&mut self, now: LabTime) -> Vec<Output> {
        if let Some(due) = self.next_wakeup()
            && now.since(due) > self.plan.speed.to_lab(STALL)
        {
            // muster itself stood still, and so did everybody who could have seen something in that time.
            return self.postpone(now.since(due));
        }
        match self.stage {
            Stage::Starting { until } if now >= until => self.never_steady("the lab was not ready in time".to_owned()),
            Stage::Settling { until } if now >= until => {
                let missing = self.steady.missing(&self.plan, Target::BeforeFault);
                self.never_steady(format!("the steady state was not seen in time: {}", list(&missing)))
            }
            Stage::Steady { fault_at } if now >= fault_at => self.break_it(now),
            Stage::Breaking { until } if now >= until => self.fault_did_not_hold(now),
            Stage::Holding { until } if now >= until => self.heal(now, Then::Recover),
            // Too short a time for a look is no sign that the undo failed.
            Stage::Healing { until, .. } if now >= until && self.interrupted && !self.steady.still_broken() => {
                self.end()
            }
            Stage::Healing { until, .. } if now >= until => {
                let detail = format!("still broken after the undo: {}", list(&self.steady.parts(true)));
                self.undo_failed(detail)
            }
            Stage::Recovering { not_before, .. } if self.only_watching && now >= not_before => self.end(),
            Stage::Recovering { until, .. } if now >= until => {
                let missing = self.steady.missing(&self.plan, Target::AfterHeal);
                self.undo_failed(format!("the steady state was not seen again: {}", list(&missing)))
            }
            _ => Vec::new(),
        }
    }

    /// Somebody asked to stop: heal, look once more, end. A second call ends at once.
    pub fn interrupt(&mut self, now: LabTime, signal: &str) -> Vec<Output> {
        if self.ended() {
            return Vec::new();
        }
        let mut outputs = vec![Output::Record(Event::Interrupted { signal: signal.to_owned() })];
        if self.interrupted {
            outputs.extend(self.end());
        } else {
            self.interrupted = true;
            outputs.extend(self.give_up(now));
        }
        outputs
    }

    fn advance(&mut self, now: LabTime) -> Vec<Output> {
        match self.stage {
            Stage::Settling { .. } if !self.clients_started && self.steady.unwell(&self.plan).is_empty() => {
                self.clients_started = true;
                self.steady.clients_ask(now);
                vec![Output::Command(Command::StartClients)]
            }
            Stage::Settling { .. } if self.steady.missing(&self.plan, Target::BeforeFault).is_empty() => {
                self.enter(Stage::Steady { fault_at: now + self.plan.schedule.fault_after })
            }
            Stage::Breaking { .. } if self.steady.all_parts(true) => {
                let mut outputs = self.for_each_fault(|fault| Event::FaultHeld { fault });
                outputs.extend(self.enter(Stage::Holding { until: now + self.plan.schedule.hold }));
                outputs
            }
            Stage::Healing { then, .. } if self.steady.all_parts(false) => {
                let mut outputs = self.for_each_fault(|fault| Event::Healed { fault });
                outputs.extend(match then {
                    Then::Recover => self.recover(now, now),
                    Then::End => self.end(),
                });
                outputs
            }
            Stage::Recovering { not_before, .. } => {
                let steady = self.steady.missing(&self.plan, Target::AfterHeal).is_empty();
                self.only_watching = steady;
                if steady && now >= not_before { self.end() } else { Vec::new() }
            }
            _ => Vec::new(),
        }
    }

    fn break_it(&mut self, now: LabTime) -> Vec<Output> {
        if self.plan.control {
            return self.enter(Stage::Holding { until: now + self.plan.schedule.hold });
        }
        let mut outputs = self.for_each_fault(|fault| Event::UndoWritten { undo: fault.undo(), fault });
        self.steady.look_again(now);
        outputs.extend(self.enter(Stage::Breaking { until: now + self.plan.schedule.confirm_within }));
        for fault in &self.plan.faults {
            outputs.push(Output::Record(Event::FaultRequested { fault: fault.clone() }));
            outputs.push(Output::Command(Command::Inject(fault.clone())));
        }
        outputs
    }

    fn fault_did_not_hold(&mut self, now: LabTime) -> Vec<Output> {
        let unbroken = self.steady.parts(false);
        let mut detail =
            if unbroken.is_empty() { "no look ended in time".to_owned() } else { list(&unbroken) + " still works" };
        if !self.refusals.is_empty() {
            detail = format!("{detail}; {}", list(&self.refusals));
        }
        let mut outputs = self.for_each_fault(|fault| Event::FaultDidNotHold { fault, detail: detail.clone() });
        outputs.extend(self.heal(now, Then::End));
        outputs
    }

    fn heal(&mut self, now: LabTime, then: Then) -> Vec<Output> {
        if self.plan.control {
            return match then {
                // The way back is watched for some time here too: what is expected of it must have been looked at.
                Then::Recover => self.recover(now, now + self.plan.schedule.fault_after),
                Then::End => self.end(),
            };
        }
        self.steady.look_again(now);
        let patience = match then {
            // Where containers are killed, they are started again, which takes longer than such a look.
            Then::End if self.interrupted && self.plan.wire.is_lab() => self.plan.speed.to_lab(LAST_LOOK),
            Then::Recover | Then::End => self.plan.schedule.confirm_within,
        };
        let mut outputs = self.enter(Stage::Healing { until: now + patience, then });
        for fault in &self.plan.faults {
            outputs.push(Output::Record(Event::HealRequested { fault: fault.clone() }));
            outputs.push(Output::Command(Command::Heal(fault.clone())));
        }
        outputs
    }

    fn postpone(&mut self, by: Duration) -> Vec<Output> {
        let mut stage = self.stage;
        match &mut stage {
            Stage::Ended => {}
            Stage::Starting { until }
            | Stage::Steady { fault_at: until }
            | Stage::Settling { until }
            | Stage::Breaking { until }
            | Stage::Holding { until }
            | Stage::Healing { until, .. } => *until = *until + by + self.plan.speed.to_lab(STALL),
            Stage::Recovering { not_before, until } => {
                *not_before = *not_before + by;
                *until = *until + by + self.plan.speed.to_lab(STALL);
            }
        }
        self.enter(stage)
    }

    fn recover(&mut self, now: LabTime, not_before: LabTime) -> Vec<Output> {
        self.only_watching = false;
        self.enter(Stage::Recovering { not_before, until: not_before.max(now + self.plan.schedule.recover_within) })
    }

    /// Leaves the drill as it is, healing what was broken.
    fn give_up(&mut self, now: LabTime) -> Vec<Output> {
        match self.stage {
            Stage::Starting { .. } | Stage::Settling { .. } | Stage::Steady { .. } | Stage::Recovering { .. } => {
                self.end()
            }
            Stage::Breaking { .. } | Stage::Holding { .. } | Stage::Healing { .. } => self.heal(now, Then::End),
            Stage::Ended => Vec::new(),
        }
    }

    fn never_steady(&mut self, detail: String) -> Vec<Output> {
        let mut outputs = vec![Output::Record(Event::NeverSteady { detail })];
        outputs.extend(self.end());
        outputs
    }

    fn undo_failed(&mut self, detail: String) -> Vec<Output> {
        let mut outputs = vec![Output::Record(Event::UndoFailed { detail })];
        outputs.extend(self.end());
        outputs
    }

    fn end(&mut self) -> Vec<Output> {
        self.stage = Stage::Ended;
        Vec::new()
    }

    fn enter(&mut self, stage: Stage) -> Vec<Output> {
        self.stage = stage;
        let (phase, until) = match stage {
            Stage::Starting { .. } | Stage::Ended => return Vec::new(),
            Stage::Settling { until } => (Phase::Settling, until),
            Stage::Steady { fault_at } => (Phase::Steady, fault_at),
            Stage::Breaking { until } => (Phase::Breaking, until),
            Stage::Holding { until } => (Phase::Holding, until),
            Stage::Healing { until, .. } => (Phase::Healing, until),
            Stage::Recovering { until, .. } => (Phase::Recovering, until),
        };
        vec![Output::Record(Event::PhaseEntered { phase, until: Some(until) })]
    }

    fn for_each_fault(&self, event: impl Fn(Fault) -> Event) -> Vec<Output> {
        self.plan.faults.iter().map(|fault| Output::Record(event(fault.clone()))).collect()
    }
}

fn list(parts: &[String]) -> String {
    const SHOWN: usize = 4;
    let shown = parts.iter().take(SHOWN).cloned().collect::<Vec<_>>().join("; ");
    match parts.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown}; and {more} more"),
    }
}
