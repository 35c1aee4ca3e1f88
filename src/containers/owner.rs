//! Whose a container is, and whether that process still lives.

use std::fmt;
use std::fs;

/// The label that says which run a container or a network is of.
pub const RUN: &str = "muster.run";
/// The label that says which process it belongs to.
pub(super) const OWNER: &str = "muster.owner";

/// What the label says of a run that is to outlive its process.
const KEPT: &str = "kept";

/// Whose a run is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A process's, and it ends with that.
    Process(Process),
    /// Nobody's: it stays until somebody removes it.
    Kept,
}

/// A process of a machine, told from every other that ever had its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    boot: String,
    number: u32,
    started: String,
}

impl Owner {
    /// This process.
    #[must_use]
    pub fn this() -> Self {
        let number = std::process::id();
        Self::Process(Process { boot: boot(), number, started: started(number).unwrap_or_default() })
    }

    /// Out of a label; `None` when it is none that muster wrote.
    #[must_use]
    pub fn of_label(label: &str) -> Option<Self> {
        if label == KEPT {
            return Some(Self::Kept);
        }
        let mut parts = label.splitn(3, ':');
        let (number, started, boot) = (parts.next()?.parse().ok()?, parts.next()?.to_owned(), parts.next()?.to_owned());
        Some(Self::Process(Process { boot, number, started }))
    }

    /// Whether it certainly lives no more: this machine runs, and the process does not. One of another machine, which
    /// shares the engine, may live.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        match self {
            Self::Kept => false,
            Self::Process(process) => {
                process.boot == boot() && started(process.number).is_none_or(|started| started != process.started)
            }
        }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kept => f.write_str(KEPT),
            Self::Process(Process { boot, number, started }) => write!(f, "{number}:{started}:{boot}"),
        }
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
        let number = child.id();
        let owner = Process { number, started: started(number).unwrap_or_default(), boot: boot() };
        child.wait().unwrap();
        assert!(Owner::Process(owner).is_gone());
        let Owner::Process(this) = Owner::this() else { panic!("a process") };
        assert!(Owner::Process(Process { started: "1".to_owned(), ..this }).is_gone());
    }

    #[test]
    fn a_process_of_another_machine_may_live_and_what_is_kept_is_nobodys() {
        let other = Process { number: u32::MAX, started: "1".to_owned(), boot: "another".to_owned() };
        assert!(!Owner::Process(other).is_gone());
        assert!(!Owner::of_label("kept").unwrap().is_gone());
    }
}
