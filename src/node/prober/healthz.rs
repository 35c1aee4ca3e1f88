//! `/healthz`: the verdict out of memory, at once. It never waits for the engine, and never for the prober.

use std::io;
use std::net::SocketAddr;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::FutureExt;
use serde_json::json;

use super::super::firewall::Firewall;
use super::super::http_server;
use super::super::probe::wake_at;
use super::super::process::Serving;
use super::SharedVerdict;

/// Serves `GET /healthz`, and `POST` and `DELETE /drain` for an operator, at socket addresses of this machine, behind a
/// firewall. It also writes down the verdict's expiry, at its moment: a prober that is dead cannot.
///
/// # Errors
/// When one of them cannot be bound; then none is.
pub fn bind(here: &[SocketAddr], verdict: &SharedVerdict, firewall: &Firewall) -> io::Result<Serving> {
    let environment = &verdict.0.environment;
    let router = Router::new()
        .route("/healthz", get(tell))
        .route("/drain", post(drain).delete(fill))
        .with_state(verdict.clone());
    let serving = http_server::bind(here, firewall.guard(router), environment.ground.clone())?;
    let (clock, watched) = (environment.clock.clone(), verdict.clone());
    let watching = async move {
        loop {
            watched.note_turn();
            tokio::select! {
                biased;
                () = wake_at(&clock, watched.next_turn()) => {}
                () = watched.0.changed.notified() => {}
            }
        }
    };
    Ok(futures_util::future::join(serving, watching).map(drop).boxed_local())
}

async fn tell(State(verdict): State<SharedVerdict>) -> impl IntoResponse {
    let told = verdict.status();
    let (code, status) =
        if told.healthy { (StatusCode::OK, "pass") } else { (StatusCode::SERVICE_UNAVAILABLE, "fail") };
    let body = json!({
        "status": status,
        "latency_s": told.latency.map(|latency| latency.as_secs_f64()),
        "age_s": told.age.map(|age| age.as_secs_f64()),
        "drained": told.drained,
        "fails": told.fails,
        "good": told.good,
    });
    (code, Json(body))
}

async fn drain(State(verdict): State<SharedVerdict>) -> StatusCode {
    verdict.set_drain(true);
    StatusCode::NO_CONTENT
}

/// An operator takes the drain back.
async fn fill(State(verdict): State<SharedVerdict>) -> StatusCode {
    verdict.set_drain(false);
    StatusCode::NO_CONTENT
}
