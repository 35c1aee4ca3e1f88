//! An inference engine as others meet it: an HTTP server with the API of `OpenAI` and the metrics of vLLM.
//!
//! How it works through its requests is the service room's; this turns the crank. Its `/health` is shallow on
//! purpose, as that of real engines: it is green as long as the port is open.

mod answer;
mod api;
mod metrics;
mod routes;
#[cfg(test)]
mod tests;
mod text;
mod work;

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::{Notify, mpsc, watch};

use crate::clock::LabTime;
use crate::ground::{Environment, LabClock};
use crate::service::{Condition, Delivery, Engine, EngineSettings, Output, RequestId, TurnedAway};

use super::http_server;
use super::probe::wake_at;
use super::process::Serving;

use work::Work;

/// Sets how an engine is, as often as a drill asks; cheap to clone. It holds across the engine's restarts.
#[derive(Clone, Debug)]
pub struct EngineSwitch {
    condition: Arc<watch::Sender<Condition>>,
    throttled: Arc<watch::Sender<bool>>,
    work: Work,
}

impl Default for EngineSwitch {
    fn default() -> Self {
        let condition = Arc::new(watch::Sender::new(Condition::Well));
        Self { condition, throttled: Arc::new(watch::Sender::new(false)), work: Work::Waited }
    }
}

impl EngineSwitch {
    /// The switch of an engine that really does the work of its answers, each of which costs so much of a CPU, wall time.
    #[must_use]
    pub fn of_one_that_works(costs: Duration) -> Self {
        Self { work: Work::Done(costs), ..Self::default() }
    }

    /// From now on the engine is like this.
    pub fn set(&self, condition: Condition) {
        self.condition.send_replace(condition);
    }

    /// From now on next to no CPU is left to it, or as much as it wants.
    pub fn throttle(&self, throttled: bool) {
        self.throttled.send_replace(throttled);
    }

    /// How the engine is, or will be once it runs.
    #[must_use]
    pub fn condition(&self) -> Condition {
        *self.condition.borrow()
    }
}

/// Starts an engine at a socket address of this machine; it loads first, and is in the switch's condition from its
/// start on. Whom it had when it is dropped gets no answer.
///
/// # Errors
/// When the address cannot be bound.
pub fn bind(
    here: SocketAddr,
    settings: &EngineSettings,
    switch: &EngineSwitch,
    environment: &Environment,
) -> io::Result<Serving> {
    let mut condition = switch.condition.subscribe();
    let core = Arc::new(Core::start(settings.clone(), switch, &mut condition, environment.clock.clone()));
    let serving = http_server::bind(&[here], routes::router(Arc::clone(&core)), environment.ground.clone())?;
    let working = async move {
        loop {
            let due = core.turn_the_crank();
            tokio::select! {
                biased;
                () = wake_at(&core.clock, due) => {}
                () = core.nudged.notified() => {}
                // The sender lives as long as the lab; without it the engine stays as it is.
                Ok(()) = condition.changed() => core.turn(*condition.borrow_and_update()),
            }
        }
    };
    // The server first: dropping the future closes its connections before the engine goes.
    Ok(futures_util::future::join(serving, working).map(drop).boxed_local())
}

/// What the routes and the crank share.
struct Core {
    state: Mutex<State>,
    /// How it is to be.
    condition: watch::Receiver<Condition>,
    /// Whether next to no CPU is left to it.
    throttled: watch::Receiver<bool>,
    /// What an answer costs.
    work: Work,
    /// Something has come in, so that the next wake-up may be another one.
    nudged: Notify,
    clock: LabClock,
}

struct State {
    engine: Engine,
    /// Those who wait for tokens.
    asking: BTreeMap<RequestId, mpsc::UnboundedSender<Piece>>,
    /// How many answers were begun.
    answers: u64,
}

/// A part of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    Tokens(u32),
    Finished,
}

/// A request that the engine has. It is given up when this is dropped.
struct Ticket {
    request: RequestId,
    pieces: mpsc::UnboundedReceiver<Piece>,
    core: Arc<Core>,
}

impl Core {
    fn start(
        settings: EngineSettings,
        switch: &EngineSwitch,
        condition: &mut watch::Receiver<Condition>,
        clock: LabClock,
    ) -> Self {
        let now = clock.now();
        let mut engine = Engine::start(settings, now);
        engine.turn(now, *condition.borrow_and_update());
        let state = Mutex::new(State { engine, asking: BTreeMap::new(), answers: 0 });
        let (throttled, work) = (switch.throttled.subscribe(), switch.work.clone());
        Self { state, condition: condition.clone(), throttled, work, nudged: Notify::new(), clock }
    }

    /// Ends when the engine is not frozen.
    async fn runs(&self) {
        let mut condition = self.condition.clone();
        // The sender lives as long as the lab; without it the engine stays as it is.
        if condition.wait_for(|condition| *condition != Condition::Frozen).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Does the work of one answer.
    async fn works(&self) {
        self.work.do_it(&mut self.throttled.clone(), &self.clock).await;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it holds this, and an engine is whole between two calls in any case.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands out what was made; when there will be more.
    fn turn_the_crank(&self) -> Option<LabTime> {
        let mut state = self.state();
        let now = self.clock.now();
        for output in state.engine.advance(now) {
            // Who asked may have gone in the meantime.
            match output {
                Output::Made { request, tokens } => {
                    let _ = state.asking.get(&request).map(|asking| asking.send(Piece::Tokens(tokens)));
                }
                Output::Finished(request) => {
                    let _ = state.asking.remove(&request).map(|asking| asking.send(Piece::Finished));
                }
                Output::Dropped(request) => drop(state.asking.remove(&request)),
            }
        }
        state.engine.next_wakeup()
    }

    fn turn(&self, condition: Condition) {
        self.state().engine.turn(self.clock.now(), condition);
    }

    fn submit(self: &Arc<Self>, tokens: u32, delivery: Delivery) -> Result<Ticket, TurnedAway> {
        let mut state = self.state();
        let request = state.engine.submit(self.clock.now(), tokens, delivery)?;
        let (asking, pieces) = mpsc::unbounded_channel();
        state.asking.insert(request, asking);
        self.nudged.notify_one();
        Ok(Ticket { request, pieces, core: Arc::clone(self) })
    }

    /// A number for the next answer, from 1.
    fn number_answer(&self) -> u64 {
        let mut state = self.state();
        state.answers += 1;
        state.answers
    }
}

impl Ticket {
    /// The next part; `None` when the engine has lost the request.
    async fn next(&mut self) -> Option<Piece> {
        self.pieces.recv().await
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut state = self.core.state();
        state.asking.remove(&self.request);
        state.engine.cancel(self.core.clock.now(), self.request);
        self.core.nudged.notify_one();
    }
}
