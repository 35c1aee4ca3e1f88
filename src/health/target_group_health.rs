//! How many healthy targets a target group must have, and has, zone by zone (R53-160, R53-167).
//!
//! It compares counts. Which target is healthy, and what follows for a name, is found out elsewhere.

use std::collections::BTreeMap;
use std::fmt;
use std::iter::Sum;

use serde::{Deserialize, Serialize};

/// How many targets are registered, and how many of them are healthy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TargetCount {
    /// At most `registered`.
    pub healthy: usize,
    /// Healthy or not.
    pub registered: usize,
}

impl Sum for TargetCount {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), |all, each| Self {
            healthy: all.healthy + each.healthy,
            registered: all.registered + each.registered,
        })
    }
}

/// The attributes `target_group_health.dns_failover.minimum_healthy_targets`; `None` is off (R53-160).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MinimumHealthy {
    /// So many targets, 1 or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// So many percent of the registered targets, 1 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percentage: Option<u32>,
}

impl fmt::Display for MinimumHealthy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.count, self.percentage) {
            (Some(count), Some(percentage)) => write!(f, "at least {count} and {percentage} %"),
            (Some(count), None) => write!(f, "at least {count}"),
            (None, Some(percentage)) => write!(f, "at least {percentage} %"),
            (None, None) => f.write_str("none"),
        }
    }
}

/// A minimum that Elastic Load Balancing would refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MinimumHealthyError {
    /// R53-160.
    #[error("a minimum of 0 healthy targets is not possible: expected at least 1, or off (R53-160)")]
    Count,
    /// R53-160.
    #[error("a minimum of {0} % healthy targets is not possible: expected 1 to 100, or off (R53-160)")]
    Percentage(u32),
}

impl Default for MinimumHealthy {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl MinimumHealthy {
    /// One healthy target, whatever its share (R53-160).
    pub const DEFAULT: Self = Self { count: Some(1), percentage: None };

    /// # Errors
    /// When Elastic Load Balancing would refuse it.
    pub fn validate(self) -> Result<(), MinimumHealthyError> {
        if self.count == Some(0) {
            return Err(MinimumHealthyError::Count);
        }
        match self.percentage.filter(|percentage| !(1..=100).contains(percentage)) {
            Some(percentage) => Err(MinimumHealthyError::Percentage(percentage)),
            None => Ok(()),
        }
    }

    /// Whether there are enough healthy targets. Where both are set, breaching either is enough to fail (R53-160).
    #[must_use]
    pub const fn is_met(self, targets: TargetCount) -> bool {
        let enough = match self.count {
            Some(count) => targets.healthy >= count as usize,
            None => true,
        };
        let share = match self.percentage {
            Some(percentage) => targets.healthy * 100 >= targets.registered * percentage as usize,
            None => true,
        };
        enough && share
    }
}

/// A target group as a load balancer with zones sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetGroupHealth {
    /// Instances or addresses, by the zone that they stand in.
    Targets {
        /// The minimum.
        minimum: MinimumHealthy,
        /// By zone; a zone that is missing has no targets.
        zones: BTreeMap<String, TargetCount>,
    },
    /// A function, which stands in no zone and for which no minimum can be set (R53-167).
    Lambda {
        /// What its health check says; `None`: there is none, which is the default.
        check: Option<bool>,
    },
}

impl TargetGroupHealth {
    /// The targets of all zones together; `None` for a function.
    #[must_use]
    pub fn all_targets(&self) -> Option<TargetCount> {
        let Self::Targets { zones, .. } = self else { return None };
        Some(zones.values().copied().sum())
    }

    /// The targets of one zone; none for a function.
    #[must_use]
    pub fn targets_of(&self, zone: &str) -> TargetCount {
        match self {
            Self::Targets { zones, .. } => zones.get(zone).copied().unwrap_or_default(),
            Self::Lambda { .. } => TargetCount::default(),
        }
    }

    /// The minimum; `None` for a function.
    #[must_use]
    pub const fn minimum(&self) -> Option<MinimumHealthy> {
        match self {
            Self::Targets { minimum, .. } => Some(*minimum),
            Self::Lambda { .. } => None,
        }
    }

