//! A server that is already serving, asked over the network. Nothing of its inside is known.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use futures_util::TryStreamExt;
use hickory_proto::op::ResponseCode;
use hickory_proto::rr::RecordType;

use crate::authoritative::AuthoritativeSettings;
use crate::clock::LabTime;
use crate::dns_message::Transport;

use super::exchange::{Answer, Edns0, Question};
use super::explanation::Explanation;
use super::lab::{Board, Lab, Query};
use super::wire::{Route, exchange, runtime};

/// A server at an address and port.
#[derive(Clone, Copy, Debug)]
pub struct ServerLab {
    server: SocketAddr,
}

impl ServerLab {
    /// The server there.
    #[must_use]
    pub const fn new(server: SocketAddr) -> Self {
        Self { server }
    }

    fn trouble(self, error: &io::Error) -> Explanation {
        Explanation::lab_broke(format!(
            "{} does not answer: {error}; expected an authoritative server there",
            self.server
        ))
    }
}

impl Lab for ServerLab {
    fn has_inside(&self) -> bool {
        false
    }

    /// The server serves what it serves: here it is only seen that it is an authority of the zone.
    fn serve(&mut self, settings: AuthoritativeSettings, _: &Board) -> Result<(), Explanation> {
        let apex = &settings.zone.apex;
        let question = Question {
            name: apex.clone(),
            rtype: RecordType::SOA,
            asker: String::new(),
            source: self.server.ip(),
            edns: Edns0::Plain,
        };
        let query = question.to_bytes(0).map_err(Explanation::lab_broke)?;
        let (source, transport, now) = (question.source, Transport::Udp, LabTime::START);
        let answers = self.ask(&[Query { bytes: &query, source, transport, now }])?;
        let bytes = answers.into_iter().next().flatten().unwrap_or_default();
        let answer = Answer::read(&bytes).map_err(Explanation::lab_broke)?;
        if answer.code() == ResponseCode::NoError && answer.is_authoritative() && !answer.records().is_empty() {
            Ok(())
        } else {
            Err(Explanation::not_applicable(format!("{} is no authority of the zone {apex}", self.server)))
        }
    }

    /// All ask from this machine: who they are is lost.
    fn ask(&mut self, queries: &[Query<'_>]) -> Result<Vec<Option<Vec<u8>>>, Explanation> {
        let any: IpAddr =
            if self.server.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
        let route = Route { source: SocketAddr::new(any, 0), server: self.server };
        let answers = exchange(queries.iter().map(|query| (route, *query))).map_ok(Some).try_collect();
        runtime()?.block_on(answers).map_err(|error| self.trouble(&error))
    }
}
