//! `muster judge`: judges a run again, from its journal alone.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::journal::{JournalError, read};
use crate::report::folder::{IsCampaign, JOURNAL, SUMMARY, of_campaign};
use crate::report::summary::Summary;
use crate::report::{Style, terminal};
use crate::timeline::measure::{NoPlan, measure, planned};
use crate::verdict::{ExitCode, judge as verdict_of};

/// Judge a run again, from its journal alone
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example:\n  muster judge reports/database-down-20260301T120000Z")]
pub struct JudgeArgs {
    /// A report folder, or its journal.jsonl
    pub journal: PathBuf,
    /// Print the summary as JSON in place of the page
    #[arg(long)]
    pub json: bool,
}

/// A run that cannot be judged again.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// The journal cannot be read, or was tampered with.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Each drill of a campaign is judged by itself.
    #[error(transparent)]
    Campaign(#[from] IsCampaign),
    /// There is nothing to judge.
    #[error("{path}: {source}")]
    NoPlan {
        /// The journal.
        path: PathBuf,
        /// What is missing.
        source: NoPlan,
    },
    /// The summary beside the journal is another run's, or one of the two was changed.
    #[error(
        "{}: its `journal_chain` is {told}, and the last hash of {} is {found}: one of the two was changed since the run; \
         expected both as the run left them",
        summary.display(),
        journal.display()
    )]
    OtherSummary {
        /// The summary.
        summary: PathBuf,
        /// The journal.
        journal: PathBuf,
        /// The hash in the summary.
        told: String,
        /// The journal's.
        found: String,
    },
    /// The summary cannot be told in JSON.
    #[error("the summary cannot be written as JSON: {0}; this is a defect of muster")]
    Summary(#[from] serde_json::Error),
}

/// The same report that the run itself wrote; the exit code is that of the run.
///
/// # Errors
/// When the journal cannot be read or holds no plan. That is [`ExitCode::CannotRun`].
pub fn judge(args: &JudgeArgs, style: Style) -> Result<(ExitCode, String), JudgeError> {
    let path = if args.journal.is_dir() { args.journal.join(JOURNAL) } else { args.journal.clone() };
    let drills = if path.exists() { BTreeSet::new() } else { of_campaign(&args.journal) };
    if !drills.is_empty() {
        return Err(IsCampaign { folder: args.journal.clone(), drills }.into());
    }
    let reading = read(&path)?;
    if !reading.cut_off {
        held_against_summary(&path, &reading.chain.to_string())?;
    }
    let events = &reading.events;
    let no_plan = |source| JudgeError::NoPlan { path: path.clone(), source };
    let plan = planned(events).map_err(no_plan)?;
    let measured = measure(events).map_err(no_plan)?;
    let verdict = verdict_of(events).map_err(no_plan)?;
    let code = ExitCode::from(verdict.outcome);
    if args.json {
        return Ok((code, Summary::of(events, plan, &measured, &verdict, reading.chain).to_json()?));
    }
    let mut page = terminal::render(&measured, &verdict, plan, style);
    let _ = writeln!(page, "journal: its last hash is {}", reading.chain);
    if reading.cut_off {
        let _ = writeln!(page, "{}: the journal is cut off; what it holds was judged", path.display());
    }
    Ok((code, page))
}

