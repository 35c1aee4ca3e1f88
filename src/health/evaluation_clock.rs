//! When an alarm, or a health check's copy of one, is evaluated next (R53-187).
//!
//! It knows nothing of what an evaluation comes to.

use std::time::Duration;

use crate::clock::LabTime;

use super::alarm::AlarmSettings;

/// Evaluations at whole multiples of their interval, the first of them when the first period is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct EvaluationClock {
    every: Duration,
    next: LabTime,
}

impl EvaluationClock {
    pub(super) const fn new(settings: &AlarmSettings) -> Self {
        Self { every: settings.evaluated_every(), next: LabTime::at(settings.period) }
    }

    /// Other settings may be evaluated more or less often, from the next evaluation on.
    pub(super) const fn keep_pace_with(&mut self, settings: &AlarmSettings) {
        self.every = settings.evaluated_every();
    }

    pub(super) const fn next(&self) -> LabTime {
        self.next
    }

    /// An evaluation took place, due or not. One that was late does not push the later ones back.
    pub(super) fn evaluated(&mut self, now: LabTime) {
        if now < self.next {
            return;
        }
        let done = now.since_start().as_nanos() / self.every.as_nanos();
        self.next = LabTime::at(self.every.saturating_mul(u32::try_from(done + 1).unwrap_or(u32::MAX)));
    }
}
