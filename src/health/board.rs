//! The evidence that decisions use, as it stands now.
//!
//! It keeps what it is told. How a status came about is not its matter.

use std::collections::BTreeMap;

use hickory_proto::rr::Name;

use crate::decide::Evidence;
use crate::zone::HealthCheckId;

/// The status of every health check and every AWS resource. What was never set is healthy (R53-103).
///
/// What starts otherwise (an inverted check, a load balancer whose targets are still initial) must be set at the start.
#[derive(Clone, Debug, Default)]
pub struct EvidenceBoard {
    health_checks: BTreeMap<HealthCheckId, bool>,
    resources: BTreeMap<Name, bool>,
}

impl EvidenceBoard {
    /// Sets a health check's status; whether that changed it.
    pub fn set_health_check(&mut self, id: HealthCheckId, healthy: bool) -> bool {
        self.health_checks.insert(id, healthy).unwrap_or(true) != healthy
    }

    /// Sets the status of an AWS resource, by the alias target's name; whether that changed it.
    pub fn set_resource(&mut self, target: Name, healthy: bool) -> bool {
        self.resources.insert(target, healthy).unwrap_or(true) != healthy
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
        assert!(!board.set_health_check(id.clone(), true), "it was healthy before");
        assert!(board.set_health_check(id.clone(), false));
        assert!(!board.set_health_check(id.clone(), false));
        assert!(!board.health_check_is_healthy(&id));
        assert!(board.health_check_is_healthy(&HealthCheckId("other".into())));
        assert!(board.set_health_check(id, true));
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
