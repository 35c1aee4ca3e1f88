//! Aliases whose health or answer is not what it should be (R53-4 to R53-7, R53-169 to R53-183).

use hickory_proto::op::Message;
use hickory_proto::rr::rdata::CNAME;
use hickory_proto::rr::{Name, RData, Record, RecordType};

use crate::clock::LabTime;
use crate::decide::{Content, Decision, Outcome};
use crate::subject::{Case, Deviation};
use crate::zone::{Group, RecordData, Zone};

use super::Mutant;
use super::edited::{each, each_alias, each_answer};
use super::seams::{Answering, Deciding, OverZone};

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "ignores-evaluate-target-health",
        what: "takes every alias for healthy, whatever its target is",
        rules: &["R53-7"],
        deviation: &OverZone(never_evaluates),
    },
    Mutant {
        name: "always-evaluates-target-health",
        what: "evaluates the target's health of aliases that do not ask for it",
        rules: &["R53-5"],
        deviation: &OverZone(always_evaluates),
    },
    Mutant {
        name: "alias-health-check-ignored",
        what: "does not look at an alias's own health check",
        rules: &["R53-4", "R53-89"],
        deviation: &OverZone(without_own_check),
    },
    Mutant {
        name: "alias-health-check-is-enough",
        what: "does not evaluate the target of an alias that has a health check of its own",
        rules: &["R53-4"],
        deviation: &OverZone(own_check_is_enough),
    },
    Mutant {
        name: "load-balancer-always-healthy",
        what: "takes every AWS resource for healthy",
        rules: &["R53-96"],
        deviation: &ResourcesAlwaysHealthy,
    },
    Mutant {
        name: "alias-ttl-of-its-own",
        what: "answers an alias with a TTL of 300 s instead of its target's",
        rules: &["R53-172"],
        deviation: &Deciding(ttl_of_its_own),
    },
    Mutant {
        name: "load-balancer-ttl-300",
        what: "answers an alias to a load balancer with a TTL of 300 s",
        rules: &["R53-170"],
        deviation: &Deciding(long_ttl_of_resources),
    },
    Mutant {
        name: "alias-answers-every-type",
        what: "lets an alias of type A answer for AAAA too",
        rules: &["R53-182"],
        deviation: &Deciding(answers_every_type),
    },
    Mutant {
        name: "alias-shown-as-cname",
        what: "shows an alias as a CNAME record",
        rules: &["R53-183"],
        deviation: &Answering(shown_as_cname),
    },
];

fn never_evaluates(zone: Zone) -> Zone {
    each_alias(zone, |alias| alias.evaluate_target_health = false)
}

fn always_evaluates(zone: Zone) -> Zone {
    each_alias(zone, |alias| alias.evaluate_target_health = true)
}

fn without_own_check(zone: Zone) -> Zone {
    each(zone, |record| {
        if matches!(record.data, RecordData::Alias(_)) {
            record.health_check = None;
        }
    })
}

fn own_check_is_enough(zone: Zone) -> Zone {
    each(zone, |record| {
        if let (RecordData::Alias(alias), Some(_)) = (&mut record.data, &record.health_check) {
            alias.evaluate_target_health = false;
        }
    })
}

#[derive(Debug)]
struct ResourcesAlwaysHealthy;

impl Deviation for ResourcesAlwaysHealthy {
    fn resource(&self, _: &Name, _: bool) -> bool {
        true
    }
}

fn ttl_of_its_own(case: &Case<'_>) -> Decision {
    each_answer(case.decide(), |one| {
        if one.answer.via.first().map(|record| &record.name) != one.answer.via.last().map(|record| &record.name) {
            one.answer.ttl = 300;
        }
    })
}

fn long_ttl_of_resources(case: &Case<'_>) -> Decision {
    each_answer(case.decide(), |one| {
        if matches!(one.answer.content, Content::Resource(_)) {
            one.answer.ttl = 300;
        }
    })
}

/// The name of the zone that the first alias of a group points at.
fn target<'z>(zone: &Zone, group: Option<&'z Group>) -> Option<&'z Name> {
    group?.records.iter().find_map(|record| match &record.data {
        RecordData::Alias(alias) if !zone.is_resource(&alias.target) => Some(&alias.target),
        _ => None,
    })
}

fn answers_every_type(case: &Case<'_>) -> Decision {
    let decision = case.decide();
    let other = case.zone.group(&case.question.name, RecordType::A);
    match (&decision.outcome, case.question.rtype, target(case.zone, other)) {
        (Outcome::NoData, RecordType::AAAA, Some(target)) => case.decide_for_name(target.clone(), RecordType::AAAA),
        _ => decision,
    }
}

