use std::cell::Cell;
use std::future::Future;

use hickory_proto::rr::{RData, Record, RecordType};
use tokio::sync::{Notify, mpsc};
use tokio::task::LocalSet;

use super::*;
use crate::authoritative::Authoritative;
use crate::authoritative::test_zone::{BRAZILIAN, GERMAN, PRIMARY, SECONDARY, authoritative, check, ip, name};
use crate::clock::{LabTime, Speed};
use crate::decide::Viewpoint;
use crate::ground::{Ground, GroundKind};
use crate::ground::{Recorder, WallClock};
use crate::node::authoritative::{AuthoritativeServer, SharedEvidence};
use crate::node::stub_resolver::{Lookup, LookupError, StubResolver};
use crate::plan::Family;

const AUTHORITATIVE: &str = "198.51.100.53";
const RESOLVER: &str = "10.49.0.53";
const GERMAN_CLIENT: &str = "10.49.1.10";
const BRAZILIAN_CLIENT: &str = "10.55.1.10";

/// An authoritative server, a resolver, and whoever asks.
struct Lab {
    environment: Environment,
    evidence: SharedEvidence,
    _authoritative: AuthoritativeServer,
    _resolver: Resolver,
}

fn in_a_lab<F: Future<Output = ()>>(kind: ResolverKind, test: impl FnOnce(Lab) -> F) {
    on_loopback(async |environment| {
        let evidence = SharedEvidence::default();
        let core = Authoritative::new(authoritative()).unwrap();
        let servers = [ip(AUTHORITATIVE)];
        let authoritative =
            AuthoritativeServer::start(&environment, &servers, core, Rc::clone(&evidence)).await.unwrap();
        let resolver = Resolver::start(&environment, &plan(kind), &servers).await.unwrap();
        test(Lab { environment, evidence, _authoritative: authoritative, _resolver: resolver }).await;
    });
}

fn on_loopback(test: impl AsyncFnOnce(Environment)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    LocalSet::new().block_on(&runtime, async {
        let hosts = [AUTHORITATIVE, RESOLVER, GERMAN_CLIENT, BRAZILIAN_CLIENT].map(ip);
        let ground = Ground::open(GroundKind::Loopback, &hosts).await.unwrap();
        let clock = WallClock::start(Speed::new(200.0).unwrap());
        let recorder = Recorder::new(clock, mpsc::unbounded_channel().0);
        test(Environment { ground, clock: clock.into(), recorder }).await;
    });
}

fn plan(kind: ResolverKind) -> ResolverPlan {
    ResolverPlan {
        place: "DE".to_owned(),
        viewpoint: Viewpoint::default(),
        kind,
        software: None,
        serve_stale: None,
        address: ip(RESOLVER),
    }
}

fn looker(environment: &Environment, client: &str) -> DnsClient {
    DnsClient::new(&environment.ground, &[ip(client)], &[ip(RESOLVER)], PATIENCE_AT_LEAST).unwrap()
}

impl Lab {
    async fn lookup(&self, client: &str, owner: &str) -> Result<Lookup, LookupError> {
        let stub = StubResolver::new(&self.environment.ground, &[ip(client)], ip(RESOLVER)).unwrap();
        stub.lookup(&name(owner), Family::A, &self.environment.clock).await
    }

    /// Asks without recursion.
    async fn look(&self, owner: &str) -> Message {
        let query = Query::query(name(owner), RecordType::A);
        looker(&self.environment, GERMAN_CLIENT).ask(query, false, None).await.unwrap()
    }

    fn now(&self) -> LabTime {
        self.environment.clock.now()
    }

    async fn a_little_later(&self) {
        self.environment.clock.sleep_until(self.now() + Duration::from_secs(2)).await;
    }

    /// Fails the primary right after a lookup, and looks up until the answer changes: an answer is old only while its
    /// TTL lasts, and new only when it is over.
    async fn old_answer_ends_after(&self, ttl: Duration) {
        let before = self.now();
        let first = self.lookup(GERMAN_CLIENT, "www.example.com.").await.unwrap();
        let stored_by = self.now();
        assert_eq!(first.addresses, [ip(PRIMARY)]);
        self.evidence.borrow_mut().set_health_check(check("p"), false);
        loop {
            let asked = self.now();
            let answer = self.lookup(GERMAN_CLIENT, "www.example.com.").await.unwrap();
            if answer.addresses == [ip(SECONDARY)] {
                assert!(self.now() >= before + ttl, "changed too early");
                return;
            }
            assert_eq!(answer.addresses, [ip(PRIMARY)]);
            assert!(asked < stored_by + ttl, "still the old answer at {asked}, kept since {stored_by}");
            assert!(Duration::from_secs(answer.ttl.into()) <= ttl && answer.ttl > 0);
            self.a_little_later().await;
        }
    }
}

