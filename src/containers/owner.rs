//! Whose a container is, and whether that process still lives.

use std::fmt;
use std::fs;

/// The label that says which run a container or a network is of.
pub const RUN: &str = "muster.run";
/// The label that says which process it belongs to.
pub(super) const OWNER: &str = "muster.owner";

/// What the label says first of a run that is to outlive its process.
const KEPT: &str = "kept:";
/// The number of the kernel's first namespace of processes (`PROC_PID_INIT_INO`). It is the same on every machine, and
/// no container has it.
const FIRST_NAMESPACE: &str = "4026531836";

/// Whose a run is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A process's, and it ends with that.
    Process(Process),
    /// A process's while that lives. Afterwards it stays until somebody removes it.
    Kept(Process),
}

/// A process, told from every other that ever had its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    number: u32,
    started: String,
    place: Place,
}

/// Where the number of a process means something. What the system does not say is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    /// Tells this start of the machine from every other. All its containers have the same.
    boot: String,
    /// The namespace of processes, by its number: each container has its own.
    namespace: String,
    /// The machine, over all its starts.
    machine: String,
}

/// Whether a process lives, as far as that can be told from here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// It does.
    Lives,
    /// It certainly does not.
    Gone,
    /// It is of another machine or of another container, or its label cannot be read: it may live.
    NotTold,
}

impl Owner {
    /// This process.
    #[must_use]
    pub fn this() -> Self {
        Self::Process(Process::this())
    }

    /// This process, which leaves it standing.
    #[must_use]
    pub fn kept_by_this() -> Self {
        Self::Kept(Process::this())
    }

    /// Out of a label; `None` when it is none that this muster writes.
    #[must_use]
    pub fn of_label(label: &str) -> Option<Self> {
        match label.strip_prefix(KEPT) {
            Some(process) => Process::of_label(process).map(Self::Kept),
            None => Process::of_label(label).map(Self::Process),
        }
    }

    /// Whether its process lives.
    #[must_use]
    pub fn life(&self) -> Life {
        let (Self::Process(process) | Self::Kept(process)) = self;
        process.life(&Place::here(), started)
    }
}

impl Process {
    fn this() -> Self {
        let number = std::process::id();
        Self { number, started: started(number).unwrap_or_default(), place: Place::here() }
    }

    fn of_label(label: &str) -> Option<Self> {
        let parts: Vec<&str> = label.split(':').collect();
        let [number, started, boot, namespace, machine] = parts[..] else { return None };
        let [boot, namespace, machine] = [boot, namespace, machine].map(str::to_owned);
        let place = Place { boot, namespace, machine };
        Some(Self { number: number.parse().ok()?, started: started.to_owned(), place })
    }

    /// Whether it lives, seen from `here`, where `started` says when a process started that lives.
    fn life(&self, here: &Place, started: impl Fn(u32) -> Option<String>) -> Life {
        if here.has_started_again_since(&self.place) {
            return Life::Gone;
        }
        if !here.is_where_numbers_mean_the_same(&self.place) {
            return Life::NotTold;
        }
        if started(self.number).is_some_and(|started| started == self.started) { Life::Lives } else { Life::Gone }
    }
}

impl Place {
    fn here() -> Self {
        let text = |path: &str| fs::read_to_string(path).unwrap_or_default().trim().to_owned();
        let namespace = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
        // It reads `pid:[4026531836]`.
        let namespace = namespace.to_string_lossy().chars().filter(char::is_ascii_digit).collect();
        Self { boot: text("/proc/sys/kernel/random/boot_id"), namespace, machine: text("/etc/machine-id") }
    }

    fn is_where_numbers_mean_the_same(&self, other: &Self) -> bool {
        let is_known = !self.boot.is_empty() && !self.namespace.is_empty();
        is_known && self.boot == other.boot && self.namespace == other.namespace
    }

    /// Only of processes that are in no container: a container's name of its machine is that of its image.
    fn has_started_again_since(&self, other: &Self) -> bool {
        let is_a_machine = |place: &Self| place.namespace == FIRST_NAMESPACE && !place.machine.is_empty();
        let boots_are_known = !self.boot.is_empty() && !other.boot.is_empty();
        is_a_machine(self)
            && is_a_machine(other)
            && self.machine == other.machine
            && boots_are_known
            && self.boot != other.boot
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kept, process) = match self {
            Self::Process(process) => ("", process),
            Self::Kept(process) => (KEPT, process),
        };
        let Process { number, started, place: Place { boot, namespace, machine } } = process;
        write!(f, "{kept}{number}:{started}:{boot}:{namespace}:{machine}")
    }
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

    fn place(boot: &str, namespace: &str, machine: &str) -> Place {
        let [boot, namespace, machine] = [boot, namespace, machine].map(str::to_owned);
        Place { boot, namespace, machine }
    }

    /// Of a process with number 7 that started at 100, seen from a place where the number 7 has this start.
    fn life(of: Place, here: &Place, starts: Option<&str>) -> Life {
        let process = Process { number: 7, started: "100".to_owned(), place: of };
        process.life(here, |number| starts.filter(|_| number == 7).map(str::to_owned))
    }

    #[test]
    fn this_process_lives_and_is_read_back_from_its_label() {
        for owner in [Owner::this(), Owner::kept_by_this()] {
            assert_eq!(owner.life(), Life::Lives);
            assert_eq!(Owner::of_label(&owner.to_string()), Some(owner));
        }
        assert_ne!(Owner::this().to_string(), Owner::kept_by_this().to_string());
    }

    #[test]
    fn what_another_version_may_have_written_is_not_read() {
        for label in ["somebody", "kept", "", "7:100:boot", "7:100:boot:1:machine:more", "kept:7:100:boot", "x:1:b:1:m"]
        {
            assert_eq!(Owner::of_label(label), None, "{label}");
        }
    }

    #[test]
    fn a_process_that_ended_is_gone_and_so_is_one_whose_number_another_has() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let number = child.id();
        let process = Process { number, started: started(number).unwrap_or_default(), place: Place::here() };
        child.wait().unwrap();
        assert_eq!(Owner::Process(process.clone()).life(), Life::Gone);
        assert_eq!(Owner::Kept(process).life(), Life::Gone);
        let here = place("boot", "1", "machine");
        assert_eq!(life(here.clone(), &here, Some("100")), Life::Lives);
        assert_eq!(life(here.clone(), &here, Some("101")), Life::Gone);
        assert_eq!(life(here.clone(), &here, None), Life::Gone);
    }

    #[test]
    fn a_process_of_another_container_or_another_machine_may_live() {
        let here = place("boot", "1", "machine");
        assert_eq!(life(place("boot", "2", "machine"), &here, None), Life::NotTold);
        assert_eq!(life(place("another", "1", "another"), &here, None), Life::NotTold);
        let nowhere = place("", "", "");
        assert_eq!(life(nowhere.clone(), &nowhere, None), Life::NotTold, "where the system does not say");
    }

    #[test]
    fn a_process_from_before_this_machine_was_started_again_is_gone() {
        let machine = |boot: &str| place(boot, FIRST_NAMESPACE, "machine");
        assert_eq!(life(machine("before"), &machine("now"), Some("100")), Life::Gone);
        assert_eq!(life(place("before", FIRST_NAMESPACE, ""), &place("now", FIRST_NAMESPACE, ""), None), Life::NotTold);
        // Two containers of one image say that they are the same machine, wherever they are.
        assert_eq!(life(place("before", "1", "machine"), &place("now", "1", "machine"), None), Life::NotTold);
    }
}
