//! One probe of an endpoint: a fresh connection, one question, no redirect followed.
//!
//! It reports what it saw and when. What that means for a status is decided in the health room.

use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::time::Duration;

use axum::body::Body;
use axum::http::response::Parts;
use axum::http::{HeaderMap, Request, Response, header};
use futures_util::future::{Either, Fuse, select};
use futures_util::{FutureExt, StreamExt};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::clock::LabTime;
use crate::ground::{LabClock, SimulatedNetwork};
use crate::health::{HTTP_HEADERS_LIMIT, ProbeBody, ProbeReport, ProbeResponse, SearchedBody};

use super::connections::connect;
use super::handshake::Handshake;
use super::http_client::ANYBODY;

const USER_AGENT: &str = concat!("muster/", env!("CARGO_PKG_VERSION"));
/// The shortest header field is `a:` and a line end. More fields than this are over the limit whatever they say.
const MOST_HEADERS: usize = HTTP_HEADERS_LIMIT / 4 + 1;
/// An answer's head is read up to here, so that one above the limit is reported as such (R53-115); beyond, it is none.
const MOST_HEAD: usize = 4 * HTTP_HEADERS_LIMIT;

/// What a probe does.
#[derive(Clone, Debug)]
pub(super) struct Probe {
    /// Where the lab has no sockets: its network in memory.
    pub(super) network: Option<SimulatedNetwork>,
    /// The address of this machine that it comes from; the kernel's choice when missing.
    pub(super) from: Option<IpAddr>,
    /// The socket address of this machine that it goes to.
    pub(super) to: SocketAddr,
    /// What it asks; a connection alone when missing.
    pub(super) question: Option<Question>,
    /// It is stopped when it has no connection after this, in lab time.
    pub(super) connect_within: Duration,
    /// It is stopped after this, in lab time, whatever it has.
    pub(super) stop_after: Duration,
}

/// What an HTTP probe asks with `GET`.
#[derive(Clone, Debug)]
pub(super) struct Question {
    /// The `Host` header.
    pub(super) host: String,
    /// Path and query.
    pub(super) path: String,
    /// HTTPS.
    pub(super) tls: Option<Handshake>,
    /// It is stopped when it has no status after this, in lab time from the connection on. A handshake counts, with
    /// its retry.
    pub(super) status_within: Duration,
    /// The body is read too, for at most this long from the status on, in lab time.
    pub(super) body_within: Option<Duration>,
}

impl Probe {
    /// Probes once.
    pub(super) async fn run(&self, clock: &LabClock) -> ProbeReport {
        let mut report = ProbeReport::default();
        let ended = clock.within(self.stop_after, self.fill(&mut report, clock)).await;
        report.error = ended.map_err(say).flatten().err();
        report
    }

    async fn fill(&self, report: &mut ProbeReport, clock: &LabClock) -> Result<(), String> {
        if let Some(network) = &self.network {
            return self.fill_simulated(network, report, clock).await;
        }
        let started = clock.now();
        let stream = clock.within(self.connect_within, connect(self.from, self.to)).await.map_err(say)?.map_err(say)?;
        let connected = clock.now();
        report.connected_after = Some(connected.since(started));
        let Some(question) = &self.question else { return Ok(()) };
        let certificate = &mut report.certificate;
        let answer = async {
            match &question.tls {
                // Either makes for a large future, which whoever awaits a probe would carry.
                None => Box::pin(question.ask(stream)).await,
                Some(handshake) => {
                    Box::pin(async move {
                        let shaken = handshake.shake(stream, connect(self.from, self.to)).await?;
                        *certificate = handshake.certificate_problem(&shaken);
                        question.ask(shaken).await
                    })
                    .await
                }
            }
        };
        let Answer { head, body, connection } = clock.within(question.status_within, answer).await.map_err(say)??;
        let reading = question.read_on(&head, Body::new(body), connected, report, clock);
        beside(reading, connection).await.0
    }
}

impl Probe {
    /// The same on a simulated network, where a connection is made or refused at once and TLS is not spoken: any
    /// certificate would do (R53-116).
    async fn fill_simulated(
        &self,
        network: &SimulatedNetwork,
        report: &mut ProbeReport,
        clock: &LabClock,
    ) -> Result<(), String> {
        let connection = network.connect(self.to).map_err(say)?;
        report.connected_after = Some(Duration::ZERO);
        let Some(question) = &self.question else { return Ok(()) };
        let connected = clock.now();
        let request = question.request().map_err(say)?;
        let answer = connection.ask(self.from.unwrap_or(ANYBODY), request);
        let answer = clock.within(question.status_within, answer).await.map_err(say)?.map_err(say)?;
        let (head, body) = answer.into_parts();
        question.read_on(&head, body, connected, report, clock).await
    }
}

