//! The evidence that decisions use, as it stands now.
//!
//! It keeps what it is told, and what calculated health checks make of it. How a status came about is not its matter.

use std::collections::{BTreeMap, BTreeSet};

use hickory_proto::rr::Name;

use crate::decide::Evidence;
use crate::zone::HealthCheckId;

use super::calculated_check::CalculatedCheck;
use super::resource_evidence::ResourceEvidence;
use super::status_settings::StatusSettings;

/// The status of every health check and every AWS resource. What was never set is healthy (R53-103).
///
/// What starts otherwise (an inverted check, a load balancer whose targets are still initial) must be set at the start.
/// Calculated health checks are never set: they follow their children at once.
#[derive(Clone, Debug, Default)]
pub struct EvidenceBoard {
    health_checks: BTreeMap<HealthCheckId, bool>,
    resources: BTreeMap<Name, bool>,
    /// Of the resources whose zones were ever told.
    answered_zones: BTreeMap<Name, BTreeSet<String>>,
    calculated: BTreeMap<HealthCheckId, (CalculatedCheck, StatusSettings)>,
}

/// A health check's status turned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusChange {
    /// Whose.
    pub id: HealthCheckId,
    /// To what.
    pub healthy: bool,
    /// Why, for people; of a calculated check with the children that speak against it.
    pub reason: String,
}

impl EvidenceBoard {
    /// A board that knows these calculated health checks.
    ///
    /// Their children are healthy until they are set otherwise, so a calculated check may start unhealthy: see
    /// [`unhealthy_calculated`](Self::unhealthy_calculated).
    #[must_use]
    pub fn with_calculated(checks: BTreeMap<HealthCheckId, (CalculatedCheck, StatusSettings)>) -> Self {
        let mut board = Self { calculated: checks, ..Self::default() };
        let _ = board.follow_children();
        board
    }

    /// Adds a calculated health check, or sets it anew; what turned.
    pub fn set_calculated(
        &mut self,
        id: HealthCheckId,
        check: CalculatedCheck,
        status: StatusSettings,
    ) -> Vec<StatusChange> {
        self.calculated.insert(id, (check, status));
        self.follow_children()
    }

    /// Sets a health check's status. What turned: the check itself, then every calculated one because of it.
    ///
    /// A calculated check cannot be set: nothing turns.
    pub fn set_health_check(&mut self, id: HealthCheckId, healthy: bool) -> Vec<StatusChange> {
        if self.calculated.contains_key(&id) || self.health_check_is_healthy(&id) == healthy {
            return Vec::new();
        }
        self.health_checks.insert(id.clone(), healthy);
        let own = StatusChange { id, healthy, reason: "its own evidence".to_owned() };
        [own].into_iter().chain(self.follow_children()).collect()
    }

    /// Every calculated check that is unhealthy now, and why. Asked once the starting statuses are set, these are the
    /// ones that do not start healthy as everything else does.
    #[must_use]
    pub fn unhealthy_calculated(&self) -> Vec<StatusChange> {
        let unhealthy = self.calculated.iter().filter(|(id, _)| !self.health_check_is_healthy(id));
        unhealthy.map(|(id, (check, status))| self.change(id, check, *status, false)).collect()
    }

    /// Sets the status of an AWS resource, by the alias target's name; whether that changed it.
    pub fn set_resource(&mut self, target: Name, healthy: bool) -> bool {
        self.resources.insert(target, healthy).unwrap_or(true) != healthy
    }

    /// Sets the zones whose addresses an AWS resource's own name answers with, by the alias target's name (R53-163).
    pub fn set_answered_zones(&mut self, target: Name, zones: BTreeSet<String>) {
        self.answered_zones.insert(target, zones);
    }

    /// Takes in news of an AWS resource.
    pub fn take(&mut self, news: ResourceEvidence) {
        match news {
            ResourceEvidence::Health { target, healthy } => {
                self.set_resource(target, healthy);
            }
            ResourceEvidence::AnsweredZones { target, zones } => self.set_answered_zones(target, zones),
        }
    }

