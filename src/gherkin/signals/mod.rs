//! What turns statuses in a scenario: the machines behind health checks and load balancers, and what they watch.
//!
//! They are the subject's machines, so that a mutant breaks them. Time is the scenario's, and statuses go to the board
//! that the subject answers from. No rule is written here.

mod balancer;
mod check;
mod endpoint;
mod engine;
mod metric;
mod written;

use std::collections::BTreeMap;

use hickory_proto::rr::Name;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::clock::LabTime;
use crate::health::{Alarm, EvidenceBoard, RoutingControls, StatusSettings};
use crate::subject::Machines;
use crate::zone::HealthCheckId;

pub use balancer::Balancer;
pub use check::{AlarmFollower, Check, Kind};
pub use endpoint::{Behaviour, Body, ContentEncoding, Endpoint, EndpointAnswer};
pub use engine::{Engine, ProbedEngine};
pub use metric::{Level, Metrics, WatchedAlarm, WatchedQueue};
pub use written::Written;

/// Everything that turns statuses in one scenario.
#[derive(Debug)]
pub struct Signals {
    /// The health checks that were created, but for calculated ones, which the board follows itself.
    pub checks: BTreeMap<HealthCheckId, Check>,
    /// The alarms.
    pub alarms: BTreeMap<String, WatchedAlarm>,
    /// What alarms and health checks on alarms watch.
    pub metrics: Metrics,
    /// An operator's switches.
    pub controls: RoutingControls,
    /// The load balancers, by the name that aliases point at.
    pub balancers: BTreeMap<Name, Balancer>,
    /// The health checks as a drill would write them.
    pub written: Written,
    /// What phases are drawn from.
    pub rng: ChaCha8Rng,
}

impl Default for Signals {
    fn default() -> Self {
        Self {
            checks: BTreeMap::new(),
            alarms: BTreeMap::new(),
            metrics: Metrics::default(),
            controls: RoutingControls::new(BTreeMap::new(), 0),
            balancers: BTreeMap::new(),
            written: Written::default(),
            rng: ChaCha8Rng::seed_from_u64(0),
        }
    }
}

impl Signals {
    /// When anything happens next; `None`: never.
    #[must_use]
    pub fn next_wakeup(&self) -> Option<LabTime> {
        let checks = self.checks.values().filter_map(Check::next_wakeup);
        let alarms = self.alarms.values().map(|alarm| alarm.run.next_wakeup());
        let balancers = self.balancers.values().filter_map(Balancer::next_wakeup);
        checks.chain(alarms).chain(balancers).chain(self.metrics.next_wakeup()).min()
    }

    /// Does what is due, and tells the board what turned.
    pub fn turn(&mut self, now: LabTime, machines: Machines, board: &mut EvidenceBoard) {
        self.metrics.turn(now);
        for alarm in self.alarms.values_mut().filter(|alarm| alarm.run.next_wakeup() <= now) {
            alarm.evaluate(now, machines, &self.metrics);
        }
        for check in self.checks.values_mut() {
            check.turn(now, machines, &self.metrics);
        }
        for balancer in self.balancers.values_mut() {
            balancer.turn(now);
        }
        self.tell(machines, board);
    }

    /// Tells the board the statuses that turned since they were told last.
    pub fn tell(&mut self, machines: Machines, board: &mut EvidenceBoard) {
        for (id, check) in &mut self.checks {
            if let Some(healthy) = check.turned(machines, &self.controls) {
                board.set_health_check(id.clone(), healthy);
            }
        }
        for (name, balancer) in &self.balancers {
            board.set_resource(name.clone(), balancer.is_healthy(machines));
        }
    }

    /// Evaluates at `now`, due or not, whatever watches this metric.
    pub fn evaluate(&mut self, metric: &str, now: LabTime, machines: Machines, board: &mut EvidenceBoard) {
        for alarm in self.alarms.values_mut().filter(|alarm| alarm.metric == metric) {
            alarm.evaluate(now, machines, &self.metrics);
        }
        for check in self.checks.values_mut() {
            check.evaluate(metric, now, machines, &self.metrics);
        }
        self.tell(machines, board);
    }

    /// The alarm, or the health check's alarm, of this name, and the metric that it watches.
    #[must_use]
    pub fn watched(&self, name: &str) -> Option<(Alarm, String)> {
        if let Some(alarm) = self.alarms.get(name) {
            return Some((*alarm.run.alarm(), alarm.metric.clone()));
        }
        match &self.checks.get(&HealthCheckId(name.to_owned()))?.kind {
            Kind::Alarm(follower) => Some((follower.alarm, follower.metric.clone())),
            Kind::Endpoint(_) | Kind::RoutingControl(_) => None,
        }
    }

    /// A health check that was deleted.
    pub fn forget(&mut self, id: &HealthCheckId) {
        self.checks.remove(id);
        self.written.forget(&id.0);
    }

    /// A health check that was created, with these settings.
    pub fn insert(&mut self, id: HealthCheckId, status: StatusSettings, kind: Kind) {
        self.checks.insert(id, Check::new(status, kind));
    }

    /// The endpoint of a health check.
    #[must_use]
    pub fn endpoint(&self, id: &HealthCheckId) -> Option<&Endpoint> {
        match &self.checks.get(id)?.kind {
            Kind::Endpoint(endpoint) => Some(endpoint),
            Kind::Alarm(_) | Kind::RoutingControl(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn endpoint_mut(&mut self, id: &HealthCheckId) -> Option<&mut Endpoint> {
        match &mut self.checks.get_mut(id)?.kind {
            Kind::Endpoint(endpoint) => Some(endpoint),
            Kind::Alarm(_) | Kind::RoutingControl(_) => None,
        }
    }
}
