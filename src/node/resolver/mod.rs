//! A recursive resolver: asks the authoritative server, keeps what it is told, and answers its clients from that.
//!
//! What it keeps, and for how long, is [`crate::cache`]'s business; TTLs run in lab time. Without recursion desired it
//! answers from its cache alone, and that neither fills nor refreshes anything: an observer's way to look into it.

mod kept;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::rc::Rc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, Shared};
use hickory_proto::op::{Message, Query, ResponseCode};
use ipnet::IpNet;

use crate::cache::{Hit, Key, ResolverCache};
use crate::ground::LabClock;
use crate::plan::{ResolverKind, ResolverPlan};

use super::{Answering, DnsAskError, DnsClient, DnsServer, DnsServerError, Transport};
use crate::dns_message::Asked;
use crate::ground::Environment;

use kept::{Kept, keep};

/// How long the authoritative server is waited for, in lab time.
const PATIENCE: Duration = Duration::from_secs(5);
/// But no less wall time than this: a busy machine is not a silent server.
const PATIENCE_AT_LEAST: Duration = Duration::from_millis(500);
/// How many CNAME records are followed.
const MOST_CNAMES: usize = 8;

/// Why a resolver does not serve.
#[derive(Debug, thiserror::Error)]
pub enum ResolverError {
    /// Its own sockets.
    #[error(transparent)]
    Serve(#[from] DnsServerError),
    /// The way to the authoritative server.
    #[error("a resolver cannot reach the authoritative server: {0}")]
    Upstream(#[from] DnsAskError),
}

/// A resolver that serves. Dropping it ends it; its cache goes with it.
#[derive(Debug)]
#[must_use = "a resolver ends when it is dropped"]
pub struct Resolver {
    server: DnsServer,
}

impl Resolver {
    /// Serves on port 53 of the resolver's own address, which is bound when this returns, and asks from there the
    /// first of the authoritative server's addresses that it reaches. To be called inside a `LocalSet`.
    ///
    /// # Errors
    /// When the address cannot be bound, and when the authoritative server has no address of its family.
    pub async fn start(
        environment: &Environment,
        plan: &ResolverPlan,
        authoritative: &[IpAddr],
    ) -> Result<Self, ResolverError> {
        let patience = environment.clock.speed().to_wall(PATIENCE).max(PATIENCE_AT_LEAST);
        let upstream = DnsClient::new(&environment.ground, &[plan.address], authoritative, patience)?;
        let floor = match plan.kind {
            ResolverKind::TtlFloor(floor) => Some(floor),
            ResolverKind::Plain | ResolverKind::ClientSubnet => None,
        };
        let core = Core {
            kind: plan.kind,
            clock: environment.clock.clone(),
            upstream,
            cache: Rc::new(RefCell::new(ResolverCache::with_floor(floor))),
            under_way: RefCell::default(),
            patience: environment.clock.speed().to_lab(patience),
        };
        let server = DnsServer::start(&environment.ground, &[plan.address], Rc::new(core)).await?;
        Ok(Self { server })
    }

    /// Ends the resolver. Every socket is closed when this returns.
    pub async fn stop(self) {
        self.server.stop().await;
    }
}

type Fetch = Shared<LocalBoxFuture<'static, Option<Kept>>>;

struct Core {
    kind: ResolverKind,
    clock: LabClock,
    upstream: DnsClient,
    cache: Rc<RefCell<ResolverCache<Kept>>>,
    /// Questions that the authoritative server has not answered yet: who asks the same waits for the same answer.
    under_way: RefCell<BTreeMap<(Key, Option<IpNet>), Fetch>>,
    /// How long that is waited for, lab time.
    patience: Duration,
}

impl Answering for Core {
    async fn answer(&self, query: Vec<u8>, from: IpAddr, transport: Transport) -> Option<Vec<u8>> {
        let asked = match Asked::read(&query)? {
            Ok(asked) => asked,
            Err(refusal) => return Some(refusal),
        };
        // Who only looks may say as from where; who asks is who it is.
        let told = asked.subnet.filter(|_| !asked.wants_recursion());
        let subnet = told.or_else(|| client_subnet(from)).filter(|_| self.kind == ResolverKind::ClientSubnet);
        let mut answer = asked.response();
        answer.metadata.recursion_available = true;
        self.resolve(&asked, subnet, &mut answer).await;
        asked.written(&answer, transport)
    }
}

impl Core {
    /// Follows the question through CNAME records until it is answered.
    async fn resolve(&self, asked: &Asked, subnet: Option<IpNet>, answer: &mut Message) {
        let rtype = asked.query.query_type;
        let mut name = asked.query.name.clone();
        for _ in 0..=MOST_CNAMES {
            let key = Key { name: name.clone(), rtype };
            let hit = if asked.wants_recursion() {
                self.cached_or_fetched(key, subnet).await
            } else {
                self.cache.borrow().peek(self.clock.now(), &key, subnet)
            };
            let Some(Hit { value, remaining }) = hit else {
                if asked.wants_recursion() {
                    answer.metadata.response_code = ResponseCode::ServFail;
                }
                return;
            };
            let next = value.next_name(rtype);
            value.put(answer, &name, remaining);
            match next {
                Some(target) => name = target,
                None => return,
            }
        }
        answer.metadata.response_code = ResponseCode::ServFail;
    }

    async fn cached_or_fetched(&self, key: Key, subnet: Option<IpNet>) -> Option<Hit<Kept>> {
        let cached = self.cache.borrow_mut().lookup(self.clock.now(), &key, subnet);
        if cached.is_some() {
            return cached;
        }
        let fetch = self.fetch(&key, subnet);
        let kept = fetch.clone().await;
        let asked = (key.clone(), subnet);
        let mut under_way = self.under_way.borrow_mut();
        if under_way.get(&asked).is_some_and(|other| other.ptr_eq(&fetch)) {
            under_way.remove(&asked);
        }
        drop(under_way);
        let kept = kept?;
        // From the cache where it was kept: a floor may have raised its TTL.
        let cached = self.cache.borrow().peek(self.clock.now(), &key, subnet);
        Some(cached.unwrap_or_else(|| Hit { remaining: kept.ttl(), value: kept }))
    }

    /// Asks the authoritative server, or joins who already does.
    fn fetch(&self, key: &Key, subnet: Option<IpNet>) -> Fetch {
        let mut under_way = self.under_way.borrow_mut();
        let fetch = under_way.entry((key.clone(), subnet)).or_insert_with(|| {
            let (upstream, cache, clock, key) =
                (self.upstream.clone(), Rc::clone(&self.cache), self.clock.clone(), key.clone());
            let patience = self.patience;
            let asking = async move {
                let query = Query::query(key.name.clone(), key.rtype);
                let message = clock.within(patience, upstream.ask(query, false, subnet)).await.ok()?.ok()?;
                keep(&mut cache.borrow_mut(), clock.now(), key, subnet, &message)
            };
            asking.boxed_local().shared()
        });
        fetch.clone()
    }
}

/// What of a client's address is told: a /24, or a /56 (RFC 7871, section 11.1).
pub(super) fn client_subnet(client: IpAddr) -> Option<IpNet> {
    IpNet::new(client, if client.is_ipv4() { 24 } else { 56 }).ok().map(|net| net.trunc())
}

#[cfg(test)]
mod tests;
