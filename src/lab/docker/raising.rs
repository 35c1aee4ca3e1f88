//! Brings the containers of a lab up, as many at a time as can be.

use std::hash::{DefaultHasher, Hash, Hasher};

use futures_util::future::join_all;

use crate::containers::{AddressPlan, Containers, ContainersError, Subnet, Wire};
use crate::lab::building::lab_addresses;
use crate::plan::Plan;

use super::layout::{Container, Layout, Start, on_engine, wires};

/// Makes the networks of a plan, out of these addresses; which they are, in the order of its wires.
pub(super) async fn make_networks(
    plan: &Plan,
    addresses: AddressPlan,
    containers: &Containers,
) -> Result<Vec<Subnet>, ContainersError> {
    let mut hasher = DefaultHasher::new();
    containers.run().hash(&mut hasher);
    // Two runs that begin at once begin at different places.
    let mut next = addresses.subnet(hasher.finish());
    // On a wire nobody else may have its addresses: those of the lab, were a zone to write such.
    let labs = lab_addresses(plan);
    let mut subnets = Vec::new();
    for wire in wires(plan) {
        let subnet = containers.make_network(&on_engine(containers.run(), &wire), next, &labs).await?;
        subnets.push(subnet);
        next = subnet.next();
    }
    Ok(subnets)
}

/// Makes every container, and starts those that do not wait for the clients: each pod, and what is in it right after. At
/// the first error nothing more is begun; what is under way is waited for.
pub(super) async fn raise(layout: &Layout, containers: &Containers) -> Result<(), ContainersError> {
    let pods = layout.containers.iter().filter(|container| container.start == Start::First);
    let raising = pods.map(async |pod| {
        let raised = raise_pod(pod, layout, containers).await;
        if raised.is_err() {
            containers.close();
        }
        raised
    });
    // The others are not dropped at the first error: an engine finishes what it was asked, and it would be left behind.
    first_cause(join_all(raising).await)
}

async fn raise_pod(pod: &Container, layout: &Layout, containers: &Containers) -> Result<(), ContainersError> {
    containers.make(&pod.spec).await?;
    match containers.start(&pod.spec.name).await {
        Err(error) if error.is_for_want_of_ipv6() => {
            containers.make_again_without_ipv6(&pod.spec).await?;
            containers.start(&pod.spec.name).await?;
        }
        started => started?,
    }
    let inside = layout.containers.iter().filter(|container| container.spec.wire == Wire::Of(pod.spec.name.clone()));
    let inside = inside.map(|container| async move {
        containers.make(&container.spec).await?;
        if container.start == Start::Joined { containers.start(&container.spec.name).await } else { Ok(()) }
    });
    first_cause(join_all(inside).await)
}

/// The first error that is not only that others had one.
fn first_cause(raised: Vec<Result<(), ContainersError>>) -> Result<(), ContainersError> {
    let mut errors: Vec<ContainersError> = raised.into_iter().filter_map(Result::err).collect();
    errors.sort_by_key(|error| matches!(error, ContainersError::Closed { .. }));
    errors.into_iter().next().map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::drill::{PlanOptions, load};

    #[test]
    fn what_is_told_is_why_the_first_gave_up_and_not_that_the_others_did_so_after_it() {
        let closed = || Err(ContainersError::Closed { run: "1a".to_owned() });
        let cause = ContainersError::NotPublished { container: "hub".to_owned(), port: 1 };
        let told = first_cause(vec![Ok(()), closed(), Err(cause), closed()]);
        assert!(matches!(told, Err(ContainersError::NotPublished { .. })), "{told:?}");
        assert!(first_cause(vec![Ok(()), Ok(())]).is_ok());
    }

    #[test]
    fn no_address_of_a_drill_is_one_of_the_wires() {
        let drills = Path::new(env!("CARGO_MANIFEST_DIR")).join("drills");
        let mut seen = 0;
        for file in std::fs::read_dir(drills).unwrap().map(|entry| entry.unwrap().path()) {
            let Ok(drill) = load(&file) else { continue };
            let labs = lab_addresses(&drill.plan(PlanOptions::default()));
            for number in 0..AddressPlan::default().count() {
                let subnet = AddressPlan::default().subnet(number.into());
                assert!(!labs.iter().any(|lab| subnet.contains(*lab)), "{}: {subnet:?}", file.display());
            }
            seen += 1;
        }
        assert!(seen > 30, "{seen}");
    }
}
