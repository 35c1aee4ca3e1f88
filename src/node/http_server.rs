//! Serves an axum router over HTTP/1.1, keep-alive included, and over HTTP/2 to who begins with its preface (prior
//! knowledge), plain or over TLS. Knows nothing of what the router answers.
//!
//! `axum::serve` gives each connection a task of its own, which outlives the server; here they die with it.

use std::cell::RefCell;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::rc::{Rc, Weak};
use std::sync::Arc;

use axum::Router;
use futures_util::FutureExt;
use hyper::Request;
use hyper::body::Incoming;
use hyper::rt::Executor;
use hyper::service::{Service, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::ground::{Answers, AnswersHttp, Ground, SimulatedNetwork};

use super::certificate::Certificate;
use super::connections::{listen, serve_each, serve_simulated};
use super::process::Serving;

/// How many streams of HTTP/2 a connection may have open: what RFC 9113 recommends as the least.
const MOST_STREAMS: u32 = 100;
/// How long their headers may be, uncompressed, in bytes.
const LONGEST_HEADERS: u32 = 16 << 10;

/// Who sent a request, by lab address; an extension of every request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer(pub IpAddr);

/// Binds a router to socket addresses of this machine.
///
/// # Errors
/// When one of them cannot be bound; then none is.
pub fn bind(here: &[SocketAddr], router: Router, ground: Ground) -> io::Result<Serving> {
    if let Some(network) = ground.simulated() {
        return listen_simulated(network, here, &router);
    }
    let listeners = listeners(here)?;
    let serving = async move {
        let serve = |stream, from: SocketAddr| serve(stream, Peer(ground.lab_address(from.ip())), router.clone());
        serve_each(listeners, serve).await;
    };
    Ok(serving.boxed_local())
}

/// The same over TLS.
///
/// # Errors
/// When one of the addresses cannot be bound; then none is.
pub fn bind_tls(here: &[SocketAddr], router: Router, ground: Ground, certificate: &Certificate) -> io::Result<Serving> {
    if let Some(network) = ground.simulated() {
        return listen_simulated(network, here, &router);
    }
    let (listeners, acceptor) = (listeners(here)?, certificate.acceptor().clone());
    let serving = async move {
        let serve = |stream, from: SocketAddr| {
            let (handshake, router) = (acceptor.accept(stream), router.clone());
            let peer = Peer(ground.lab_address(from.ip()));
            async move {
                // Who does not get through the handshake has said nothing, and hears no more than TLS says itself.
                if let Ok(stream) = handshake.await {
                    serve(stream, peer, router).await;
                }
            }
        };
        serve_each(listeners, serve).await;
    };
    Ok(serving.boxed_local())
}

/// Without sockets there is no connection to serve: each request goes straight to the router.
fn listen_simulated(network: &SimulatedNetwork, here: &[SocketAddr], router: &Router) -> io::Result<Serving> {
    let router = TowerToHyperService::new(router.clone());
    let answers: Arc<AnswersHttp> = Arc::new(move |from, mut request| {
        request.extensions_mut().insert(Peer(from));
        let answer = router.call(request);
        async move { answer.await.unwrap_or_else(|never| match never {}) }.boxed()
    });
    let listen = |at: &SocketAddr| network.listen(*at, Answers::Http(Arc::clone(&answers)));
    Ok(serve_simulated(here.iter().map(listen).collect::<io::Result<_>>()?))
}

fn listeners(here: &[SocketAddr]) -> io::Result<Vec<TcpListener>> {
    here.iter().copied().map(listen).collect()
}

/// Serves one connection until it ends.
pub(crate) async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin + 'static, peer: Peer, router: Router) {
    let router = TowerToHyperService::new(router);
    let answer = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(peer);
        router.call(request)
    });
    let open = Rc::new(RefCell::new(JoinSet::new()));
    let mut server = auto::Builder::new(Streams(Rc::downgrade(&open)));
    server.http2().max_concurrent_streams(MOST_STREAMS).max_header_list_size(LONGEST_HEADERS);
    // An error here is the peer's end of the connection, and its business.
    let _ = server.serve_connection(TokioIo::new(stream), answer).await;
    drop(open);
}

