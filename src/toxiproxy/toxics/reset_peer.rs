//! `reset_peer`: the connection is reset, `timeout` after its first byte.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::toxiproxy::flow::{Ending, Step, Waiting, milliseconds};

/// Attributes of the toxic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ResetPeer {
    /// Milliseconds.
    pub timeout: i64,
}

#[derive(Debug)]
pub(crate) struct Resetting {
    timeout: Duration,
    due: Option<Duration>,
}

impl Resetting {
    pub(super) fn new(reset_peer: ResetPeer) -> Self {
        Self { timeout: milliseconds(reset_peer.timeout), due: None }
    }

    /// What came waits, and is lost with the reset; if the toxic is removed before, it goes on.
    pub(super) fn step(&mut self, waiting: &mut Waiting, now: Duration) -> Step {
        if waiting.chunks.is_empty() && waiting.ending.is_none() {
            return Step::Rest;
        }
        let due = *self.due.get_or_insert(now.saturating_add(self.timeout));
        if now < due { Step::Wait(due) } else { Step::End(Ending::Reset) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toxiproxy::toxic::Kind;
    use crate::toxiproxy::toxics::bench::{Bench, ms};

    #[test]
    fn the_first_byte_starts_the_time_to_the_reset_and_does_not_pass() {
        let mut bench = Bench::new(Kind::ResetPeer(ResetPeer { timeout: 100 }));
        assert_eq!(bench.step(ms(0)), Step::Rest);
        bench.give(ms(50), b"a");
        assert_eq!(bench.step(ms(50)), Step::Wait(ms(150)));
        bench.give(ms(70), b"b");
        assert_eq!(bench.step(ms(149)), Step::Wait(ms(150)));
        assert_eq!(bench.step(ms(150)), Step::End(Ending::Reset));
    }

    #[test]
    fn an_end_is_reset_as_well() {
        let mut bench = Bench::new(Kind::ResetPeer(ResetPeer { timeout: 0 }));
        bench.close();
        assert_eq!(bench.step(ms(0)), Step::End(Ending::Reset));
    }
}
