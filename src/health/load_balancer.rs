//! What evaluate target health sees of a load balancer with its zones and target groups, and what the load balancer's
//! own name answers with (R53-157 to R53-167).
//!
//! It draws conclusions from counts. Nothing here checks a target, and no drill is known here.

use std::collections::BTreeSet;

use super::target_group_health::{MinimumHealthy, TargetCount, TargetGroupHealth};

/// What a target group without any registered target means. AWS says both (R53-159).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EmptyGroup {
    /// It is unhealthy.
    #[default]
    Unhealthy,
    /// It does not count.
    Ignored,
}

/// An application or network load balancer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadBalancer {
    /// The zones that it has a node in.
    pub zones: BTreeSet<String>,
    /// Whether a zone's node sends to the targets of every zone.
    pub cross_zone: bool,
    /// What a group without targets means.
    pub empty_group: EmptyGroup,
    /// Every attached target group, whichever name it serves.
    pub groups: Vec<TargetGroupHealth>,
    /// Whether Route 53's own checks reach its nodes (R53-166).
    pub reachable: bool,
}

impl LoadBalancer {
    /// The zones in which every target group that counts has enough healthy targets (R53-160 to R53-162).
    #[must_use]
    pub fn healthy_zones(&self) -> BTreeSet<&str> {
        let suffices = |zone: &str, group: &TargetGroupHealth| group.suffices_for(zone, self.cross_zone);
        let is_healthy = |zone: &&str| self.counted_groups().all(|group| suffices(zone, group));
        self.zones.iter().map(String::as_str).filter(is_healthy).collect()
    }

    /// The zones whose addresses the load balancer's own name answers with: the healthy ones, or all when none is
    /// (R53-163, R53-164).
    #[must_use]
    pub fn answered_zones(&self) -> BTreeSet<&str> {
        let healthy = self.healthy_zones();
        if healthy.is_empty() { self.zones.iter().map(String::as_str).collect() } else { healthy }
    }

    /// What evaluate target health makes of it, for every name that points at it: it can be reached (R53-166), no
    /// group has unhealthy targets only (R53-158), and a zone is healthy (R53-163).
    ///
    /// AWS leaves open which of the last two decides when, without cross-zone load balancing, each zone is bad for
    /// another group. Here both must hold, so that such a load balancer is unhealthy.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        self.reachable
            && self.counted_groups().all(TargetGroupHealth::has_healthy_target)
            && !self.healthy_zones().is_empty()
    }

    /// What turned since `before`: its zones in their order, then what evaluate target health makes of the whole.
    #[must_use]
    pub fn turns_since(&self, before: &Self) -> Vec<LoadBalancerChange> {
        let (then, now) = (before.healthy_zones(), self.healthy_zones());
        let turned = self.zones.iter().filter(|zone| then.contains(zone.as_str()) != now.contains(zone.as_str()));
        let zones = turned.map(|zone| LoadBalancerChange {
            zone: Some(zone.clone()),
            healthy: now.contains(zone.as_str()),
            reason: self.count(Some(zone).filter(|_| !self.cross_zone)),
        });
        let whole = (self.is_healthy() != before.is_healthy()).then(|| LoadBalancerChange {
            zone: None,
            healthy: self.is_healthy(),
            reason: self.reason(),
        });
        zones.chain(whole).collect()
    }

    fn reason(&self) -> String {
        let node = if self.reachable { "its node can be reached" } else { "its node cannot be reached" };
        format!("{}, {node}", self.count(None))
    }

    /// How many targets of a zone, or of all, are healthy, and how many must be where that is not the default.
    fn count(&self, zone: Option<&String>) -> String {
        let count = |group: &TargetGroupHealth| match zone {
            Some(zone) => group.targets_of(zone),
            None => group.all_targets().unwrap_or_default(),
        };
        let TargetCount { healthy, registered } = self.groups.iter().map(count).sum();
        let minimums = self.groups.iter().filter_map(TargetGroupHealth::minimum);
        let needed = minimums.filter(|minimum| *minimum != MinimumHealthy::DEFAULT).map(|it| format!(" ({it} needed)"));
        format!("{healthy} of {registered} targets healthy{}", needed.collect::<String>())
    }

    fn counted_groups(&self) -> impl Iterator<Item = &TargetGroupHealth> {
        self.groups.iter().filter(|group| self.empty_group == EmptyGroup::Unhealthy || !group.is_empty())
    }
}

