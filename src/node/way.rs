//! The way to a server inside a cell, with a Toxiproxy on it: a fault stalls it, and touches nothing of the server.

use std::io;
use std::net::SocketAddr;

use tokio::sync::watch;

use crate::ground::{Answers, Ground, SimulatedWay};
use crate::toxiproxy::toxics::Timeout;
use crate::toxiproxy::{Kind, Problem, Proxies, Stream, Toxic, without_api};

use super::connections::serve_simulated;
use super::process::Serving;

/// The name of the one proxy on a way.
const PROXY: &str = "way";

/// Stalls a way, or lets bytes through again; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Stall(watch::Sender<bool>);

impl Default for Stall {
    /// Bytes get through.
    fn default() -> Self {
        Self(watch::Sender::new(false))
    }
}

impl Stall {
    /// From now on bytes get through, or none does. Connections that were stuck when they do again are closed.
    pub(super) fn set(&self, stalled: bool) {
        self.0.send_if_modified(|now| std::mem::replace(now, stalled) != stalled);
    }
}

/// Binds a way that begins `here` and leads to the server `behind`. Where toxics draw, they draw from the seed.
///
/// # Errors
/// When the address cannot be bound.
pub(super) fn bind(
    ground: &Ground,
    here: SocketAddr,
    behind: SocketAddr,
    stall: &Stall,
    seed: u64,
) -> io::Result<Serving> {
    let mut stalled = stall.0.subscribe();
    if let Some(network) = ground.simulated() {
        let way = SimulatedWay { network: network.clone(), server: behind, stalled };
        return Ok(serve_simulated(vec![network.listen(here, Answers::Behind(way))?]));
    }
    let (proxies, serving) = without_api(seed);
    proxies.create_between(PROXY, here, behind).map_err(io::Error::other)?;
    poison(&proxies, *stalled.borrow_and_update()).map_err(io::Error::other)?;
    let following = async move {
        while stalled.changed().await.is_ok() {
            // The one proxy is never deleted, and each toxic is set and taken away in turn.
            let _ = poison(&proxies, *stalled.borrow_and_update());
        }
        // Nobody is left who could stall it: it stays as it is.
        std::future::pending::<()>().await;
    };
    Ok(Box::pin(async move {
        tokio::select! {
            () = serving => {}
            () = following => {}
        }
    }))
}

fn poison(proxies: &Proxies, stalled: bool) -> Result<(), Problem> {
    for stream in [Stream::Upstream, Stream::Downstream] {
        let toxic = Toxic::new(Kind::Timeout(Timeout { timeout: 0 }), stream);
        let is_there = proxies.toxic(PROXY, &toxic.name).is_ok();
        match (stalled, is_there) {
            (true, false) => proxies.add_toxic(PROXY, &toxic)?,
            (false, true) => proxies.remove_toxic(PROXY, &toxic.name)?,
            (true, true) | (false, false) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::Router;
    use axum::routing::get;

    use super::super::http_client::HttpClient;
    use super::super::http_server;
    use super::super::process::Process;
    use super::super::testbed::{EAST, Testbed, ip, on_loopback};
    use super::*;

    /// Longer than an answer takes on a busy machine.
    const LONG: Duration = Duration::from_secs(2);

    /// A server, the way to it, and the address at which the way begins.
    fn server(bed: &Testbed, stall: &Stall) -> (Process, Process, SocketAddr) {
        let ground = bed.environment.ground.clone();
        let at = |port| ground.here(SocketAddr::new(ip(EAST), port)).unwrap();
        let (front, behind) = (at(8000), at(8001));
        let router = Router::new().route("/", get(async || "well"));
        let (own, serving) = (ground.clone(), router);
        let mut server = Process::new(move || http_server::bind(&[behind], serving.clone(), own.clone()));
        let (stall, on) = (stall.clone(), ground.clone());
        let mut way = Process::new(move || bind(&on, front, behind, &stall, 7));
        server.start().unwrap();
        way.start().unwrap();
        (server, way, front)
    }

    #[test]
    fn a_stalled_way_on_sockets_answers_nobody_and_hangs_up_on_the_stuck_when_it_is_let_go() {
        on_loopback(1.0, async |bed| {
            let stall = Stall::default();
            let (mut server, mut way, front) = server(&bed, &stall);
            let client = HttpClient::fresh(&bed.environment.ground, None).unwrap();
            let url = format!("http://{front}/");
            let clock = &bed.environment.clock;
            assert_eq!(client.get(&url).await.unwrap().status(), 200);

            stall.set(true);
            // The first may meet the proxy before it knows; what is asked afterwards is stuck.
            assert!(
                clock.within(LONG, client.get(&url)).await.is_err()
                    || clock.within(LONG, client.get(&url)).await.is_err()
            );
            let stuck = client.get(&url);
            let let_go = async {
                clock.sleep_until(clock.now() + LONG).await;
                stall.set(false);
            };
            let (stuck, ()) = futures_util::future::join(stuck, let_go).await;
            stuck.expect_err("who is stuck is hung up on");
            assert_eq!(client.get(&url).await.unwrap().status(), 200);

            stall.set(true);
            way.kill().await;
            assert!(client.get(&url).await.is_err(), "a way that is gone refuses");
            way.start().unwrap();
            assert!(clock.within(LONG, client.get(&url)).await.is_err(), "a new one is stalled as the old one was");
            stall.set(false);
            server.kill().await;
            assert!(client.get(&url).await.is_err(), "behind the way nobody answers");
        });
    }
}
