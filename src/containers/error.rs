//! Why containers are not as they should be: what happened, where, and what to do next.

use super::AddressPlan;

/// What kept a container or a network from being made, broken, mended or removed.
#[derive(Debug, thiserror::Error)]
pub enum ContainersError {
    /// A container did not start.
    #[error("container {container} did not start: {problem}{}", last(log))]
    NotStarted {
        /// Its name.
        container: String,
        /// What the engine says.
        problem: String,
        /// The last lines of its log.
        log: String,
    },
    /// There is no room for another network.
    #[error(
        "none of {tried} networks out of {plan} is free: {problem}; see `docker network ls`, remove what earlier runs left \
         with `muster clean`, or choose others: MUSTER_NETWORKS=10.200.0.0/16"
    )]
    NoSubnet {
        /// Out of which addresses.
        plan: AddressPlan,
        /// How many were tried.
        tried: u32,
        /// What the engine said to the last.
        problem: String,
    },
    /// A published port was not published.
    #[error("the engine published no port {port} of container {container}")]
    NotPublished {
        /// Its name.
        container: String,
        /// The container's port.
        port: u16,
    },
    /// The engine's machine is not found.
    #[error(
        "the Docker engine's machine {host}, which DOCKER_HOST names, has no address here: {problem}; name it by one"
    )]
    NoAddress {
        /// Its name.
        host: String,
        /// What the resolver says.
        problem: String,
    },
    /// Something of a run is still there.
    #[error(
        "{containers} containers and {networks} networks of run {run} cannot be removed: {problem}; try \
         `muster clean --run {run}`"
    )]
    Left {
        /// The run.
        run: String,
        /// How many containers.
        containers: usize,
        /// How many networks.
        networks: usize,
        /// What the engine said last.
        problem: String,
    },
    /// The run is being taken down.
    #[error("run {run} is taken down, and nothing more is made for it")]
    Closed {
        /// The run.
        run: String,
    },
    /// The engine refuses something else.
    #[error("the Docker engine cannot {what}: {problem}; see its log (`journalctl -u docker`)")]
    Engine {
        /// What was asked of it.
        what: String,
        /// What it says.
        problem: String,
    },
}

impl ContainersError {
    /// Whether a container did not start because the kernel has no IPv6: there is nothing to switch then.
    #[must_use]
    pub fn is_for_want_of_ipv6(&self) -> bool {
        let Self::NotStarted { problem, .. } = self else { return false };
        problem.contains("net/ipv6") || problem.contains("net.ipv6")
    }
}

fn last(log: &str) -> String {
    if log.trim().is_empty() { String::new() } else { format!("; its last lines:\n{}", log.trim_end()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_without_ipv6_is_told_from_every_other_trouble() {
        let is_so = |problem: &str| {
            let (container, log) = ("hub".to_owned(), String::new());
            ContainersError::NotStarted { container, problem: problem.to_owned(), log }.is_for_want_of_ipv6()
        };
        // As runc says it.
        assert!(is_so("open /proc/sys/net/ipv6/conf/all/disable_ipv6: no such file or directory: unknown"));
        assert!(!is_so("exec: \"nothing\": executable file not found in $PATH: unknown"));
    }
}
