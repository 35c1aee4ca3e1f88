//! The worker: takes a message, works on it, deletes it; and asks again soon when there is none.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::body::to_bytes;
use axum::http::{Method, StatusCode};

use crate::ground::Ground;
use crate::node::life;
use crate::node::process::Serving;

use super::{QueueLink, Received};

/// From an empty queue's answer to the next question, lab time.
const ASKS_AGAIN_AFTER: Duration = Duration::from_secs(1);

/// The queue must answer within this, lab time.
const PATIENCE: Duration = Duration::from_secs(5);

/// Bytes of an answer that are read at most.
const ANSWER_LIMIT: usize = 64 * 1024;

/// What a worker is told at its start.
#[derive(Clone, Debug)]
pub(in crate::node) struct Worker {
    /// Its queue.
    pub(in crate::node) queue: QueueLink,
    /// How long it works on one message.
    pub(in crate::node) work_takes: Duration,
}

impl Worker {
    /// Works for as long as the port `here`, where it can be seen to live, accepts.
    ///
    /// # Errors
    /// When the port cannot be bound.
    pub(in crate::node) fn bind(&self, here: SocketAddr, ground: &Ground) -> io::Result<Serving> {
        life::while_working(ground, here, self.clone().work())
    }

    async fn work(self) {
        let clock = &self.queue.clock;
        loop {
            let received = clock.within(PATIENCE, self.receive()).await.ok().flatten();
            let takes = received.map_or(ASKS_AGAIN_AFTER, |_| self.work_takes);
            clock.sleep_until(clock.now() + takes).await;
            if let Some(Received { receipt, .. }) = received {
                // What could not be deleted comes back, and is worked on again.
                let path = format!("/messages/{receipt}");
                let done = self.queue.ask(Method::DELETE, &path);
                let _ = clock.within(PATIENCE, done).await;
            }
        }
    }

    /// A message; none when there is none, or the queue gives no answer.
    async fn receive(&self) -> Option<Received> {
        let answer = self.queue.ask(Method::POST, "/receive").await.ok()?;
        if answer.status() != StatusCode::OK {
            return None;
        }
        serde_json::from_slice(&to_bytes(answer.into_body(), ANSWER_LIMIT).await.ok()?).ok()
    }
}