/// The beginning of an answer.
struct Answer {
    head: Parts,
    body: Incoming,
    connection: Connection,
}

/// What moves the bytes. It never ends twice.
type Connection = Pin<Box<Fuse<Pin<Box<dyn Future<Output = hyper::Result<()>>>>>>>;

impl Question {
    fn request(&self) -> Result<Request<Body>, axum::http::Error> {
        let mut request = Request::get(&self.path)
            .header(header::HOST, &self.host)
            .header(header::USER_AGENT, USER_AGENT)
            .header(header::CONNECTION, "close");
        if self.body_within.is_some() {
            request = request.header(header::ACCEPT_ENCODING, "gzip, deflate");
        }
        request.body(Body::empty())
    }

    /// The status is there; the body is read if it is looked at.
    async fn read_on(
        &self,
        head: &Parts,
        body: Body,
        connected: LabTime,
        report: &mut ProbeReport,
        clock: &LabClock,
    ) -> Result<(), String> {
        let answered = clock.now();
        let response = report.response.insert(ProbeResponse {
            status: head.status.as_u16(),
            after_connect: answered.since(connected),
            headers: size(&head.headers),
            body: None,
        });
        let Some(limit) = self.body_within else { return Ok(()) };
        let encoding = head.headers.get(header::CONTENT_ENCODING).and_then(|named| named.to_str().ok());
        let content = clock.within(limit, read(body, SearchedBody::new(encoding))).await.map_err(say)?;
        response.body = Some(ProbeBody { content: content?, after_status: clock.now().since(answered) });
        Ok(())
    }

    async fn ask(&self, stream: impl AsyncRead + AsyncWrite + Unpin + 'static) -> Result<Answer, String> {
        let request = self.request().map_err(say)?;
        let (mut sender, connection) = http1::Builder::new()
            .max_headers(MOST_HEADERS)
            .max_header_size(MOST_HEAD)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(say)?;
        let connection: Pin<Box<dyn Future<Output = _>>> = Box::pin(connection);
        let (answer, connection) = beside(sender.send_request(request), Box::pin(connection.fuse())).await;
        let (head, body) = answer.map_err(|error| with_cause(&error)).map(Response::into_parts)?;
        Ok(Answer { head, body, connection })
    }
}

/// Does something that a connection's bytes are needed for, and gives the connection back. When it has ended, it has
/// left its last words with who waits for them.
async fn beside<T>(work: impl Future<Output = T>, connection: Connection) -> (T, Connection) {
    match select(pin!(work), connection).await {
        Either::Left((done, connection)) => (done, connection),
        Either::Right((_, work)) => (work.await, Box::pin(Fuse::terminated())),
    }
}

/// Reads a body to its end, or to the last byte that is looked at.
async fn read(body: Body, mut content: SearchedBody) -> Result<SearchedBody, String> {
    let mut pieces = body.into_data_stream();
    while !content.is_full() {
        let Some(piece) = pieces.next().await else { break };
        content.push(&piece.map_err(say)?);
    }
    Ok(content)
}

/// Bytes of a header section, each field as `name: value` and a line end.
fn size(headers: &HeaderMap) -> usize {
    headers.iter().map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len()).sum()
}

fn with_cause(error: &hyper::Error) -> String {
    use std::error::Error as _;
    error.source().map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"))
}

#[expect(clippy::needless_pass_by_value, reason = "made for `map_err`, which gives it away")]
fn say(error: impl ToString) -> String {
    error.to_string()
}

/// Waits until the next probe is due; for ever when none is.
pub(super) async fn wake_at(clock: &LabClock, due: Option<LabTime>) {
    match due {
        Some(due) => drop(clock.sleep_until(due).await),
        None => std::future::pending().await,
    }
}

/// What a probe saw, for people.
pub(super) fn seen(report: &ProbeReport) -> String {
    match (&report.error, &report.response) {
        (Some(problem), _) if report.connected_after.is_none() => format!("not connected: {problem}"),
        (Some(problem), None) => format!("connected, but no status came: {problem}"),
        (Some(problem), Some(response)) => format!("status {}, and no whole body: {problem}", response.status),
        (None, Some(response)) => format!("status {}", response.status),
        (None, None) => "connected".to_owned(),
    }
}

#[cfg(test)]
mod tests;
