//! What the whole process must do before a lab thread may move into a namespace of its own.

#[cfg(target_os = "linux")]
use nix::sched::{CloneFlags, unshare};
#[cfg(target_os = "linux")]
use nix::unistd::{Gid, Uid};

use super::{GroundError, GroundKind};

#[cfg(not(target_os = "linux"))]
pub(super) const NOT_LINUX: &str = "network namespaces exist on Linux only";

/// What the labs of this process can stand on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessGround {
    /// The ground to open.
    pub kind: GroundKind,
    /// When it is loopback because namespaces are not possible: why, in one line.
    pub reason: Option<String>,
}

/// Finds out what the labs of this process can stand on. To be called first thing in `main`, before any thread exists.
///
/// A process without the right to make network namespaces moves into a user namespace, in which it has that right. Its
/// user and group are mapped to themselves there, so that the files it writes keep their owner. The main thread stays
/// in the machine's own network.
///
/// # Errors
/// When a namespace is wanted and not possible.
pub fn prepare_process(wanted: Option<GroundKind>) -> Result<ProcessGround, GroundError> {
    if let Some(kind @ (GroundKind::Loopback | GroundKind::Simulated | GroundKind::Container)) = wanted {
        return Ok(ProcessGround { kind, reason: None });
    }
    match make_namespaces_possible() {
        Ok(()) => Ok(ProcessGround { kind: GroundKind::Namespace, reason: None }),
        Err(reason) if wanted.is_some() => Err(GroundError::NoNamespace { reason }),
        Err(reason) => Ok(ProcessGround { kind: GroundKind::Loopback, reason: Some(reason) }),
    }
}

#[cfg(not(target_os = "linux"))]
fn make_namespaces_possible() -> Result<(), String> {
    Err(NOT_LINUX.to_owned())
}

#[cfg(target_os = "linux")]
fn make_namespaces_possible() -> Result<(), String> {
    // The probe needs a thread, and a process that ever had one may still count as having two: so the user namespace
    // comes first, and only where the right is missing.
    if !may_administer() {
        enter_user_namespace()?;
    }
    let probe = std::thread::Builder::new().name("ground-probe".to_owned()).spawn(|| unshare(CloneFlags::CLONE_NEWNET));
    match probe.map(std::thread::JoinHandle::join) {
        Ok(Ok(Ok(()))) => Ok(()),
        Ok(Ok(Err(errno))) => Err(format!("unshare(CLONE_NEWNET): {errno}")),
        Ok(Err(_)) => Err("the probe thread panicked".to_owned()),
        Err(error) => Err(format!("no thread for the probe: {error}")),
    }
}

/// Whether this process has `CAP_SYS_ADMIN` and `CAP_NET_ADMIN`, which a network namespace needs.
#[cfg(target_os = "linux")]
fn may_administer() -> bool {
    /// Bits of `capabilities(7)`: the one to make a namespace, the other to furnish it.
    const NEEDED: u64 = 1 << 21 | 1 << 12;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    effective_capabilities(&status).is_some_and(|set| set & NEEDED == NEEDED)
}

#[cfg(target_os = "linux")]
fn effective_capabilities(status: &str) -> Option<u64> {
    let set = status.lines().find_map(|line| line.strip_prefix("CapEff:"))?;
    u64::from_str_radix(set.trim(), 16).ok()
}

#[cfg(target_os = "linux")]
fn enter_user_namespace() -> Result<(), String> {
    let (user, group) = (Uid::effective(), Gid::effective());
    unshare(CloneFlags::CLONE_NEWUSER).map_err(|errno| format!("unshare(CLONE_NEWUSER): {errno}"))?;
    // A group map may be written only by who can no longer drop groups.
    for (file, line) in [
        ("setgroups", "deny".to_owned()),
        ("uid_map", format!("{user} {user} 1")),
        ("gid_map", format!("{group} {group} 1")),
    ] {
        std::fs::write(format!("/proc/self/{file}"), line).map_err(|error| format!("writing {file}: {error}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_given_to_who_wants_it_without_a_reason() {
        let ground = prepare_process(Some(GroundKind::Loopback)).unwrap();
        assert_eq!(ground, ProcessGround { kind: GroundKind::Loopback, reason: None });
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn capabilities_are_read_from_the_status_file() {
        let status = "Name:\tmuster\nCapPrm:\t0000000000000000\nCapEff:\t0000000000200000\n";
        assert_eq!(effective_capabilities(status), Some(1 << 21));
        assert_eq!(effective_capabilities("Name:\tmuster\n"), None);
    }
}
