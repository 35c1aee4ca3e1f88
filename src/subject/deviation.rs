//! Where a subject can be made to differ from the reference: one trait, every method of which is the identity unless a
//! deviation says otherwise.
//!
//! The seams are those that the rooms without I/O have anyway: what goes into them, what they are set to, and what comes
//! out. No rule is written here.

use std::fmt;

use hickory_proto::op::Message;
use hickory_proto::rr::Name;
use ipnet::IpNet;

use crate::clock::LabTime;
use crate::decide::{Decision, Evidence, Question, Switches, Viewpoint, decide};
use crate::dns_message::Transport;
use crate::health::{
    Alarm, AlarmPoints, AlarmState, CalculatedCheck, EndpointCheck, FleetRules, InsufficientData, LoadBalancer,
    ProbeReport, ProberSettings, StatusSettings, TargetGroupSettings,
};
use crate::zone::{HealthCheckId, Zone, ZoneError};

/// One question as it comes to a decision.
#[derive(Clone, Copy)]
pub struct Case<'c> {
    /// What is decided over.
    pub zone: &'c Zone,
    /// What is asked, and from where.
    pub question: &'c Question,
    /// What is known of health.
    pub evidence: &'c dyn Evidence,
    /// Rules that AWS does not state in words.
    pub switches: Switches,
}

impl Case<'_> {
    /// The reference's decision.
    #[must_use]
    pub fn decide(&self) -> Decision {
        decide(self.zone, self.question, self.evidence, self.switches)
    }
}

/// A small difference from the reference: the methods that are overridden make it, all others are the identity.
///
/// A deviation keeps no state: the same input is always deviated in the same way.
pub trait Deviation: fmt::Debug + Sync {
    /// The zone that is decided over. Values that the zone does not hold have no wire form, so none can be added.
    fn zone(&self, zone: Zone) -> Zone {
        zone
    }

    /// What is refused of a zone, a change batch or a health check's use.
    fn refusals(&self, problems: Vec<ZoneError>) -> Vec<ZoneError> {
        problems
    }

    /// Rules that AWS does not state in words.
    fn switches(&self, switches: Switches) -> Switches {
        switches
    }

    /// The client subnet that a query carries.
    fn client_subnet(&self, subnet: Option<IpNet>) -> Option<IpNet> {
        subnet
    }

    /// What is known of a sender.
    fn viewpoint(&self, viewpoint: Viewpoint) -> Viewpoint {
        viewpoint
    }

    /// The status of a health check, as a query sees it.
    fn health_check(&self, _id: &HealthCheckId, healthy: bool) -> bool {
        healthy
    }

    /// The health of an AWS resource, as evaluate target health sees it.
    fn resource(&self, _target: &Name, healthy: bool) -> bool {
        healthy
    }

    /// What may be answered.
    fn decide(&self, case: &Case<'_>) -> Decision {
        case.decide()
    }

    /// The answer before it has its wire form.
    fn answer(&self, _case: &Case<'_>, _decision: &Decision, _now: LabTime, answer: Message) -> Message {
        answer
    }

    /// How a query came, which limits the answer's size.
    fn transport(&self, transport: Transport) -> Transport {
        transport
    }

    /// Inverting and disabling, of every kind of health check.
    fn status(&self, status: StatusSettings) -> StatusSettings {
        status
    }

    /// What an endpoint health check is set to.
    fn endpoint_check(&self, check: EndpointCheck) -> EndpointCheck {
        check
    }

    /// What a probe saw, before it is judged.
    fn probe(&self, _check: &EndpointCheck, report: ProbeReport) -> ProbeReport {
        report
    }

    /// The body that a probe got, after gzip or deflate is undone, before the string is searched for.
    fn body(&self, _sought: &str, body: Vec<u8>) -> Vec<u8> {
        body
    }

    /// How many checkers make a status, and what turns one checker's view.
    fn fleet_rules(&self, rules: FleetRules) -> FleetRules {
        rules
    }

    /// What a calculated health check is set to.
    fn calculated(&self, check: CalculatedCheck) -> CalculatedCheck {
        check
    }

    /// Whether a routing control counts as on.
    fn routing_control(&self, on: bool) -> bool {
        on
    }

    /// What an alarm is set to, before it is run or copied by a health check.
    fn alarm(&self, alarm: Alarm) -> Alarm {
        alarm
    }

    /// The state that an alarm's datapoints make.
    fn alarm_state(&self, points: &AlarmPoints<'_>) -> AlarmState {
        points.evaluate()
    }

    /// What a health check on an alarm makes of insufficient data.
    fn insufficient_data(&self, setting: InsufficientData) -> InsufficientData {
        setting
    }

    /// What the prober of an inference engine is set to.
    fn prober(&self, settings: ProberSettings) -> ProberSettings {
        settings
    }

    /// How a load balancer checks its targets.
    fn target_group(&self, settings: TargetGroupSettings) -> TargetGroupSettings {
        settings
    }

    /// A load balancer as evaluate target health sees it.
    fn load_balancer(&self, balancer: LoadBalancer) -> LoadBalancer {
        balancer
    }
}

/// No deviation.
#[derive(Clone, Copy, Debug)]
pub struct Reference;

impl Deviation for Reference {}
