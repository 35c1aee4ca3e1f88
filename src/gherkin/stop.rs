//! The end of a run before its time: somebody asked for it, or there is nobody left to ask.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// Why a run ended before its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Early {
    /// By this signal.
    Interrupted(&'static str),
    /// The subject does not answer.
    NobodyAnswers,
}

impl serde::Serialize for Early {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for Early {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interrupted(signal) => write!(f, "it was interrupted by {signal}"),
            Self::NobodyAnswers => f.write_str("the subject does not answer"),
        }
    }
}

/// Shared by all scenarios of a run: once it is asked for, no step is begun any more.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<Asked>);

#[derive(Debug, Default)]
struct Asked {
    early: OnceLock<Early>,
    silences: AtomicUsize,
}

impl Stop {
    /// Asks for the end; the first to ask is who is told of.
    pub fn ask(&self, early: Early) {
        let _ = self.0.early.set(early);
    }

    /// Why the run is to end; `None` while it may go on.
    #[must_use]
    pub fn early(&self) -> Option<&Early> {
        self.0.early.get()
    }

    /// One more question of this run had no answer; how many had none with it.
    #[must_use]
    pub fn one_more_silence(&self) -> usize {
        self.0.silences.fetch_add(1, Ordering::Relaxed) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_who_asks_is_told_of() {
        let stop = Stop::default();
        assert_eq!(stop.early(), None);
        let elsewhere = stop.clone();
        elsewhere.ask(Early::Interrupted("SIGINT"));
        stop.ask(Early::NobodyAnswers);
        assert_eq!(stop.early(), Some(&Early::Interrupted("SIGINT")));
    }
}
