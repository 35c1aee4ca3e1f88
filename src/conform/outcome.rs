//! What became of a conformance run: feature, rule, scenario, step.
//!
//! It is built from the features before the run, with nothing reached, and filled by it. So the order is that of the
//! files whatever ran first, and what was never reached is seen.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use gherkin::{Feature, Rule, Scenario, Step};
use serde::Serialize;

use crate::gherkin::{Early, Explanation, Trouble};
use crate::verdict::ExitCode;

/// What became of a step, or of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It holds.
    Passed,
    /// It needs what this subject or this lab does not have.
    NotApplicable,
    /// It was not run: a step before it did not hold, or the run ended before.
    NotReached,
    /// The subject does not decide so.
    Failed,
    /// It is written in a way that cannot be run: a step that is not defined, a table with other columns.
    CannotRun,
    /// The lab's own trouble.
    LabBroke,
}

impl From<Trouble> for Status {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Wrong => Self::Failed,
            Trouble::CannotRun => Self::CannotRun,
            Trouble::NotApplicable => Self::NotApplicable,
            Trouble::LabBroke => Self::LabBroke,
            Trouble::NotRun => Self::NotReached,
        }
    }
}

/// What became of a whole run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SuiteOutcome {
    /// In the order of their files.
    pub features: Vec<FeatureOutcome>,
    /// On the wall clock.
    #[serde(rename = "took_seconds", serialize_with = "seconds")]
    pub took: Duration,
    /// Why it ended before its time, where it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub early: Option<Early>,
}

/// What became of a feature.
#[derive(Clone, Debug, Serialize)]
pub struct FeatureOutcome {
    /// As its file says it.
    pub name: String,
    /// The file, as it was named.
    pub file: PathBuf,
    /// Without `@`.
    pub tags: Vec<String>,
    /// The scenarios outside of any rule, if there are any, then each rule.
    pub rules: Vec<RuleOutcome>,
}

/// What became of a rule.
#[derive(Clone, Debug, Serialize)]
pub struct RuleOutcome {
    /// As its file says it; `None` for scenarios outside of any rule.
    pub name: Option<String>,
    /// Without `@`.
    pub tags: Vec<String>,
    /// Where the rule comes from.
    pub description: Option<String>,
    /// In the order of the file.
    pub scenarios: Vec<ScenarioOutcome>,
}

/// What became of a scenario, or of one example of an outline.
#[derive(Clone, Debug, Serialize)]
pub struct ScenarioOutcome {
    /// As its file says it.
    pub name: String,
    /// From 1; of an example, that of its row.
    pub line: usize,
    /// Without `@`; those of the rule and the feature too.
    pub tags: Vec<String>,
    /// With those of the backgrounds.
    pub steps: Vec<StepOutcome>,
}

/// What became of a step.
#[derive(Clone, Debug, Serialize)]
pub struct StepOutcome {
    /// `Given `, `And `, …
    pub keyword: String,
    /// Without its keyword.
    pub text: String,
    /// From 1.
    pub line: usize,
    /// What became of it.
    pub status: Status,
    /// Why it does not hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<String>,
    /// On the wall clock.
    #[serde(rename = "took_seconds", serialize_with = "seconds")]
    pub took: Duration,
}

fn seconds<S: serde::Serializer>(took: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(took.as_secs_f64())
}

impl SuiteOutcome {
    /// Nothing of these features was reached yet.
    #[must_use]
    pub fn unreached(features: &[Feature]) -> Self {
        Self { features: features.iter().map(FeatureOutcome::unreached).collect(), took: Duration::ZERO, early: None }
    }

    /// Every scenario, with its feature and its rule.
    pub fn scenarios(&self) -> impl Iterator<Item = (&FeatureOutcome, &RuleOutcome, &ScenarioOutcome)> {
        self.features.iter().flat_map(|feature| {
            feature
                .rules
                .iter()
                .flat_map(move |rule| rule.scenarios.iter().map(move |scenario| (feature, rule, scenario)))
        })
    }

    /// How many scenarios ended so.
    #[must_use]
    pub fn count(&self, status: Status) -> usize {
        self.scenarios().filter(|(.., scenario)| scenario.status() == status).count()
    }

    /// How the run ends: that somebody ended it before the lab's trouble, before what cannot be run, before a failure.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        if matches!(self.early, Some(Early::Interrupted(_))) {
            return ExitCode::Interrupted;
        }
        [
            (Status::LabBroke, ExitCode::LabBroke),
            (Status::CannotRun, ExitCode::CannotRun),
            (Status::Failed, ExitCode::Failed),
            (Status::NotReached, ExitCode::Inconclusive),
            (Status::Passed, ExitCode::Passed),
        ]
        .into_iter()
        .find(|(status, _)| self.count(*status) > 0)
        // Nothing was held against the subject: that is no pass.
        .map_or(ExitCode::Inconclusive, |(_, code)| code)
    }

    /// Every scenario by its place, to be filled.
    pub(super) fn by_place(&mut self) -> BTreeMap<(PathBuf, usize), &mut ScenarioOutcome> {
        let mut places = BTreeMap::new();
        for feature in &mut self.features {
            for scenario in feature.rules.iter_mut().flat_map(|rule| &mut rule.scenarios) {
                places.insert((feature.file.clone(), scenario.line), scenario);
            }
        }
        places
    }
}

