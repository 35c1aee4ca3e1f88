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
    /// The cell that an address belongs to.
    pub by_address: BTreeMap<IpAddr, String>,
    /// The cell that an alias target (absolute, lower case) stands for.
    pub by_resource: BTreeMap<Name, String>,
}

impl CellNames {
    /// The cells that an answer leads to, joined by `+`; its values where no cell has them.
    fn name(&self, content: &Content) -> String {
        match content {
            Content::Resource(target) => self.by_resource.get(target).cloned().unwrap_or_else(|| target.to_string()),
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
#[derive(Debug)]
pub(super) struct LastAnswers {
    cells: CellNames,
    last: BTreeMap<(Name, RecordType, String), Vec<WeighedAnswer>>,
}

impl LastAnswers {
    pub(super) const fn named_by(cells: CellNames) -> Self {
        Self { cells, last: BTreeMap::new() }
    }

    /// Takes note of a decision; what changed, if something did. `name` is in lower case.
    ///
    /// A name that never existed is not remembered: anybody can ask for any number of those.
    pub(super) fn note(
        &mut self,
        name: &Name,
        rtype: RecordType,
        place: &str,
        decision: &Decision,
    ) -> Option<AnswerChange> {
        let answers = self.weigh(&decision.outcome)?;
        let key = (name.clone(), rtype, place.to_owned());
        let known = self.last.get(&key);
        if known == Some(&answers) || (known.is_none() && decision.outcome == Outcome::NxDomain) {
            return None;
        }
        self.last.insert(key, answers.clone());
        Some(AnswerChange {
            name: name.to_string(),
            rtype: type_text(rtype),
            place: place.to_owned(),
            answers,
            path: decision.path.clone(),
        })
    }

    fn weigh(&self, outcome: &Outcome) -> Option<Vec<WeighedAnswer>> {
        let certain = |answer: &str, ttl| {
            Some(vec![WeighedAnswer { answer: answer.to_owned(), probability: 1.0, ttl, last_resort: false }])
        };
        match outcome {
            Outcome::Answers(admissible) => Some(self.weigh_answers(admissible)),
            Outcome::NoData => certain("nodata", 0),
            Outcome::NxDomain => certain("nxdomain", 0),
            Outcome::Referral { cut, ttl, .. } => certain(&format!("referral to {cut}"), *ttl),
            Outcome::NotInZone => None,
        }
    }

    /// Answers that lead to the same cell in the same way are one.
    fn weigh_answers(&self, admissible: &[Admissible]) -> Vec<WeighedAnswer> {
        let mut weighed: BTreeMap<(String, u32, bool), f64> = BTreeMap::new();
        for Admissible { probability, answer, last_resort } in admissible {
            *weighed.entry((self.cells.name(&answer.content), answer.ttl, *last_resort)).or_default() += probability;
        }
        weighed
            .into_iter()
            .map(|((answer, ttl, last_resort), probability)| WeighedAnswer { answer, probability, ttl, last_resort })
            .collect()
    }
}
