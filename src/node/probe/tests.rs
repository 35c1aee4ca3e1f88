use std::io::Write;
use std::sync::{Arc, Mutex};

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use rustls::crypto::ring;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::version::{TLS12, TLS13};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::clock::Speed;
use crate::ground::WallClock;
use crate::health::{CertificateProblem, CheckProtocol, EndpointCheck, HTTP_BODY_LIMIT, SEARCHED_BYTES, Tls};

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
    Probe { network: None, from: None, to, question: Some(question), connect_within, stop_after }
}

async fn report(answer: &'static [u8]) -> ProbeReport {
    probe_of(answer).await.run(&WallClock::start(Speed::new(20.0).unwrap()).into()).await
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
    let clock = LabClock::from(WallClock::start(Speed::REAL));
    let open = Probe { question: None, ..probe_of(b"").await };
    assert_eq!(seen(&open.run(&clock).await), "connected");
    // Taken and given back: nobody listens there.
    let to = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let report = Probe { to, ..open }.run(&clock).await;
    assert_eq!(report.connected_after, None);
    assert!(seen(&report).contains("refused"));
}

fn judged(check: &EndpointCheck, report: &ProbeReport) -> String {
    check.judge(report).to_string()
}

/// A check that searches for `string`, and its probe of a server that answers with these bytes.
async fn search(string: &str, answer: &'static [u8]) -> String {
    let check = EndpointCheck { protocol: http(None, Some(string)), ..check() };
    let probe = probe_of(answer).await;
    judged(&check, &searching(probe).run(&clock()).await)
}

fn searching(mut probe: Probe) -> Probe {
    probe.question.as_mut().unwrap().body_within = Some(HTTP_BODY_LIMIT);
    probe
}

fn clock() -> LabClock {
    WallClock::start(Speed::new(10.0).unwrap()).into()
}

fn http(tls: Option<Tls>, search: Option<&str>) -> CheckProtocol {
    CheckProtocol::Http { path: "/health".to_owned(), host: None, tls, search: search.map(str::to_owned) }
}

fn check() -> EndpointCheck {
    EndpointCheck { protocol: http(None, None), port: 80, interval: Duration::from_secs(10), failure_threshold: 3 }
}

fn answer(head: &str, body: &[u8]) -> &'static [u8] {
    let mut answer = format!("HTTP/1.1 200 OK\r\n{head}\r\n").into_bytes();
    answer.extend(body);
    answer.leak()
}

#[tokio::test]
async fn r53_113_the_string_is_searched_in_the_body_that_comes() {
    let page = answer("content-length: 13\r\n", b"all is ready\n");
    assert_eq!(search("is ready", page).await, "passed");
    assert_eq!(search("Ready", page).await, "the string is not in the first 5120 bytes of the body");
}

#[tokio::test]
async fn r53_113_a_body_that_does_not_come_whole_fails_though_the_string_is_in_it() {
    let cut = answer("content-length: 100\r\n", b"all is ready");
    assert!(search("is ready", cut).await.starts_with("the status came, but no whole body: "));

    let to = serve(async |mut stream, _| {
        stream.write_all(cut).await.unwrap();
        std::future::pending::<()>().await;
    });
    let check = EndpointCheck { protocol: http(None, Some("is ready")), ..check() };
    let waiting = searching(probe(to.await)).run(&clock()).await;
    assert_eq!(judged(&check, &waiting), "the status came, but no whole body: no end within 2s of lab time");
}

#[tokio::test]
async fn r53_113_nobody_waits_for_what_is_not_looked_at() {
    let to = serve(async |mut stream, _| {
        let body = format!("ready{}", ".".repeat(SEARCHED_BYTES));
        stream.write_all(answer("content-length: 100000\r\n", body.as_bytes())).await.unwrap();
        std::future::pending::<()>().await;
    });
    let check = EndpointCheck { protocol: http(None, Some("ready")), ..check() };
    assert_eq!(judged(&check, &searching(probe(to.await)).run(&clock()).await), "passed");
}

