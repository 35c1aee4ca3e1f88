//! One attempt at one request, and how it ended.
//!
//! A stream of server-sent events is read to its end; one that breaks off has failed, whatever its status was.

use std::cell::Cell;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};

use crate::cache::AttemptEnd;
use crate::ground::Ground;
use crate::ground::LabClock;
use crate::journal::event::RequestOutcome;

use super::super::CELL_HEADER;
use super::super::event_stream::{EVENT_STREAM, Progress};
use super::super::http_client::innermost;
use super::lookup::{Found, Lookup};
use super::question::Question;
use super::simulated_http::SimulatedHttp;

/// How one attempt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Attempt {
    /// The lab address that it was sent to, if it came that far.
    pub(super) address: Option<IpAddr>,
    /// As the journal tells it.
    pub(super) outcome: RequestOutcome,
    /// As a pool sees it.
    pub(super) end: AttemptEnd,
}

/// What a client sends its requests by.
#[derive(Debug)]
pub(super) enum Http {
    /// The HTTP library.
    Sockets(reqwest::Client),
    /// The same habits without sockets.
    Simulated(SimulatedHttp),
}

/// Everything that the attempts of one client have in common.
#[derive(Debug)]
pub(super) struct Exchange {
    question: Question,
    lookup: Lookup,
    from: Option<IpAddr>,
    timeout: Duration,
    keep_alive: bool,
    ground: Ground,
    clock: LabClock,
    /// The other end of the connection that was used last.
    last_peer: Cell<Option<IpAddr>>,
}

impl Exchange {
    /// Asks `question` from an address of this machine (`None`: the ground carries none of the client's). Each attempt
    /// has `timeout` of lab time, from its lookup to the end of its answer. Without `keep_alive` it has a connection of
    /// its own.
    pub(super) const fn new(
        question: Question,
        lookup: Lookup,
        from: Option<IpAddr>,
        timeout: Duration,
        keep_alive: bool,
        ground: Ground,
        clock: LabClock,
    ) -> Self {
        Self { question, lookup, from, timeout, keep_alive, ground, clock, last_peer: Cell::new(None) }
    }

    /// A client with a pool of its own, empty; dropping it closes what it has open.
    pub(super) fn connect_anew(&self) -> Result<Http, reqwest::Error> {
        if let Some(network) = self.ground.simulated() {
            return Ok(Http::Simulated(SimulatedHttp::new(network, self.from, self.keep_alive)));
        }
        let client = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .dns_resolver(self.lookup.clone())
            .local_address(self.from)
            .pool_idle_timeout(None)
            .pool_max_idle_per_host(if self.keep_alive { usize::MAX } else { 0 })
            .build()?;
        Ok(Http::Sockets(client))
    }

    /// Sends one request and reads its answer to the end.
    pub(super) async fn attempt(&self, http: &mut Http) -> Attempt {
        self.lookup.take_found();
        let exchange = async {
            match http {
                Http::Sockets(client) => self.by_sockets(client).await,
                Http::Simulated(http) => {
                    let note_peer = |peer| self.last_peer.set(Some(peer));
                    http.exchange(self.question.request(), &self.lookup, note_peer).await
                }
            }
        };
        let ended = self.clock.within(self.timeout, exchange).await;
        let (address, outcome, end) = match (ended, self.lookup.take_found()) {
            (Ok(Ok((cell, status))), _) => (self.last_peer.get(), answered(cell, status), AttemptEnd::Status(status)),
            (_, Found::NotConnectable(address)) => {
                (Some(address), RequestOutcome::NotConnectable, AttemptEnd::ConnectError)
            }
            (_, Found::Unresolved(reason)) => (None, RequestOutcome::Unresolved { reason }, AttemptEnd::ConnectError),
            (Err(_), Found::Asking) => (None, RequestOutcome::TimedOut, AttemptEnd::ConnectTimeout),
            // Whether it was connected is not known here. On a lab's ground a connection is made or refused at once.
            (Err(_), found) => (self.peer_of(&found), RequestOutcome::TimedOut, AttemptEnd::ReadTimeout),
            (Ok(Err(failure)), found) => {
                let (reason, end) = match &failure {
                    Failure::Http(error) => (innermost(error).to_string(), end_of(error)),
                    Failure::BrokeOff => (failure.to_string(), AttemptEnd::ReadError),
                    Failure::Simulated { reason, end } => (reason.clone(), *end),
                };
                (self.peer_of(&found), RequestOutcome::Unconnected { reason }, end)
            }
        };
        Attempt { address, outcome, end }
    }

    async fn by_sockets(&self, client: &reqwest::Client) -> Result<(String, u16), Failure> {
        let request = reqwest::Request::try_from(self.question.request())?;
        let mut answer = client.execute(request).await?;
        if let Some(peer) = answer.remote_addr().as_ref().map(SocketAddr::ip) {
            self.last_peer.set(Some(self.ground.lab_address(peer)));
        }
        let seen = cell_and_status(answer.headers(), answer.status());
        let mut reading = Reading::of(answer.headers());
        while let Some(piece) = answer.chunk().await? {
            reading.read(&piece);
        }
        reading.end().map(|()| seen)
    }

    fn peer_of(&self, found: &Found) -> Option<IpAddr> {
        if let Found::Address(address) = found { Some(*address) } else { self.last_peer.get() }
    }
}

/// Why an attempt brought no whole answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error(transparent)]
    Http(#[from] reqwest::Error),
    #[error("the stream broke off before its last event")]
    BrokeOff,
    #[error("{reason}")]
    Simulated { reason: String, end: AttemptEnd },
}

/// The cell, as it names itself, and the status of its answer.
pub(super) fn cell_and_status(headers: &HeaderMap, status: StatusCode) -> (String, u16) {
    let named = headers.get(CELL_HEADER).and_then(|cell| cell.to_str().ok());
    (named.unwrap_or_default().to_owned(), status.as_u16())
}

/// An answer that is being read. A connection goes back to the pool only when it was read to its end.
#[derive(Debug)]
pub(super) struct Reading(Option<Progress>);

impl Reading {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let media_type = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
        Self(media_type.is_some_and(|it| it.starts_with(EVENT_STREAM.as_bytes())).then(Progress::default))
    }

    pub(super) fn read(&mut self, piece: &[u8]) {
        if let Some(progress) = &mut self.0 {
            progress.read(piece);
        }
    }

    pub(super) fn end(self) -> Result<(), Failure> {
        if self.0.is_some_and(|progress| !progress.is_done()) { Err(Failure::BrokeOff) } else { Ok(()) }
    }
}

fn answered(cell: String, status: u16) -> RequestOutcome {
    if status < 500 { RequestOutcome::Served { cell, status } } else { RequestOutcome::Refused { cell, status } }
}

/// What became of an attempt that brought no answer.
fn end_of(error: &reqwest::Error) -> AttemptEnd {
    let was_reset = innermost(error).downcast_ref::<io::Error>().is_some_and(|io| {
        matches!(
            io.kind(),
            io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted | io::ErrorKind::BrokenPipe
        )
    });
    if error.is_connect() {
        AttemptEnd::ConnectError
    } else if was_reset || error.is_body() || error.is_decode() {
        AttemptEnd::ReadError
    } else {
        AttemptEnd::ProtocolError
    }
}
