//! Brings the containers of a lab up, as many at a time as can be.

use std::hash::{DefaultHasher, Hash, Hasher};

use futures_util::future::{join_all, try_join_all};

use crate::containers::{Containers, ContainersError, Subnet, Wire};
use crate::plan::Plan;

use super::layout::{Container, Layout, Start, on_engine, wires};

/// Makes the networks of a plan; which they are, in the order of its wires.
pub(super) async fn make_networks(plan: &Plan, containers: &Containers) -> Result<Vec<Subnet>, ContainersError> {
    let mut hasher = DefaultHasher::new();
    containers.run().hash(&mut hasher);
    // Two runs that begin at once begin at different places.
    let mut next = Subnet::number((hasher.finish() % u64::from(Subnet::COUNT)).try_into().unwrap_or_default());
    let mut subnets = Vec::new();
    for wire in wires(plan) {
        let subnet = containers.make_network(&on_engine(containers.run(), &wire), next).await?;
        subnets.push(subnet);
        next = subnet.next();
    }
    Ok(subnets)
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
