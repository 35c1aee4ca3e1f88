//! Health that does not flow through a tree as it should (R53-2, R53-11, R53-85 to R53-95).

use std::collections::{BTreeMap, BTreeSet};

use hickory_proto::rr::RecordType;

use crate::decide::{Decision, Outcome};
use crate::subject::{Case, Deviation};
use crate::zone::{HealthCheckId, RecordData, RecordSet, Zone};

use super::Mutant;
use super::edited::{alias_targets, answers, each, retain, with_outcome, without_eth_inside};
use super::seams::{Deciding, OverZone, Switched};

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "health-one-level-deep",
        what: "evaluates the health of an alias's target, but not of what that target points at",
        rules: &["R53-86"],
        deviation: &OverZone(one_level_deep),
    },
    Mutant {
        name: "no-backtracking",
        what: "answers no data out of a dead branch instead of trying the next one",
        rules: &["R53-85", "R53-86"],
        deviation: &Deciding(no_backtracking),
    },
    Mutant {
        name: "target-group-needs-every-record",
        what: "takes a target group for unhealthy as soon as one of its records is",
        rules: &["R53-7"],
        deviation: &EveryRecordNeeded,
    },
    Mutant {
        name: "dangling-alias-healthy",
        what: "answers an alias whose target does not exist, with no data",
        rules: &["R53-95"],
        deviation: &OverZone(dangling_is_healthy),
    },
    Mutant {
        name: "no-query-relative-health",
        what: "takes a branch for healthy by records that do not apply to the query",
        rules: &["R53-93"],
        deviation: &Switched(|switches| switches.query_relative_health = false),
    },
    Mutant {
        name: "simple-alias-hides-health",
        what: "takes a simple alias for healthy, whatever its target is",
        rules: &["R53-17"],
        deviation: &Switched(|switches| switches.simple_alias_passes_health_up = false),
    },
    Mutant {
        name: "a-and-aaaa-coupled",
        what: "answers AAAA from the record that A is answered from",
        rules: &["R53-11"],
        deviation: &Deciding(coupled_types),
    },
    Mutant {
        name: "health-by-value",
        what: "takes the health of a record from the check of the first record that has its values",
        rules: &["R53-2"],
        deviation: &OverZone(health_by_value),
    },
];

fn one_level_deep(zone: Zone) -> Zone {
    let targets = alias_targets(&zone);
    each(zone, |record| {
        let is_target = targets.contains(&(record.name.clone(), record.rtype));
        if let (RecordData::Alias(alias), true) = (&mut record.data, is_target) {
            alias.evaluate_target_health = false;
        }
    })
}

fn no_backtracking(case: &Case<'_>) -> Decision {
    let decision = case.decide();
    let blind = case.decide_over(&without_eth_inside(case.zone.clone()));
    let all_dead = |decision: &Decision| answers(decision).iter().all(|one| one.last_resort);
    if all_dead(&blind) && !all_dead(&decision) { with_outcome(decision, Outcome::NoData) } else { decision }
}

#[derive(Debug)]
struct EveryRecordNeeded;

impl EveryRecordNeeded {
    /// What the alias of a target group with an unhealthy record is checked by.
    fn id() -> HealthCheckId {
        HealthCheckId("not every record healthy".to_owned())
    }
}

impl Deviation for EveryRecordNeeded {
    fn decide(&self, case: &Case<'_>) -> Decision {
        let is_down = |record: &RecordSet| {
            record.health_check.as_ref().is_some_and(|check| !case.evidence.health_check_is_healthy(check))
        };
        let with_down: BTreeSet<_> = case
            .zone
            .groups
            .iter()
            .filter(|(_, group)| group.records.iter().any(is_down))
            .map(|(key, _)| key.clone())
            .collect();
        case.decide_over(&each(case.zone.clone(), |record| {
            let RecordData::Alias(alias) = &record.data else { return };
            if alias.evaluate_target_health && with_down.contains(&(alias.target.clone(), record.rtype)) {
                record.health_check = Some(Self::id());
            }
        }))
    }

    fn health_check(&self, id: &HealthCheckId, healthy: bool) -> bool {
        healthy && *id != Self::id()
    }
}

fn dangling_is_healthy(zone: Zone) -> Zone {
    let known: BTreeSet<_> = zone.groups.keys().cloned().collect();
    let apex = zone.apex.clone();
    each(zone, |record| {
        let RecordData::Alias(alias) = &mut record.data else { return };
        if apex.zone_of(&alias.target) && !known.contains(&(alias.target.clone(), record.rtype)) {
            alias.evaluate_target_health = false;
        }
    })
}

fn coupled_types(case: &Case<'_>) -> Decision {
    let decision = case.decide();
    if case.question.rtype != RecordType::AAAA {
        return decision;
    }
    let v4 = case.decide_for_name(case.question.name.clone(), RecordType::A);
    let first_of = |record: &RecordSet| {
        answers(&v4)
            .iter()
            .any(|one| one.answer.via.first().is_some_and(|first| first.set_identifier == record.set_identifier))
    };
    case.decide_over(&retain(case.zone.clone(), |group, record| group.rtype != RecordType::AAAA || first_of(record)))
}

