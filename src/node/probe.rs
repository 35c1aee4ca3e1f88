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
use crate::ground::WallClock;
use crate::health::{HTTP_HEADERS_LIMIT, ProbeBody, ProbeReport, ProbeResponse, SearchedBody};

use super::connections::connect;
use super::handshake::Handshake;

const USER_AGENT: &str = concat!("muster/", env!("CARGO_PKG_VERSION"));
/// The shortest header field is `a:` and a line end. More fields than this are over the limit whatever they say.
const MOST_HEADERS: usize = HTTP_HEADERS_LIMIT / 4 + 1;
/// An answer's head is read up to here, so that one above the limit is reported as such (R53-115); beyond, it is none.
const MOST_HEAD: usize = 4 * HTTP_HEADERS_LIMIT;

/// What a probe does.
#[derive(Clone, Debug)]
pub(super) struct Probe {
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
    pub(super) async fn run(&self, clock: WallClock) -> ProbeReport {
        let mut report = ProbeReport::default();
        let ended = clock.within(self.stop_after, self.fill(&mut report, clock)).await;
        report.error = ended.map_err(say).flatten().err();
        report
    }

    async fn fill(&self, report: &mut ProbeReport, clock: WallClock) -> Result<(), String> {
        let started = clock.now();
        let stream = clock.within(self.connect_within, connect(self.from, self.to)).await.map_err(say)?.map_err(say)?;
        let connected = clock.now();
        report.connected_after = Some(connected.since(started));
        let Some(question) = &self.question else { return Ok(()) };
        let answer = async {
            match &question.tls {
                None => question.ask(stream).await,
                Some(handshake) => question.ask(handshake.shake(stream, connect(self.from, self.to)).await?).await,
            }
        };
        let Answer { head, body, connection } = clock.within(question.status_within, answer).await.map_err(say)??;
        let answered = clock.now();
        let response = report.response.insert(ProbeResponse {
            status: head.status.as_u16(),
            after_connect: answered.since(connected),
            headers: size(&head.headers),
            body: None,
        });
        let Some(limit) = question.body_within else { return Ok(()) };
        let encoding = head.headers.get(header::CONTENT_ENCODING).and_then(|named| named.to_str().ok());
        let reading = beside(read(body, SearchedBody::new(encoding)), connection);
        let (content, _) = clock.within(limit, reading).await.map_err(say)?;
        response.body = Some(ProbeBody { content: content?, after_status: clock.now().since(answered) });
        Ok(())
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
    async fn ask(&self, stream: impl AsyncRead + AsyncWrite + Unpin + 'static) -> Result<Answer, String> {
        let mut request = Request::get(&self.path)
            .header(header::HOST, &self.host)
            .header(header::USER_AGENT, USER_AGENT)
            .header(header::CONNECTION, "close");
        if self.body_within.is_some() {
            request = request.header(header::ACCEPT_ENCODING, "gzip, deflate");
        }
        let request = request.body(Body::empty()).map_err(say)?;
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
async fn read(body: Incoming, mut content: SearchedBody) -> Result<SearchedBody, String> {
    let mut pieces = Body::new(body).into_data_stream();
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

fn say(error: impl ToString) -> String {
    error.to_string()
}

/// Waits until the next probe is due; for ever when none is.
pub(super) async fn wake_at(clock: WallClock, due: Option<LabTime>) {
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
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;
    use crate::clock::Speed;

    /// The probe of a server that answers every connection's question with these bytes; with none: never.
    async fn probe_of(answer: &'static [u8]) -> Probe {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let to = listener.local_addr().unwrap();
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut question = [0; 1024];
                let read = stream.read(&mut question).await.unwrap();
                let question = std::str::from_utf8(&question[..read]).unwrap().to_ascii_lowercase();
                assert!(question.starts_with("get /health http/1.1\r\n"), "{question}");
                assert!(question.contains("\r\nhost: api.example\r\n"), "{question}");
                stream.write_all(answer).await.unwrap();
                if answer.is_empty() {
                    std::future::pending::<()>().await;
                }
            }
        });
        probe(to)
    }

    fn probe(to: SocketAddr) -> Probe {
        let question = Question {
            host: "api.example".to_owned(),
            path: "/health".to_owned(),
            tls: None,
            status_within: Duration::from_secs(2),
            body_within: None,
        };
        let (connect_within, stop_after) = (Duration::from_secs(4), Duration::from_secs(8));
        Probe { from: None, to, question: Some(question), connect_within, stop_after }
    }

    async fn report(answer: &'static [u8]) -> ProbeReport {
        probe_of(answer).await.run(WallClock::start(Speed::new(20.0).unwrap())).await
    }

    #[tokio::test]
    async fn a_probe_reports_the_status_and_follows_no_redirect() {
        for (answer, status) in [
            (b"HTTP/1.1 204 No Content\r\n\r\n".as_slice(), 204),
            (b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", 302),
            (b"HTTP/1.1 503 Service Unavailable\r\n\r\n", 503),
        ] {
            let report = report(answer).await;
            assert_eq!(report.response.as_ref().unwrap().status, status);
            assert_eq!(seen(&report), format!("status {status}"));
        }
    }

    #[tokio::test]
    async fn r53_111_a_probe_that_is_never_answered_is_stopped_and_was_connected() {
        let report = report(b"").await;
        assert!(report.connected_after.is_some());
        assert_eq!(report.response, None);
        assert_eq!(seen(&report), "connected, but no status came: no end within 2s of lab time");
    }

    #[tokio::test]
    async fn what_is_not_http_is_no_status() {
        let report = report(b"220 mail.example ESMTP\r\n").await;
        assert!(report.connected_after.is_some() && report.response.is_none() && report.error.is_some());
    }

    #[tokio::test]
    async fn r53_112_a_closed_port_is_not_connected_and_an_open_one_is() {
        let clock = WallClock::start(Speed::REAL);
        let open = Probe { question: None, ..probe_of(b"").await };
        assert_eq!(seen(&open.run(clock).await), "connected");
        // Taken and given back: nobody listens there.
        let to = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let report = Probe { to, ..open }.run(clock).await;
        assert_eq!(report.connected_after, None);
        assert!(seen(&report).contains("refused"));
    }
}
