//! How late the observers asked, as lab time.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::{Speed, seconds};
use crate::journal::event::{Event, Stamped};

/// How late the observers asked. All in lab time: a wall millisecond weighs more the faster a lab runs.
#[derive(Default, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lateness {
    /// How many questions.
    pub count: u64,
    /// Median.
    #[serde(with = "seconds")]
    pub p50: Duration,
    /// 99th percentile.
    #[serde(with = "seconds")]
    pub p99: Duration,
    /// The latest.
    #[serde(with = "seconds")]
    pub max: Duration,
}

impl Lateness {
    /// As the run summed it up; where it did not come that far, from each observation's own lateness.
    pub(super) fn of(events: &[Stamped], speed: Speed) -> Option<Self> {
        let summed = events.iter().rev().find_map(|stamped| match stamped.event {
            Event::Lateness { count, p50, p99, max } => {
                Some(Self { count, p50: speed.to_lab(p50), p99: speed.to_lab(p99), max: speed.to_lab(max) })
            }
            _ => None,
        });
        summed.or_else(|| Self::counted(events))
    }

    fn counted(events: &[Stamped]) -> Option<Self> {
        let mut late: Vec<Duration> = events
            .iter()
            .filter_map(|stamped| match stamped.event {
                Event::Observed { late, .. } => Some(late),
                _ => None,
            })
            .collect();
        late.sort_unstable();
        let share = |percent: usize| late.get((late.len() * percent).div_ceil(100).saturating_sub(1)).copied();
        Some(Self { count: late.len() as u64, p50: share(50)?, p99: share(99)?, max: share(100)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::synthetic::{passing, secs};

    #[test]
    fn wall_time_counts_as_lab_time_at_the_speed_of_the_run() {
        let lateness = Lateness::of(&passing().events(), Speed::new(20.0).unwrap()).unwrap();
        assert_eq!((lateness.p99, lateness.max), (secs(0.02), secs(0.1)));
    }

    #[test]
    fn a_run_that_was_stopped_early_is_summed_up_from_its_observations() {
        let mut left = 3;
        let script = passing().without(|stamped| matches!(stamped.event, Event::Lateness { .. })).changed(|stamped| {
            if let Event::Observed { late, .. } = &mut stamped.event
                && left > 0
            {
                left -= 1;
                *late = secs(0.7);
            }
        });
        let lateness = Lateness::of(&script.events(), Speed::REAL).unwrap();
        assert_eq!(lateness.max, secs(0.7));
        assert_eq!(lateness.p50, secs(0.002));
        assert!(lateness.count > 1000);
    }
}
