//! Passes connections on between a socket of the file system and a TCP port: the operator's switches are reached by a
//! path where muster runs, and live in the hub.

use std::net::SocketAddr;
use std::path::PathBuf;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::task::JoinSet;

use super::Token;

/// Connections at a time; more wait.
const MOST: usize = 16;

/// Passes on whoever comes to `listener` and says the token to the socket at this path, until it is dropped.
pub(super) async fn to_a_path(listener: TcpListener, path: PathBuf, token: Token) {
    let mut open = JoinSet::new();
    loop {
        while open.len() >= MOST {
            open.join_next().await;
        }
        let Ok((mut stream, _)) = listener.accept().await else {
            tokio::task::yield_now().await;
            continue;
        };
        let (path, token) = (path.clone(), token.clone());
        open.spawn(async move {
            if !token.is_said(&mut stream).await {
                return;
            }
            // Nobody there is an end of the connection, which is what the other side sees.
            if let Ok(mut other) = UnixStream::connect(path).await {
                let _ = copy_bidirectional(&mut stream, &mut other).await;
            }
        });
    }
}

/// Passes on whoever comes to `listener` to this port, to which it says the token, until it is dropped.
pub async fn to_a_port(listener: UnixListener, port: SocketAddr, token: Token) {
    let mut open = JoinSet::new();
    loop {
        while open.len() >= MOST {
            open.join_next().await;
        }
        let Ok((mut stream, _)) = listener.accept().await else {
            tokio::task::yield_now().await;
            continue;
        };
        let token = token.clone();
        open.spawn(async move {
            let Ok(mut other) = TcpStream::connect(port).await else { return };
            if token.say(&mut other).await.is_ok() {
                let _ = copy_bidirectional(&mut stream, &mut other).await;
            }
        });
    }
}

#[cfg(test)]
mod tests {
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
}
