//! Whose a container is, and whether that process still lives.

use std::fmt;
use std::fs;

/// The label that says which run a container or a network is of.
pub const RUN: &str = "muster.run";
/// The label that says which process it belongs to.
pub(super) const OWNER: &str = "muster.owner";

/// A process of a machine, told from every other that ever had its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    boot: String,
    process: u32,
    started: String,
}

impl Owner {
    /// This process.
    #[must_use]
    pub fn this() -> Self {
        let process = std::process::id();
        Self { boot: boot(), process, started: started(process).unwrap_or_default() }
    }

    /// Out of a label; `None` when it is none that muster wrote.
    #[must_use]
    pub fn of_label(label: &str) -> Option<Self> {
        let mut parts = label.splitn(3, ':');
        let (process, started, boot) = (parts.next()?.parse().ok()?, parts.next()?.to_owned(), parts.next()?.to_owned());
        Some(Self { boot, process, started })
    }

    /// Whether it certainly lives no more: this machine runs, and the process does not. One of another machine, which
    /// shares the engine, may live.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.boot == boot() && started(self.process).is_none_or(|started| started != self.started)
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.process, self.started, self.boot)
    }
}

/// What tells this start of this machine from every other; nothing where the system does not say.
fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

/// When a process started, in the kernel's ticks since the machine's start (`proc(5)`, field 22 of `stat`). One that
/// has ended and was not waited for yet is gone.
fn started(process: u32) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, in parentheses, may hold anything.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    let started = fields.nth(18)?;
    (state != "Z").then(|| started.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_lives_and_is_read_back_from_its_label() {
        let this = Owner::this();
        assert!(!this.is_gone());
        assert_eq!(Owner::of_label(&this.to_string()), Some(this));
        assert_eq!(Owner::of_label("somebody"), None);
    }

    #[test]
    fn a_process_that_ended_is_gone_and_so_is_one_whose_number_another_has() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let owner = Owner { process: child.id(), started: started(child.id()).unwrap_or_default(), boot: boot() };
        child.wait().unwrap();
        assert!(owner.is_gone());
        assert!(Owner { started: "1".to_owned(), ..Owner::this() }.is_gone());
    }

    #[test]
    fn a_process_of_another_machine_may_live() {
        assert!(!Owner { process: u32::MAX, started: "1".to_owned(), boot: "another".to_owned() }.is_gone());
    }
}
