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
