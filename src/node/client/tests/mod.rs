//! What each profile does when the answer changes under it, on loopback.

mod asks;

use std::net::IpAddr;
use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use tokio::net::TcpListener;

use super::*;
use crate::clock::LabTime;
use crate::decide::Viewpoint;
use crate::ground::LabClock;
use crate::journal::event::RequestOutcome;
use crate::node::HTTP_PORT;
use crate::node::testbed::{ANA, EAST, SITE, Testbed, east, ip, on_loopback, site};
use crate::plan::{Asks, ClientProfile, ClientRuns, Fault};

/// A resolver that answers what the test says, and counts.
#[derive(Debug)]
struct Answering(Mutex<(Result<Vec<IpAddr>, String>, usize)>);

impl Answering {
    fn with(address: &str) -> Arc<Self> {
        Arc::new(Self(Mutex::new((Ok(vec![ip(address)]), 0))))
    }

    fn now_with(&self, answer: Result<&str, &str>) {
        self.0.lock().unwrap().0 = answer.map(|address| vec![ip(address)]).map_err(str::to_owned);
    }

    fn times_asked(&self) -> usize {
        self.0.lock().unwrap().1
    }
}

#[async_trait]
impl AddressLookup for Answering {
    async fn addresses(&self, name: &Name, _family: Family, _clock: &LabClock) -> Result<Vec<IpAddr>, String> {
        assert_eq!(name.to_string(), "api.example.");
        let mut state = self.0.lock().unwrap();
        state.1 += 1;
        state.0.clone()
    }
}

fn plan(profile: ClientProfile, every: Duration) -> ClientPlan {
    ClientPlan {
        place: "here".to_owned(),
        viewpoint: Viewpoint::default(),
        resolver: "the test".to_owned(),
        profile,
        runs: ClientRuns::Muster,
        family: Family::A,
        every,
        timeout: Duration::from_secs(20),
        slow: Duration::from_secs(2),
        asks: Asks::Page,
        workers: 1,
        tier: None,
        addresses: vec![ip(ANA)],
    }
}

fn ana(bed: &Testbed, plan: &ClientPlan, resolver: &Arc<Answering>) -> JoinSet<()> {
    let resolver = Arc::clone(resolver) as Arc<dyn AddressLookup>;
    start("ana", plan, &"api.example.".parse().unwrap(), resolver, &bed.environment).unwrap()
}

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[derive(Debug)]
struct Ended {
    began: LabTime,
    at: LabTime,
    address: Option<IpAddr>,
    outcome: RequestOutcome,
    attempts: u32,
}

impl Ended {
    /// A good answer of the cell at this address.
    fn is_served_by(&self, cell: &str, at: &str) -> bool {
        let served = RequestOutcome::Served { cell: cell.to_owned(), status: 200 };
        self.outcome == served && self.address == Some(ip(at))
    }
}

impl Testbed {
    /// The next request that ended; what happened before it is skipped.
    async fn ended(&mut self) -> Ended {
        let next = self.journal.wait_for("a request ends", |stamped| match &stamped.event {
            Event::RequestEnded { client, began, address, outcome, attempts } => {
                assert_eq!(client, "ana");
                let (began, at, address, attempts) = (*began, stamped.at, *address, *attempts);
                Some(Ended { began, at, address, outcome: outcome.clone(), attempts })
            }
            _ => None,
        });
        next.await
    }
}

