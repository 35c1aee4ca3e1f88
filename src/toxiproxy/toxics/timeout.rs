//! `timeout`: nothing gets through, and after `timeout` in which nothing came the connection is closed.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::toxiproxy::flow::{Ending, Step, Waiting, milliseconds};

/// Attributes of the toxic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Timeout {
    /// Milliseconds. At 0 the connection is held open until the toxic is removed.
    pub timeout: i64,
}

#[derive(Debug)]
pub(crate) struct Dropping {
    timeout: Option<Duration>,
    until: Option<Duration>,
}

impl Dropping {
    pub(super) fn new(timeout: Timeout, now: Duration) -> Self {
        let timeout = Some(milliseconds(timeout.timeout)).filter(|timeout| !timeout.is_zero());
        Self { timeout, until: timeout.map(|timeout| now.saturating_add(timeout)) }
    }

    /// The time counts anew from each chunk that is dropped, as in the original.
    pub(super) fn step(&mut self, waiting: &mut Waiting, now: Duration) -> Step {
        if self.until.is_some_and(|until| until <= now) {
            return Step::End(Ending::Close);
        }
        if !waiting.chunks.is_empty() {
            waiting.chunks.clear();
            self.until = self.timeout.map(|timeout| now.saturating_add(timeout));
        }
        match (waiting.ending, self.until) {
            (Some(ending), _) => Step::End(ending),
            (None, Some(until)) => Step::Wait(until),
            (None, None) => Step::Rest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toxiproxy::toxic::Kind;
    use crate::toxiproxy::toxics::bench::{Bench, ms};

    fn timeout(timeout: i64) -> Bench {
        Bench::new(Kind::Timeout(Timeout { timeout }))
    }

    #[test]
    fn what_comes_is_dropped_and_silence_closes_the_connection() {
        let mut bench = timeout(100);
        assert_eq!(bench.step(ms(0)), Step::Wait(ms(100)));
        bench.give(ms(60), b"a");
        assert_eq!(bench.step(ms(60)), Step::Wait(ms(160)));
        assert_eq!(bench.step(ms(159)), Step::Wait(ms(160)));
        assert_eq!(bench.step(ms(160)), Step::End(Ending::Close));
    }

    #[test]
    fn at_zero_the_connection_is_held_until_its_peer_ends_it() {
        let mut bench = timeout(0);
        bench.give(ms(0), b"a");
        assert_eq!(bench.step(ms(1_000_000)), Step::Rest);
        bench.close();
        assert_eq!(bench.step(ms(1_000_000)), Step::End(Ending::Close));
    }
}
