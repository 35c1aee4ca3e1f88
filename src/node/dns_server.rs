//! UDP and TCP sockets of a DNS server. What is answered is somebody else's; nothing here reads a message.

use std::cell::Cell;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::dns_message::Transport;
use crate::ground::{Answers, AnswersDns, Ground, Listening, SimulatedNetwork};

use super::DNS_PORT;
use super::wire_ttl::to_wire;

/// Queries of one UDP socket that are being answered at once; more are dropped, as by a full socket buffer.
const MOST_QUERIES: usize = 512;
/// Open TCP connections of one listener; more are closed at once.
const MOST_CONNECTIONS: usize = 64;
/// A TCP connection on which nothing arrives for this long is closed. Wall time: it guards this machine's sockets,
/// and the drill does not see it.
const IDLE: Duration = Duration::from_secs(10);

/// What answers the queries of a DNS server.
pub trait Answering: 'static {
    /// The answer's bytes to the query's, which came from a lab address; `None` for no answer at all.
    fn answer(&self, query: Vec<u8>, from: IpAddr, transport: Transport) -> impl Future<Output = Option<Vec<u8>>>;
}

/// Why a DNS server does not serve.
#[derive(Debug, thiserror::Error)]
pub enum DnsServerError {
    /// The ground carries none of the server's addresses.
    #[error("a DNS server has none of its addresses ({addresses}) on this ground")]
    Nowhere {
        /// The lab addresses.
        addresses: String,
    },
    /// A socket could not be bound.
    #[error("failed to bind {lab} port 53 (here {here}) over {transport:?}: {problem}")]
    Bind {
        /// The lab address.
        lab: IpAddr,
        /// The socket address that stands for it.
        here: SocketAddr,
        /// Which of the two sockets.
        transport: Transport,
        /// What the kernel said.
        problem: io::Error,
    },
}

/// A DNS server that serves. Dropping it ends it, with all its connections and the queries under way.
#[derive(Debug)]
#[must_use = "a DNS server ends when it is dropped"]
pub struct DnsServer {
    loops: JoinSet<()>,
}

impl DnsServer {
    /// Binds UDP and TCP port 53 of every lab address that the ground carries, and serves. To be called inside a
    /// `LocalSet`. The sockets are bound when this returns.
    ///
    /// # Errors
    /// When the ground carries none of the addresses, or one cannot be bound.
    pub async fn start<A: Answering>(
        ground: &Ground,
        addresses: &[IpAddr],
        answering: Rc<A>,
    ) -> Result<Self, DnsServerError> {
        if let Some(network) = ground.simulated() {
            return Self::start_simulated(network, addresses, &answering);
        }
        let mut bound = Vec::new();
        for &lab in addresses {
            let Some(here) = ground.here(SocketAddr::new(lab, DNS_PORT)) else { continue };
            let refused = |transport| move |problem| DnsServerError::Bind { lab, here, transport, problem };
            let udp = UdpSocket::bind(here).await.map_err(refused(Transport::Udp))?;
            let tcp = TcpListener::bind(here).await.map_err(refused(Transport::Tcp))?;
            bound.push((udp, tcp));
        }
        if bound.is_empty() {
            let addresses = addresses.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            return Err(DnsServerError::Nowhere { addresses });
        }
        let mut loops = JoinSet::new();
        for (udp, tcp) in bound {
            loops.spawn_local(serve_udp(Rc::new(udp), ground.clone(), Rc::clone(&answering)));
            loops.spawn_local(serve_tcp(tcp, ground.clone(), Rc::clone(&answering)));
        }
        Ok(Self { loops })
    }

    /// Without sockets every query comes by a channel, since who answers stays on the lab's thread.
    fn start_simulated<A: Answering>(
        network: &SimulatedNetwork,
        addresses: &[IpAddr],
        answering: &Rc<A>,
    ) -> Result<Self, DnsServerError> {
        let mut loops = JoinSet::new();
        for &lab in addresses {
            let (ask, queries) = mpsc::unbounded_channel();
            let answers: Arc<AnswersDns> = Arc::new(move |query, from| {
                let (reply, replied) = oneshot::channel();
                // A server that is gone drops the question, and with it the hope of a reply.
                let _ = ask.send(Carried { query, from, reply });
                replied.map(|reply| reply.ok().flatten()).boxed()
            });
            let here = SocketAddr::new(lab, DNS_PORT);
            let refused = |problem| DnsServerError::Bind { lab, here, transport: Transport::Tcp, problem };
            let listening = network.listen(here, Answers::Dns(answers)).map_err(refused)?;
            loops.spawn_local(serve_simulated(listening, queries, Rc::clone(answering)));
        }
        Ok(Self { loops })
    }

    /// Ends the server. Every socket is closed when this returns.
    pub async fn stop(mut self) {
        self.loops.shutdown().await;
    }
}

async fn serve_udp<A: Answering>(socket: Rc<UdpSocket>, ground: Ground, answering: Rc<A>) {
    let mut buffer = vec![0; usize::from(u16::MAX)];
    let mut queries = JoinSet::new();
    loop {
        // An error here belongs to a datagram that was sent before; the next one may be fine.
        let Ok((length, peer)) = socket.recv_from(&mut buffer).await else {
            tokio::task::yield_now().await;
            continue;
        };
        while queries.try_join_next().is_some() {}
        if queries.len() >= MOST_QUERIES {
            continue;
        }
        let (socket, answering, ground) = (Rc::clone(&socket), Rc::clone(&answering), ground.clone());
        let (query, from) = (buffer[..length].to_vec(), ground.lab_address(peer.ip()));
        queries.spawn_local(async move {
            if let Some(answer) = answering.answer(query, from, Transport::Udp).await {
                // The asker may be gone; UDP promises nothing.
                let _ = socket.send_to(&to_wire(&ground, answer), peer).await;
            }
        });
    }
}

