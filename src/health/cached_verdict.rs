//! The cached verdict on an inference engine: probed in the background, told at once, stale after a while.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::seconds;

/// What a prober does, and what it makes of it. The defaults are those of the article "DNS Failover for LLM Serving".
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProberSettings {
    /// From the end of one probe to the start of the next; 5 s.
    #[serde(with = "seconds")]
    pub pause: Duration,
    /// A probe that takes longer is bad, and is stopped; 4 s.
    #[serde(with = "seconds")]
    pub budget: Duration,
    /// So many bad probes in a row turn the verdict unhealthy; 3.
    pub fails_to_drain: u32,
    /// So many good ones in a row turn it healthy; 12. It begins unhealthy.
    pub good_to_recover: u32,
    /// A verdict older than this counts as unhealthy; 20 s.
    #[serde(with = "seconds")]
    pub max_age: Duration,
    /// What the engine is asked for.
    pub prompt: String,
    /// What its answer must contain, whatever the case.
    pub expects: String,
    /// The model that is asked for.
    pub model: String,
    /// How many tokens are asked for; 16.
    pub max_tokens: u32,
}