#[tokio::test]
async fn r53_114_gzip_and_deflate_are_undone_and_asked_for() {
    let page = b"all is ready\n";
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(page).unwrap();
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
    zlib.write_all(page).unwrap();
    let mut raw = DeflateEncoder::new(Vec::new(), Compression::default());
    raw.write_all(page).unwrap();
    let bodies =
        [("gzip", gzip.finish().unwrap()), ("deflate", zlib.finish().unwrap()), ("deflate", raw.finish().unwrap())];
    for (encoding, body) in bodies {
        let answer = answer(&format!("content-encoding: {encoding}\r\ncontent-length: {}\r\n", body.len()), &body);
        let to = serve(async move |mut stream, asked| {
            assert!(asked.contains("\r\naccept-encoding: gzip, deflate\r\n"), "{asked}");
            stream.write_all(answer).await.unwrap();
        });
        let check = EndpointCheck { protocol: http(None, Some("is ready")), ..check() };
        assert_eq!(judged(&check, &searching(probe(to.await)).run(&clock()).await), "passed", "{encoding}");
    }
}

#[tokio::test]
async fn r53_115_the_header_section_may_have_16384_bytes_and_not_one_more() {
    for (bytes, passes) in [(HTTP_HEADERS_LIMIT, true), (HTTP_HEADERS_LIMIT + 1, false)] {
        let head = format!("x-long: {}\r\n", "a".repeat(bytes - "x-long: \r\n".len()));
        let report = report(answer(&head, b"")).await;
        assert_eq!(report.response.as_ref().map(|response| response.headers), Some(bytes));
        assert_eq!(check().judge(&report).passed(), passes, "{bytes}");
    }
    let far_above = report(answer(&format!("x-long: {}\r\n", "a".repeat(200_000)), b"")).await;
    assert!(!check().judge(&far_above).passed());
}

#[tokio::test]
async fn r53_115_many_short_headers_are_no_error_of_their_own() {
    let report = report(answer(&"a: 1\r\n".repeat(1000), b"")).await;
    assert_eq!(judged(&check(), &report), "passed");
}

#[tokio::test]
async fn r53_115_headers_that_do_not_follow_the_rfc_fail() {
    for malformed in ["no colon\r\n", "space before : colon\r\n", "a: 1\r\n folded\r\n", "a: \x00\r\n"] {
        let report = report(answer(malformed, b"")).await;
        assert!(report.connected_after.is_some());
        assert!(judged(&check(), &report).starts_with("connected, but no status came: "), "{malformed:?}");
    }
}

/// Serves each connection that comes in, after its question has been read.
async fn serve<F: Future<Output = ()> + Send + 'static>(
    answer: impl Fn(TcpStream, String) -> F + Send + 'static,
) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let to = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut question = [0; 1024];
            let read = stream.read(&mut question).await.unwrap();
            let question = std::str::from_utf8(&question[..read]).unwrap().to_ascii_lowercase();
            tokio::spawn(answer(stream, question));
        }
    });
    to
}

/// What an HTTPS server does with the name in a client hello: it keeps them all, and may need one.
#[derive(Debug)]
struct Picks {
    seen: Arc<Mutex<Vec<Option<String>>>>,
    certificate: Arc<CertifiedKey>,
    needs_a_name: bool,
}

impl ResolvesServerCert for Picks {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let name = hello.server_name().map(str::to_owned);
        let refused = self.needs_a_name && name.is_none();
        self.seen.lock().unwrap().push(name);
        (!refused).then(|| Arc::clone(&self.certificate))
    }
}

/// An HTTPS server that answers 200, with a certificate of this name that ended in this year.
struct HttpsServer {
    to: SocketAddr,
    seen: Arc<Mutex<Vec<Option<String>>>>,
}

async fn https(
    name: &str,
    ended: i32,
    needs_a_name: bool,
    version: &'static rustls::SupportedProtocolVersion,
) -> HttpsServer {
    let key = rcgen::KeyPair::generate().unwrap();
    let mut params = rcgen::CertificateParams::new([name.to_owned()]).unwrap();
    params.not_after = rcgen::date_time_ymd(ended, 1, 1);
    let chain = vec![params.self_signed(&key).unwrap().der().clone()];
    let signing = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let certificate = Arc::new(CertifiedKey::new(chain, ring::sign::any_supported_type(&signing).unwrap()));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let picks = Picks { seen: Arc::clone(&seen), certificate, needs_a_name };
    let config = rustls::ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[version])
        .unwrap()
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(picks));
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let to = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            // Who gives the handshake up wants another one.
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            if stream.read(&mut [0; 1024]).await.is_ok_and(|read| read > 0) {
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nready").await.unwrap();
                let _ = stream.shutdown().await;
            }
        }
    });
    HttpsServer { to, seen }
}

