//! A drill's process and the one that waits for it: when that is gone, however it went, the drill heals and ends, as it
//! does when it is told to.

/// The variable by which a child knows who waits for it: the number of that process. Internal.
pub(super) const PARENT: &str = "MUSTER_PARENT_PROCESS";

/// Has the system tell this process to stop, by SIGUSR1, when the thread that started it is gone; whether there is still
/// somebody who waits, which is so for every process that no other muster has started. To be called on the main thread,
/// and after it has got its rights: the system forgets the wish when they change.
#[must_use]
pub fn end_with_parent() -> bool {
    waited_for(std::env::var(PARENT).ok().as_deref())
}

#[cfg(target_os = "linux")]
fn waited_for(parent: Option<&str>) -> bool {
    use nix::sys::prctl::set_pdeathsig;
    use nix::sys::signal::Signal;

    let Some(parent) = parent.and_then(|parent| parent.parse::<u32>().ok()) else { return true };
    // A system that does not know the wish has children that finish by themselves.
    let _ = set_pdeathsig(Signal::SIGUSR1);
    // It may have gone before the wish was heard.
    std::os::unix::process::parent_id() == parent
}

/// Only Linux tells a child that it is an orphan: elsewhere it finishes by itself.
#[cfg(not(target_os = "linux"))]
fn waited_for(_: Option<&str>) -> bool {
    true
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use nix::sys::prctl::{get_pdeathsig, set_pdeathsig};
    use nix::sys::signal::Signal;

    use super::*;

    #[test]
    fn only_a_child_is_told_of_its_parents_end_and_an_orphan_finds_out_at_once() {
        assert!(waited_for(None));
        assert_eq!(get_pdeathsig(), Ok(None), "whoever was started by a shell goes on without it");
        assert!(waited_for(Some(&std::os::unix::process::parent_id().to_string())));
        assert_eq!(get_pdeathsig(), Ok(Some(Signal::SIGUSR1)));
        assert!(!waited_for(Some(&std::process::id().to_string())), "somebody else is the parent by now");
        set_pdeathsig(None).unwrap();
    }
}
