//! Calculated health checks that count otherwise (R53-128 to R53-131).

use crate::health::CalculatedCheck;

use super::Mutant;
use super::seams::Calculating;

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "calculated-threshold-off-by-one",
        what: "asks for more healthy children than the threshold, where it should ask for as many",
        rules: &["R53-128"],
        deviation: &Calculating(more_than_threshold),
    },
    Mutant {
        name: "calculated-needs-all",
        what: "asks for every child, whatever the threshold",
        rules: &["R53-128"],
        deviation: &Calculating(all),
    },
    Mutant {
        name: "calculated-one-is-enough",
        what: "asks for one healthy child where the threshold is as many as there are",
        rules: &["R53-129"],
        deviation: &Calculating(one),
    },
    Mutant {
        name: "calculated-threshold-capped",
        what: "takes a threshold above the number of children for that number",
        rules: &["R53-130"],
        deviation: &Calculating(capped),
    },
    Mutant {
        name: "calculated-threshold-zero-is-one",
        what: "takes a threshold of 0 for 1",
        rules: &["R53-131"],
        deviation: &Calculating(at_least_one),
    },
];

fn children(check: &CalculatedCheck) -> u32 {
    u32::try_from(check.children.len()).unwrap_or(u32::MAX)
}

/// 0 is always healthy, and more than there are never: those two stay what they are.
fn more_than_threshold(check: &mut CalculatedCheck) {
    if check.healthy_threshold > 0 {
        check.healthy_threshold += 1;
    }
}

fn all(check: &mut CalculatedCheck) {
    if check.healthy_threshold > 0 {
        check.healthy_threshold = check.healthy_threshold.max(children(check));
    }
}

fn one(check: &mut CalculatedCheck) {
    if check.healthy_threshold == children(check) {
        check.healthy_threshold = 1;
    }
}

fn capped(check: &mut CalculatedCheck) {
    check.healthy_threshold = check.healthy_threshold.min(children(check));
}

fn at_least_one(check: &mut CalculatedCheck) {
    check.healthy_threshold = check.healthy_threshold.max(1);
}

#[cfg(test)]
mod tests {
    use super::super::scene::{machines, reference};
    use crate::health::{CalculatedCheck, StatusSettings};
    use crate::subject::Machines;
    use crate::zone::HealthCheckId;

    /// For 0 to 3 healthy ones of three children.
    fn statuses(of: Machines, healthy_threshold: u32) -> [bool; 4] {
        let children: Vec<_> = (0..3).map(|number| HealthCheckId(number.to_string())).collect();
        let (check, _) = of.calculated(CalculatedCheck { children, healthy_threshold }, StatusSettings::default());
        [0, 1, 2, 3].map(|healthy| check.status(|child| child.0.parse::<u32>().unwrap() < healthy))
    }

    #[test]
    fn r53_128_to_131_one_kind_of_threshold_is_broken_and_another_is_not() {
        for (mutant, broken, expected, whole) in [
            ("calculated-threshold-off-by-one", 2, [false, false, false, true], 0),
            ("calculated-needs-all", 2, [false, false, false, true], 3),
            ("calculated-one-is-enough", 3, [false, true, true, true], 2),
            ("calculated-threshold-capped", 4, [false, false, false, true], 3),
            ("calculated-threshold-zero-is-one", 0, [false, true, true, true], 1),
        ] {
            assert_eq!(statuses(machines(mutant), broken), expected, "{mutant}");
            assert_ne!(statuses(reference(), broken), expected, "{mutant}: the reference does the same");
            assert_eq!(statuses(machines(mutant), whole), statuses(reference(), whole), "{mutant}");
        }
    }
}
