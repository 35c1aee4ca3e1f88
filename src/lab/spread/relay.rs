//! Passes connections on between a socket of the file system and a TCP port: the operator's switches are reached by a
//! path where muster runs, and live in the hub.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::task::JoinSet;

/// Connections at a time; more wait.
const MOST: usize = 16;
/// From one attempt to accept to the next: what keeps it from that, such as too many open files, may last. Wall time.
pub(super) const ACCEPTS_AGAIN: Duration = Duration::from_millis(100);

/// Where connections come to.
trait Door {
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    fn next(&self) -> impl Future<Output = io::Result<Self::Stream>> + Send;
}

impl Door for TcpListener {
    type Stream = TcpStream;

    async fn next(&self) -> io::Result<TcpStream> {
        Ok(self.accept().await?.0)
    }
}

impl Door for UnixListener {
    type Stream = UnixStream;

    async fn next(&self) -> io::Result<UnixStream> {
        Ok(self.accept().await?.0)
    }
}

/// Passes on whatever comes to `listener` to the socket at this path, until it is dropped.
pub(super) async fn to_a_path(listener: TcpListener, path: PathBuf) {
    relay(listener, move || UnixStream::connect(path.clone())).await;
}

/// Passes on whatever comes to `listener` to this port, until it is dropped.
pub async fn to_a_port(listener: UnixListener, port: SocketAddr) {
    relay(listener, move || TcpStream::connect(port)).await;
}

async fn relay<Other, Reaching>(door: impl Door, reach: impl Fn() -> Reaching)
where
    Other: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    Reaching: Future<Output = io::Result<Other>> + Send + 'static,
{
    let mut open = JoinSet::new();
    loop {
        while open.len() >= MOST {
            open.join_next().await;
        }
        let Ok(mut one) = door.next().await else {
            tokio::time::sleep(ACCEPTS_AGAIN).await;
            continue;
        };
        let reaching = reach();
        open.spawn(async move {
            // Nobody there is an end of the connection, which is what the other side sees.
            if let Ok(mut other) = reaching.await {
                let _ = copy_bidirectional(&mut one, &mut other).await;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    struct Jammed<'a>(&'a AtomicU32);

    impl Door for Jammed<'_> {
        type Stream = TcpStream;

        async fn next(&self) -> io::Result<TcpStream> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Err(io::Error::other("too many open files"))
        }
    }

    #[tokio::test]
    async fn who_cannot_accept_waits_before_it_tries_again() {
        let tries = AtomicU32::new(0);
        let relaying = relay(Jammed(&tries), || TcpStream::connect("127.0.0.1:1"));
        assert!(tokio::time::timeout(ACCEPTS_AGAIN * 3, relaying).await.is_err());
        // As many at most, however slow the machine is.
        assert!(tries.load(Ordering::Relaxed) <= 4, "{tries:?}");
    }
}
