//! All proxies of a server: what its control may do, whether it comes by HTTP or from this process.
//!
//! Nothing here waits for a connection. What is awaited is the resolution of a name to listen at, and before anything
//! is changed.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Map, Value};
use tokio::sync::mpsc::UnboundedSender;

use super::address::resolve;
use super::problem::Problem;
use super::proxy::{Proxy, ProxyState};
use super::stoppable::Polled;
use super::toxic::Toxic;

/// A proxy as it is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProxyPlan {
    /// Its name, which is unique.
    pub name: String,
    /// Where it listens: host and port, port 0 for any that is free. Empty: any port of every interface.
    pub listen: String,
    /// The server behind it: host and port.
    pub upstream: String,
    /// Whether it is up from the start.
    pub enabled: bool,
}

/// What changes of a proxy. What is none stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProxyChange {
    /// Where it listens from now on; connections are cut.
    pub listen: Option<String>,
    /// The server behind it from now on; connections are cut.
    pub upstream: Option<String>,
    /// Whether it is up from now on; connections are cut when it goes down.
    pub enabled: Option<bool>,
}

/// What changes of a toxic. What is none stays as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToxicChange {
    /// Attributes by their names, with whole numbers.
    pub attributes: Map<String, Value>,
    /// The share of connections that it has an effect on, drawn anew for those that are open.
    pub toxicity: Option<f32>,
}

/// The proxies of a running server; cheap to clone. Once the server has ended, none can be taken up any more.
#[derive(Clone)]
pub struct Proxies(Arc<Mutex<State>>);

struct State {
    proxies: BTreeMap<String, Proxy>,
    chance: ChaCha8Rng,
    /// Where proxies that are taken up are polled.
    taken_up: UnboundedSender<Polled>,
}

impl Proxies {
    /// None yet. Whoever receives them has to poll proxies that are taken up.
    pub(super) fn new(seed: u64, taken_up: UnboundedSender<Polled>) -> Self {
        Self(Arc::new(Mutex::new(State {
            proxies: BTreeMap::new(),
            chance: ChaCha8Rng::seed_from_u64(seed),
            taken_up,
        })))
    }

    /// Every proxy, by name.
    #[must_use]
    pub fn all(&self) -> BTreeMap<String, ProxyState> {
        self.lock().proxies.iter().map(|(name, proxy)| (name.clone(), proxy.state())).collect()
    }

    /// The proxy of this name.
    ///
    /// # Errors
    /// When there is none.
    pub fn get(&self, name: &str) -> Result<ProxyState, Problem> {
        self.lock().named(name).map(|proxy| proxy.state())
    }

    /// Creates a proxy, without toxics. If it is enabled its port is bound when this returns.
    ///
    /// # Errors
    /// When a field is missing, the name is taken, or it cannot listen there; then there is no new proxy.
    pub async fn create(&self, plan: ProxyPlan) -> Result<ProxyState, Problem> {
        if plan.name.is_empty() {
            return Err(Problem::MissingField("name".to_owned()));
        }
        if plan.upstream.is_empty() {
            return Err(Problem::MissingField("upstream".to_owned()));
        }
        if self.lock().proxies.contains_key(&plan.name) {
            return Err(Problem::ProxyAlreadyExists);
        }
        let at = resolve_if(plan.enabled, &plan.listen).await?;
        let mut state = self.lock();
        if state.proxies.contains_key(&plan.name) {
            return Err(Problem::ProxyAlreadyExists);
        }
        state.add(plan, at)
    }

    /// Creates a proxy between two addresses, without toxics; its port is bound when this returns.
    ///
    /// # Errors
    /// When the name is taken, or it cannot listen there; then there is no new proxy.
    pub fn create_between(&self, name: &str, listen: SocketAddr, upstream: SocketAddr) -> Result<ProxyState, Problem> {
        let plan = ProxyPlan {
            name: name.to_owned(),
            listen: listen.to_string(),
            upstream: upstream.to_string(),
            enabled: true,
        };
        let mut state = self.lock();
        if state.proxies.contains_key(name) {
            return Err(Problem::ProxyAlreadyExists);
        }
        state.add(plan, Some(listen))
    }

    /// Creates proxies, or replaces those of the same names if they listen elsewhere or have another server. A proxy
    /// that has both already stays as it is, with its toxics.
    ///
    /// # Errors
    /// When a field is missing: then nothing is done. When one cannot listen: then those before it are there, and are
    /// given beside the problem.
    pub async fn populate(&self, plans: Vec<ProxyPlan>) -> (Vec<ProxyState>, Option<Problem>) {
        for (index, plan) in plans.iter().enumerate() {
            for (field, value) in [("name", &plan.name), ("upstream", &plan.upstream)] {
                if value.is_empty() {
                    return (Vec::new(), Some(Problem::MissingField(format!("{field} at proxy {}", index + 1))));
                }
            }
        }
        let mut done = Vec::new();
        for plan in plans {
            match self.create_or_replace(plan).await {
                Ok(proxy) => done.push(proxy),
                Err(problem) => return (done, Some(problem)),
            }
        }
        (done, None)
    }

    async fn create_or_replace(&self, plan: ProxyPlan) -> Result<ProxyState, Problem> {
        let at = resolve_if(plan.enabled, &plan.listen).await?;
        let mut state = self.lock();
        if let Some(existing) = state.proxies.get_mut(&plan.name) {
            if listens_at(existing, &plan.listen, at) && existing.upstream == plan.upstream {
                return Ok(existing.state());
            }
            existing.stop();
        }
        state.add(plan, at)
    }

