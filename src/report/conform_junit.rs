//! `JUnit` XML of a conformance run: a suite for each feature, a case for each scenario.
//!
//! A failure is the subject's. What cannot be run and the lab's trouble are errors; what does not apply is skipped.

use std::collections::BTreeMap;
use std::path::Path;

use crate::conform::{FeatureOutcome, RuleOutcome, ScenarioOutcome, Status, SuiteOutcome};

use super::conform_terminal::HeldAgainst;
use super::junit::{Case, Suite, error, failure, skipped};
use super::junit_properties::Property;

/// The suites, in the order of the features.
pub fn suites(outcome: &SuiteOutcome, held: &HeldAgainst, seed: u64) -> Vec<Suite> {
    let suite = |feature: &FeatureOutcome| {
        let mut names = BTreeMap::new();
        let cases = feature.rules.iter().flat_map(|rule| rule.scenarios.iter().map(move |scenario| (rule, scenario)));
        let cases = cases.map(|(rule, scenario)| case(feature, rule, scenario, &mut names)).collect();
        let suite = Suite::new(&feature.name, None, cases);
        let suite = suite.with("subject", &held.subject).with("lab", &held.lab).with("seed", &seed.to_string());
        suite.with("muster", env!("CARGO_PKG_VERSION")).with("file", &feature.file.display().to_string())
    };
    outcome.features.iter().map(suite).collect()
}

fn case(
    feature: &FeatureOutcome,
    rule: &RuleOutcome,
    scenario: &ScenarioOutcome,
    names: &mut BTreeMap<String, usize>,
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
        Status::NotReached => skipped("not reached", "the run ended before"),
    };
    // Examples of one outline may have one name; a case is known by its own.
    let times = names.entry(scenario.name.clone()).or_default();
    *times += 1;
    let name = if *times == 1 { scenario.name.clone() } else { format!("{} [{times}]", scenario.name) };
    let mut case = Case::new(&class(&feature.file), &name, result).took(scenario.took()).at(&feature.file, scenario.line);
    for number in scenario.numbers() {
        case = case.property(Property::new("rule", number));
    }
    if let Some(title) = &rule.name {
        case = case.property(Property::new("rule title", title));
    }
    for source in rule.description.iter().flat_map(|description| description.lines()) {
        case = case.property(Property::new("source", source.trim()));
    }
    case
}

/// `route53.failover` for `features/route53/failover.feature`.
fn class(file: &Path) -> String {
    let folder = file.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let stem = file.file_stem().map(|name| name.to_string_lossy().into_owned());
    [folder, stem].into_iter().flatten().collect::<Vec<_>>().join(".")
}
