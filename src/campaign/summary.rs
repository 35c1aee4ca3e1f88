//! A campaign in numbers: the summary of its drills' summaries. Key names are stable.

use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::clock::seconds;
use crate::plan::Source;
use crate::report::figures::Figures;
use crate::verdict::{ExitCode, FirstTry, Outcome, ending};

use super::plan::CampaignPlan;

/// A campaign in numbers. Times are lab seconds, except where they are said to be of the wall clock.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CampaignSummary {
    /// The campaign's name.
    pub campaign: String,
    /// The campaign's title.
    pub title: String,
    /// As a drill's; null when a drill could not be run as it is written.
    pub outcome: Option<Outcome>,
    /// Why, in words.
    pub reason: String,
    /// What the shell sees.
    #[serde(serialize_with = "number")]
    pub exit_code: ExitCode,
    /// The first drill's seed; each next drill has one more.
    pub seed: u64,
    /// How many drills were run side by side at most.
    pub at_once: usize,
    /// The fault was left out of every drill.
    pub control: bool,
    /// RFC 3339: the wall clock when the first drill was started.
    pub started: String,
    /// How long all of it took, by the wall clock.
    #[serde(with = "seconds")]
    pub wall_seconds: Duration,
    /// muster's version.
    pub version: String,
    /// The campaign file, with its SHA-256. Those of the drills stand in their own summaries.
    pub source: Source,
    /// In the campaign's order.
    pub drills: Vec<DrillSummary>,
}

/// One drill of a campaign. The rest stands in `<folder>/summary.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DrillSummary {
    /// The drill's name.
    pub drill: String,
    /// The drill file.
    pub file: String,
    /// As in the drill's own summary; null when it could not be run as it is written.
    pub outcome: Option<Outcome>,
    /// Why, where it did not pass.
    pub reason: Option<String>,
    /// Of the drill's own process.
    #[serde(serialize_with = "number")]
    pub exit_code: ExitCode,
    /// What every random choice came from.
    pub seed: u64,
    /// Lab seconds per wall second.
    pub speed: f64,
    /// `namespace` or `loopback`; null when the lab never became ready.
    pub ground: Option<String>,
    /// The name of its folder in the campaign's; null when it left none.
    pub folder: Option<String>,
    /// How long its process took, by the wall clock; 0 when it was never started.
    #[serde(with = "seconds")]
    pub wall_seconds: Duration,
    /// From the fault to the health status.
    pub detection: Figures,
    /// From the fault to the client that moves last, of those that are sure to move; null when none moves.
    pub longest_total: Option<Figures>,
    /// How many figures were measured outside their prediction, or not seen.
    pub findings: usize,
    /// The hash chain after its journal's last line; null when it left no journal.
    pub journal_chain: Option<String>,
    /// What it said the first time, when it was run once more.
    pub first_try: Option<FirstTry>,
}

impl CampaignSummary {
    /// Puts together what the drills said. `interrupted` is the signal that stopped the campaign; `took` is wall time.
    #[must_use]
    pub fn of(
        plan: &CampaignPlan,
        source: Source,
        started: String,
        took: Duration,
        interrupted: Option<&str>,
        drills: Vec<DrillSummary>,
    ) -> Self {
        let codes: Vec<ExitCode> = drills.iter().map(|drill| drill.exit_code).collect();
        let exit_code = ending(&codes, plan.control, interrupted.is_some());
        Self {
            campaign: plan.campaign.clone(),
            title: plan.title.clone(),
            outcome: exit_code.outcome(),
            reason: reason(exit_code, plan.control, interrupted, &drills),
            exit_code,
            seed: plan.seed,
            at_once: plan.at_once,
            control: plan.control,
            started,
            wall_seconds: took,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            source,
            drills,
        }
    }

    /// As JSON, indented, with a line end.
    ///
    /// # Errors
    /// When a number in it is none in JSON.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }
}

fn reason(code: ExitCode, control: bool, interrupted: Option<&str>, drills: &[DrillSummary]) -> String {
    let all = drills.len();
    let those: Vec<&str> =
        drills.iter().filter(|drill| drill.exit_code == code).map(|drill| drill.drill.as_str()).collect();
    if let Some(signal) = interrupted {
        let came_to_one = drills.iter().filter(|drill| drill.exit_code != ExitCode::Interrupted).count();
        return format!("stopped by {signal}; {came_to_one} of {all} drills had come to an end");
    }
    match code {
        ExitCode::Failed if control => format!("control: {all} of {all} drills failed, as they must"),
        ExitCode::Passed if control => {
            format!("control: {} of {all} PASSED and so proves nothing: {}", those.len(), those.join(", "))
        }
        ExitCode::Passed => format!("{all} of {all} drills"),
        _ => format!("{} of {all} drills: {}", those.len(), those.join(", ")),
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives the field by reference")]
fn number<S: Serializer>(code: &ExitCode, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u8(code.number())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::played;

    fn summary(codes: &[ExitCode], control: bool, interrupted: Option<&str>) -> CampaignSummary {
        played::summary(codes, control, interrupted)
    }

    #[test]
    fn a_summary_reads_like_this() {
        let summary = summary(&[ExitCode::Passed, ExitCode::CannotRun], false, None);
        insta::assert_snapshot!(summary.to_json().unwrap());
    }

    #[test]
    fn the_reason_names_the_drills_that_made_it_so() {
        use ExitCode::{CannotRun, Failed, Inconclusive, Interrupted, Passed};
        let said = |codes: &[ExitCode], control, interrupted| {
            let summary = summary(codes, control, interrupted);
            format!("{}: {}", summary.exit_code.number(), summary.reason)
        };
        insta::assert_snapshot!(
            [
                said(&[Passed, Passed], false, None),
                said(&[Failed, Passed, Failed], false, None),
                said(&[Failed, Inconclusive], false, None),
                said(&[Failed, CannotRun], false, None),
                said(&[Failed, Failed], true, None),
                said(&[Failed, Passed], true, None),
                said(&[Failed, Inconclusive], true, None),
                said(&[Passed, Interrupted, Interrupted], false, Some("SIGINT")),
            ]
            .join("\n")
        );
    }
}
