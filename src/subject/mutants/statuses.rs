//! Health checks that are inverted, disabled or new, and mistaken for something else (R53-103 to R53-106, R53-154).

use crate::health::StatusSettings;
use crate::subject::Deviation;

use super::Mutant;
use super::seams::{ByRules, WithStatus};

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "new-check-unhealthy",
        what: "takes a new health check for unhealthy until it has enough data",
        rules: &["R53-103"],
        deviation: &ByRules(|rules| rules.new_is_healthy = false),
    },
    Mutant {
        name: "inverted-ignored",
        what: "does not invert the status of an inverted health check",
        rules: &["R53-104"],
        deviation: &WithStatus(never_inverted),
    },
    Mutant {
        name: "disabled-unhealthy",
        what: "takes a disabled health check for unhealthy",
        rules: &["R53-105"],
        deviation: &WithStatus(unhealthy_when_disabled),
    },
    Mutant {
        name: "disabled-still-evaluated",
        what: "goes on evaluating a disabled health check",
        rules: &["R53-105"],
        deviation: &WithStatus(never_disabled),
    },
    Mutant {
        name: "inverted-ignored-when-disabled",
        what: "takes a disabled health check for healthy though it is inverted",
        rules: &["R53-106"],
        deviation: &WithStatus(not_inverted_when_disabled),
    },
    Mutant {
        name: "routing-control-inverted",
        what: "takes a routing control that is off for healthy, and one that is on for unhealthy",
        rules: &["R53-154"],
        deviation: &RoutingControlInverted,
    },
];

fn never_inverted(status: StatusSettings) -> StatusSettings {
    StatusSettings { inverted: status.inverted && status.disabled, ..status }
}

fn unhealthy_when_disabled(status: StatusSettings) -> StatusSettings {
    StatusSettings { inverted: status.inverted || status.disabled, ..status }
}

fn never_disabled(status: StatusSettings) -> StatusSettings {
    StatusSettings { disabled: status.disabled && status.inverted, ..status }
}

fn not_inverted_when_disabled(status: StatusSettings) -> StatusSettings {
    StatusSettings { inverted: status.inverted && !status.disabled, ..status }
}

#[derive(Debug)]
struct RoutingControlInverted;

impl Deviation for RoutingControlInverted {
    fn routing_control(&self, on: bool) -> bool {
        !on
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::{machines, reference};
    use super::*;

    /// The statuses of a check that is evaluated as unhealthy, then as healthy: as it is, disabled, inverted, both.
    fn statuses(of: crate::subject::Machines) -> [[bool; 2]; 4] {
        [(false, false), (false, true), (true, false), (true, true)].map(|(inverted, disabled)| {
            let status = of.status(StatusSettings { inverted, disabled });
            [status.apply(false), status.apply(true)]
        })
    }

    #[test]
    fn r53_104_to_106_one_way_of_setting_a_status_is_broken_and_the_others_are_not() {
        let expected = statuses(reference());
        assert_eq!(expected, [[false, true], [true, true], [true, false], [false, false]]);
        for (mutant, broken, as_it_is) in [
            ("inverted-ignored", 2, [false, true]),
            ("disabled-unhealthy", 1, [false, false]),
            ("disabled-still-evaluated", 1, [false, true]),
            ("inverted-ignored-when-disabled", 3, [true, true]),
        ] {
            let mut with_break = expected;
            with_break[broken] = as_it_is;
            assert_eq!(statuses(machines(mutant)), with_break, "{mutant}");
        }
    }

    #[test]
    fn r53_103_a_new_check_is_unhealthy() {
        let (mutant, reference) = (machines("new-check-unhealthy"), reference());
        assert!(!mutant.endpoint_is_healthy(0, 0) && reference.endpoint_is_healthy(0, 0));
        for healthy in 0..=16 {
            assert_eq!(mutant.endpoint_is_healthy(healthy, 16), reference.endpoint_is_healthy(healthy, 16));
        }
    }

    #[test]
    fn r53_154_a_routing_control_that_is_off_is_healthy() {
        let plain = StatusSettings::default();
        let mutant = machines("routing-control-inverted");
        assert!(
            mutant.routing_control_is_healthy(false, plain) && !reference().routing_control_is_healthy(false, plain)
        );
        let disabled = StatusSettings { disabled: true, inverted: false };
        assert!(
            mutant.routing_control_is_healthy(true, disabled) && reference().routing_control_is_healthy(true, disabled)
        );
    }
}
