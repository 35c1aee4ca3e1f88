//! A health check of a scenario, of any kind but calculated.

use crate::clock::LabTime;
use crate::health::{Alarm, AlarmCheck, RoutingControls, StatusSettings};
use crate::subject::Machines;

use super::endpoint::Endpoint;
use super::metric::Metrics;

/// A health check of a scenario.
#[derive(Debug)]
pub struct Check {
    /// Whether it is inverted or disabled, as it was set.
    pub status: StatusSettings,
    /// What it evaluates.
    pub kind: Kind,
    told: Option<bool>,
}

/// What a health check evaluates.
#[derive(Debug)]
pub enum Kind {
    /// An endpoint.
    Endpoint(Box<Endpoint>),
    /// A metric.
    Alarm(Box<AlarmFollower>),
    /// A routing control, by its name.
    RoutingControl(String),
}

/// A health check on an alarm.
#[derive(Debug)]
pub struct AlarmFollower {
    /// The machine.
    pub check: AlarmCheck,
    /// The alarm as it was when its settings were copied.
    pub alarm: Alarm,
    /// The name of the alarm, when it has one besides this health check.
    pub follows: Option<String>,
    /// The metric that it watches.
    pub metric: String,
    /// What the last evaluation came to, for people.
    pub said: String,
}

impl AlarmFollower {
    fn evaluate(&mut self, now: LabTime, machines: Machines, metrics: &Metrics) {
        let stream = metrics.stream(&self.metric);
        self.said = self.check.evaluate_by(now, stream, |points| machines.alarm_state(&points)).detail;
    }
}

impl Check {
    pub(super) const fn new(status: StatusSettings, kind: Kind) -> Self {
        Self { status, kind, told: None }
    }

    pub(super) fn next_wakeup(&self) -> Option<LabTime> {
        match &self.kind {
            Kind::Endpoint(endpoint) => endpoint.next_wakeup(),
            Kind::Alarm(follower) => follower.check.next_wakeup(),
            Kind::RoutingControl(_) => None,
        }
    }

    pub(super) fn turn(&mut self, now: LabTime, machines: Machines, metrics: &Metrics) {
        match &mut self.kind {
            Kind::Endpoint(endpoint) => endpoint.turn(now, machines),
            Kind::Alarm(follower) if follower.check.next_wakeup().is_some_and(|due| due <= now) => {
                follower.evaluate(now, machines, metrics);
            }
            Kind::Alarm(_) | Kind::RoutingControl(_) => {}
        }
    }

    /// Evaluates at `now`, due or not, if it watches this metric and is not disabled.
    pub(super) fn evaluate(&mut self, metric: &str, now: LabTime, machines: Machines, metrics: &Metrics) {
        if let Kind::Alarm(follower) = &mut self.kind
            && follower.metric == metric
            && follower.check.next_wakeup().is_some()
        {
            follower.evaluate(now, machines, metrics);
        }
    }

    /// Somebody inverts or disables it, or takes that back.
    pub fn set_status(&mut self, now: LabTime, machines: Machines, status: StatusSettings) {
        self.status = status;
        match &mut self.kind {
            Kind::Endpoint(endpoint) => endpoint.set_status(now, machines.status(status)),
            Kind::Alarm(follower) => follower.check.set_status(machines.status(status)),
            Kind::RoutingControl(_) => {}
        }
    }

    /// Its status, if that is another than was told last.
    pub(super) fn turned(&mut self, machines: Machines, controls: &RoutingControls) -> Option<bool> {
        let healthy = match &self.kind {
            Kind::Endpoint(endpoint) => endpoint.is_healthy(),
            Kind::Alarm(follower) => follower.check.is_healthy(),
            Kind::RoutingControl(name) => {
                machines.routing_control_is_healthy(controls.is_on(name).unwrap_or(true), self.status)
            }
        };
        (self.told.replace(healthy) != Some(healthy)).then_some(healthy)
    }

    /// What its status comes from, for people.
    #[must_use]
    pub fn said(&self) -> &str {
        match &self.kind {
            Kind::Endpoint(endpoint) => &endpoint.said,
            Kind::Alarm(follower) => &follower.said,
            Kind::RoutingControl(_) => "",
        }
    }
}
