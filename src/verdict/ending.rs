//! With which exit code several runs end, and what is kept of one that was run once more.

use serde::Serialize;

use super::ExitCode;

/// The exit codes, the worst first: what went wrong with muster and its labs goes before what drills say.
pub const ORDER: [ExitCode; 8] = [
    ExitCode::Interrupted,
    ExitCode::UndoFailed,
    ExitCode::LabBroke,
    ExitCode::FaultDidNotHold,
    ExitCode::CannotRun,
    ExitCode::Inconclusive,
    ExitCode::Failed,
    ExitCode::Passed,
];

/// The exit code of several drills: interrupted when it was, else the worst of its drills by [`ORDER`].
///
/// As a control every drill must fail. One that passed is the bad case, and makes the whole pass, as it does for a
/// single drill: in CI only [`ExitCode::Failed`] is right.
#[must_use]
pub fn ending(drills: &[ExitCode], control: bool, interrupted: bool) -> ExitCode {
    if interrupted {
        return ExitCode::Interrupted;
    }
    if control && drills.contains(&ExitCode::Passed) {
        return ExitCode::Passed;
    }
    ORDER.into_iter().find(|code| drills.contains(code)).unwrap_or(ExitCode::Passed)
}

/// A run that could not tell, and was repeated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FirstTry {
    /// The name of its folder in the campaign's.
    pub folder: Option<String>,
    /// Why it could not tell.
    pub reason: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::TABLE;

    #[test]
    fn every_exit_code_has_its_place_in_the_order() {
        assert_eq!(ORDER.map(ExitCode::number), [130, 6, 4, 5, 2, 3, 1, 0]);
        assert!(TABLE.iter().all(|(code, _)| ORDER.contains(code)));
    }

    #[test]
    fn a_campaign_is_as_bad_as_its_worst_drill() {
        for (index, worst) in ORDER.into_iter().enumerate() {
            let mut drills = ORDER[index..].to_vec();
            assert_eq!(ending(&drills, false, false), worst);
            drills.reverse();
            assert_eq!(ending(&drills, false, false), worst, "in whatever order they ended");
        }
    }

    #[test]
    fn a_campaign_that_was_interrupted_says_so_whatever_its_drills_say() {
        assert_eq!(ending(&[ExitCode::Passed, ExitCode::UndoFailed], false, true), ExitCode::Interrupted);
        assert_eq!(ending(&[ExitCode::Passed], true, true), ExitCode::Interrupted);
    }

    #[test]
    fn as_a_control_every_drill_must_fail() {
        use ExitCode::{Failed, Inconclusive, LabBroke, Passed};
        assert_eq!(ending(&[Failed, Failed], true, false), Failed);
        assert_eq!(ending(&[Failed, Passed, LabBroke], true, false), Passed, "one proves nothing: the bad case");
        assert_eq!(ending(&[Failed, Inconclusive, Failed], true, false), Inconclusive);
        assert_eq!(ending(&[Inconclusive, LabBroke, Failed], true, false), LabBroke);
    }
}
