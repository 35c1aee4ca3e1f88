//! What a run writes down: one event stream that the timeline, the verdict and every reporter read.

use std::net::IpAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::{ClockOffset, LabTime, WallStep, seconds};
use crate::decide::Step;
use crate::health::AlarmState;
pub use crate::plan::Signal;
use crate::plan::{Family, Fault, Metric, Plan};

/// An event and when it happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stamped {
    /// Lab time.
    pub at: LabTime,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The first line of a journal.
    RunStarted {
        /// muster's version.
        version: String,
        /// RFC 3339, the wall clock at lab time 0.
        wall: String,
    },
    /// The plan, whole.
    Planned {
        /// The plan.
        plan: Box<Plan>,
    },
    /// Every node serves.
    LabReady {
        /// `virtual`, `embedded` or `docker`.
        lab: String,
        /// `namespace` or `loopback`.
        ground: String,
        /// How many hosts.
        hosts: usize,
        /// Wall time from the lab's start until it was ready.
        #[serde(with = "seconds")]
        took: Duration,
        /// Families that answers are connected to. IPv6 is missing on loopback.
        families: Vec<Family>,
        /// The clock by which everything is stamped that is seen, against that of who leads the run and stamps what is
        /// asked for; missing where they are one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clock: Option<ClockOffset>,
    },
    /// The run enters a phase.
    PhaseEntered {
        /// Which.
        phase: Phase,
        /// The latest end, if it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<LabTime>,
    },
    /// How to undo a fault; written before the fault is asked for.
    UndoWritten {
        /// The fault.
        fault: Fault,
        /// For people.
        undo: String,
    },
    /// The fault is asked for.
    FaultRequested {
        /// The fault.
        fault: Fault,
    },
    /// The undo is asked for.
    HealRequested {
        /// The fault.
        fault: Fault,
    },
    /// An observer looked at what a fault breaks.
    FaultLooked {
        /// The fault.
        fault: Fault,
        /// Which part, for example `the database of sa-east-1`.
        part: String,
        /// Whether that part is broken now.
        broken: bool,
        /// What was seen.
        detail: String,
    },
    /// All parts of a fault are broken: it holds.
    FaultHeld {
        /// The fault.
        fault: Fault,
    },
    /// Not all parts of a fault were seen broken in time.
    FaultDidNotHold {
        /// The fault.
        fault: Fault,
        /// What was seen instead.
        detail: String,
    },
    /// A part of a fault could not be broken; that it does not hold is seen, and this is why.
    FaultRefused {
        /// The fault.
        fault: Fault,
        /// Who refuses, and why.
        detail: String,
    },
    /// No part of a fault is broken any more.
    Healed {
        /// The fault.
        fault: Fault,
    },
    /// The steady state was not seen again in time.
    UndoFailed {
        /// What is missing.
        detail: String,
    },
    /// An undo was refused, or something of the lab is left: what is certain, however busy the machine.
    NotUndone {
        /// What, and what to do.
        detail: String,
    },
    /// A probe of something that feeds a health status ended.
    Checked {
        /// What the status is of.
        signal: Signal,
        /// Who probed.
        by: String,
        /// Passed or not.
        passed: bool,
        /// What was seen.
        detail: String,
    },
    /// A health status turned.
    HealthChanged {
        /// Whose.
        signal: Signal,
        /// To what.
        healthy: bool,
        /// Why, for people.
        reason: String,
    },
    /// The authoritative server answers a question differently than before (or for the first time).
    AnswerChanged {
        /// Absolute.
        name: String,
        /// The query type.
        rtype: String,
        /// Where the server places the query's sender; the sender's address when nowhere.
        place: String,
        /// What is admissible now, each with its probability.
        answers: Vec<WeighedAnswer>,
        /// The groups passed, and what became of their records.
        path: Vec<Step>,
    },
    /// An observer asked a server and saw an answer.
    Observed {
        /// Who was asked.
        server: Server,
        /// Absolute.
        name: String,
        /// The family asked for.
        family: Family,
        /// As from where (authoritative), or where the resolver stands.
        place: String,
        /// What came.
        answer: SeenAnswer,
        /// How long after the question was due its answer was in hand, lab time. Of a silent server: how late it was asked.
        #[serde(with = "seconds")]
        late: Duration,
    },
    /// A request that had arrived at a cell was answered, or given up; stamped when that was known.
    RequestArrived {
        /// The cell.
        cell: String,
        /// The zone whose node it arrived at, if the cell has zones.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        zone: Option<String>,
        /// The client, known by its address.
        client: String,
        /// The status that it was given.
        status: u16,
        /// From its arrival to this, lab time.
        #[serde(with = "seconds")]
        held: Duration,
    },
    /// A stream that a cell is answering a client with is still alive; told once a second of lab time.
    StreamAlive {
        /// The cell.
        cell: String,
        /// The client, known by its address.
        client: String,
        /// How many tokens it was sent so far.
        tokens: u64,
    },
    /// A metric got a value, or a period passed without one.
    Published {
        /// Which.
        metric: Metric,
        /// The value; `None`: nothing was published.
        value: Option<f64>,
    },
    /// `CloudWatch` evaluated an alarm itself. Its state moves no health check (R53-139); the two can differ (R53-144).
    AlarmEvaluated {
        /// The health check that copies the alarm's settings, by its id.
        copied_by: String,
        /// The alarm's state now.
        state: AlarmState,
    },
    /// An operator turned a routing control, or was refused.
    ControlTurned {
        /// Which.
        control: String,
        /// On, or off.
        on: bool,
        /// Why it was refused; `None`: it was turned.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refused: Option<String>,
    },
    /// A client's request ended.
    RequestEnded {
        /// The client.
        client: String,
        /// When it began.
        began: LabTime,
        /// The address it was sent to, if it came that far.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        address: Option<IpAddr>,
        /// How it ended.
        outcome: RequestOutcome,
        /// How many attempts it took.
        attempts: u32,
    },
    /// A client dropped or recycled its pool of connections.
    PoolDropped {
        /// The client.
        client: String,
        /// Why, for people.
        reason: String,
    },
    /// How long after their questions were due the observers had the answers, over the whole run.
    Lateness {
        /// How many questions.
        count: u64,
        /// Median, wall time.
        #[serde(with = "seconds")]
        p50: Duration,
        /// 99th percentile, wall time.
        #[serde(with = "seconds")]
        p99: Duration,
        /// The latest, wall time.
        #[serde(with = "seconds")]
        max: Duration,
    },
    /// The wall clock was set where the containers run, by which real resolvers count.
    WallClockSet {
        /// By how much, and which way.
        #[serde(flatten)]
        step: WallStep,
    },
    /// Somebody asked muster to stop.
    Interrupted {
        /// `SIGINT` or `SIGTERM`.
        signal: String,
    },
    /// The lab was not ready, or not steady, in time; nothing is said of the subject.
    NeverSteady {
        /// What is missing.
        detail: String,
    },
    /// The lab itself failed; nothing is said of the subject.
    LabBroke {
        /// What happened.
        reason: String,
    },
    /// Everything of a lab of containers is gone. One that is left standing, or could not be removed, does not say this.
    LabRemoved {
        /// How many containers it had.
        containers: usize,
        /// How many networks it had.
        networks: usize,
        /// How long their removal took, wall time.
        #[serde(with = "seconds")]
        took: Duration,
    },
    /// The last line of a whole journal.
    RunEnded,
}

