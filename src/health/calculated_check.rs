//! Calculated health checks: a status out of the statuses of other health checks (R53-128 to R53-138).
//!
//! It counts statuses that it is given. Where they come from, and what a drill names them for, is not its matter.

use serde::{Deserialize, Serialize};

use crate::zone::HealthCheckId;

/// The most children: Route 53's guide says both 255 and 256; the lower is safe (R53-134).
pub const CHILDREN_LIMIT: usize = 255;

/// What a calculated health check is set to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalculatedCheck {
    /// The health checks that are counted. At most 255, none of them calculated itself (R53-133, R53-134).
    pub children: Vec<HealthCheckId>,
    /// So many healthy children make it healthy (R53-128). 0: always healthy; more than there are: never.
    pub healthy_threshold: u32,
}

/// Children that Route 53 would refuse.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CalculatedCheckError {
    /// R53-134.
    #[error("{0} children are not possible: a calculated health check counts at most {CHILDREN_LIMIT} (R53-134)")]
    TooManyChildren(usize),
    /// R53-133.
    #[error("child `{0}` is calculated itself: a calculated health check counts other kinds only (R53-133)")]
    CalculatedChild(HealthCheckId),
    /// R53-137.
    #[error("child `{0}` does not exist: expected the id of a health check (R53-137)")]
    UnknownChild(HealthCheckId),
}

impl CalculatedCheck {
    /// `kind_of_child` tells whether a health check is calculated itself; `None`: there is no such health check.
    ///
    /// # Errors
    /// When Route 53 would refuse these children.
    pub fn validate(&self, kind_of_child: impl Fn(&HealthCheckId) -> Option<bool>) -> Result<(), CalculatedCheckError> {
        if self.children.len() > CHILDREN_LIMIT {
            return Err(CalculatedCheckError::TooManyChildren(self.children.len()));
        }
        self.children.iter().try_for_each(|child| match kind_of_child(child) {
            Some(false) => Ok(()),
            Some(true) => Err(CalculatedCheckError::CalculatedChild(child.clone())),
            None => Err(CalculatedCheckError::UnknownChild(child.clone())),
        })
    }

    /// Whether enough children are healthy (R53-128). A child's status is the one that decisions use: with its own
    /// inverting and disabling applied (R53-135, R53-136).
    #[must_use]
    pub fn status(&self, child_is_healthy: impl Fn(&HealthCheckId) -> bool) -> bool {
        let healthy = self.children.iter().filter(|child| child_is_healthy(child)).count();
        u32::try_from(healthy).unwrap_or(u32::MAX) >= self.healthy_threshold
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::status_settings::StatusSettings;
    use super::*;

    fn id(number: usize) -> HealthCheckId {
        HealthCheckId(format!("hc-{number}"))
    }

    fn check(children: usize, healthy_threshold: u32) -> CalculatedCheck {
        CalculatedCheck { children: (0..children).map(id).collect(), healthy_threshold }
    }

    /// The status when these children are healthy, by number.
    fn status(check: &CalculatedCheck, healthy: &[usize]) -> bool {
        check.status(|child| healthy.iter().any(|&number| id(number) == *child))
    }

    #[test]
    fn r53_128_it_is_healthy_from_the_threshold_on() {
        let check = check(3, 2);
        assert!(!status(&check, &[1]));
        assert!(status(&check, &[0, 2]));
        assert!(status(&check, &[0, 1, 2]));
    }

    #[test]
    fn r53_129_as_many_as_there_are_is_and_one_is_or() {
        let (and, or) = (check(3, 3), check(3, 1));
        assert!(status(&and, &[0, 1, 2]) && !status(&and, &[0, 1]));
        assert!(status(&or, &[2]) && !status(&or, &[]));
    }

    #[test]
    fn r53_130_above_the_number_of_children_it_is_never_healthy() {
        assert!(!status(&check(3, 4), &[0, 1, 2]));
    }

    #[test]
    fn r53_131_a_threshold_of_zero_is_always_healthy() {
        assert!(status(&check(3, 0), &[]));
        assert!(status(&check(0, 0), &[]));
    }

    #[test]
    fn r53_133_a_calculated_child_is_refused() {
        let nested = check(2, 1).validate(|child| Some(*child == id(1)));
        assert_eq!(nested, Err(CalculatedCheckError::CalculatedChild(id(1))));
    }

    #[test]
    fn r53_134_at_most_255_children_are_possible() {
        assert_eq!(check(255, 1).validate(|_| Some(false)), Ok(()));
        assert_eq!(check(256, 1).validate(|_| Some(false)), Err(CalculatedCheckError::TooManyChildren(256)));
    }

    #[test]
    fn r53_135_a_disabled_child_counts_as_healthy_and_as_unhealthy_when_inverted_too() {
        for (inverted, expected) in [(false, true), (true, false)] {
            let child = StatusSettings { inverted, disabled: true };
            for evaluated in [true, false] {
                assert_eq!(check(1, 1).status(|_| child.apply(evaluated)), expected);
            }
        }
    }

    #[test]
    fn r53_136_an_inverted_child_counts_with_its_inverted_status() {
        let child = StatusSettings { inverted: true, disabled: false };
        assert!(check(1, 1).status(|_| child.apply(false)));
        assert!(!check(1, 1).status(|_| child.apply(true)));
    }

    #[test]
    fn r53_137_a_child_that_does_not_exist_is_refused() {
        let unknown = check(2, 1).validate(|child| (*child != id(1)).then_some(false));
        assert_eq!(unknown, Err(CalculatedCheckError::UnknownChild(id(1))));
    }

    proptest! {
        #[test]
        fn r53_128_the_status_is_a_plain_count_for_any_children(
            healthy in proptest::collection::vec(any::<bool>(), 0..=CHILDREN_LIMIT),
            threshold in 0_u32..300,
        ) {
            let check = check(healthy.len(), threshold);
            let up: Vec<_> = (0..healthy.len()).filter(|&number| healthy[number]).collect();
            prop_assert_eq!(status(&check, &up), up.len() >= threshold as usize);
        }
    }
}
