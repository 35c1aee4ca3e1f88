//! A telemetry gateway: takes traces, metrics and logs by OTLP over HTTP (the OTLP specification, "OTLP/HTTP"), and
//! reads what it takes. It keeps nothing.

mod otlp;
#[cfg(test)]
mod tests;

use std::io::{self, Read};
use std::net::SocketAddr;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Extension, Router};
use flate2::read::GzDecoder;

use crate::ground::Environment;

use super::Arrivals;
use super::forwarding::name_cell;
use super::http_server::{self, Peer};
use super::process::Serving;
use otlp::{Encoding, Kind};

/// Bytes of a request at most, unpacked.
const REQUEST_LIMIT: usize = 4 * 1024 * 1024;

/// Binds a telemetry gateway to socket addresses of this machine.
///
/// # Errors
/// When one of them cannot be bound; then none is.
pub fn bind(here: &[SocketAddr], arrivals: &Arrivals, environment: &Environment) -> io::Result<Serving> {
    http_server::bind(here, router(arrivals.clone()), environment.ground.clone())
}

/// Its answers.
pub(super) fn router(arrivals: Arrivals) -> Router {
    let take = |kind: Kind| post(move |request: Request| take(kind, request));
    Router::new()
        .route("/v1/traces", take(Kind::Traces))
        .route("/v1/metrics", take(Kind::Metrics))
        .route("/v1/logs", take(Kind::Logs))
        .route("/", get(async || StatusCode::OK))
        .route("/health", get(async || StatusCode::OK))
        .layer(axum::middleware::from_fn_with_state(arrivals, write_down))
}

/// Writes down the arrival of every request, and says which cell answers.
async fn write_down(
    State(arrivals): State<Arrivals>,
    Extension(peer): Extension<Peer>,
    request: Request,
    next: axum::middleware::Next,
) -> Response<Body> {
    let arrival = arrivals.begin(peer);
    let mut response = next.run(request).await;
    name_cell(&mut response, arrivals.cell());
    arrival.answered(response.status());
    response
}

async fn take(kind: Kind, request: Request) -> Response<Body> {
    let Some(encoding) = Encoding::named(request.headers()) else {
        let expected = format!("expected content-type {} or {}", Encoding::Protobuf, Encoding::Json);
        return (StatusCode::UNSUPPORTED_MEDIA_TYPE, expected).into_response();
    };
    let packed = match packing(request.headers()) {
        Ok(packed) => packed,
        Err(expected) => return (StatusCode::UNSUPPORTED_MEDIA_TYPE, expected).into_response(),
    };
    let Ok(body) = to_bytes(request.into_body(), REQUEST_LIMIT).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let read = if packed { unpacked(&body) } else { Ok(body.to_vec()) };
    let (status, answer) = match read.and_then(|body| encoding.answer(kind, &body)) {
        Ok(answer) => (StatusCode::OK, answer),
        Err(problem) => (StatusCode::BAD_REQUEST, encoding.complaint(problem)),
    };
    (status, [(header::CONTENT_TYPE, encoding.media_type())], answer).into_response()
}

/// Whether a request is packed with gzip, the one packing that a server must know besides none.
fn packing(headers: &HeaderMap) -> Result<bool, &'static str> {
    match headers.get(header::CONTENT_ENCODING).map(header::HeaderValue::as_bytes) {
        None | Some(b"identity") => Ok(false),
        Some(b"gzip") => Ok(true),
        Some(_) => Err("expected content-encoding gzip, or none"),
    }
}

fn unpacked(body: &[u8]) -> Result<Vec<u8>, String> {
    let limit = u64::try_from(REQUEST_LIMIT).unwrap_or(u64::MAX);
    let mut unpacked = Vec::new();
    let read = GzDecoder::new(body).take(limit + 1).read_to_end(&mut unpacked);
    match read {
        Ok(length) if length <= REQUEST_LIMIT => Ok(unpacked),
        Ok(_) => Err(format!("more than {REQUEST_LIMIT} bytes, unpacked")),
        Err(problem) => Err(format!("no gzip: {problem}")),
    }
}