fn health_by_value(zone: Zone) -> Zone {
    let mut known: BTreeMap<Vec<String>, HealthCheckId> = BTreeMap::new();
    each(zone, |record| {
        if let (RecordData::Values { values, .. }, Some(check)) = (&record.data, &mut record.health_check) {
            *check = known.entry(values.clone()).or_insert_with(|| check.clone()).clone();
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::scene::{Scene, alias, checked, leaf, of_type, values};
    use super::*;
    use crate::zone::{FailoverRole, GeoLocation, Policy};

    const PRIMARY: Policy = Policy::Failover(FailoverRole::Primary);
    const SECONDARY: Policy = Policy::Failover(FailoverRole::Secondary);
    const ONE: Policy = Policy::Weighted(1);

    /// A pair whose primary leads to `middle`, and from there to `pool`.
    fn tree(middle: Policy) -> Scene {
        Scene::of([
            alias("www", "p", PRIMARY, "middle"),
            leaf("www", "spare", SECONDARY),
            alias("middle", "m", middle, "pool"),
            checked(leaf("pool", "x", ONE)),
            checked(leaf("pool", "y", ONE)),
        ])
    }

    #[test]
    fn r53_86_a_leaf_two_levels_down_is_not_seen() {
        tree(ONE).down(&["x", "y"]).differs("health-one-level-deep", "x 0.50, y 0.50");
        tree(ONE).down(&["x"]).agrees("health-one-level-deep");
    }

    #[test]
    fn r53_85_a_dead_branch_ends_the_search() {
        tree(ONE).down(&["x", "y"]).differs("no-backtracking", "no data");
        tree(ONE).down(&["x"]).agrees("no-backtracking");
        let pair = Scene::of([checked(leaf("www", "p", PRIMARY)), checked(leaf("www", "s", SECONDARY))]);
        pair.clone().down(&["p"]).agrees("no-backtracking");
        pair.down(&["p", "s"]).agrees("no-backtracking");
    }

    #[test]
    fn r53_7_one_unhealthy_record_takes_its_group_down() {
        tree(ONE).down(&["x"]).differs("target-group-needs-every-record", "spare");
        tree(ONE).agrees("target-group-needs-every-record");
        tree(ONE).down(&["x", "y"]).agrees("target-group-needs-every-record");
    }

    #[test]
    fn r53_95_a_dangling_alias_is_answered() {
        let dangling = Scene::of([alias("www", "p", PRIMARY, "nowhere"), leaf("www", "spare", SECONDARY)]);
        dangling.differs("dangling-alias-healthy", "no data");
        tree(ONE).down(&["x", "y"]).agrees("dangling-alias-healthy");
    }

    #[test]
    fn r53_93_a_record_for_another_country_keeps_a_branch_healthy() {
        let located = |id: &str, country: &str| {
            checked(leaf("places", id, Policy::Geolocation(GeoLocation::Country(country.to_owned()))))
        };
        let tree = Scene::of([
            alias("www", "p", PRIMARY, "places"),
            leaf("www", "spare", SECONDARY),
            located("de", "DE"),
            located("br", "BR"),
        ])
        .in_place("Germany");
        tree.clone().down(&["de"]).differs("no-query-relative-health", "de");
        tree.clone().agrees("no-query-relative-health");
        tree.down(&["de", "br"]).agrees("no-query-relative-health");
    }

    #[test]
    fn r53_17_a_simple_alias_hides_its_dead_target() {
        tree(Policy::Simple).down(&["x", "y"]).differs("simple-alias-hides-health", "x 0.50, y 0.50");
        tree(ONE).down(&["x", "y"]).agrees("simple-alias-hides-health");
    }

    #[test]
    fn r53_2_the_health_of_a_value_is_that_of_the_first_who_has_it() {
        let named = |label: &str, id: &str, policy, value: &str| checked(values(label, id, policy, &[value]));
        let pairs = Scene::of([
            named("www", "www-p", PRIMARY, "192.0.2.1"),
            named("www", "www-s", SECONDARY, "192.0.2.2"),
            named("api", "api-p", PRIMARY, "192.0.2.1"),
        ]);
        pairs.clone().down(&["www-p"]).differs("health-by-value", "www-p");
        pairs.clone().agrees("health-by-value");
        pairs.down(&["www-p", "api-p"]).agrees("health-by-value");
    }

    #[test]
    fn r53_11_aaaa_follows_a() {
        let v6 = |id: &str, policy, value: &str| of_type(RecordType::AAAA, values("www", id, policy, &[value]));
        let pair = Scene::of([
            checked(leaf("www", "p", PRIMARY)),
            leaf("www", "s", SECONDARY),
            v6("p", PRIMARY, "2001:db8::1"),
            v6("s", SECONDARY, "2001:db8::2"),
        ]);
        pair.clone().down(&["p"]).asking("www", RecordType::AAAA).differs("a-and-aaaa-coupled", "s");
        pair.clone().down(&["p"]).agrees("a-and-aaaa-coupled");
        pair.asking("www", RecordType::AAAA).agrees("a-and-aaaa-coupled");
    }
}
