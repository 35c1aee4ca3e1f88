//! How long a run takes, and how fast it runs.
//!
//! A run waits for what can be seen, so most of the schedule is only a limit. What does pass in full is the time
//! before the fault, the time that the fault is held, and the way back.

use std::time::Duration;

use crate::clock::Speed;
use crate::plan::LegPrediction;

use crate::plan::expectation::Leg;
use crate::plan::{Plan, Schedule};

/// Steady time before the fault at least, lab time: some observations of how things were.
pub(super) const STEADY: Duration = Duration::from_secs(10);
/// What is added to the worst that is predicted: the observers' cadence, and a client that asks only now and then.
const MARGIN: Duration = Duration::from_secs(15);
/// A fault that moves nobody is still held so long.
const LEAST_HOLD: Duration = Duration::from_secs(45);
/// A run should end within about this, wall time.
const PATIENCE: Duration = Duration::from_secs(22);
/// Nothing is run faster by default: at this speed a second of lab time is 25 ms of wall time.
const FASTEST: f64 = 40.0;
/// What processes and sockets need whatever the speed, wall time.
const LAB_LAG: Duration = Duration::from_secs(4);

/// The lengths of a run's phases. All in lab time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    longest_interval: Duration,
    fault_after: Duration,
    hold: Duration,
    /// The way back, at worst.
    back: Duration,
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
    /// The pace of a plan whose prediction is there; `hold` when the drill says how long.
    pub(super) fn of(plan: &Plan, hold: Option<Duration>, fault_after: Duration, longest_interval: Duration) -> Self {
        let needed = worst(&plan.prediction.failover).max(latest(plan, Leg::Failover)) + MARGIN;
        let hold = hold.unwrap_or_else(|| whole_seconds(needed.max(LEAST_HOLD)));
        let back = worst(&plan.prediction.failback).max(latest(plan, Leg::Failback));
        Self { longest_interval, fault_after, hold, back }
    }

    /// Lab seconds per wall second: what passes in full (the first checks, the time before the fault, the hold, the
    /// way back) divided by 22 s, rounded up to a whole number, at least 1 and at most 40.
    pub(super) fn speed(self) -> Speed {
        let passes = self.longest_interval + self.fault_after + self.hold + self.back;
        let factor = (passes.as_secs_f64() / PATIENCE.as_secs_f64()).ceil().clamp(1.0, FASTEST);
        Speed::new(factor).unwrap_or(Speed::REAL)
    }

    /// The schedule at a speed: the limits leave room for what takes wall time, whatever the speed.
    pub(super) fn schedule(self, speed: Speed) -> Schedule {
        let lag = speed.to_lab(LAB_LAG);
        Schedule {
            settle_within: whole_seconds(self.longest_interval * 2 + MARGIN + lag),
            fault_after: self.fault_after,
            confirm_within: whole_seconds(MARGIN + lag),
            hold: self.hold,
            recover_within: whole_seconds(self.back + MARGIN + lag),
        }
    }
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