#[test]
fn a_fresh_lookup_moves_with_the_next_request_and_both_cells_see_whose_it_is() {
    on_loopback(20.0, async |mut bed| {
        let (_east, _site) = (bed.start_cell("east", &east()), bed.start_cell("site", &site()));
        let resolver = Answering::with(EAST);
        let _ana = ana(&bed, &plan(ClientProfile::FreshLookup, secs(1)), &resolver);
        let mut arrived_at = Vec::new();
        let mut arrivals = async |bed: &mut Testbed| {
            let next = bed.journal.wait_for("an arrival", |stamped| match &stamped.event {
                Event::RequestArrived { cell, client, status, .. } => Some((cell.clone(), client.clone(), *status)),
                _ => None,
            });
            arrived_at.push(next.await);
        };
        arrivals(&mut bed).await;
        assert!(bed.ended().await.is_served_by("east", EAST));
        resolver.now_with(Ok(SITE));
        arrivals(&mut bed).await;
        assert!(bed.ended().await.is_served_by("site", SITE));
        let arrival = |cell: &str| (cell.to_owned(), "ana".to_owned(), 200);
        assert_eq!(arrived_at, [arrival("east"), arrival("site")]);
        assert_eq!(resolver.times_asked(), 2);
    });
}

#[test]
fn a_runtime_cache_moves_when_its_time_is_over_and_not_before() {
    on_loopback(100.0, async |mut bed| {
        let (_east, _site) = (bed.start_cell("east", &east()), bed.start_cell("site", &site()));
        let resolver = Answering::with(EAST);
        let _ana = ana(&bed, &plan(ClientProfile::RuntimeCache(secs(30)), secs(4)), &resolver);
        let first = bed.ended().await;
        resolver.now_with(Ok(SITE));
        loop {
            let next = bed.ended().await;
            if next.is_served_by("site", SITE) {
                assert!(next.at.since(first.began) >= secs(30), "{next:?} after {first:?}");
                break;
            }
            assert!(next.is_served_by("east", EAST), "{next:?}");
            assert!(next.began.since(first.at) < secs(30), "{next:?} after {first:?}");
        }
    });
}

#[test]
fn a_cache_for_ever_never_moves_not_even_from_a_dead_cell() {
    on_loopback(200.0, async |mut bed| {
        let (_east, mut site) = (bed.start_cell("east", &east()), bed.start_cell("site", &site()));
        let resolver = Answering::with(SITE);
        let _ana = ana(&bed, &plan(ClientProfile::CacheForever, secs(1)), &resolver);
        assert!(bed.ended().await.is_served_by("site", SITE));
        resolver.now_with(Ok(EAST));
        for _ in 0..50 {
            assert!(bed.ended().await.is_served_by("site", SITE));
        }
        site.apply(&Fault::KillStaticSite("site".to_owned())).await;
        let mut refused = bed.ended().await;
        if refused.is_served_by("site", SITE) {
            refused = bed.ended().await;
        }
        assert!(matches!(&refused.outcome, RequestOutcome::Unconnected { reason } if reason.contains("refused")));
        assert_eq!((refused.address, resolver.times_asked()), (Some(ip(SITE)), 1));
    });
}

#[test]
fn a_keep_alive_pool_stays_while_its_connection_lives_and_moves_when_it_breaks() {
    on_loopback(200.0, async |mut bed| {
        let (_east, mut site) = (bed.start_cell("east", &east()), bed.start_cell("site", &site()));
        let resolver = Answering::with(SITE);
        let _ana = ana(&bed, &plan(ClientProfile::KeepAlivePool, secs(1)), &resolver);
        assert!(bed.ended().await.is_served_by("site", SITE));
        resolver.now_with(Ok(EAST));
        for _ in 0..50 {
            assert!(bed.ended().await.is_served_by("site", SITE));
        }
        assert_eq!(resolver.times_asked(), 1);
        site.apply(&Fault::KillStaticSite("site".to_owned())).await;
        // The request under way at the kill may be lost; the one after it is not.
        while !bed.ended().await.is_served_by("east", EAST) {}
        assert_eq!(resolver.times_asked(), 2);
    });
}

