//! Why containers are not as they should be: what happened, where, and what to do next.

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
        "none of {tried} networks out of 100.126.0.0/15 is free: {problem}; see `docker network ls`, and remove what \
         earlier runs left with `muster clean`"
    )]
    NoSubnet {
        /// How many were tried.
        tried: usize,
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
    /// The engine refuses something else.
    #[error("the Docker engine cannot {what}: {problem}; see its log (`journalctl -u docker`)")]
    Engine {
        /// What was asked of it.
        what: String,
        /// What it says.
        problem: String,
    },
}

fn last(log: &str) -> String {
    if log.trim().is_empty() { String::new() } else { format!("; its last lines:\n{}", log.trim_end()) }
}
