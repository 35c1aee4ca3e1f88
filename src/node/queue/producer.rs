//! The producer: one message after the other, whoever takes them out.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use crate::node::cadence::Cadence;
use axum::http::Method;

use crate::ground::Ground;
use crate::node::life;
use crate::node::process::Serving;

use super::QueueLink;

/// What a producer is told at its start.
#[derive(Clone, Debug)]
pub(in crate::node) struct Producer {
    /// Its queue.
    pub(in crate::node) queue: QueueLink,
    /// From one message to the next.
    pub(in crate::node) every: Duration,
}

impl Producer {
    /// Produces for as long as the port `here`, where it can be seen to live, accepts.
    ///
    /// # Errors
    /// When the port cannot be bound.
    pub(in crate::node) fn bind(&self, here: SocketAddr, ground: &Ground) -> io::Result<Serving> {
        life::while_working(ground, here, self.clone().produce())
    }

    async fn produce(self) {
        let clock = &self.queue.clock;
        let cadence = Cadence { first: clock.now(), every: self.every };
        loop {
            // A message that could not be sent is lost, and the next one is sent when it is due.
            let sent = self.queue.ask(Method::POST, "/messages");
            let _ = clock.within(self.every, sent).await;
            clock.sleep_until(cadence.next_after(clock.now())).await;
        }
    }
}
