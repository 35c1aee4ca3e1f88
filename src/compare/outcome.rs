//! The words for how alike two things are, and which goes before which.

use serde::Serialize;

use crate::verdict::{ExitCode, Judgement, Outcome};

/// Whether two observations of the same thing agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// They do.
    Agree,
    /// They do not.
    Differ,
    /// One of the two cannot be told: its ground does not carry it, the run was inconclusive in this, or what differs may
    /// be chance.
    NotTold,
}

impl Agreement {
    /// Of what is the same, or is not.
    pub(super) const fn of(same: bool) -> Self {
        if same { Self::Agree } else { Self::Differ }
    }
}

/// How alike two runs are; the worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Likeness {
    /// All that both tell agrees.
    Agree,
    /// Only one side has the drill.
    OnOneSide,
    /// Something does not agree.
    Differ,
    /// One of them says nothing of its subject.
    Inconclusive,
    /// They are not runs of the same drill with the same settings.
    OtherSettings,
}

impl Likeness {
    pub(super) fn of(agreements: impl IntoIterator<Item = Agreement>) -> Self {
        let differ = agreements.into_iter().any(|agreement| agreement == Agreement::Differ);
        if differ { Self::Differ } else { Self::Agree }
    }
}

impl From<Likeness> for ExitCode {
    fn from(likeness: Likeness) -> Self {
        match likeness {
            Likeness::Agree => Self::Passed,
            Likeness::OnOneSide | Likeness::Differ => Self::Failed,
            Likeness::Inconclusive => Self::Inconclusive,
            Likeness::OtherSettings => Self::CannotRun,
        }
    }
}

/// Whether a run that ended so has nothing to be compared: its machine or its lab failed, or somebody stopped it.
pub(super) const fn says_nothing(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Inconclusive | Outcome::LabBroke | Outcome::Interrupted)
}

pub(super) fn of_judgements(before: Judgement, after: Judgement) -> Agreement {
    let untold = |judgement| matches!(judgement, Judgement::Inconclusive | Judgement::NotApplicable);
    if untold(before) || untold(after) { Agreement::NotTold } else { Agreement::of(before == after) }
}
