//! Why there are no images: what happened, where, and what to do next.

use std::io;

/// The oldest engine whose API muster speaks.
pub(super) const OLDEST_API: &str = "1.41";

/// What kept an image from being built, found or removed.
#[derive(Debug, thiserror::Error)]
pub enum ImagesError {
    /// Nothing answers where the engine should be.
    #[error(
        "no Docker engine answers at {host}: {problem}; {}",
        if host.starts_with("tcp:") || host.starts_with("http") {
            "see whether it listens there, and whether a firewall lets this machine reach it, or name another in DOCKER_HOST"
        } else {
            "start one (`systemctl start docker`), let this user reach it (`usermod -aG docker $USER`, then log in again), \
             or name another in DOCKER_HOST"
        }
    )]
    NoEngine {
        /// Where it was looked for.
        host: String,
        /// What happened.
        problem: String,
    },
    /// The engine is named in a way that is not spoken here.
    #[error(
        "DOCKER_HOST is {host}, and muster does not reach an engine in this way; expected unix:///path/of.sock, \
         tcp://host:port (with DOCKER_TLS_VERIFY and DOCKER_CERT_PATH where it asks for certificates) or \
         https://host:port. Where an engine is reached by ssh alone, run muster on its machine"
    )]
    NotSpoken {
        /// What it is.
        host: String,
    },
    /// The engine is too old.
    #[error(
        "the Docker engine at {host} is {version}, with API {api}; expected API {OLDEST_API} or later, which came with \
         engine 20.10: upgrade it, or name another in DOCKER_HOST"
    )]
    OldEngine {
        /// Where it is.
        host: String,
        /// Its version.
        version: String,
        /// The newest API that it speaks.
        api: String,
    },
    /// The engine's disk, or that of this machine, is full.
    #[error(
        "{image} cannot be built: there is no space left{}; see `docker system df`, and make room with \
         `muster images remove --old` or `docker system prune`",
        last(log)
    )]
    NoSpace {
        /// What was built.
        image: String,
        /// The last lines of its log.
        log: String,
    },
    /// A build ended with an error.
    #[error(
        "{image} cannot be built: {problem}{}; the first error in these lines says why: if a package could not be \
         fetched, see whether the engine's containers reach deb.debian.org, and try again",
        last(log)
    )]
    Failed {
        /// What was built.
        image: String,
        /// What the engine says.
        problem: String,
        /// The last lines of its log.
        log: String,
    },
    /// There is no Debian to be had, and no means to make one.
    #[error(
        "there is no debian:bookworm-slim: the engine has none, cannot pull it ({pull}), and mmdebstrap, which would \
         make it, is not installed here; install it (`apt-get install mmdebstrap`), or bring the image to the engine \
         (`docker save debian:bookworm-slim` elsewhere, `docker load` here)"
    )]
    NoMmdebstrap {
        /// Why it cannot be pulled.
        pull: String,
    },
    /// mmdebstrap failed.
    #[error(
        "mmdebstrap could not make a Debian: {problem}{}; it needs root, or user namespaces with newuidmap (package \
         uidmap), and a way to deb.debian.org; or bring debian:bookworm-slim to the engine with `docker load`",
        last(log)
    )]
    Mmdebstrap {
        /// How it ended.
        problem: String,
        /// What it said last.
        log: String,
    },
    /// Some images are in use.
    #[error("{0}; remove the containers that stand on them (`docker ps -a`), then try again")]
    InUse(String),
    /// The engine refuses something else.
    #[error("the Docker engine cannot {what}: {problem}; see its log (`journalctl -u docker`)")]
    Engine {
        /// What was asked of it.
        what: String,
        /// What it says.
        problem: String,
    },
    /// The system gives no runtime.
    #[error("nothing was built: {0}")]
    System(#[from] io::Error),
}

impl ImagesError {
    /// A build that failed with this, which is told apart by what it says.
    pub(super) fn of_build(image: &str, problem: &str, log: String) -> Self {
        let full = |text: &str| {
            ["no space left on device", "You don't have enough free space"].iter().any(|words| text.contains(words))
        };
        let image = image.to_owned();
        if full(problem) || full(&log) {
            Self::NoSpace { image, log }
        } else {
            Self::Failed { image, problem: problem.to_owned(), log }
        }
    }
}

fn last(log: &str) -> String {
    let lines = log.trim_end().replace('\n', "\n  | ");
    if lines.is_empty() { String::new() } else { format!("\n  | {lines}\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_told_apart_from_another_failure() {
        let full = ImagesError::of_build("bind", "code 100", "write: no space left on device\n".to_owned());
        assert!(matches!(full, ImagesError::NoSpace { .. }));
        assert!(full.to_string().contains("muster images remove --old"), "{full}");
        let other = ImagesError::of_build("bind", "code 100", "E: one\nE: two\n".to_owned()).to_string();
        assert!(other.contains("bind cannot be built: code 100\n  | E: one\n  | E: two\n;"), "{other}");
    }
}
