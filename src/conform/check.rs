//! What a parser lets pass, and would make a scenario prove nothing, or something else than it says.

use gherkin::{Feature, Scenario, StepType};

use crate::gherkin::catalogue::keyword_text;
use crate::gherkin::{Catalogue, FeatureText};
use crate::rulebook::Rulebook;
use crate::source::Position;

use super::files::FeatureError;
use super::layout::Tag;
use super::outline;

/// All that is wrong with a feature, in no order.
pub(super) fn check(feature: &Feature, tags: &[Tag], lines: &FeatureText, catalogue: &Catalogue) -> Vec<FeatureError> {
    let mut found = Checked { lines, catalogue, errors: Vec::new() };
    found.description(feature.description.as_deref(), feature.position.line);
    for rule in &feature.rules {
        found.description(rule.description.as_deref(), rule.position.line);
        found.numbers(&rule.name, rule.position.line);
    }
    let rules = feature.rules.iter();
    let backgrounds = feature.background.iter().chain(rules.clone().filter_map(|rule| rule.background.as_ref()));
    for background in backgrounds {
        found.description(background.description.as_deref(), background.position.line);
    }
    for scenario in feature.scenarios.iter().chain(rules.flat_map(|rule| &rule.scenarios)) {
        found.scenario(scenario);
    }
    if feature.scenarios.is_empty() && feature.rules.iter().all(|rule| rule.scenarios.is_empty()) {
        let problem = "this feature has no scenario, so it would prove nothing";
        found.refuse(lines.at(feature.position.line, feature.position.col), problem.to_owned());
    }
    for tag in tags {
        if tag.name == "retry" || tag.name.starts_with("retry(") || tag.name.starts_with("retry.") {
            let problem = "a scenario that holds only when it is tried again does not hold; expected no `@retry`";
            found.refuse(lines.at(tag.line, tag.column), problem.to_owned());
        }
        if let Some(problem) = unknown_rule(&tag.name) {
            found.refuse(lines.at(tag.line, tag.column), problem);
        }
    }
    found.errors
}

struct Checked<'c> {
    lines: &'c FeatureText,
    catalogue: &'c Catalogue,
    errors: Vec<FeatureError>,
}

impl Checked<'_> {
    fn refuse(&mut self, at: Position, problem: String) {
        self.errors.push(FeatureError { at, problem });
    }

    fn scenario(&mut self, scenario: &Scenario) {
        self.description(scenario.description.as_deref(), scenario.position.line);
        let last = scenario.steps.iter().rposition(|step| step.ty == StepType::Then);
        match last.map(|last| scenario.steps.get(last + 1)) {
            None => {
                let problem = format!("scenario `{}` has no `Then`, so it would prove nothing", scenario.name);
                self.refuse(self.lines.at(scenario.position.line, scenario.position.col), problem);
            }
            Some(None) => {}
            Some(Some(step)) => {
                let problem = format!(
                    "this `{}` stands behind the last `Then`, so nothing judges what it does; expected a `Then` behind it",
                    keyword_text(step.ty)
                );
                self.refuse(self.lines.at(step.position.line, step.position.col), problem);
            }
        }
        outline::check(scenario, self.lines, &mut self.errors);
    }

    /// A step whose keyword is misspelt is text to the parser, as is one that stands in no scenario.
    fn description(&mut self, description: Option<&str>, line: usize) {
        for text in description.into_iter().flat_map(str::lines).map(str::trim) {
            let Some((keyword, step)) = text.split_once(' ') else { continue };
            let known = [StepType::Given, StepType::When, StepType::Then];
            if known.into_iter().any(|ty| self.catalogue.matching(ty, step).next().is_some()) {
                let problem = if ["Given", "When", "Then", "And", "But"].contains(&keyword) {
                    format!("`{text}` stands in no scenario; expected `Scenario:` or `Background:` before it")
                } else {
                    format!(
                        "`{keyword}` is no keyword of a step; expected Given, When, Then, And or But before `{step}`"
                    )
                };
                self.refuse(self.place_of(text, line), problem);
            }
        }
    }

    fn place_of(&self, text: &str, from: usize) -> Position {
        let mut below = self.lines.lines.iter().enumerate().skip(from.saturating_sub(1));
        let found = below.find(|(_, line)| line.trim() == text);
        let (line, column) = found
            .map_or((from, 1), |(index, line)| (index + 1, line.chars().take_while(|c| c.is_whitespace()).count() + 1));
        self.lines.at(line, column)
    }

    /// The numbers of rules that a name speaks of.
    fn numbers(&mut self, name: &str, line: usize) {
        for word in name.split(|c: char| !c.is_ascii_alphanumeric() && c != '-') {
            if let Some(problem) = unknown_rule(word) {
                let written = self.lines.lines.get(line.saturating_sub(1));
                let before = written.and_then(|text| Some(&text[..text.find(word)?]));
                let column = before.map_or(1, |before| before.chars().count() + 1);
                self.refuse(self.lines.at(line, column), problem);
            }
        }
    }
}

/// Why a word is no rule's number although it looks like one of a rulebook; `None` for everything else.
fn unknown_rule(word: &str) -> Option<String> {
    let book = Rulebook::route53();
    let digits = word.strip_prefix(book.prefix.as_str())?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: u64 = digits.parse().unwrap_or(u64::MAX);
    let nearest = book.rules().min_by_key(|rule| u64::from(rule.id.number()).abs_diff(number))?;
    let id = nearest.id.to_string();
    (id != word).then(|| format!("{} has no rule {word}; the nearest is {id}: {}", book.name, nearest.title))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r53_a_number_that_the_rulebook_does_not_have_names_the_nearest() {
        for (word, nearest) in [
            ("R53-9999", "R53-246"),
            ("R53-0", "R53-1"),
            ("R53-025", "R53-25"),
            ("R53-99999999999999999999999", "R53-246"),
        ] {
            let told = unknown_rule(word).unwrap();
            assert!(told.contains(&format!("no rule {word}; the nearest is {nearest}: ")), "{told}");
        }
        for word in ["R53-25", "R53-", "R53-x", "slow", "CD-9999", "r53-9999"] {
            assert_eq!(unknown_rule(word), None);
        }
    }
}
