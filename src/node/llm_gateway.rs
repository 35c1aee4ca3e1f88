//! A gateway in front of an inference engine: a reverse proxy that streams answers through, gives an engine that does
//! not begin its answer up, and turns the free tier away when it has too much under way.
//!
//! It never judges the engine's health: that is the prober's.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::body::{Body, BodyDataStream, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;
use axum::routing::{any, get};
use axum::{Extension, Router};
use futures_util::{StreamExt, stream};

use crate::clock::LabTime;
use crate::ground::{Environment, LabClock};
use crate::plan::{EnginePlan, FREE_TIER, GatewaySettings};

use super::cadence::Cadence;
use super::event_stream::{EVENT_STREAM, Progress};
use super::forwarding::{REQUEST_BODY_LIMIT, add_forwarded_for, drop_hop_by_hop, name_cell};
use super::http_server::{self, Peer};
use super::process::Serving;
use super::upstream::{Upstream, UpstreamError};
use super::{Arrival, Arrivals, ENGINE_PORT, TIER_HEADER};

/// In this header a caller that has more patience than the gateway asks for it, in seconds of lab time: a prober,
/// whose own budget is the measure. Envoy knows it as `x-envoy-upstream-rq-timeout-ms`.
pub(super) const PATIENCE_HEADER: HeaderName = HeaderName::from_static("x-muster-first-byte-within");

/// From one sign of life of a stream to the next, lab time.
const SIGN_OF_LIFE_EVERY: Duration = Duration::from_secs(1);

/// A gateway, not bound yet; cheap to clone.
#[derive(Clone, Debug)]
pub struct LlmGateway(Arc<Gateway>);

#[derive(Debug)]
struct Gateway {
    arrivals: Arrivals,
    upstream: Upstream,
    settings: GatewaySettings,
    clock: LabClock,
    under_way: Arc<AtomicU32>,
}

impl LlmGateway {
    /// The gateway in front of this engine, whose connections come `from` an address of this machine. What the engine
    /// needs from the environment is read here, once.
    ///
    /// # Errors
    /// When there is no way to the engine.
    pub fn new(
        arrivals: Arrivals,
        engine: &EnginePlan,
        settings: GatewaySettings,
        from: Option<IpAddr>,
        environment: &Environment,
    ) -> Result<Self, UpstreamError> {
        let here = |address| environment.ground.here(SocketAddr::new(address, ENGINE_PORT));
        let upstream = Upstream::to(engine, environment.ground.simulated().cloned(), from, here, |variable| {
            std::env::var(variable).ok()
        })?;
        let under_way = Arc::default();
        Ok(Self(Arc::new(Gateway { arrivals, upstream, settings, clock: environment.clock.clone(), under_way })))
    }

    /// Its answers.
    pub fn router(&self) -> Router {
        Router::new()
            .route("/v1/{*path}", any(answer))
            .route("/health", get(answer))
            .fallback(answer_nothing_here)
            .with_state(Arc::clone(&self.0))
    }

    /// Binds it to socket addresses of this machine.
    ///
    /// # Errors
    /// When one of them cannot be bound; then none is.
    pub fn bind(&self, here: &[SocketAddr], environment: &Environment) -> io::Result<Serving> {
        http_server::bind(here, self.router(), environment.ground.clone())
    }
}

async fn answer(
    State(gateway): State<Arc<Gateway>>,
    Extension(peer): Extension<Peer>,
    request: Request,
) -> Response<Body> {
    let arrival = gateway.arrivals.begin(peer);
    let answered = match gateway.admit(request.headers()) {
        Ok(place) => gateway.forward(peer, request).await.map(|response| (response, Some(place))),
        Err(shed) => Err(shed),
    };
    let (response, place) = answered.unwrap_or_else(|refusal| (refusal.into_response(), None));
    gateway.watch(response, arrival, place)
}

async fn answer_nothing_here(State(gateway): State<Arc<Gateway>>, Extension(peer): Extension<Peer>) -> Response<Body> {
    let arrival = gateway.arrivals.begin(peer);
    gateway.watch(StatusCode::NOT_FOUND.into_response(), arrival, None)
}

