//! Turns the crank of one proxied connection: reads what its two links want, writes what they give, and ends the
//! sockets as they say. It decides nothing itself.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use tokio::io::{Interest, Ready};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::flow::Ending;
use super::link::Link;
use super::toxic::Stream;

/// Bytes that are read at once, as in the original: a toxic sees chunks of this size at most.
const CHUNK: usize = 32 * 1024;

/// A connection that is open, as the control of its proxy sees it.
#[derive(Debug)]
pub(super) struct Connection {
    links: Mutex<Links>,
    changed: Notify,
    began: Instant,
}

#[derive(Debug)]
struct Links {
    upstream: Link,
    downstream: Link,
}

impl Links {
    fn of(&mut self, stream: Stream) -> &mut Link {
        match stream {
            Stream::Upstream => &mut self.upstream,
            Stream::Downstream => &mut self.downstream,
        }
    }
}

impl Connection {
    /// A connection that begins now. Its links begin at zero.
    pub(super) fn new(upstream: Link, downstream: Link) -> Self {
        let links = Mutex::new(Links { upstream, downstream });
        Self { links, changed: Notify::new(), began: Instant::now() }
    }

    /// Changes one of the links, which has its effect at once.
    pub(super) fn change(&self, stream: Stream, change: impl FnOnce(&mut Link, Duration)) {
        change(self.links().of(stream), self.began.elapsed());
        self.changed.notify_one();
    }

    fn links(&self) -> MutexGuard<'_, Links> {
        self.links.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Carries bytes between the two sockets until both are closed.
    pub(super) async fn carry(&self, client: TcpStream, server: TcpStream) {
        let mut client = Side::new(client);
        let mut server = Side::new(server);
        let mut buffer = vec![0; CHUNK];
        loop {
            let due = {
                let mut links = self.links();
                let now = self.began.elapsed();
                // What ends one way may end the other: the second time tells.
                let mut dues = [None; 2];
                for _ in 0..2 {
                    dues = [
                        settle(&mut links.upstream, &mut client, &mut server, now),
                        settle(&mut links.downstream, &mut server, &mut client, now),
                    ];
                    links.upstream.end_if(client.socket.is_none());
                    links.downstream.end_if(server.socket.is_none());
                }
                dues.into_iter().flatten().min()
            };
            if client.socket.is_none() && server.socket.is_none() {
                return;
            }
            let wake = due.map(|due| self.began + due);
            tokio::select! {
                () = self.changed.notified() => {}
                () = sleep_until(wake) => {}
                ready = client.ready() => self.pump(Stream::Upstream, ready, &mut client, &mut buffer),
                ready = server.ready() => self.pump(Stream::Downstream, ready, &mut server, &mut buffer),
            }
        }
    }

    /// Reads from a socket into the stream that comes from it, and writes what the other one has for it.
    fn pump(&self, stream: Stream, ready: Ready, side: &mut Side, buffer: &mut [u8]) {
        let Some(socket) = &side.socket else { return };
        if side.reads && (ready.is_readable() || ready.is_read_closed()) {
            let mut links = self.links();
            let link = links.of(stream);
            match socket.try_read(buffer) {
                Ok(count) if count > 0 => link.input(self.began.elapsed(), Bytes::copy_from_slice(&buffer[..count])),
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                Ok(_) | Err(_) => link.end_of_input(),
            }
        }
        if !side.writing.is_empty() && (ready.is_writable() || ready.is_write_closed()) {
            match socket.try_write(&side.writing) {
                Ok(count) => drop(side.writing.split_to(count)),
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                // Nobody reads this any more.
                Err(_) => side.close(),
            }
        }
    }
}

/// One of the two sockets.
struct Side {
    /// None once it is closed.
    socket: Option<TcpStream>,
    /// What is to be written to it next.
    writing: Bytes,
    /// Whether the stream that comes from it has room.
    reads: bool,
}

impl Side {
    fn new(socket: TcpStream) -> Self {
        Self { socket: Some(socket), writing: Bytes::new(), reads: false }
    }

    fn close(&mut self) {
        *self = Self { socket: None, writing: Bytes::new(), reads: false };
    }

    fn reset(&mut self) {
        if let Some(socket) = &self.socket {
            // A socket that has lost its peer has nobody to tell.
            let _ = socket.set_zero_linger();
        }
        self.close();
    }

    /// Waits until something can be done that is to be done.
    async fn ready(&self) -> Ready {
        let interest = match (self.reads, !self.writing.is_empty()) {
            (true, true) => Some(Interest::READABLE | Interest::WRITABLE),
            (true, false) => Some(Interest::READABLE),
            (false, true) => Some(Interest::WRITABLE),
            (false, false) => None,
        };
        match (&self.socket, interest) {
            // An error is found again by what is then done.
            (Some(socket), Some(interest)) => socket.ready(interest).await.unwrap_or(Ready::ALL),
            _ => std::future::pending().await,
        }
    }
}

/// Does what a link says now. Gives the moment at which it will say more.
fn settle(link: &mut Link, from: &mut Side, to: &mut Side, now: Duration) -> Option<Duration> {
    let mut due = link.turn(now);
    if to.socket.is_some()
        && to.writing.is_empty()
        && let Some(bytes) = link.output()
    {
        to.writing = bytes;
        due = link.turn(now);
    }
    match link.ending() {
        Some(Ending::Reset) => {
            from.reset();
            to.reset();
        }
        Some(Ending::Close) if to.writing.is_empty() => to.close(),
        Some(Ending::Close) | None => {}
    }
    from.reads = from.socket.is_some() && to.socket.is_some() && link.wants_input();
    due
}

async fn sleep_until(wake: Option<Instant>) {
    match wake {
        Some(wake) => tokio::time::sleep_until(wake).await,
        None => std::future::pending().await,
    }
}
