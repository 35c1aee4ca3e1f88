//! Whether a load balancer's own node can be reached: Route 53 adds this to the health of the targets (R53-166).
//!
//! AWS publishes no cadence for it, so interval and threshold come from outside. Nothing here connects.

use std::time::Duration;

use rand::Rng;

use crate::clock::LabTime;

use super::cadence::{Cadence, Rhythm};
use super::streak::Streak;

/// Who checks one load balancer's node. The node starts as reachable.
#[derive(Clone, Copy, Debug)]
pub struct NodeChecker {
    rhythm: Rhythm,
    reachable: Streak,
}

impl NodeChecker {
    /// Checks first at a moment drawn over the interval that begins at `start`, then every `interval` from start to
    /// start; `threshold` consecutive opposite results turn the status, both ways.
    #[must_use]
    pub fn new(interval: Duration, threshold: u32, start: LabTime, rng: &mut impl Rng) -> Self {
        let rhythm = Rhythm::drawn(Cadence::StartToStart(interval), start, rng);
        Self { rhythm, reachable: Streak::new(true, threshold, threshold) }
    }

    /// When the next check is due; `None` while one is under way.
    #[must_use]
    pub const fn next_wakeup(&self) -> Option<LabTime> {
        self.rhythm.next_wakeup()
    }

    /// Starts the check if it is due; whether it was.
    pub fn start_if_due(&mut self, now: LabTime) -> bool {
        self.rhythm.start_if_due(now)
    }

    /// The check under way ended; the new status if it turned. Nothing happens when none is under way.
    pub fn finish(&mut self, now: LabTime, reached: bool) -> Option<bool> {
        if self.rhythm.end(now) { self.reachable.count(reached) } else { None }
    }

    /// The status now.
    #[must_use]
    pub const fn is_reachable(&self) -> bool {
        self.reachable.is_healthy()
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    const FIVE: Duration = Duration::from_secs(5);

    fn checker() -> NodeChecker {
        NodeChecker::new(FIVE, 2, LabTime::START, &mut ChaCha8Rng::seed_from_u64(1))
    }

    #[test]
    fn r53_166_a_node_turns_after_consecutive_opposite_results_both_ways() {
        let mut node = checker();
        assert!(node.is_reachable());
        let turns: Vec<_> = [false, true, false, false, true, true]
            .into_iter()
            .map(|reached| {
                let now = node.next_wakeup().unwrap();
                assert!(node.start_if_due(now));
                node.finish(now, reached)
            })
            .collect();
        assert_eq!(turns, [None, None, None, Some(false), None, Some(true)]);
    }

    #[test]
    fn a_node_is_checked_from_start_to_start() {
        let mut node = checker();
        let first = node.next_wakeup().unwrap();
        assert!(first < LabTime::at(FIVE));
        assert!(node.start_if_due(first));
        assert_eq!(node.next_wakeup(), None);
        node.finish(first + Duration::from_secs(3), true);
        assert_eq!(node.next_wakeup(), Some(first + FIVE));
        assert_eq!(node.finish(first, false), None, "none is under way");
    }
}
