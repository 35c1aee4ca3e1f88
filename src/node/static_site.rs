//! A static site: files behind an address, here a maintenance page. It has no health, and needs nothing.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse};
use axum::{Extension, Router};

use super::http_server::Peer;
use super::{Arrivals, CELL_HEADER, grpc};

const PAGE: &str = "<!doctype html><title>Maintenance</title><h1>We will be back soon</h1>\n";

/// The site's answers: the page, whatever the path.
pub fn router(arrivals: Arrivals) -> Router {
    grpc::beside(Router::new().fallback(answer).with_state(arrivals))
}

async fn answer(State(arrivals): State<Arrivals>, Extension(peer): Extension<Peer>) -> impl IntoResponse {
    arrivals.begin(peer).answered(StatusCode::OK);
    ([(CELL_HEADER, arrivals.cell().to_owned())], Html(PAGE))
}
