//! What the engine has: containers, networks and volumes, and whose they are.

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use muster::images::Engine;

/// The label of a run, and that of the process that it belongs to.
const RUN: &str = "muster.run";
const OWNER: &str = "muster.owner";
/// How long something may go on being there that is being removed: an image that somebody else builds has containers, too.
const GONE_WITHIN: Duration = Duration::from_secs(60);
const AGAIN: Duration = Duration::from_millis(250);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Container,
    Network,
    Volume,
}

/// Something that the engine has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Thing {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    /// The run that it is of, by its label.
    pub(crate) run: Option<String>,
    /// The process that it belongs to, by its label.
    pub(crate) process: Option<u32>,
    /// Of a network: its addresses.
    pub(crate) subnets: Vec<String>,
}

impl Thing {
    fn new(kind: Kind, name: String, labels: Option<HashMap<String, String>>, subnets: Vec<String>) -> Self {
        let mut labels = labels.unwrap_or_default();
        let owner = labels.remove(OWNER).unwrap_or_default();
        // A run that is kept says so before its process.
        let process = owner.trim_start_matches("kept:").split(':').next().and_then(|number| number.parse().ok());
        Self { kind, name, run: labels.remove(RUN), process, subnets }
    }

    /// Whether it belongs to a run of another process than this: of somebody else who uses the engine.
    fn is_of_others(&self, process: u32) -> bool {
        self.run.is_some() && self.process != Some(process)
    }
}

/// Everything that the engine has, whatever state it is in.
pub(crate) fn everything() -> BTreeSet<Thing> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let docker = Engine::reach().await.unwrap().docker();
        let all = bollard::query_parameters::ListContainersOptionsBuilder::new().all(true).build();
        let containers = docker.list_containers(Some(all)).await.unwrap();
        let networks = docker.list_networks(None::<bollard::query_parameters::ListNetworksOptions>).await.unwrap();
        let volumes = docker
            .list_volumes(None::<bollard::query_parameters::ListVolumesOptions>)
            .await
            .unwrap()
            .volumes
            .unwrap_or_default();
        let containers = containers.into_iter().map(|container| {
            let name = container.names.unwrap_or_default().concat();
            Thing::new(Kind::Container, name, container.labels, Vec::new())
        });
        let networks = networks.into_iter().map(|network| {
            let configured = network.ipam.and_then(|ipam| ipam.config).unwrap_or_default();
            let subnets = configured.into_iter().filter_map(|config| config.subnet).collect();
            Thing::new(Kind::Network, network.name.unwrap_or_default(), network.labels, subnets)
        });
        let volumes =
            volumes.into_iter().map(|volume| Thing::new(Kind::Volume, volume.name, Some(volume.labels), Vec::new()));
        containers.chain(networks).chain(volumes).collect()
    })
}

/// What belongs to the runs of a process.
pub(crate) fn of_process(process: u32) -> Vec<Thing> {
    everything().into_iter().filter(|thing| thing.process == Some(process)).collect()
}

/// Nothing of this process is left, and what was there before is all that there is, besides what runs of others have.
pub(crate) fn is_as_before(before: &BTreeSet<Thing>, process: u32) {
    let left = of_process(process);
    assert!(left.is_empty(), "{left:#?}");
    let until = Instant::now() + GONE_WITHIN;
    loop {
        let now = everything();
        let more: Vec<&Thing> = now.difference(before).filter(|thing| !thing.is_of_others(process)).collect();
        let less: Vec<&Thing> = before.difference(&now).filter(|thing| thing.run.is_none()).collect();
        if more.is_empty() && less.is_empty() {
            return;
        }
        assert!(Instant::now() < until, "the engine has more: {more:#?}; it has less: {less:#?}");
        std::thread::sleep(AGAIN);
    }
}
