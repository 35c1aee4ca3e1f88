//! How a client finds an address: its stub resolver, and what lies between that and the HTTP library.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use hickory_proto::rr::Name;
use reqwest::dns::{Addrs, Resolve, Resolving};

use crate::cache::ClientCache;
use crate::ground::Ground;
use crate::ground::LabClock;
use crate::plan::Family;

use super::super::HTTP_PORT;
use super::super::stub_resolver::StubResolver;

/// Where a client's runtime gets addresses from when it keeps none itself: it asks a recursive resolver.
#[async_trait]
pub trait AddressLookup: fmt::Debug + Send + Sync {
    /// The lab addresses of `name`, in the order in which the resolver gives them.
    ///
    /// # Errors
    /// Why there is none, for people.
    async fn addresses(&self, name: &Name, family: Family, clock: &LabClock) -> Result<Vec<IpAddr>, String>;
}

#[async_trait]
impl AddressLookup for StubResolver {
    async fn addresses(&self, name: &Name, family: Family, clock: &LabClock) -> Result<Vec<IpAddr>, String> {
        self.lookup(name, family, clock).await.map(|found| found.addresses).map_err(|error| error.to_string())
    }
}

/// What came of the last look-up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Found {
    /// There was none: a connection was reused.
    #[default]
    Nothing,
    /// It has not ended.
    Asking,
    /// The first address that this ground carries.
    Address(IpAddr),
    /// Addresses, of which this ground carries none. The first of them.
    NotConnectable(IpAddr),
    /// No address.
    Unresolved(String),
}

/// The resolver that the HTTP library is given: the client's own cache, and its stub resolver behind it.
#[derive(Clone, Debug)]
pub(super) struct Lookup(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    name: Name,
    family: Family,
    stub: Arc<dyn AddressLookup>,
    ground: Ground,
    clock: LabClock,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    cache: ClientCache,
    found: Found,
}

impl Lookup {
    pub(super) fn new(
        name: Name,
        family: Family,
        stub: Arc<dyn AddressLookup>,
        cache: ClientCache,
        ground: Ground,
        clock: LabClock,
    ) -> Self {
        let state = Mutex::new(State { cache, found: Found::Nothing });
        Self(Arc::new(Inner { name, family, stub, ground, clock, state }))
    }

    /// Where to connect to, as socket addresses of this machine; nowhere when there is no address.
    pub(super) async fn look_up(&self) -> Vec<SocketAddr> {
        self.0.state().found = Found::Asking;
        let (found, here) = match self.0.addresses().await {
            Ok(addresses) => self.0.here(&addresses),
            Err(reason) => (Found::Unresolved(reason), Vec::new()),
        };
        self.0.state().found = found;
        here
    }

    /// What came of the last look-up since this was last asked.
    pub(super) fn take_found(&self) -> Found {
        std::mem::take(&mut self.0.state().found)
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it holds this, and a cache is whole between two calls in any case.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn addresses(&self) -> Result<Vec<IpAddr>, String> {
        let kept = self.state().cache.lookup(self.clock.now()).map(<[IpAddr]>::to_vec);
        if let Some(addresses) = kept {
            return Ok(addresses);
        }
        let addresses = self.stub.addresses(&self.name, self.family, &self.clock).await?;
        if addresses.is_empty() {
            return Err("no address".to_owned());
        }
        self.state().cache.store(self.clock.now(), addresses.clone());
        Ok(addresses)
    }

    /// Where to connect to. A port that is not 0 survives: the library only fills in 0, unless the URL has a port.
    fn here(&self, addresses: &[IpAddr]) -> (Found, Vec<SocketAddr>) {
        let carried: Vec<(IpAddr, SocketAddr)> = addresses
            .iter()
            .filter_map(|lab| Some((*lab, self.ground.here(SocketAddr::new(*lab, HTTP_PORT))?)))
            .collect();
        let found = match (carried.first(), addresses.first()) {
            (Some((first, _)), _) => Found::Address(*first),
            (None, Some(first)) => Found::NotConnectable(*first),
            (None, None) => Found::Unresolved("no address".to_owned()),
        };
        (found, carried.into_iter().map(|(_, here)| here).collect())
    }
}

impl Resolve for Lookup {
    fn resolve(&self, _name: reqwest::dns::Name) -> Resolving {
        let lookup = self.clone();
        Box::pin(async move {
            let here = lookup.look_up().await;
            if here.is_empty() { Err("nowhere to connect to".into()) } else { Ok(Box::new(here.into_iter()) as Addrs) }
        })
    }
}
