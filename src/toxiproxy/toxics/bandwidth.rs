//! `bandwidth`: so many kilobytes pass in a second.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::toxiproxy::flow::{Step, Waiting};

/// Attributes of the toxic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Bandwidth {
    /// Kilobytes (1000 bytes) in a second. At 0 nothing passes.
    pub rate: i64,
}

/// What takes longer than this is passed on piece by piece.
const INTERVAL: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(crate) struct Metering {
    /// Bytes in a millisecond.
    rate: u64,
    /// When the first piece goes on, once that is decided.
    due: Option<Duration>,
    /// How late the last piece was, which the next one is not charged for.
    late: Duration,
}

impl Metering {
    pub(super) fn new(bandwidth: Bandwidth) -> Self {
        Self { rate: u64::try_from(bandwidth.rate).unwrap_or(0), due: None, late: Duration::ZERO }
    }

    /// A piece goes on once it would have been sent at this rate.
    pub(super) fn step(&mut self, waiting: &mut Waiting, now: Duration) -> Step {
        let Some(first) = waiting.chunks.front() else {
            self.due = None;
            return waiting.end();
        };
        if self.rate == 0 {
            return Step::Rest;
        }
        let most = usize::try_from(self.rate.saturating_mul(100)).unwrap_or(usize::MAX);
        let length = u64::try_from(first.bytes.len().min(most)).unwrap_or(u64::MAX);
        let sending = Duration::from_nanos(length.saturating_mul(1_000_000) / self.rate);
        let due = *self.due.get_or_insert_with(|| now.saturating_add(sending).saturating_sub(self.late));
        if now < due {
            return Step::Wait(due);
        }
        // Being late for longer is not this toxic's doing but that of what comes behind it: no burst makes up for it.
        self.late = now.saturating_sub(due).min(INTERVAL);
        self.due = None;
        waiting.split(most)
    }

    pub(super) fn holds(&self) -> bool {
        self.rate == 0 || self.due.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toxiproxy::flow::Ending;
    use crate::toxiproxy::toxic::Kind;
    use crate::toxiproxy::toxics::bench::{Bench, ms};

    fn bandwidth(rate: i64) -> Bench {
        Bench::new(Kind::Bandwidth(Bandwidth { rate }))
    }

    #[test]
    fn a_chunk_goes_on_once_it_would_have_been_sent() {
        let mut bench = bandwidth(10);
        bench.give(ms(0), &[7; 500]);
        assert_eq!(bench.step(ms(0)), Step::Wait(ms(50)));
        assert_eq!(bench.passed(ms(50)), [vec![7; 500]]);
    }

    #[test]
    fn what_takes_long_goes_on_in_pieces_of_a_tenth_of_a_second() {
        let mut bench = bandwidth(10);
        bench.give(ms(0), &[7; 2500]);
        bench.close();
        let mut pieces = Vec::new();
        let mut now = ms(0);
        loop {
            match bench.step(now) {
                Step::Wait(due) => now = due,
                Step::Pass(chunk) => pieces.push((now, chunk.bytes.len())),
                Step::End(Ending::Close) => break,
                step => panic!("{step:?}"),
            }
        }
        assert_eq!(pieces, [(ms(100), 1000), (ms(200), 1000), (ms(250), 500)]);
    }

    #[test]
    fn the_rate_holds_although_each_piece_is_late_and_a_long_stall_is_not_made_up_for() {
        let mut bench = bandwidth(10);
        bench.give(ms(0), &[7; 10_000]);
        let (mut now, mut passed) = (ms(0), 0);
        while passed < 10_000 {
            match bench.step(now) {
                Step::Wait(due) => now = due + ms(7),
                Step::Pass(chunk) => passed += chunk.bytes.len(),
                step => panic!("{step:?}"),
            }
        }
        assert_eq!(now, ms(1007));
        bench.give(now, &[7; 1000]);
        bench.give(now, &[7; 1000]);
        bench.step(now);
        let stalled = now + ms(60_000);
        assert_eq!(bench.passed(stalled).len(), 2, "a tenth of a second is made up for");
        bench.give(stalled, &[7; 1000]);
        assert_eq!(bench.step(stalled), Step::Wait(stalled + ms(100)));
    }

    #[test]
    fn at_rate_zero_nothing_passes_and_nothing_is_lost() {
        let mut bench = bandwidth(0);
        bench.give(ms(0), b"a");
        bench.close();
        assert_eq!(bench.step(ms(1_000_000)), Step::Rest);
        assert!(bench.holds());
    }
}
