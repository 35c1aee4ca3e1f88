//! What others hold of a lab: commands go in, events come out. The lab itself lives on a thread of its own.

use std::time::Duration;

use tokio::sync::mpsc;

use crate::conduct::Command;
use crate::journal::event::Stamped;

use crate::ground::WallClock;

/// A lab that does not stop within this is left to the end of the process, which takes it along. Wall time.
const STOPS_WITHIN: Duration = Duration::from_millis(700);

/// A running lab. It can be sent to another thread; the lab stays where it is.
#[derive(Debug)]
pub struct LabHandle {
    clock: WallClock,
    commands: mpsc::UnboundedSender<Command>,
    events: mpsc::UnboundedReceiver<Stamped>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl LabHandle {
    pub(super) const fn new(
        clock: WallClock,
        commands: mpsc::UnboundedSender<Command>,
        events: mpsc::UnboundedReceiver<Stamped>,
        thread: std::thread::JoinHandle<()>,
    ) -> Self {
        Self { clock, commands, events, thread: Some(thread) }
    }

    /// The lab's clock.
    #[must_use]
    pub const fn clock(&self) -> WallClock {
        self.clock
    }

    /// Has the lab do something. What becomes of it is seen in the events.
    pub fn command(&self, command: Command) {
        // A lab that is gone cannot obey; its end of the event stream says so to whoever reads it.
        let _ = self.commands.send(command);
    }

    /// The next event; `None` when the lab has ended.
    pub async fn next_event(&mut self) -> Option<Stamped> {
        self.events.recv().await
    }

    /// Ends the lab and gives the events that were still under way. A lab that is stuck is not waited for.
    pub async fn stop(mut self) -> Vec<Stamped> {
        drop(self.commands);
        let mut rest = Vec::new();
        let all = async {
            while let Some(stamped) = self.events.recv().await {
                rest.push(stamped);
            }
        };
        let ended = tokio::time::timeout(STOPS_WITHIN, all).await.is_ok();
        if let Some(thread) = self.thread.take().filter(|_| ended) {
            // The event stream has ended, so the thread is past its last statement.
            let _ = thread.join();
        }
        rest
    }
}
