//! `muster compare`: holds two runs of a drill, or two campaigns, against each other, from their journals alone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::compare::{Comparison, Run, compare as hold};
use crate::journal::{JournalError, read};
use crate::report::folder::{JOURNAL, of_campaign};
use crate::report::{Style, compare as page};
use crate::timeline::measure::NoPlan;
use crate::verdict::ExitCode;

/// Hold two runs of a drill, or two campaigns, against each other, figure by figure
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  \
    muster compare reports/quarterly-20260301T120000Z reports/quarterly-20260601T120000Z\n  \
    muster compare reports/wedged-engine-20260301T120000Z reports/wedged-engine-20260301T121500Z --json\n\n\
    Two figures agree when what was measured meets, each with its uncertainty, or when both lie inside the same \
    prediction: where in it a run ends up is chance. What was seen on one side only differs. So do answers, their TTLs, and \
    the shares of requests that failed or were slow, where so many requests tell it; what may be chance is not told. Exit \
    codes: 0 all agrees, \
    1 something differs or is on one side only, 2 not the same drill or not the same settings, 3 a run was inconclusive; \
    the first of 2, 3, 1, 0 that applies.")]
pub struct CompareArgs {
    /// A report folder, of a run or of a campaign, or a run's journal.jsonl
    pub before: PathBuf,
    /// Another; of a campaign, each drill's latest run counts
    pub after: PathBuf,
    /// Print everything that was compared as JSON in place of the page
    #[arg(long)]
    pub json: bool,
}

/// Runs that cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// A journal cannot be read, or was tampered with.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A journal holds nothing to compare.
    #[error("{path}: {source}")]
    NoPlan {
        /// The journal.
        path: PathBuf,
        /// What is missing.
        source: NoPlan,
    },
    /// The sides have nothing to do with each other.
    #[error(
        "no drill is on both sides: {before} has {}, {after} has {}; name two runs of one drill, or two campaigns",
        listed(ours),
        listed(theirs)
    )]
    NothingInCommon {
        /// The one side.
        before: PathBuf,
        /// Its drills.
        ours: BTreeSet<String>,
        /// The other.
        after: PathBuf,
        /// Its drills.
        theirs: BTreeSet<String>,
    },
    /// The comparison cannot be told in JSON.
    #[error("the comparison cannot be written as JSON: {0}; this is a defect of muster")]
    Json(#[from] serde_json::Error),
}

impl CompareError {
    /// With which code muster ends.
    #[must_use]
    pub const fn exit_code(&self) -> ExitCode {
        match self {
            Self::Journal(_) | Self::NoPlan { .. } | Self::NothingInCommon { .. } => ExitCode::CannotRun,
            Self::Json(_) => ExitCode::LabBroke,
        }
    }
}

fn listed(drills: &BTreeSet<String>) -> String {
    drills.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// The page, and how muster ends.
///
/// # Errors
/// When a journal cannot be read or holds no plan, or the sides have no drill in common.
pub fn compare(args: &CompareArgs, style: Style) -> Result<(ExitCode, String), CompareError> {
    let (mut before, mut after) = (Side::read(&args.before)?, Side::read(&args.after)?);
    // A run is held against that of the same drill alone.
    match (before.is_campaign, after.is_campaign) {
        (false, true) => after.narrow_to(&before),
        (true, false) => before.narrow_to(&after),
        _ => {}
    }
    let (ours, theirs) = (before.names(), after.names());
    if ours.is_disjoint(&theirs) {
        let (before, after) = (args.before.clone(), args.after.clone());
        return Err(CompareError::NothingInCommon { before, ours, after, theirs });
    }
    let comparison: Comparison = hold(&before.runs, &after.runs);
    let text = if args.json {
        serde_json::to_string_pretty(&comparison)? + "\n"
    } else {
        page::render(&comparison, &args.before, &args.after, style)
    };
    Ok((comparison.likeness.into(), text))
}

/// One run, or the drills of a campaign by their names.
struct Side {
    runs: BTreeMap<String, Run>,
    is_campaign: bool,
}

impl Side {
    fn read(path: &Path) -> Result<Self, CompareError> {
        let journal = if path.is_dir() { path.join(JOURNAL) } else { path.to_path_buf() };
        let drills = if journal.exists() { BTreeSet::new() } else { of_campaign(path) };
        let is_campaign = !drills.is_empty();
        let journals =
            if is_campaign { drills.iter().map(|drill| drill.join(JOURNAL)).collect() } else { vec![journal] };
        let mut runs = BTreeMap::new();
        // In the order of time: of a drill that was run once more, the last counts.
        for journal in journals {
            let run = Run::of(&read(&journal)?.events);
            let run = run.map_err(|source| CompareError::NoPlan { path: journal.clone(), source })?;
            runs.insert(run.drill().to_owned(), run);
        }
        Ok(Self { runs, is_campaign })
    }

    fn names(&self) -> BTreeSet<String> {
        self.runs.keys().cloned().collect()
    }

    /// Leaves out what the other has not; all of it stays when they have nothing in common.
    fn narrow_to(&mut self, other: &Self) {
        if self.runs.keys().any(|drill| other.runs.contains_key(drill)) {
            self.runs.retain(|drill, _| other.runs.contains_key(drill));
        }
    }
}
