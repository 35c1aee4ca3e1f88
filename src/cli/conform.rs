//! `muster conform`: holds a server against the rules, scenario by scenario.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use crate::conform::{FeatureErrors, Features, Pace, RunTrouble, Selection, SelectionError, run};
use crate::gherkin::catalogue::ExpressionError;
use crate::gherkin::{Catalogue, Setting};
use crate::report::{Style, conform_terminal};
use crate::verdict::ExitCode;

/// Hold an authoritative server against the rules: run the scenarios of feature files
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  \
    muster conform\n  \
    muster conform features/route53 --tags \"@failover and not @slow\"")]
pub struct ConformArgs {
    /// Feature files, and folders of them
    #[arg(default_value = "features")]
    pub paths: Vec<PathBuf>,
    /// Run only the scenarios that these tags select: `@a and not (@b or @c)`
    #[arg(long, value_name = "EXPRESSION")]
    pub tags: Option<String>,
    /// What every random choice comes from
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// A suite that cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum ConformError {
    /// A feature file has mistakes.
    #[error(transparent)]
    Features(#[from] FeatureErrors),
    /// Nothing is selected.
    #[error(transparent)]
    Selection(#[from] SelectionError),
    /// The catalogue is broken.
    #[error(transparent)]
    Catalogue(#[from] ExpressionError),
    /// The runner is.
    #[error(transparent)]
    Run(#[from] RunTrouble),
}

impl ConformError {
    /// How muster ends because of this.
    #[must_use]
    pub const fn exit_code(&self) -> ExitCode {
        match self {
            Self::Features(_) | Self::Selection(_) => ExitCode::CannotRun,
            Self::Catalogue(_) | Self::Run(_) => ExitCode::LabBroke,
        }
    }
}

/// Runs the suite: the page, and how muster ends.
///
/// # Errors
/// When nothing can be run.
pub fn conform(args: &ConformArgs, style: Style) -> Result<(String, ExitCode), ConformError> {
    let catalogue = Catalogue::new()?;
    let selection = Selection::of(args.tags.as_deref())?;
    let features = Features::read(&args.paths, &catalogue)?;
    let selected = selection.among(features.parsed)?;
    let setting = Arc::new(Setting { texts: features.texts, zone: None, seed: args.seed });
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let outcome = run(&selected, &catalogue, &setting, Pace { threads, fail_fast: false })?;
    Ok((conform_terminal::render(&outcome, "muster", "virtual", style), outcome.exit_code()))
}
