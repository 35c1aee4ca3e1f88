//! `JUnit` XML of a conformance run: a suite for each feature, a case for each scenario.
//!
//! A failure is the subject's. What cannot be run and the lab's trouble are errors; what does not apply is skipped.

use std::collections::BTreeMap;
use std::path::Path;

use crate::conform::{FeatureOutcome, RuleOutcome, ScenarioOutcome, Status, SuiteOutcome};
use crate::gherkin::Early;

use super::conform_terminal::HeldAgainst;
use super::junit::{Case, Suite, error, failure, skipped};

/// The suites, in the order of the features.
#[must_use]
pub fn suites(outcome: &SuiteOutcome, held: &HeldAgainst, seed: u64) -> Vec<Suite> {
    let ended = match &outcome.early {
        Some(early) => format!("not run: {early}"),
        None => "not run: the run ended at the first failure".to_owned(),
    };
    let suite = |feature: &FeatureOutcome| {
        let mut names = BTreeMap::new();
        let cases = feature.rules.iter().flat_map(|rule| rule.scenarios.iter().map(move |scenario| (rule, scenario)));
        let cases = cases.map(|(rule, scenario)| case(feature, rule, scenario, &mut names, &ended)).collect();
        let suite = Suite::new(&feature.name, None, cases);
        let suite = suite.with("subject", &held.subject).with("lab", &held.lab).with("seed", &seed.to_string());
        let suite = suite.with("muster", env!("CARGO_PKG_VERSION")).with("file", &feature.file.display().to_string());
        rules(feature).fold(suite, |suite, (name, value)| suite.with(&name, &value))
    };
    // Without it a run that somebody ended would look like one that passed.
    let run = outcome.early.as_ref().map(|early| {
        let left = outcome.count(Status::NotReached);
        Suite::without_verdict("conformance", kind(early), &format!("{early}; {left} scenarios were not run"))
    });
    outcome.features.iter().map(suite).chain(run).collect()
}

const fn kind(early: &Early) -> &'static str {
    match early {
        Early::Interrupted(_) => "interrupted",
        Early::NobodyAnswers => "lab broke",
    }
}

fn case(
    feature: &FeatureOutcome,
    rule: &RuleOutcome,
    scenario: &ScenarioOutcome,
    names: &mut BTreeMap<String, usize>,
    ended: &str,
) -> Case {
    let explanation = scenario.stopped_at().map(|step| {
        let why = step.explanation.as_deref().unwrap_or_default();
        format!("{}:{}: {}{}\n{why}", feature.file.display(), step.line, step.keyword, step.text)
    });
    let why = explanation.as_deref().unwrap_or_default();
    let result = match scenario.status() {
        Status::Passed => junit_report::TestResult::Success,
        Status::Failed => failure("failed", why),
        Status::CannotRun => error("cannot be run as written", why),
        Status::LabBroke => error("lab broke", why),
        Status::NotApplicable => skipped("not applicable", why),
        Status::NotReached => skipped("not reached", ended),
    };
    // Examples of one outline may have one name; a case is known by its own.
    let times = names.entry(scenario.name.clone()).or_default();
    *times += 1;
    let name = if *times == 1 { scenario.name.clone() } else { format!("{} [{times}]", scenario.name) };
    let told = format!("{}:{}\n{}", feature.file.display(), scenario.line, rule.name.as_deref().unwrap_or_default());
    Case::new(&class(&feature.file, scenario), &name, result).took(scenario.took()).with_output(told.trim_end())
}

/// The rules of a feature: number and title, and where each is written. The schema has properties for suites alone; a
/// case names its rules in its class.
fn rules(feature: &FeatureOutcome) -> impl Iterator<Item = (String, String)> {
    feature.rules.iter().flat_map(|rule| {
        let numbers: Vec<&str> = rule.numbers().collect();
        let known = if numbers.is_empty() { "rule".to_owned() } else { format!("rule {}", numbers.join(", ")) };
        let title = rule.name.clone().map(|title| (known.clone(), title));
        let sources = rule.description.iter().flat_map(|description| description.lines());
        let sources = sources.map(move |source| (format!("source of {known}"), source.trim().to_owned()));
        title.into_iter().chain(sources).collect::<Vec<_>>()
    })
}

/// `route53.failover.R53-24` for a scenario of that rule in `features/route53/failover.feature`.
fn class(file: &Path, scenario: &ScenarioOutcome) -> String {
    let folder = file.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let stem = file.file_stem().map(|name| name.to_string_lossy().into_owned());
    let numbers: Vec<&str> = scenario.numbers().collect();
    let rule = (!numbers.is_empty()).then(|| numbers.join("+"));
    [folder, stem, rule].into_iter().flatten().collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests;
