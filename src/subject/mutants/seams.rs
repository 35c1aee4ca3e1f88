//! One deviation per seam, made of a function: most mutants need no more.

use hickory_proto::op::Message;

use crate::clock::LabTime;
use crate::decide::{Decision, Switches, Viewpoint};
use crate::health::{
    AlarmState, CalculatedCheck, EndpointCheck, FleetRules, InsufficientData, LoadBalancer, ProbeReport,
    ProberSettings, StatusSettings,
};
use crate::subject::{AlarmPoints, Case, Deviation};
use crate::zone::{HealthCheckId, RecordSet, Zone, ZoneError};

use super::edited::each;

/// Decides over another zone.
#[derive(Debug)]
pub(super) struct OverZone(pub(super) fn(Zone) -> Zone);

impl Deviation for OverZone {
    fn zone(&self, zone: Zone) -> Zone {
        self.0(zone)
    }
}

/// Takes some records for unhealthy, whatever their health check says.
#[derive(Debug)]
pub(super) struct NeverHealthy(pub(super) fn(&RecordSet) -> bool);

impl NeverHealthy {
    /// No record can be called so: an id has no spaces.
    fn id() -> HealthCheckId {
        HealthCheckId("never healthy".to_owned())
    }
}

impl Deviation for NeverHealthy {
    fn zone(&self, zone: Zone) -> Zone {
        each(zone, |record| {
            if self.0(record) {
                record.health_check = Some(Self::id());
            }
        })
    }

    fn health_check(&self, id: &HealthCheckId, healthy: bool) -> bool {
        healthy && *id != Self::id()
    }
}

/// Decides with other switches.
#[derive(Debug)]
pub(super) struct Switched(pub(super) fn(&mut Switches));

impl Deviation for Switched {
    fn switches(&self, mut switches: Switches) -> Switches {
        self.0(&mut switches);
        switches
    }
}

/// Sees a sender elsewhere.
#[derive(Debug)]
pub(super) struct SeenFrom(pub(super) fn(&mut Viewpoint));

impl Deviation for SeenFrom {
    fn viewpoint(&self, mut viewpoint: Viewpoint) -> Viewpoint {
        self.0(&mut viewpoint);
        viewpoint
    }
}

/// Decides otherwise.
#[derive(Debug)]
pub(super) struct Deciding(pub(super) fn(&Case<'_>) -> Decision);

impl Deviation for Deciding {
    fn decide(&self, case: &Case<'_>) -> Decision {
        self.0(case)
    }
}

/// Changes the answer on its way out.
#[derive(Debug)]
pub(super) struct Answering(pub(super) fn(&Case<'_>, LabTime, &mut Message));

impl Deviation for Answering {
    fn answer(&self, case: &Case<'_>, _decision: &Decision, now: LabTime, mut answer: Message) -> Message {
        self.0(case, now, &mut answer);
        answer
    }
}

/// Inverts and disables otherwise.
#[derive(Debug)]
pub(super) struct WithStatus(pub(super) fn(StatusSettings) -> StatusSettings);

impl Deviation for WithStatus {
    fn status(&self, status: StatusSettings) -> StatusSettings {
        self.0(status)
    }
}

/// Sets an endpoint check otherwise.
#[derive(Debug)]
pub(super) struct Checking(pub(super) fn(&mut EndpointCheck));

impl Deviation for Checking {
    fn endpoint_check(&self, mut check: EndpointCheck) -> EndpointCheck {
        self.0(&mut check);
        check
    }
}

/// Aggregates the views of checkers otherwise.
#[derive(Debug)]
pub(super) struct ByRules(pub(super) fn(&mut FleetRules));

impl Deviation for ByRules {
    fn fleet_rules(&self, mut rules: FleetRules) -> FleetRules {
        self.0(&mut rules);
        rules
    }
}

/// Sees a probe's report otherwise.
#[derive(Debug)]
pub(super) struct Probing(pub(super) fn(&EndpointCheck, &mut ProbeReport));

impl Deviation for Probing {
    fn probe(&self, check: &EndpointCheck, mut report: ProbeReport) -> ProbeReport {
        self.0(check, &mut report);
        report
    }
}

/// Searches another body.
#[derive(Debug)]
pub(super) struct Searching(pub(super) fn(&str, Vec<u8>) -> Vec<u8>);

impl Deviation for Searching {
    fn body(&self, sought: &str, body: Vec<u8>) -> Vec<u8> {
        self.0(sought, body)
    }
}

/// Sets a calculated check otherwise.
#[derive(Debug)]
pub(super) struct Calculating(pub(super) fn(&mut CalculatedCheck));

impl Deviation for Calculating {
    fn calculated(&self, mut check: CalculatedCheck) -> CalculatedCheck {
        self.0(&mut check);
        check
    }
}

/// Evaluates an alarm's datapoints otherwise.
#[derive(Debug)]
pub(super) struct Evaluating(pub(super) fn(&AlarmPoints<'_>) -> AlarmState);

impl Deviation for Evaluating {
    fn alarm_state(&self, points: &AlarmPoints<'_>) -> AlarmState {
        self.0(points)
    }
}

/// Makes something else of insufficient data.
#[derive(Debug)]
pub(super) struct Insufficient(pub(super) fn(InsufficientData) -> InsufficientData);

impl Deviation for Insufficient {
    fn insufficient_data(&self, setting: InsufficientData) -> InsufficientData {
        self.0(setting)
    }
}

/// Sets a prober otherwise.
#[derive(Debug)]
pub(super) struct ProbingEngines(pub(super) fn(&mut ProberSettings));

impl Deviation for ProbingEngines {
    fn prober(&self, mut settings: ProberSettings) -> ProberSettings {
        self.0(&mut settings);
        settings
    }
}

/// Sees a load balancer otherwise.
#[derive(Debug)]
pub(super) struct Balancing(pub(super) fn(&mut LoadBalancer));

impl Deviation for Balancing {
    fn load_balancer(&self, mut balancer: LoadBalancer) -> LoadBalancer {
        self.0(&mut balancer);
        balancer
    }
}

/// Takes what should be refused.
#[derive(Debug)]
pub(super) struct Accepting(pub(super) fn(&ZoneError) -> bool);

impl Deviation for Accepting {
    fn refusals(&self, mut problems: Vec<ZoneError>) -> Vec<ZoneError> {
        problems.retain(|problem| !self.0(problem));
        problems
    }
}
