//! The rules that a name server is held to, as data: number, title, evidence, who can tell, and where it is written.
//!
//! One file per dialect. Nothing here decides anything or knows a scenario.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use serde::Deserialize;

/// The rules of one dialect, in the order of their numbers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rulebook {
    /// The dialect's name in folders and tags, for example `route53`.
    pub id: String,
    /// What it is called in reports.
    pub name: String,
    /// What stands before the number in a rule's id, for example `R53-`.
    pub prefix: String,
    /// The titles of the pages by the codes that rules cite.
    sources: BTreeMap<String, String>,
    rules: Vec<Rule>,
}

/// One numbered rule.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// For example `R53-25`.
    pub id: RuleId,
    /// The rule in one line.
    pub title: String,
    /// What it rests on; at least one.
    pub evidence: Vec<Evidence>,
    /// Who can tell whether it is kept.
    #[serde(with = "serde_yaml::with::singleton_map")]
    pub observer: Observer,
    /// The page's code, and the part of it where it has parts.
    sources: Vec<String>,
}

/// A rule's id: the rulebook's prefix and a number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct RuleId {
    prefix: String,
    number: u16,
}

impl RuleId {
    /// The number, from 1 on.
    #[must_use]
    pub const fn number(&self) -> u16 {
        self.number
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.prefix, self.number)
    }
}

/// A text that is no rule's id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is no rule's id; expected a prefix and a number, for example `R53-25`")]
pub struct RuleIdError {
    /// As it was written.
    pub found: String,
}

impl FromStr for RuleId {
    type Err = RuleIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let no_id = || RuleIdError { found: text.to_owned() };
        let digits = text.rfind(|letter: char| !letter.is_ascii_digit()).map_or(0, |last| last + 1);
        let (prefix, number) = text.split_at_checked(digits).ok_or_else(no_id)?;
        let number = number.parse().map_err(|_| no_id())?;
        if prefix.is_empty() || number == 0 { Err(no_id()) } else { Ok(Self { prefix: prefix.to_owned(), number }) }
    }
}

impl TryFrom<String> for RuleId {
    type Error = RuleIdError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

/// What a rule rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub enum Evidence {
    /// Stated in a guide of the service.
    #[serde(rename = "D")]
    Documented,
    /// Stated in the API reference.
    #[serde(rename = "A")]
    ApiReference,
    /// Measured on the live service by others.
    #[serde(rename = "M")]
    Measured,
    /// Listed in a catalogue of rules that the service enforces.
    #[serde(rename = "L")]
    Listed,
    /// Reported by the community.
    #[serde(rename = "C")]
    Community,
    /// Inferred from other rules; nobody says it in words.
    #[serde(rename = "I")]
    Inferred,
}

impl Evidence {
    /// Whether the service itself stands behind it: a rule with such evidence must be covered.
    #[must_use]
    pub const fn is_firm(self) -> bool {
        matches!(self, Self::Documented | Self::ApiReference | Self::Measured)
    }

    /// The rulebook's letter for it.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::Documented => 'D',
            Self::ApiReference => 'A',
            Self::Measured => 'M',
            Self::Listed => 'L',
            Self::Community => 'C',
            Self::Inferred => 'I',
        }
    }
}

/// Who can tell whether a rule is kept.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Observer {
    /// Whoever asks a name server.
    Client,
    /// Whoever changes record sets and health checks, or reads their status.
    Operator,
    /// Nobody who stands before one account of the service; and why.
    Nobody(String),
}

impl Rule {
    /// Whether scenarios must exercise the rule: its evidence is firm, and somebody can tell.
    #[must_use]
    pub fn must_be_covered(&self) -> bool {
        !matches!(self.observer, Observer::Nobody(_)) && self.evidence.iter().any(|evidence| evidence.is_firm())
    }
}