/// Has the streams of one connection of HTTP/2 answered side by side. They die with it: each holds one of these, and none
/// holds the others.
#[derive(Clone)]
struct Streams(Weak<RefCell<JoinSet<()>>>);

impl<F: Future<Output = ()> + 'static> Executor<F> for Streams {
    fn execute(&self, stream: F) {
        let Some(open) = self.0.upgrade() else { return };
        let mut open = open.borrow_mut();
        // What has ended is forgotten: a connection may live long.
        while open.try_join_next().is_some() {}
        open.spawn_local(stream);
    }
}

#[cfg(test)]
mod tests {
    use axum::Extension;
    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::super::handshake::Handshake;
    use super::super::process::Process;
    use super::super::testbed::{SITE, STRANGER, Testbed, ip, on_loopback};
    use super::*;
    use crate::node::HTTPS_PORT;

    /// A site at port 443 that says who asks.
    fn site(bed: &Testbed) -> (Process, SocketAddr) {
        let ground = bed.environment.ground.clone();
        let here = ground.here(SocketAddr::new(ip(SITE), HTTPS_PORT)).unwrap();
        let certificate = Certificate::self_signed(&["site.example".to_owned(), SITE.to_owned()]).unwrap();
        let router = Router::new().route("/", get(async |Extension(Peer(peer)): Extension<Peer>| peer.to_string()));
        let mut site = Process::new(move || bind_tls(&[here], router.clone(), ground.clone(), &certificate));
        site.start().unwrap();
        (site, here)
    }

    async fn connect(bed: &Testbed, to: SocketAddr) -> TcpStream {
        let from = bed.environment.ground.here(SocketAddr::new(ip(STRANGER), 0)).unwrap();
        super::super::connections::connect(Some(from.ip()), to).await.unwrap()
    }

    const ASK: &[u8] = b"GET / HTTP/1.1\r\nhost: site.example\r\nconnection: close\r\n\r\n";

    #[test]
    fn https_is_served_to_a_peer_that_is_known_by_its_lab_address() {
        on_loopback(1.0, async |bed| {
            let (_site, here) = site(&bed);
            let handshake = Handshake::new(Some("site.example")).unwrap();
            let once = async { panic!("the certificate has the name") };
            let mut stream = handshake.shake(connect(&bed, here).await, once).await.unwrap();
            stream.write_all(ASK).await.unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.unwrap();
            assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.ends_with(STRANGER), "{answer}");
        });
    }

    #[test]
    fn tls_connections_die_with_the_server_the_shaken_and_the_silent() {
        on_loopback(1.0, async |bed| {
            let (mut site, here) = site(&bed);
            let mut silent = connect(&bed, here).await;
            let handshake = Handshake::new(None).unwrap();
            let once = async { panic!("no name was sent") };
            let mut shaken = handshake.shake(connect(&bed, here).await, once).await.unwrap();
            site.kill().await;
            assert!(matches!(shaken.read(&mut [0]).await, Ok(0) | Err(_)));
            assert!(matches!(silent.read(&mut [0]).await, Ok(0) | Err(_)));
        });
    }

    #[test]
    fn who_does_not_speak_tls_is_not_served_and_hinders_nobody() {
        on_loopback(1.0, async |bed| {
            let (_site, here) = site(&bed);
            let mut plain = connect(&bed, here).await;
            plain.write_all(ASK).await.unwrap();
            let mut answer = Vec::new();
            // A TLS alert, if anything.
            let _ = plain.read_to_end(&mut answer).await;
            assert!(!answer.starts_with(b"HTTP"), "{answer:?}");
            let once = async { panic!("no name was sent") };
            Handshake::new(None).unwrap().shake(connect(&bed, here).await, once).await.unwrap();
        });
    }
}
