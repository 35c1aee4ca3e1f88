//! HTTP clients that leave nothing to the machine they run on: no proxy, no redirects, no connection kept.

use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::body::{Body, Bytes};
use axum::http::{Request, Response, Uri};

use crate::ground::{Ground, SimulatedNetwork};

/// Who asks without an address of its own, where nobody is told which one the machine has chosen.
pub(super) const ANYBODY: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// A client with a connection of its own for each request; cheap to clone.
#[derive(Clone, Debug)]
pub struct HttpClient(Way);

#[derive(Clone, Debug)]
enum Way {
    Sockets(reqwest::Client),
    Simulated { network: SimulatedNetwork, from: IpAddr },
}

/// There was no answer; why, for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoAnswer(String);

impl NoAnswer {
    /// Because of this.
    pub(super) fn of(error: impl std::fmt::Display) -> Self {
        Self(error.to_string())
    }
}

impl HttpClient {
    /// A client on this ground, which sends from an address of this machine if one is given.
    ///
    /// # Errors
    /// When it cannot be built.
    pub fn fresh(ground: &Ground, from: Option<IpAddr>) -> reqwest::Result<Self> {
        if let Some(network) = ground.simulated() {
            return Ok(Self(Way::Simulated { network: network.clone(), from: from.unwrap_or(ANYBODY) }));
        }
        let client = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .pool_max_idle_per_host(0)
            .local_address(from)
            .build()?;
        Ok(Self(Way::Sockets(client)))
    }

    /// Asks once. The request's URI is `http://address:port/path`, on this machine. The body comes as it is made.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn ask(&self, request: Request<Bytes>) -> Result<Response<Body>, NoAnswer> {
        match &self.0 {
            Way::Sockets(client) => {
                let request = reqwest::Request::try_from(request).map_err(|error| NoAnswer::of(innermost(&error)))?;
                let answer = client.execute(request).await.map_err(|error| NoAnswer::of(innermost(&error)))?;
                Ok(Response::from(answer).map(Body::new))
            }
            Way::Simulated { network, from } => {
                let to = socket_address(request.uri()).ok_or_else(|| NoAnswer("no address to ask".to_owned()))?;
                let connection = network.connect(to).map_err(NoAnswer::of)?;
                let answer = connection.ask(*from, request.map(Body::from)).await;
                answer.map_err(NoAnswer::of)
            }
        }
    }

    /// Asks with `GET`.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn get(&self, url: &str) -> Result<Response<Body>, NoAnswer> {
        let request = Request::get(url).body(Bytes::new());
        self.ask(request.map_err(NoAnswer::of)?).await
    }
}

fn socket_address(uri: &Uri) -> Option<SocketAddr> {
    uri.authority()?.as_str().parse().ok()
}

/// What an error comes down to: the layers above only say that a request failed.
#[must_use]
pub(super) fn innermost<'a>(error: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    let mut innermost = error;
    while let Some(deeper) = innermost.source() {
        innermost = deeper;
    }
    innermost
}
