//! Which runs an engine has containers or networks of, and why they are there.

use std::collections::{BTreeMap, HashMap};

use bollard::Docker;
use bollard::query_parameters::{ListContainersOptionsBuilder, ListNetworksOptionsBuilder};
use serde::Serialize;

use super::engine::{ANSWERS_WITHIN, Containers, refused, told};
use super::owner::OWNER;
use super::{ContainersError, Life, Owner, RUN};

/// What an engine has of one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Found {
    /// The run.
    pub run: String,
    /// How many containers.
    pub containers: usize,
    /// How many networks.
    pub networks: usize,
    /// Whose it is; `None`: its label is none that this muster writes.
    #[serde(skip)]
    pub owner: Option<Owner>,
}

/// Why a run is on an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// Its process is gone, and it was to go with it.
    LeftBehind,
    /// Its process is gone, and left it standing.
    Kept,
    /// It is under way.
    UnderWay,
    /// It may be under way: whether its process lives cannot be told from here.
    NotTold,
}

impl Found {
    /// Why it is there.
    #[must_use]
    pub fn why(&self) -> Why {
        let life = self.owner.as_ref().map_or(Life::NotTold, Owner::life);
        match (life, &self.owner) {
            (Life::NotTold, _) | (_, None) => Why::NotTold,
            (Life::Lives, _) => Why::UnderWay,
            (Life::Gone, Some(Owner::Kept(_))) => Why::Kept,
            (Life::Gone, Some(Owner::Process(_))) => Why::LeftBehind,
        }
    }
}

impl Containers {
    /// Every run of which an engine has containers or networks.
    ///
    /// # Errors
    /// When the engine refuses.
    pub async fn runs(docker: &Docker) -> Result<Vec<Found>, ContainersError> {
        let docker = docker.clone().with_timeout(ANSWERS_WITHIN);
        let labelled = HashMap::from([("label", vec![RUN])]);
        let options = ListContainersOptionsBuilder::new().all(true).filters(&labelled).build();
        let containers = docker.list_containers(Some(options)).await;
        let containers = containers.map_err(|error| refused("list containers", told(&error)))?;
        let options = ListNetworksOptionsBuilder::new().filters(&labelled).build();
        let networks = docker.list_networks(Some(options)).await;
        let networks = networks.map_err(|error| refused("list networks", told(&error)))?;
        let mut runs: BTreeMap<String, Found> = BTreeMap::new();
        let of_containers = containers.into_iter().filter_map(|container| Some((container.labels?, 1, 0)));
        let of_networks = networks.into_iter().filter_map(|network| Some((network.labels?, 0, 1)));
        for (labels, containers, networks) in of_containers.chain(of_networks) {
            let Some(run) = labels.get(RUN) else { continue };
            let owner = labels.get(OWNER).and_then(|owner| Owner::of_label(owner));
            let found = runs.entry(run.clone());
            let found = found.or_insert(Found { run: run.clone(), containers: 0, networks: 0, owner });
            found.containers += containers;
            found.networks += networks;
        }
        Ok(runs.into_values().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_under_way_is_not_left_behind_and_neither_is_one_of_which_it_cannot_be_told() {
        let why = |owner| Found { run: "1a".to_owned(), containers: 1, networks: 0, owner }.why();
        assert_eq!(why(Some(Owner::this())), Why::UnderWay);
        assert_eq!(why(Some(Owner::kept_by_this())), Why::UnderWay);
        assert_eq!(why(None), Why::NotTold);
    }
}
