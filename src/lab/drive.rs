//! Turns the conductor's crank with a lab, its time and the signals that a person may send.

use crate::clock::LabTime;
use crate::conduct::{Command, Conductor, Output};
use crate::journal::event::{Event, Stamped};

use super::Interrupts;

/// A lab that is led.
#[expect(async_fn_in_trait, reason = "a lab is led on the thread that made its handle")]
pub trait Lab {
    /// The moment of lab time that it is now.
    fn now(&self) -> LabTime;

    /// Has the lab do something. What becomes of it is seen in the events.
    fn command(&self, command: Command);

    /// What comes first: an event, or the moment `until`. Nothing is lost when it is asked again before it has said so.
    async fn next(&mut self, until: Option<LabTime>) -> Next;

    /// Ends the lab and gives the events that were still under way. A lab that is stuck is not waited for. Time may still
    /// be asked for afterwards.
    async fn stop(&mut self) -> Vec<Stamped>;
}

/// What comes next in a lab.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Something happened.
    Event(Stamped),
    /// The time is up that was waited for.
    TimeIsUp,
    /// The lab has ended by itself.
    Ended,
}

/// Takes every event of a run in order: the journal, the progress lines.
pub trait Sink {
    /// Takes one event. It must be durable when this returns.
    ///
    /// # Errors
    /// When it can no longer be made durable; the run is then given up and what was broken is healed.
    fn take(&mut self, stamped: Stamped) -> Result<(), Undurable>;
}

/// What a sink took is not durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undurable;

/// Leads a run from the lab's start to its end. The sink takes every event, the `opening` ones first.
pub async fn drive(
    mut lab: impl Lab,
    mut conductor: Conductor,
    opening: Vec<Event>,
    sink: &mut dyn Sink,
    interrupts: &mut Interrupts,
) {
    let mut run = Run { sink, undurable: false, given_up: false };
    for event in opening {
        run.record(&mut conductor, &lab, Stamped { at: LabTime::START, event });
    }
    while !conductor.ended() {
        let wakeup = conductor.next_wakeup();
        if wakeup.is_some_and(|due| due <= lab.now()) {
            // Before the next event, so that a flood of them cannot put a deadline off.
            let outputs = conductor.on_time(lab.now());
            run.carry_out(&mut conductor, &lab, outputs);
            continue;
        }
        let next = tokio::select! {
            biased;
            signal = interrupts.next() => Err(signal),
            next = lab.next(wakeup) => Ok(next),
        };
        match next {
            Err(signal) => {
                let outputs = conductor.interrupt(lab.now(), signal);
                run.carry_out(&mut conductor, &lab, outputs);
            }
            Ok(Next::Event(stamped)) => run.record(&mut conductor, &lab, stamped),
            Ok(Next::TimeIsUp) => {}
            Ok(Next::Ended) => {
                let reason = "the lab ended by itself".to_owned();
                run.record(&mut conductor, &lab, Stamped { at: lab.now(), event: Event::LabBroke { reason } });
                break;
            }
        }
    }
    // What nodes still say while they are taken down is no observation of anything, but what could not be is told.
    let tells =
        |event: &Event| matches!(event, Event::Lateness { .. } | Event::LabRemoved { .. } | Event::NotUndone { .. });
    for stamped in lab.stop().await.into_iter().filter(|stamped| tells(&stamped.event)) {
        run.keep(stamped);
    }
    run.keep(Stamped { at: lab.now(), event: Event::RunEnded });
}

struct Run<'a> {
    sink: &'a mut dyn Sink,
    undurable: bool,
    given_up: bool,
}

impl Run<'_> {
    /// Keeps an event and does what the conductor makes of it.
    fn record(&mut self, conductor: &mut Conductor, lab: &impl Lab, stamped: Stamped) {
        let outputs = conductor.on_event(&stamped);
        self.keep(stamped);
        self.carry_out(conductor, lab, outputs);
    }

    fn carry_out(&mut self, conductor: &mut Conductor, lab: &impl Lab, outputs: Vec<Output>) {
        for output in outputs {
            match output {
                Output::Record(event) => self.keep(Stamped { at: lab.now(), event }),
                // Nothing is broken whose undo could not be written down; healing never waits for the disk.
                Output::Command(Command::Inject(_)) if self.undurable => {}
                Output::Command(command) => lab.command(command),
            }
        }
        if self.undurable && !self.given_up {
            self.given_up = true;
            let reason = "the journal cannot be written".to_owned();
            self.record(conductor, lab, Stamped { at: lab.now(), event: Event::LabBroke { reason } });
        }
    }

    fn keep(&mut self, stamped: Stamped) {
        self.undurable |= self.sink.take(stamped).is_err();
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use tokio::sync::mpsc;

    use super::*;
    use crate::clock::Speed;
    use crate::drill::{PlanOptions, load};
    use crate::ground::WallClock;
    use crate::lab::LabHandle;

    /// Keeps everything in memory.
    #[derive(Default)]
    struct Kept(Vec<Event>);

    impl Sink for Kept {
        fn take(&mut self, stamped: Stamped) -> Result<(), Undurable> {
            self.0.push(stamped.event);
            Ok(())
        }
    }

    #[test]
    fn what_nodes_say_while_they_are_taken_down_is_not_kept_but_what_is_left_of_them_is() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("drills/database-down.yaml");
        let plan =
            load(&path).unwrap().plan(PlanOptions { seed: 1, speed: None, control: false, ..PlanOptions::default() });
        let clock = WallClock::start(Speed::REAL);
        let (commands, mut orders) = mpsc::unbounded_channel();
        let (sink, events) = mpsc::unbounded_channel();
        let lab = std::thread::spawn(move || {
            let say = |event| sink.send(Stamped { at: LabTime::START, event }).unwrap();
            say(Event::LabBroke { reason: "played".to_owned() });
            while orders.blocking_recv().is_some() {}
            let (cell, client) = ("sa-east-1".to_owned(), "br-fresh".to_owned());
            say(Event::RequestArrived { cell, zone: None, client, status: 460, held: Duration::ZERO });
            say(Event::Lateness { count: 0, p50: Duration::ZERO, p99: Duration::ZERO, max: Duration::ZERO });
            say(Event::NotUndone { detail: "a container is left".to_owned() });
        });
        let mut kept = Kept::default();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let lab = LabHandle::new(clock, commands, events, lab);
            let mut interrupts = Interrupts::catch().unwrap();
            drive(lab, Conductor::new(plan), Vec::new(), &mut kept, &mut interrupts).await;
        });
        assert!(
            matches!(
                kept.0[..],
                [Event::LabBroke { .. }, Event::Lateness { .. }, Event::NotUndone { .. }, Event::RunEnded]
            ),
            "{:?}",
            kept.0
        );
    }
}
