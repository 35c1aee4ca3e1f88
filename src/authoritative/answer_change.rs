//! Remembers what each question was last answered, and tells when that changes.

use std::collections::BTreeMap;
use std::net::IpAddr;

use hickory_proto::rr::{Name, RecordType};

use crate::decide::{Admissible, Content, Decision, Outcome, Step};
use crate::journal::event::{Event, WeighedAnswer};
use crate::zone::type_text;

/// How answers are named in events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellNames {
    /// The cell, or the zone of one, that an address belongs to.
    pub by_address: BTreeMap<IpAddr, String>,
}

impl CellNames {
    /// The cells, or the zones, that an answer leads to, joined by `+`; its values where no cell has them.
    fn name(&self, content: &Content, led_to: &impl Fn(&Name) -> Vec<String>) -> String {
        match content {
            Content::Resource(target) => match led_to(target) {
                zones if zones.is_empty() => target.to_string(),
                zones => zones.join("+"),
            },
            Content::Values { values, .. } if values.is_empty() => "nodata".to_owned(),
            Content::Values { values, .. } => {
                let mut names: Vec<&str> = values
                    .iter()
                    .map(|value| {
                        let cell = value.parse().ok().and_then(|address: IpAddr| self.by_address.get(&address));
                        cell.map_or(value.as_str(), String::as_str)
                    })
                    .collect();
                names.sort_unstable();
                names.dedup();
                names.join("+")
            }
        }
    }

    /// What is admissible, named. `led_to` tells the zones of an AWS resource that are answered.
    pub(super) fn weigh(&self, outcome: &Outcome, led_to: impl Fn(&Name) -> Vec<String>) -> Option<Vec<WeighedAnswer>> {
        let certain = |answer: &str, ttl| {
            Some(vec![WeighedAnswer { answer: answer.to_owned(), probability: 1.0, ttl, last_resort: false }])
        };
        match outcome {
            Outcome::Answers(admissible) => Some(self.weigh_answers(admissible, led_to)),
            Outcome::NoData => certain("nodata", 0),
            Outcome::NxDomain => certain("nxdomain", 0),
            Outcome::Referral { cut, ttl, .. } => certain(&format!("referral to {cut}"), *ttl),
            Outcome::NotInZone => None,
        }
    }

    /// Answers that lead to the same cell in the same way are one.
    fn weigh_answers(&self, admissible: &[Admissible], led_to: impl Fn(&Name) -> Vec<String>) -> Vec<WeighedAnswer> {
        let mut weighed: BTreeMap<(String, u32, bool), f64> = BTreeMap::new();
        for Admissible { probability, answer, last_resort } in admissible {
            let named = self.name(&answer.content, &led_to);
            *weighed.entry((named, answer.ttl, *last_resort)).or_default() += probability;
        }
        weighed
            .into_iter()
            .map(|((answer, ttl, last_resort), probability)| WeighedAnswer { answer, probability, ttl, last_resort })
            .collect()
    }
}

/// A question is answered differently than before, or for the first time.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerChange {
    /// Absolute, lower case.
    pub name: String,
    /// The query type.
    pub rtype: String,
    /// Where the query's sender is; its address when nowhere.
    pub place: String,
    /// What is admissible now.
    pub answers: Vec<WeighedAnswer>,
    /// The groups passed.
    pub path: Vec<Step>,
}

impl From<AnswerChange> for Event {
    fn from(change: AnswerChange) -> Self {
        let AnswerChange { name, rtype, place, answers, path } = change;
        Self::AnswerChanged { name, rtype, place, answers, path }
    }
}

/// What each question was last answered, by place.
#[derive(Debug, Default)]
pub(super) struct LastAnswers(BTreeMap<(Name, RecordType, String), Vec<WeighedAnswer>>);

impl LastAnswers {
    /// Takes note of a decision and of its answers, named; what changed, if something did. `name` is in lower case.
    ///
    /// A name that never existed is not remembered: anybody can ask for any number of those.
    pub(super) fn note(
        &mut self,
        name: &Name,
        rtype: RecordType,
        place: &str,
        decision: &Decision,
        answers: Vec<WeighedAnswer>,
    ) -> Option<AnswerChange> {
        let key = (name.clone(), rtype, place.to_owned());
        let known = self.0.get(&key);
        if known == Some(&answers) || (known.is_none() && decision.outcome == Outcome::NxDomain) {
            return None;
        }
        self.0.insert(key, answers.clone());
        Some(AnswerChange {
            name: name.to_string(),
            rtype: type_text(rtype),
            place: place.to_owned(),
            answers,
            path: decision.path.clone(),
        })
    }
}
