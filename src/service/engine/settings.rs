//! What an engine is made of, and what follows from that before it runs.

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

impl EngineSettings {
    /// How long a slot takes for one token.
    #[must_use]
    pub fn token_takes(&self) -> Duration {
        // Never less than a nanosecond, and rounded up: no engine is faster than it was told to be.
        let exact = Duration::try_from_secs_f64(1.0 / self.tokens_per_second).unwrap_or(Duration::MAX);
        let is_short = exact.as_secs_f64() * self.tokens_per_second < 1.0;
        exact.saturating_add(Duration::from_nanos(u64::from(is_short))).max(Duration::from_nanos(1))
    }

    /// How long a request for so many tokens (at least 1) takes when nobody else asks.
    #[must_use]
    pub fn answers_in(&self, tokens: u32) -> Duration {
        self.token_takes().saturating_mul(tokens.max(1))
    }

    /// How many tokens of one request it makes in this time when nobody else asks, at least 1.
    #[must_use]
    pub fn tokens_within(&self, time: Duration) -> u32 {
        let whole = time.as_nanos() / self.token_takes().as_nanos().max(1);
        u32::try_from(whole).unwrap_or(u32::MAX).max(1)
    }

    /// How many requests for so many tokens it can answer in a second, in the long run.
    #[must_use]
    pub fn capacity(&self, tokens: u32) -> f64 {
        f64::from(self.slots.max(1)) / self.answers_in(tokens).as_secs_f64()
    }

    /// Whether it can answer so many requests a second, for so many tokens each, without its queue growing for ever.
    #[must_use]
    pub fn carries(&self, requests_per_second: f64, tokens: u32) -> bool {
        requests_per_second <= self.capacity(tokens)
    }

    /// What is left of it when its key-value cache is full: one slot, so much slower (see
    /// [`Condition::Starved`](super::Condition::Starved)).
    #[must_use]
    pub fn starved(&self) -> Self {
        Self { slots: 1, tokens_per_second: self.tokens_per_second / f64::from(super::STARVED_PACE), ..self.clone() }
    }
}
