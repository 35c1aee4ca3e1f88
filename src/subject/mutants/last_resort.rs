//! What is answered when nothing is healthy (R53-10, R53-44, R53-90).

use crate::decide::{Decision, Outcome};
use crate::subject::Case;
use crate::zone::Policy;

use super::Mutant;
use super::edited::{each, is_last_resort, last_resort_in, with_outcome, without_eth_inside};
use super::seams::{Deciding, OverZone};

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "no-answer-when-all-unhealthy",
        what: "answers no data when every record is unhealthy",
        rules: &["R53-10"],
        deviation: &Deciding(no_answer),
    },
    Mutant {
        name: "nxdomain-when-all-unhealthy",
        what: "says that the name does not exist when every record is unhealthy",
        rules: &["R53-10"],
        deviation: &Deciding(no_such_name),
    },
    Mutant {
        name: "last-resort-ignores-policy",
        what: "picks any record when every one is unhealthy, not by the policy",
        rules: &["R53-10"],
        deviation: &Deciding(any_record),
    },
    Mutant {
        name: "last-resort-inside-nested-branch",
        what: "answers by last resort inside a branch instead of backing out of it",
        rules: &["R53-90"],
        deviation: &OverZone(without_eth_inside),
    },
    Mutant {
        name: "zero-weight-in-last-resort",
        what: "answers records of weight 0 too when every record is unhealthy",
        rules: &["R53-44"],
        deviation: &Deciding(zero_weight_too),
    },
];

fn no_answer(case: &Case<'_>) -> Decision {
    let decision = case.decide();
    if is_last_resort(&decision) { with_outcome(decision, Outcome::NoData) } else { decision }
}

fn no_such_name(case: &Case<'_>) -> Decision {
    let decision = case.decide();
    if is_last_resort(&decision) { with_outcome(decision, Outcome::NxDomain) } else { decision }
}

fn any_record(case: &Case<'_>) -> Decision {
    let decision = case.decide();
    if is_last_resort(&decision) { case.decide_by_chance() } else { decision }
}

fn zero_weight_too(case: &Case<'_>) -> Decision {
    let decision = case.decide();
    if !last_resort_in(&decision, "weighted") {
        return decision;
    }
    case.decide_over(&each(case.zone.clone(), |record| {
        if record.policy == Policy::Weighted(0) {
            record.policy = Policy::Weighted(1);
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::super::scene::{Scene, alias, checked, leaf};
    use super::*;
    use crate::zone::FailoverRole;

    const PRIMARY: Policy = Policy::Failover(FailoverRole::Primary);
    const SECONDARY: Policy = Policy::Failover(FailoverRole::Secondary);

    fn weighted(weights: &[(&str, u8)]) -> Scene {
        Scene::of(weights.iter().map(|&(id, weight)| checked(leaf("www", id, Policy::Weighted(weight)))))
    }

    #[test]
    fn r53_10_nothing_is_answered_when_all_are_unhealthy() {
        let pair = weighted(&[("a", 1), ("b", 2)]);
        pair.clone().down(&["a", "b"]).differs("no-answer-when-all-unhealthy", "no data");
        pair.clone().down(&["a", "b"]).differs("nxdomain-when-all-unhealthy", "no such name");
        for mutant in ["no-answer-when-all-unhealthy", "nxdomain-when-all-unhealthy"] {
            pair.clone().down(&["a"]).agrees(mutant);
        }
    }

    #[test]
    fn r53_10_any_record_is_picked_when_all_are_unhealthy() {
        let pair = weighted(&[("a", 1), ("b", 3)]);
        pair.clone().down(&["a", "b"]).differs("last-resort-ignores-policy", "a 0.50, b 0.50");
        pair.agrees("last-resort-ignores-policy");
    }

    #[test]
    fn r53_90_a_dead_branch_is_answered_from() {
        let tree = Scene::of([
            alias("www", "p", PRIMARY, "first"),
            alias("www", "s", SECONDARY, "second"),
            checked(leaf("first", "x", Policy::Weighted(1))),
            checked(leaf("second", "y", Policy::Weighted(1))),
        ]);
        tree.clone().down(&["x"]).differs("last-resort-inside-nested-branch", "x");
        tree.agrees("last-resort-inside-nested-branch");
    }

    #[test]
    fn r53_44_a_weight_of_0_takes_part_in_the_last_resort() {
        let three = weighted(&[("a", 1), ("b", 1), ("zero", 0)]);
        three.clone().down(&["a", "b", "zero"]).differs("zero-weight-in-last-resort", "a 0.33, b 0.33, zero 0.33");
        three.clone().down(&["a", "zero"]).agrees("zero-weight-in-last-resort");
        three.down(&["a", "b"]).agrees("zero-weight-in-last-resort");
    }
}
