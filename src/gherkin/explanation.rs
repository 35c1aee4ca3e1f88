//! Why a step does not hold: the one text that the terminal, `JUnit` and every other report show.

use std::fmt;

use super::shortened::shortened;

/// What kind of trouble a step has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trouble {
    /// The subject does not decide as the scenario says.
    Wrong,
    /// The scenario cannot be run as it is written.
    CannotRun,
    /// The step needs what this subject or this lab does not have. Nothing is said of the subject.
    NotApplicable,
    /// The lab's own trouble. Nothing is said of the subject.
    LabBroke,
    /// The run ended before. Nothing was done.
    NotRun,
}

/// Why a step does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Explanation {
    /// Whose trouble it is.
    pub trouble: Trouble,
    /// For people; several lines.
    pub text: String,
}

impl Explanation {
    /// What a feature says may be as long as a file may be; what is told of it is not.
    fn new(trouble: Trouble, text: &str) -> Self {
        Self { trouble, text: shortened(text).into_owned() }
    }

    /// The subject does not decide as the scenario says.
    #[must_use]
    pub fn wrong(text: impl Into<String>) -> Self {
        Self::new(Trouble::Wrong, &text.into())
    }

    /// The scenario cannot be run as it is written.
    #[must_use]
    pub fn cannot_run(text: impl Into<String>) -> Self {
        Self::new(Trouble::CannotRun, &text.into())
    }

    /// The step needs what this subject or this lab does not have.
    #[must_use]
    pub fn not_applicable(text: impl Into<String>) -> Self {
        Self::new(Trouble::NotApplicable, &text.into())
    }

    /// The lab's own trouble.
    #[must_use]
    pub fn lab_broke(text: impl Into<String>) -> Self {
        Self::new(Trouble::LabBroke, &text.into())
    }

    /// The run ended before.
    #[must_use]
    pub const fn not_run() -> Self {
        Self { trouble: Trouble::NotRun, text: String::new() }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Wrong => "failed",
            Self::CannotRun => "cannot be run as written",
            Self::NotApplicable => "not applicable",
            Self::LabBroke => "lab broke",
            Self::NotRun => "not run",
        })
    }
}