    /// Changes a proxy, and takes it up or down. Everything that is to be closed is closed when this returns.
    ///
    /// # Errors
    /// When there is none of this name, or it cannot listen there; then it is down.
    pub async fn update(&self, name: &str, change: ProxyChange) -> Result<ProxyState, Problem> {
        let before = self.get(name)?;
        let listen = change.listen.unwrap_or(before.listen);
        let at = resolve_if(change.enabled != Some(false), &listen).await?;
        let mut state = self.lock();
        let proxy = state.named(name)?;
        let up = change.enabled.unwrap_or(proxy.is_up());
        let moves = !listens_at(proxy, &listen, at);
        let upstream = change.upstream.unwrap_or_else(|| proxy.upstream.clone());
        if moves || proxy.upstream != upstream || !up {
            proxy.stop();
        }
        proxy.upstream = upstream;
        if moves {
            proxy.listen = listen;
        }
        match at {
            Some(at) if up => state.take_up(name, at)?,
            Some(_) | None => {}
        }
        state.named(name).map(|proxy| proxy.state())
    }

    /// Deletes a proxy; port and connections are closed when this returns.
    ///
    /// # Errors
    /// When there is none of this name.
    pub fn delete(&self, name: &str) -> Result<(), Problem> {
        self.lock().proxies.remove(name).map(drop).ok_or(Problem::ProxyNotFound)
    }

    /// Removes every toxic and takes every proxy up.
    ///
    /// # Errors
    /// When a proxy cannot listen where it did; the toxics of all are removed nevertheless, and the others are up.
    pub async fn reset(&self) -> Result<(), Problem> {
        let mut first = Ok(());
        for (name, proxy) in self.all() {
            if let Ok(proxy) = self.lock().named(&name) {
                proxy.remove_every_toxic();
            }
            if !proxy.enabled {
                let up = self.update(&name, ProxyChange { enabled: Some(true), ..ProxyChange::default() }).await;
                first = first.and(match up {
                    // It was deleted meanwhile.
                    Ok(_) | Err(Problem::ProxyNotFound) => Ok(()),
                    Err(problem) => Err(problem),
                });
            }
        }
        first
    }

    /// The toxics on a proxy: upstream ones first, each stream's in the order in which they were added.
    ///
    /// # Errors
    /// When there is no such proxy.
    pub fn toxics(&self, proxy: &str) -> Result<Vec<Toxic>, Problem> {
        self.lock().named(proxy).map(|proxy| proxy.toxics())
    }

    /// One toxic on a proxy.
    ///
    /// # Errors
    /// When there is no such proxy or toxic.
    pub fn toxic(&self, proxy: &str, toxic: &str) -> Result<Toxic, Problem> {
        self.lock().named(proxy)?.toxic(toxic)
    }

    /// Adds a toxic at the end of its stream's chain, for connections to come and those that are open.
    ///
    /// # Errors
    /// When there is no such proxy, or it has a toxic of this name.
    pub fn add_toxic(&self, proxy: &str, toxic: &Toxic) -> Result<(), Problem> {
        self.lock().named(proxy)?.add_toxic(toxic)
    }

    /// Changes a toxic, for connections to come and those that are open.
    ///
    /// # Errors
    /// When there is no such proxy or toxic, or an attribute is not a whole number; then nothing is changed.
    pub fn update_toxic(&self, proxy: &str, toxic: &str, change: &ToxicChange) -> Result<Toxic, Problem> {
        self.lock().named(proxy)?.update_toxic(toxic, |toxic| {
            toxic.kind = toxic.kind.with(&change.attributes)?;
            toxic.toxicity = change.toxicity.unwrap_or(toxic.toxicity);
            Ok(())
        })
    }

    /// Removes a toxic: what it held back goes on. Open connections on which `timeout` was are closed, as in the
    /// original: bytes may be missing in them.
    ///
    /// # Errors
    /// When there is no such proxy or toxic.
    pub fn remove_toxic(&self, proxy: &str, toxic: &str) -> Result<(), Problem> {
        self.lock().named(proxy)?.remove_toxic(toxic)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn named(&mut self, name: &str) -> Result<&mut Proxy, Problem> {
        self.proxies.get_mut(name).ok_or(Problem::ProxyNotFound)
    }

    /// Adds a proxy, or puts it in another's place; up if it has an address to listen at.
    fn add(&mut self, plan: ProxyPlan, at: Option<SocketAddr>) -> Result<ProxyState, Problem> {
        let mut proxy = Proxy::new(plan.name.clone(), plan.listen, plan.upstream, self.chance.next_u64());
        if let Some(at) = at {
            self.poll(proxy.start(at)?)?;
        }
        let state = proxy.state();
        self.proxies.insert(plan.name, proxy);
        Ok(state)
    }

    /// Takes a proxy up that may be up already.
    fn take_up(&mut self, name: &str, at: SocketAddr) -> Result<(), Problem> {
        let proxy = self.named(name)?;
        if proxy.is_up() {
            return Ok(());
        }
        let polled = proxy.start(at)?;
        self.poll(polled)
    }

    fn poll(&self, polled: Polled) -> Result<(), Problem> {
        let ended = |_| io::Error::other("the Toxiproxy server has ended: no proxy of it can be taken up");
        Ok(self.taken_up.send(polled).map_err(ended)?)
    }
}

impl fmt::Debug for Proxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Proxies").field(&self.all()).finish()
    }
}

/// Where it is to listen, if it is.
async fn resolve_if(listens: bool, listen: &str) -> Result<Option<SocketAddr>, Problem> {
    if listens { Ok(Some(resolve(listen).await?)) } else { Ok(None) }
}

/// Whether a proxy listens there, or would: a name and its address are the same place.
fn listens_at(proxy: &Proxy, listen: &str, at: Option<SocketAddr>) -> bool {
    proxy.listen == listen || at.is_some_and(|at| proxy.listen == at.to_string())
}
