//! The resolver of a client's runtime: asks one recursive resolver and keeps nothing.
//!
//! What a client keeps is its profile's business ([`crate::plan::ClientProfile`]).

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use hickory_net::runtime::TokioRuntimeProvider;
use hickory_net::{DnsError, NetError};
use hickory_proto::op::{Query, ResponseCode};
use hickory_proto::rr::{Name, Record, RecordType};
use hickory_resolver::TokioResolver;
use hickory_resolver::config::{ConnectionConfig, NameServerConfig, ProtocolConfig, ResolveHosts, ResolverConfig};

use crate::ground::Ground;
use crate::ground::LabClock;
use crate::plan::Family;

use super::dns_client::route;
use super::{DnsAskError, DnsClient};

/// How long a lookup may take, in lab time.
const PATIENCE: Duration = Duration::from_secs(5);
/// But no less wall time than this: however fast the lab runs, the machine needs some to schedule an answer.
const PATIENCE_AT_LEAST: Duration = Duration::from_millis(250);
/// When a question is sent again, wall time; and how often.
const RESEND: Duration = Duration::from_secs(2);
const RESENDINGS: usize = 1;

/// What a name resolved to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// In the order in which they were answered. At least one.
    pub addresses: Vec<IpAddr>,
    /// Seconds that are left, the least of all records of the answer.
    pub ttl: u32,
}

/// Why a name gave no address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LookupError {
    /// The name exists, without an address of this family.
    #[error("no data")]
    NoData,
    /// No such name.
    #[error("no such name")]
    NxDomain,
    /// The resolver gave up.
    #[error("the resolver answered: {0}")]
    Refused(String),
    /// No answer in time.
    #[error("no answer from the resolver in time")]
    TimedOut,
    /// The question could not be asked.
    #[error("failed to ask the resolver: {0}")]
    Failed(String),
}

/// Asks one recursive resolver, from one of a client's own addresses.
#[derive(Clone)]
pub struct StubResolver(Way);

#[derive(Clone)]
enum Way {
    Sockets(Box<TokioResolver>),
    Simulated(DnsClient),
}

impl StubResolver {
    /// Asks the resolver at `resolver` from the first of `client` that reaches it (lab addresses). It knows no hosts
    /// file, no search domains and nothing of this machine's own resolver.
    ///
    /// # Errors
    /// When none of the client's addresses reaches the resolver on this ground.
    pub fn new(ground: &Ground, client: &[IpAddr], resolver: IpAddr) -> Result<Self, DnsAskError> {
        if ground.simulated().is_some() {
            let client = DnsClient::new(ground, client, &[resolver], PATIENCE)?;
            return Ok(Self(Way::Simulated(client)));
        }
        let (source, server) = route(ground, client, &[resolver])?;
        let connections =
            [ProtocolConfig::Udp, ProtocolConfig::Tcp].map(|protocol| connection(protocol, server, source));
        let name_server = NameServerConfig::new(server.ip(), true, connections.into());
        let config = ResolverConfig::from_name_servers(vec![name_server]);
        let mut builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
        let options = builder.options_mut();
        options.cache_size = 0;
        options.use_hosts_file = ResolveHosts::Never;
        options.os_port_selection = true;
        options.timeout = RESEND;
        options.attempts = RESENDINGS;
        options.num_concurrent_reqs = 1;
        let resolver = builder.build().map_err(|error| DnsAskError::Failed(error.to_string()))?;
        Ok(Self(Way::Sockets(Box::new(resolver))))
    }

    /// Looks up the addresses of `name`, which is absolute.
    ///
    /// # Errors
    /// When the answer holds no address, when there is none in 5 s of lab time, and when the question cannot be asked.
    pub async fn lookup(&self, name: &Name, family: Family, clock: &LabClock) -> Result<Lookup, LookupError> {
        let rtype = match family {
            Family::A => RecordType::A,
            Family::Aaaa => RecordType::AAAA,
        };
        match &self.0 {
            Way::Sockets(resolver) => {
                let patience = clock.speed().to_wall(PATIENCE).max(PATIENCE_AT_LEAST);
                let lookup = tokio::time::timeout(patience, resolver.lookup(name.clone(), rtype))
                    .await
                    .map_err(|_| LookupError::TimedOut)?
                    .map_err(lookup_error)?;
                found(lookup.answers())
            }
            Way::Simulated(client) => {
                let asked = client.ask(Query::query(name.clone(), rtype), true, None);
                let answer = clock.within(PATIENCE, asked).await.map_err(|_| LookupError::TimedOut)?;
                let answer = answer.map_err(|error| LookupError::Failed(error.to_string()))?;
                match answer.response_code {
                    ResponseCode::NoError => found(&answer.answers),
                    code => Err(no_records(code)),
                }
            }
        }
    }
}

impl std::fmt::Debug for StubResolver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StubResolver").finish_non_exhaustive()
    }
}

fn connection(protocol: ProtocolConfig, server: SocketAddr, source: SocketAddr) -> ConnectionConfig {
    let mut connection = ConnectionConfig::new(protocol);
    connection.port = server.port();
    connection.bind_addr = Some(source);
    connection
}

fn found(answers: &[Record]) -> Result<Lookup, LookupError> {
    let addresses: Vec<IpAddr> = answers.iter().filter_map(|record| record.data.ip_addr()).collect();
    let ttl = answers.iter().map(|record| record.ttl).min();
    match ttl {
        Some(ttl) if !addresses.is_empty() => Ok(Lookup { addresses, ttl }),
        _ => Err(LookupError::NoData),
    }
}

fn no_records(code: ResponseCode) -> LookupError {
    match code {
        ResponseCode::NoError => LookupError::NoData,
        ResponseCode::NXDomain => LookupError::NxDomain,
        code => LookupError::Refused(code.to_string()),
    }
}

fn lookup_error(error: NetError) -> LookupError {
    match error {
        NetError::Timeout => LookupError::TimedOut,
        NetError::Dns(DnsError::NoRecordsFound(none)) => no_records(none.response_code),
        NetError::Dns(DnsError::ResponseCode(code)) => LookupError::Refused(code.to_string()),
        other => LookupError::Failed(other.to_string()),
    }
}
