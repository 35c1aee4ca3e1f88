//! The cached verdict of a cell's engine over real sockets, in two processes that share it: a prober that asks the
//! engine for a few tokens again and again, and `/healthz`, which tells what is known at once.
//!
//! Either lives without the other. What is good, bad, stale or drained is decided in the health room.

mod healthz;
mod probing;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::clock::LabTime;
use crate::ground::Environment;
use crate::health::{CachedStatus, CachedVerdict, ProberSettings};
use crate::journal::event::{Event, Signal};

pub use healthz::bind as bind_healthz;
pub use probing::{Prober, bind as bind_prober};

/// The verdict on a cell's engine, as its prober and its `/healthz` share it; cheap to clone. It outlives both.
#[derive(Clone, Debug)]
pub struct SharedVerdict(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    signal: Signal,
    verdict: Mutex<CachedVerdict>,
    /// The verdict may turn by itself at another moment now.
    changed: Notify,
    environment: Environment,
}

impl SharedVerdict {
    /// The verdict on the engine of `cell`. It begins unhealthy.
    #[must_use]
    pub fn new(cell: &str, settings: &ProberSettings, environment: &Environment) -> Self {
        Self(Arc::new(Inner {
            signal: Signal::Verdict { cell: cell.to_owned() },
            verdict: Mutex::new(CachedVerdict::new(settings, environment.clock.now())),
            changed: Notify::new(),
            environment: environment.clone(),
        }))
    }

    /// Turns the operator's drain switch.
    pub fn set_drain(&self, drained: bool) {
        self.change(|verdict, _| verdict.set_drain(drained));
    }

    /// What is told now.
    #[must_use]
    pub fn status(&self) -> CachedStatus {
        self.lock().verdict(self.0.environment.clock.now())
    }

    fn lock(&self) -> MutexGuard<'_, CachedVerdict> {
        // Nothing panics while it holds this, and a verdict is whole between two calls in any case.
        self.0.verdict.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something to the verdict, and writes down its turn if it turned.
    fn change<T>(&self, change: impl FnOnce(&mut CachedVerdict, LabTime) -> T) -> T {
        let changed = change(&mut self.lock(), self.0.environment.clock.now());
        self.note_turn();
        self.0.changed.notify_one();
        changed
    }

    /// Writes down that the verdict has turned, if it has since this was last asked.
    fn note_turn(&self) {
        let turn = self.lock().take_turn(self.0.environment.clock.now());
        if let Some(turn) = turn {
            let (signal, healthy, reason) = (self.0.signal.clone(), turn.healthy, turn.reason);
            self.0.environment.recorder.record(Event::HealthChanged { signal, healthy, reason });
        }
    }

    /// When the verdict turns by itself, if that lies ahead.
    fn next_turn(&self) -> Option<LabTime> {
        let now = self.0.environment.clock.now();
        self.lock().next_turn().filter(|due| *due > now)
    }
}
