//! A client: sends requests to a name at its cadence, and holds on to answers and connections as its profile does.
//!
//! It writes down how its requests ended. Whether it has moved is not for it to say: the cells see that.

mod exchange;
mod lookup;
mod profile;
mod question;
mod simulated_http;
#[cfg(test)]
mod tests;

use std::net::SocketAddr;
use std::sync::Arc;

use hickory_proto::rr::Name;
use tokio::task::JoinSet;

use crate::cache::{ClientCache, Next, Pool, PoolPolicy};
use crate::journal::event::Event;
use crate::plan::{ClientPlan, Family};

use super::cadence::Cadence;
use crate::ground::Environment;
use exchange::{Attempt, Exchange, Http};
use lookup::Lookup;
use question::Question;

pub use lookup::AddressLookup;
pub use question::MODEL;
pub(super) use question::one_span;

/// Why a client asks for nothing.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The HTTP library cannot be set up.
    #[error("client {client}: no HTTP client: {problem}")]
    NoHttpClient {
        /// The client.
        client: String,
        /// What the library said.
        problem: reqwest::Error,
    },
    /// What it asks for cannot be written as a request.
    #[error("client {client}: what it asks for is no HTTP request: {problem}")]
    Question {
        /// The client.
        client: String,
        /// What is wrong with it.
        problem: axum::http::Error,
    },
}

/// Starts a client that asks `target` for what its plan says, at its plan's cadence, the first time now. Each of its
/// workers has a cache and a pool of its own, and they begin one after the other, spread over the cadence. A worker has
/// one request under way at a time: one that takes longer than the cadence (its retries included) skips the ticks that
/// it covers. It ends when what is returned is dropped. To be called inside a `LocalSet`.
///
/// # Errors
/// When the HTTP library cannot be set up.
#[expect(clippy::needless_pass_by_value, reason = "the client has its share; each worker has one of it")]
pub fn start(
    name: &str,
    plan: &ClientPlan,
    target: &Name,
    resolver: Arc<dyn AddressLookup>,
    environment: &Environment,
) -> Result<JoinSet<()>, ClientError> {
    let now = environment.clock.now();
    let workers = plan.workers.max(1);
    let mut running = JoinSet::new();
    for worker in 0..workers {
        let first = now + plan.every.mul_f64(f64::from(worker) / f64::from(workers));
        let client = Client::new(name, plan, target, Arc::clone(&resolver), environment)?;
        running.spawn_local(client.keep_asking(Cadence { first, every: plan.every }));
    }
    Ok(running)
}

struct Client {
    name: String,
    exchange: Exchange,
    pool: Pool,
    http: Http,
    environment: Environment,
}

impl Client {
    fn new(
        name: &str,
        plan: &ClientPlan,
        target: &Name,
        resolver: Arc<dyn AddressLookup>,
        environment: &Environment,
    ) -> Result<Self, ClientError> {
        let Environment { ground, clock, .. } = environment;
        let (lifetime, policy) = profile::habits(plan.profile);
        let cache = ClientCache::new(lifetime);
        let lookup = Lookup::new(target.clone(), plan.family, resolver, cache, ground.clone(), clock.clone());
        let own = plan
            .addresses
            .iter()
            .filter(|address| address.is_ipv4() == (plan.family == Family::A))
            .find_map(|address| ground.here(SocketAddr::new(*address, 0)));
        let client = || name.to_owned();
        let question = Question::new(name, plan.asks, target, plan.tier.as_deref());
        let question = question.map_err(|problem| ClientError::Question { client: client(), problem })?;
        let (own, keep_alive) = (own.map(|own| own.ip()), policy != PoolPolicy::Fresh);
        let exchange = Exchange::new(question, lookup, own, plan.timeout, keep_alive, ground.clone(), clock.clone());
        let http = exchange.connect_anew();
        let http = http.map_err(|problem| ClientError::NoHttpClient { client: client(), problem })?;
        Ok(Self { name: name.to_owned(), exchange, pool: Pool::new(policy), http, environment: environment.clone() })
    }

    async fn keep_asking(mut self, cadence: Cadence) {
        let clock = self.environment.clock.clone();
        clock.sleep_until(cadence.first).await;
        loop {
            self.request().await;
            clock.sleep_until(cadence.next_after(clock.now())).await;
        }
    }

    /// One request, with as many attempts as the pool makes of it.
    async fn request(&mut self) {
        let clock = self.environment.clock.clone();
        let began = clock.now();
        let mut attempts = 0;
        loop {
            let Attempt { address, outcome, end } = self.attempt().await;
            let after = self.pool.after_attempt(attempts, end);
            attempts += 1;
            if let Some(reason) = after.dropped {
                self.note_dropped(reason.to_string());
            }
            match after.next {
                Next::RetryAfter(pause) => drop(clock.sleep_until(clock.now() + pause).await),
                Next::Done | Next::GiveUp => {
                    let client = self.name.clone();
                    let ended = Event::RequestEnded { client, began, address, outcome, attempts };
                    return self.environment.recorder.record(ended);
                }
            }
        }
    }

    async fn attempt(&mut self) -> Attempt {
        let before = self.pool.before_request(self.environment.clock.now());
        if let Some(reason) = before.dropped {
            self.note_dropped(reason.to_string());
        }
        if before.connect {
            // A new pool is empty, so that the attempt connects and therefore resolves. That it can be built was
            // shown at the start; if not, the old one goes on.
            if let Ok(http) = self.exchange.connect_anew() {
                self.http = http;
            }
        }
        self.exchange.attempt(&mut self.http).await
    }

    fn note_dropped(&self, reason: String) {
        self.environment.recorder.record(Event::PoolDropped { client: self.name.clone(), reason });
    }
}
