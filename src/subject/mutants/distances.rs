//! Latency and distance that are mistaken (R53-48 to R53-51, R53-63).

use std::time::Duration;

use crate::decide::{Decision, Outcome, Viewpoint};
use crate::subject::Case;
use crate::zone::{Policy, Zone};

use super::Mutant;
use super::edited::{each, root_policy, with_outcome};
use super::geolocation::best_only;
use super::seams::{Deciding, OverZone, SeenFrom};

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "latency-by-distance",
        what: "answers the nearest region instead of that with the lowest latency",
        rules: &["R53-48"],
        deviation: &SeenFrom(without_latency),
    },
    Mutant {
        name: "latency-highest-first",
        what: "answers the region with the highest latency",
        rules: &["R53-48"],
        deviation: &SeenFrom(latency_reversed),
    },
    Mutant {
        name: "latency-of-regions-without-record",
        what: "answers no data when the region with the lowest latency has no record",
        rules: &["R53-48"],
        deviation: &Deciding(region_without_record),
    },
    Mutant {
        name: "latency-no-next-best",
        what: "answers the best region though it is unhealthy and the next best is not",
        rules: &["R53-49"],
        deviation: &Deciding(best_region_only),
    },
    Mutant {
        name: "china-by-latency",
        what: "chooses by latency within China too, though there is a record of cn-north-1",
        rules: &["R53-51"],
        deviation: &Deciding(china_by_latency),
    },
    Mutant {
        name: "bias-sign-swapped",
        what: "shrinks with a positive bias what it should enlarge",
        rules: &["R53-63"],
        deviation: &OverZone(bias_swapped),
    },
    Mutant { name: "bias-ignored", what: "knows no bias", rules: &["R53-63"], deviation: &OverZone(bias_ignored) },
];

/// Longer than any latency.
const LONGEST: Duration = Duration::from_secs(3600);

fn without_latency(viewpoint: &mut Viewpoint) {
    viewpoint.latency.clear();
}

fn latency_reversed(viewpoint: &mut Viewpoint) {
    for latency in viewpoint.latency.values_mut() {
        *latency = LONGEST.saturating_sub(*latency);
    }
}

fn region_without_record(case: &Case<'_>) -> Decision {
    let decision = case.decide();
    let best = case.question.viewpoint.latency.iter().min_by_key(|(_, latency)| **latency);
    let has_record = best.is_none_or(|(region, _)| {
        let is_best = |policy: &Policy| matches!(policy, Policy::Latency(of) if of == region);
        case.group().is_some_and(|group| group.records.iter().any(|record| is_best(&record.policy)))
    });
    if root_policy(&decision) != "latency" || has_record { decision } else { with_outcome(decision, Outcome::NoData) }
}

fn best_region_only(case: &Case<'_>) -> Decision {
    best_only(case, "latency")
}

fn china_by_latency(case: &Case<'_>) -> Decision {
    let decision = case.decide();
    if root_policy(&decision) != "latency" {
        return decision;
    }
    case.decide_for(Viewpoint { country: None, ..case.question.viewpoint.clone() })
}

fn each_bias(zone: Zone, edit: impl Fn(i8) -> i8) -> Zone {
    each(zone, |record| {
        if let Policy::Geoproximity { bias, .. } = &mut record.policy {
            *bias = edit(*bias);
        }
    })
}

fn bias_swapped(zone: Zone) -> Zone {
    each_bias(zone, i8::saturating_neg)
}

fn bias_ignored(zone: Zone) -> Zone {
    each_bias(zone, |_| 0)
}

#[cfg(test)]
mod tests {
    use super::super::scene::{Scene, checked, leaf};
    use super::*;
    use crate::zone::GeoproximityOrigin;

    /// Latency records for these regions, asked from a place with these latencies in ms.
    fn latency(regions: &[&str], place: &str, measured: &[(&str, u64)]) -> Scene {
        let latency = measured.iter().map(|&(region, ms)| (region.to_owned(), Duration::from_millis(ms))).collect();
        let viewpoint = Viewpoint { latency, ..Viewpoint::of_place(place).unwrap() };
        Scene::of(regions.iter().map(|&region| checked(leaf("www", region, Policy::Latency(region.to_owned())))))
            .seen_from(viewpoint)
    }

    const EAST: &str = "us-east-1";
    const PAULO: &str = "sa-east-1";

    #[test]
    fn r53_48_the_nearest_region_is_answered() {
        latency(&[EAST, PAULO], "Brazil", &[(EAST, 10), (PAULO, 90)]).differs("latency-by-distance", PAULO);
        latency(&[EAST, PAULO], "Brazil", &[(EAST, 90), (PAULO, 10)]).agrees("latency-by-distance");
    }

    #[test]
    fn r53_48_the_farthest_region_by_latency_is_answered() {
        latency(&[EAST, PAULO], "Brazil", &[(EAST, 90), (PAULO, 10)]).differs("latency-highest-first", EAST);
        latency(&[EAST, PAULO], "Brazil", &[]).agrees("latency-highest-first");
    }

    #[test]
    fn r53_48_a_region_without_a_record_is_chosen() {
        let mutant = "latency-of-regions-without-record";
        latency(&[EAST], "Brazil", &[(EAST, 90), (PAULO, 10)]).differs(mutant, "no data");
        latency(&[EAST, PAULO], "Brazil", &[(EAST, 90), (PAULO, 10)]).agrees(mutant);
    }

    #[test]
    fn r53_49_the_best_region_is_answered_though_unhealthy() {
        let two = latency(&[EAST, PAULO], "Brazil", &[(EAST, 90), (PAULO, 10)]);
        two.clone().down(&[PAULO]).differs("latency-no-next-best", PAULO);
        two.agrees("latency-no-next-best");
    }

    #[test]
    fn r53_51_china_is_not_pinned() {
        let regions = ["cn-north-1", EAST];
        let measured = [("cn-north-1", 90), (EAST, 10)];
        latency(&regions, "China", &measured).differs("china-by-latency", EAST);
        latency(&regions, "Japan", &measured).agrees("china-by-latency");
    }

    /// At 150 km with this bias, and at 100 km without.
    fn near_and_far(bias: i8) -> Scene {
        let at = |id: &str, latitude, bias| {
            let origin = GeoproximityOrigin::Coordinates { latitude, longitude: 0.0 };
            leaf("www", id, Policy::Geoproximity { origin, bias })
        };
        let here = crate::geography::Coordinates { latitude: 0.0, longitude: 0.0 };
        Scene::of([at("far", 1.35, bias), at("near", 0.9, 0)])
            .seen_from(Viewpoint { coordinates: Some(here), ..Viewpoint::default() })
    }

    #[test]
    fn r53_63_a_bias_works_the_wrong_way_or_not_at_all() {
        near_and_far(50).differs("bias-sign-swapped", "near");
        near_and_far(50).differs("bias-ignored", "near");
        for mutant in ["bias-sign-swapped", "bias-ignored"] {
            near_and_far(0).agrees(mutant);
        }
        near_and_far(-50).differs("bias-sign-swapped", "far");
    }
}
