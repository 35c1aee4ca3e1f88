//! The endpoint of a health check: what it does when it is probed, and the checkers that probe it.

use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use rand::Rng;

use crate::clock::LabTime;
use crate::health::{
    CertificateProblem, CheckProtocol, CheckerId, EndpointCheck, Fleet, ProbeBody, ProbeReport, ProbeResponse,
    SearchedBody, StatusSettings, Verdict,
};
use crate::subject::Machines;

use super::engine::ProbedEngine;

/// Where endpoints are.
const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 10));

/// What an endpoint does when it is probed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behaviour {
    /// Whether its name has an IPv4 address.
    pub resolves: bool,
    /// After how long it takes a connection; `None`: it refuses at once.
    pub connects_in: Option<Duration>,
    /// What is wrong with its certificate.
    pub certificate: Option<CertificateProblem>,
    /// What it answers; `None`: nothing.
    pub answer: Option<EndpointAnswer>,
}

/// What an endpoint answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointAnswer {
    /// The HTTP status.
    pub status: u16,
    /// From the connection to the status.
    pub after: Duration,
    /// Bytes of the header section.
    pub headers: usize,
    /// The body.
    pub body: Body,
}

/// The body of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// Before it is encoded.
    pub bytes: Vec<u8>,
    /// How it is encoded on the wire.
    pub encoding: Option<ContentEncoding>,
    /// From the status to its end.
    pub after: Duration,
}

/// A `Content-Encoding`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentEncoding {
    /// `gzip`.
    Gzip,
    /// `deflate`.
    Deflate,
    /// One that no checker undoes: the bytes are deflated, and called `br`.
    Other,
}

impl Default for Behaviour {
    /// A sound endpoint, which answers at once.
    fn default() -> Self {
        let answer = Some(EndpointAnswer::default());
        Self { resolves: true, connects_in: Some(Duration::ZERO), certificate: None, answer }
    }
}

impl Default for EndpointAnswer {
    fn default() -> Self {
        Self { status: 200, after: Duration::ZERO, headers: 200, body: Body::default() }
    }
}

impl Body {
    fn searched(&self, machines: Machines, sought: &str) -> SearchedBody {
        let Some(encoding) = self.encoding else { return machines.searched_body(sought, &self.bytes) };
        let (name, wire) = match encoding {
            ContentEncoding::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
                ("gzip", encoder.write_all(&self.bytes).and_then(|()| encoder.finish()))
            }
            ContentEncoding::Deflate | ContentEncoding::Other => {
                let name = if encoding == ContentEncoding::Deflate { "deflate" } else { "br" };
                let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
                (name, encoder.write_all(&self.bytes).and_then(|()| encoder.finish()))
            }
        };
        let mut searched = SearchedBody::new(Some(name));
        searched.push(&wire.unwrap_or_default());
        searched
    }
}

/// An endpoint, and the fleet of checkers that probes it.
#[derive(Debug)]
pub struct Endpoint {
    /// How it is probed.
    pub check: EndpointCheck,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// What it does.
    pub behaviour: Behaviour,
    /// The inference engine whose verdict it tells, if it tells one.
    pub engine: Option<ProbedEngine>,
    /// What its status comes from, for people.
    pub said: String,
    fleet: Fleet,
    in_flight: Vec<(LabTime, CheckerId, bool)>,
    probes: Vec<(LabTime, CheckerId)>,
}

impl Endpoint {
    /// A new health check of a sound endpoint.
    #[must_use]
    pub fn new(
        machines: Machines,
        check: EndpointCheck,
        status: StatusSettings,
        now: LabTime,
        rng: &mut impl Rng,
    ) -> Self {
        let fleet = machines.fleet(&check, status, now, rng);
        let said = "no checker has reported yet".to_owned();
        let behaviour = Behaviour::default();
        Self { check, name: None, behaviour, engine: None, said, fleet, in_flight: Vec::new(), probes: Vec::new() }
    }

    pub(super) fn next_wakeup(&self) -> Option<LabTime> {
        let ends = self.in_flight.iter().map(|(end, ..)| *end);
        let engine = self.engine.as_ref().and_then(ProbedEngine::next_wakeup);
        ends.chain(self.fleet.next_wakeup()).chain(engine).min()
    }

    pub(super) fn turn(&mut self, now: LabTime, machines: Machines) {
        if let Some(engine) = &mut self.engine {
            engine.turn(now);
        }
        let (ended, in_flight) = self.in_flight.drain(..).partition(|(end, ..)| *end <= now);
        self.in_flight = in_flight;
        let ended: Vec<(LabTime, CheckerId, bool)> = ended;
        for (_, checker, passed) in ended {
            if let Some(change) = self.fleet.finish(now, checker, passed) {
                self.said = change.to_string();
            }
        }
        for checker in self.fleet.due(now) {
            let (verdict, takes) = self.probe(now, machines);
            self.probes.push((now, checker));
            self.in_flight.push((now + takes, checker, verdict.passed()));
        }
    }

    /// What a probe says of whom it asks: its `Host` header and the name in its client hello, a line each.
    #[must_use]
    pub fn addressee(&self) -> Vec<String> {
        let name = self.name.as_deref();
        let host = self.check.host_header(name, Some(ADDRESS));
        let hello = self.check.server_name(name);
        vec![
            host.map_or_else(|| "no Host".to_owned(), |host| format!("Host: {host}")),
            hello.map_or_else(|| "no server name".to_owned(), |name| format!("server name: {name}")),
        ]
    }

    /// What a probe that starts now comes to, and how long it takes.
    #[must_use]
    pub fn probe(&self, now: LabTime, machines: Machines) -> (Verdict, Duration) {
        let (report, takes) = self.report(now, machines);
        (machines.judge(&self.check, report), takes)
    }

    fn report(&self, now: LabTime, machines: Machines) -> (ProbeReport, Duration) {
        let check = &self.check;
        let mut report = ProbeReport::default();
        if !self.behaviour.resolves {
            report.unresolved = true;
            return (report, Duration::ZERO);
        }
        let Some(connects_in) = self.behaviour.connects_in else {
            report.error = Some("connection refused".to_owned());
            return (report, Duration::ZERO);
        };
        report.connected_after = Some(connects_in);
        let CheckProtocol::Http { search, tls, .. } = &check.protocol else {
            return (report, connects_in.min(check.deadline()));
        };
        let Some(answer) = &self.behaviour.answer else {
            return (report, connects_in + check.status_limit().unwrap_or_default());
        };
        report.certificate = self.behaviour.certificate.filter(|_| tls.is_some());
        let body = search.as_ref().map(|sought| {
            let content = answer.body.searched(machines, sought);
            ProbeBody { content, after_status: answer.body.after }
        });
        let status = self.engine.as_ref().map_or(answer.status, |engine| engine.status(now));
        let takes = connects_in + answer.after + body.as_ref().map_or(Duration::ZERO, |body| body.after_status);
        report.response = Some(ProbeResponse { status, after_connect: answer.after, headers: answer.headers, body });
        (report, takes.min(check.deadline()))
    }

    pub(super) fn set_status(&mut self, now: LabTime, status: StatusSettings) {
        if let Some(change) = self.fleet.update(now, status) {
            self.said = change.to_string();
        }
    }

    pub(super) const fn is_healthy(&self) -> bool {
        self.fleet.is_healthy()
    }

    /// The probes that started since then, each with who made it.
    pub fn probes_since(&self, since: LabTime) -> impl Iterator<Item = CheckerId> {
        self.probes.iter().filter(move |(at, _)| *at >= since).map(|(_, checker)| *checker)
    }
}
