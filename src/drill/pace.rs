//! How long a run takes, and how fast it runs.
//!
//! A run waits for what can be seen, so most of the schedule is only a limit. What does pass in full is the time
//! before the fault, the time that the fault is held, and the way back.

use std::time::Duration;

use crate::clock::Speed;
use crate::plan::LegPrediction;

use super::settling::{longest_silence, recovered_after, settled_after};
use crate::plan::expectation::Leg;
use crate::plan::{CellKind, Plan, Schedule};

/// Steady time before the fault at least, lab time: some observations of how things were.
pub(super) const STEADY: Duration = Duration::from_secs(10);
/// What is added to the worst that is predicted: the observers' cadence, and a client that asks only now and then.
const MARGIN: Duration = Duration::from_secs(15);
/// A fault that moves nobody is still held so long.
const LEAST_HOLD: Duration = Duration::from_secs(45);
/// A run should end within about this, wall time.
const PATIENCE: Duration = Duration::from_secs(22);
/// Nothing that needs the usual fineness is run faster by default: a second of lab time is then 25 ms of wall time.
const FASTEST: f64 = 40.0;
/// Nothing is run faster than this: the lab's own work takes wall time too.
const TOP: f64 = 240.0;
/// Where resolvers count whole wall seconds nothing is run faster by default: one of them is then 10 s of lab time, and
/// a TTL of a minute is six of them.
const FASTEST_IN_WALL_SECONDS: f64 = 10.0;
/// The least wall time from one question of an observer to the next.
const OBSERVER: Duration = Duration::from_millis(25);
/// The least wall time from one request of a client to the next, and for an HTTP status, which has 2 s (R53-111).
const REQUEST: Duration = Duration::from_millis(30);
/// The least wall time for a probe of a prober, which has 4 s.
const COMPLETION: Duration = Duration::from_millis(60);
/// The least wall time for a request until it is given up, usually 5 s.
const TIMEOUT: Duration = Duration::from_millis(75);
/// What processes and sockets need whatever the speed, wall time.
const LAB_LAG: Duration = Duration::from_secs(4);

/// The lengths of a run's phases, in lab time, and how fast they may pass.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// From the lab's start to the steady state.
    settled_after: Duration,
    fault_after: Duration,
    hold: Duration,
    /// The way back, at worst.
    back: Duration,
    /// What no decision uses must come back too.
    recovered_after: Duration,
    /// That nothing arrives any more takes so long to be seen.
    silence: Duration,
    fastest: f64,
}

/// The schedule of a plan that is still in the making.
pub(super) const fn unset() -> Schedule {
    Schedule {
        settle_within: Duration::ZERO,
        fault_after: Duration::ZERO,
        confirm_within: Duration::ZERO,
        hold: Duration::ZERO,
        recover_within: Duration::ZERO,
    }
}

impl Pace {
    /// The pace of a plan whose prediction is there; `hold` and `recover` when the drill says how long.
    pub(super) fn of(plan: &Plan, hold: Option<Duration>, recover: Option<Duration>, fault_after: Duration) -> Self {
        let silence = longest_silence(plan);
        let needed = worst(&plan.prediction.failover).max(latest(plan, Leg::Failover)) + silence + MARGIN;
        let hold = hold.unwrap_or_else(|| whole_seconds(needed.max(LEAST_HOLD)));
        let back = worst(&plan.prediction.failback).max(latest(plan, Leg::Failback));
        Self {
            settled_after: settled_after(plan),
            recovered_after: recovered_after(plan),
            fault_after,
            hold,
            back: recover.unwrap_or(back),
            silence,
            fastest: fastest(plan),
        }
    }

    /// Lab seconds per wall second: what passes in full (the way to the steady state, the time before the fault, the
    /// hold, the way back) divided by 22 s, rounded up to a whole number, at least 1 and at most 40; more for a drill
    /// that looks less finely, and less where resolvers count wall seconds, see [`fastest`].
    pub(super) fn speed(self) -> Speed {
        let passes = self.settled_after + self.fault_after + self.hold + self.back;
        let factor = (passes.as_secs_f64() / PATIENCE.as_secs_f64()).ceil().clamp(1.0, self.fastest);
        Speed::new(factor).unwrap_or(Speed::REAL)
    }

    /// The schedule at a speed: the limits leave room for what takes wall time, whatever the speed.
    pub(super) fn schedule(self, speed: Speed) -> Schedule {
        let lag = speed.to_lab(LAB_LAG);
        Schedule {
            settle_within: whole_seconds(self.settled_after * 2 + self.silence + MARGIN + lag),
            fault_after: self.fault_after,
            confirm_within: whole_seconds(MARGIN + lag),
            hold: self.hold,
            recover_within: whole_seconds(
                self.back.max(self.settled_after).max(self.recovered_after) + self.silence + MARGIN + lag,
            ),
        }
    }
}

/// The highest default speed of a plan: 40, or more when its observers look less often than every second, as far as its
/// finest part allows. Less where TTLs stand on the wire in wall seconds.
fn fastest(plan: &Plan) -> f64 {
    if !plan.wire.is_lab() {
        return FASTEST_IN_WALL_SECONDS;
    }
    let speed = |lab: Duration, wall: Duration| lab.as_secs_f64() / wall.as_secs_f64();
    let observe = &plan.observe;
    let observers = [observe.authoritative_every, observe.resolver_every, observe.fault_every];
    let observers = observers.into_iter().map(|every| speed(every, OBSERVER));
    let clients = plan.clients.values();
    let clients = clients.flat_map(|client| [speed(client.every, REQUEST), speed(client.timeout, TIMEOUT)]);
    let probes = plan.probes.values().map(|probe| speed(probe.timeout, TIMEOUT));
    let cells = plan.cells.values().filter_map(|cell| match &cell.kind {
        CellKind::Region(region) => Some(speed(region.target_group.timeout, TIMEOUT)),
        CellKind::Llm(llm) => llm.prober.as_ref().map(|prober| speed(prober.settings.budget, COMPLETION)),
        CellKind::TelemetryGateway | CellKind::StaticSite => None,
    });
    let live = plan.health_checks.values().filter(|planned| !planned.status.disabled);
    let statuses = live.filter_map(|planned| planned.endpoint()?.check.status_limit());
    let statuses = statuses.map(|limit| speed(limit, REQUEST));
    observers.chain(clients).chain(probes).chain(cells).chain(statuses).fold(TOP, f64::min).max(FASTEST)
}

/// From the fault (or the heal) to the last move that ends at all. A client that never moves is not waited for, but
/// its resolver is.
fn worst(leg: &LegPrediction) -> Duration {
    let detected = leg.detection.then(leg.authoritative).worst.unwrap_or_default();
    let resolvers = leg.resolvers.values().filter_map(|bounds| bounds.worst.map(|worst| detected + worst));
    let clients = leg.totals.values().filter_map(|bounds| bounds.worst);
    resolvers.chain(clients).max().unwrap_or(detected)
}

/// The latest deadline of a leg's expectations.
fn latest(plan: &Plan, leg: Leg) -> Duration {
    let of_leg = plan.expectations.iter().filter(|expectation| expectation.during == leg);
    of_leg.filter_map(|expectation| expectation.claim.within()).max().unwrap_or_default()
}

/// Rounded up.
fn whole_seconds(duration: Duration) -> Duration {
    Duration::from_secs(duration.as_secs() + u64::from(duration.subsec_nanos() > 0))
}
