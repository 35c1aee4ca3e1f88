//! A load balancer of a scenario: its target groups by zone, or targets that it checks itself.

use std::collections::BTreeMap;

use rand::Rng;

use crate::clock::LabTime;
use crate::health::{
    LoadBalancer, MinimumHealthy, TargetCount, TargetGroup, TargetGroupHealth, TargetGroupSettings,
    classic_load_balancer_is_healthy,
};
use crate::subject::Machines;

/// The zone of targets that are checked.
const ONE_ZONE: &str = "a";

/// A load balancer.
#[derive(Debug)]
pub enum Balancer {
    /// A Classic Load Balancer.
    Classic {
        /// How many of its instances are healthy.
        healthy_instances: usize,
        /// Whether its nodes can be reached.
        reachable: bool,
    },
    /// An application or network load balancer.
    Zonal {
        /// As it is set, and what is known of its targets.
        balancer: LoadBalancer,
        /// The targets that it checks; `None`: their health is told outright.
        checked: Option<CheckedTargets>,
    },
}

/// Targets that are checked, each at once.
#[derive(Debug)]
pub struct CheckedTargets {
    group: TargetGroup,
    /// So many of them pass, the first ones.
    passing: usize,
}

impl Balancer {
    /// A load balancer that checks so many targets, all of which have passed so far.
    #[must_use]
    pub fn checking(
        machines: Machines,
        settings: TargetGroupSettings,
        targets: usize,
        now: LabTime,
        rng: &mut impl Rng,
    ) -> Self {
        let checked = CheckedTargets { group: machines.target_group(settings, targets, now, rng), passing: targets };
        let balancer = LoadBalancer {
            zones: [ONE_ZONE.to_owned()].into(),
            cross_zone: true,
            empty_group: crate::health::EmptyGroup::default(),
            groups: vec![checked.health()],
            reachable: true,
        };
        Self::Zonal { balancer, checked: Some(checked) }
    }

    /// How many of the targets that it checks pass from now on; nothing comes of it when it checks none.
    pub const fn set_passing(&mut self, passing: usize) {
        if let Self::Zonal { checked: Some(checked), .. } = self {
            checked.passing = passing;
        }
    }

    /// How many targets it checks; `None` when it checks none.
    #[must_use]
    pub fn checked_targets(&self) -> Option<usize> {
        match self {
            Self::Zonal { checked: Some(checked), .. } => Some(checked.group.len()),
            Self::Zonal { .. } | Self::Classic { .. } => None,
        }
    }

    /// How many of the targets that it checks get requests; `None` when it checks none.
    #[must_use]
    pub fn routable_targets(&self) -> Option<usize> {
        match self {
            Self::Zonal { checked: Some(checked), .. } => {
                let all: Vec<usize> = (0..checked.group.len()).collect();
                Some(checked.group.routable(&all).len())
            }
            Self::Zonal { .. } | Self::Classic { .. } => None,
        }
    }

    /// What evaluate target health makes of it.
    #[must_use]
    pub fn is_healthy(&self, machines: Machines) -> bool {
        match self {
            Self::Classic { healthy_instances, reachable } => {
                classic_load_balancer_is_healthy(*healthy_instances, *reachable)
            }
            Self::Zonal { balancer, .. } => machines.load_balancer(balancer.clone()).is_healthy(),
        }
    }

    /// What it has, for people.
    #[must_use]
    pub fn told(&self) -> String {
        let reach = |reachable| if reachable { "within reach" } else { "out of reach" };
        match self {
            Self::Classic { healthy_instances, reachable } => {
                format!("{healthy_instances} healthy instances, its nodes {}", reach(*reachable))
            }
            Self::Zonal { balancer, .. } => {
                let groups: Vec<String> = balancer.groups.iter().map(group_text).collect();
                format!("{}; its nodes {}", groups.join("; "), reach(balancer.reachable))
            }
        }
    }

    pub(super) fn next_wakeup(&self) -> Option<LabTime> {
        match self {
            Self::Zonal { checked: Some(checked), .. } => checked.group.next_wakeup(),
            Self::Zonal { .. } | Self::Classic { .. } => None,
        }
    }

    pub(super) fn turn(&mut self, now: LabTime) {
        let Self::Zonal { balancer, checked: Some(checked) } = self else { return };
        for target in checked.group.due(now) {
            checked.group.finish(now, target, target < checked.passing);
        }
        balancer.groups = vec![checked.health()];
    }
}

fn group_text(group: &TargetGroupHealth) -> String {
    match group {
        TargetGroupHealth::Lambda { check: None } => "a function, unchecked".to_owned(),
        TargetGroupHealth::Lambda { check: Some(true) } => "a function, healthy".to_owned(),
        TargetGroupHealth::Lambda { check: Some(false) } => "a function, unhealthy".to_owned(),
        TargetGroupHealth::Targets { zones, .. } if zones.is_empty() => "a target group without targets".to_owned(),
        TargetGroupHealth::Targets { zones, .. } => {
            let each = zones
                .iter()
                .map(|(zone, count)| format!("{} of {} healthy in zone {zone}", count.healthy, count.registered));
            format!("a target group with {}", each.collect::<Vec<_>>().join(", "))
        }
    }
}

impl CheckedTargets {
    fn health(&self) -> TargetGroupHealth {
        let count = TargetCount { healthy: self.group.healthy_targets().len(), registered: self.group.len() };
        let zones = BTreeMap::from([(ONE_ZONE.to_owned(), count)]);
        TargetGroupHealth::Targets { minimum: MinimumHealthy::DEFAULT, zones }
    }
}
