//! A conformance run: features are found, parsed, selected, run, and what became of them is told.
//!
//! cucumber runs the scenarios; the features' files are read here, so that every mistake in them has its line.

pub mod coverage;
pub mod files;
pub mod mutants;
pub mod outcome;
pub mod run;
pub mod selection;
mod shards;

pub use files::{FeatureErrors, Features};
pub use outcome::{FeatureOutcome, RuleOutcome, ScenarioOutcome, Status, StepOutcome, SuiteOutcome};
pub use run::{Pace, RunTrouble, run};
pub use selection::{Selection, SelectionError};

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
