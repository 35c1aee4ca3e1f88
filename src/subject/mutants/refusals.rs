//! Zones and change batches that are taken though Route 53 refuses them (R53-20, R53-28, R53-174, R53-239).

use crate::zone::{AliasProblem, BatchProblem, GroupProblem, RecordProblem, ZoneError};

use super::Mutant;
use super::seams::Accepting;

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "unchecked-primary-accepted",
        what: "takes a primary with values that has no health check",
        rules: &["R53-28"],
        deviation: &Accepting(is_unchecked_primary),
    },
    Mutant {
        name: "health-check-on-simple-accepted",
        what: "takes a health check on a simple record",
        rules: &["R53-15"],
        deviation: &Accepting(is_checked_simple),
    },
    Mutant {
        name: "weighted-ttls-may-differ",
        what: "takes a weighted group whose records have different TTLs",
        rules: &["R53-174"],
        deviation: &Accepting(has_weighted_ttls),
    },
    Mutant {
        name: "dangling-alias-accepted",
        what: "takes an alias whose target does not exist",
        rules: &["R53-95", "R53-239"],
        deviation: &Accepting(is_dangling),
    },
    Mutant {
        name: "unknown-health-check-accepted",
        what: "takes a record set that names a health check that does not exist",
        rules: &["R53-108"],
        deviation: &Accepting(is_unknown_health_check),
    },
    Mutant {
        name: "existing-record-created-again",
        what: "takes the CREATE of a record set that exists",
        rules: &["R53-20", "R53-21", "R53-220"],
        deviation: &Accepting(is_created_again),
    },
];

const fn is_unchecked_primary(error: &ZoneError) -> bool {
    matches!(error, ZoneError::Record { problem: RecordProblem::PrimaryWithoutHealthCheck, .. })
}

const fn is_checked_simple(error: &ZoneError) -> bool {
    matches!(error, ZoneError::Record { problem: RecordProblem::HealthCheckOnSimple, .. })
}

const fn has_weighted_ttls(error: &ZoneError) -> bool {
    matches!(error, ZoneError::Group { problem: GroupProblem::WeightedTtls { .. }, .. })
}

const fn is_dangling(error: &ZoneError) -> bool {
    matches!(error, ZoneError::Alias { problem: AliasProblem::TargetMissing { .. }, .. })
}

const fn is_unknown_health_check(error: &ZoneError) -> bool {
    matches!(error, ZoneError::Record { problem: RecordProblem::UnknownHealthCheck { .. }, .. })
}

const fn is_created_again(error: &ZoneError) -> bool {
    matches!(error, ZoneError::Batch { problem: BatchProblem::AlreadyExists { .. }, .. })
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::super::scene::{alias, checked, leaf, owner};
    use crate::zone::validate::validate;
    use crate::zone::{FailoverRole, HealthCheckId, Policy, RecordData, RecordSet, Zone};

    /// How many problems a mutant finds in a zone of these records.
    fn problems(mutant: &str, records: impl IntoIterator<Item = RecordSet>) -> usize {
        let zone = Zone::of(owner("example.com."), records);
        let problems = validate(&zone).map_or_else(|errors| errors.0, |()| Vec::new());
        find(mutant).unwrap().deviation.refusals(problems).len()
    }

    #[test]
    fn what_one_rule_refuses_is_taken_and_what_another_refuses_is_not() {
        let primary = leaf("www", "p", Policy::Failover(FailoverRole::Primary));
        let simple = RecordSet { health_check: Some(HealthCheckId("hc".into())), ..leaf("a", "", Policy::Simple) };
        let mut longer = leaf("w", "y", Policy::Weighted(1));
        if let RecordData::Values { ttl, .. } = &mut longer.data {
            *ttl = 61;
        }
        let weighted = vec![leaf("w", "x", Policy::Weighted(1)), longer];
        let dangling = alias("b", "", Policy::Simple, "nowhere");
        let cases = [
            ("unchecked-primary-accepted", vec![primary.clone()]),
            ("health-check-on-simple-accepted", vec![simple]),
            ("weighted-ttls-may-differ", weighted),
            ("dangling-alias-accepted", vec![dangling]),
        ];
        for (mutant, _) in &cases {
            for (other, records) in &cases {
                assert_eq!(problems(mutant, records.clone()), usize::from(mutant != other), "{mutant}, {other}");
            }
            assert_eq!(problems(mutant, [checked(primary.clone())]), 0);
        }
    }
}
