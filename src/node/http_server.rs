//! Serves an axum router over HTTP/1.1, keep-alive included. Knows nothing of what the router answers.
//!
//! `axum::serve` gives each connection a task of its own, which outlives the server; here they die with it.

use std::io;
use std::net::{IpAddr, SocketAddr};

use axum::Router;
use futures_util::FutureExt;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;

use crate::ground::Ground;

use super::connections::{listen, serve_each};
use super::process::Serving;

/// Who sent a request, by lab address; an extension of every request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer(pub IpAddr);

/// Binds a router to socket addresses of this machine.
///
/// # Errors
/// When one of them cannot be bound; then none is.
pub fn bind(here: &[SocketAddr], router: Router, ground: Ground) -> io::Result<Serving> {
    let listeners = here.iter().copied().map(listen).collect::<io::Result<Vec<_>>>()?;
    Ok(async move {
        serve_each(listeners, |stream, from| {
            let peer = Peer(ground.lab_address(from.ip()));
            let router = TowerToHyperService::new(router.clone());
            let answer = service_fn(move |mut request: Request<Incoming>| {
                request.extensions_mut().insert(peer);
                router.call(request)
            });
            // An error here is the peer's end of the connection, and its business.
            http1::Builder::new().serve_connection(TokioIo::new(stream), answer).map(drop)
        })
        .await;
    }
    .boxed_local())
}