    /// Brings every calculated check up to date; those that turned. None counts another (R53-133), so once is enough.
    fn follow_children(&mut self) -> Vec<StatusChange> {
        let mut changes = Vec::new();
        for (id, (check, status)) in &self.calculated {
            let healthy = status.apply(check.status(|child| self.health_check_is_healthy(child)));
            if healthy != self.health_check_is_healthy(id) {
                changes.push(self.change(id, check, *status, healthy));
            }
        }
        self.health_checks.extend(changes.iter().map(|change| (change.id.clone(), change.healthy)));
        changes
    }

    fn change(
        &self,
        id: &HealthCheckId,
        check: &CalculatedCheck,
        status: StatusSettings,
        healthy: bool,
    ) -> StatusChange {
        let reason = if status.disabled { "disabled".to_owned() } else { self.count_of_children(check) };
        let inverted = if status.inverted { ", inverted" } else { "" };
        StatusChange { id: id.clone(), healthy, reason: format!("{reason}{inverted}") }
    }

    fn count_of_children(&self, check: &CalculatedCheck) -> String {
        let children = check.children.iter();
        let unhealthy: Vec<_> =
            children.filter(|&id| !self.health_check_is_healthy(id)).map(|id| id.0.as_str()).collect();
        let (of, threshold) = (check.children.len(), check.healthy_threshold);
        let count = format!("{} of {of} children healthy, {threshold} needed", of - unhealthy.len());
        if unhealthy.is_empty() { count } else { format!("{count}; unhealthy: {}", unhealthy.join(", ")) }
    }
}
impl Evidence for EvidenceBoard {
    fn health_check_is_healthy(&self, id: &HealthCheckId) -> bool {
        self.health_checks.get(id).copied().unwrap_or(true)
    }

    fn resource_is_healthy(&self, target: &Name) -> bool {
        self.resources.get(target).copied().unwrap_or(true)
    }

