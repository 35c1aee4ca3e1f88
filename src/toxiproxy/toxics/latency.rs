//! `latency`: every chunk is late by `latency`, more or less `jitter`.

use std::time::Duration;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::toxiproxy::flow::{Step, Waiting, milliseconds};

/// Attributes of the toxic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Latency {
    /// Milliseconds by which each chunk is late.
    pub latency: i64,
    /// Milliseconds that this varies by, up and down.
    pub jitter: i64,
}

#[derive(Debug)]
pub(crate) struct Delaying {
    latency: Latency,
    /// When the first chunk goes on, once that is decided.
    due: Option<Duration>,
}

impl Delaying {
    pub(super) fn new(latency: Latency) -> Self {
        Self { latency, due: None }
    }

    /// A chunk is late from when it was read, so that those that wait do not add up; no chunk overtakes another.
    pub(super) fn step(&mut self, waiting: &mut Waiting, now: Duration, chance: &mut ChaCha8Rng) -> Step {
        let Some(first) = waiting.chunks.front_mut() else {
            self.due = None;
            return waiting.end();
        };
        let due = *self.due.get_or_insert_with(|| first.at.saturating_add(delay(self.latency, chance)));
        if now < due {
            return Step::Wait(due);
        }
        self.due = None;
        // Whatever latency comes behind this one counts from here.
        first.at = due;
        waiting.split(usize::MAX)
    }

    pub(super) fn holds(&self) -> bool {
        self.due.is_some()
    }
}

fn delay(latency: Latency, chance: &mut ChaCha8Rng) -> Duration {
    let varied = if latency.jitter > 0 { chance.random_range(-latency.jitter..latency.jitter) } else { 0 };
    milliseconds(latency.latency.saturating_add(varied))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toxiproxy::toxic::Kind;
    use crate::toxiproxy::toxics::bench::{Bench, ms};

    fn latency(latency: i64, jitter: i64) -> Bench {
        Bench::new(Kind::Latency(Latency { latency, jitter }))
    }

    #[test]
    fn chunks_that_come_together_are_late_together() {
        let mut bench = latency(100, 0);
        bench.give(ms(0), b"a");
        bench.give(ms(30), b"b");
        bench.give(ms(30), b"c");
        assert_eq!(bench.step(ms(30)), Step::Wait(ms(100)));
        assert_eq!(bench.passed(ms(100)), [b"a".to_vec()]);
        assert_eq!(bench.step(ms(100)), Step::Wait(ms(130)));
        assert_eq!(bench.passed(ms(130)), [b"b".to_vec(), b"c".to_vec()]);
    }

    #[test]
    fn the_end_comes_after_the_last_chunk_and_is_not_late_by_itself() {
        let mut bench = latency(100, 0);
        bench.give(ms(0), b"a");
        bench.close();
        assert_eq!(bench.step(ms(99)), Step::Wait(ms(100)));
        assert_eq!(bench.passed(ms(100)), [b"a".to_vec()]);
        assert_eq!(bench.step(ms(100)), Step::End(crate::toxiproxy::flow::Ending::Close));
    }

    #[test]
    fn jitter_varies_within_its_bounds_and_below_zero_is_at_once() {
        let mut bench = latency(100, 20);
        let dues: Vec<Duration> = (0..200)
            .map(|_| {
                bench.give(ms(0), b"a");
                let Step::Wait(due) = bench.step(ms(0)) else { panic!("nothing is due at once") };
                bench.passed(due);
                due
            })
            .collect();
        assert!(dues.iter().all(|due| (ms(80)..ms(120)).contains(due)));
        assert!(dues.iter().any(|due| *due < ms(90)) && dues.iter().any(|due| *due > ms(110)));
        let mut bench = latency(-5, 0);
        bench.give(ms(0), b"a");
        assert_eq!(bench.passed(ms(0)), [b"a".to_vec()]);
    }
}
