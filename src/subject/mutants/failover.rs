//! Failover pairs that do not fail over as they should (R53-22 to R53-36).

use crate::decide::Decision;
use crate::subject::Case;
use crate::zone::{FailoverRole, Policy, RecordData, RecordSet, Zone};

use super::Mutant;
use super::edited::{each, last_resort_in, retain};
use super::seams::{Deciding, NeverHealthy, OverZone};

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "secondary-when-both-unhealthy",
        what: "answers the secondary when primary and secondary are unhealthy",
        rules: &["R53-25"],
        deviation: &Deciding(secondary_when_both_unhealthy),
    },
    Mutant {
        name: "never-fails-over",
        what: "answers the primary, however unhealthy it is",
        rules: &["R53-24"],
        deviation: &OverZone(never_fails_over),
    },
    Mutant {
        name: "failover-pair-both-active",
        what: "answers primary and secondary in turn while both are healthy",
        rules: &["R53-22"],
        deviation: &OverZone(both_active),
    },
    Mutant {
        name: "unchecked-secondary-unhealthy",
        what: "takes a secondary without health check for unhealthy",
        rules: &["R53-26"],
        deviation: &NeverHealthy(is_unchecked_secondary),
    },
    Mutant {
        name: "failover-answers-first-value",
        what: "answers only the first value of a failover record",
        rules: &["R53-34"],
        deviation: &OverZone(first_value),
    },
];

const PRIMARY: Policy = Policy::Failover(FailoverRole::Primary);
const SECONDARY: Policy = Policy::Failover(FailoverRole::Secondary);

fn secondary_when_both_unhealthy(case: &Case<'_>) -> Decision {
    let decision = case.decide();
    if !last_resort_in(&decision, "failover") {
        return decision;
    }
    case.decide_over(&each(case.zone.clone(), |record| match record.policy {
        PRIMARY => record.policy = SECONDARY,
        SECONDARY => record.policy = PRIMARY,
        _ => {}
    }))
}

fn never_fails_over(zone: Zone) -> Zone {
    retain(zone, |group, record| {
        record.policy != SECONDARY || group.records.iter().all(|other| other.policy != PRIMARY)
    })
}

fn both_active(zone: Zone) -> Zone {
    each(zone, |record| {
        if matches!(record.policy, Policy::Failover(_)) {
            record.policy = Policy::Weighted(1);
        }
    })
}

fn is_unchecked_secondary(record: &RecordSet) -> bool {
    let inherits = matches!(&record.data, RecordData::Alias(alias) if alias.evaluate_target_health);
    record.policy == SECONDARY && record.health_check.is_none() && !inherits
}

fn first_value(zone: Zone) -> Zone {
    each(zone, |record| {
        if let (Policy::Failover(_), RecordData::Values { values, .. }) = (&record.policy, &mut record.data) {
            values.truncate(1);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::scene::{Scene, checked, leaf, values};
    use super::*;

    fn pair() -> Scene {
        Scene::of([checked(leaf("www", "p", PRIMARY)), checked(leaf("www", "s", SECONDARY))])
    }

    #[test]
    fn r53_25_the_secondary_is_answered_when_both_are_unhealthy() {
        let mutant = "secondary-when-both-unhealthy";
        pair().down(&["p", "s"]).differs(mutant, "s");
        pair().down(&["p"]).agrees(mutant);
    }

    #[test]
    fn r53_24_the_primary_is_answered_however_unhealthy() {
        pair().down(&["p"]).differs("never-fails-over", "p");
        pair().down(&["p", "s"]).agrees("never-fails-over");
    }

    #[test]
    fn r53_22_both_are_answered_while_healthy() {
        pair().differs("failover-pair-both-active", "p 0.50, s 0.50");
        pair().down(&["p"]).agrees("failover-pair-both-active");
    }

    #[test]
    fn r53_26_an_unchecked_secondary_is_unhealthy() {
        let unchecked = || Scene::of([checked(leaf("www", "p", PRIMARY)), leaf("www", "s", SECONDARY)]);
        unchecked().down(&["p"]).differs("unchecked-secondary-unhealthy", "p");
        unchecked().agrees("unchecked-secondary-unhealthy");
        pair().down(&["p"]).agrees("unchecked-secondary-unhealthy");
    }

    #[test]
    fn r53_34_one_value_of_several_is_answered() {
        let several = Scene::of([
            checked(values("www", "p", PRIMARY, &["192.0.2.1", "192.0.2.2"])),
            checked(leaf("www", "s", SECONDARY)),
        ]);
        several.clone().differs_in("failover-answers-first-value", |message| message.answers.len());
        several.down(&["p"]).agrees("failover-answers-first-value");
    }
}
