//! The catalogue of faults: what each breaks, part by part, and how it is undone.
//!
//! This says what; a lab knows how. A fault holds when every one of its parts was observed to be broken, and is gone
//! when every one was observed to work again.

mod abandon_queue;
mod drain;
mod drain_check;
mod freeze_engine;
mod kill_database;
mod kill_engine;
mod kill_prober;
mod kill_region;
mod kill_static_site;
mod kill_targets;
mod lock_out_checkers;
mod partition_region;
mod quiet_queue;
mod silence_authoritative;
mod stall_database;
mod stall_engine;
mod starve_engine;
mod stop_worker;
mod throttle_engine;
mod turn_off;
mod wedge_engine;
mod wrong_model;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Something broken on purpose, and the cell (or the switch) in which it is broken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// The database of this cell refuses connections.
    KillDatabase(String),
    /// Everything of this cell refuses connections.
    KillRegion(String),
    /// This region is cut off: packets to it and from it vanish.
    PartitionRegion(String),
    /// This static site refuses connections.
    KillStaticSite(String),
    /// These targets of a cell refuse connections.
    KillTargets {
        /// The cell.
        cell: String,
        /// Each once, from 0.
        targets: BTreeSet<usize>,
    },
    /// The engine of this cell refuses connections.
    KillEngine(String),
    /// The engine of this cell accepts requests and never answers them; its shallow `/health` stays green.
    WedgeEngine(String),
    /// The engine of this cell is stopped as a process: its port accepts, and nothing is answered, `/health` neither.
    FreezeEngine(String),
    /// Connections to the database of this cell open, and no byte gets through.
    StallDatabase(String),
    /// Connections from the gateway of this cell to its engine open, and no byte gets through.
    StallEngine(String),
    /// The key-value cache of this cell's engine is full: one slot is left, and the queue grows.
    StarveEngine(String),
    /// The engine of this cell is left next to no CPU.
    ThrottleEngine(String),
    /// The engine of this cell serves another model: fast, and wrong.
    WrongModel(String),
    /// The prober of this cell is gone; its `/healthz` goes on telling the last verdict.
    KillProber(String),
    /// The worker of this cell's queue is gone; the producer is not.
    StopWorker(String),
    /// Nobody uses this cell's queue any more: producer and worker are gone, and it is empty.
    QuietQueue(String),
    /// Nobody uses this cell's queue any more: producer and worker are gone, and a message is left in it.
    AbandonQueue(String),
    /// A firewall of this cell lets no health checker in; clients are let in.
    LockOutCheckers(String),
    /// An operator sets the drain switch of this cell's `/healthz`.
    Drain(String),
    /// An operator inverts this health check, which is disabled: it is unhealthy (R53-106).
    DrainCheck(String),
    /// An operator turns this routing control off.
    TurnOff(String),
    /// The authoritative server answers nothing any more.
    SilenceAuthoritative,
}

/// A part of a cell, or of what the cells have in common, that can be broken and looked at by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The database.
    Database,
    /// The way from the targets to their database.
    WayToDatabase,
    /// One application target, from 0.
    Target(usize),
    /// The load balancer; the gateway of a cell that has one.
    LoadBalancer,
    /// The static site.
    StaticSite,
    /// The inference engine.
    Engine,
    /// The way from the gateway to its engine.
    WayToEngine,
    /// The prober in the background.
    Prober,
    /// What tells the prober's verdict.
    Healthz,
    /// The queue's producer.
    Producer,
    /// The queue's worker.
    Worker,
    /// The firewall, as health checkers meet it.
    Firewall,
    /// A switch: of a health check, or a routing control.
    Switch,
    /// The authoritative server.
    Authoritative,
}

/// What is done to a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Harm {
    /// Its sockets are closed.
    Killed,
    /// It accepts and never answers.
    Wedged,
    /// It is stopped where it stands: its kernel accepts for it, and nothing is answered.
    Frozen,
    /// It opens connections, and lets nothing through.
    Stalled,
    /// It is left with next to nothing to work with.
    Starved,
    /// It is left next to no CPU.
    Throttled,
    /// It gives wrong answers.
    Wrong,
    /// It turns health checkers away.
    LockedOut,
    /// An operator's switch is turned.
    Turned,
    /// What is sent to it is dropped on the way.
    Silenced,
    /// What is sent to it, and what it sends, is dropped on the way; it goes on.
    CutOff,
}

/// What a cell is made of, as far as faults are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anatomy {
    /// A load balancer, so many targets, a database.
    Region {
        /// How many targets.
        targets: usize,
        /// Whether there is a queue.
        queue: bool,
    },
    /// A gateway, an engine, perhaps a prober.
    Llm {
        /// Whether there is one.
        prober: bool,
        /// Whether the engine is muster's own.
        own_engine: bool,
    },
    /// One process.
    TelemetryGateway,
    /// One process.
    StaticSite,
}

