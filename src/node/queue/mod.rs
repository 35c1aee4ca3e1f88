//! A message queue as an HTTP service, and who uses it. When a message is visible, and what its metric says, is decided
//! in the service room; how often messages come and how long work takes is the drill's.
//!
//! `POST /messages` sends, `POST /receive` takes (204: there is none), `DELETE /messages/<receipt>` is done with one,
//! and `GET /metrics` looks without using the queue.

mod producer;
mod worker;

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{Method, Request, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};

use crate::clock::LabTime;
use crate::ground::{Environment, LabClock};
use crate::service::{MessageId, Queue};

use super::http_client::{HttpClient, NoAnswer};
use super::http_server;
use super::process::Serving;

pub(super) use producer::Producer;
pub(super) use worker::Worker;

/// From one look at a queue that is waited for to the next, lab time.
const LOOKS_EVERY: Duration = Duration::from_millis(200);

/// A queue that is shared by its doors; every clone is the same queue.
#[derive(Clone, Debug)]
pub(super) struct QueueNode {
    queue: Arc<Mutex<Queue>>,
    clock: LabClock,
}

/// What a receiver is handed.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Received {
    /// To delete the message by.
    receipt: u64,
    /// How often it was received, this time included.
    receives: u32,
}

/// What a look at the queue shows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct QueueMetrics {
    /// `ApproximateAgeOfOldestMessage`, seconds; `None`: the queue publishes nothing (R53-202).
    pub(super) age_of_oldest: Option<f64>,
    /// The same of its dead-letter queue; `None` also when there is none.
    pub(super) age_of_oldest_dead_letter: Option<f64>,
    /// How many messages it holds.
    pub(super) messages: usize,
}

impl QueueNode {
    pub(super) fn new(queue: Queue, clock: LabClock) -> Self {
        Self { queue: Arc::new(Mutex::new(queue)), clock }
    }

    /// Binds its service to a socket address of this machine.
    ///
    /// # Errors
    /// When it cannot be bound.
    pub(super) fn bind(&self, here: SocketAddr, environment: &Environment) -> io::Result<Serving> {
        let routes = Router::new()
            .route("/messages", post(send))
            .route("/receive", post(receive))
            .route("/messages/{receipt}", delete(done))
            .route("/metrics", get(metrics))
            .with_state(self.clone());
        http_server::bind(&[here], routes, environment.ground.clone())
    }

    /// Waits until it is as wanted, for so long at most; nobody tells when it has become so.
    pub(super) async fn becomes(&self, wanted: impl Fn(&Queue, LabTime) -> bool, limit: Duration) {
        let until = self.clock.now() + limit;
        while !wanted(&self.held(), self.clock.now()) && self.clock.now() < until {
            self.clock.sleep_until(self.clock.now() + LOOKS_EVERY).await;
        }
    }

    fn held(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn send(State(node): State<QueueNode>) -> StatusCode {
    node.held().send(node.clock.now());
    StatusCode::CREATED
}

async fn receive(State(node): State<QueueNode>) -> Response {
    let received = node.held().receive(node.clock.now());
    match received {
        Some(message) => Json(Received { receipt: message.id.0, receives: message.receives }).into_response(),
        None => StatusCode::NO_CONTENT.into_response(),
    }
}

async fn done(State(node): State<QueueNode>, Path(receipt): Path<u64>) -> StatusCode {
    if node.held().delete(node.clock.now(), MessageId(receipt)) {
        StatusCode::NO_CONTENT
    } else {
        StatusCode::NOT_FOUND
    }
}

async fn metrics(State(node): State<QueueNode>) -> Json<QueueMetrics> {
    let (queue, now) = (node.held(), node.clock.now());
    Json(QueueMetrics {
        age_of_oldest: queue.age_of_oldest(now),
        age_of_oldest_dead_letter: queue.dead_letters().and_then(|dead| dead.age_of_oldest(now)),
        messages: queue.len(now),
    })
}

/// Where a queue is asked, and by whom.
#[derive(Clone, Debug)]
pub(super) struct QueueLink {
    /// `http://address:port` on this machine.
    pub(super) base: String,
    /// How it is spoken to.
    pub(super) http: HttpClient,
    /// Lab time.
    pub(super) clock: LabClock,
}

impl QueueLink {
    /// Asks the queue for something, without a body.
    async fn ask(&self, method: Method, path: &str) -> Result<Response, NoAnswer> {
        let mut request = Request::new(Bytes::new());
        *request.method_mut() = method;
        *request.uri_mut() = format!("{}{path}", self.base).parse().map_err(NoAnswer::of)?;
        self.http.ask(request).await
    }
}

#[cfg(test)]
mod tests;
