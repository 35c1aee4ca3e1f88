//! What others hold of a lab: commands go in, events come out. The lab itself lives on a thread of its own.

use std::time::Duration;

use tokio::sync::mpsc;

use crate::clock::LabTime;
use crate::conduct::Command;
use crate::ground::WallClock;
use crate::journal::event::{Event, Stamped};

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
    /// What is told when it takes longer than that.
    overdue: Option<String>,
}

impl LabHandle {
    pub(super) const fn new(
        clock: WallClock,
        commands: mpsc::UnboundedSender<Command>,
        events: mpsc::UnboundedReceiver<Stamped>,
        thread: std::thread::JoinHandle<()>,
    ) -> Self {
        Self {
            clock,
            commands: Some(commands),
            events,
            thread: Some(thread),
            stops_within: STOPS_WITHIN,
            overdue: None,
        }
    }

    /// One that takes longer to stop: it has something to take down, which does not go with the process. Wall time.
    /// `overdue` is told as an undo that failed when it takes longer still.
    pub(super) fn stopping_within(mut self, limit: Duration, overdue: String) -> Self {
        self.stops_within = limit;
        self.overdue = Some(overdue);
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
        if let Some(detail) = self.overdue.take().filter(|_| !ended) {
            rest.push(Stamped { at: self.clock.now(), event: Event::NotUndone { detail } });
        }
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Speed;

    #[test]
    fn a_lab_that_is_not_taken_down_in_time_is_told_as_an_undo_that_failed() {
        let (commands, orders) = mpsc::unbounded_channel();
        let (sink, events) = mpsc::unbounded_channel();
        let (end, stuck) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            let _holds = (sink, orders);
            let _ = stuck.recv();
        });
        let lab = LabHandle::new(WallClock::start(Speed::REAL), commands, events, thread);
        let mut lab = lab.stopping_within(Duration::from_millis(1), "something is left".to_owned());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let rest = runtime.block_on(lab.stop());
        assert!(
            matches!(&rest[..], [Stamped { event: Event::NotUndone { detail }, .. }] if detail == "something is left"),
            "{rest:?}"
        );
        drop(end);
    }
}