/// Why the gateway itself answers.
#[derive(Clone, Copy, Debug)]
enum Refusal {
    /// The free tier has no place now.
    Shed,
    /// The request is too large.
    TooLarge,
    /// The engine does not take it.
    NoEngine,
    /// The engine does not begin its answer.
    Silent,
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response<Body> {
        match self {
            Self::Shed => (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "1")]).into_response(),
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE.into_response(),
            Self::NoEngine => StatusCode::BAD_GATEWAY.into_response(),
            Self::Silent => StatusCode::GATEWAY_TIMEOUT.into_response(),
        }
    }
}

/// One request under way, until this is dropped.
#[derive(Debug)]
struct Place(Arc<AtomicU32>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Gateway {
    fn admit(&self, headers: &HeaderMap) -> Result<Place, Refusal> {
        let is_free = headers.get(TIER_HEADER).is_some_and(|tier| tier.as_bytes() == FREE_TIER.as_bytes());
        let under_way = self.under_way.load(Ordering::Relaxed);
        if is_free && self.settings.sheds_above.is_some_and(|most| under_way >= most) {
            return Err(Refusal::Shed);
        }
        self.under_way.fetch_add(1, Ordering::Relaxed);
        Ok(Place(Arc::clone(&self.under_way)))
    }

    async fn forward(&self, peer: Peer, request: Request) -> Result<Response<Body>, Refusal> {
        let (mut head, body) = request.into_parts();
        let body = to_bytes(body, REQUEST_BODY_LIMIT).await.map_err(|_| Refusal::TooLarge)?;
        drop_hop_by_hop(&mut head.headers);
        add_forwarded_for(&mut head.headers, peer);
        let patience = self.settings.first_byte_within.max(patience_of(&mut head.headers));
        let asked = self.upstream.ask(Request::from_parts(head, body));
        let answered = self.clock.within(patience, asked).await.map_err(|_| Refusal::Silent)?;
        let mut response = answered.map_err(|_| Refusal::NoEngine)?;
        drop_hop_by_hop(response.headers_mut());
        Ok(response)
    }

    /// Follows an answer to its end: until then the request is under way, and then it has arrived.
    fn watch(&self, mut response: Response<Body>, mut arrival: Arrival, place: Option<Place>) -> Response<Body> {
        name_cell(&mut response, self.arrivals.cell());
        arrival.begins(response.status());
        let media_type = response.headers().get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
        let streams = media_type.is_some_and(|it| it.starts_with(EVENT_STREAM.as_bytes()));
        response.map(|body| {
            let signs = Cadence { first: self.clock.now() + SIGN_OF_LIFE_EVERY, every: SIGN_OF_LIFE_EVERY };
            let watched = Watched {
                data: body.into_data_stream(),
                arrival,
                _place: place,
                progress: streams.then(Progress::default),
                told: 0,
                next_sign: signs.first,
                signs,
                clock: self.clock.clone(),
            };
            Body::from_stream(stream::unfold(watched, Watched::go_on))
        })
    }
}

fn patience_of(headers: &mut HeaderMap) -> Duration {
    let asked = headers.remove(PATIENCE_HEADER);
    let seconds = asked.and_then(|value| value.to_str().ok()?.parse().ok());
    seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).unwrap_or_default()
}

/// An answer on its way to the client.
struct Watched {
    data: BodyDataStream,
    arrival: Arrival,
    _place: Option<Place>,
    /// Of a stream.
    progress: Option<Progress>,
    /// How many tokens the last sign told.
    told: u64,
    next_sign: LabTime,
    signs: Cadence,
    clock: LabClock,
}

impl Watched {
    async fn go_on(mut self) -> Option<(Result<Bytes, axum::Error>, Self)> {
        loop {
            let Some(progress) = &mut self.progress else {
                return self.data.next().await.map(|piece| (piece, self));
            };
            tokio::select! {
                biased;
                _ = self.clock.sleep_until(self.next_sign) => {
                    // A stream that stalls is not being served: only what came since the last sign is one.
                    if progress.tokens() > self.told {
                        self.told = progress.tokens();
                        self.arrival.goes_on(self.told);
                    }
                    self.next_sign = self.signs.next_after(self.clock.now());
                }
                piece = self.data.next() => {
                    let piece = piece?;
                    if let Ok(piece) = &piece {
                        progress.read(piece);
                    }
                    return Some((piece, self));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
