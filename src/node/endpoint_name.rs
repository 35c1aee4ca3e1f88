//! An endpoint that is known by its name: looked up anew before each probe, IPv4 only (R53-119).
//!
//! Route 53's checkers ask the DNS of the internet, and keep nothing. In a lab the DNS is the authoritative server, which
//! a checker asks itself: a resolver in between would keep answers.

use std::net::IpAddr;
use std::time::Duration;

use hickory_proto::ProtoError;
use hickory_proto::op::{Query, ResponseCode};
use hickory_proto::rr::{Name, RData, RecordType};

use crate::ground::{Ground, LabClock};

use super::{DnsAskError, DnsClient};

/// How long a lookup may take, in lab time. Route 53 publishes no such limit; it is none of R53-111's.
const PATIENCE: Duration = Duration::from_secs(5);
/// But no less wall time than this: however fast the lab runs, the machine needs some to schedule an answer.
const PATIENCE_AT_LEAST: Duration = Duration::from_millis(250);

/// Why an endpoint cannot be looked up at all.
#[derive(Debug, thiserror::Error)]
pub enum EndpointNameError {
    /// It is no name.
    #[error("`{name}` is no domain name: {problem}")]
    Name {
        /// What was given.
        name: String,
        /// What is wrong with it.
        problem: ProtoError,
    },
    /// The checker does not reach the name server.
    #[error("its name cannot be looked up: {0}")]
    Ask(#[from] DnsAskError),
}

/// A name, and one checker's way of looking it up.
#[derive(Clone, Debug)]
pub(super) struct EndpointName {
    name: Name,
    client: DnsClient,
}

impl EndpointName {
    /// `name` is absolute, with its last dot or without. It is looked up at `name_servers` from `from`, both lab
    /// addresses. To be called inside a runtime.
    ///
    /// # Errors
    /// When that is no name, or there is no way from one to the other.
    pub(super) fn new(
        name: &str,
        from: &[IpAddr],
        name_servers: &[IpAddr],
        ground: &Ground,
        clock: &LabClock,
    ) -> Result<Self, EndpointNameError> {
        let mut absolute =
            Name::from_ascii(name).map_err(|problem| EndpointNameError::Name { name: name.to_owned(), problem })?;
        absolute.set_fqdn(true);
        let patience = clock.speed().to_wall(PATIENCE).max(PATIENCE_AT_LEAST);
        let client = DnsClient::new(ground, from, name_servers, patience)?;
        Ok(Self { name: absolute, client })
    }

    /// The first of its IPv4 lab addresses as they stand now.
    ///
    /// # Errors
    /// Why there is none, for people.
    pub(super) async fn look_up(&self) -> Result<IpAddr, String> {
        let query = Query::query(self.name.clone(), RecordType::A);
        let answer = self.client.ask(query, false, None).await.map_err(|error| error.to_string())?;
        let first = answer.answers.iter().find_map(|record| match record.data {
            RData::A(address) => Some(IpAddr::V4(address.0)),
            _ => None,
        });
        first.ok_or_else(|| match answer.metadata.response_code {
            ResponseCode::NoError => format!("{} has no A record", self.name),
            code => format!("{}: {code}", self.name),
        })
    }
}
