//! The signals by which a person, or an init system, asks a run to stop.

use std::io;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGINT, SIGTERM and SIGHUP, caught from the moment this exists.
#[derive(Debug)]
pub struct Interrupts {
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
        Ok(Self {
            #[cfg(unix)]
            int: signal(SignalKind::interrupt())?,
            #[cfg(unix)]
            term: signal(SignalKind::terminate())?,
            #[cfg(unix)]
            hup: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for the next one; its name.
    pub async fn next(&mut self) -> &'static str {
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
