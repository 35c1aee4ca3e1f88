//! One proxy: where it listens and what is behind it, the toxics on it, and the connections that are open.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use futures_util::FutureExt;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use tokio::net::TcpStream;

use crate::node::connections;

use super::address;
use super::connection::Connection;
use super::link::Link;
use super::problem::Problem;
use super::stoppable::{Polled, Running, stoppable};
use super::toxic::{Stream, Toxic};

/// How a proxy is now, in Toxiproxy's JSON form.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProxyState {
    /// Its name.
    pub name: String,
    /// Where it listens, with the port that is bound; what was asked for while it was never up.
    pub listen: String,
    /// The address of the server behind it.
    pub upstream: String,
    /// Whether it is up.
    pub enabled: bool,
    /// The toxics on it: upstream ones first, each stream's in the order in which they were added.
    pub toxics: Vec<Toxic>,
}

/// A proxy that is up or down. Dropping it closes everything it has open.
pub(super) struct Proxy {
    name: String,
    pub(super) listen: String,
    pub(super) upstream: String,
    wiring: Arc<Wiring>,
    running: Option<Running>,
}

impl Proxy {
    /// A proxy that is down.
    pub(super) fn new(name: String, listen: String, upstream: String, seed: u64) -> Self {
        Self { name, listen, upstream, wiring: Arc::new(Wiring::new(seed)), running: None }
    }

    pub(super) fn state(&self) -> ProxyState {
        ProxyState {
            name: self.name.clone(),
            listen: self.listen.clone(),
            upstream: self.upstream.clone(),
            enabled: self.is_up(),
            toxics: self.toxics(),
        }
    }

    pub(super) fn is_up(&self) -> bool {
        self.running.is_some()
    }

    /// Takes the proxy up; its port is bound when this returns. What comes back is to be polled for as long as it is up.
    ///
    /// # Errors
    /// When the address cannot be bound; then it is down.
    pub(super) fn start(&mut self, at: SocketAddr) -> io::Result<Polled> {
        let listener = address::listen(at)?;
        self.listen = listener.local_addr()?.to_string();
        let (wiring, upstream) = (Arc::clone(&self.wiring), self.upstream.clone());
        let serving = async move {
            let serve = |client, _| serve(client, upstream.clone(), Arc::clone(&wiring));
            connections::serve_each(vec![listener], serve).await;
        };
        let (running, polled) = stoppable(serving.boxed());
        self.running = Some(running);
        Ok(polled)
    }

    /// Takes the proxy down: port and connections are closed when this returns.
    pub(super) fn stop(&mut self) {
        self.running = None;
    }

    pub(super) fn toxics(&self) -> Vec<Toxic> {
        let wires = self.wiring.wires();
        [Stream::Upstream, Stream::Downstream].into_iter().flat_map(|stream| wires.on(stream)).cloned().collect()
    }

    pub(super) fn toxic(&self, name: &str) -> Result<Toxic, Problem> {
        self.wiring.wires().named(name).map(|toxic| toxic.clone())
    }

    pub(super) fn add_toxic(&self, toxic: &Toxic) -> Result<(), Problem> {
        let mut wires = self.wiring.wires();
        if wires.named(&toxic.name).is_ok() {
            return Err(Problem::ToxicAlreadyExists);
        }
        wires.toxics.push(toxic.clone());
        wires.change(toxic.stream, |link, now| link.add(toxic.clone(), now));
        Ok(())
    }

    /// Changes a toxic by `change`; nothing happens if that fails.
    pub(super) fn update_toxic(
        &self,
        name: &str,
        change: impl FnOnce(&mut Toxic) -> Result<(), Problem>,
    ) -> Result<Toxic, Problem> {
        let mut wires = self.wiring.wires();
        let mut changed = wires.named(name)?.clone();
        change(&mut changed)?;
        wires.named(name)?.clone_from(&changed);
        wires.change(changed.stream, |link, now| link.update(&changed, now));
        Ok(changed)
    }

    pub(super) fn remove_toxic(&self, name: &str) -> Result<(), Problem> {
        let mut wires = self.wiring.wires();
        let stream = wires.named(name)?.stream;
        wires.toxics.retain(|toxic| toxic.name != name);
        wires.change(stream, |link, _| link.remove(name));
        Ok(())
    }

    pub(super) fn remove_every_toxic(&self) {
        for toxic in self.toxics() {
            // One that has gone meanwhile is removed as well.
            let _ = self.remove_toxic(&toxic.name);
        }
    }
}

/// What a proxy and its connections share. Locked for moments only, never while anything is waited for.
struct Wiring(Mutex<Wires>);

struct Wires {
    /// In the order in which they were added.
    toxics: Vec<Toxic>,
    open: Vec<Weak<Connection>>,
    chance: ChaCha8Rng,
}

impl Wiring {
    fn new(seed: u64) -> Self {
        Self(Mutex::new(Wires { toxics: Vec::new(), open: Vec::new(), chance: ChaCha8Rng::seed_from_u64(seed) }))
    }

    fn wires(&self) -> MutexGuard<'_, Wires> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection with the toxics of now, which those that come later will reach.
    fn connect(&self) -> Arc<Connection> {
        let mut wires = self.wires();
        let mut link = |stream| {
            let seed = wires.chance.next_u64();
            Link::new(wires.on(stream), Duration::ZERO, seed)
        };
        let connection = Arc::new(Connection::new(link(Stream::Upstream), link(Stream::Downstream)));
        wires.open.retain(|open| open.strong_count() > 0);
        wires.open.push(Arc::downgrade(&connection));
        connection
    }
}

impl Wires {
    fn on(&self, stream: Stream) -> impl Iterator<Item = &Toxic> {
        self.toxics.iter().filter(move |toxic| toxic.stream == stream)
    }

    fn named(&mut self, name: &str) -> Result<&mut Toxic, Problem> {
        self.toxics.iter_mut().find(|toxic| toxic.name == name).ok_or(Problem::ToxicNotFound)
    }

    fn change(&self, stream: Stream, change: impl Fn(&mut Link, Duration)) {
        for connection in self.open.iter().filter_map(Weak::upgrade) {
            connection.change(stream, &change);
        }
    }
}

/// Serves one client. If there is no way to the server, the client is hung up on.
async fn serve(client: TcpStream, upstream: String, wiring: Arc<Wiring>) {
    if let Ok(server) = address::connect(&upstream).await {
        wiring.connect().carry(client, server).await;
    }
}
