//! Decisions that are made once: a question that is asked again, while all that its decision looked at stands as it stood,
//! has the same decision.
//!
//! A decision is a function of the zone, the question and the evidence. Which evidence it looked at is written down with
//! it, and looked at again before it is given a second time: nobody has to say that something changed.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use hickory_proto::rr::{Name, RecordType};

use crate::zone::HealthCheckId;

use super::{Decision, Evidence, Question, Viewpoint};

/// Names below a wildcard have no end, and senders are many; with so many remembered, it starts anew.
const MOST: usize = 1_000;

/// The decisions of one zone, under one set of switches.
#[derive(Debug, Default)]
pub struct Remembered {
    decisions: BTreeMap<(Name, RecordType), Vec<Entry>>,
    count: usize,
}

#[derive(Debug)]
struct Entry {
    viewpoint: Viewpoint,
    looks: Vec<(Look, bool)>,
    decision: Rc<Decision>,
}

/// Something that a decision looked at.
#[derive(Debug)]
enum Look {
    HealthCheck(HealthCheckId),
    Resource(Name),
    Zone(Name, String),
}

impl Remembered {
    /// The decision of this question, which `decide` makes from the evidence that it is given, and from it alone.
    pub fn decide(
        &mut self,
        question: &Question,
        evidence: &dyn Evidence,
        decide: impl FnOnce(&dyn Evidence) -> Decision,
    ) -> Rc<Decision> {
        let key = (question.name.clone(), question.rtype);
        let known = self.decisions.get(&key).into_iter().flatten();
        let mut known = known.filter(|entry| entry.viewpoint == question.viewpoint);
        if let Some(entry) = known.find(|entry| entry.stands(evidence)) {
            return Rc::clone(&entry.decision);
        }
        let watched = Watched { evidence, looks: RefCell::default() };
        let decision = Rc::new(decide(&watched));
        self.keep(
            key,
            Entry {
                viewpoint: question.viewpoint.clone(),
                looks: watched.looks.into_inner(),
                decision: Rc::clone(&decision),
            },
        );
        decision
    }

    fn keep(&mut self, key: (Name, RecordType), entry: Entry) {
        if self.count >= MOST {
            *self = Self::default();
        }
        self.count += 1;
        self.decisions.entry(key).or_default().push(entry);
    }
}

impl Entry {
    fn stands(&self, evidence: &dyn Evidence) -> bool {
        self.looks.iter().all(|(look, seen)| look.at(evidence) == *seen)
    }
}

impl Look {
    fn at(&self, evidence: &dyn Evidence) -> bool {
        match self {
            Self::HealthCheck(id) => evidence.health_check_is_healthy(id),
            Self::Resource(target) => evidence.resource_is_healthy(target),
            Self::Zone(target, zone) => evidence.zone_is_answered(target, zone),
        }
    }
}

/// Evidence, and what of it was looked at.
struct Watched<'e> {
    evidence: &'e dyn Evidence,
    looks: RefCell<Vec<(Look, bool)>>,
}

impl Watched<'_> {
    fn look(&self, look: Look) -> bool {
        let seen = look.at(self.evidence);
        self.looks.borrow_mut().push((look, seen));
        seen
    }
}

impl Evidence for Watched<'_> {
    fn health_check_is_healthy(&self, id: &HealthCheckId) -> bool {
        self.look(Look::HealthCheck(id.clone()))
    }

    fn resource_is_healthy(&self, target: &Name) -> bool {
        self.look(Look::Resource(target.clone()))
    }

    fn zone_is_answered(&self, target: &Name, zone: &str) -> bool {
        self.look(Look::Zone(target.clone(), zone.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use crate::decide::Outcome;
    use crate::health::EvidenceBoard;

    use super::*;

    fn question(place: &str) -> Question {
        let viewpoint = Viewpoint { country: Some(place.to_owned()), ..Viewpoint::default() };
        Question { name: Name::from_ascii("www.example.com.").unwrap(), rtype: RecordType::A, viewpoint }
    }

    fn id(text: &str) -> HealthCheckId {
        HealthCheckId(text.to_owned())
    }

    /// Looks at the health check `primary`, and at `secondary` only when that is unhealthy.
    fn of_a_pair(evidence: &dyn Evidence) -> Decision {
        let exists =
            evidence.health_check_is_healthy(&id("primary")) || evidence.health_check_is_healthy(&id("secondary"));
        let outcome = if exists { Outcome::NoData } else { Outcome::NxDomain };
        Decision { outcome, path: Vec::new() }
    }

    #[test]
    fn a_decision_is_made_anew_only_when_something_that_it_looked_at_has_changed() {
        let (mut remembered, mut board, made) = (Remembered::default(), EvidenceBoard::default(), Cell::new(0));
        let mut ask = |board: &EvidenceBoard, place: &str| {
            let decision = remembered.decide(&question(place), board, |evidence| {
                made.set(made.get() + 1);
                of_a_pair(evidence)
            });
            (decision.outcome.clone(), made.get())
        };
        assert_eq!(ask(&board, "BR"), (Outcome::NoData, 1));
        assert_eq!(ask(&board, "BR"), (Outcome::NoData, 1));
        assert_eq!(ask(&board, "DE"), (Outcome::NoData, 2), "another sender");
        board.set_health_check(id("secondary"), false);
        assert_eq!(ask(&board, "BR"), (Outcome::NoData, 2), "nobody looked at the secondary");
        board.set_health_check(id("primary"), false);
        assert_eq!(ask(&board, "BR"), (Outcome::NxDomain, 3));
        board.set_health_check(id("secondary"), true);
        assert_eq!(ask(&board, "BR"), (Outcome::NoData, 4));
        board.set_health_check(id("secondary"), false);
        assert_eq!(ask(&board, "BR"), (Outcome::NxDomain, 4), "as it was before");
    }

    #[test]
    fn what_is_remembered_has_a_bound() {
        let (mut remembered, board) = (Remembered::default(), EvidenceBoard::default());
        for number in 0..3 * MOST {
            remembered.decide(&question(&number.to_string()), &board, of_a_pair);
            assert!(remembered.decisions.values().map(Vec::len).sum::<usize>() <= MOST);
        }
    }
}