    /// Whether no target is registered at all. A function is never missing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all_targets().is_some_and(|all| all.registered == 0)
    }

    /// Whether anything in it is healthy; a function without a health check is (R53-158, R53-167).
    #[must_use]
    pub fn has_healthy_target(&self) -> bool {
        match self {
            Self::Targets { zones, .. } => zones.values().any(|zone| zone.healthy > 0),
            Self::Lambda { check } => check.unwrap_or(true),
        }
    }

    /// Whether one zone has enough healthy targets: those of all zones are counted with cross-zone load balancing, its
    /// own without (R53-161, R53-162). A zone that has nobody to send to never has enough.
    #[must_use]
    pub fn suffices_for(&self, zone: &str, cross_zone: bool) -> bool {
        match self {
            Self::Targets { minimum, .. } => {
                let counted = if cross_zone { self.all_targets().unwrap_or_default() } else { self.targets_of(zone) };
                counted.registered > 0 && minimum.is_met(counted)
            }
            Self::Lambda { .. } => self.has_healthy_target(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const fn count(healthy: usize, registered: usize) -> TargetCount {
        TargetCount { healthy, registered }
    }

    fn group(minimum: MinimumHealthy, zones: &[(&str, TargetCount)]) -> TargetGroupHealth {
        let zones = zones.iter().map(|&(zone, count)| (zone.to_owned(), count)).collect();
        TargetGroupHealth::Targets { minimum, zones }
    }

    #[test]
    fn r53_160_by_default_one_healthy_target_is_enough() {
        assert_eq!(MinimumHealthy::default(), MinimumHealthy { count: Some(1), percentage: None });
        assert!(MinimumHealthy::default().is_met(count(1, 100)));
        assert!(!MinimumHealthy::default().is_met(count(0, 100)));
    }

    #[test]
    fn r53_160_where_both_are_set_either_breach_is_enough() {
        let both = MinimumHealthy { count: Some(3), percentage: Some(50) };
        assert!(both.is_met(count(3, 6)));
        assert!(!both.is_met(count(2, 4)), "half of them, but only two");
        assert!(!both.is_met(count(3, 7)), "three, but less than half");
        assert!(MinimumHealthy { count: None, percentage: Some(50) }.is_met(count(1, 2)));
        assert!(MinimumHealthy { count: None, percentage: None }.is_met(count(0, 2)), "both are off");
    }

    #[test]
    fn r53_160_a_minimum_of_nothing_or_of_more_than_all_is_refused() {
        let minimum = |count, percentage| MinimumHealthy { count, percentage };
        assert_eq!(minimum(Some(1), Some(100)).validate(), Ok(()));
        assert_eq!(minimum(None, None).validate(), Ok(()));
        assert_eq!(minimum(Some(0), None).validate(), Err(MinimumHealthyError::Count));
        assert_eq!(minimum(Some(1), Some(0)).validate(), Err(MinimumHealthyError::Percentage(0)));
        assert_eq!(minimum(None, Some(101)).validate(), Err(MinimumHealthyError::Percentage(101)));
    }

    #[test]
    fn r53_161_without_cross_zone_a_zone_stands_on_its_own_targets() {
        let group = group(MinimumHealthy::DEFAULT, &[("a", count(2, 2)), ("b", count(0, 2))]);
        assert!(group.suffices_for("a", false));
        assert!(!group.suffices_for("b", false));
        assert!(!group.suffices_for("c", false), "it has no targets");
    }

    #[test]
    fn r53_162_with_cross_zone_the_targets_of_all_zones_are_counted_together() {
        let minimum = MinimumHealthy { count: None, percentage: Some(50) };
        let group = group(minimum, &[("a", count(2, 2)), ("b", count(0, 2))]);
        assert!(["a", "b", "c"].into_iter().all(|zone| group.suffices_for(zone, true)));
        assert!(!group.suffices_for("b", false));
    }

    #[test]
    fn r53_167_a_function_is_healthy_unless_it_is_checked_and_fails() {
        for (check, healthy) in [(None, true), (Some(true), true), (Some(false), false)] {
            let function = TargetGroupHealth::Lambda { check };
            assert_eq!(function.has_healthy_target(), healthy);
            assert_eq!(function.suffices_for("a", false), healthy, "no minimum applies to it");
            assert!(!function.is_empty());
        }
    }

    proptest! {
        #[test]
        fn r53_160_one_more_healthy_target_never_hurts(
            registered in 1_usize..50,
            healthy in 0_usize..50,
            least in proptest::option::of(1_u32..50),
            percentage in proptest::option::of(1_u32..=100),
        ) {
            let healthy = healthy.min(registered - 1);
            let minimum = MinimumHealthy { count: least, percentage };
            prop_assert!(!minimum.is_met(count(healthy, registered)) || minimum.is_met(count(healthy + 1, registered)));
        }
    }
}
