//! Queries over real sockets, by bytes: what a server sends is handed on as it came.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use futures_util::{Stream, StreamExt, stream};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, UdpSocket};
use tokio::runtime::Runtime;
use tokio::time::timeout;

use crate::dns_message::Transport;

use super::explanation::Explanation;
use super::lab::Query;

/// How long an answer may take, and how often it is asked for over UDP. Wall time: it guards the lab, and no scenario sees it.
const PATIENCE: Duration = Duration::from_secs(2);
const TRIES: usize = 3;
/// Questions under way at once: well below what fits into a socket's buffer.
const MOST_UNDER_WAY: usize = 64;

/// The runtime of a lab's sockets, on the scenario's own thread.
pub(super) fn runtime() -> Result<Runtime, Explanation> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|problem| Explanation::lab_broke(format!("no runtime for sockets: {problem}")))
}

/// From where to where a query goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Route {
    /// The asker; port 0 is any, and each query has its own.
    pub(super) source: SocketAddr,
    /// Who is asked.
    pub(super) server: SocketAddr,
}

/// What comes back to these queries, in their order.
pub(super) fn exchange<'q>(
    queries: impl IntoIterator<Item = (Route, Query<'q>)>,
) -> impl Stream<Item = io::Result<Vec<u8>>> {
    stream::iter(queries).map(|(route, query)| route.exchange(query)).buffered(MOST_UNDER_WAY)
}

impl Route {
    async fn exchange(self, query: Query<'_>) -> io::Result<Vec<u8>> {
        match query.transport {
            Transport::Udp => self.by_udp(query.bytes).await,
            Transport::Tcp => timeout(PATIENCE, self.by_tcp(query.bytes)).await?,
        }
    }

    async fn by_udp(self, query: &[u8]) -> io::Result<Vec<u8>> {
        let socket = UdpSocket::bind(self.source).await?;
        socket.connect(self.server).await?;
        let mut stranger = None;
        for _ in 0..TRIES {
            socket.send(query).await?;
            if let Ok(answer) = timeout(PATIENCE, answer_to(query, &socket, &mut stranger)).await {
                return answer;
            }
        }
        stranger.ok_or_else(|| io::ErrorKind::TimedOut.into())
    }

    async fn by_tcp(self, query: &[u8]) -> io::Result<Vec<u8>> {
        let socket = if self.server.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        socket.bind(self.source)?;
        let mut stream = socket.connect(self.server).await?;
        let length = u16::try_from(query.len()).map_err(io::Error::other)?;
        stream.write_all(&[&length.to_be_bytes(), query].concat()).await?;
        let length = stream.read_u16().await?;
        let mut answer = vec![0; usize::from(length)];
        stream.read_exact(&mut answer).await?;
        Ok(answer)
    }
}

/// The next datagram with the id of the query. One with another id may be forged: the answer is waited for behind it, and
/// only when none comes is it what came.
async fn answer_to(query: &[u8], socket: &UdpSocket, stranger: &mut Option<Vec<u8>>) -> io::Result<Vec<u8>> {
    loop {
        let datagram = receive(socket).await?;
        if datagram.get(..2) == query.get(..2) {
            return Ok(datagram);
        }
        *stranger = Some(datagram);
    }
}

/// The next datagram.
async fn receive(socket: &UdpSocket) -> io::Result<Vec<u8>> {
    let mut answer = vec![0; usize::from(u16::MAX)];
    let length = socket.recv(&mut answer).await?;
    answer.truncate(length);
    Ok(answer)
}
