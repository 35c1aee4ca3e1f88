//! A load balancer: an HTTP reverse proxy in front of a cell's targets.
//!
//! It is told which targets to send to and never judges their health itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Response, StatusCode, Version, header};
use axum::response::IntoResponse;
use axum::{Extension, Router};
use tokio::sync::watch;

use crate::ground::LabClock;

use super::forwarding::{REQUEST_BODY_LIMIT, add_forwarded_for, drop_hop_by_hop, name_cell};
use super::http_client::HttpClient;
use super::http_server::Peer;
use super::{Arrivals, grpc};

/// Lab time that a target has for its answer: an ALB's idle timeout, by default (ALB guide, "Connection idle
/// timeout").
pub const IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// What a load balancer is told at its start.
#[derive(Clone, Debug)]
pub struct LoadBalancer {
    /// Where its arrivals are written down.
    pub arrivals: Arrivals,
    /// The base of each target's URL, `http://address:port`.
    pub targets: Vec<String>,
    /// The targets that requests are sent to now, by their index.
    pub routable: watch::Receiver<Vec<usize>>,
    /// How it speaks to its targets.
    pub upstream: HttpClient,
    /// Lab time.
    pub clock: LabClock,
}

struct Proxy {
    settings: LoadBalancer,
    turn: AtomicUsize,
}

/// The load balancer's answers: those of its targets in turn.
pub fn router(settings: LoadBalancer) -> Router {
    let proxy = Proxy { settings, turn: AtomicUsize::new(0) };
    grpc::beside(Router::new().fallback(answer).with_state(Arc::new(proxy)))
}

async fn answer(State(proxy): State<Arc<Proxy>>, Extension(peer): Extension<Peer>, request: Request) -> Response<Body> {
    let arrivals = &proxy.settings.arrivals;
    let arrival = arrivals.begin(peer);
    let mut response = match proxy.forward(peer, request).await {
        Ok(response) => response,
        Err(status) => status.into_response(),
    };
    name_cell(&mut response, arrivals.cell());
    arrival.answered(response.status());
    response
}

impl Proxy {
    async fn forward(&self, peer: Peer, request: Request) -> Result<Response<Body>, StatusCode> {
        let base = self.next_target().ok_or(StatusCode::SERVICE_UNAVAILABLE)?;
        let (mut head, body) = request.into_parts();
        let body = to_bytes(body, REQUEST_BODY_LIMIT).await.map_err(|_| StatusCode::PAYLOAD_TOO_LARGE)?;
        drop_hop_by_hop(&mut head.headers);
        one_hop_on(&mut head);
        head.headers.remove(header::CONTENT_LENGTH);
        add_forwarded_for(&mut head.headers, peer);
        let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
        head.uri = format!("{base}{path}").parse().map_err(|_| StatusCode::BAD_GATEWAY)?;
        let sent = self.settings.upstream.ask(Request::from_parts(head, body));
        let answered = self.settings.clock.within(IDLE_TIMEOUT, sent).await.map_err(|_| StatusCode::GATEWAY_TIMEOUT)?;
        let mut response = answered.map_err(|_| StatusCode::BAD_GATEWAY)?;
        drop_hop_by_hop(response.headers_mut());
        Ok(response)
    }

    fn next_target(&self) -> Option<&str> {
        let routable = self.settings.routable.borrow();
        let turn = self.turn.fetch_add(1, Ordering::Relaxed).checked_rem(routable.len())?;
        self.settings.targets.get(*routable.get(turn)?).map(String::as_str)
    }
}

