//! Load balancers whose health is seen otherwise (R53-158 to R53-166).

use crate::health::{EmptyGroup, LoadBalancer, MinimumHealthy, TargetGroupHealth};

use super::Mutant;
use super::seams::Balancing;

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "one-healthy-group-is-enough",
        what: "takes a load balancer for healthy as long as one of its target groups has a healthy target",
        rules: &["R53-158"],
        deviation: &Balancing(one_healthy_group),
    },
    Mutant {
        name: "empty-group-ignored",
        what: "does not count a target group without targets",
        rules: &["R53-159"],
        deviation: &Balancing(|balancer| balancer.empty_group = EmptyGroup::Ignored),
    },
    Mutant {
        name: "minimum-healthy-targets-ignored",
        what: "asks for one healthy target, whatever the minimum is",
        rules: &["R53-160"],
        deviation: &Balancing(default_minimum),
    },
    Mutant {
        name: "minimum-percentage-ignored",
        what: "does not look at the minimum percentage of healthy targets",
        rules: &["R53-160"],
        deviation: &Balancing(without_percentage),
    },
    Mutant {
        name: "zone-minimum-over-all-zones",
        what: "counts the targets of all zones for a zone though cross-zone load balancing is off",
        rules: &["R53-161"],
        deviation: &Balancing(|balancer| balancer.cross_zone = true),
    },
    Mutant {
        name: "zone-minimum-always-by-zone",
        what: "counts a zone's own targets only though cross-zone load balancing is on",
        rules: &["R53-162"],
        deviation: &Balancing(|balancer| balancer.cross_zone = false),
    },
    Mutant {
        name: "load-balancer-node-not-checked",
        what: "takes a load balancer that cannot be reached for healthy",
        rules: &["R53-166"],
        deviation: &Balancing(|balancer| balancer.reachable = true),
    },
];

fn one_healthy_group(balancer: &mut LoadBalancer) {
    if balancer.groups.iter().any(TargetGroupHealth::has_healthy_target) {
        balancer.groups.retain(|group| group.has_healthy_target() || group.is_empty());
    }
}

fn each_minimum(balancer: &mut LoadBalancer, edit: impl Fn(&mut MinimumHealthy)) {
    for group in &mut balancer.groups {
        if let TargetGroupHealth::Targets { minimum, .. } = group {
            edit(minimum);
        }
    }
}

fn default_minimum(balancer: &mut LoadBalancer) {
    each_minimum(balancer, |minimum| *minimum = MinimumHealthy::DEFAULT);
}

fn without_percentage(balancer: &mut LoadBalancer) {
    each_minimum(balancer, |minimum| minimum.percentage = None);
}

#[cfg(test)]
mod tests {
    use super::super::scene::{machines, reference};
    use super::*;
    use crate::health::TargetCount;
    use crate::subject::Machines;

    /// Healthy and registered targets in the zones `a` and `b`.
    fn group(minimum: MinimumHealthy, a: (usize, usize), b: (usize, usize)) -> TargetGroupHealth {
        let zone = |name: &str, (healthy, registered)| (name.to_owned(), TargetCount { healthy, registered });
        TargetGroupHealth::Targets { minimum, zones: [zone("a", a), zone("b", b)].into() }
    }

    fn balancer(cross_zone: bool, groups: impl Into<Vec<TargetGroupHealth>>) -> LoadBalancer {
        LoadBalancer {
            zones: ["a", "b"].map(str::to_owned).into(),
            cross_zone,
            empty_group: EmptyGroup::Unhealthy,
            groups: groups.into(),
            reachable: true,
        }
    }

    /// Whether it is healthy, and in which zones.
    fn seen(of: Machines, balancer: &LoadBalancer) -> (bool, Vec<String>) {
        let seen = of.load_balancer(balancer.clone());
        (seen.is_healthy(), seen.healthy_zones().into_iter().map(str::to_owned).collect())
    }

    #[test]
    fn r53_158_to_166_one_load_balancer_is_seen_otherwise_and_another_is_not() {
        let one = MinimumHealthy::DEFAULT;
        let (up, half, down) = (group(one, (2, 2), (2, 2)), group(one, (2, 2), (0, 2)), group(one, (0, 2), (0, 2)));
        let three = group(MinimumHealthy { count: Some(3), percentage: None }, (1, 2), (1, 2));
        let percent = group(MinimumHealthy { count: Some(1), percentage: Some(80) }, (1, 2), (1, 2));
        let unreachable = LoadBalancer { reachable: false, ..balancer(true, [up.clone()]) };
        let whole = balancer(true, [up.clone()]);
        for (mutant, broken) in [
            ("one-healthy-group-is-enough", balancer(true, [up.clone(), down.clone()])),
            ("empty-group-ignored", balancer(true, [up.clone(), group(one, (0, 0), (0, 0))])),
            ("minimum-healthy-targets-ignored", balancer(true, [three])),
            ("minimum-percentage-ignored", balancer(true, [percent])),
            ("zone-minimum-over-all-zones", balancer(false, [half.clone()])),
            ("zone-minimum-always-by-zone", balancer(true, [half])),
            ("load-balancer-node-not-checked", unreachable),
        ] {
            assert_ne!(seen(machines(mutant), &broken), seen(reference(), &broken), "{mutant}");
            for same in [&whole, &balancer(true, [down.clone()])] {
                assert_eq!(seen(machines(mutant), same), seen(reference(), same), "{mutant}");
            }
        }
    }
}
