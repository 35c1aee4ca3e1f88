//! The firewall of a cell, as health checkers meet it. It knows who they are by their addresses, and nothing else.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Router};

use super::http_server::Peer;

/// Lets everybody in, or everybody but the health checkers. Every clone is the same firewall.
#[derive(Clone, Debug, Default)]
pub struct Firewall {
    checkers: Arc<BTreeSet<IpAddr>>,
    locked: Arc<AtomicBool>,
}

impl Firewall {
    /// A firewall that lets everybody in. `checkers` are lab addresses.
    #[must_use]
    pub fn new(checkers: BTreeSet<IpAddr>) -> Self {
        Self { checkers: Arc::new(checkers), locked: Arc::default() }
    }

    /// Whether checkers are locked out from now on.
    pub fn lock_out(&self, locked: bool) {
        self.locked.store(locked, Ordering::Relaxed);
    }

    /// Stands in front of a router: who is locked out gets 403, at each request anew.
    pub fn guard(&self, router: Router) -> Router {
        router.layer(from_fn_with_state(self.clone(), turn_away))
    }
}

async fn turn_away(
    State(firewall): State<Firewall>,
    Extension(peer): Extension<Peer>,
    request: Request,
    next: Next,
) -> Response {
    if firewall.locked.load(Ordering::Relaxed) && firewall.checkers.contains(&peer.0) {
        return StatusCode::FORBIDDEN.into_response();
    }
    next.run(request).await
}
