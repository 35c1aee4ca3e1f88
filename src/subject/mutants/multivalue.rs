//! Multivalue answers with too many values, too few, or the wrong ones (R53-74 to R53-77).

use crate::decide::{Content, Decision};
use crate::subject::Case;
use crate::zone::{Policy, RecordSet, Zone};

use super::Mutant;
use super::edited::{each, each_answer, root_policy};
use super::seams::{Deciding, NeverHealthy, OverZone};

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "multivalue-nine-answers",
        what: "gives nine values in a multivalue answer where there are more than eight",
        rules: &["R53-74"],
        deviation: &Deciding(nine),
    },
    Mutant {
        name: "multivalue-one-answer",
        what: "gives one value in a multivalue answer",
        rules: &["R53-74"],
        deviation: &Deciding(one),
    },
    Mutant {
        name: "multivalue-unhealthy-included",
        what: "gives unhealthy values among healthy ones in a multivalue answer",
        rules: &["R53-75"],
        deviation: &OverZone(unchecked),
    },
    Mutant {
        name: "multivalue-unchecked-left-out",
        what: "leaves multivalue records without health check out while others are healthy",
        rules: &["R53-76"],
        deviation: &NeverHealthy(is_unchecked),
    },
];

fn nine(case: &Case<'_>) -> Decision {
    each_answer(case.decide(), |one| {
        if let Content::Values { at_most: Some(most), .. } = &mut one.answer.content {
            *most = 9;
        }
    })
}

fn one(case: &Case<'_>) -> Decision {
    let decision = case.decide();
    if root_policy(&decision) != Policy::Multivalue.name() {
        return decision;
    }
    each_answer(decision, |one| {
        if let Content::Values { at_most, .. } = &mut one.answer.content {
            *at_most = Some(1);
        }
    })
}

fn unchecked(zone: Zone) -> Zone {
    each(zone, |record| {
        if record.policy == Policy::Multivalue {
            record.health_check = None;
        }
    })
}

fn is_unchecked(record: &RecordSet) -> bool {
    record.policy == Policy::Multivalue && record.health_check.is_none()
}

#[cfg(test)]
mod tests {
    use hickory_proto::op::Message;

    use super::super::scene::{Scene, checked, leaf};
    use super::*;

    fn many(ids: &[&str]) -> Scene {
        Scene::of(ids.iter().map(|id| checked(leaf("www", id, Policy::Multivalue))))
    }

    const TEN: [&str; 10] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];

    fn count(message: &Message) -> usize {
        message.answers.len()
    }

    #[test]
    fn r53_74_nine_values_or_one_are_given() {
        assert_eq!(many(&TEN).differs_in("multivalue-nine-answers", count), 9);
        many(&TEN[..8]).agrees("multivalue-nine-answers");
        assert_eq!(many(&TEN[..3]).differs_in("multivalue-one-answer", count), 1);
        many(&TEN[..1]).agrees("multivalue-one-answer");
    }

    #[test]
    fn r53_75_an_unhealthy_value_is_given() {
        many(&["a", "b"]).down(&["b"]).differs("multivalue-unhealthy-included", "a+b");
        many(&["a", "b"]).agrees("multivalue-unhealthy-included");
    }

    #[test]
    fn r53_76_an_unchecked_value_is_left_out() {
        let mixed = Scene::of([checked(leaf("www", "a", Policy::Multivalue)), leaf("www", "b", Policy::Multivalue)]);
        mixed.differs("multivalue-unchecked-left-out", "a");
        many(&["a", "b"]).down(&["b"]).agrees("multivalue-unchecked-left-out");
    }
}
