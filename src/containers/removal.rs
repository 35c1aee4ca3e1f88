//! Removes what an engine has of a run: all of it, whatever state it is in, and as fast as the engine lets it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, Instant};

use bollard::errors::Error;
use bollard::models::ContainerSummary;
use bollard::query_parameters::{
    ListContainersOptionsBuilder, ListNetworksOptionsBuilder, RemoveContainerOptionsBuilder,
};
use futures_util::future::join_all;

use super::engine::{Containers, refused, told};
use super::{ContainersError, RUN};

/// How long a run's removal is tried before what is left is told.
const REMOVES_WITHIN: Duration = Duration::from_secs(25);
/// From one try to the next.
const AGAIN: Duration = Duration::from_millis(200);

/// What was removed of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// How many containers.
    pub containers: usize,
    /// How many networks.
    pub networks: usize,
}

/// What an engine has of a run, by its ids.
#[derive(Debug, Default, PartialEq, Eq)]
struct Listed {
    /// Each container, and the networks that it is on.
    containers: BTreeMap<String, BTreeSet<String>>,
    networks: BTreeSet<String>,
}

/// In which order a run is removed: an engine takes a container off its networks one after another, and removes a
/// network when nobody is on it any more. So a container that is on several is taken off each of them first, and each
/// network goes as soon as it is empty, while the engine is still at the next.
#[derive(Debug, Default, PartialEq, Eq)]
struct Order {
    /// Each network, who is on it alone and goes with it, and who is on others too and is taken off it.
    networks: BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)>,
    /// Who is on no network of the run, and goes at once.
    at_once: BTreeSet<String>,
    /// Who is on several, and goes when it is on none.
    last: BTreeSet<String>,
}

impl Listed {
    fn is_empty(&self) -> bool {
        self.containers.is_empty() && self.networks.is_empty()
    }

    fn order(&self) -> Order {
        let empty = self.networks.iter().map(|network| (network.clone(), Default::default())).collect();
        let mut order = Order { networks: empty, ..Order::default() };
        for (container, on) in &self.containers {
            let of_the_run: Vec<&String> = on.intersection(&self.networks).collect();
            match of_the_run[..] {
                [] => {
                    order.at_once.insert(container.clone());
                }
                [only] => {
                    order.networks.entry(only.clone()).or_default().0.insert(container.clone());
                }
                _ => {
                    for network in of_the_run {
                        order.networks.entry(network.clone()).or_default().1.insert(container.clone());
                    }
                    order.last.insert(container.clone());
                }
            }
        }
        order
    }
}

impl Containers {
    /// Removes every container and network of the run, whatever state they are in, and waits for nothing they do. Again
    /// and again until a listing has nothing: somebody else may be at the same, and the engine at what it was asked
    /// before. Done twice, it is the same. How many there were.
    ///
    /// # Errors
    /// What is left after some time, and why.
    pub async fn remove_all(&self) -> Result<Removed, ContainersError> {
        let until = Instant::now() + REMOVES_WITHIN;
        let (mut left, mut most, mut problem) = (Listed::default(), Removed::default(), None);
        while Instant::now() < until {
            match self.listed().await {
                Ok(listed) if listed.is_empty() => return Ok(most),
                Ok(listed) => {
                    most.containers = most.containers.max(listed.containers.len());
                    most.networks = most.networks.max(listed.networks.len());
                    problem = self.remove(&listed).await.err();
                    left = listed;
                }
                Err(error) => problem = Some(error),
            }
            // Only what was refused needs time.
            if problem.is_some() {
                tokio::time::sleep(AGAIN).await;
            }
        }
        let problem = problem.map_or_else(|| "the engine goes on having them".to_owned(), |error| error.to_string());
        let (containers, networks) = (left.containers.len(), left.networks.len());
        Err(ContainersError::Left { run: self.run.clone(), containers, networks, problem })
    }

    async fn listed(&self) -> Result<Listed, ContainersError> {
        let label = format!("{RUN}={}", self.run);
        let labelled = HashMap::from([("label", vec![label.as_str()])]);
        let options = ListContainersOptionsBuilder::new().all(true).filters(&labelled).build();
        let containers = self.docker.list_containers(Some(options)).await;
        let containers = containers.map_err(|error| refused("list containers", told(&error)))?;
        let options = ListNetworksOptionsBuilder::new().filters(&labelled).build();
        let networks = self.docker.list_networks(Some(options)).await;
        let networks = networks.map_err(|error| refused("list networks", told(&error)))?;
        Ok(Listed {
            containers: containers
                .into_iter()
                .filter_map(|container| Some((container.id.clone()?, networks_of(&container))))
                .collect(),
            networks: networks.into_iter().filter_map(|network| network.id).collect(),
        })
    }

    async fn remove(&self, listed: &Listed) -> Result<(), ContainersError> {
        let Order { networks, at_once, last } = listed.order();
        let emptied = networks.iter().map(async |(network, (alone, on_others))| {
            let left = on_others.iter().map(|container| self.disconnect(container, network));
            let (removed, left) = futures_util::join!(self.remove_containers(alone), join_all(left));
            removed.and(left.into_iter().collect::<Result<(), _>>())?;
            gone(self.docker.remove_network(network).await, "remove a network")
        });
        let (removed, emptied) = futures_util::join!(self.remove_containers(&at_once), join_all(emptied));
        // Also when something was refused: what can go, goes.
        let last = self.remove_containers(&last).await;
        removed.and(emptied.into_iter().collect::<Result<(), _>>()).and(last)
    }

    /// Removes these containers side by side.
    async fn remove_containers(&self, ids: &BTreeSet<String>) -> Result<(), ContainersError> {
        let removals = ids.iter().map(async |id| {
            let options = RemoveContainerOptionsBuilder::new().force(true).v(true).build();
            gone(self.docker.remove_container(id, Some(options)).await, "remove a container")
        });
        join_all(removals).await.into_iter().collect()
    }
}

/// The ids of the networks that a container is on.
fn networks_of(container: &ContainerSummary) -> BTreeSet<String> {
    let networks = container.network_settings.as_ref().and_then(|settings| settings.networks.as_ref());
    networks.into_iter().flatten().filter_map(|(_, endpoint)| endpoint.network_id.clone()).collect()
}

/// What is gone already need not be removed. What somebody else is removing (409) is not gone yet.
pub(super) fn gone(result: Result<(), Error>, what: &str) -> Result<(), ContainersError> {
    match result {
        Ok(()) | Err(Error::DockerResponseServerError { status_code: 404, .. }) => Ok(()),
        Err(error) => Err(refused(what, told(&error))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(all: &[&str]) -> BTreeSet<String> {
        all.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_network_goes_with_who_is_on_it_alone_and_after_who_is_on_others_too_left_it() {
        let containers = [
            ("hub", names(&["outside", "cell"])),
            ("pod", names(&["cell"])),
            ("inside", names(&[])),
            ("elsewhere", names(&["somebody's"])),
        ];
        let containers = containers.map(|(name, on)| (name.to_owned(), on)).into();
        let order = Listed { containers, networks: names(&["outside", "cell", "nobody-on-it"]) }.order();
        let networks = [
            ("outside", (names(&[]), names(&["hub"]))),
            ("cell", (names(&["pod"]), names(&["hub"]))),
            ("nobody-on-it", (names(&[]), names(&[]))),
        ];
        assert_eq!(order.networks, networks.map(|(name, who)| (name.to_owned(), who)).into());
        assert_eq!(order.at_once, names(&["inside", "elsewhere"]));
        assert_eq!(order.last, names(&["hub"]));
    }
}
