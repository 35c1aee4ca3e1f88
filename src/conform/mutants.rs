//! The suite's own test: every mutant must be killed by a scenario of a rule that it breaks.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use gherkin::{Feature, Rule, Scenario, Step};
use serde::Serialize;

use crate::gherkin::{Catalogue, Needs, Setting, SubjectChoice};
use crate::lab::quietly;
use crate::subject::mutants::Mutant;

use super::outcome::{Status, SuiteOutcome};
use super::run::{RunTrouble, run_alone};
use super::selection::only;

/// What became of a mutant.
#[derive(Clone, Debug, Serialize)]
pub struct MutantOutcome {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub what: &'static str,
    /// The rules that it breaks.
    pub rules: &'static [&'static str],
    /// Whether, and by whom, it was killed.
    pub fate: Fate,
    /// On the wall clock.
    #[serde(skip)]
    pub took: Duration,
}

/// Whether, and by whom, a mutant was killed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// By a scenario of a rule that it breaks; where that stands.
    Killed(String),
    /// Only by a scenario of other rules: one of its own rules is missing.
    KilledByAnother(String),
    /// Every scenario passes: one is missing.
    Survived,
}

impl Fate {
    /// Whether it was killed by a scenario of a rule that it breaks.
    #[must_use]
    pub const fn is_killed(&self) -> bool {
        matches!(self, Self::Killed(_))
    }
}

/// Runs the suite against each of these mutants, on this many threads.
///
/// The scenarios of a mutant's rules run first, and the first failure ends its run. When the whole is ended before its
/// time, those are told that were done.
///
/// # Errors
/// When a thread of the runner dies.
pub fn run_mutants(
    mutants: &[Mutant],
    features: &[Feature],
    catalogue: &Catalogue,
    setting: &Setting,
    threads: usize,
) -> Result<Vec<MutantOutcome>, RunTrouble> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(mutant) = mutants.get(index) else { return Ok(done) };
            let outcome = one(mutant, features, catalogue, setting)?;
            // A run that was cut short says nothing of the mutant.
            if setting.stop.early().is_some() {
                return Ok(done);
            }
            done.push((index, outcome));
        }
    };
    let mut outcomes = quietly(|| {
        std::thread::scope(|scope| {
            let running: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
            let ended = running.into_iter().map(|thread| thread.join().map_err(|_| RunTrouble::ThreadDied)?);
            ended.collect::<Result<Vec<Vec<(usize, MutantOutcome)>>, RunTrouble>>()
        })
    })?
    .concat();
    outcomes.sort_by_key(|(index, _)| *index);
    Ok(outcomes.into_iter().map(|(_, outcome)| outcome).collect())
}

fn one(
    mutant: &Mutant,
    features: &[Feature],
    catalogue: &Catalogue,
    setting: &Setting,
) -> Result<MutantOutcome, RunTrouble> {
    let started = Instant::now();
    let known = crate::subject::mutants::find(mutant.name).map_err(|_| RunTrouble::ThreadDied)?;
    let setting = Arc::new(Setting { subject: SubjectChoice::Mutant(known), ..setting.clone() });
    let of_its_rules = |feature: &Feature, rule: Option<&Rule>, scenario: &Scenario| {
        let tags = scenario.tags.iter().chain(rule.into_iter().flat_map(|rule| &rule.tags)).chain(&feature.tags);
        tags.into_iter().any(|tag| mutant.rules.contains(&tag.as_str()))
    };
    let mut fate = Fate::Survived;
    for own in [true, false] {
        let part = only(features, |feature, rule, scenario| {
            of_its_rules(feature, rule, scenario) == own && !runs_a_drill(catalogue, scenario)
        });
        let outcome = run_alone(&part, catalogue, &setting);
        if let Some(killer) = killer(&outcome) {
            fate = if own { Fate::Killed(killer) } else { Fate::KilledByAnother(killer) };
            break;
        }
    }
    let Mutant { name, what, rules, .. } = *mutant;
    Ok(MutantOutcome { name, what, rules, fate, took: started.elapsed() })
}

/// A drill runs with the reference, whoever the subject is: no mutant can be told by it.
fn runs_a_drill(catalogue: &Catalogue, scenario: &Scenario) -> bool {
    let drill = |step: &Step| catalogue.matching(step.ty, &step.value).any(|entry| entry.needs == Needs::Drill);
    scenario.steps.iter().any(drill)
}

/// Where the scenario stands that fails.
fn killer(outcome: &SuiteOutcome) -> Option<String> {
    let failed = outcome.scenarios().find(|(.., scenario)| scenario.status() == Status::Failed);
    failed.map(|(feature, _, scenario)| format!("{}:{}", feature.file.display(), scenario.line))
}
