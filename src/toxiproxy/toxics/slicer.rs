//! `slicer`: bytes pass in small slices, with a pause behind each.

use std::collections::VecDeque;
use std::time::Duration;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::toxiproxy::flow::{Step, Waiting};

/// Attributes of the toxic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Slicer {
    /// Bytes of a slice, on average.
    pub average_size: i64,
    /// Bytes that this varies by, up and down.
    pub size_variation: i64,
    /// Microseconds of the pause behind each slice.
    pub delay: i64,
}

#[derive(Debug)]
pub(crate) struct Slicing {
    slicer: Slicer,
    /// Lengths of the slices of the first chunk that are still to come.
    slices: VecDeque<usize>,
    pause_until: Duration,
}

impl Slicing {
    pub(super) fn new(slicer: Slicer) -> Self {
        Self { slicer, slices: VecDeque::new(), pause_until: Duration::ZERO }
    }

    pub(super) fn step(&mut self, waiting: &mut Waiting, now: Duration, chance: &mut ChaCha8Rng) -> Step {
        if now < self.pause_until {
            return Step::Wait(self.pause_until);
        }
        let Some(first) = waiting.chunks.front() else {
            self.slices.clear();
            return waiting.end();
        };
        if self.slices.is_empty() {
            self.slices = slices(first.bytes.len(), self.slicer, chance);
        }
        let pause = Duration::from_micros(u64::try_from(self.slicer.delay).unwrap_or(0));
        self.pause_until = now.saturating_add(pause);
        waiting.split(self.slices.pop_front().unwrap_or(usize::MAX))
    }

    pub(super) fn holds(&self) -> bool {
        !self.slices.is_empty()
    }
}

/// Lengths of the slices that a chunk is cut into: it is halved, more or less the variation, until no part is longer
/// than average and variation. None is empty, whatever the attributes say.
fn slices(length: usize, slicer: Slicer, chance: &mut ChaCha8Rng) -> VecDeque<usize> {
    let size = |bytes: i64| usize::try_from(bytes).unwrap_or(0);
    let (average, variation) = (size(slicer.average_size), size(slicer.size_variation));
    let mut cut = VecDeque::new();
    // Parts that are still to be cut, the first of them last.
    let mut parts = vec![length];
    while let Some(part) = parts.pop() {
        if part <= average.saturating_add(variation).max(1) {
            cut.push_back(part);
            continue;
        }
        let moved = if variation > 0 { chance.random_range(0..variation.saturating_mul(2)) } else { 0 };
        let left = (part / 2).saturating_add(moved).saturating_sub(variation).clamp(1, part - 1);
        parts.extend([part - left, left]);
    }
    cut
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;
    use crate::toxiproxy::toxic::Kind;
    use crate::toxiproxy::toxics::bench::{Bench, ms};

    fn slicer(average_size: i64, size_variation: i64, delay: i64) -> Slicer {
        Slicer { average_size, size_variation, delay }
    }

    #[test]
    fn a_chunk_passes_slice_by_slice_with_a_pause_behind_each() {
        let mut bench = Bench::new(Kind::Slicer(slicer(2, 0, 10_000)));
        bench.give(ms(0), b"abcdef");
        bench.close();
        assert_eq!(bench.passed(ms(0)), [b"a".to_vec()]);
        assert_eq!(bench.step(ms(0)), Step::Wait(ms(10)));
        let mut slices = vec![b"a".to_vec()];
        for pause in 1..4 {
            slices.extend(bench.passed(ms(10 * pause)));
        }
        assert_eq!(slices.concat(), b"abcdef");
        assert_eq!(slices.len(), 4);
        assert_eq!(bench.step(ms(30)), Step::Wait(ms(40)));
        assert!(matches!(bench.step(ms(40)), Step::End(_)));
    }

    #[test]
    fn slices_make_up_the_chunk_and_none_is_empty_or_too_long() {
        let mut chance = ChaCha8Rng::seed_from_u64(7);
        for (average, variation) in
            [(64, 0), (64, 16), (1, 0), (1, 1), (0, 0), (-3, -3), (16, 64), (i64::MAX, i64::MAX)]
        {
            for length in [1, 2, 63, 64, 65, 5000] {
                let cut = slices(length, slicer(average, variation, 0), &mut chance);
                assert_eq!(cut.iter().sum::<usize>(), length);
                let longest = usize::try_from(average.max(0).saturating_add(variation.max(0)).max(1)).unwrap();
                assert!(cut.iter().all(|part| (1..=longest).contains(part)), "{average} {variation} {length}: {cut:?}");
            }
        }
    }

    #[test]
    fn lengths_vary_around_the_average() {
        let mut chance = ChaCha8Rng::seed_from_u64(7);
        let cut = slices(64 * 1024, slicer(64, 16, 0), &mut chance);
        let differing: std::collections::BTreeSet<_> = cut.iter().collect();
        assert!((700..1800).contains(&cut.len()) && differing.len() > 10, "{cut:?}");
    }
}