/// One fault of the catalogue. `subject`, `breaks`, `confirmed` and `undo` are told of a cell (or a switch) by its name.
#[derive(Debug)]
pub struct Entry {
    /// The drill file's word for it.
    pub word: &'static str,
    /// What is done to its parts.
    pub harm: Harm,
    /// What it can be done to, for people: `a region`.
    pub needs: &'static str,
    /// Whether it can be done to such a cell.
    pub fits: fn(Anatomy) -> bool,
    /// The parts that such a fault breaks.
    pub parts: fn(&Fault, Anatomy) -> Vec<Part>,
    /// What is broken.
    pub subject: fn(&str) -> String,
    /// What it does.
    pub breaks: fn(&str) -> String,
    /// What must be seen before it is said to hold.
    pub confirmed: fn(&str) -> String,
    /// How it is undone; written down before the fault is applied.
    pub undo: fn(&str) -> String,
}

/// The one fault that is done to less than a whole cell, and is written so.
pub const KILL_TARGETS: &str = kill_targets::ENTRY.word;

/// The one fault that is done to nothing that has a name, and stands alone.
pub const SILENCE_AUTHORITATIVE: &str = silence_authoritative::ENTRY.word;

/// Every fault there is, in the order of their words.
pub const CATALOGUE: [&Entry; 22] = [
    &abandon_queue::ENTRY,
    &drain::ENTRY,
    &drain_check::ENTRY,
    &freeze_engine::ENTRY,
    &kill_database::ENTRY,
    &kill_engine::ENTRY,
    &kill_prober::ENTRY,
    &kill_region::ENTRY,
    &kill_static_site::ENTRY,
    &kill_targets::ENTRY,
    &lock_out_checkers::ENTRY,
    &partition_region::ENTRY,
    &quiet_queue::ENTRY,
    &silence_authoritative::ENTRY,
    &stall_database::ENTRY,
    &stall_engine::ENTRY,
    &starve_engine::ENTRY,
    &stop_worker::ENTRY,
    &throttle_engine::ENTRY,
    &turn_off::ENTRY,
    &wedge_engine::ENTRY,
    &wrong_model::ENTRY,
];

impl Fault {
    /// Its entry in the catalogue.
    #[must_use]
    pub const fn entry(&self) -> &'static Entry {
        match self {
            Self::KillDatabase(_) => &kill_database::ENTRY,
            Self::KillRegion(_) => &kill_region::ENTRY,
            Self::PartitionRegion(_) => &partition_region::ENTRY,
            Self::KillStaticSite(_) => &kill_static_site::ENTRY,
            Self::KillTargets { .. } => &kill_targets::ENTRY,
            Self::KillEngine(_) => &kill_engine::ENTRY,
            Self::WedgeEngine(_) => &wedge_engine::ENTRY,
            Self::FreezeEngine(_) => &freeze_engine::ENTRY,
            Self::StallDatabase(_) => &stall_database::ENTRY,
            Self::StallEngine(_) => &stall_engine::ENTRY,
            Self::StarveEngine(_) => &starve_engine::ENTRY,
            Self::ThrottleEngine(_) => &throttle_engine::ENTRY,
            Self::WrongModel(_) => &wrong_model::ENTRY,
            Self::KillProber(_) => &kill_prober::ENTRY,
            Self::StopWorker(_) => &stop_worker::ENTRY,
            Self::QuietQueue(_) => &quiet_queue::ENTRY,
            Self::AbandonQueue(_) => &abandon_queue::ENTRY,
            Self::LockOutCheckers(_) => &lock_out_checkers::ENTRY,
            Self::Drain(_) => &drain::ENTRY,
            Self::DrainCheck(_) => &drain_check::ENTRY,
            Self::TurnOff(_) => &turn_off::ENTRY,
            Self::SilenceAuthoritative => &silence_authoritative::ENTRY,
        }
    }

    /// What it is done to: a cell, a health check or a routing control, by its name; nothing, when that has none.
    #[must_use]
    pub fn of(&self) -> &str {
        match self {
            Self::KillDatabase(of)
            | Self::KillRegion(of)
            | Self::PartitionRegion(of)
            | Self::KillStaticSite(of)
            | Self::KillTargets { cell: of, .. }
            | Self::KillEngine(of)
            | Self::WedgeEngine(of)
            | Self::FreezeEngine(of)
            | Self::StallDatabase(of)
            | Self::StallEngine(of)
            | Self::StarveEngine(of)
            | Self::ThrottleEngine(of)
            | Self::WrongModel(of)
            | Self::KillProber(of)
            | Self::StopWorker(of)
            | Self::QuietQueue(of)
            | Self::AbandonQueue(of)
            | Self::LockOutCheckers(of)
            | Self::Drain(of)
            | Self::DrainCheck(of)
            | Self::TurnOff(of) => of,
            Self::SilenceAuthoritative => "",
        }
    }

    /// The cell that it breaks; `None` when what it breaks belongs to no cell.
    #[must_use]
    pub fn cell(&self) -> Option<&str> {
        match self {
            Self::DrainCheck(_) | Self::TurnOff(_) | Self::SilenceAuthoritative => None,
            fault => Some(fault.of()),
        }
    }

    /// The parts that it breaks, in a cell of this anatomy; what belongs to no cell has but itself.
    #[must_use]
    pub fn parts(&self, anatomy: Option<Anatomy>) -> Vec<Part> {
        match (anatomy, self) {
            (Some(anatomy), _) => (self.entry().parts)(self, anatomy),
            (None, Self::SilenceAuthoritative) => vec![Part::Authoritative],
            (None, _) => vec![Part::Switch],
        }
    }

    /// What is broken, for people.
    #[must_use]
    pub fn subject(&self) -> String {
        (self.entry().subject)(self.of())
    }

    /// What it does, for people.
    #[must_use]
    pub fn breaks(&self) -> String {
        (self.entry().breaks)(self.of())
    }

    /// How it is undone, for people; written down before the fault is applied.
    #[must_use]
    pub fn undo(&self) -> String {
        (self.entry().undo)(self.of())
    }
}

