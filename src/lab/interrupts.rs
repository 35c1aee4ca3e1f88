//! The signals by which a person, or an init system, asks a run to stop.

use std::io;
use std::sync::mpsc;

use crate::verdict::ExitCode;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGINT, SIGTERM and SIGHUP, and SIGUSR1, by which the system tells a child that its parent is gone; caught from the moment this exists; or nothing, where nobody can ask a run to stop.
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
    #[cfg(unix)]
    orphaned: Signal,
    /// The system says it once for each thread of the parent, and only the first time it is news.
    is_orphan: bool,
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
            #[cfg(unix)]
            orphaned: signal(SignalKind::user_defined1())?,
            is_orphan: false,
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

/// Catches the signals from now on, on a thread of its own that lives as long as the process. The first is handed to
/// `first`; the second ends the process at once.
///
/// # Errors
/// When the system gives no thread, or refuses.
pub fn watch(first: impl FnOnce(&'static str) + Send + 'static) -> io::Result<()> {
    let (told, caught) = mpsc::channel();
    let wait = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
        let _ = runtime.map_or_else(
            |problem| told.send(Err(problem)),
            |runtime| {
                runtime.block_on(async {
                    let mut interrupts = match Interrupts::catch() {
                        Ok(interrupts) => interrupts,
                        Err(problem) => return told.send(Err(problem)),
                    };
                    told.send(Ok(()))?;
                    first(interrupts.next().await);
                    interrupts.next().await;
                    std::process::exit(ExitCode::Interrupted.number().into())
                })
            },
        );
    };
    std::thread::Builder::new().name("interrupts".to_owned()).spawn(wait)?;
    caught.recv().unwrap_or_else(|_| Err(io::Error::other("the thread that waits for signals has ended")))
}

impl Caught {
    async fn next(&mut self) -> &'static str {
        #[cfg(unix)]
        {
            tokio::select! {
                _ = self.int.recv() => "SIGINT",
                _ = self.term.recv() => "SIGTERM",
                _ = self.hup.recv() => "SIGHUP",
                _ = self.orphaned.recv(), if !self.is_orphan => {
                    self.is_orphan = true;
                    "SIGUSR1"
                }
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