#[test]
fn a_plain_resolver_keeps_an_answer_for_its_ttl_in_lab_time() {
    in_a_lab(ResolverKind::Plain, async |lab| lab.old_answer_ends_after(Duration::from_secs(60)).await);
}

#[test]
fn a_floor_keeps_an_answer_longer_than_its_ttl() {
    let floor = Duration::from_secs(120);
    in_a_lab(ResolverKind::TtlFloor(floor), async |lab| lab.old_answer_ends_after(floor).await);
}

#[test]
fn a_client_subnet_resolver_gives_clients_in_two_places_different_answers() {
    in_a_lab(ResolverKind::ClientSubnet, async |lab| {
        for _ in 0..2 {
            let german = lab.lookup(GERMAN_CLIENT, "geo.example.com.").await.unwrap();
            let brazilian = lab.lookup(BRAZILIAN_CLIENT, "geo.example.com.").await.unwrap();
            assert_eq!((german.addresses, brazilian.addresses), (vec![ip(GERMAN)], vec![ip(BRAZILIAN)]));
        }
    });
}

#[test]
fn a_plain_resolver_gives_every_client_the_answer_for_its_own_place() {
    in_a_lab(ResolverKind::Plain, async |lab| {
        for client in [BRAZILIAN_CLIENT, GERMAN_CLIENT] {
            assert_eq!(lab.lookup(client, "geo.example.com.").await.unwrap().addresses, [ip(GERMAN)]);
        }
    });
}

#[test]
fn looking_without_recursion_neither_fills_nor_refreshes_the_cache() {
    in_a_lab(ResolverKind::Plain, async |lab| {
        let nothing = lab.look("www.example.com.").await;
        assert_eq!((nothing.response_code, nothing.answers.len()), (ResponseCode::NoError, 0));
        assert!(nothing.recursion_available && !nothing.authoritative);
        lab.lookup(GERMAN_CLIENT, "www.example.com.").await.unwrap();
        let ends = lab.now() + Duration::from_secs(60);
        let mut last = u32::MAX;
        loop {
            let asked = lab.now();
            let seen = lab.look("www.example.com.").await;
            let Some(record) = seen.answers.first() else { break };
            assert!(asked < ends, "refreshed by looking");
            assert!(record.ttl <= last);
            last = record.ttl;
            lab.a_little_later().await;
        }
        assert!(last <= 30, "the entry was seen to age");
        assert!(lab.look("www.example.com.").await.answers.is_empty(), "nobody asked for it again");
    });
}

#[test]
fn r53_178_no_data_and_no_name_are_kept_too() {
    in_a_lab(ResolverKind::Plain, async |lab| {
        assert_eq!(lab.lookup(GERMAN_CLIENT, "none.example.com.").await, Err(LookupError::NxDomain));
        assert_eq!(lab.lookup(GERMAN_CLIENT, "text.example.com.").await, Err(LookupError::NoData));
        for (owner, code) in
            [("none.example.com.", ResponseCode::NXDomain), ("text.example.com.", ResponseCode::NoError)]
        {
            let seen = lab.look(owner).await;
            assert_eq!((seen.response_code, seen.answers.len()), (code, 0), "{owner}");
            assert!((1..=900).contains(&seen.authorities[0].ttl), "{owner}");
        }
    });
}

#[test]
fn r53_179_a_cname_is_followed_and_each_link_is_kept_for_itself() {
    in_a_lab(ResolverKind::Plain, async |lab| {
        let answer = lab.lookup(GERMAN_CLIENT, "cname.example.com.").await.unwrap();
        assert_eq!(answer.addresses, [ip(PRIMARY)]);
        assert!(answer.ttl <= 60, "the least of the chain");
        let seen = lab.look("cname.example.com.").await;
        let types: Vec<_> = seen.answers.iter().map(Record::record_type).collect();
        assert_eq!(types, [RecordType::CNAME, RecordType::A]);
        assert_eq!(lab.look("www.example.com.").await.answers.len(), 1);
    });
}