impl FeatureOutcome {
    fn unreached(feature: &Feature) -> Self {
        let background = feature.background.iter().flat_map(|background| &background.steps);
        let background: Vec<&Step> = background.collect();
        let outside = (!feature.scenarios.is_empty()).then(|| RuleOutcome {
            name: None,
            tags: Vec::new(),
            description: None,
            scenarios: unreached(&feature.scenarios, &background, &feature.tags, &[]),
        });
        let within = feature.rules.iter().map(|rule| RuleOutcome::unreached(rule, &background, &feature.tags));
        Self {
            name: feature.name.clone(),
            file: feature.path.clone().unwrap_or_default(),
            tags: feature.tags.clone(),
            rules: outside.into_iter().chain(within).collect(),
        }
    }

    /// How many of its scenarios ended so.
    #[must_use]
    pub fn count(&self, status: Status) -> usize {
        let scenarios = self.rules.iter().flat_map(|rule| &rule.scenarios);
        scenarios.filter(|scenario| scenario.status() == status).count()
    }

    /// How many scenarios it has.
    #[must_use]
    pub fn scenarios(&self) -> usize {
        self.rules.iter().map(|rule| rule.scenarios.len()).sum()
    }
}

impl RuleOutcome {
    fn unreached(rule: &Rule, background: &[&Step], tags: &[String]) -> Self {
        let own = rule.background.iter().flat_map(|background| &background.steps);
        let background: Vec<&Step> = background.iter().copied().chain(own).collect();
        Self {
            name: Some(rule.name.clone()),
            tags: rule.tags.clone(),
            description: rule.description.clone(),
            scenarios: unreached(&rule.scenarios, &background, tags, &rule.tags),
        }
    }

    /// The numbers of its rules, as its tags give them: `R53-24`.
    pub fn numbers(&self) -> impl Iterator<Item = &str> {
        self.tags.iter().map(String::as_str).filter(|tag| is_rule_number(tag))
    }
}

/// `R53-24`: capital letters and digits, a dash, a number.
#[must_use]
pub fn is_rule_number(tag: &str) -> bool {
    tag.split_once('-').is_some_and(|(dialect, number)| {
        !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
            && dialect.starts_with(|first: char| first.is_ascii_uppercase())
            && dialect.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    })
}

fn unreached(
    scenarios: &[Scenario],
    background: &[&Step],
    feature: &[String],
    rule: &[String],
) -> Vec<ScenarioOutcome> {
    let one = |scenario: &Scenario| ScenarioOutcome {
        name: scenario.name.clone(),
        line: scenario.position.line,
        tags: scenario.tags.iter().chain(rule).chain(feature).cloned().collect(),
        steps: background.iter().copied().chain(&scenario.steps).map(StepOutcome::unreached).collect(),
    };
    scenarios.iter().map(one).collect()
}

impl ScenarioOutcome {
    /// The worst of its steps. What passed up to where the run ended was not reached as a whole.
    #[must_use]
    pub fn status(&self) -> Status {
        let reached = self.steps.iter().map(|step| step.status).filter(|status| *status != Status::NotReached);
        let cut_short = self.steps.iter().any(|step| step.status == Status::NotReached);
        reached.max().filter(|status| *status != Status::Passed || !cut_short).unwrap_or(Status::NotReached)
    }

    /// The step that does not hold.
    #[must_use]
    pub fn stopped_at(&self) -> Option<&StepOutcome> {
        self.steps.iter().find(|step| step.explanation.is_some())
    }

    /// On the wall clock.
    #[must_use]
    pub fn took(&self) -> Duration {
        self.steps.iter().map(|step| step.took).sum()
    }

    /// The numbers of the rules that it exercises.
    pub fn numbers(&self) -> impl Iterator<Item = &str> {
        self.tags.iter().map(String::as_str).filter(|tag| is_rule_number(tag))
    }
}

impl StepOutcome {
    fn unreached(step: &Step) -> Self {
        Self {
            keyword: step.keyword.clone(),
            text: step.value.clone(),
            line: step.position.line,
            status: Status::NotReached,
            explanation: None,
            took: Duration::ZERO,
        }
    }

    pub(super) fn end(&mut self, result: Result<(), Explanation>, took: Duration) {
        self.took = took;
        match result {
            Ok(()) => self.status = Status::Passed,
            Err(Explanation { trouble: Trouble::NotRun, .. }) => self.took = Duration::ZERO,
            Err(explanation) => {
                self.status = explanation.trouble.into();
                self.explanation = Some(explanation.text);
            }
        }
    }
}
