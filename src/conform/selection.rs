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

/// Parentheses and `not` nest, and are read by recursion.
const MOST_BYTES: usize = 2_000;

impl Selection {
    /// # Errors
    /// When the expression is none.
    pub fn of(tags: Option<&str>) -> Result<Self, SelectionError> {
        let Some(written) = tags else { return Ok(Self::default()) };
        if written.len() > MOST_BYTES {
            let short: String = written.chars().take(60).collect();
            let problem = format!("it has {} bytes, and {MOST_BYTES} are the most", written.len());
            return Err(SelectionError::NoExpression { written: format!("{short}…"), problem });
        }
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
        let selected = only(&features, |feature, rule, scenario| self.selects(feature, rule, scenario));
        if selected.is_empty() {
            let known = if known.is_empty() { String::new() } else { format!("; the tags are {}", known.join(" ")) };
            return Err(SelectionError::Nothing { written: written.clone(), known });
        }
        Ok(selected)
    }

    fn selects(&self, feature: &Feature, rule: Option<&Rule>, scenario: &Scenario) -> bool {
        let tags = scenario.tags.iter().chain(rule.into_iter().flat_map(|rule| &rule.tags)).chain(&feature.tags);
        self.written.as_ref().is_none_or(|(_, operation)| operation.eval(tags))
    }
}

/// The features with those of their scenarios that are wanted, and without what is left of them then.
pub(super) fn only(features: &[Feature], wanted: impl Fn(&Feature, Option<&Rule>, &Scenario) -> bool) -> Vec<Feature> {
    let kept = |feature: &Feature, rule: Option<&Rule>, scenarios: &[Scenario]| -> Vec<Scenario> {
        scenarios.iter().filter(|scenario| wanted(feature, rule, scenario)).cloned().collect()
    };
    let within = |feature: &Feature| {
        let mut left = feature.clone();
        left.scenarios = kept(feature, None, &feature.scenarios);
        for (rule, whole) in left.rules.iter_mut().zip(&feature.rules) {
            rule.scenarios = kept(feature, Some(whole), &whole.scenarios);
        }
        left.rules.retain(|rule| !rule.scenarios.is_empty());
        (!left.scenarios.is_empty() || !left.rules.is_empty()).then_some(left)
    };
    features.iter().filter_map(within).collect()
}

/// Every tag that is no rule's number, once, in the order of the alphabet.
fn tags_of(features: &[Feature]) -> Vec<String> {
    let of_feature = |feature: &Feature| {
        let rules = feature
            .rules
            .iter()
            .flat_map(|rule| rule.tags.iter().chain(rule.scenarios.iter().flat_map(|one| &one.tags)));
        let scenarios = feature.scenarios.iter().flat_map(|one| &one.tags);
        feature.tags.iter().chain(rules).chain(scenarios).cloned().collect::<Vec<_>>()
    };
    let mut tags: Vec<String> = features.iter().flat_map(of_feature).map(|tag| format!("@{tag}")).collect();
    tags.retain(|tag| !tag.chars().any(|c| c.is_ascii_digit()));
    tags.sort();
    tags.dedup();
    tags
}