#[test]
fn an_answer_too_large_for_udp_comes_over_tcp_all_the_way() {
    in_a_lab(ResolverKind::Plain, async |lab| {
        let answer = lab.lookup(GERMAN_CLIENT, "many.example.com.").await.unwrap();
        assert_eq!(answer.addresses.len(), 300);
    });
}

/// An authoritative server that holds its answers back until it is told, and counts what it is asked.
#[derive(Default)]
struct Holding {
    asked: Cell<usize>,
    came: Notify,
    go: Notify,
}

impl Answering for Holding {
    async fn answer(&self, query: Vec<u8>, from: IpAddr, _: Transport) -> Option<Vec<u8>> {
        assert_eq!(from, ip(RESOLVER), "asked from the resolver's own address");
        self.asked.set(self.asked.get() + 1);
        self.came.notify_one();
        self.go.notified().await;
        let mut answer = Message::from_vec(&query).unwrap().into_response();
        let owner = answer.queries[0].name.clone();
        answer.add_answer(Record::from_rdata(owner, 60, RData::from(ip(PRIMARY))));
        answer.to_vec().ok()
    }
}

#[test]
fn who_asks_what_is_already_being_asked_waits_for_the_same_answer() {
    on_loopback(async |environment| {
        let holding = Rc::new(Holding::default());
        let servers = [ip(AUTHORITATIVE)];
        let _server = DnsServer::start(&environment.ground, &servers, Rc::clone(&holding)).await.unwrap();
        let upstream = DnsClient::new(&environment.ground, &[ip(RESOLVER)], &servers, Duration::from_secs(30)).unwrap();
        let core = Core {
            kind: ResolverKind::Plain,
            clock: environment.clock,
            upstream,
            cache: Rc::default(),
            under_way: RefCell::default(),
            patience: Duration::from_secs(6000),
        };
        let key = Key { name: name("www.example.com."), rtype: RecordType::A };
        let release = async {
            holding.came.notified().await;
            holding.go.notify_one();
        };
        let (one, other, ()) =
            tokio::join!(core.cached_or_fetched(key.clone(), None), core.cached_or_fetched(key, None), release);
        assert!(one.is_some());
        assert_eq!(one.map(|hit| hit.value), other.map(|hit| hit.value));
        assert_eq!(holding.asked.get(), 1);
        assert!(core.under_way.borrow().is_empty());
    });
}

#[test]
fn an_authoritative_server_that_does_not_answer_is_a_server_failure_and_is_not_kept() {
    on_loopback(async |environment| {
        let _resolver = Resolver::start(&environment, &plan(ResolverKind::Plain), &[ip(AUTHORITATIVE)]).await.unwrap();
        let asker = DnsClient::new(&environment.ground, &[ip(GERMAN_CLIENT)], &[ip(RESOLVER)], Duration::from_secs(30))
            .unwrap();
        let query = Query::query(name("www.example.com."), RecordType::A);
        let answer = asker.ask(query.clone(), true, None).await.unwrap();
        assert_eq!(answer.response_code, ResponseCode::ServFail);
        let seen = asker.ask(query, false, None).await.unwrap();
        assert_eq!(seen.response_code, ResponseCode::NoError);
    });
}

#[test]
fn a_stopped_resolver_has_let_go_of_its_address() {
    on_loopback(async |environment| {
        let servers = [ip(AUTHORITATIVE)];
        let resolver = Resolver::start(&environment, &plan(ResolverKind::Plain), &servers).await.unwrap();
        assert!(matches!(
            Resolver::start(&environment, &plan(ResolverKind::Plain), &servers).await,
            Err(ResolverError::Serve(DnsServerError::Bind { .. }))
        ));
        resolver.stop().await;
        let _again = Resolver::start(&environment, &plan(ResolverKind::Plain), &servers).await.unwrap();
    });
}

#[test]
fn a_client_is_told_as_its_24_or_its_56() {
    assert_eq!(client_subnet(ip("10.49.1.10")), Some("10.49.1.0/24".parse().unwrap()));
    assert_eq!(client_subnet(ip("2001:db8:1:2ff::1")), Some("2001:db8:1:200::/56".parse().unwrap()));
}
