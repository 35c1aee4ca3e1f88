//! How the views of checkers become the status of an endpoint (R53-103, R53-122 to R53-124).
//!
//! It compares counts. Who the checkers are, and what they saw, is not its matter.

/// An endpoint is healthy while more than this many percent of its checkers say so (R53-123). AWS says that the
/// value may change (R53-124).
pub const HEALTHY_ABOVE_PERCENT: usize = 18;

/// The rules of a fleet of checkers. The defaults are those of Route 53.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FleetRules {
    /// So many percent of the reporting checkers must say healthy: [`HEALTHY_ABOVE_PERCENT`] (R53-124).
    pub healthy_percent: usize,
    /// Whether exactly so many percent are enough; they are not (R53-123).
    pub exactly_is_enough: bool,
    /// What an endpoint is before there is enough data: healthy (R53-103).
    pub new_is_healthy: bool,
    /// Whether a result that agrees with a checker's view resets its count of opposite ones; it does (R53-122).
    pub agreement_resets: bool,
}

impl Default for FleetRules {
    fn default() -> Self {
        Self {
            healthy_percent: HEALTHY_ABOVE_PERCENT,
            exactly_is_enough: false,
            new_is_healthy: true,
            agreement_resets: true,
        }
    }
}

impl FleetRules {
    /// Whether `healthy` of `reporting` checkers keep an endpoint healthy: more than 18 % do, exactly 18 % do not
    /// (R53-123). With none reporting there is not enough data, which is healthy (R53-103).
    #[must_use]
    pub const fn endpoint_is_healthy(self, healthy: usize, reporting: usize) -> bool {
        if reporting == 0 {
            return self.new_is_healthy;
        }
        let (share, needed) = (healthy * 100, self.healthy_percent * reporting);
        share > needed || (self.exactly_is_enough && share == needed)
    }

    /// What a share amounts to, for people: `more than 18 %`.
    pub(super) fn share(self, healthy: usize, reporting: usize) -> String {
        let relation = match (self.endpoint_is_healthy(healthy, reporting), self.exactly_is_enough) {
            (true, false) => "more than",
            (false, false) => "not more than",
            (true, true) => "at least",
            (false, true) => "less than",
        };
        format!("{relation} {} %", self.healthy_percent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r53_123_the_worked_table_of_the_18_percent_rule() {
        let table = [
            (3, 1),
            (4, 1),
            (5, 1),
            (6, 2),
            (8, 2),
            (11, 2),
            (12, 3),
            (15, 3),
            (16, 3),
            (17, 4),
            (22, 4),
            (24, 5),
            (28, 6),
            (32, 6),
            (48, 9),
            (50, 10),
        ];
        let rules = FleetRules::default();
        for (reporting, needed) in table {
            assert!(rules.endpoint_is_healthy(needed, reporting), "{needed} of {reporting}");
            assert!(!rules.endpoint_is_healthy(needed - 1, reporting), "{} of {reporting}", needed - 1);
        }
    }

    #[test]
    fn r53_123_exactly_the_share_is_enough_only_when_the_rules_say_so() {
        let rules = FleetRules { exactly_is_enough: true, ..FleetRules::default() };
        assert!(rules.endpoint_is_healthy(9, 50) && !rules.endpoint_is_healthy(8, 50));
        assert_eq!([rules.share(9, 50), rules.share(8, 50)], ["at least 18 %", "less than 18 %"]);
    }
}
