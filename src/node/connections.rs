//! Listening sockets, and the connections that hang on them. Knows no protocol.
//!
//! All connections of a server live inside its one future, not in tasks of their own: dropping the future closes
//! them at once, and a killed node leaves nothing behind.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};

use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use crate::ground::{Answers, Ground, Listening};

use super::process::Serving;

const BACKLOG: u32 = 1024;

/// Listens at a socket address of this machine. A node that was just killed there is no obstacle.
///
/// # Errors
/// When the address cannot be bound.
pub(crate) fn listen(here: SocketAddr) -> io::Result<TcpListener> {
    let bound = socket_for(here.ip()).and_then(|socket| {
        socket.set_reuseaddr(true)?;
        socket.bind(here)?;
        socket.listen(BACKLOG)
    });
    bound.map_err(|error| io::Error::new(error.kind(), format!("cannot listen at {here}: {error}")))
}

/// Connects to a socket address of this machine, from one of its addresses if that is given.
///
/// # Errors
/// When there is no connection.
pub(super) async fn connect(from: Option<IpAddr>, here: SocketAddr) -> io::Result<TcpStream> {
    let socket = socket_for(here.ip())?;
    if let Some(from) = from {
        socket.bind(SocketAddr::new(from, 0))?;
    }
    let stream = socket.connect(here).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Connects, and hangs up at once.
///
/// # Errors
/// When there is no connection.
pub(super) async fn reach(ground: &Ground, here: SocketAddr) -> io::Result<()> {
    match ground.simulated() {
        Some(network) => network.connect(here).map(drop),
        None => connect(None, here).await.map(drop),
    }
}

/// Accepts connections at a socket address of this machine and says nothing, for as long as it is polled. It is bound
/// when this returns.
///
/// # Errors
/// When the address cannot be bound.
pub(super) fn accept(ground: &Ground, here: SocketAddr) -> io::Result<Serving> {
    if let Some(network) = ground.simulated() {
        return Ok(serve_simulated(vec![network.listen(here, Answers::Nothing)?]));
    }
    let listener = listen(here)?;
    Ok(async move { serve_each(vec![listener], |stream, _| async move { drop(stream) }).await }.boxed_local())
}

/// Listens on a simulated network for as long as it is polled.
pub(super) fn serve_simulated(listening: Vec<Listening>) -> Serving {
    async move {
        let _listening = listening;
        std::future::pending::<()>().await;
    }
    .boxed_local()
}

/// Serves each connection that comes in at any of the listeners, for as long as it is polled.
pub(crate) async fn serve_each<F>(listeners: Vec<TcpListener>, serve: impl Fn(TcpStream, SocketAddr) -> F)
where
    F: Future<Output = ()>,
{
    join_all(listeners.iter().map(|listener| serve_listener(listener, &serve))).await;
}

async fn serve_listener<F>(listener: &TcpListener, serve: &impl Fn(TcpStream, SocketAddr) -> F)
where
    F: Future<Output = ()>,
{
    let mut open = FuturesUnordered::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    // Without it each small answer waits for an acknowledgement; a connection works either way.
                    let _ = stream.set_nodelay(true);
                    open.push(serve(stream, peer));
                }
                // The peer has gone, or this machine is out of descriptors: then an end of a connection frees one.
                Err(_) => if open.next().await.is_none() { tokio::task::yield_now().await },
            },
            Some(()) = open.next() => {}
        }
    }
}

fn socket_for(address: IpAddr) -> io::Result<TcpSocket> {
    if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }
}