/// A phase of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Until the steady state is seen.
    Settling,
    /// The steady state is seen; the fault's moment has not come.
    Steady,
    /// The fault is asked for and not yet seen to hold.
    Breaking,
    /// The fault holds (in a control: would hold).
    Holding,
    /// The undo is asked for and not yet seen.
    Healing,
    /// The fault is gone; until the steady state is seen again.
    Recovering,
}

/// An admissible answer, named for people.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeighedAnswer {
    /// A cell's name, `nodata`, `nxdomain`, or the values.
    pub answer: String,
    /// Above 0, at most 1.
    pub probability: f64,
    /// Seconds.
    pub ttl: u32,
    /// Whether it is given as a last resort.
    pub last_resort: bool,
}

/// Who was asked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Server {
    /// The authoritative server.
    Authoritative,
    /// A resolver, by its name, asked without recursion: it answers from its cache.
    Resolver(String),
}

/// An answer, as it was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SeenAnswer {
    /// Addresses.
    Addresses {
        /// Sorted.
        addresses: Vec<IpAddr>,
        /// Seconds.
        ttl: u32,
    },
    /// No error, no records. From a resolver: nothing is cached.
    NoData,
    /// No such name.
    NxDomain,
    /// Another response code.
    Failed(String),
    /// No answer in time.
    Silent,
}

/// The status of a request that arrived and whose client gave it up before there was an answer, as an ALB logs it.
const GIVEN_UP: u16 = 460;

/// Whether a request that arrived and was given this status was served: below 500, and not given up before.
#[must_use]
pub const fn is_served(status: u16) -> bool {
    status < 500 && status != GIVEN_UP
}

/// How a request ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequestOutcome {
    /// A cell answered with a status below 500.
    Served {
        /// The cell, as it names itself.
        cell: String,
        /// The status.
        status: u16,
    },
    /// A cell answered with a 5xx status.
    Refused {
        /// The cell, as it names itself.
        cell: String,
        /// The status.
        status: u16,
    },
    /// The name gave no address.
    Unresolved {
        /// Why.
        reason: String,
    },
    /// No connection, or it broke.
    Unconnected {
        /// Why.
        reason: String,
    },
    /// Neither in time.
    TimedOut,
    /// The ground cannot carry the family: the answer was decided and observed, nothing was connected to.
    NotConnectable,
}