impl Part {
    /// The part's name in its cell, for people.
    #[must_use]
    pub fn of(self, cell: &str) -> String {
        match self {
            Self::Database => format!("the database of {cell}"),
            Self::Target(target) => format!("target {target} of {cell}"),
            Self::LoadBalancer => format!("the load balancer of {cell}"),
            Self::StaticSite => format!("the static site {cell}"),
            Self::WayToDatabase => format!("the way to the database of {cell}"),
            Self::Engine => format!("the engine of {cell}"),
            Self::WayToEngine => format!("the way to the engine of {cell}"),
            Self::Prober => format!("the prober of {cell}"),
            Self::Healthz => format!("/healthz of {cell}"),
            Self::Producer => format!("the producer of {cell}"),
            Self::Worker => format!("the worker of {cell}"),
            Self::Firewall => format!("the firewall of {cell}"),
            Self::Switch => format!("the switch {cell}"),
            Self::Authoritative => "the authoritative server".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REGION: Anatomy = Anatomy::Region { targets: 2, queue: false };

    #[test]
    fn a_dead_region_is_its_load_balancer_every_target_and_its_database() {
        let parts = Fault::KillRegion("eu".to_owned()).parts(Some(REGION));
        assert_eq!(parts, [Part::LoadBalancer, Part::Target(0), Part::Target(1), Part::Database]);
    }

    #[test]
    fn a_dead_database_is_nothing_but_the_database() {
        let fault = Fault::KillDatabase("eu".to_owned());
        assert_eq!(fault.parts(Some(REGION)), [Part::Database]);
        assert_eq!(fault.undo(), "start the database of eu again");
    }

    #[test]
    fn dead_targets_are_these_targets_and_nothing_else() {
        let fault = Fault::KillTargets { cell: "eu".to_owned(), targets: [1, 3].into() };
        assert_eq!(fault.parts(Some(REGION)), [Part::Target(1), Part::Target(3)]);
        assert_eq!(fault.cell(), Some("eu"));
    }

    #[test]
    fn a_fault_of_a_kind_of_cell_fits_no_other() {
        let llm = Anatomy::Llm { prober: true, own_engine: true };
        let kinds = [REGION, Anatomy::Region { targets: 1, queue: true }, llm, Anatomy::StaticSite];
        let fits = |entry: &Entry| kinds.map(|kind| (entry.fits)(kind));
        assert_eq!(fits(Fault::KillDatabase(String::new()).entry()), [true, true, false, false]);
        assert_eq!(fits(Fault::StopWorker(String::new()).entry()), [false, true, false, false]);
        assert_eq!(fits(Fault::WedgeEngine(String::new()).entry()), [false, false, true, false]);
        assert_eq!(fits(Fault::KillStaticSite(String::new()).entry()), [false, false, false, true]);
    }

    #[test]
    fn an_engine_that_is_not_musters_own_is_not_broken() {
        let real = Anatomy::Llm { prober: true, own_engine: false };
        assert!(!(Fault::KillEngine(String::new()).entry().fits)(real));
        assert!((Fault::Drain(String::new()).entry().fits)(real));
    }

    #[test]
    fn every_fault_has_one_word_by_which_drill_and_journal_know_it() {
        let words: Vec<&str> = CATALOGUE.iter().map(|entry| entry.word).collect();
        assert!(words.is_sorted_by(|a, b| a < b), "{words:?}");
        for word in words {
            if word == SILENCE_AUTHORITATIVE {
                let fault: Fault = serde_json::from_str(&format!("\"{word}\"")).unwrap();
                assert_eq!((fault.entry().word, fault.of()), (word, ""));
                continue;
            }
            let of = if word == KILL_TARGETS { r#"{"cell": "x", "targets": [1]}"# } else { r#""x""# };
            let written = format!("{{\"{word}\": {of}}}");
            let fault: Fault = serde_json::from_str(&written).unwrap_or_else(|error| panic!("{word}: {error}"));
            assert_eq!((fault.entry().word, fault.of()), (word, "x"));
        }
    }
}
