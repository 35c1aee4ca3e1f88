//! A Toxiproxy: proxies for TCP that make a network bad, and the HTTP API by which clients of Shopify's Toxiproxy 2
//! control them. It knows nothing of labs, drills or DNS.
//!
//! The core library of `noxious` (1.0.4, of 2021) is not used: it has no `reset_peer`; its `bandwidth` sends 100 bytes
//! where it means 100 times the rate, and then panics; and each change of a toxic tears down and joins the links of every
//! connection, so that the undo waits for whatever is stuck.
//!
//! [`toxics`] and `link` decide, in pure time; `connection` turns the crank on sockets; `proxies` is the control, which
//! `api` speaks HTTP for. Times of toxics are wall time, as clients expect.

mod address;
mod api;
mod connection;
mod flow;
mod link;
mod problem;
mod proxies;
mod proxy;
mod stoppable;
mod toxic;
pub mod toxics;

use std::io;
use std::net::SocketAddr;

use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use rand::RngExt;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::node::connections::{listen, serve_each};
use crate::node::http_server::{self, Peer};
use crate::node::process::Serving;

pub use problem::Problem;
pub use proxies::{Proxies, ProxyChange, ProxyPlan, ToxicChange};
pub use proxy::ProxyState;
pub use toxic::{Kind, Stream, Toxic};

use stoppable::Polled;

/// The port of the API by convention.
pub const API_PORT: u16 = 8474;

/// A server whose API is bound.
pub struct Server {
    /// Where its API is, with the port that is bound.
    pub api: SocketAddr,
    /// Its proxies, for whoever needs no HTTP.
    pub proxies: Proxies,
    /// Serves the API and all proxies while it is polled. Dropping it closes every socket, stuck ones too.
    pub serving: Serving,
}

/// Binds a server without proxies; its API listens at this address of this machine when this returns. To be called
/// inside a runtime. All chance of its toxics comes from the seed.
///
/// # Errors
/// When the address cannot be bound.
pub fn bind(api: SocketAddr, seed: u64) -> io::Result<Server> {
    let listener = listen(api)?;
    let api = listener.local_addr()?;
    let (proxies, taken_up) = proxies(seed);
    let router = api::router(proxies.clone());
    let answering = async move {
        let serve = |stream, from: SocketAddr| http_server::serve(stream, Peer(from.ip()), router.clone());
        serve_each(vec![listener], serve).await;
    };
    let serving = async move { futures_util::future::join(answering, poll_each(taken_up)).await }.map(drop);
    Ok(Server { api, proxies, serving: serving.boxed_local() })
}

/// Proxies that are controlled by this process only, and what serves them while it is polled. Dropping that closes
/// every socket; so does dropping the last handle.
#[must_use]
pub fn without_api(seed: u64) -> (Proxies, Serving) {
    let (proxies, taken_up) = proxies(seed);
    (proxies, poll_each(taken_up).boxed_local())
}

/// Serves a Toxiproxy with its API at this address for as long as it is polled.
///
/// # Errors
/// When the address cannot be bound.
pub async fn serve(api: SocketAddr) -> io::Result<()> {
    bind(api, rand::rng().random())?.serving.await;
    Ok(())
}

fn proxies(seed: u64) -> (Proxies, UnboundedReceiver<Polled>) {
    let (sender, receiver) = unbounded_channel();
    (Proxies::new(seed, sender), receiver)
}

/// Runs the proxies that are taken up. Whoever drops it drops all of them, those that were never polled too.
async fn poll_each(mut taken_up: UnboundedReceiver<Polled>) {
    let mut running = FuturesUnordered::new();
    loop {
        tokio::select! {
            Some(proxy) = taken_up.recv() => running.push(proxy),
            Some(()) = running.next() => {}
            else => return,
        }
    }
}
