//! The signals by which a person, or an init system, asks a run to stop.

use std::io;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGINT, SIGTERM and SIGHUP, caught from the moment this exists; or nothing, where nobody can ask a run to stop.
#[derive(Debug)]
pub struct Interrupts(Option<Caught>);

#[derive(Debug)]
struct Caught {
    #[cfg(unix)]
    int: Signal,
    #[cfg(unix)]
    term: Signal,
    #[cfg(unix)]
    hup: Signal,
}

impl Interrupts {
    /// Catches the signals from now on.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn catch() -> io::Result<Self> {
        Ok(Self(Some(Caught {
            #[cfg(unix)]
            int: signal(SignalKind::interrupt())?,
            #[cfg(unix)]
            term: signal(SignalKind::terminate())?,
            #[cfg(unix)]
            hup: signal(SignalKind::hangup())?,
        })))
    }

    /// Catches nothing: whoever runs the process is stopped as a whole.
    #[must_use]
    pub const fn none() -> Self {
        Self(None)
    }

    /// Waits for the next one; its name.
    pub async fn next(&mut self) -> &'static str {
        match &mut self.0 {
            Some(caught) => caught.next().await,
            None => std::future::pending().await,
        }
    }
}

impl Caught {
    async fn next(&mut self) -> &'static str {
        #[cfg(unix)]
        {
            tokio::select! {
                _ = self.int.recv() => "SIGINT",
                _ = self.term.recv() => "SIGTERM",
                _ = self.hup.recv() => "SIGHUP",
            }
        }
        #[cfg(not(unix))]
        {
            // Without a handler the wait never ends and the system's own default applies.
            let _ = tokio::signal::ctrl_c().await;
            "SIGINT"
        }
    }
}
