//! Locations that are mistaken or forgotten (R53-53 to R53-59, R53-80, R53-82).

use ipnet::IpNet;

use crate::decide::{Decision, Outcome, Reason, Viewpoint};
use crate::geography::continent_of;
use crate::subject::{Case, Deviation};
use crate::zone::{GeoLocation, Policy, Zone};

use super::Mutant;
use super::edited::{is_last_resort, retain, root_policy, with_outcome};
use super::seams::{Deciding, OverZone, SeenFrom};

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "geolocation-falls-to-another-continent",
        what: "answers a record for another place when none for this one can be answered",
        rules: &["R53-55", "R53-59"],
        deviation: &Deciding(another_continent),
    },
    Mutant {
        name: "geolocation-default-ignored",
        what: "does not know the default location beside others",
        rules: &["R53-54"],
        deviation: &OverZone(without_default),
    },
    Mutant {
        name: "geolocation-state-ignored",
        what: "knows countries, but no state of the US",
        rules: &["R53-53"],
        deviation: &SeenFrom(without_state),
    },
    Mutant {
        name: "geolocation-continent-before-country",
        what: "prefers the record for the continent to the one for the country",
        rules: &["R53-53"],
        deviation: &Deciding(continent_first),
    },
    Mutant {
        name: "geolocation-no-larger-region",
        what: "answers the smallest region though it is unhealthy and a larger one is not",
        rules: &["R53-57"],
        deviation: &Deciding(smallest_region_only),
    },
    Mutant {
        name: "unlocated-sender-gets-nothing",
        what: "answers no data to a sender that maps to no location, whatever the default",
        rules: &["R53-54"],
        deviation: &Deciding(nothing_for_unlocated),
    },
    Mutant {
        name: "client-subnet-ignored",
        what: "locates the resolver though the query carries a client subnet",
        rules: &["R53-80"],
        deviation: &ClientSubnetIgnored,
    },
    Mutant {
        name: "place-decides-under-any-policy",
        what: "answers located senders only the first record of a weighted, failover or multivalue group",
        rules: &["R53-82"],
        deviation: &Deciding(first_for_located),
    },
];

fn first_for_located(case: &Case<'_>) -> Decision {
    let indifferent =
        |policy: &Policy| matches!(policy, Policy::Weighted(_) | Policy::Failover(_) | Policy::Multivalue);
    if case.question.viewpoint.country.is_none() {
        return case.decide();
    }
    case.decide_over(&retain(case.zone.clone(), |group, record| {
        let first = group.records.first().is_some_and(|first| first.set_identifier == record.set_identifier);
        first || !indifferent(&record.policy)
    }))
}

fn another_continent(case: &Case<'_>) -> Decision {
    let decision = case.decide();
    let stuck = decision.outcome == Outcome::NoData || is_last_resort(&decision);
    if root_policy(&decision) == "geolocation" && stuck { case.decide_by_chance() } else { decision }
}

fn without_default(zone: Zone) -> Zone {
    retain(zone, |_, record| record.policy != Policy::Geolocation(GeoLocation::Default))
}

fn without_state(viewpoint: &mut Viewpoint) {
    viewpoint.subdivision = None;
}

fn continent_first(case: &Case<'_>) -> Decision {
    let here = &case.question.viewpoint;
    let continent = here.continent.as_deref().or_else(|| continent_of(here.country.as_deref()?));
    let has_record = case.group().is_some_and(|group| {
        group.records.iter().any(|record| match &record.policy {
            Policy::Geolocation(GeoLocation::Continent(code)) => Some(code.as_str()) == continent,
            _ => false,
        })
    });
    if !has_record {
        return case.decide();
    }
    let continent = continent.map(str::to_owned);
    case.decide_for(Viewpoint { continent, country: None, subdivision: None, ..here.clone() })
}

fn smallest_region_only(case: &Case<'_>) -> Decision {
    best_only(case, "geolocation")
}

/// Decides as if the question's own group, if it has this policy, held nothing but the best record.
pub(super) fn best_only(case: &Case<'_>, policy: &str) -> Decision {
    let decision = case.decide();
    let best = decision.path.first().filter(|step| step.policy == policy).and_then(|step| step.considered.first());
    let Some(best) = best.filter(|best| best.reason != Reason::NotApplicable) else { return decision };
    case.decide_over(&retain(case.zone.clone(), |group, record| {
        let is_own = group.name == case.question.name && group.rtype == case.question.rtype;
        !is_own || record.set_identifier == best.record.set_identifier
    }))
}

