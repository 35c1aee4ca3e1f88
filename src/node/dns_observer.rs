//! Observers of DNS: they ask at a fixed cadence, from outside, and write down what they saw.
//!
//! The authoritative server is asked directly, as from each watched place. A resolver is asked without recursion, so
//! that asking never fills or refreshes its cache; one whose program tells nobody what it holds is asked as its clients
//! ask it, and then asking may refresh what has expired, as a client's next request would. No observer knows what is meant to happen.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::rc::Rc;
use std::time::Duration;

use hickory_proto::ProtoError;
use hickory_proto::op::{Message, Query, ResponseCode};
use hickory_proto::rr::{Name, RecordType};
use ipnet::IpNet;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::journal::event::{Event, SeenAnswer, Server};
use crate::plan::{ClientPlan, Family, ObservePlan, Plan, ResolverKind, ResolverPlan};

use super::cadence::Cadence;
use super::resolver::client_subnet;
use super::{DnsAskError, DnsClient};
use crate::ground::{Environment, GroundKind};

/// Keeps the phases of these observers apart from every other choice that is drawn from the plan's seed.
const STREAM: u64 = 0xD45;

/// Why observers cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum ObserverError {
    /// A name of the plan is none.
    #[error("`{name}` cannot be asked for: {problem}")]
    Name {
        /// As the plan writes it.
        name: String,
        /// What is wrong with it.
        problem: ProtoError,
    },
    /// A server cannot be reached from where it is to be asked.
    #[error("failed to watch {name} as from {place}: {problem}")]
    Unreachable {
        /// What is watched.
        name: String,
        /// From where.
        place: String,
        /// Why not.
        problem: DnsAskError,
    },
}

/// The observers of one lab. Dropping them ends them.
#[derive(Debug)]
#[must_use = "observers end when they are dropped"]
pub struct DnsObservers {
    observers: JoinSet<()>,
    clients_ask: watch::Sender<bool>,
    lateness: Rc<RefCell<Vec<Duration>>>,
}

/// What one observer asks.
#[derive(Clone, Debug)]
struct Watch {
    server: Server,
    name: String,
    family: Family,
    place: String,
    askers: Vec<IpAddr>,
    servers: Vec<IpAddr>,
    /// As a client asks.
    recursion: bool,
    /// As from where, when the askers do not say it.
    subnet: Option<IpNet>,
    every: Duration,
}

impl DnsObservers {
    /// Starts an observer for each watched question, and one for each resolver and family that clients ask it for. To
    /// be called inside a `LocalSet`.
    ///
    /// A resolver that tells its clients' subnets keeps an answer for each of them: it is asked as from each client's
    /// place. Any other is asked from its own.
    ///
    /// # Errors
    /// When a server cannot be reached from where it is to be asked, and when a name of the plan is none.
    pub fn start(environment: &Environment, plan: &Plan) -> Result<Self, ObserverError> {
        let elsewhere = environment.ground.kind() == GroundKind::Container;
        Self::of(watches(plan, elsewhere), environment, plan.seed)
    }

    fn of(watches: Vec<Watch>, environment: &Environment, seed: u64) -> Result<Self, ObserverError> {
        let mut chance = ChaCha8Rng::seed_from_u64(seed);
        chance.set_stream(STREAM);
        let now = environment.clock.now();
        let lateness = Rc::new(RefCell::new(Vec::new()));
        let mut observers = JoinSet::new();
        let clients_ask = watch::Sender::new(false);
        for watch in watches {
            let mut cadence = Cadence { first: now + phase(watch.every, &mut chance), every: watch.every };
            let name = Name::from_ascii(&watch.name)
                .map_err(|problem| ObserverError::Name { name: watch.name.clone(), problem })?;
            let pace = environment.clock.speed();
            let patience = ObservePlan::patience(watch.every, pace);
            let client = DnsClient::new(&environment.ground, &watch.askers, &watch.servers, pace.to_wall(patience))
                .map_err(|problem| ObserverError::Unreachable {
                    name: watch.name.clone(),
                    place: watch.place.clone(),
                    problem,
                })?;
            let query = Query::query(name, record_type(watch.family));
            let asking = Asking { client, query, patience };
            let (environment, lateness, mut asked) =
                (environment.clone(), Rc::clone(&lateness), clients_ask.subscribe());
            observers.spawn_local(async move {
                if watch.recursion {
                    // An error is the end of all observers.
                    let _ = asked.wait_for(|asked| *asked).await;
                    cadence.first = cadence.next_after(environment.clock.now());
                }
                observe(environment, asking, watch, cadence, lateness).await;
            });
        }
        Ok(Self { observers, clients_ask, lateness })
    }

    /// From now on clients ask. Until then nobody asks a resolver as a client does: what it would learn, and keep, is how
    /// the lab looks while it comes up.
    pub fn clients_ask(&self) {
        self.clients_ask.send_replace(true);
    }

    /// Ends the observers, and tells how late they asked.
    pub async fn stop(mut self) -> Event {
        self.observers.shutdown().await;
        lateness_event(self.lateness.take())
    }
}

/// How one observer asks.
struct Asking {
    client: DnsClient,
    query: Query,
    /// Lab time.
    patience: Duration,
}

