//! Route 53 health checks, and where the evidence of each comes from.

use std::collections::BTreeMap;
use std::mem::discriminant;
use std::net::IpAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::seconds;
use crate::health::{Alarm, CalculatedCheck, CheckProtocol, EndpointCheck, InsufficientData, StatusSettings};

/// A Route 53 health check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HealthCheckPlan {
    /// Inverted, disabled.
    pub status: StatusSettings,
    /// What it evaluates.
    pub kind: HealthCheckKind,
}

impl HealthCheckPlan {
    /// The endpoint that it probes, if it is of that kind.
    #[must_use]
    pub const fn endpoint(&self) -> Option<&EndpointPlan> {
        match &self.kind {
            HealthCheckKind::Endpoint(endpoint) => Some(endpoint),
            HealthCheckKind::Calculated(_) | HealthCheckKind::Alarm(_) | HealthCheckKind::RoutingControl(_) => None,
        }
    }
}

/// What an update of a health check would change, and cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} of a health check cannot be changed: create another, and have the record sets name that (R53-109)")]
pub struct Immutable(&'static str);

impl HealthCheckPlan {
    /// Whether an update may make `to` of it.
    ///
    /// # Errors
    /// When it would change what stays as it was created (R53-109).
    pub fn may_become(&self, to: &Self) -> Result<(), Immutable> {
        if discriminant(&self.kind) != discriminant(&to.kind) {
            return Err(Immutable("the type"));
        }
        let (Some(from), Some(to)) = (self.endpoint(), to.endpoint()) else { return Ok(()) };
        if kind_of_probe(&from.check) != kind_of_probe(&to.check) {
            return Err(Immutable("the type"));
        }
        if from.check.interval != to.check.interval {
            return Err(Immutable("the interval"));
        }
        if from.name.is_some() != to.name.is_some() {
            return Err(Immutable("an endpoint by name or by address"));
        }
        Ok(())
    }
}

/// Route 53 has a type of its own for each of these.
const fn kind_of_probe(check: &EndpointCheck) -> (bool, bool, bool) {
    match &check.protocol {
        CheckProtocol::Tcp => (false, false, false),
        CheckProtocol::Http { tls, search, .. } => (true, tls.is_some(), search.is_some()),
    }
}

/// What a health check evaluates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HealthCheckKind {
    /// An endpoint, probed by a fleet of checkers.
    Endpoint(EndpointPlan),
    /// Other health checks.
    Calculated(CalculatedCheck),
    /// A metric, by its own copy of an alarm's settings.
    Alarm(AlarmPlan),
    /// A routing control, by its name.
    RoutingControl(String),
}

/// The endpoint of a health check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EndpointPlan {
    /// The cell whose address is probed; for an endpoint by name the cell that is meant.
    pub cell: String,
    /// The name that is resolved at each interval, absolute; `None`: the cell's own address is probed (R53-119).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How it is probed.
    pub check: EndpointCheck,
    /// The addresses that its checkers probe from, inside the lab.
    pub checker_addresses: Vec<IpAddr>,
}

/// The alarm behind a health check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AlarmPlan {
    /// What is measured.
    pub metric: Metric,
    /// The alarm as a whole. The health check evaluates a copy of its settings (R53-139, R53-140).
    pub alarm: Alarm,
    /// What insufficient data mean to the health check (R53-142).
    pub insufficient_data: InsufficientData,
}

/// A metric that the lab's metric store holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// `ApproximateAgeOfOldestMessage` of this cell's queue, seconds.
    QueueAge(String),
    /// The same of this cell's dead-letter queue, counted from the move of the message (R53-205).
    DeadLetterAge(String),
    /// 1 when this synthetic probe succeeded, 0 when not.
    ProbeSuccess(String),
}

/// Somebody who uses a name as a client would, and turns the result into a metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProbePlan {
    /// What it submits telemetry to: a name, absolute.
    pub asks: String,
    /// Which resolver it asks; it looks up anew each time.
    pub resolver: String,
    /// From one probe's start to the next.
    #[serde(with = "seconds")]
    pub every: Duration,
    /// When it gives a probe up.
    #[serde(with = "seconds")]
    pub timeout: Duration,
    /// The address that it probes from, inside the lab.
    pub address: IpAddr,
}

/// Switches that an operator turns, each the evidence of a health check (R53-154).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoutingControlsPlan {
    /// Each control, on or off at the start.
    pub controls: BTreeMap<String, bool>,
    /// A change that leaves fewer than this on is refused; 0: no safety rule.
    pub at_least_on: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn http(search: Option<&str>) -> EndpointPlan {
        let search = search.map(str::to_owned);
        let protocol = CheckProtocol::Http { path: "/".into(), host: None, tls: None, search };
        let check = EndpointCheck { protocol, port: 80, interval: Duration::from_secs(30), failure_threshold: 3 };
        EndpointPlan { cell: "east".into(), name: None, check, checker_addresses: Vec::new() }
    }

    #[track_caller]
    fn update(from: &EndpointPlan, to: HealthCheckKind) -> Result<(), Immutable> {
        let plan = |kind| HealthCheckPlan { status: StatusSettings::default(), kind };
        plan(HealthCheckKind::Endpoint(from.clone())).may_become(&plan(to))
    }

    #[test]
    fn r53_109_type_interval_and_kind_of_endpoint_stay_as_they_were() {
        let from = http(None);
        let edited = |edit: fn(&mut EndpointPlan)| {
            let mut to = from.clone();
            edit(&mut to);
            update(&from, HealthCheckKind::Endpoint(to))
        };
        assert_eq!(update(&from, HealthCheckKind::RoutingControl("east".into())), Err(Immutable("the type")));
        assert_eq!(update(&from, HealthCheckKind::Endpoint(http(Some("ready")))), Err(Immutable("the type")));
        assert_eq!(edited(|to| to.check.protocol = CheckProtocol::Tcp), Err(Immutable("the type")));
        assert_eq!(edited(|to| to.check.interval = Duration::from_secs(10)), Err(Immutable("the interval")));
        assert_eq!(
            edited(|to| to.name = Some("a.example.".into())),
            Err(Immutable("an endpoint by name or by address"))
        );
        assert_eq!(edited(|to| to.check.failure_threshold = 5), Ok(()));
        assert_eq!(update(&http(Some("ready")), HealthCheckKind::Endpoint(http(Some("set")))), Ok(()));
    }
}
