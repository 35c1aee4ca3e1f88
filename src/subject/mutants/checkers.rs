//! Checkers whose views turn otherwise, or are counted otherwise (R53-122, R53-123).

use super::Mutant;
use super::seams::{ByRules, Checking};

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "exactly-18-percent-healthy",
        what: "takes an endpoint for healthy when just 18 % of the checkers say so",
        rules: &["R53-123"],
        deviation: &ByRules(|rules| rules.exactly_is_enough = true),
    },
    Mutant {
        name: "half-of-the-checkers-needed",
        what: "takes an endpoint for unhealthy unless more than half of the checkers say healthy",
        rules: &["R53-123"],
        deviation: &ByRules(|rules| rules.healthy_percent = 50),
    },
    Mutant {
        name: "one-checker-is-enough",
        what: "takes an endpoint for healthy as long as a single checker says so",
        rules: &["R53-123"],
        deviation: &ByRules(|rules| rules.healthy_percent = 0),
    },
    Mutant {
        name: "failure-count-not-reset",
        what: "adds up a checker's failures though there is a success between them",
        rules: &["R53-122"],
        deviation: &ByRules(|rules| rules.agreement_resets = false),
    },
    Mutant {
        name: "one-failure-is-enough",
        what: "turns a checker's view by one opposite result, whatever the failure threshold",
        rules: &["R53-122"],
        deviation: &Checking(|check| check.failure_threshold = 1),
    },
    Mutant {
        name: "failure-threshold-off-by-one",
        what: "turns a checker's view one opposite result too late",
        rules: &["R53-122"],
        deviation: &Checking(|check| check.failure_threshold += 1),
    },
];

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::super::scene::{machines, reference};
    use crate::clock::LabTime;
    use crate::health::{CheckProtocol, EndpointCheck, StatusSettings};
    use crate::subject::Machines;

    #[test]
    fn r53_123_another_share_of_the_checkers_is_needed() {
        for (mutant, broken, whole) in [
            ("exactly-18-percent-healthy", (9, 50), (8, 50)),
            ("half-of-the-checkers-needed", (8, 16), (9, 16)),
            ("one-checker-is-enough", (1, 16), (0, 16)),
        ] {
            let status = |of: Machines, (healthy, reporting)| of.endpoint_is_healthy(healthy, reporting);
            assert_ne!(status(machines(mutant), broken), status(reference(), broken), "{mutant}");
            assert_eq!(status(machines(mutant), whole), status(reference(), whole), "{mutant}");
        }
    }

    /// The status of a fleet after each round in which all checkers get the same result.
    fn rounds(of: Machines, failure_threshold: u32, results: &[bool]) -> Vec<bool> {
        let interval = Duration::from_secs(10);
        let check = EndpointCheck { protocol: CheckProtocol::Tcp, port: 443, interval, failure_threshold };
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        let mut fleet = of.fleet(&check, StatusSettings::default(), LabTime::START, rng);
        let mut now = LabTime::START;
        let mut round = |&passed| {
            now = now + interval;
            for checker in fleet.due(now) {
                fleet.finish(now, checker, passed);
            }
            fleet.is_healthy()
        };
        results.iter().map(&mut round).collect()
    }

    #[test]
    fn r53_122_a_success_does_not_reset_the_count_of_failures() {
        let (mutant, broken) = (machines("failure-count-not-reset"), [false, false, true, false]);
        assert_eq!(rounds(mutant, 3, &broken), [true, true, true, false]);
        assert_eq!(rounds(reference(), 3, &broken), [true; 4]);
        let whole = [false, false, false, true, true, true];
        assert_eq!(rounds(mutant, 3, &whole), rounds(reference(), 3, &whole));
    }

    #[test]
    fn r53_122_a_view_turns_too_soon_or_too_late() {
        for (mutant, expected) in
            [("one-failure-is-enough", [false, false, false]), ("failure-threshold-off-by-one", [true, true, true])]
        {
            assert_eq!(rounds(machines(mutant), 3, &[false; 3]), expected, "{mutant}");
            assert_eq!(rounds(reference(), 3, &[false; 3]), [true, true, false]);
            assert_eq!(rounds(machines(mutant), 3, &[true; 3]), [true; 3], "{mutant}");
        }
    }
}
