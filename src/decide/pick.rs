//! Picks one of the admissible answers, as a name server must for each query.
//!
//! The only place of the decision room where chance is drawn, from the caller's generator: the same seed gives the
//! same picks.

use hickory_proto::rr::{Name, RecordType};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::{Content, Decision, Outcome, RecordRef};

/// The answer that one query gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picked {
    /// The type of the answer; `CNAME` when the name has one (R53-179).
    pub rtype: RecordType,
    /// Seconds.
    pub ttl: u32,
    /// What it holds.
    pub content: PickedContent,
    /// The record sets passed on the way, outermost first.
    pub via: Vec<RecordRef>,
    /// Whether some group on the way was treated as all healthy (R53-10).
    pub last_resort: bool,
}

/// What a picked answer holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PickedContent {
    /// Values in presentation format, in random order (R53-14), at most eight of a multivalue answer (R53-74). Empty
    /// when the branch that was picked has nothing for this query: answer as for no data.
    Values(Vec<String>),
    /// The addresses of this AWS resource.
    Resource(Name),
}

/// Picks by the decision's probabilities. `None` when the decision has no answers to pick from.
pub fn pick(decision: &Decision, rng: &mut impl Rng) -> Option<Picked> {
    let Outcome::Answers(answers) = &decision.outcome else { return None };
    let mut left: f64 = rng.random::<f64>() * answers.iter().map(|one| one.probability).sum::<f64>();
    let chosen = answers
        .iter()
        .find(|one| {
            left -= one.probability;
            left < 0.0
        })
        // Rounding can leave a last crumb.
        .or(answers.last())?;
    let content = match &chosen.answer.content {
        Content::Resource(name) => PickedContent::Resource(name.clone()),
        Content::Values { values, at_most } => {
            let mut values = values.clone();
            values.shuffle(rng);
            values.truncate(at_most.unwrap_or(usize::MAX));
            PickedContent::Values(values)
        }
    };
    Some(Picked {
        rtype: chosen.answer.rtype,
        ttl: chosen.answer.ttl,
        content,
        via: chosen.answer.via.clone(),
        last_resort: chosen.last_resort,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::super::{Admissible, Answer};
    use super::*;

    fn decision(answers: Vec<(f64, Content)>) -> Decision {
        let answers = answers
            .into_iter()
            .map(|(probability, content)| Admissible {
                probability,
                answer: Answer { rtype: RecordType::A, ttl: 60, content, via: Vec::new() },
                last_resort: false,
            })
            .collect();
        Decision { outcome: Outcome::Answers(answers), path: Vec::new() }
    }

    fn one(value: &str) -> Content {
        Content::Values { values: vec![value.to_owned()], at_most: None }
    }

    fn values(picked: Option<Picked>) -> Vec<String> {
        match picked.unwrap().content {
            PickedContent::Values(values) => values,
            PickedContent::Resource(name) => panic!("{name}"),
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_picks() {
        let decision = decision(vec![(0.5, one("a")), (0.5, one("b"))]);
        let picks = |seed| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            (0..64).map(|_| values(pick(&decision, &mut rng))).collect::<Vec<_>>()
        };
        assert_eq!(picks(7), picks(7));
        assert_ne!(picks(7), picks(8));
    }

    #[test]
    fn r53_37_picks_follow_the_probabilities() {
        let decision = decision(vec![(0.25, one("a")), (0.75, one("b"))]);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut seen: BTreeMap<String, u32> = BTreeMap::new();
        for _ in 0..10_000 {
            *seen.entry(values(pick(&decision, &mut rng)).remove(0)).or_default() += 1;
        }
        assert!((2_300..2_700).contains(&seen["a"]), "{seen:?}");
    }

    #[test]
    fn r53_74_a_multivalue_pick_gives_eight_and_not_always_the_same_eight() {
        let all: Vec<String> = (0..10).map(|n| format!("203.0.113.{n}")).collect();
        let decision = decision(vec![(1.0, Content::Values { values: all.clone(), at_most: Some(8) })]);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let sets: BTreeSet<BTreeSet<String>> =
            (0..50).map(|_| values(pick(&decision, &mut rng)).into_iter().collect()).collect();
        assert!(sets.iter().all(|set| set.len() == 8 && set.iter().all(|value| all.contains(value))));
        assert!(sets.len() > 1);
    }

    #[test]
    fn r53_14_the_order_of_values_is_random() {
        let all: Vec<String> = ["a", "b", "c"].map(str::to_owned).to_vec();
        let decision = decision(vec![(1.0, Content::Values { values: all, at_most: None })]);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let orders: BTreeSet<Vec<String>> = (0..200).map(|_| values(pick(&decision, &mut rng))).collect();
        assert_eq!(orders.len(), 6);
    }

    #[test]
    fn there_is_nothing_to_pick_from_a_negative_answer() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for outcome in [Outcome::NoData, Outcome::NxDomain, Outcome::NotInZone] {
            assert_eq!(pick(&Decision { outcome, path: Vec::new() }, &mut rng), None);
        }
    }
}
