//! Brings the containers of a lab up, as many at a time as can be.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::IpAddr;

use futures_util::future::{join_all, try_join_all};

use crate::containers::{Containers, ContainersError, Subnet, Wire};
use crate::lab::building::lab_addresses;
use crate::plan::Plan;

use super::layout::{Container, Layout, Start, on_engine, wires};

/// Makes the networks of a plan; which they are, in the order of its wires.
pub(super) async fn make_networks(plan: &Plan, containers: &Containers) -> Result<Vec<Subnet>, ContainersError> {
    let mut hasher = DefaultHasher::new();
    containers.run().hash(&mut hasher);
    // Two runs that begin at once begin at different places.
    let mut next = Subnet::number((hasher.finish() % u64::from(Subnet::COUNT)).try_into().unwrap_or_default());
    // On a wire nobody else may have its addresses: those of the lab, were a zone to write such.
    let labs = lab_addresses(plan);
    let mut subnets = Vec::new();
    for wire in wires(plan) {
        next = free_of(&labs, next);
        let subnet = containers.make_network(&on_engine(containers.run(), &wire), next).await?;
        subnets.push(subnet);
        next = subnet.next();
    }
    Ok(subnets)
}

/// The first network from here on in which none of these addresses lies; this one when there is no such.
fn free_of(labs: &[IpAddr], from: Subnet) -> Subnet {
    let candidates = std::iter::successors(Some(from), |subnet| Some(subnet.next())).take(Subnet::COUNT.into());
    candidates.into_iter().find(|subnet| !labs.iter().any(|lab| subnet.contains(*lab))).unwrap_or(from)
}

/// Makes every container, and starts those that do not wait for the clients: each pod, and what is in it right after.
pub(super) async fn raise(layout: &Layout, containers: &Containers) -> Result<(), ContainersError> {
    let pods = layout.containers.iter().filter(|container| container.start == Start::First);
    try_join_all(pods.map(|pod| raise_pod(pod, layout, containers))).await.map(drop)
}

async fn raise_pod(pod: &Container, layout: &Layout, containers: &Containers) -> Result<(), ContainersError> {
    containers.make(&pod.spec).await?;
    containers.start(&pod.spec.name).await?;
    let inside = layout.containers.iter().filter(|container| container.spec.wire == Wire::Of(pod.spec.name.clone()));
    let inside = inside.map(|container| async move {
        containers.make(&container.spec).await?;
        if container.start == Start::Joined { containers.start(&container.spec.name).await } else { Ok(()) }
    });
    join_all(inside).await.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::drill::{PlanOptions, load};

    #[test]
    fn no_wire_has_an_address_of_the_lab() {
        let labs = ["100.126.7.10".parse().unwrap(), "100.126.8.1".parse().unwrap()];
        assert_eq!(free_of(&labs, Subnet::number(6)), Subnet::number(6));
        assert_eq!(free_of(&labs, Subnet::number(7)), Subnet::number(9));
    }

    #[test]
    fn no_address_of_a_drill_is_one_of_the_wires() {
        let drills = Path::new(env!("CARGO_MANIFEST_DIR")).join("drills");
        let mut seen = 0;
        for file in std::fs::read_dir(drills).unwrap().map(|entry| entry.unwrap().path()) {
            let Ok(drill) = load(&file) else { continue };
            let labs = lab_addresses(&drill.plan(PlanOptions::default()));
            for number in 0..Subnet::COUNT {
                let subnet = Subnet::number(number);
                assert!(!labs.iter().any(|lab| subnet.contains(*lab)), "{}: {subnet:?}", file.display());
            }
            seen += 1;
        }
        assert!(seen > 30, "{seen}");
    }
}
