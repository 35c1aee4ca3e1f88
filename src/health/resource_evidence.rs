//! What the checks of a load balancer say of an AWS resource.

use std::collections::BTreeSet;

use hickory_proto::rr::Name;
use serde::{Deserialize, Serialize};

/// News of one AWS resource. The `target` is the alias target's name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResourceEvidence {
    /// Whether evaluate target health finds it healthy.
    Health {
        /// Which resource.
        target: Name,
        /// Its status.
        healthy: bool,
    },
    /// The zones whose addresses its own name answers with (R53-163).
    AnsweredZones {
        /// Which resource.
        target: Name,
        /// The zones, by name.
        zones: BTreeSet<String>,
    },
}
