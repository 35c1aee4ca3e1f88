//! A server that is already serving, asked over the network. Nothing of its inside is known.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::time::Duration;

use hickory_proto::op::ResponseCode;
use hickory_proto::rr::RecordType;

use crate::authoritative::AuthoritativeSettings;
use crate::dns_message::Transport;

use super::exchange::{Answer, Edns0, Question};
use super::explanation::Explanation;
use super::lab::{Board, Lab, Query};

/// How long an answer may take, and how often it is asked for.
const PATIENCE: Duration = Duration::from_secs(2);
const TRIES: usize = 3;

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

    fn exchange(self, query: &[u8], transport: Transport) -> io::Result<Vec<u8>> {
        match transport {
            Transport::Udp => self.by_udp(query),
            Transport::Tcp => self.by_tcp(query),
        }
    }

    fn by_udp(self, query: &[u8]) -> io::Result<Vec<u8>> {
        let any = if self.server.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
        let socket = UdpSocket::bind(any)?;
        socket.connect(self.server)?;
        socket.set_read_timeout(Some(PATIENCE))?;
        let mut answer = vec![0; usize::from(u16::MAX)];
        let mut last = io::Error::from(io::ErrorKind::TimedOut);
        for _ in 0..TRIES {
            socket.send(query)?;
            match socket.recv(&mut answer) {
                // A late answer to an earlier question has another id.
                Ok(length) if answer.get(..2) == query.get(..2) => {
                    answer.truncate(length);
                    return Ok(answer);
                }
                Ok(_) => {}
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    fn by_tcp(self, query: &[u8]) -> io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect_timeout(&self.server, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let length = u16::try_from(query.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
        stream.write_all(&length.to_be_bytes())?;
        stream.write_all(query)?;
        let mut length = [0; 2];
        stream.read_exact(&mut length)?;
        let mut answer = vec![0; usize::from(u16::from_be_bytes(length))];
        stream.read_exact(&mut answer)?;
        Ok(answer)
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
        let bytes = self.exchange(&query, Transport::Udp).map_err(|error| self.trouble(&error))?;
        let answer = Answer::read(&bytes).map_err(Explanation::lab_broke)?;
        if answer.code() == ResponseCode::NoError && answer.is_authoritative() && !answer.records().is_empty() {
            Ok(())
        } else {
            Err(Explanation::not_applicable(format!("{} is no authority of the zone {apex}", self.server)))
        }
    }

    fn ask(&mut self, query: Query<'_>) -> Result<Option<Vec<u8>>, Explanation> {
        self.exchange(query.bytes, query.transport).map(Some).map_err(|error| self.trouble(&error))
    }
}
