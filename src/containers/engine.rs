//! Has a Docker engine make, start, break and remove the containers and networks of one run.

use std::collections::{BTreeSet, HashMap};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bollard::Docker;
use bollard::container::LogOutput;
use bollard::errors::Error;
use bollard::models::{
    ContainerCreateBody, ContainerUpdateBody, EndpointIpamConfig, EndpointSettings, HostConfig, Ipam, IpamConfig,
    NetworkConnectRequest, NetworkCreateRequest, NetworkDisconnectRequest, NetworkingConfig, PortBinding,
};
use bollard::query_parameters::{
    CreateContainerOptionsBuilder, EventsOptionsBuilder, InspectContainerOptions, KillContainerOptionsBuilder,
    ListContainersOptionsBuilder, LogsOptionsBuilder, RemoveContainerOptionsBuilder, StartContainerOptions,
};
use futures_util::{Stream, StreamExt};

use super::ended::{Ended, dead, ended, ending};
use super::owner::OWNER;
use super::removal::gone;
use super::{ContainerSpec, ContainersError, EngineHost, Owner, RUN, Subnet, Wire};

/// How many lines of a container's log are told when it fails.
const LOG_LINES: &str = "12";
/// How long the engine may take for those.
const LOG_WITHIN: Duration = Duration::from_secs(3);
/// How long the engine may take for anything else before it counts as one that hangs.
pub(super) const ANSWERS_WITHIN: Duration = Duration::from_secs(15);
/// How long it may take to make or start something: it is asked for all of a lab at once.
pub const MAKES_WITHIN: Duration = Duration::from_secs(60);
/// In which a CPU limit counts, in microseconds: the kernel's own default.
const CPU_PERIOD: i64 = 100_000;
/// No limit. 0 is taken as well, and leaves a limit as it is.
const NO_CPU_LIMIT: i64 = -1;
/// What a container that wires itself needs: it forwards, and carries IPv6 whether or not the engine does.
const SWITCHES: [(&str, &str); 4] = [
    ("net.ipv4.ip_forward", "1"),
    ("net.ipv4.conf.all.send_redirects", "0"),
    ("net.ipv6.conf.all.disable_ipv6", "0"),
    ("net.ipv6.conf.all.forwarding", "1"),
];
/// What those of them begin with that a kernel without IPv6 does not have.
const IPV6_SWITCHES: &str = "net.ipv6.";

/// The containers and networks of one run.
#[derive(Clone, Debug)]
pub struct Containers {
    pub(super) docker: Docker,
    host: EngineHost,
    pub(super) run: String,
    owner: Owner,
    /// Whether nothing more is made or started. Of all clones.
    closed: Arc<AtomicBool>,
}

impl Containers {
    /// Those of `run`, a name that no other run has. What is made is this owner's; the engine is on this machine.
    #[must_use]
    pub fn of_run(docker: Docker, run: String, owner: Owner) -> Self {
        let docker = docker.with_timeout(ANSWERS_WITHIN);
        Self { docker, host: EngineHost::here(), run, owner, closed: Arc::default() }
    }

    /// The same, where the engine is here.
    #[must_use]
    pub fn at(self, host: EngineHost) -> Self {
        Self { host, ..self }
    }

