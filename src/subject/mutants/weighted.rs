//! Weights that do not weigh as they should (R53-37 to R53-46).

use hickory_proto::op::Message;

use crate::clock::LabTime;
use crate::decide::{Content, Decision, Outcome};
use crate::subject::Case;
use crate::zone::{Group, Policy, Zone};

use super::Mutant;
use super::edited::{AllHealthy, answers, each, is_last_resort, retain, root_policy};
use super::seams::{Answering, Deciding, OverZone};

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "weights-by-record",
        what: "gives every record of a weighted group the same share, whatever its weight",
        rules: &["R53-37"],
        deviation: &OverZone(by_record),
    },
    Mutant {
        name: "unhealthy-weight-still-counts",
        what: "leaves an unhealthy record's weight in the sum, for the first healthy one",
        rules: &["R53-39"],
        deviation: &Deciding(unhealthy_weight_counts),
    },
    Mutant {
        name: "zero-weight-always-chosen",
        what: "answers a record of weight 0 while a weighted one is healthy",
        rules: &["R53-40"],
        deviation: &OverZone(zero_is_one),
    },
    Mutant {
        name: "zero-weight-never-chosen",
        what: "never answers a record of weight 0 beside others, though only it is healthy",
        rules: &["R53-42"],
        deviation: &OverZone(zero_is_nothing),
    },
    Mutant {
        name: "all-zero-weights-first-only",
        what: "answers only the first record of a group whose weights are all 0",
        rules: &["R53-41"],
        deviation: &OverZone(first_of_zeros),
    },
    Mutant {
        name: "weighted-answers-not-kept",
        what: "gives the answers of a weighted group a TTL of 0, so that no resolver keeps one",
        rules: &["R53-46"],
        deviation: &Answering(not_kept),
    },
];

fn by_record(zone: Zone) -> Zone {
    each(zone, |record| {
        if let Policy::Weighted(weight) = &mut record.policy {
            *weight = (*weight).min(1);
        }
    })
}

fn unhealthy_weight_counts(case: &Case<'_>) -> Decision {
    let decision = case.decide();
    if root_policy(&decision) != "weighted" || is_last_resort(&decision) {
        return decision;
    }
    let everything = Case { evidence: &AllHealthy, ..*case }.decide();
    let Outcome::Answers(mut left) = decision.outcome.clone() else { return decision };
    let share = |content: &Content| answers(&everything).iter().find(|one| one.answer.content == *content);
    for one in &mut left {
        let Some(whole) = share(&one.answer.content) else { return decision };
        one.probability = whole.probability;
    }
    let lost = 1.0 - left.iter().map(|one| one.probability).sum::<f64>();
    if let Some(first) = left.first_mut() {
        first.probability += lost;
    }
    Decision { outcome: Outcome::Answers(left), ..decision }
}

fn zero_is_one(zone: Zone) -> Zone {
    each(zone, |record| {
        if record.policy == Policy::Weighted(0) {
            record.policy = Policy::Weighted(1);
        }
    })
}

fn zero_is_nothing(zone: Zone) -> Zone {
    retain(zone, |_, record| record.policy != Policy::Weighted(0))
}

fn first_of_zeros(zone: Zone) -> Zone {
    let is_zero = |policy: &Policy| *policy == Policy::Weighted(0);
    retain(zone, |group, record| {
        let first = group.records.first().is_some_and(|first| first.set_identifier == record.set_identifier);
        first || !group.records.iter().all(|record| is_zero(&record.policy))
    })
}

fn not_kept(case: &Case<'_>, _: LabTime, answer: &mut Message) {
    let is_weighted = |group: &Group| group.records.iter().any(|record| matches!(record.policy, Policy::Weighted(_)));
    if case.group().is_some_and(is_weighted) {
        answer.answers.iter_mut().for_each(|record| record.ttl = 0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::{Scene, checked, leaf};
    use super::*;

    fn weighted(weights: &[(&str, u8)]) -> Scene {
        Scene::of(weights.iter().map(|&(id, weight)| checked(leaf("www", id, Policy::Weighted(weight)))))
    }

    #[test]
    fn r53_37_shares_go_by_record() {
        weighted(&[("a", 1), ("b", 3)]).differs("weights-by-record", "a 0.50, b 0.50");
        weighted(&[("a", 5), ("b", 5), ("zero", 0)]).agrees("weights-by-record");
    }

    #[test]
    fn r53_39_an_unhealthy_weight_stays_in_the_sum() {
        let three = weighted(&[("a", 10), ("b", 20), ("c", 20)]);
        let mutant = "unhealthy-weight-still-counts";
        three.clone().down(&["c"]).differs(mutant, "a 0.60, b 0.40");
        three.agrees(mutant);
        weighted(&[("a", 1), ("zero", 0)]).down(&["a"]).agrees(mutant);
    }

    #[test]
    fn r53_40_a_weight_of_0_is_answered() {
        let pair = weighted(&[("a", 1), ("zero", 0)]);
        pair.differs("zero-weight-always-chosen", "a 0.50, zero 0.50");
        pair.down(&["a"]).agrees("zero-weight-always-chosen");
    }

    #[test]
    fn r53_42_a_weight_of_0_is_never_answered() {
        let pair = weighted(&[("a", 1), ("zero", 0)]);
        pair.clone().down(&["a"]).differs("zero-weight-never-chosen", "a");
        pair.agrees("zero-weight-never-chosen");
        weighted(&[("x", 0), ("y", 0)]).agrees("zero-weight-never-chosen");
    }

    #[test]
    fn r53_46_a_weighted_answer_is_not_kept() {
        let ttl = |message: &Message| message.answers[0].ttl;
        assert_eq!(weighted(&[("a", 1)]).differs_in("weighted-answers-not-kept", ttl), 0);
        Scene::of([leaf("www", "", Policy::Simple)]).agrees("weighted-answers-not-kept");
    }

    #[test]
    fn r53_41_only_the_first_of_all_zeros_is_answered() {
        weighted(&[("x", 0), ("y", 0)]).differs("all-zero-weights-first-only", "x");
        weighted(&[("x", 1), ("y", 0)]).agrees("all-zero-weights-first-only");
    }
}
