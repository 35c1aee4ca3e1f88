//! What every reverse proxy does to the headers that pass through it, whatever it stands in front of.

use axum::body::Body;
use axum::http::Response;
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};

use super::CELL_HEADER;
use super::http_server::Peer;

/// Bytes of a request body that are passed on at most.
pub(super) const REQUEST_BODY_LIMIT: usize = 1024 * 1024;

pub(super) const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Headers that speak of one connection only (RFC 9110, section 7.6.1).
const HOP_BY_HOP: [HeaderName; 9] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// Takes out what speaks of one connection only, and what the connection itself names.
pub(super) fn drop_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named.iter().chain(&HOP_BY_HOP) {
        headers.remove(name);
    }
}

/// Says whom the request is for.
pub(super) fn add_forwarded_for(headers: &mut HeaderMap, peer: Peer) {
    let before = headers.get(FORWARDED_FOR).and_then(|value| value.to_str().ok());
    let now = before.map_or_else(|| peer.0.to_string(), |before| format!("{before}, {}", peer.0));
    if let Ok(value) = HeaderValue::from_str(&now) {
        headers.insert(FORWARDED_FOR, value);
    }
}

/// Says which cell answers.
pub(super) fn name_cell(response: &mut Response<Body>, cell: &str) {
    if let Ok(cell) = HeaderValue::from_str(cell) {
        response.headers_mut().insert(CELL_HEADER, cell);
    }
}
