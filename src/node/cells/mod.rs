//! The cells of a lab as processes: what each is made of, what a fault breaks of it, and what an undo mends.

mod blueprint;
mod error;
mod llm;
mod queue;
mod region;

use std::collections::BTreeSet;
use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use rand::Rng;
use tokio::sync::watch;

use crate::fault::{Anatomy, Fault, Harm, Part};
use crate::ground::Environment;
use crate::plan::{CellKind, CellPlan};
use crate::service::Queue;

use super::Roster;
use super::certificate::Certificate;
use super::process::Process;
use super::queue::QueueNode;
use super::resource_board::ResourceBoard;
use super::target_checks::TargetChecks;

use blueprint::Blueprint;
pub use error::CellError;

/// Lab time that a worker has for what is left in a queue that falls quiet; what it took out and lost comes back after
/// 30 s (SQS's default visibility timeout).
const WORKER_FINISHES_WITHIN: Duration = Duration::from_secs(45);

/// What the cells of a lab have in common.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The clients, whose arrivals are written down.
    pub roster: Roster,
    /// The lab addresses of all health checkers: whom a firewall can lock out.
    pub checkers: BTreeSet<IpAddr>,
    /// What they serve HTTPS with.
    pub certificate: Certificate,
    /// Where the health of a region's load balancer is shown.
    pub resources: ResourceBoard,
    /// The lab.
    pub environment: Environment,
}

/// A cell whose parts can be broken and mended. Everything ends when it is dropped.
#[derive(Debug)]
pub struct Cell {
    name: String,
    anatomy: Anatomy,
    organs: Organs,
    faults: BTreeSet<Fault>,
}

/// What a cell is made of.
#[derive(Debug, Default)]
struct Organs {
    /// In the order in which they start: what is needed before what needs it.
    processes: Vec<(Part, Process)>,
    /// What is broken without being killed.
    levers: Vec<Lever>,
    /// No fault ends it.
    queue: Option<QueueNode>,
    /// From one message of its producer to the next, and some time to send it.
    next_message_within: Duration,
    /// What it is asked through.
    queue_door: Option<Process>,
    /// What hears of the requests that a load balancer serves which is not muster's. No fault ends it.
    request_log: Option<Process>,
    /// No fault ends them.
    checks: Option<TargetChecks>,
}

impl Organs {
    fn keep(&mut self, kept: impl Fn(Part) -> bool) {
        self.processes.retain(|(part, _)| kept(*part));
        self.levers.retain(|lever| kept(lever.part));
    }
}

/// Does a harm to a part that lives on with it: pulled with `true` for broken, with `false` for whole, at once.
struct Lever {
    part: Part,
    harm: Harm,
    pull: Box<dyn Fn(bool)>,
}

impl Lever {
    fn new(part: Part, harm: Harm, pull: impl Fn(bool) + 'static) -> Self {
        Self { part, harm, pull: Box::new(pull) }
    }
}

impl fmt::Debug for Lever {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lever").field("part", &self.part).field("harm", &self.harm).finish_non_exhaustive()
    }
}

impl Cell {
    /// Starts a cell's processes and, for a region, the checks of its targets and its node; every process is bound
    /// when this returns. `rng` draws at which phase each check starts. To be called inside a `LocalSet`.
    ///
    /// # Errors
    /// When a part has no address on this ground, or cannot be bound, or the alias target is no name.
    pub fn start(name: &str, plan: &CellPlan, around: &Surroundings, rng: &mut impl Rng) -> Result<Self, CellError> {
        Self::start_without(&BTreeSet::new(), name, plan, around, rng)
    }

    /// The same without some of its parts, which run elsewhere, at the same lab addresses.
    ///
    /// # Errors
    /// As [`Cell::start`].
    pub fn start_without(
        elsewhere: &BTreeSet<Part>,
        name: &str,
        plan: &CellPlan,
        around: &Surroundings,
        rng: &mut impl Rng,
    ) -> Result<Self, CellError> {
        let blueprint = Blueprint::new(name, plan, around);
        let checks = match &plan.kind {
            CellKind::Region(region) => Some(blueprint.checks(region, rng)?),
            CellKind::Llm(_) | CellKind::TelemetryGateway | CellKind::StaticSite => None,
        };
        let routable = checks.as_ref().map(|checks| checks.routable.clone()).unwrap_or_default();
        let mut organs = blueprint.organs(routable, rng)?;
        organs.checks = checks;
        organs.keep(|part| !elsewhere.contains(&part));
        Self::of(name, plan.kind.anatomy(), organs)
    }