async fn shaken(server: &HttpsServer, sent_name: Option<&str>) -> String {
    let report = asked(server, sent_name).await;
    let check = EndpointCheck { protocol: http(Some(Tls { sni: sent_name.is_some() }), Some("ready")), ..check() };
    judged(&check, &report)
}

async fn asked(server: &HttpsServer, sent_name: Option<&str>) -> ProbeReport {
    let mut asking = searching(probe(server.to));
    asking.question.as_mut().unwrap().tls = Some(Handshake::new(sent_name).unwrap());
    asking.run(&WallClock::start(Speed::REAL).into()).await
}

const API: &str = "api.example";
const THIS_MILLENNIUM: i32 = 3000;

#[tokio::test]
async fn r53_116_no_certificate_is_too_bad_with_tls_1_2_and_1_3() {
    for version in [&TLS12, &TLS13] {
        for (name, ended) in [(API, THIS_MILLENNIUM), (API, 2001), ("other.example", THIS_MILLENNIUM)] {
            let server = https(name, ended, false, version).await;
            assert_eq!(shaken(&server, Some(API)).await, "passed", "{name} until {ended}, {version:?}");
        }
    }
}

#[tokio::test]
async fn r53_116_what_a_browser_would_mind_of_a_certificate_is_seen_and_changes_nothing() {
    for (name, ended, sent, problem) in [
        (API, THIS_MILLENNIUM, Some(API), CertificateProblem::SelfSigned),
        (API, 2001, Some(API), CertificateProblem::OutOfDate),
        ("other.example", THIS_MILLENNIUM, Some(API), CertificateProblem::OtherName),
        (API, THIS_MILLENNIUM, None, CertificateProblem::OtherName),
    ] {
        let report = asked(&https(name, ended, false, &TLS13).await, sent).await;
        assert_eq!(
            (report.certificate, seen(&report)),
            (Some(problem), "status 200".to_owned()),
            "{name} until {ended}"
        );
    }
}

#[tokio::test]
async fn r53_117_the_host_name_is_sent_in_the_client_hello_or_not() {
    let server = https(API, THIS_MILLENNIUM, false, &TLS13).await;
    assert_eq!(shaken(&server, Some(API)).await, "passed");
    assert_eq!(shaken(&server, None).await, "passed");
    assert_eq!(*server.seen.lock().unwrap(), [Some(API.to_owned()), None]);
}

#[tokio::test]
async fn r53_117_a_certificate_without_the_name_makes_the_checker_try_again_without_it() {
    for version in [&TLS12, &TLS13] {
        let server = https("other.example", THIS_MILLENNIUM, false, version).await;
        assert_eq!(shaken(&server, Some(API)).await, "passed");
        assert_eq!(*server.seen.lock().unwrap(), [Some(API.to_owned()), None]);
        // And where that is not possible, the second try fails.
        let server = https("other.example", THIS_MILLENNIUM, true, version).await;
        assert!(shaken(&server, Some(API)).await.starts_with("connected, but no status came: TLS: "));
        assert_eq!(*server.seen.lock().unwrap(), [Some(API.to_owned()), None]);
    }
}

#[tokio::test]
async fn r53_117_without_a_name_the_handshake_fails_where_one_is_needed() {
    let server = https(API, THIS_MILLENNIUM, true, &TLS13).await;
    assert_eq!(shaken(&server, Some(API)).await, "passed");
    let failure = shaken(&server, None).await;
    assert!(failure.starts_with("connected, but no status came: TLS: "), "{failure}");
    assert!(failure.to_lowercase().contains("alert") || failure.contains("Alert"), "{failure}");
}

#[tokio::test]
async fn r53_111_a_handshake_takes_from_the_time_that_the_status_has() {
    // It accepts, hears the client hello, and says nothing.
    let to = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut asking = probe(to.local_addr().unwrap());
    asking.question.as_mut().unwrap().tls = Some(Handshake::new(Some(API)).unwrap());
    let report = asking.run(&clock()).await;
    assert!(report.connected_after.is_some());
    assert_eq!(judged(&check(), &report), "connected, but no status came: no end within 2s of lab time");
}
