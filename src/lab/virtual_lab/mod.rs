//! The virtual lab: the same nodes, without sockets, threads or sleeping. Time passes when everybody waits.
//!
//! It is built out of the same parts as the embedded lab ([`super::building`]), on a ground that is simulated: who
//! listens is found in memory, and a request goes straight to who answers it ([`crate::ground::SimulatedNetwork`]). What
//! a node waits for is a wake-up in one queue ([`crate::ground::SimulatedClock`]), in the order of the moments and, where
//! those are equal, of their making. So a run is a function of its plan and its zone: the same seed gives the same events.
//! To carry something takes no time: a refused connection is refused at once, and who does not answer is waited for as
//! long as the asker has patience. Only an order to the lab takes a microsecond.
//!
//! **To add a part, nothing is to be done here.** A node that reads its environment's clock, and listens and asks by the
//! ways that have a simulated side, runs in both labs: `http_server::bind` and `HttpClient` for HTTP, `connections::accept`
//! and `connections::reach` for a port that is only open, `DnsServer` and `DnsClient` for DNS. A new *way* to speak needs
//! its simulated side beside it, where `Ground::simulated` says that there are no sockets. Two things would spoil the
//! order of events: `tokio::select!` without `biased`, and more than one waiter on a `tokio::sync::watch`, which both
//! choose by chance; a timer of tokio's own would never end.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::{JoinHandle, LocalSet};

use crate::clock::LabTime;
use crate::conduct::Command;
use crate::ground::{GroundKind, Recorder, SimulatedClock};
use crate::journal::event::{Event, Stamped};
use crate::plan::{CellKind, EnginePlan, Plan};
use crate::zone::Zone;

use super::Share;
use super::building::{Building, Order};
use super::{Lab, Next, panics};

/// From an order to its arrival in the lab: the least that the journal can tell apart.
const ORDER_TAKES: Duration = Duration::from_micros(1);

/// A lab that is told to stop has so much lab time for what it is busy with.
const STOPS_WITHIN: Duration = Duration::from_secs(120);

/// So many turns of the crank are made before signals are looked for.
const TURNS_AT_ONCE: usize = 256;

/// A virtual lab. It lives on the thread that leads it.
#[derive(Debug)]
#[must_use = "a lab that nobody leads stands still"]
pub struct VirtualLab {
    clock: SimulatedClock,
    commands: Option<mpsc::UnboundedSender<Command>>,
    events: mpsc::UnboundedReceiver<Stamped>,
    nodes: LocalSet,
    running: JoinHandle<()>,
    nudged: Arc<Nudged>,
    turns: usize,
    recorder: Recorder,
}

/// Somebody in the lab can go on.
#[derive(Debug, Default)]
struct Nudged(AtomicBool);

impl Wake for Nudged {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl VirtualLab {
    /// A lab at lab time 0; it is built when it is led. What happens in it, its own failure included, is told by its
    /// events.
    pub fn new(plan: Plan, zone: Arc<Zone>) -> Self {
        let clock = SimulatedClock::default();
        let (commands, orders) = mpsc::unbounded_channel();
        let (sink, events) = mpsc::unbounded_channel();
        let recorder = Recorder::new(clock.clone(), sink);
        let nodes = LocalSet::new();
        let (of_nodes, told_by) = (clock.clone(), recorder.clone());
        let running = nodes.spawn_local(async move {
            if let Err(reason) = run(&plan, zone, of_nodes, &told_by, orders).await {
                told_by.record(Event::LabBroke { reason });
            }
        });
        let nudged = Arc::new(Nudged(AtomicBool::new(true)));
        Self { clock, commands: Some(commands), events, nodes, running, nudged, turns: 0, recorder }
    }

    /// Lets everybody go on who can; whether anybody could.
    fn turn(&mut self) -> bool {
        if !self.nudged.0.swap(false, Ordering::Relaxed) {
            return false;
        }
        let waker = Waker::from(Arc::clone(&self.nudged));
        // Who leads the lab shares this thread, and is not the lab.
        let _told = panics::tell(&self.recorder);
        // That all are through is seen by the task that has built the lab.
        let _ = Pin::new(&mut self.nodes).poll(&mut Context::from_waker(&waker));
        true
    }
}

impl Lab for VirtualLab {
    fn now(&self) -> LabTime {
        self.clock.now()
    }

    fn command(&self, command: Command) {
        // A lab that is gone cannot obey; its end of the event stream says so to whoever reads it.
        let _ = self.commands.as_ref().map(|commands| commands.send(command));
    }

    async fn next(&mut self, until: Option<LabTime>) -> Next {
        loop {
            if let Ok(stamped) = self.events.try_recv() {
                return Next::Event(stamped);
            }
            self.turns += 1;
            if self.turns.is_multiple_of(TURNS_AT_ONCE) {
                // Whoever leads the lab, and the signals, have their turn.
                tokio::task::yield_now().await;
            }
            if self.turn() {
                continue;
            }
            if self.running.is_finished() {
                return Next::Ended;
            }
            match (self.clock.next_wakeup(), until) {
                (Some(due), until) if until.is_none_or(|until| due < until) => self.clock.wake_next(),
                (_, Some(until)) => {
                    self.clock.advance_to(until);
                    return Next::TimeIsUp;
                }
                // Nobody can go on, now or ever.
                (_, None) => return Next::Ended,
            }
        }
    }

    async fn stop(&mut self) -> Vec<Stamped> {
        self.commands = None;
        let until = self.now() + STOPS_WITHIN;
        let mut rest = Vec::new();
        while let Next::Event(stamped) = self.next(Some(until)).await {
            rest.push(stamped);
        }
        rest
    }
}

async fn run(
    plan: &Plan,
    zone: Arc<Zone>,
    clock: SimulatedClock,
    recorder: &Recorder,
    orders: mpsc::UnboundedReceiver<Command>,
) -> Result<(), String> {
    simulable(plan)?;
    let (arrive, arriving) = mpsc::unbounded_channel();
    tokio::task::spawn_local(carry(orders, arrive, clock.clone()));
    let (zone, share, ground) = (Some(zone), Share::Whole, GroundKind::Simulated);
    let (control_socket, clock, resources) = (None, clock.into(), None);
    let order = Order { plan, zone, share, ground, control_socket, clock, recorder, resources };
    let building = Building::build(order).await?;
    recorder.record(building.ready("virtual", Duration::ZERO));
    recorder.record(building.obey(arriving).await?);
    Ok(())
}

/// An order takes a moment to arrive, so that its effects are later than the order.
async fn carry(
    mut orders: mpsc::UnboundedReceiver<Command>,
    arrive: mpsc::UnboundedSender<Command>,
    clock: SimulatedClock,
) {
    while let Some(order) = orders.recv().await {
        clock.sleep_until(clock.now() + ORDER_TAKES).await;
        // A lab that has failed obeys nobody.
        let _ = arrive.send(order);
    }
}

/// What is outside of the lab answers in its own time.
fn simulable(plan: &Plan) -> Result<(), String> {
    let real = plan.cells.iter().find_map(|(name, cell)| match &cell.kind {
        CellKind::Llm(llm) => match &llm.engine {
            EnginePlan::Real { base_url, .. } => Some((name, base_url)),
            EnginePlan::Own { .. } => None,
        },
        CellKind::Region(_) | CellKind::TelemetryGateway | CellKind::StaticSite => None,
    });
    real.map_or(Ok(()), |(cell, url)| {
        Err(format!(
            "the engine of {cell} at {url} does not run in simulated time; run the drill with `--lab embedded`"
        ))
    })
}

#[cfg(test)]
mod tests;
