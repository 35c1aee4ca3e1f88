//! The exit codes, all of them, in one table.

use super::Outcome;

/// How muster ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExitCode {
    /// Every expectation was seen.
    Passed = 0,
    /// An expectation was not met.
    Failed = 1,
    /// Usage, or a file that cannot be run as it is written.
    CannotRun = 2,
    /// Something could not be told.
    Inconclusive = 3,
    /// The lab's own trouble.
    LabBroke = 4,
    /// The fault was not seen to hold.
    FaultDidNotHold = 5,
    /// The steady state was not seen again.
    UndoFailed = 6,
    /// SIGINT or SIGTERM.
    Interrupted = 130,
}

/// Every exit code and what it says, for `--help`.
pub const TABLE: [(ExitCode, &str); 8] = [
    (ExitCode::Passed, "passed: every expectation was seen"),
    (ExitCode::Failed, "failed: an expectation was not met"),
    (ExitCode::CannotRun, "cannot be run as written: usage, or a bad file"),
    (ExitCode::Inconclusive, "inconclusive: something could not be told"),
    (ExitCode::LabBroke, "lab broke: nothing is said of the subject"),
    (ExitCode::FaultDidNotHold, "fault did not hold: nothing was broken, so nothing was proven"),
    (ExitCode::UndoFailed, "undo failed: the steady state was not seen again"),
    (ExitCode::Interrupted, "interrupted"),
];

impl ExitCode {
    /// The number that the shell sees.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code.number())
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Passed => Self::Passed,
            Outcome::Failed => Self::Failed,
            Outcome::Inconclusive => Self::Inconclusive,
            Outcome::LabBroke => Self::LabBroke,
            Outcome::FaultDidNotHold => Self::FaultDidNotHold,
            Outcome::UndoFailed => Self::UndoFailed,
            Outcome::Interrupted => Self::Interrupted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_that_scripts_rely_on() {
        let numbers: Vec<u8> = TABLE.iter().map(|(code, _)| code.number()).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 6, 130]);
    }
}
