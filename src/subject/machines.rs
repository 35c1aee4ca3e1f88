//! The health machines of a subject: those of [`crate::health`], set as the subject's deviation has it.
//!
//! Who makes every machine here, and asks here what it cannot ask a machine, drives the reference and every mutant
//! alike.

use rand::Rng;

use crate::clock::LabTime;
use crate::health::{
    Alarm, AlarmCheck, AlarmPoints, AlarmRun, AlarmState, CachedVerdict, CalculatedCheck, EndpointCheck, Fleet,
    FleetRules, InsufficientData, LoadBalancer, ProbeReport, ProberSettings, SearchedBody, StatusSettings, TargetGroup,
    TargetGroupSettings, Verdict,
};

use super::deviation::Deviation;

/// Makes the health machines of one subject.
#[derive(Clone, Copy, Debug)]
pub struct Machines {
    deviation: &'static dyn Deviation,
}

impl Machines {
    /// The machines of a subject with this deviation.
    #[must_use]
    pub const fn of(deviation: &'static dyn Deviation) -> Self {
        Self { deviation }
    }

    /// Inverting and disabling as this subject has them.
    #[must_use]
    pub fn status(&self, status: StatusSettings) -> StatusSettings {
        self.deviation.status(status)
    }

    /// A new endpoint health check, with its fleet of checkers.
    #[must_use]
    pub fn fleet(&self, check: &EndpointCheck, status: StatusSettings, start: LabTime, rng: &mut impl Rng) -> Fleet {
        let check = self.deviation.endpoint_check(check.clone());
        Fleet::with_rules(self.fleet_rules(), &check, self.status(status), start, rng)
    }

    /// Whether so many healthy of so many reporting checkers keep an endpoint healthy.
    #[must_use]
    pub fn endpoint_is_healthy(&self, healthy: usize, reporting: usize) -> bool {
        self.fleet_rules().endpoint_is_healthy(healthy, reporting)
    }

    /// Judges a probe.
    #[must_use]
    pub fn judge(&self, check: &EndpointCheck, report: ProbeReport) -> Verdict {
        check.judge(&self.deviation.probe(check, report))
    }

    /// The body of a probe's answer, sent as it is, in which `sought` is searched for.
    #[must_use]
    pub fn searched_body(&self, sought: &str, body: &[u8]) -> SearchedBody {
        let mut searched = SearchedBody::new(None);
        searched.push(&self.deviation.body(sought, body.to_vec()));
        searched
    }

    /// A calculated health check, for the evidence board to follow.
    #[must_use]
    pub fn calculated(&self, check: CalculatedCheck, status: StatusSettings) -> (CalculatedCheck, StatusSettings) {
        (self.deviation.calculated(check), self.status(status))
    }

    /// The status of the health check on a routing control.
    #[must_use]
    pub fn routing_control_is_healthy(&self, on: bool, status: StatusSettings) -> bool {
        self.status(status).apply(self.deviation.routing_control(on))
    }

    /// A new alarm.
    #[must_use]
    pub fn alarm(&self, alarm: Alarm) -> AlarmRun {
        AlarmRun::new(self.deviation.alarm(alarm))
    }

    /// The state that datapoints make.
    #[must_use]
    pub fn alarm_state(&self, points: &AlarmPoints<'_>) -> AlarmState {
        self.deviation.alarm_state(points)
    }

    /// A new health check on an alarm.
    #[must_use]
    pub fn alarm_check(&self, alarm: Alarm, insufficient: InsufficientData, status: StatusSettings) -> AlarmCheck {
        let insufficient = self.deviation.insufficient_data(insufficient);
        AlarmCheck::new(&self.deviation.alarm(alarm), insufficient, self.status(status))
    }

    /// The verdict of a new prober, whose first probe starts at `start`.
    #[must_use]
    pub fn cached_verdict(&self, settings: ProberSettings, start: LabTime) -> CachedVerdict {
        CachedVerdict::new(&self.deviation.prober(settings), start)
    }

    /// A target group of new targets.
    #[must_use]
    pub fn target_group(
        &self,
        settings: TargetGroupSettings,
        targets: usize,
        start: LabTime,
        rng: &mut impl Rng,
    ) -> TargetGroup {
        TargetGroup::new(&self.deviation.target_group(settings), targets, start, rng)
    }

    /// A load balancer as evaluate target health sees it.
    #[must_use]
    pub fn load_balancer(&self, balancer: LoadBalancer) -> LoadBalancer {
        self.deviation.load_balancer(balancer)
    }

    fn fleet_rules(&self) -> FleetRules {
        self.deviation.fleet_rules(FleetRules::default())
    }
}