#[test]
fn a_recycling_pool_drops_itself_on_503_and_finds_the_new_cell() {
    on_loopback(100.0, async |mut bed| {
        let (mut region, _site) = (bed.start_cell("east", &east()), bed.start_cell("site", &site()));
        region.apply(&Fault::KillDatabase("east".to_owned())).await;
        let resolver = Answering::with(EAST);
        let _ana = ana(&bed, &plan(ClientProfile::RecyclingPool(secs(60)), secs(5)), &resolver);
        let lost = bed.ended().await;
        assert_eq!(lost.outcome, RequestOutcome::Refused { cell: "east".to_owned(), status: 503 });
        assert_eq!((lost.attempts, resolver.times_asked()), (3, 3));
        // The pauses of 1 s and 2 s between the attempts.
        assert!(lost.at.since(lost.began) >= secs(3));
        resolver.now_with(Ok(SITE));
        assert!(bed.ended().await.is_served_by("site", SITE));
    });
}

#[test]
fn a_recycling_pool_resolves_again_at_its_age_from_a_cell_that_is_well() {
    on_loopback(100.0, async |mut bed| {
        let (_east, _site) = (bed.start_cell("east", &east()), bed.start_cell("site", &site()));
        let resolver = Answering::with(EAST);
        let _ana = ana(&bed, &plan(ClientProfile::RecyclingPool(secs(60)), secs(5)), &resolver);
        let first = bed.ended().await;
        assert!(first.is_served_by("east", EAST));
        resolver.now_with(Ok(SITE));
        let dropped = bed.journal.wait_for("the pool is dropped", |stamped| match &stamped.event {
            Event::PoolDropped { client, reason } => Some((stamped.at, client.clone(), reason.clone())),
            Event::RequestEnded { address, .. } => {
                assert_eq!(*address, Some(ip(EAST)));
                None
            }
            _ => None,
        });
        let (at, client, reason) = dropped.await;
        assert_eq!(client, "ana");
        assert!(reason.ends_with("s old"), "{reason}");
        assert!(at.since(first.began) >= secs(60));
        assert!(bed.ended().await.is_served_by("site", SITE));
        assert_eq!(resolver.times_asked(), 2);
    });
}

#[test]
fn a_family_that_the_ground_cannot_carry_is_looked_up_and_not_connected_to() {
    on_loopback(20.0, async |mut bed| {
        let resolver = Answering::with("2001:db8::10");
        let plan = ClientPlan { family: Family::Aaaa, ..plan(ClientProfile::FreshLookup, secs(1)) };
        let _ana = ana(&bed, &plan, &resolver);
        let ended = bed.ended().await;
        assert_eq!((ended.outcome, ended.address), (RequestOutcome::NotConnectable, Some(ip("2001:db8::10"))));
    });
}

#[test]
fn a_name_that_does_not_resolve_is_told_with_the_resolvers_reason() {
    on_loopback(20.0, async |mut bed| {
        let resolver = Answering::with(EAST);
        resolver.now_with(Err("SERVFAIL"));
        let _ana = ana(&bed, &plan(ClientProfile::FreshLookup, secs(1)), &resolver);
        let ended = bed.ended().await;
        assert_eq!(ended.outcome, RequestOutcome::Unresolved { reason: "SERVFAIL".to_owned() });
        assert_eq!(ended.address, None);
    });
}

#[test]
fn a_request_that_outlasts_the_cadence_skips_ticks_and_does_not_pile_up() {
    on_loopback(10.0, async |mut bed| {
        let here = bed.environment.ground.here(SocketAddr::new(ip(SITE), HTTP_PORT)).unwrap();
        let _silent = TcpListener::bind(here).await.unwrap();
        let plan = ClientPlan { timeout: Duration::from_millis(3_200), ..plan(ClientProfile::KeepAlivePool, secs(1)) };
        let _ana = ana(&bed, &plan, &Answering::with(SITE));
        let (first, second) = (bed.ended().await, bed.ended().await);
        assert_eq!((&first.outcome, first.address), (&RequestOutcome::TimedOut, Some(ip(SITE))));
        // The fourth tick, which the first request may itself have met a little late; a request that had piled up would
        // have begun when the one before it ended.
        assert!(second.began.since(first.began) >= Duration::from_millis(3_600));
    });
}
