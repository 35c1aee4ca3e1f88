//! Which rules of a rulebook scenarios exercise, and which nobody does.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::rulebook::Rulebook;

use super::outcome::{Status, SuiteOutcome};

/// The coverage of one rulebook.
#[derive(Clone, Debug, Serialize)]
pub struct Coverage {
    /// The dialect, as reports call it.
    pub dialect: String,
    /// Every rule, in the order of the numbers.
    pub rules: Vec<CoveredRule>,
    /// Tags that look like a rule's number, and name none.
    pub unknown: Vec<String>,
}

/// A rule, and who exercises it.
#[derive(Clone, Debug, Serialize)]
pub struct CoveredRule {
    /// Its number.
    pub id: String,
    /// In one line.
    pub title: String,
    /// The letters of what it rests on.
    pub evidence: String,
    /// Whether scenarios must exercise it: what it rests on is firm, and somebody can tell.
    pub due: bool,
    /// The scenarios that exercise it, with their places.
    pub scenarios: Vec<String>,
}

impl Coverage {
    /// The coverage of this rulebook by scenarios that hold something against the subject.
    #[must_use]
    pub fn of(book: &Rulebook, outcome: &SuiteOutcome) -> Self {
        let mut by_rule: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (feature, _, scenario) in outcome.scenarios() {
            if matches!(scenario.status(), Status::Passed | Status::Failed) {
                for number in scenario.numbers() {
                    let told = format!("{}:{} {}", feature.file.display(), scenario.line, scenario.name);
                    by_rule.entry(number).or_default().push(told);
                }
            }
        }
        let rules = book.rules().map(|rule| {
            let id = rule.id.to_string();
            CoveredRule {
                title: rule.title.clone(),
                evidence: rule.evidence.iter().map(|evidence| evidence.letter()).collect(),
                due: rule.must_be_covered(),
                scenarios: by_rule.get(id.as_str()).cloned().unwrap_or_default(),
                id,
            }
        });
        let of_book = |number: &&str| number.starts_with(&book.prefix);
        let unknown = by_rule.keys().copied().filter(of_book).filter(|number| book.rule(number).is_none());
        Self { dialect: book.name.clone(), unknown: unknown.map(str::to_owned).collect(), rules: rules.collect() }
    }

    /// The rules that scenarios must exercise, and none does.
    pub fn missing(&self) -> impl Iterator<Item = &CoveredRule> {
        self.rules.iter().filter(|rule| rule.due && rule.scenarios.is_empty())
    }

    /// Whether every rule that must be exercised is, and every number is that of a rule.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.unknown.is_empty() && self.missing().next().is_none()
    }
}
