//! `slow_close`: the end of the stream is late by `delay`.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::toxiproxy::flow::{Step, Waiting, milliseconds};

/// Attributes of the toxic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SlowClose {
    /// Milliseconds for which the connection stays open.
    pub delay: i64,
}

#[derive(Debug)]
pub(crate) struct Lingering {
    delay: Duration,
    until: Option<Duration>,
}

impl Lingering {
    pub(super) fn new(slow_close: SlowClose) -> Self {
        Self { delay: milliseconds(slow_close.delay), until: None }
    }

    pub(super) fn step(&mut self, waiting: &mut Waiting, now: Duration) -> Step {
        if !waiting.chunks.is_empty() {
            return waiting.split(usize::MAX);
        }
        let Some(ending) = waiting.ending else { return Step::Rest };
        let until = *self.until.get_or_insert(now.saturating_add(self.delay));
        if now < until { Step::Wait(until) } else { Step::End(ending) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toxiproxy::flow::Ending;
    use crate::toxiproxy::toxic::Kind;
    use crate::toxiproxy::toxics::bench::{Bench, ms};

    #[test]
    fn bytes_pass_at_once_and_the_end_is_late() {
        let mut bench = Bench::new(Kind::SlowClose(SlowClose { delay: 100 }));
        bench.give(ms(0), b"a");
        bench.close();
        assert_eq!(bench.passed(ms(5)), [b"a".to_vec()]);
        assert_eq!(bench.step(ms(5)), Step::Wait(ms(105)));
        assert_eq!(bench.step(ms(104)), Step::Wait(ms(105)));
        assert_eq!(bench.step(ms(105)), Step::End(Ending::Close));
    }
}
