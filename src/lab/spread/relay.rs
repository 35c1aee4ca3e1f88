//! Passes connections on between a socket of the file system and a TCP port: the operator's switches are reached by a
//! path where muster runs, and live in the hub.

use std::net::SocketAddr;
use std::path::PathBuf;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::task::JoinSet;

/// Connections at a time; more wait.
const MOST: usize = 16;

/// Passes on whatever comes to `listener` to the socket at this path, until it is dropped.
pub(super) async fn to_a_path(listener: TcpListener, path: PathBuf) {
    let mut open = JoinSet::new();
    loop {
        while open.len() >= MOST {
            open.join_next().await;
        }
        let Ok((mut stream, _)) = listener.accept().await else {
            tokio::task::yield_now().await;
            continue;
        };
        let path = path.clone();
        open.spawn(async move {
            // Nobody there is an end of the connection, which is what the other side sees.
            if let Ok(mut other) = UnixStream::connect(path).await {
                let _ = copy_bidirectional(&mut stream, &mut other).await;
            }
        });
    }
}

/// Passes on whatever comes to `listener` to this port, until it is dropped.
pub async fn to_a_port(listener: UnixListener, port: SocketAddr) {
    let mut open = JoinSet::new();
    loop {
        while open.len() >= MOST {
            open.join_next().await;
        }
        let Ok((mut stream, _)) = listener.accept().await else {
            tokio::task::yield_now().await;
            continue;
        };
        open.spawn(async move {
            if let Ok(mut other) = TcpStream::connect(port).await {
                let _ = copy_bidirectional(&mut stream, &mut other).await;
            }
        });
    }
}
