//! Which scenarios are run: those that a tag expression selects.

use cucumber::tag::Ext;
use gherkin::tagexpr::TagOperation;
use gherkin::{Feature, Rule, Scenario};

/// Which scenarios are run.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    written: Option<(String, TagOperation)>,
}

/// A selection that selects nothing, or is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectionError {
    /// Not a tag expression.
    #[error(
        "`{written}` is no tag expression: {problem}; expected tags joined by `and`, `or`, `not` and parentheses, as in \
         `@failover and not @slow`"
    )]
    NoExpression {
        /// As it was given.
        written: String,
        /// What the parser says.
        problem: String,
    },
    /// Nothing is selected: that is an error, not a pass.
    #[error("no scenario has the tags `{written}`; expected an expression that selects one at least{known}")]
    Nothing {
        /// As it was given.
        written: String,
        /// The tags that there are.
        known: String,
    },
}

impl Selection {
    /// # Errors
    /// When the expression is none.
    pub fn of(tags: Option<&str>) -> Result<Self, SelectionError> {
        let Some(written) = tags else { return Ok(Self::default()) };
        let operation = written.parse::<TagOperation>().map_err(|error| SelectionError::NoExpression {
            written: written.to_owned(),
            problem: error.to_string(),
        })?;
        Ok(Self { written: Some((written.to_owned(), operation)) })
    }

    /// The scenarios of these features that are selected, and nothing else of them.
    ///
    /// # Errors
    /// When there is none.
    pub fn among(&self, features: Vec<Feature>) -> Result<Vec<Feature>, SelectionError> {
        let Some((written, _)) = &self.written else { return Ok(features) };
        let known = tags_of(&features);
        let selected: Vec<Feature> = features.into_iter().filter_map(|feature| self.within(feature)).collect();
        if selected.is_empty() {
            let known = if known.is_empty() { String::new() } else { format!("; the tags are {}", known.join(" ")) };
            return Err(SelectionError::Nothing { written: written.clone(), known });
        }
        Ok(selected)
    }

    fn within(&self, mut feature: Feature) -> Option<Feature> {
        let mut scenarios = std::mem::take(&mut feature.scenarios);
        scenarios.retain(|scenario| self.selects(&feature, None, scenario));
        let mut rules = std::mem::take(&mut feature.rules);
        for rule in &mut rules {
            let mut below = std::mem::take(&mut rule.scenarios);
            below.retain(|scenario| self.selects(&feature, Some(rule), scenario));
            rule.scenarios = below;
        }
        rules.retain(|rule| !rule.scenarios.is_empty());
        (feature.scenarios, feature.rules) = (scenarios, rules);
        (!feature.scenarios.is_empty() || !feature.rules.is_empty()).then_some(feature)
    }

    fn selects(&self, feature: &Feature, rule: Option<&Rule>, scenario: &Scenario) -> bool {
        let tags = scenario.tags.iter().chain(rule.into_iter().flat_map(|rule| &rule.tags)).chain(&feature.tags);
        self.written.as_ref().is_none_or(|(_, operation)| operation.eval(tags))
    }
}

/// Every tag that is no rule's number, once, in the order of the alphabet.
fn tags_of(features: &[Feature]) -> Vec<String> {
    let of_feature = |feature: &Feature| {
        let rules = feature.rules.iter().flat_map(|rule| rule.tags.iter().chain(rule.scenarios.iter().flat_map(|one| &one.tags)));
        let scenarios = feature.scenarios.iter().flat_map(|one| &one.tags);
        feature.tags.iter().chain(rules).chain(scenarios).cloned().collect::<Vec<_>>()
    };
    let mut tags: Vec<String> = features.iter().flat_map(of_feature).map(|tag| format!("@{tag}")).collect();
    tags.retain(|tag| !tag.chars().any(|c| c.is_ascii_digit()));
    tags.sort();
    tags.dedup();
    tags
}
