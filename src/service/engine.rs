//! An inference engine: slots, a queue in front of them, tokens at a rate.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::seconds;

/// What an engine is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EngineSettings {
    /// The model that it serves, by the name that requests ask for.
    pub model: String,
    /// So many requests are worked on at the same time, at least 1.
    pub slots: u32,
    /// So many more wait; who comes beyond them is turned away with 503.
    pub queue: u32,
    /// Tokens that one slot makes in a second of lab time, above 0.
    pub tokens_per_second: f64,
    /// How long it loads its model after each start; until then requests are answered 503.
    #[serde(with = "seconds")]
    pub loads_for: Duration,
}