    /// From now on nothing more is made or started. What is under way goes on: an engine finishes it also when nobody
    /// waits for it any more, so who removes a run waits for it first.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
    }

    /// The engine, for what takes it longer.
    fn patient(&self) -> Result<Docker, ContainersError> {
        if self.closed.load(Ordering::Relaxed) {
            return Err(ContainersError::Closed { run: self.run.clone() });
        }
        Ok(self.docker.clone().with_timeout(MAKES_WITHIN))
    }

    /// The run.
    #[must_use]
    pub fn run(&self) -> &str {
        &self.run
    }

    fn labels(&self) -> HashMap<String, String> {
        [(RUN, self.run.clone()), (OWNER, self.owner.to_string())].map(|(key, value)| (key.to_owned(), value)).into()
    }

    /// Makes a network out of the plan, the first that is free from `first` on and that has none of these addresses,
    /// which are somebody's behind it.
    ///
    /// # Errors
    /// When none is free, or the engine refuses.
    pub async fn make_network(&self, name: &str, first: Subnet, taken: &[IpAddr]) -> Result<Subnet, ContainersError> {
        let mut problem = "each holds an address of the lab".to_owned();
        for subnet in first.onwards_without(taken) {
            let config = IpamConfig {
                subnet: Some(subnet.cidr()),
                gateway: Some(subnet.host(1).to_string()),
                ..IpamConfig::default()
            };
            let request = NetworkCreateRequest {
                name: name.to_owned(),
                driver: Some("bridge".to_owned()),
                labels: Some(self.labels()),
                ipam: Some(Ipam { config: Some(vec![config]), ..Ipam::default() }),
                ..NetworkCreateRequest::default()
            };
            match self.patient()?.create_network(request).await {
                Ok(_) => return Ok(subnet),
                Err(error) => problem = told(&error),
            }
            if !problem.contains("overlap") {
                return Err(refused(&format!("make the network {name}"), problem));
            }
        }
        Err(ContainersError::NoSubnet { plan: first.plan(), tried: first.plan().count(), problem })
    }

    /// Makes a container; it does not run yet.
    ///
    /// # Errors
    /// When the engine refuses.
    pub async fn make(&self, spec: &ContainerSpec) -> Result<(), ContainersError> {
        self.make_with(spec, switches(true)).await
    }

    /// Makes a container in place of one that did not start because the kernel has no IPv6.
    ///
    /// # Errors
    /// When the engine refuses.
    pub async fn make_again_without_ipv6(&self, spec: &ContainerSpec) -> Result<(), ContainersError> {
        let options = RemoveContainerOptionsBuilder::new().force(true).v(true).build();
        let removed = self.docker.remove_container(&spec.name, Some(options)).await;
        gone(removed, &format!("remove the container {}", spec.name))?;
        self.make_with(spec, switches(false)).await
    }

    async fn make_with(&self, spec: &ContainerSpec, switches: HashMap<String, String>) -> Result<(), ContainersError> {
        let mut host = HostConfig {
            cap_add: spec.wires_itself.then(|| vec!["NET_ADMIN".to_owned()]),
            sysctls: spec.wires_itself.then_some(switches),
            ..HostConfig::default()
        };
        let mut networking = None;
        let mut others = &[][..];
        match &spec.wire {
            Wire::Of(container) => host.network_mode = Some(format!("container:{container}")),
            Wire::Networks(networks) => {
                if let [(first, address), rest @ ..] = &networks[..] {
                    host.network_mode = Some(first.clone());
                    let endpoints = HashMap::from([(first.clone(), endpoint(*address))]);
                    networking = Some(NetworkingConfig { endpoints_config: Some(endpoints) });
                    others = rest;
                }
            }
        }
        let bound_to = self.host.bound_to.to_string();
        let binding = || PortBinding { host_ip: Some(bound_to.clone()), host_port: Some("0".to_owned()) };
        let published = spec.published.iter().map(|port| format!("{port}/tcp"));
        host.port_bindings = Some(published.clone().map(|port| (port, Some(vec![binding()]))).collect());
        let body = ContainerCreateBody {
            image: Some(spec.image.clone()),
            cmd: (!spec.command.is_empty()).then(|| spec.command.clone()),
            env: Some(spec.environment.iter().map(|(key, value)| format!("{key}={value}")).collect()),
            labels: Some(self.labels()),
            exposed_ports: Some(published.collect()),
            host_config: Some(host),
            networking_config: networking,
            ..ContainerCreateBody::default()
        };
        let options = CreateContainerOptionsBuilder::new().name(&spec.name).build();
        let made = self.patient()?.create_container(Some(options), body).await;
        made.map_err(|error| refused(&format!("make the container {}", spec.name), told(&error)))?;
        for (network, address) in others {
            self.connect(&spec.name, network, *address).await?;
        }
        Ok(())
    }

    /// Connects a container to a network.
    ///
    /// # Errors
    /// When the engine refuses.
    pub async fn connect(
        &self,
        container: &str,
        network: &str,
        address: std::net::Ipv4Addr,
    ) -> Result<(), ContainersError> {
        let request =
            NetworkConnectRequest { container: container.to_owned(), endpoint_config: Some(endpoint(address)) };
        let connected = self.patient()?.connect_network(network, request).await;
        connected.map_err(|error| refused(&format!("connect {container} to {network}"), told(&error)))
    }

    /// Takes a container off a network. One that is off it stays so.
    ///
    /// # Errors
    /// When the engine refuses.
    pub async fn disconnect(&self, container: &str, network: &str) -> Result<(), ContainersError> {
        let request = NetworkDisconnectRequest { container: container.to_owned(), force: Some(true) };
        match self.docker.disconnect_network(network, request).await {
            Err(error) if !told(&error).contains("is not connected") => {
                Err(refused(&format!("take {container} off {network}"), told(&error)))
            }
            _ => Ok(()),
        }
    }

    /// Starts a container. One that runs goes on running.
    ///
    /// # Errors
    /// When it does not start; with the last lines of its log.
    pub async fn start(&self, container: &str) -> Result<(), ContainersError> {
        match self.patient()?.start_container(container, None::<StartContainerOptions>).await {
            Ok(()) => Ok(()),
            Err(error) => Err(ContainersError::NotStarted {
                container: container.to_owned(),
                problem: told(&error),
                log: self.last_lines(container).await,
            }),
        }
    }

    /// Kills a container: SIGKILL, nothing is asked or waited for. One that is dead stays so.
    ///
    /// # Errors
    /// When the engine refuses.
    pub async fn kill(&self, container: &str) -> Result<(), ContainersError> {
        let options = KillContainerOptionsBuilder::new().signal("KILL").build();
        match self.docker.kill_container(container, Some(options)).await {
            Ok(()) | Err(Error::DockerResponseServerError { status_code: 409, .. }) => Ok(()),
            Err(error) => Err(refused(&format!("kill {container}"), told(&error))),
        }
    }

    /// Freezes a container: everything it has open stays open, and nothing of it moves. One that is frozen stays so.
    ///
    /// # Errors
    /// When the engine refuses.
    pub async fn pause(&self, container: &str) -> Result<(), ContainersError> {
        match self.docker.pause_container(container).await {
            Err(error) if !told(&error).contains("already paused") => {
                Err(refused(&format!("pause {container}"), told(&error)))
            }
            _ => Ok(()),
        }
    }

    /// Lets a frozen container go on. One that is not frozen goes on anyway.
    ///
    /// # Errors
    /// When the engine refuses.
    pub async fn unpause(&self, container: &str) -> Result<(), ContainersError> {
        match self.docker.unpause_container(container).await {
            Err(error) if !told(&error).contains("is not paused") => {
                Err(refused(&format!("unpause {container}"), told(&error)))
            }
            _ => Ok(()),
        }
    }

    /// Leaves a container one part in so many of a CPU, at least one in 100.
    ///
    /// # Errors
    /// When the engine refuses.
    pub async fn throttle(&self, container: &str, one_in: u32) -> Result<(), ContainersError> {
        self.limit_cpu(container, CPU_PERIOD / i64::from(one_in)).await
    }

    /// Lets a container have as much CPU as it wants.
    ///
    /// # Errors
    /// When the engine refuses.
    pub async fn unthrottle(&self, container: &str) -> Result<(), ContainersError> {
        self.limit_cpu(container, NO_CPU_LIMIT).await
    }

    async fn limit_cpu(&self, container: &str, quota: i64) -> Result<(), ContainersError> {
        let limit = ContainerUpdateBody {
            cpu_period: Some(CPU_PERIOD),
            cpu_quota: Some(quota),
            ..ContainerUpdateBody::default()
        };
        let limited = self.docker.update_container(container, limit).await;
        limited.map_err(|error| refused(&format!("limit the CPU of {container}"), told(&error)))
    }

    /// Where a container's port is reached from here.
    ///
    /// # Errors
    /// When it is not published, or the engine's machine is not found.
    pub async fn published(&self, container: &str, port: u16) -> Result<SocketAddr, ContainersError> {
        let inspected = self.docker.inspect_container(container, None::<InspectContainerOptions>).await;
        let inspected = inspected.map_err(|error| refused(&format!("look at {container}"), told(&error)))?;
        let ports = inspected.network_settings.and_then(|settings| settings.ports).unwrap_or_default();
        let bindings = ports.get(&format!("{port}/tcp")).cloned().flatten().unwrap_or_default();
        let bound = bindings.into_iter().find_map(|binding| binding.host_port?.parse().ok());
        let bound = bound.ok_or_else(|| ContainersError::NotPublished { container: container.to_owned(), port })?;
        self.reached_at(bound).await
    }

    /// A port of the engine's machine, by an address of the family that ports are bound in.
    async fn reached_at(&self, port: u16) -> Result<SocketAddr, ContainersError> {
        let host = self.host.reached_at.as_str();
        let none = |problem: String| ContainersError::NoAddress { host: host.to_owned(), problem };
        let mut found = tokio::net::lookup_host((host, port)).await.map_err(|error| none(error.to_string()))?;
        let fits = |address: &SocketAddr| address.is_ipv4() == self.host.bound_to.is_ipv4();
        found.find(fits).ok_or_else(|| none("none of its family".to_owned()))
    }

    /// The last lines of a container's log; nothing when the engine does not give them at once.
    pub async fn last_lines(&self, container: &str) -> String {
        let options = LogsOptionsBuilder::new().stdout(true).stderr(true).tail(LOG_LINES).build();
        let mut log = self.docker.logs(container, Some(options));
        let mut text = String::new();
        let reading = async {
            while let Some(Ok(piece)) = log.next().await {
                if let LogOutput::StdOut { message } | LogOutput::StdErr { message } | LogOutput::Console { message } =
                    piece
                {
                    text.push_str(&console::strip_ansi_codes(&String::from_utf8_lossy(&message)));
                    text = ending(&text);
                }
            }
        };
        let _ = tokio::time::timeout(LOG_WITHIN, reading).await;
        ending(&text)
    }

    /// Every container of the run that ends, from now on. The stream ends with the engine.
    pub fn ended(&self) -> impl Stream<Item = Ended> + use<> {
        let label = format!("{RUN}={}", self.run);
        let filters =
            HashMap::from([("label", vec![label.as_str()]), ("event", vec!["die"]), ("type", vec!["container"])]);
        let events = self.docker.events(Some(EventsOptionsBuilder::new().filters(&filters).build()));
        events.take_while(|event| std::future::ready(event.is_ok())).filter_map(|event| async { ended(event.ok()?) })
    }

    /// Which of these containers have ended and were not started again, or are not there any more.
    ///
    /// # Errors
    /// When the engine refuses.
    pub async fn dead(&self, made: &BTreeSet<&str>) -> Result<Vec<Ended>, ContainersError> {
        let label = format!("{RUN}={}", self.run);
        let labelled = HashMap::from([("label", vec![label.as_str()])]);
        let options = ListContainersOptionsBuilder::new().all(true).filters(&labelled).build();
        let listed = self.docker.list_containers(Some(options)).await;
        let listed = listed.map_err(|error| refused("list containers", told(&error)))?;
        let listed = listed.into_iter().filter_map(|container| {
            let name = container.names?.first()?.trim_start_matches('/').to_owned();
            Some((name, container.status.unwrap_or_default()))
        });
        Ok(dead(made, &listed.collect()))
    }
}

/// What a container that wires itself has switched.
fn switches(has_ipv6: bool) -> HashMap<String, String> {
    let had = SWITCHES.into_iter().filter(|(key, _)| has_ipv6 || !key.starts_with(IPV6_SWITCHES));
    had.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

fn endpoint(address: std::net::Ipv4Addr) -> EndpointSettings {
    let ipam_config = Some(EndpointIpamConfig { ipv4_address: Some(address.to_string()), ..Default::default() });
    EndpointSettings { ipam_config, ..EndpointSettings::default() }
}

pub(super) fn refused(what: &str, problem: String) -> ContainersError {
    ContainersError::Engine { what: what.to_owned(), problem }
}

pub(super) fn told(error: &Error) -> String {
    match error {
        Error::DockerResponseServerError { message, .. } | Error::DockerStreamError { error: message } => {
            message.clone()
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_ipv6_nothing_of_it_is_switched() {
        assert_eq!(switches(true).len(), SWITCHES.len());
        let without: Vec<String> = switches(false).into_keys().collect();
        assert!(!without.is_empty() && without.iter().all(|key| key.starts_with("net.ipv4.")), "{without:?}");
    }
}
