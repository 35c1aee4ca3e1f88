//! Calculated health checks: a status out of the statuses of other health checks (R53-128 to R53-138).

use serde::{Deserialize, Serialize};

use crate::zone::HealthCheckId;

/// What a calculated health check is set to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalculatedCheck {
    /// The health checks that are counted. At most 255, none of them calculated itself (R53-133, R53-134).
    pub children: Vec<HealthCheckId>,
    /// So many healthy children make it healthy (R53-128). 0: always healthy; more than there are: never.
    pub healthy_threshold: u32,
}
