//! What an HTTP library does for a client, on a ground without sockets: it looks up, connects to the first address that
//! accepts, and keeps the connection while it lives.

use std::net::IpAddr;

use axum::body::{Body, Bytes};
use axum::http::Request;
use futures_util::StreamExt;

use crate::cache::AttemptEnd;
use crate::ground::{Connection, SimulatedNetwork};

use super::super::http_client::ANYBODY;
use super::exchange::{Failure, Reading, cell_and_status};
use super::lookup::Lookup;

/// A client's pool of at most one connection: a client has one request under way at a time.
#[derive(Debug)]
pub(super) struct SimulatedHttp {
    network: SimulatedNetwork,
    from: IpAddr,
    keep_alive: bool,
    kept: Option<Connection>,
}

impl SimulatedHttp {
    pub(super) fn new(network: &SimulatedNetwork, from: Option<IpAddr>, keep_alive: bool) -> Self {
        Self { network: network.clone(), from: from.unwrap_or(ANYBODY), keep_alive, kept: None }
    }

    /// Sends a request and reads its answer to the end; the cell that answered, and its status. `note_peer` is told who
    /// has begun to answer.
    pub(super) async fn exchange(
        &mut self,
        request: Request<Bytes>,
        lookup: &Lookup,
        note_peer: impl Fn(IpAddr),
    ) -> Result<(String, u16), Failure> {
        // One that was closed in the meantime is noticed before it is used.
        let connection = match self.kept.take().filter(Connection::is_open) {
            Some(open) => open,
            None => self.connect(lookup).await?,
        };
        let asked = connection.ask(self.from, request.map(Body::from)).await;
        let answer = asked.map_err(|error| failed(&error, AttemptEnd::ProtocolError))?;
        note_peer(connection.peer().ip());
        let (head, body) = answer.into_parts();
        let mut reading = Reading::of(&head.headers);
        let mut pieces = body.into_data_stream();
        while let Some(piece) = pieces.next().await {
            reading.read(&piece.map_err(|error| failed(&error, AttemptEnd::ReadError))?);
        }
        reading.end()?;
        self.kept = self.keep_alive.then_some(connection);
        Ok(cell_and_status(&head.headers, head.status))
    }

    async fn connect(&self, lookup: &Lookup) -> Result<Connection, Failure> {
        let mut refused = failed(&"nowhere to connect to", AttemptEnd::ConnectError);
        for here in lookup.look_up().await {
            match self.network.connect(here) {
                Ok(connection) => return Ok(connection),
                Err(error) => refused = failed(&error, AttemptEnd::ConnectError),
            }
        }
        Err(refused)
    }
}

fn failed(error: &impl ToString, end: AttemptEnd) -> Failure {
    Failure::Simulated { reason: error.to_string(), end }
}