    fn zone_is_answered(&self, target: &Name, zone: &str) -> bool {
        self.answered_zones.get(target).is_none_or(|zones| zones.contains(zone))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r53_103_what_was_never_set_is_healthy() {
        let board = EvidenceBoard::default();
        assert!(board.health_check_is_healthy(&id("hc")));
        assert!(board.resource_is_healthy(&name("alb.example.")));
    }

    #[test]
    fn r53_163_the_zones_of_a_resource_are_all_answered_until_some_are_told() {
        let (mut board, alb) = (EvidenceBoard::default(), name("alb.example."));
        assert!(board.zone_is_answered(&alb, "a"));
        board.set_answered_zones(name("ALB.example."), ["b".to_owned()].into());
        assert!(!board.zone_is_answered(&alb, "a") && board.zone_is_answered(&alb, "b"));
        assert!(board.zone_is_answered(&name("other.example."), "a"));
    }

    #[test]
    fn a_status_is_kept_for_its_own_check_only_and_a_repetition_changes_nothing() {
        let (mut board, hc) = (EvidenceBoard::default(), id("hc"));
        assert_eq!(board.set_health_check(hc.clone(), true), [], "it was healthy before");
        assert_eq!(board.set_health_check(hc.clone(), false).len(), 1);
        assert_eq!(board.set_health_check(hc.clone(), false), []);
        assert!(!board.health_check_is_healthy(&hc));
        assert!(board.health_check_is_healthy(&id("other")));
        assert_eq!(board.set_health_check(hc, true).len(), 1);
    }

    #[test]
    fn a_resource_is_found_by_its_name_whatever_the_case() {
        let mut board = EvidenceBoard::default();
        assert!(board.set_resource(name("ALB.example."), false));
        assert!(!board.resource_is_healthy(&name("alb.example.")));
        assert!(!board.set_resource(name("alb.EXAMPLE."), false));
    }

    /// The region of a drain by hand: `endpoint AND alarm AND NOT drain`.
    fn region(status: StatusSettings) -> EvidenceBoard {
        let children = ["endpoint", "alarm", "drain"].map(id).to_vec();
        let check = CalculatedCheck { children, healthy_threshold: 3 };
        EvidenceBoard::with_calculated([(id("region"), (check, status))].into())
    }

    #[test]
    fn r53_128_a_calculated_check_that_comes_later_follows_its_children_at_once() {
        let mut board = EvidenceBoard::default();
        board.set_health_check(id("child"), false);
        let check = |healthy_threshold| CalculatedCheck { children: vec![id("child")], healthy_threshold };
        let changes = board.set_calculated(id("all"), check(1), StatusSettings::default());
        assert_eq!(changes.len(), 1);
        assert!(!board.health_check_is_healthy(&id("all")));
        board.set_calculated(id("all"), check(0), StatusSettings::default());
        assert!(board.health_check_is_healthy(&id("all")), "it was set anew");
    }

    #[test]
    fn r53_128_a_calculated_check_turns_with_the_child_that_turns_it() {
        let mut board = region(StatusSettings::default());
        assert!(board.health_check_is_healthy(&id("region")));
        let changes = board.set_health_check(id("alarm"), false);
        assert_eq!(
            changes,
            [
                StatusChange { id: id("alarm"), healthy: false, reason: "its own evidence".into() },
                StatusChange {
                    id: id("region"),
                    healthy: false,
                    reason: "2 of 3 children healthy, 3 needed; unhealthy: alarm".into(),
                },
            ]
        );
        assert!(!board.health_check_is_healthy(&id("region")));
        assert_eq!(board.set_health_check(id("drain"), false).len(), 1, "it was unhealthy before");
        assert_eq!(board.set_health_check(id("alarm"), true).len(), 1, "one child still is");
        let changes = board.set_health_check(id("drain"), true);
        assert_eq!(changes[1].reason, "3 of 3 children healthy, 3 needed");
        assert!(changes[1].healthy && board.health_check_is_healthy(&id("region")));
    }

    #[test]
    fn r53_130_a_calculated_check_that_starts_unhealthy_is_told() {
        let check = CalculatedCheck { children: vec![id("endpoint")], healthy_threshold: 2 };
        let board = EvidenceBoard::with_calculated([(id("never"), (check, StatusSettings::default()))].into());
        assert!(!board.health_check_is_healthy(&id("never")));
        let reason = "1 of 1 children healthy, 2 needed".to_owned();
        assert_eq!(board.unhealthy_calculated(), [StatusChange { id: id("never"), healthy: false, reason }]);
        assert_eq!(region(StatusSettings::default()).unhealthy_calculated(), []);
    }

    #[test]
    fn r53_104_to_106_a_calculated_check_is_inverted_and_disabled_like_any_other() {
        let mut inverted = region(StatusSettings { inverted: true, disabled: false });
        assert_eq!(inverted.unhealthy_calculated()[0].reason, "3 of 3 children healthy, 3 needed, inverted");
        assert!(inverted.set_health_check(id("drain"), false)[1].healthy);
        let mut disabled = region(StatusSettings { inverted: false, disabled: true });
        assert_eq!(disabled.set_health_check(id("drain"), false).len(), 1);
        assert!(disabled.health_check_is_healthy(&id("region")));
        let taken_away = region(StatusSettings { inverted: true, disabled: true });
        assert_eq!(taken_away.unhealthy_calculated()[0].reason, "disabled, inverted");
    }

    #[test]
    fn a_calculated_check_cannot_be_set() {
        let mut board = region(StatusSettings::default());
        assert_eq!(board.set_health_check(id("region"), false), []);
        assert!(board.health_check_is_healthy(&id("region")));
    }

    #[test]
    fn a_child_turns_every_calculated_check_that_counts_it() {
        let of = |children: &[&str]| CalculatedCheck {
            children: children.iter().copied().map(id).collect(),
            healthy_threshold: 1,
        };
        let status = StatusSettings::default();
        let checks = [("x", of(&["a"])), ("y", of(&["a", "b"])), ("z", of(&["a"]))];
        let checks = checks.map(|(name, check)| (id(name), (check, status)));
        let mut board = EvidenceBoard::with_calculated(checks.into());
        let turned: Vec<_> = board.set_health_check(id("a"), false).into_iter().map(|change| change.id).collect();
        assert_eq!(turned, [id("a"), id("x"), id("z")]);
    }

    fn id(text: &str) -> HealthCheckId {
        HealthCheckId(text.to_owned())
    }

    fn name(text: &str) -> Name {
        Name::from_ascii(text).unwrap()
    }
}