fn shown_as_cname(case: &Case<'_>, _: LabTime, answer: &mut Message) {
    let Some(target) = target(case.zone, case.group()) else { return };
    let Some(first) = answer.answers.first() else { return };
    let link = Record::from_rdata(first.name.clone(), first.ttl, RData::CNAME(CNAME(target.clone())));
    for record in &mut answer.answers {
        record.name = target.clone();
    }
    answer.answers.insert(0, link);
}

#[cfg(test)]
mod tests {
    use super::super::scene::{Scene, alias, checked, leaf, of_type, values, without_eth};
    use super::*;
    use crate::zone::{FailoverRole, Policy, RecordSet};

    const PRIMARY: Policy = Policy::Failover(FailoverRole::Primary);
    const SECONDARY: Policy = Policy::Failover(FailoverRole::Secondary);
    const BALANCER: &str = "alb.example.net.";

    /// A failover pair: what leads to the weighted group `pool`, and a spare.
    fn with_primary(primary: RecordSet) -> Scene {
        Scene::of([primary, leaf("www", "spare", SECONDARY), checked(leaf("pool", "x", Policy::Weighted(1)))])
    }

    #[test]
    fn r53_7_a_dead_target_is_answered_from() {
        let pair = with_primary(alias("www", "p", PRIMARY, "pool"));
        pair.clone().down(&["x"]).differs("ignores-evaluate-target-health", "x");
        pair.agrees("ignores-evaluate-target-health");
    }

    #[test]
    fn r53_5_an_alias_without_eth_follows_its_target_all_the_same() {
        let mutant = "always-evaluates-target-health";
        with_primary(without_eth(checked(alias("www", "p", PRIMARY, "pool")))).down(&["x"]).differs(mutant, "spare");
        with_primary(alias("www", "p", PRIMARY, "pool")).down(&["x"]).agrees(mutant);
    }

    #[test]
    fn r53_89_an_aliass_own_health_check_does_not_count() {
        let pair = with_primary(checked(alias("www", "p", PRIMARY, "pool")));
        pair.clone().down(&["p"]).differs("alias-health-check-ignored", "x");
        pair.down(&["x"]).agrees("alias-health-check-ignored");
    }

    #[test]
    fn r53_4_an_aliass_own_health_check_hides_its_target() {
        let mutant = "alias-health-check-is-enough";
        with_primary(checked(alias("www", "p", PRIMARY, "pool"))).down(&["x"]).differs(mutant, "x");
        with_primary(checked(alias("www", "p", PRIMARY, "pool"))).down(&["p"]).agrees(mutant);
        with_primary(alias("www", "p", PRIMARY, "pool")).down(&["x"]).agrees(mutant);
    }

    #[test]
    fn r53_96_a_dead_load_balancer_is_answered() {
        let pair = with_primary(alias("www", "p", PRIMARY, BALANCER));
        pair.clone().down(&[BALANCER]).differs("load-balancer-always-healthy", "p (resource)");
        pair.agrees("load-balancer-always-healthy");
    }

    fn ttl(message: &Message) -> u32 {
        message.answers[0].ttl
    }

    #[test]
    fn r53_172_an_alias_has_a_ttl_of_its_own() {
        let pair = with_primary(alias("www", "p", PRIMARY, "pool"));
        assert_eq!(pair.differs_in("alias-ttl-of-its-own", ttl), 300);
        pair.down(&["x"]).agrees("alias-ttl-of-its-own");
    }

    #[test]
    fn r53_170_a_load_balancers_addresses_live_for_300_s() {
        let pair = with_primary(alias("www", "p", PRIMARY, BALANCER));
        assert_eq!(pair.differs_in("load-balancer-ttl-300", ttl), 300);
        pair.down(&[BALANCER]).agrees("load-balancer-ttl-300");
    }

    #[test]
    fn r53_182_an_alias_of_type_a_answers_aaaa() {
        let v6 = of_type(RecordType::AAAA, values("pool", "v6", Policy::Simple, &["2001:db8::1"]));
        let both = Scene::of([alias("www", "", Policy::Simple, "pool"), leaf("pool", "", Policy::Simple), v6]);
        both.clone().asking("www", RecordType::AAAA).differs("alias-answers-every-type", "pool.example.com.");
        both.agrees("alias-answers-every-type");
    }

    #[test]
    fn r53_183_an_alias_is_shown_as_a_cname() {
        let pair = Scene::of([alias("www", "", Policy::Simple, "pool"), leaf("pool", "", Policy::Simple)]);
        let first = |message: &Message| message.answers[0].record_type();
        assert_eq!(pair.differs_in("alias-shown-as-cname", first), RecordType::CNAME);
        pair.asking("pool", RecordType::A).agrees("alias-shown-as-cname");
    }
}