/// A query on a simulated network.
struct Carried {
    query: Vec<u8>,
    from: IpAddr,
    reply: oneshot::Sender<Option<Vec<u8>>>,
}

async fn serve_simulated<A: Answering>(
    _listening: Listening,
    mut queries: mpsc::UnboundedReceiver<Carried>,
    answering: Rc<A>,
) {
    let mut under_way = JoinSet::new();
    while let Some(Carried { query, from, reply }) = queries.recv().await {
        while under_way.try_join_next().is_some() {}
        let answering = Rc::clone(&answering);
        under_way.spawn_local(async move {
            // The asker may be gone. No answer is too long here, as none is over TCP.
            let _ = reply.send(answering.answer(query, from, Transport::Tcp).await);
        });
    }
}

async fn serve_tcp<A: Answering>(listener: TcpListener, ground: Ground, answering: Rc<A>) {
    let mut connections = JoinSet::new();
    let open = Rc::new(Cell::new(0));
    loop {
        let Ok((stream, peer)) = listener.accept().await else {
            tokio::task::yield_now().await;
            continue;
        };
        while connections.try_join_next().is_some() {}
        if open.get() >= MOST_CONNECTIONS {
            continue;
        }
        let (open, answering, ground) = (Rc::clone(&open), Rc::clone(&answering), ground.clone());
        let from = ground.lab_address(peer.ip());
        open.set(open.get() + 1);
        connections.spawn_local(async move {
            // Broken off, idle or done: a DNS client asks again on a new connection.
            let _ = serve_connection(stream, from, &ground, &*answering).await;
            open.set(open.get() - 1);
        });
    }
}

async fn serve_connection<A: Answering>(
    mut stream: TcpStream,
    from: IpAddr,
    ground: &Ground,
    answering: &A,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    loop {
        let length = timeout(IDLE, stream.read_u16()).await??;
        let mut query = vec![0; usize::from(length)];
        timeout(IDLE, stream.read_exact(&mut query)).await??;
        let Some(answer) = answering.answer(query, from, Transport::Tcp).await else { return Ok(()) };
        let answer = to_wire(ground, answer);
        let length = u16::try_from(answer.len()).map_err(io::Error::other)?;
        let mut framed = length.to_be_bytes().to_vec();
        framed.extend(answer);
        timeout(IDLE, stream.write_all(&framed)).await??;
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::task::LocalSet;

    use super::*;
    use crate::ground::GroundKind;

    /// Answers with what it was asked and who asked.
    struct Echo;

    impl Answering for Echo {
        async fn answer(&self, query: Vec<u8>, from: IpAddr, transport: Transport) -> Option<Vec<u8>> {
            let query = String::from_utf8(query).ok()?;
            Some(format!("{query} from {from} over {transport:?}").into_bytes())
        }
    }

    const SERVER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(198, 51, 100, 53));
    const CLIENT: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));

    fn with_a_server(test: impl AsyncFnOnce(Ground, DnsServer)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        LocalSet::new().block_on(&runtime, async {
            let ground = Ground::open(GroundKind::Loopback, &[SERVER, CLIENT]).await.unwrap();
            let server = DnsServer::start(&ground, &[SERVER], Rc::new(Echo)).await.unwrap();
            test(ground, server).await;
        });
    }

    async fn connect(ground: &Ground) -> TcpStream {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind(ground.here(SocketAddr::new(CLIENT, 0)).unwrap()).unwrap();
        socket.connect(ground.here(SocketAddr::new(SERVER, DNS_PORT)).unwrap()).await.unwrap()
    }

    async fn ask(stream: &mut TcpStream, query: &[u8]) -> String {
        stream.write_u16(u16::try_from(query.len()).unwrap()).await.unwrap();
        stream.write_all(query).await.unwrap();
        let length = stream.read_u16().await.unwrap();
        let mut answer = vec![0; usize::from(length)];
        stream.read_exact(&mut answer).await.unwrap();
        String::from_utf8(answer).unwrap()
    }

    #[test]
    fn several_queries_on_one_connection_are_answered_with_the_askers_lab_address() {
        with_a_server(async |ground, _server| {
            let mut stream = connect(&ground).await;
            for query in ["one", "two"] {
                assert_eq!(ask(&mut stream, query.as_bytes()).await, format!("{query} from {CLIENT} over Tcp"));
            }
        });
    }

    #[test]
    fn open_connections_end_with_the_server() {
        with_a_server(async |ground, server| {
            let mut stream = connect(&ground).await;
            ask(&mut stream, b"one").await;
            server.stop().await;
            assert!(matches!(stream.read(&mut [0]).await, Ok(0) | Err(_)));
        });
    }

    #[test]
    fn more_connections_than_the_bound_are_closed_and_those_before_go_on() {
        with_a_server(async |ground, _server| {
            let mut streams = Vec::new();
            for _ in 0..MOST_CONNECTIONS {
                let mut stream = connect(&ground).await;
                ask(&mut stream, b"hello").await;
                streams.push(stream);
            }
            assert!(matches!(connect(&ground).await.read(&mut [0]).await, Ok(0) | Err(_)));
            ask(&mut streams[0], b"still there").await;
        });
    }

    #[test]
    fn a_server_without_an_address_on_this_ground_says_so() {
        with_a_server(async |ground, _server| {
            let ipv6_only = ["2001:db8::53".parse().unwrap()];
            let started = DnsServer::start(&ground, &ipv6_only, Rc::new(Echo)).await;
            assert!(matches!(started, Err(DnsServerError::Nowhere { .. })));
        });
    }
}
