//! The evidence that decisions use, as it stands now.
//!
//! It keeps what it is told, and what calculated health checks make of it. How a status came about is not its matter.

use std::collections::BTreeMap;

use hickory_proto::rr::Name;

use crate::decide::Evidence;
use crate::zone::HealthCheckId;

use super::calculated_check::CalculatedCheck;
use super::status_settings::StatusSettings;

/// The status of every health check and every AWS resource. What was never set is healthy (R53-103).
///
/// What starts otherwise (an inverted check, a load balancer whose targets are still initial) must be set at the start.
/// Calculated health checks are never set: they follow their children at once.
#[derive(Clone, Debug, Default)]
pub struct EvidenceBoard {
    health_checks: BTreeMap<HealthCheckId, bool>,
    resources: BTreeMap<Name, bool>,
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r53_103_what_was_never_set_is_healthy() {
        let board = EvidenceBoard::default();
        assert!(board.health_check_is_healthy(&HealthCheckId("hc".into())));
        assert!(board.resource_is_healthy(&name("alb.example.")));
    }

    #[test]
    fn a_status_is_kept_for_its_own_check_only_and_a_repetition_changes_nothing() {
        let (mut board, id) = (EvidenceBoard::default(), HealthCheckId("hc".into()));
        assert_eq!(board.set_health_check(id.clone(), true), [], "it was healthy before");
        assert_eq!(board.set_health_check(id.clone(), false).len(), 1);
        assert_eq!(board.set_health_check(id.clone(), false), []);
        assert!(!board.health_check_is_healthy(&id));
        assert!(board.health_check_is_healthy(&HealthCheckId("other".into())));
        assert_eq!(board.set_health_check(id, true).len(), 1);
    }

    #[test]
    fn a_resource_is_found_by_its_name_whatever_the_case() {
        let mut board = EvidenceBoard::default();
        assert!(board.set_resource(name("ALB.example."), false));
        assert!(!board.resource_is_healthy(&name("alb.example.")));
        assert!(!board.set_resource(name("alb.EXAMPLE."), false));
    }

    fn name(text: &str) -> Name {
        Name::from_ascii(text).unwrap()
    }
}
