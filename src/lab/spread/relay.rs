//! Passes connections on between a socket of the file system and a TCP port: the operator's switches are reached by a
//! path where muster runs, and live in the hub.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::task::JoinSet;

use super::Token;

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

/// Passes on whoever comes to `listener` and says the token to the socket at this path, until it is dropped.
pub(super) async fn to_a_path(listener: TcpListener, path: PathBuf, token: Token) {
    let carry = move |mut one: TcpStream| {
        let (path, token) = (path.clone(), token.clone());
        async move {
            if token.is_said(&mut one).await {
                let mut other = UnixStream::connect(path).await?;
                copy_bidirectional(&mut one, &mut other).await?;
            }
            Ok(())
        }
    };
    relay(listener, carry).await;
}

/// Passes on whoever comes to `listener` to this port, to which it says the token, until it is dropped.
pub async fn to_a_port(listener: UnixListener, port: SocketAddr, token: Token) {
    let carry = move |mut one: UnixStream| {
        let token = token.clone();
        async move {
            let mut other = TcpStream::connect(port).await?;
            token.say(&mut other).await?;
            copy_bidirectional(&mut one, &mut other).await?;
            Ok(())
        }
    };
    relay(listener, carry).await;
}

/// Has each connection carried, a limited number at a time.
async fn relay<D, Carrying>(door: D, carry: impl Fn(D::Stream) -> Carrying)
where
    D: Door,
    Carrying: Future<Output = io::Result<()>> + Send + 'static,
{
    let mut open = JoinSet::new();
    loop {
        while open.len() >= MOST {
            open.join_next().await;
        }
        let Ok(one) = door.next().await else {
            tokio::time::sleep(ACCEPTS_AGAIN).await;
            continue;
        };
        let carrying = carry(one);
        open.spawn(async move {
            // Nobody there is an end of the connection, which is what the other side sees.
            let _ = carrying.await;
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    /// What is heard of a service at a path, through both relays, when the near one says this token.
    async fn heard(due: &Token, said: &Token) -> String {
        let folder = tempfile::tempdir().unwrap();
        let [near, far] = ["near", "far"].map(|name| folder.path().join(name));
        let service = UnixListener::bind(&far).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at = port.local_addr().unwrap();
        let mut running = JoinSet::new();
        running.spawn(to_a_path(port, far, due.clone()));
        running.spawn(to_a_port(UnixListener::bind(&near).unwrap(), at, said.clone()));
        running.spawn(async move {
            let (mut stream, _) = service.accept().await.unwrap();
            let mut question = [0; 4];
            stream.read_exact(&mut question).await.unwrap();
            stream.write_all(b"on: ").await.unwrap();
            stream.write_all(&question).await.unwrap();
        });
        let mut asking = UnixStream::connect(near).await.unwrap();
        asking.write_all(b"east").await.unwrap();
        let mut answer = Vec::new();
        // One that is turned away may be reset.
        let _ = asking.read_to_end(&mut answer).await;
        String::from_utf8(answer).unwrap()
    }

    #[test]
    fn a_switch_is_reached_through_both_relays_and_not_with_another_token() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let token = Token::of_chance();
            assert_eq!(heard(&token, &token).await, "on: east");
            assert_eq!(heard(&token, &Token::of_chance()).await, "");
        });
    }

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
        let relaying = relay(Jammed(&tries), |_| std::future::ready(Ok(())));
        assert!(tokio::time::timeout(ACCEPTS_AGAIN * 3, relaying).await.is_err());
        // As many at most, however slow the machine is.
        assert!(tries.load(Ordering::Relaxed) <= 4, "{tries:?}");
    }
}