/// A summary that stands beside the journal names its last hash. Without a summary there is nothing to hold it against.
fn held_against_summary(journal: &Path, found: &str) -> Result<(), JudgeError> {
    let summary = journal.with_file_name(SUMMARY);
    let text = std::fs::read_to_string(&summary).unwrap_or_default();
    let told = serde_json::from_str::<serde_json::Value>(&text).ok();
    let told = told.as_ref().and_then(|summary| summary["journal_chain"].as_str());
    match told.filter(|told| *told != found) {
        Some(told) => Err(JudgeError::OtherSummary {
            told: told.to_owned(),
            found: found.to_owned(),
            journal: journal.to_path_buf(),
            summary,
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::synthetic;

    #[test]
    fn a_summary_that_tells_another_hash_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let text = synthetic::passing().text();
        std::fs::write(folder.path().join(JOURNAL), &text).unwrap();
        let judged = |chain: &str| {
            std::fs::write(folder.path().join(SUMMARY), format!("{{\"journal_chain\": \"{chain}\"}}")).unwrap();
            judge(&JudgeArgs { journal: folder.path().to_path_buf(), json: false }, Style::PLAIN)
        };
        let (_, chain) = text.trim_end().rsplit_once("\"chain\":\"").unwrap();
        let chain = chain.strip_suffix("\"}").unwrap();
        let (code, page) = judged(chain).unwrap();
        assert_eq!(code, ExitCode::Passed);
        assert!(page.ends_with(&format!("journal: its last hash is {chain}\n")), "{page}");
        let refused = judged("00000000000000000000000000000000").unwrap_err().to_string();
        assert!(refused.contains("one of the two was changed"), "{refused}");
    }

    fn judged(text: &str, json: bool, as_folder: bool) -> (Result<ExitCode, JudgeError>, String) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("journal.jsonl");
        std::fs::write(&file, text).unwrap();
        let journal = if as_folder { folder.path().to_path_buf() } else { file };
        judge(&JudgeArgs { journal, json }, Style::PLAIN)
            .map_or_else(|error| (Err(error), String::new()), |(code, page)| (Ok(code), page))
    }

    #[test]
    fn a_folder_and_its_journal_give_the_same_report() {
        let text = synthetic::passing().text();
        let (code, page) = judged(&text, false, true);
        assert_eq!(code.unwrap(), ExitCode::Passed);
        assert!(page.contains("verdict: passed\njournal: its last hash is "), "{page}");
        assert_eq!(judged(&text, false, false).1, page);
    }

    #[test]
    fn the_exit_code_is_that_of_the_run() {
        assert_eq!(judged(&synthetic::control().text(), false, true).0.unwrap(), ExitCode::Failed);
    }

    #[test]
    fn json_holds_the_last_hash_of_the_journal() {
        let text = synthetic::passing().text();
        let (_, json) = judged(&text, true, true);
        let summary: serde_json::Value = serde_json::from_str(&json).unwrap();
        let chain = summary["journal_chain"].as_str().unwrap();
        assert!(text.trim_end().ends_with(&format!("\"chain\":\"{chain}\"}}")));
        assert_eq!(summary["exit_code"], 0);
    }

    #[test]
    fn a_journal_that_was_cut_off_is_judged_and_told() {
        let text = synthetic::passing().text();
        let (code, page) = judged(&text[..text.len() - 20], false, true);
        assert_eq!(code.unwrap(), ExitCode::Interrupted);
        assert!(page.contains("the journal is cut off"), "{page}");
    }

    #[test]
    fn a_changed_journal_is_refused() {
        let text = synthetic::passing().text().replacen("\"speed\":20.0", "\"speed\":21.0", 1);
        let (code, _) = judged(&text, false, true);
        assert!(matches!(code, Err(JudgeError::Journal(JournalError::BrokenChain { line: 2, .. }))));
    }

    #[test]
    fn of_a_campaign_the_folders_that_can_be_judged_are_named() {
        let campaign = tempfile::tempdir().unwrap();
        let drill = campaign.path().join("down-20260301T120000Z");
        std::fs::create_dir(&drill).unwrap();
        std::fs::write(drill.join("journal.jsonl"), synthetic::passing().text()).unwrap();
        let told = |journal: PathBuf| judge(&JudgeArgs { journal, json: false }, Style::PLAIN);
        let refused = told(campaign.path().to_owned()).unwrap_err().to_string();
        assert!(refused.ends_with(&format!("name that of one of its drills: {}", drill.display())), "{refused}");
        assert_eq!(told(drill).unwrap().0, ExitCode::Passed);
    }

    #[test]
    fn an_empty_journal_cannot_be_judged() {
        let (code, _) = judged("", false, true);
        assert!(code.unwrap_err().to_string().contains("the journal holds no plan"));
    }
}
