//! A bench for one toxic: bytes in, steps out, in pure time.

use std::time::Duration;

use axum::body::Bytes;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::toxiproxy::flow::{Chunk, Ending, Step, Waiting};
use crate::toxiproxy::toxic::Kind;

use super::Effect;

/// A moment of a test.
pub(crate) const fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

pub(crate) struct Bench {
    effect: Effect,
    waiting: Waiting,
    chance: ChaCha8Rng,
}

impl Bench {
    pub(crate) fn new(kind: Kind) -> Self {
        let effect = Effect::new(&kind, 0, ms(0));
        Self { effect, waiting: Waiting::default(), chance: ChaCha8Rng::seed_from_u64(7) }
    }

    pub(crate) fn give(&mut self, at: Duration, bytes: &[u8]) {
        self.waiting.chunks.push_back(Chunk { at, bytes: Bytes::copy_from_slice(bytes) });
    }

    pub(crate) fn close(&mut self) {
        self.waiting.finish(Ending::Close);
    }

    pub(crate) fn step(&mut self, now: Duration) -> Step {
        self.effect.step(&mut self.waiting, now, &mut self.chance)
    }

    pub(crate) fn holds(&self) -> bool {
        self.effect.holds()
    }

    /// Everything that passes until the toxic wants to wait.
    pub(crate) fn passed(&mut self, now: Duration) -> Vec<Vec<u8>> {
        let mut passed = Vec::new();
        while !self.waiting.chunks.is_empty() {
            let Step::Pass(chunk) = self.step(now) else { break };
            passed.push(chunk.bytes.to_vec());
        }
        passed
    }
}
