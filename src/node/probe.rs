//! One probe of an endpoint: a fresh connection, one question, no redirect followed.
//!
//! It reports what it saw and when. What that means for a status is decided in the health room.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, header};
use futures_util::future::{Either, select};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use crate::clock::LabTime;
use crate::ground::WallClock;
use crate::health::{ProbeReport, ProbeResponse};

use super::connections::connect;

const USER_AGENT: &str = concat!("muster/", env!("CARGO_PKG_VERSION"));

/// What a probe does.
#[derive(Clone, Debug)]
pub(super) struct Probe {
    /// The address of this machine that it comes from; the kernel's choice when missing.
    pub(super) from: Option<IpAddr>,
    /// The socket address of this machine that it goes to.
    pub(super) to: SocketAddr,
    /// What it asks; a connection alone when missing.
    pub(super) question: Option<Question>,
    /// It is stopped after this, in lab time.
    pub(super) stop_after: Duration,
}

/// What an HTTP probe asks with `GET`.
#[derive(Clone, Debug)]
pub(super) struct Question {
    /// The `Host` header.
    pub(super) host: String,
    /// Path and query.
    pub(super) path: String,
}

impl Probe {
    /// Probes once.
    pub(super) async fn run(&self, clock: WallClock) -> ProbeReport {
        let mut report = ProbeReport::default();
        let ended = clock.within(self.stop_after, self.fill(&mut report, clock)).await;
        report.error = match ended {
            Ok(Ok(())) => None,
            Ok(Err(problem)) => Some(problem),
            Err(late) => Some(late.to_string()),
        };
        report
    }

    async fn fill(&self, report: &mut ProbeReport, clock: WallClock) -> Result<(), String> {
        let started = clock.now();
        let stream = connect(self.from, self.to).await.map_err(|error| error.to_string())?;
        let connected = clock.now();
        report.connected_after = Some(connected.since(started));
        if let Some(question) = &self.question {
            let status = question.ask(stream).await?;
            report.response = Some(ProbeResponse { status, after_connect: clock.now().since(connected) });
        }
        Ok(())
    }
}

impl Question {
    async fn ask(&self, stream: TcpStream) -> Result<u16, String> {
        let request = Request::get(&self.path)
            .header(header::HOST, &self.host)
            .header(header::USER_AGENT, USER_AGENT)
            .header(header::CONNECTION, "close")
            .body(Body::empty())
            .map_err(|error| error.to_string())?;
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
        let ask = Box::pin(async move { sender.send_request(request).await.map(|answer| answer.status().as_u16()) });
        let status = match select(ask, connection).await {
            Either::Left((status, _)) => status,
            // The connection has ended, and left its last word with the question.
            Either::Right((_, ask)) => ask.await,
        };
        status.map_err(|error| error.to_string())
    }
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
    match (&report.error, report.response) {
        (Some(problem), _) if report.connected_after.is_none() => format!("not connected: {problem}"),
        (Some(problem), _) => format!("connected, but no status came: {problem}"),
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
        let question = Question { host: "api.example".to_owned(), path: "/health".to_owned() };
        Probe { from: None, to, question: Some(question), stop_after: Duration::from_secs(6) }
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
            assert_eq!(report.response.unwrap().status, status);
            assert_eq!(seen(&report), format!("status {status}"));
        }
    }

    #[tokio::test]
    async fn r53_111_a_probe_that_is_never_answered_is_stopped_and_was_connected() {
        let report = report(b"").await;
        assert!(report.connected_after.is_some());
        assert_eq!(report.response, None);
        assert_eq!(seen(&report), "connected, but no status came: no end within 6s of lab time");
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