/// A status of a load balancer turned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadBalancerChange {
    /// Of which zone; `None`: what evaluate target health sees of the whole.
    pub zone: Option<String>,
    /// To what.
    pub healthy: bool,
    /// Why, for people.
    pub reason: String,
}

/// What evaluate target health makes of a Classic Load Balancer with so many healthy instances (R53-157).
#[must_use]
pub const fn classic_load_balancer_is_healthy(healthy_instances: usize, reachable: bool) -> bool {
    healthy_instances > 0 && reachable
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Healthy and registered targets in the zones `a` and `b`.
    fn group(a: (usize, usize), b: (usize, usize)) -> TargetGroupHealth {
        let zone = |name: &str, (healthy, registered)| (name.to_owned(), TargetCount { healthy, registered });
        let zones = [zone("a", a), zone("b", b)].into();
        TargetGroupHealth::Targets { minimum: MinimumHealthy::DEFAULT, zones }
    }

    fn balancer(cross_zone: bool, groups: impl Into<Vec<TargetGroupHealth>>) -> LoadBalancer {
        let zones = ["a", "b"].map(str::to_owned).into();
        let empty_group = EmptyGroup::default();
        LoadBalancer { zones, cross_zone, empty_group, groups: groups.into(), reachable: true }
    }

    fn zones<const N: usize>(names: [&str; N]) -> BTreeSet<&str> {
        names.into()
    }

    #[test]
    fn r53_157_a_classic_load_balancer_needs_a_healthy_instance_and_itself() {
        assert!(classic_load_balancer_is_healthy(1, true));
        assert!(!classic_load_balancer_is_healthy(0, true));
        assert!(!classic_load_balancer_is_healthy(1, false));
    }

    #[test]
    fn r53_158_one_group_with_only_unhealthy_targets_is_enough_for_all_names() {
        for cross_zone in [true, false] {
            assert!(balancer(cross_zone, [group((2, 2), (2, 2)), group((1, 2), (1, 2))]).is_healthy());
            assert!(!balancer(cross_zone, [group((2, 2), (2, 2)), group((0, 2), (0, 2))]).is_healthy());
        }
    }

    #[test]
    fn r53_158_such_a_group_counts_even_where_no_minimum_is_set() {
        let count = TargetCount { healthy: 0, registered: 1 };
        let minimum = MinimumHealthy { count: None, percentage: None };
        let balancer = balancer(true, [TargetGroupHealth::Targets { minimum, zones: [("a".into(), count)].into() }]);
        assert_eq!(balancer.healthy_zones(), zones(["a", "b"]));
        assert!(!balancer.is_healthy());
    }

    #[test]
    fn r53_159_an_empty_group_is_unhealthy_unless_the_switch_says_that_it_does_not_count() {
        let mut balancer = balancer(true, [group((1, 1), (1, 1)), group((0, 0), (0, 0))]);
        assert!(!balancer.is_healthy());
        balancer.empty_group = EmptyGroup::Ignored;
        assert!(balancer.is_healthy());
        assert_eq!(balancer.healthy_zones(), zones(["a", "b"]));
    }

    #[test]
    fn r53_161_without_cross_zone_a_zone_needs_every_group() {
        let balancer = balancer(false, [group((1, 1), (1, 1)), group((1, 1), (0, 1))]);
        assert_eq!(balancer.healthy_zones(), zones(["a"]));
    }

    #[test]
    fn r53_162_with_cross_zone_a_zone_lives_on_the_targets_of_the_other() {
        let balancer = balancer(true, [group((1, 1), (1, 1)), group((1, 1), (0, 1))]);
        assert_eq!(balancer.healthy_zones(), zones(["a", "b"]));
    }

    #[test]
    fn r53_163_with_some_zones_healthy_only_those_answer_and_the_whole_is_healthy() {
        let balancer = balancer(false, [group((1, 1), (0, 1))]);
        assert_eq!(balancer.answered_zones(), zones(["a"]));
        assert!(balancer.is_healthy());
    }

    #[test]
    fn r53_164_with_all_zones_unhealthy_all_answer() {
        let balancer = balancer(false, [group((0, 1), (0, 1))]);
        assert!(balancer.healthy_zones().is_empty());
        assert_eq!(balancer.answered_zones(), zones(["a", "b"]));
        assert!(!balancer.is_healthy(), "evaluate target health sees what its own name hides");
    }

    #[test]
    fn zones_that_are_bad_for_different_groups_leave_no_zone_and_so_no_health() {
        let balancer = balancer(false, [group((1, 1), (0, 1)), group((0, 1), (1, 1))]);
        assert!(balancer.healthy_zones().is_empty());
        assert!(!balancer.is_healthy());
    }

    #[test]
    fn r53_166_healthy_targets_behind_nodes_that_cannot_be_reached_are_unhealthy() {
        let mut balancer = balancer(true, [group((1, 1), (1, 1))]);
        balancer.reachable = false;
        assert!(!balancer.is_healthy());
    }

    #[test]
    fn r53_167_a_function_beside_a_group_matters_only_when_it_is_checked() {
        let with = |check| balancer(true, [group((1, 1), (1, 1)), TargetGroupHealth::Lambda { check }]).is_healthy();
        assert!(with(None) && with(Some(true)));
        assert!(!with(Some(false)));
    }

    fn turned(zone: Option<&str>, healthy: bool, reason: &str) -> LoadBalancerChange {
        LoadBalancerChange { zone: zone.map(str::to_owned), healthy, reason: reason.to_owned() }
    }

    #[test]
    fn r53_158_it_turns_when_its_first_target_is_healthy_and_when_its_last_one_is_not() {
        let (none, one) = (balancer(true, [group((0, 1), (0, 1))]), balancer(true, [group((1, 1), (0, 1))]));
        let all = balancer(true, [group((1, 1), (1, 1))]);
        let whole = turned(None, true, "1 of 2 targets healthy, its node can be reached");
        assert_eq!(one.turns_since(&none).last(), Some(&whole));
        assert_eq!(all.turns_since(&one), [], "nothing turned");
        let whole = turned(None, false, "0 of 2 targets healthy, its node can be reached");
        assert_eq!(none.turns_since(&all).last(), Some(&whole));
    }

    #[test]
    fn r53_163_a_zone_turns_alone_while_another_is_healthy() {
        let (all, one) = (balancer(false, [group((2, 2), (2, 2))]), balancer(false, [group((0, 2), (2, 2))]));
        assert_eq!(one.turns_since(&all), [turned(Some("a"), false, "0 of 2 targets healthy")]);
        assert_eq!(all.turns_since(&one), [turned(Some("a"), true, "2 of 2 targets healthy")]);
    }

    #[test]
    fn r53_160_what_falls_below_its_minimum_turns_and_says_what_was_needed() {
        let with = |group| {
            let TargetGroupHealth::Targets { zones, .. } = group else { unreachable!("a group of targets") };
            let minimum = MinimumHealthy { count: Some(1), percentage: Some(75) };
            balancer(true, [TargetGroupHealth::Targets { minimum, zones }])
        };
        let (all, half) = (with(group((2, 2), (2, 2))), with(group((0, 2), (2, 2))));
        let count = "2 of 4 targets healthy (at least 1 and 75 % needed)";
        let whole = format!("{count}, its node can be reached");
        let turns = [turned(Some("a"), false, count), turned(Some("b"), false, count), turned(None, false, &whole)];
        assert_eq!(half.turns_since(&all), turns);
    }

    #[test]
    fn r53_166_a_node_that_cannot_be_reached_turns_the_whole_and_no_zone() {
        let whole = balancer(true, [group((1, 1), (1, 1))]);
        let mut gone = whole.clone();
        gone.reachable = false;
        let reason = "2 of 2 targets healthy, its node cannot be reached";
        assert_eq!(gone.turns_since(&whole), [turned(None, false, reason)]);
        let mut worse = balancer(true, [group((0, 1), (0, 1))]);
        worse.reachable = false;
        assert!(worse.turns_since(&gone).iter().all(|turn| turn.zone.is_some()), "it was unhealthy before");
    }
}
