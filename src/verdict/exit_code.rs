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
    /// The lab's own trouble, and a report or an output that could not be written.
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
    (ExitCode::LabBroke, "lab broke, or what it found could not be written: nothing is said of the subject"),
    (ExitCode::FaultDidNotHold, "fault did not hold: nothing was broken, so nothing was proven"),
    (ExitCode::UndoFailed, "undo failed: the steady state was not seen again, or something of the lab is left"),
    (ExitCode::Interrupted, "interrupted"),
];

impl ExitCode {
    /// The number that the shell sees.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// What this is when what there is to tell was left whole, or not: a verdict that nobody can look up is none, unless
    /// it says itself that something went wrong.
    #[must_use]
    pub const fn told(self, whole: bool) -> Self {
        match self {
            Self::Passed if !whole => Self::LabBroke,
            code => code,
        }
    }

    /// What came of a run that ended with this; `None` of one that could not be run.
    #[must_use]
    pub const fn outcome(self) -> Option<Outcome> {
        match self {
            Self::Passed => Some(Outcome::Passed),
            Self::Failed => Some(Outcome::Failed),
            Self::CannotRun => None,
            Self::Inconclusive => Some(Outcome::Inconclusive),
            Self::LabBroke => Some(Outcome::LabBroke),
            Self::FaultDidNotHold => Some(Outcome::FaultDidNotHold),
            Self::UndoFailed => Some(Outcome::UndoFailed),
            Self::Interrupted => Some(Outcome::Interrupted),
        }
    }

    /// The code of a number, for example that of another muster's process; `None` when the table does not have it.
    #[must_use]
    pub fn of_number(number: i32) -> Option<Self> {
        TABLE.iter().map(|(code, _)| *code).find(|code| i32::from(code.number()) == number)
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

    #[test]
    fn only_a_pass_is_none_when_it_could_not_be_told() {
        for (code, _) in TABLE {
            assert_eq!(code.told(true), code);
            let lost = code.told(false);
            assert_eq!(lost, if code == ExitCode::Passed { ExitCode::LabBroke } else { code });
        }
    }

    #[test]
    fn a_number_leads_back_to_its_code() {
        for (code, _) in TABLE {
            assert_eq!(ExitCode::of_number(code.number().into()), Some(code));
            assert_eq!(code.outcome().map_or(ExitCode::CannotRun, ExitCode::from), code);
        }
        assert_eq!(ExitCode::of_number(101), None);
    }
}
