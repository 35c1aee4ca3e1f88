//! The worker: takes a message, works on it, deletes it; and asks again soon when there is none.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::http::StatusCode;

use crate::node::life;
use crate::node::process::Serving;

use super::{QueueLink, Received};

/// From an empty queue's answer to the next question, lab time.
const ASKS_AGAIN_AFTER: Duration = Duration::from_secs(1);

/// The queue must answer within this, lab time.
const PATIENCE: Duration = Duration::from_secs(5);

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
    pub(in crate::node) fn bind(&self, here: SocketAddr) -> io::Result<Serving> {
        life::while_working(here, self.clone().work())
    }

    async fn work(self) {
        let clock = self.queue.clock;
        loop {
            let received = clock.within(PATIENCE, self.receive()).await.ok().flatten();
            let takes = received.map_or(ASKS_AGAIN_AFTER, |_| self.work_takes);
            clock.sleep_until(clock.now() + takes).await;
            if let Some(Received { receipt, .. }) = received {
                // What could not be deleted comes back, and is worked on again.
                let done = self.queue.http.delete(format!("{}/messages/{receipt}", self.queue.base)).send();
                let _ = clock.within(PATIENCE, done).await;
            }
        }
    }

    /// A message; none when there is none, or the queue gives no answer.
    async fn receive(&self) -> Option<Received> {
        let answer = self.queue.http.post(format!("{}/receive", self.queue.base)).send().await.ok()?;
        if answer.status() == StatusCode::OK { answer.json().await.ok() } else { None }
    }
}
