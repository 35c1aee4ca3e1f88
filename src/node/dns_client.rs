//! Asks one DNS server from one address: UDP, and TCP when the answer is truncated.

use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use hickory_net::DnsHandle;
use hickory_net::runtime::TokioRuntimeProvider;
use hickory_net::tcp::TcpClientStream;
use hickory_net::udp::UdpClientStream;
use hickory_net::xfer::{DnsExchange, FirstAnswer};
use hickory_proto::op::{DnsRequest, DnsRequestOptions, Message, Query};
use hickory_proto::rr::rdata::opt::{ClientSubnet, EdnsOption};
use ipnet::IpNet;

use crate::clock::Speed;
use crate::ground::{Ground, SimulatedNetwork};

use super::DNS_PORT;
use super::wire_ttl::from_wire;

/// The largest answer that is asked for over UDP: nothing of a lab crosses a link that would fragment it.
const PAYLOAD: u16 = 4096;
/// How often a question is sent over UDP before its time is up.
const SENDINGS: u8 = 3;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DnsAskError {
    /// No pair of addresses of one family on this ground.
    #[error("{server} cannot be asked from {asker} on this ground")]
    Nowhere {
        /// The servers' lab addresses.
        server: String,
        /// The askers' lab addresses.
        asker: String,
    },
    /// No answer in time.
    #[error("no answer in time")]
    Silent,
    /// The exchange failed.
    #[error("failed to ask: {0}")]
    Failed(String),
}

/// Asks one server from one address.
#[derive(Clone)]
pub struct DnsClient {
    server: SocketAddr,
    source: SocketAddr,
    patience: Duration,
    /// The lab's speed, where TTLs come as wall seconds.
    wall_seconds: Option<Speed>,
    way: Way,
}

/// How a question travels.
#[derive(Clone)]
enum Way {
    Sockets(DnsExchange<TokioRuntimeProvider>),
    Simulated(SimulatedNetwork),
}

impl DnsClient {
    /// Asks the first of `servers` that the first possible of `askers` can reach (lab addresses), and waits at most
    /// `patience` (wall time) for an answer. To be called inside a runtime.
    ///
    /// # Errors
    /// When no two of the addresses are of one family that the ground carries.
    pub fn new(
        ground: &Ground,
        askers: &[IpAddr],
        servers: &[IpAddr],
        patience: Duration,
    ) -> Result<Self, DnsAskError> {
        let (source, server) = route(ground, askers, servers)?;
        if let Some(network) = ground.simulated() {
            return Ok(Self { server, source, patience, wall_seconds: None, way: Way::Simulated(network.clone()) });
        }
        let udp = UdpClientStream::builder(server, TokioRuntimeProvider::default())
            .with_bind_addr(Some(source))
            // Ports drawn from the whole range could be those that a server of this lab is about to bind.
            .with_os_port_selection(true)
            .with_timeout(Some(patience))
            .with_max_retries(SENDINGS)
            .with_retry_interval_floor(u64::try_from(patience.as_millis() / u128::from(SENDINGS)).unwrap_or(u64::MAX))
            .exchange();
        Ok(Self { server, source, patience, wall_seconds: ground.wall_seconds(), way: Way::Sockets(udp) })
    }

    /// Asks one question. With `subnet`, the query carries it as client subnet.
    ///
    /// # Errors
    /// When there is no answer in time, over UDP or, where that was truncated, over TCP.
    pub async fn ask(
        &self,
        query: Query,
        recursion_desired: bool,
        subnet: Option<IpNet>,
    ) -> Result<Message, DnsAskError> {
        let mut options = DnsRequestOptions::default();
        options.edns_payload_len = PAYLOAD;
        options.recursion_desired = recursion_desired;
        options.retry_interval = self.patience / u32::from(SENDINGS);
        let mut request = DnsRequest::from_query(query, options);
        if let (Some(subnet), Some(edns)) = (subnet, request.edns.as_mut()) {
            let subnet = ClientSubnet::new(subnet.network(), subnet.prefix_len(), 0);
            edns.options_mut().insert(EdnsOption::Subnet(subnet));
        }
        let udp = match &self.way {
            Way::Sockets(udp) => udp,
            Way::Simulated(network) => return ask_simulated(network, self.source.ip(), self.server, &request).await,
        };
        let asking = async {
            let answer = udp.send(request.clone()).first_answer().await?;
            if !answer.truncation {
                return Ok(answer);
            }
            // The connection lives as long as its provider: until the answer is here.
            let provider = TokioRuntimeProvider::default();
            let (server, source) = (self.server, Some(self.source));
            let tcp = TcpClientStream::exchange(server, source, self.patience, None, provider.clone()).await?;
            tcp.send(request).first_answer().await
        };
        match tokio::time::timeout(self.patience, asking).await {
            Ok(Ok(answer)) => Ok(from_wire(self.wall_seconds, answer.into_message())),
            Err(_) | Ok(Err(hickory_net::NetError::Timeout)) => Err(DnsAskError::Silent),
            Ok(Err(error)) => Err(DnsAskError::Failed(error.to_string())),
        }
    }
}

impl std::fmt::Debug for DnsClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DnsClient").field("server", &self.server).field("source", &self.source).finish_non_exhaustive()
    }
}

/// Asks on a simulated network. A server that is there answers; how long that takes is its own matter.
pub(super) async fn ask_simulated(
    network: &SimulatedNetwork,
    from: IpAddr,
    server: SocketAddr,
    query: &Message,
) -> Result<Message, DnsAskError> {
    let failed = |error: &dyn std::fmt::Display| DnsAskError::Failed(error.to_string());
    let query = query.to_vec().map_err(|error| failed(&error))?;
    let connection = network.connect(server).map_err(|error| failed(&error))?;
    let answer = connection.ask_dns(from, query).await.map_err(|error| match error.kind() {
        ErrorKind::TimedOut => DnsAskError::Silent,
        _ => failed(&error),
    })?;
    Message::from_vec(&answer).map_err(|error| failed(&error))
}

/// Where on this machine to ask from (any port), and whom.
pub(super) fn route(
    ground: &Ground,
    askers: &[IpAddr],
    servers: &[IpAddr],
) -> Result<(SocketAddr, SocketAddr), DnsAskError> {
    askers
        .iter()
        .flat_map(|asker| servers.iter().map(move |server| (asker, server)))
        .filter(|(asker, server)| asker.is_ipv4() == server.is_ipv4())
        .find_map(|(&asker, &server)| {
            ground.here(SocketAddr::new(asker, 0)).zip(ground.here(SocketAddr::new(server, DNS_PORT)))
        })
        .ok_or_else(|| DnsAskError::Nowhere { server: list(servers), asker: list(askers) })
}

fn list(addresses: &[IpAddr]) -> String {
    addresses.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