/// Targets speak HTTP/1.1, whatever the client does: what HTTP/2 has as the authority is their `Host`.
fn one_hop_on(head: &mut Parts) {
    head.version = Version::HTTP_11;
    let host = head.uri.authority().and_then(|host| HeaderValue::from_str(host.as_str()).ok());
    if let Some(host) = host.filter(|_| !head.headers.contains_key(header::HOST)) {
        head.headers.insert(header::HOST, host);
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use axum::http::HeaderMap;
    use axum::routing::post;
    use tokio::net::TcpListener;

    use super::super::forwarding::FORWARDED_FOR;
    use super::super::http_server;
    use super::super::process::Process;
    use super::super::testbed::{ANA, EAST, EAST_TARGETS, Testbed, http_client, ip, on_loopback, roster, url};
    use super::super::{CELL_HEADER, HTTP_PORT};
    use super::*;
    use crate::journal::event::Event;

    fn here(bed: &Testbed, at: &str) -> SocketAddr {
        bed.environment.ground.here(SocketAddr::new(ip(at), HTTP_PORT)).unwrap()
    }

    /// A load balancer in front of one target.
    fn in_front_of(bed: &Testbed, target: SocketAddr) -> Process {
        let settings = LoadBalancer {
            arrivals: Arrivals::new("east".to_owned(), roster(), bed.environment.recorder.clone()),
            targets: vec![format!("http://{target}")],
            routable: watch::channel(vec![0]).1,
            upstream: HttpClient::fresh(&bed.environment.ground, None).unwrap(),
            clock: bed.environment.clock.clone(),
        };
        let (door, ground) = (here(bed, EAST), bed.environment.ground.clone());
        started(move || http_server::bind(&[door], router(settings.clone()), ground.clone()))
    }

    fn started(bind: impl Fn() -> std::io::Result<super::super::process::Serving> + 'static) -> Process {
        let mut process = Process::new(bind);
        process.start().unwrap();
        process
    }

    #[test]
    fn a_target_that_never_answers_is_a_gateway_timeout() {
        on_loopback(500.0, async |bed| {
            let silent = TcpListener::bind(here(&bed, EAST_TARGETS[0])).await.unwrap();
            let _balancer = in_front_of(&bed, silent.local_addr().unwrap());
            let http = http_client(&bed.environment.ground, ANA, false);
            let answer = http.get(url(&bed.environment.ground, EAST, "/")).send().await.unwrap();
            assert_eq!(answer.status(), StatusCode::GATEWAY_TIMEOUT);
            assert_eq!(answer.headers()[CELL_HEADER], "east");
        });
    }

    #[test]
    fn a_client_that_gives_up_before_the_answer_has_arrived_all_the_same() {
        on_loopback(1.0, async |mut bed| {
            let silent = TcpListener::bind(here(&bed, EAST_TARGETS[0])).await.unwrap();
            let _balancer = in_front_of(&bed, silent.local_addr().unwrap());
            let http = http_client(&bed.environment.ground, ANA, false);
            let question = http.get(url(&bed.environment.ground, EAST, "/")).send();
            let passed_on = silent.accept();
            tokio::select! {
                biased;
                _ = question => panic!("the target never answers"),
                _ = passed_on => {}
            }
            let arrived = bed.journal.wait_for("the arrival", |stamped| match &stamped.event {
                Event::RequestArrived { cell, client, status, .. } => Some((cell.clone(), client.clone(), *status)),
                _ => None,
            });
            assert_eq!(arrived.await, ("east".to_owned(), "ana".to_owned(), 460));
        });
    }

    #[test]
    fn a_request_reaches_the_target_whole_and_says_whom_it_is_for() {
        on_loopback(10.0, async |bed| {
            async fn echo(headers: HeaderMap, body: String) -> String {
                let forwarded = headers.get(FORWARDED_FOR).map(|value| value.to_str().unwrap());
                assert_eq!(headers[header::HOST], "api.example");
                assert!(!headers.contains_key("x-hop"));
                format!("{body} for {}", forwarded.unwrap())
            }
            let (target, ground) = (here(&bed, EAST_TARGETS[0]), bed.environment.ground.clone());
            let routes = Router::new().route("/pay", post(echo));
            let _target = started(move || http_server::bind(&[target], routes.clone(), ground.clone()));
            let _balancer = in_front_of(&bed, target);
            let http = http_client(&bed.environment.ground, ANA, false);
            let request = http
                .post(url(&bed.environment.ground, EAST, "/pay"))
                .header(header::HOST, "api.example")
                .header(header::CONNECTION, "x-hop")
                .header("x-hop", "1")
                .header(FORWARDED_FOR, "203.0.113.9")
                .body("10 euros");
            let answer = request.send().await.unwrap();
            assert_eq!(answer.status(), StatusCode::OK);
            assert_eq!(answer.text().await.unwrap(), format!("10 euros for 203.0.113.9, {ANA}"));
        });
    }
}
