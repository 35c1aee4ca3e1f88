//! A conformance run: features are found, parsed, selected, run, and what became of them is told.
//!
//! cucumber runs the scenarios; the features' files are read here, so that every mistake in them has its line.

mod check;
mod course;
pub mod coverage;
pub mod files;
pub mod inputs;
mod layout;
pub mod mutants;
pub mod outcome;
mod outline;
mod row;
pub mod run;
pub mod selection;
mod shards;
mod walk;

pub use files::{FeatureErrors, Features};
pub use outcome::{FeatureOutcome, RuleOutcome, ScenarioOutcome, Status, StepOutcome, SuiteOutcome};
pub use run::{Pace, RunTrouble, run};
pub use selection::{Selection, SelectionError};

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