/// `elsewhere`: resolvers and clients are not on this ground, and nobody can ask from their addresses. They are asked
/// from those of the other observers.
fn watches(plan: &Plan, elsewhere: bool) -> Vec<Watch> {
    let observe = &plan.observe;
    let questions = observe.questions.iter().map(|question| Watch {
        server: Server::Authoritative,
        name: question.name.clone(),
        family: question.family,
        place: question.place.clone(),
        askers: vec![question.address],
        servers: observe.authoritative_addresses.clone(),
        recursion: false,
        subnet: None,
        every: observe.authoritative_every,
    });
    let here: Vec<IpAddr> = observe.questions.iter().map(|question| question.address).collect();
    let resolvers = plan.resolvers.iter().flat_map(|(name, resolver)| {
        let here = &here;
        let clients = plan.clients.values().filter(|client| client.resolver == *name).collect::<Vec<_>>();
        askers(resolver, &clients).into_iter().map(move |((family, place), askers)| Watch {
            server: Server::Resolver(name.clone()),
            name: plan.name.clone(),
            family,
            place,
            subnet: askers
                .first()
                .filter(|_| elsewhere && resolver.kind == ResolverKind::ClientSubnet)
                .and_then(|asker| client_subnet(*asker)),
            askers: if elsewhere { here.clone() } else { askers },
            servers: vec![resolver.address],
            recursion: elsewhere && resolver.software.is_some_and(|software| !software.tells_its_cache()),
            every: observe.resolver_every,
        })
    });
    questions.chain(resolvers).collect()
}

/// Which families a resolver is asked for, as from which places, and from which addresses: of several clients in one
/// place, those of the first.
fn askers(resolver: &ResolverPlan, clients: &[&ClientPlan]) -> BTreeMap<(Family, String), Vec<IpAddr>> {
    let mut askers = BTreeMap::new();
    for client in clients {
        let (place, addresses) = match resolver.kind {
            ResolverKind::ClientSubnet => (&client.place, client.addresses.clone()),
            ResolverKind::Plain | ResolverKind::TtlFloor(_) => (&resolver.place, vec![resolver.address]),
        };
        askers.entry((client.family, place.clone())).or_insert(addresses);
    }
    askers
}

async fn observe(
    environment: Environment,
    Asking { client, query, patience }: Asking,
    watch: Watch,
    cadence: Cadence,
    lateness: Rc<RefCell<Vec<Duration>>>,
) {
    let clock = &environment.clock;
    let mut due = cadence.first;
    let mut was_silent = false;
    loop {
        let late = clock.sleep_until(due).await;
        let began = clock.now();
        let answer = match clock.within(patience, client.ask(query.clone(), watch.recursion, watch.subnet)).await {
            Ok(Ok(message)) => seen(&message, query.query_type),
            Err(_) | Ok(Err(DnsAskError::Silent)) => SeenAnswer::Silent,
            Ok(Err(error)) => SeenAnswer::Failed(error.to_string()),
        };
        // An answer that is long under way may be of the past when it is in hand. Silence is the server's, not ours.
        let under_way = if answer == SeenAnswer::Silent { Duration::ZERO } else { clock.now().since(began) };
        let asked_late = late;
        let late = late + clock.speed().to_wall(under_way);
        // The first answer after a silence may be one to a question that was sent again: it was not the machine that was
        // slow.
        lateness.borrow_mut().push(if was_silent { asked_late } else { late });
        was_silent = answer == SeenAnswer::Silent;
        environment.recorder.record(Event::Observed {
            server: watch.server.clone(),
            name: watch.name.clone(),
            family: watch.family,
            place: watch.place.clone(),
            answer,
            late: clock.speed().to_lab(late),
        });
        due = cadence.next_after(clock.now().max(due));
    }
}

/// What an answer shows: its addresses, whatever CNAME records led to them.
fn seen(message: &Message, rtype: RecordType) -> SeenAnswer {
    match message.response_code {
        ResponseCode::NoError if message.answers.is_empty() => SeenAnswer::NoData,
        ResponseCode::NoError => {
            let of_type = message.answers.iter().filter(|record| record.record_type() == rtype);
            let mut addresses: Vec<IpAddr> = of_type.filter_map(|record| record.data.ip_addr()).collect();
            addresses.sort_unstable();
            match message.answers.iter().map(|record| record.ttl).min() {
                Some(ttl) if !addresses.is_empty() => SeenAnswer::Addresses { addresses, ttl },
                _ => SeenAnswer::Failed(format!("answers without {rtype} records")),
            }
        }
        ResponseCode::NXDomain => SeenAnswer::NxDomain,
        code => SeenAnswer::Failed(code.to_string()),
    }
}

const fn record_type(family: Family) -> RecordType {
    match family {
        Family::A => RecordType::A,
        Family::Aaaa => RecordType::AAAA,
    }
}

/// Somewhere within the first period: observers that all ask in the same moment see no better than one.
fn phase(every: Duration, chance: &mut ChaCha8Rng) -> Duration {
    every.mul_f64(chance.random::<f64>())
}

/// Exact quantiles: the smallest value that at least this share of all values does not exceed.
fn lateness_event(mut lateness: Vec<Duration>) -> Event {
    lateness.sort_unstable();
    let quantile = |percent: usize| {
        let rank = (lateness.len() * percent).div_ceil(100);
        lateness.get(rank.saturating_sub(1)).copied().unwrap_or_default()
    };
    Event::Lateness {
        count: u64::try_from(lateness.len()).unwrap_or(u64::MAX),
        p50: quantile(50),
        p99: quantile(99),
        max: quantile(100),
    }
}

#[cfg(test)]
mod tests;
