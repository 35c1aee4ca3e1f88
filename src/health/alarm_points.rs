//! What an alarm's state is made of.

use super::alarm::MissingData;
use super::alarm_evaluation::{AlarmState, evaluate_alarm};

/// The input of one evaluation of an alarm; see [`evaluate_alarm`].
#[derive(Clone, Copy, Debug)]
pub struct AlarmPoints<'p> {
    /// Those of the evaluation range, oldest first: whether each breaches, `None` where there is none.
    pub points: &'p [Option<bool>],
    /// Evaluation periods, 1 or more.
    pub n: u32,
    /// Datapoints to alarm, 1 to `n`.
    pub m: u32,
    /// How missing datapoints are treated.
    pub missing: MissingData,
    /// The state so far.
    pub before: AlarmState,
}

impl AlarmPoints<'_> {
    /// The state that they make.
    #[must_use]
    pub fn evaluate(&self) -> AlarmState {
        evaluate_alarm(self.points, self.n, self.m, self.missing, self.before)
    }
}