    /// Starts one part of a cell, with what breaks that part while it runs, but for freezing it. To be called inside a `LocalSet`.
    ///
    /// # Errors
    /// As [`Cell::start`]; and when the cell has no such part.
    pub fn start_part(
        part: Part,
        name: &str,
        plan: &CellPlan,
        around: &Surroundings,
        rng: &mut impl Rng,
    ) -> Result<Self, CellError> {
        // Who sends to the targets is elsewhere, with the checks.
        let nowhere = plan.zones(name).iter().map(|_| watch::channel(Vec::new()).1).collect();
        let mut organs = Blueprint::new(name, plan, around).organs(nowhere, rng)?;
        organs.keep(|own| own == part);
        // Who runs it as a process of its own stops that process, and leaves it no CPU.
        organs.levers.retain(|lever| !matches!(lever.harm, Harm::Frozen | Harm::Throttled));
        organs.queue = None;
        organs.queue_door = None;
        organs.request_log = None;
        if organs.processes.is_empty() {
            return Err(CellError::NoSuchPart { cell: name.to_owned(), part: part.of(name) });
        }
        Self::of(name, plan.kind.anatomy(), organs)
    }

    fn of(name: &str, anatomy: Anatomy, organs: Organs) -> Result<Self, CellError> {
        let mut cell = Self { name: name.to_owned(), anatomy, organs, faults: BTreeSet::new() };
        if let Some(queue) = &mut cell.organs.queue_door {
            queue.start().map_err(|problem| CellError::NotStarted {
                cell: name.to_owned(),
                part: format!("the queue of {name}"),
                problem,
            })?;
        }
        if let Some(log) = &mut cell.organs.request_log {
            log.start().map_err(|problem| CellError::NotStarted {
                cell: name.to_owned(),
                part: format!("what hears the log of the load balancer of {name}"),
                problem,
            })?;
        }
        cell.start_what_is_whole()?;
        Ok(cell)
    }

    /// Breaks what `fault` breaks of this cell; the sockets of what is killed are closed when this returns. A fault of
    /// another cell, or one that holds already, changes nothing.
    pub async fn apply(&mut self, fault: &Fault) {
        if fault.cell() != Some(self.name.as_str()) {
            return;
        }
        self.faults.insert(fault.clone());
        self.pull_levers();
        match fault {
            Fault::QuietQueue(_) => self.let_the_worker_finish().await,
            Fault::AbandonQueue(_) => self.let_the_producer_leave_a_message().await,
            _ => {}
        }
        let killed = self.broken_by(Harm::Killed);
        for (part, process) in self.organs.processes.iter_mut().rev() {
            if killed.contains(part) {
                process.kill().await;
            }
        }
    }

    /// A queue falls quiet when nobody sends any more and the last message was worked on. One that is left in it would
    /// age, and keep the metric alive.
    async fn let_the_worker_finish(&mut self) {
        self.kill(Part::Producer).await;
        if let Some(queue) = &self.organs.queue {
            queue.becomes(Queue::is_empty, WORKER_FINISHES_WITHIN).await;
        }
    }

    /// A queue is abandoned with something in it: the worker goes first, the producer after its next message. One that
    /// the worker had received may be on its way out, so it must be a new one.
    async fn let_the_producer_leave_a_message(&mut self) {
        self.kill(Part::Worker).await;
        if let Some(queue) = &self.organs.queue {
            queue.becomes(Queue::has_a_new_message, self.organs.next_message_within).await;
        }
    }

    async fn kill(&mut self, part: Part) {
        for (_, process) in self.organs.processes.iter_mut().filter(|(own, _)| *own == part) {
            process.kill().await;
        }
    }

    /// Mends what `fault` broke of this cell, unless another fault breaks it too; it waits for nothing. A fault that
    /// does not hold changes nothing.
    ///
    /// # Errors
    /// When a part cannot be bound again. The fault is undone all the same: asked again, the rest is started.
    pub fn undo(&mut self, fault: &Fault) -> Result<(), CellError> {
        if fault.cell() != Some(self.name.as_str()) {
            return Ok(());
        }
        self.faults.remove(fault);
        self.pull_levers();
        self.start_what_is_whole()
    }

    /// Each lever as all faults together have it, so that a fault twice over, or another's undo, changes nothing.
    fn pull_levers(&self) {
        for lever in &self.organs.levers {
            (lever.pull)(self.broken_by(lever.harm).contains(&lever.part));
        }
    }

    fn start_what_is_whole(&mut self) -> Result<(), CellError> {
        let killed = self.broken_by(Harm::Killed);
        for (part, process) in &mut self.organs.processes {
            if !killed.contains(part) {
                process.start().map_err(|problem| CellError::NotStarted {
                    cell: self.name.clone(),
                    part: part.of(&self.name),
                    problem,
                })?;
            }
        }
        Ok(())
    }

    /// The parts to which the faults that hold do this.
    fn broken_by(&self, harm: Harm) -> Vec<Part> {
        let faults = self.faults.iter().filter(|fault| fault.entry().harm == harm);
        faults.flat_map(|fault| fault.parts(Some(self.anatomy))).collect()
    }
}

#[cfg(test)]
mod tests;