fn nothing_for_unlocated(case: &Case<'_>) -> Decision {
    let decision = case.decide();
    let viewpoint = &case.question.viewpoint;
    let is_located = viewpoint.country.is_some() || viewpoint.continent.is_some();
    if root_policy(&decision) == "geolocation" && !is_located {
        return with_outcome(decision, Outcome::NoData);
    }
    decision
}

#[derive(Debug)]
struct ClientSubnetIgnored;

impl Deviation for ClientSubnetIgnored {
    fn client_subnet(&self, _: Option<IpNet>) -> Option<IpNet> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::{Scene, checked, leaf};
    use super::*;

    fn located(id: &str, location: GeoLocation) -> crate::zone::RecordSet {
        checked(leaf("www", id, Policy::Geolocation(location)))
    }

    fn country(code: &str) -> crate::zone::RecordSet {
        located(code, GeoLocation::Country(code.to_owned()))
    }

    fn california() -> crate::zone::RecordSet {
        located("california", GeoLocation::Subdivision { country: "US".into(), subdivision: "CA".into() })
    }

    fn continent(code: &str) -> crate::zone::RecordSet {
        located(code, GeoLocation::Continent(code.to_owned()))
    }

    fn default() -> crate::zone::RecordSet {
        located("default", GeoLocation::Default)
    }

    #[test]
    fn r53_55_another_continent_is_answered() {
        let mutant = "geolocation-falls-to-another-continent";
        let two = Scene::of([continent("EU"), continent("AS")]);
        two.clone().in_place("Brazil").differs(mutant, "AS 0.50, EU 0.50");
        two.clone().in_place("Germany").down(&["EU"]).differs(mutant, "AS");
        two.in_place("Germany").agrees(mutant);
    }

    #[test]
    fn r53_54_the_default_is_not_known() {
        let two = Scene::of([country("DE"), default()]);
        two.clone().in_place("Brazil").differs("geolocation-default-ignored", "no data");
        two.in_place("Germany").agrees("geolocation-default-ignored");
    }

    #[test]
    fn r53_53_a_state_is_not_known() {
        let two = Scene::of([california(), country("US")]);
        two.clone().in_place("US/CA").differs("geolocation-state-ignored", "US");
        two.in_place("US/NY").agrees("geolocation-state-ignored");
    }

    #[test]
    fn r53_53_a_continent_comes_before_a_country() {
        let mutant = "geolocation-continent-before-country";
        let two = Scene::of([country("DE"), continent("EU"), country("BR")]);
        two.clone().in_place("Germany").differs(mutant, "EU");
        two.in_place("Brazil").agrees(mutant);
    }

    #[test]
    fn r53_57_the_smallest_region_is_answered_though_unhealthy() {
        let mutant = "geolocation-no-larger-region";
        let two = Scene::of([california(), country("US"), default()]).in_place("US/CA");
        two.clone().down(&["california"]).differs(mutant, "california");
        two.clone().agrees(mutant);
        two.in_place("Brazil").agrees(mutant);
    }

    #[test]
    fn r53_54_a_sender_that_is_nowhere_gets_nothing() {
        let two = Scene::of([country("DE"), default()]);
        two.clone().differs("unlocated-sender-gets-nothing", "no data");
        two.in_place("Brazil").agrees("unlocated-sender-gets-nothing");
    }

    #[test]
    fn r53_80_the_client_subnet_is_not_looked_at() {
        let two = Scene::of([country("DE"), country("BR")]).in_place("Brazil");
        two.clone().on_behalf_of("10.1.2.0/24", "Germany").differs("client-subnet-ignored", "BR");
        two.agrees("client-subnet-ignored");
    }

    #[test]
    fn r53_82_a_place_decides_where_no_policy_looks_at_it() {
        let mutant = "place-decides-under-any-policy";
        let weighted = Scene::of([leaf("www", "a", Policy::Weighted(1)), leaf("www", "b", Policy::Weighted(1))]);
        weighted.clone().on_behalf_of("10.1.2.0/24", "Germany").differs(mutant, "a");
        weighted.agrees(mutant);
        Scene::of([country("DE"), country("BR")]).in_place("Brazil").agrees(mutant);
    }
}
