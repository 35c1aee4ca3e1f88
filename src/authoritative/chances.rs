//! Where the picks of an authoritative server come from: the seed, who asks, what for, and the how-manieth time.
//!
//! So the same asker gets the same row of picks in every run of one seed, whoever else asks in between.

use std::collections::BTreeMap;
use std::net::IpAddr;

use hickory_proto::rr::{Name, RecordType};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

/// Names below a wildcard have no end; with so many remembered, the count starts anew.
const MOST: usize = 100_000;

/// The generators of one server.
#[derive(Clone, Debug)]
pub(super) struct Chances {
    seed: u64,
    asked: BTreeMap<(IpAddr, Name, RecordType), u64>,
}

impl Chances {
    pub(super) const fn of(seed: u64) -> Self {
        Self { seed, asked: BTreeMap::new() }
    }

    /// The generator for the next answer to this question of this asker.
    pub(super) fn next(&mut self, asker: IpAddr, name: &Name, rtype: RecordType) -> ChaCha8Rng {
        if self.asked.len() >= MOST {
            self.asked.clear();
        }
        let times = self.asked.entry((asker, name.clone(), rtype)).or_default();
        *times += 1;
        let mut hash = Sha256::new();
        hash.update(self.seed.to_be_bytes());
        hash.update(times.to_be_bytes());
        hash.update(format!("{asker} {name} {rtype}").as_bytes());
        let mut seed = [0; 32];
        for (to, from) in seed.iter_mut().zip(hash.finalize()) {
            *to = from;
        }
        ChaCha8Rng::from_seed(seed)
    }
}
