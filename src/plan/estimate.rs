//! What somebody else said a failover would take, to be held beside the prediction.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::seconds;

/// An estimate, worst cases, each from the fault on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimate {
    /// Whose it is, for people.
    pub by: String,
    /// The client whose total is estimated.
    pub client: String,
    /// Until its requests arrive elsewhere.
    #[serde(with = "seconds")]
    pub total: Duration,
    /// Until the health status turns.
    #[serde(with = "seconds")]
    pub detection: Duration,
}