impl Rulebook {
    /// The rules of Amazon Route 53.
    #[must_use]
    pub fn route53() -> &'static Self {
        static ROUTE53: LazyLock<Rulebook> = LazyLock::new(|| {
            #[expect(clippy::unwrap_used, reason = "the text is part of the program, and a test reads it")]
            serde_yaml::from_str(include_str!("route53.yaml")).unwrap()
        });
        &ROUTE53
    }

    /// Every rule, in the order of the numbers.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }

    /// The rule with this id.
    #[must_use]
    pub fn rule(&self, id: &str) -> Option<&Rule> {
        let id: RuleId = id.parse().ok()?;
        self.rules.iter().find(|rule| rule.id == id)
    }

    /// The rules that scenarios must exercise.
    pub fn must_be_covered(&self) -> impl Iterator<Item = &Rule> {
        self.rules().filter(|rule| rule.must_be_covered())
    }

    /// The titles of the pages that a rule is read from.
    #[must_use]
    pub fn source_titles(&self, rule: &Rule) -> Vec<String> {
        rule.sources.iter().filter_map(|source| self.source_title(source)).collect()
    }

    /// `None` for a code that the rulebook does not explain.
    fn source_title(&self, source: &str) -> Option<String> {
        let (code, part) = source.split_once(' ').map_or((source, None), |(code, part)| (code, Some(part)));
        let title = self.sources.get(code)?;
        Some(part.map_or_else(|| title.clone(), |part| format!("{title}, {part}")))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_rules_of_route_53_are_numbered_without_a_gap() {
        let book = Rulebook::route53();
        let ids: Vec<String> = book.rules().map(|rule| rule.id.to_string()).collect();
        assert_eq!(ids, (1..=246).map(|number| format!("{}{number}", book.prefix)).collect::<Vec<_>>());
    }

    #[test]
    fn every_rule_says_what_it_rests_on_and_where_it_is_written() {
        let book = Rulebook::route53();
        let mut titles = BTreeSet::new();
        for rule in book.rules() {
            assert!(!rule.evidence.is_empty() && !rule.sources.is_empty(), "{rule:?}");
            assert_eq!(book.source_titles(rule).len(), rule.sources.len(), "an unexplained source: {rule:?}");
            assert!(titles.insert(&rule.title), "a title that stands twice: {rule:?}");
            assert!(rule.title.len() <= 120 && !rule.title.ends_with('.'), "no line: {rule:?}");
        }
    }

    #[test]
    fn every_source_is_cited() {
        let book = Rulebook::route53();
        let cited: BTreeSet<&str> =
            book.rules().flat_map(|rule| &rule.sources).filter_map(|source| source.split(' ').next()).collect();
        assert_eq!(cited, book.sources.keys().map(String::as_str).collect());
    }

    #[test]
    fn what_must_be_covered_is_firm_and_can_be_told() {
        let book = Rulebook::route53();
        let must = |id| book.must_be_covered().any(|rule| rule.id.to_string() == id);
        assert!(must("R53-25") && must("R53-60") && must("R53-221"));
        assert!(!must("R53-93"), "inferred only");
        assert!(!must("R53-132"), "the community says so");
        assert!(!must("R53-143"), "advice");
        assert_eq!(book.must_be_covered().count(), 197);
    }

    #[test]
    fn a_rule_is_found_by_its_id() {
        let book = Rulebook::route53();
        let rule = book.rule("R53-231").unwrap();
        assert_eq!((rule.id.number(), &rule.observer), (231, &Observer::Operator));
        assert_eq!(
            book.source_titles(rule),
            [
                "Route 53 API Reference, ResourceRecordSet",
                "badmintoncryer/cdk-preflight, rule pf-route53, geolocation-duplicate-location"
            ]
        );
        assert_eq!(book.rule("R53-247"), None);
        assert_eq!(book.rule("CD-1"), None);
    }

    #[test]
    fn a_text_without_prefix_or_number_is_no_rule() {
        for text in ["", "R53-", "25", "R53-0", "R53-99999999", "é"] {
            assert_eq!(text.parse::<RuleId>(), Err(RuleIdError { found: text.to_owned() }));
        }
    }
}
