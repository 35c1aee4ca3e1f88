//! Blocks that match what they should not, or not what they should (R53-68 to R53-73).

use ipnet::IpNet;

use crate::decide::{Decision, Viewpoint};
use crate::subject::Case;
use crate::zone::{Policy, Zone};

use super::Mutant;
use super::edited::retain;
use super::seams::{Deciding, OverZone, Switched};

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "cidr-block-matches-larger-subnet",
        what: "takes a client subnet for one that lies in a block smaller than itself",
        rules: &["R53-69"],
        deviation: &Deciding(larger_subnet_matches),
    },
    Mutant {
        name: "cidr-block-needs-its-own-length",
        what: "matches a block only with a subnet of just its length",
        rules: &["R53-68"],
        deviation: &Deciding(own_length_only),
    },
    Mutant {
        name: "ip-based-default-ignored",
        what: "does not know the default location `*` beside others",
        rules: &["R53-70"],
        deviation: &OverZone(without_default),
    },
    Mutant {
        name: "ip-based-no-broader-location",
        what: "answers the matched location though it is unhealthy and the default is not",
        rules: &["R53-73"],
        deviation: &Switched(|switches| switches.ip_based_falls_back = false),
    },
];

fn blocks(zone: &Zone) -> impl Iterator<Item = &IpNet> {
    zone.cidr_collections.values().flat_map(|collection| collection.values().flatten())
}

fn larger_subnet_matches(case: &Case<'_>) -> Decision {
    let viewpoint = &case.question.viewpoint;
    let inside = |block: &&IpNet| viewpoint.source.is_some_and(|source| source.contains(*block));
    match blocks(case.zone).find(inside) {
        Some(block) => case.decide_for(Viewpoint { source: Some(*block), ..viewpoint.clone() }),
        None => case.decide(),
    }
}

fn own_length_only(case: &Case<'_>) -> Decision {
    let mut zone = case.zone.clone();
    let length = case.question.viewpoint.source.map(|source| source.prefix_len());
    for blocks in zone.cidr_collections.values_mut().flat_map(|collection| collection.values_mut()) {
        blocks.retain(|block| Some(block.prefix_len()) == length);
    }
    case.decide_over(&zone)
}

fn without_default(zone: Zone) -> Zone {
    retain(zone, |_, record| !matches!(&record.policy, Policy::IpBased { location, .. } if location == "*"))
}

#[cfg(test)]
mod tests {
    use super::super::scene::{Scene, checked, leaf};
    use super::*;

    fn by_block() -> Scene {
        let to = |id: &str, location: &str| {
            let policy = Policy::IpBased { collection: "c".to_owned(), location: location.to_owned() };
            checked(leaf("www", id, policy))
        };
        Scene::of([to("inside", "office"), to("default", "*")]).with_collection("c", &[("office", &["10.1.2.0/24"])])
    }

    #[test]
    fn r53_69_a_larger_subnet_matches() {
        let mutant = "cidr-block-matches-larger-subnet";
        by_block().on_behalf_of("10.1.0.0/16", "Brazil").differs(mutant, "inside");
        by_block().on_behalf_of("10.1.2.0/24", "Brazil").agrees(mutant);
        by_block().asked_by("10.9.9.9").agrees(mutant);
    }

    #[test]
    fn r53_68_a_longer_prefix_does_not_match() {
        by_block().asked_by("10.1.2.3").differs("cidr-block-needs-its-own-length", "default");
        by_block().on_behalf_of("10.1.2.0/24", "Brazil").agrees("cidr-block-needs-its-own-length");
    }

    #[test]
    fn r53_70_the_default_location_is_not_known() {
        by_block().asked_by("10.9.9.9").differs("ip-based-default-ignored", "no data");
        by_block().asked_by("10.1.2.3").agrees("ip-based-default-ignored");
    }

    #[test]
    fn r53_73_the_default_is_not_fallen_back_to() {
        by_block().asked_by("10.1.2.3").down(&["inside"]).differs("ip-based-no-broader-location", "inside");
        by_block().asked_by("10.1.2.3").agrees("ip-based-no-broader-location");
    }
}
