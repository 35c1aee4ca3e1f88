//! `limit_data`: the connection is closed once so many bytes have passed.

use serde::{Deserialize, Serialize};

use crate::toxiproxy::flow::{Ending, Step, Waiting};

/// Attributes of the toxic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LimitData {
    /// Bytes that pass.
    pub bytes: i64,
}

#[derive(Debug)]
pub(crate) struct Counting {
    limit: u64,
    passed: u64,
    /// Whether the last of them has passed just now.
    reached: bool,
}

impl Counting {
    /// Counts on from what has passed already: a changed limit holds for the whole connection.
    pub(super) fn new(limit_data: LimitData, passed: u64) -> Self {
        Self { limit: u64::try_from(limit_data.bytes).unwrap_or(0), passed, reached: false }
    }

    pub(super) fn step(&mut self, waiting: &mut Waiting) -> Step {
        let left = self.limit.saturating_sub(self.passed);
        if self.reached || (left == 0 && !waiting.chunks.is_empty()) {
            return Step::End(Ending::Close);
        }
        let step = waiting.split(usize::try_from(left).unwrap_or(usize::MAX));
        if let Step::Pass(chunk) = &step {
            self.passed = self.passed.saturating_add(u64::try_from(chunk.bytes.len()).unwrap_or(u64::MAX));
            self.reached = self.passed >= self.limit;
        }
        step
    }

    pub(super) fn passed(&self) -> u64 {
        self.passed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toxiproxy::toxic::Kind;
    use crate::toxiproxy::toxics::bench::{Bench, ms};

    fn limit_data(bytes: i64) -> Bench {
        Bench::new(Kind::LimitData(LimitData { bytes }))
    }

    #[test]
    fn the_last_byte_passes_and_the_connection_is_closed_behind_it() {
        let mut bench = limit_data(5);
        bench.give(ms(0), b"abc");
        bench.give(ms(0), b"def");
        assert_eq!(bench.passed(ms(0)), [b"abc".to_vec(), b"de".to_vec()]);
        assert_eq!(bench.step(ms(0)), Step::End(Ending::Close));
    }

    #[test]
    fn at_zero_the_first_byte_closes_the_connection_and_not_the_silence_before_it() {
        let mut bench = limit_data(0);
        assert_eq!(bench.step(ms(0)), Step::Rest);
        bench.give(ms(0), b"a");
        assert_eq!(bench.step(ms(0)), Step::End(Ending::Close));
    }

    #[test]
    fn who_says_less_is_not_hindered() {
        let mut bench = limit_data(5);
        bench.give(ms(0), b"abc");
        bench.close();
        assert_eq!(bench.passed(ms(0)), [b"abc".to_vec()]);
        assert_eq!(bench.step(ms(0)), Step::End(Ending::Close));
    }
}
