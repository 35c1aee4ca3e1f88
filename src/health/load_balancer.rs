//! What evaluate target health sees of an application load balancer (R53-158, R53-166).
//!
//! It joins two facts, each found out elsewhere: how many targets are healthy, and whether the node can be reached.

use super::target_group::TargetGroup;
use super::target_group_health::{MinimumHealthy, TargetCount};

/// An application load balancer with one target group, as evaluate target health sees it.
///
/// It starts with no healthy target and a reachable node: unhealthy, until the first target passes a check.
#[derive(Clone, Copy, Debug)]
pub struct LoadBalancer {
    targets: TargetCount,
    node_reachable: bool,
}

/// A load balancer's status turned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadBalancerChange {
    /// To what.
    pub healthy: bool,
    /// Why, for people.
    pub reason: String,
}

impl LoadBalancer {
    /// A load balancer with `targets` targets, none of them healthy yet.
    #[must_use]
    pub const fn new(targets: usize) -> Self {
        Self { targets: TargetCount { healthy: 0, registered: targets }, node_reachable: true }
    }

    /// Takes over what the target group has become; the change if the status turned.
    pub fn see_targets(&mut self, group: &TargetGroup) -> Option<LoadBalancerChange> {
        let before = self.is_healthy();
        self.targets = TargetCount { healthy: group.healthy_targets().len(), registered: group.len() };
        self.change_from(before)
    }

    /// Takes over whether the node can be reached; the change if the status turned.
    pub fn see_node(&mut self, reachable: bool) -> Option<LoadBalancerChange> {
        let before = self.is_healthy();
        self.node_reachable = reachable;
        self.change_from(before)
    }

    /// The default minimum of healthy targets, which is one (R53-158, R53-160), behind a node that can be reached
    /// (R53-166).
    #[must_use]
    pub const fn is_healthy(&self) -> bool {
        MinimumHealthy::DEFAULT.is_met(self.targets) && self.node_reachable
    }

    fn change_from(self, before: bool) -> Option<LoadBalancerChange> {
        let healthy = self.is_healthy();
        (healthy != before).then(|| LoadBalancerChange { healthy, reason: self.reason() })
    }

    fn reason(self) -> String {
        let node = if self.node_reachable { "its node can be reached" } else { "its node cannot be reached" };
        format!("{} of {} targets healthy, {node}", self.targets.healthy, self.targets.registered)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::super::target_group::TargetGroupSettings;
    use super::*;
    use crate::clock::LabTime;

    const FIFTEEN: Duration = Duration::from_secs(15);

    fn group() -> TargetGroup {
        let settings = TargetGroupSettings {
            path: "/health".into(),
            interval: FIFTEEN,
            timeout: Duration::from_secs(5),
            unhealthy_threshold: 2,
            healthy_threshold: 5,
        };
        TargetGroup::new(&settings, 2, LabTime::START, &mut ChaCha8Rng::seed_from_u64(1))
    }

    fn check_all(group: &mut TargetGroup, now: LabTime, passed: bool) {
        for target in group.due(now) {
            group.finish(now, target, passed);
        }
    }

    #[test]
    fn r53_158_it_is_unhealthy_until_a_target_passed_and_again_when_all_failed() {
        let (mut group, mut balancer) = (group(), LoadBalancer::new(2));
        assert!(!balancer.is_healthy());
        check_all(&mut group, LabTime::secs(15), true);
        let change = balancer.see_targets(&group).unwrap();
        assert!(change.healthy);
        assert_eq!(change.reason, "2 of 2 targets healthy, its node can be reached");
        assert_eq!(balancer.see_targets(&group), None, "nothing turned");
        check_all(&mut group, LabTime::secs(30), false);
        assert_eq!(balancer.see_targets(&group), None);
        check_all(&mut group, LabTime::secs(45), false);
        let change = balancer.see_targets(&group).unwrap();
        assert!(!change.healthy);
        assert_eq!(change.reason, "0 of 2 targets healthy, its node can be reached");
    }

    #[test]
    fn r53_166_healthy_targets_behind_a_node_that_cannot_be_reached_are_unhealthy() {
        let (mut group, mut balancer) = (group(), LoadBalancer::new(2));
        check_all(&mut group, LabTime::secs(15), true);
        balancer.see_targets(&group);
        let change = balancer.see_node(false).unwrap();
        assert!(!change.healthy && !balancer.is_healthy());
        assert_eq!(change.reason, "2 of 2 targets healthy, its node cannot be reached");
        assert!(balancer.see_node(true).unwrap().healthy);
    }

    #[test]
    fn a_second_reason_to_be_unhealthy_changes_nothing() {
        let mut balancer = LoadBalancer::new(2);
        assert_eq!(balancer.see_node(false), None);
        assert_eq!(balancer.see_node(true), None, "there is still no healthy target");
    }
}
