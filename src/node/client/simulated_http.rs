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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use async_trait::async_trait;
    use axum::http::{Response, StatusCode};
    use futures_util::FutureExt;
    use hickory_proto::rr::Name;

    use super::super::super::CELL_HEADER;
    use super::super::lookup::AddressLookup;
    use super::*;
    use crate::cache::{ClientCache, Lifetime};
    use crate::ground::{Answers, Ground, GroundKind, LabClock, Listening, SimulatedClock};
    use crate::plan::Family;

    const EAST: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 10));
    const WEST: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 20));

    /// The name has both addresses, the eastern first.
    #[derive(Debug)]
    struct Both;

    #[async_trait]
    impl AddressLookup for Both {
        async fn addresses(&self, _: &Name, _: Family, _: &LabClock) -> Result<Vec<IpAddr>, String> {
            Ok(vec![EAST, WEST])
        }
    }

    /// A client that keeps its connection, and the network that it asks on.
    fn client() -> (SimulatedHttp, Lookup, SimulatedNetwork) {
        let ground = Ground::open(GroundKind::Simulated, &[EAST, WEST]).now_or_never().unwrap().unwrap();
        let network = ground.simulated().unwrap().clone();
        let (cache, clock) = (ClientCache::new(Lifetime::None), SimulatedClock::default());
        let lookup = Lookup::new(Name::root(), Family::A, Arc::new(Both), cache, ground, clock.into());
        (SimulatedHttp::new(&network, None, true), lookup, network)
    }

    /// Answers as this cell.
    fn serve(network: &SimulatedNetwork, at: IpAddr, cell: &'static str) -> Listening {
        let answer = move |_, _| {
            let answer = Response::builder().status(StatusCode::OK).header(CELL_HEADER, cell).body(Body::empty());
            std::future::ready(answer.unwrap()).boxed()
        };
        network.listen((at, 80).into(), Answers::Http(Arc::new(answer))).unwrap()
    }

    fn ask(http: &mut SimulatedHttp, lookup: &Lookup) -> Result<String, AttemptEnd> {
        let asked = http.exchange(Request::new(Bytes::new()), lookup, |_| ());
        match asked.now_or_never().unwrap() {
            Ok((cell, 200)) => Ok(cell),
            Err(Failure::Simulated { end, .. }) => Err(end),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_client_stays_with_its_connection_until_that_is_closed() {
        let (mut http, lookup, network) = client();
        let west = serve(&network, WEST, "west");
        assert_eq!(ask(&mut http, &lookup).unwrap(), "west", "the first address refuses");
        let _east = serve(&network, EAST, "east");
        assert_eq!(ask(&mut http, &lookup).unwrap(), "west", "the connection is kept");
        drop(west);
        assert_eq!(ask(&mut http, &lookup).unwrap(), "east");
    }

    #[test]
    fn where_every_address_refuses_there_is_no_connection() {
        let (mut http, lookup, _) = client();
        assert_eq!(ask(&mut http, &lookup), Err(AttemptEnd::ConnectError));
    }
}
