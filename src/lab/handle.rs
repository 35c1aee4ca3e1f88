//! What others hold of a lab: commands go in, events come out. The lab itself lives on a thread of its own.

use std::time::Duration;

use tokio::sync::mpsc;

use crate::clock::LabTime;
use crate::conduct::Command;
use crate::ground::WallClock;
use crate::journal::event::Stamped;

use super::{Lab, Next};

/// A lab that does not stop within this is left to the end of the process, which takes it along. Wall time.
const STOPS_WITHIN: Duration = Duration::from_millis(700);

/// A running lab. It can be sent to another thread; the lab stays where it is.
#[derive(Debug)]
pub struct LabHandle {
    clock: WallClock,
    commands: Option<mpsc::UnboundedSender<Command>>,
    events: mpsc::UnboundedReceiver<Stamped>,
    thread: Option<std::thread::JoinHandle<()>>,
    stops_within: Duration,
}

impl LabHandle {
    pub(super) const fn new(
        clock: WallClock,
        commands: mpsc::UnboundedSender<Command>,
        events: mpsc::UnboundedReceiver<Stamped>,
        thread: std::thread::JoinHandle<()>,
    ) -> Self {
        Self { clock, commands: Some(commands), events, thread: Some(thread), stops_within: STOPS_WITHIN }
    }

    /// One that takes longer to stop: it has something to take down. Wall time.
    pub(super) const fn stopping_within(mut self, limit: Duration) -> Self {
        self.stops_within = limit;
        self
    }
}

impl Lab for LabHandle {
    fn now(&self) -> LabTime {
        self.clock.now()
    }

    fn command(&self, command: Command) {
        // A lab that is gone cannot obey; its end of the event stream says so to whoever reads it.
        let _ = self.commands.as_ref().map(|commands| commands.send(command));
    }

    async fn next(&mut self, until: Option<LabTime>) -> Next {
        tokio::select! {
            biased;
            stamped = self.events.recv() => stamped.map_or(Next::Ended, Next::Event),
            _ = self.clock.sleep_until(until.unwrap_or_default()), if until.is_some() => Next::TimeIsUp,
        }
    }

    async fn stop(&mut self) -> Vec<Stamped> {
        self.commands = None;
        let mut rest = Vec::new();
        let all = async {
            while let Some(stamped) = self.events.recv().await {
                rest.push(stamped);
            }
        };
        let ended = tokio::time::timeout(self.stops_within, all).await.is_ok();
        if let Some(thread) = self.thread.take().filter(|_| ended) {
            // The event stream has ended, so the thread is past its last statement.
            let _ = thread.join();
        }
        rest
    }
}
