use hickory_proto::op::OpCode;
use hickory_proto::rr::rdata::CNAME;
use hickory_proto::rr::{RData, Record};
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::task::LocalSet;

use super::*;
use crate::authoritative::Authoritative;
use crate::authoritative::test_zone::{GERMAN, PRIMARY, SECONDARY, authoritative, check, ip};
use crate::clock::{LabTime, Speed};
use crate::decide::Viewpoint;
use crate::ground::{Ground, GroundKind};
use crate::ground::{Recorder, WallClock};
use crate::journal::event::Stamped;
use crate::node::authoritative::{AuthoritativeServer, SharedEvidence};
use crate::node::resolver::Resolver;
use crate::plan::Prediction;
use crate::plan::{
    Asks, ClientProfile, ClientRuns, ObservePlan, ResolverSoftware, RoutingControlsPlan, Schedule, WatchedQuestion,
    WireTtl,
};

fn millis(value: u64) -> Duration {
    Duration::from_millis(value)
}

#[test]
fn lateness_quantiles_are_exact() {
    let event = lateness_event((1..=200).rev().map(millis).collect());
    assert_eq!(event, Event::Lateness { count: 200, p50: millis(100), p99: millis(198), max: millis(200) });
    assert_eq!(
        lateness_event(vec![millis(7)]),
        Event::Lateness { count: 1, p50: millis(7), p99: millis(7), max: millis(7) }
    );
    assert_eq!(
        lateness_event(Vec::new()),
        Event::Lateness { count: 0, p50: Duration::ZERO, p99: Duration::ZERO, max: Duration::ZERO }
    );
}

#[test]
fn phases_come_from_the_seed_and_lie_within_the_first_period() {
    let phases = |seed| {
        let mut chance = ChaCha8Rng::seed_from_u64(seed);
        (0..50).map(|_| phase(millis(1000), &mut chance)).collect::<Vec<_>>()
    };
    assert_eq!(phases(1), phases(1));
    assert_ne!(phases(1), phases(2));
    assert!(phases(3).iter().all(|phase| *phase < millis(1000)));
}

#[test]
fn an_answer_is_seen_as_sorted_addresses_with_the_least_ttl_on_the_way() {
    let name = Name::from_ascii("www.example.com.").unwrap();
    let mut message = Message::response(1, OpCode::Query);
    assert_eq!(seen(&message, RecordType::A), SeenAnswer::NoData);
    message.add_answer(Record::from_rdata(name.clone(), 30, RData::CNAME(CNAME(name.clone()))));
    assert!(matches!(seen(&message, RecordType::A), SeenAnswer::Failed(_)));
    for last in [9, 2] {
        message.add_answer(Record::from_rdata(name.clone(), 60, RData::from(IpAddr::from([192, 0, 2, last]))));
    }
    let addresses = vec![IpAddr::from([192, 0, 2, 2]), IpAddr::from([192, 0, 2, 9])];
    assert_eq!(seen(&message, RecordType::A), SeenAnswer::Addresses { addresses, ttl: 30 });
    message.metadata.response_code = ResponseCode::NXDomain;
    assert_eq!(seen(&message, RecordType::A), SeenAnswer::NxDomain);
}

const FRONT: &str = "www.example.com.";

/// The front name watched as from Germany, and a plain resolver there with one client.
fn plan() -> Plan {
    let seconds = Duration::from_secs;
    let resolver = ResolverPlan {
        place: "DE".to_owned(),
        viewpoint: Viewpoint::default(),
        kind: ResolverKind::Plain,
        software: None,
        serve_stale: None,
        address: ip("10.49.0.53"),
    };
    let question = |name: &str| WatchedQuestion {
        name: name.to_owned(),
        family: Family::A,
        place: "DE".to_owned(),
        viewpoint: Viewpoint::default(),
        address: ip("10.49.0.99"),
    };
    Plan {
        drill: "test".to_owned(),
        title: String::new(),
        hazard: None,
        estimate: None,
        sources: Vec::new(),
        name: FRONT.to_owned(),
        seed: 5,
        speed: Speed::REAL,
        wire: WireTtl::Lab,
        control: false,
        cells: BTreeMap::new(),
        resolvers: [("de".to_owned(), resolver)].into(),
        clients: [("one".to_owned(), client("10.49.1.1", "DE"))].into(),
        health_checks: BTreeMap::new(),
        probes: BTreeMap::new(),
        routing_controls: RoutingControlsPlan::default(),
        observe: ObservePlan {
            authoritative_every: seconds(2),
            resolver_every: seconds(4),
            fault_every: seconds(1),
            questions: vec![question(FRONT), question("geo.example.com.")],
            authoritative_addresses: vec![ip("198.51.100.53")],
        },
        faults: Vec::new(),
        schedule: Schedule {
            settle_within: seconds(1),
            fault_after: seconds(1),
            confirm_within: seconds(1),
            hold: seconds(1),
            recover_within: seconds(1),
        },
        expectations: Vec::new(),
        prediction: Prediction::default(),
    }
}

fn client(address: &str, place: &str) -> ClientPlan {
    ClientPlan {
        place: place.to_owned(),
        viewpoint: Viewpoint::default(),
        resolver: "de".to_owned(),
        profile: ClientProfile::FreshLookup,
        runs: ClientRuns::Muster,
        family: Family::A,
        every: Duration::from_secs(1),
        timeout: Duration::from_secs(1),
        slow: Duration::from_secs(1),
        asks: Asks::Page,
        workers: 1,
        tier: None,
        addresses: vec![ip(address)],
    }
}

fn in_a_lab(test: impl AsyncFnOnce(Environment, SharedEvidence, UnboundedReceiver<Stamped>)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    LocalSet::new().block_on(&runtime, async {
        let hosts = ["198.51.100.53", "10.49.0.53", "10.49.0.99"].map(ip);
        let ground = Ground::open(GroundKind::Loopback, &hosts).await.unwrap();
        let clock = WallClock::start(Speed::new(200.0).unwrap());
        let (sink, events) = mpsc::unbounded_channel();
        let environment = Environment { ground, clock: clock.into(), recorder: Recorder::new(clock, sink) };
        let evidence = SharedEvidence::default();
        let core = Authoritative::new(authoritative()).unwrap();
        let servers = &plan().observe.authoritative_addresses;
        let _authoritative = AuthoritativeServer::start(&environment, servers, core, evidence.clone()).await.unwrap();
        let _resolver = Resolver::start(&environment, &plan().resolvers["de"], servers).await.unwrap();
        test(environment, evidence, events).await;
    });
}

/// The next answer that is seen to the front name (or another), and when.
async fn next_seen(events: &mut UnboundedReceiver<Stamped>, of: &Server, asked: &str) -> (LabTime, SeenAnswer) {
    loop {
        let Stamped { at, event } = events.recv().await.unwrap();
        match event {
            Event::Observed { server, name, answer, .. } if server == *of && name == asked => return (at, answer),
            _ => {}
        }
    }
}

fn is_answered(answer: &SeenAnswer, expected: &str) -> bool {
    matches!(answer, SeenAnswer::Addresses { addresses, .. } if *addresses == [ip(expected)])
}

#[test]
fn the_authoritative_answer_is_seen_to_change_as_from_the_watched_place() {
    in_a_lab(async |environment, evidence, mut events| {
        let observers = DnsObservers::start(&environment, &plan()).unwrap();
        let server = Server::Authoritative;
        assert!(is_answered(&next_seen(&mut events, &server, "geo.example.com.").await.1, GERMAN));
        assert!(is_answered(&next_seen(&mut events, &server, FRONT).await.1, PRIMARY));
        evidence.borrow_mut().set_health_check(check("p"), false);
        while !is_answered(&next_seen(&mut events, &server, FRONT).await.1, SECONDARY) {}
        let Event::Lateness { count, p50, max, .. } = observers.stop().await else { panic!() };
        assert!(count >= 3 && p50 <= max);
    });
}

#[test]
fn a_resolver_that_nobody_asked_is_seen_to_have_nothing_however_often_it_is_looked_at() {
    in_a_lab(async |environment, _, mut events| {
        let _observers = DnsObservers::start(&environment, &plan()).unwrap();
        for _ in 0..5 {
            let (_, answer) = next_seen(&mut events, &Server::Resolver("de".to_owned()), FRONT).await;
            assert_eq!(answer, SeenAnswer::NoData);
        }
    });
}

#[test]
fn a_resolver_is_looked_at_once_for_each_family_and_with_client_subnets_for_each_place() {
    let resolver = |kind| ResolverPlan { kind, ..plan().resolvers["de"].clone() };
    let clients = [client("10.49.1.1", "DE"), client("10.49.1.2", "DE"), client("10.55.1.1", "BR")];
    let clients: Vec<&ClientPlan> = clients.iter().collect();
    let own = BTreeMap::from([((Family::A, "DE".to_owned()), vec![ip("10.49.0.53")])]);
    assert_eq!(askers(&resolver(ResolverKind::Plain), &clients), own);
    let by_place = BTreeMap::from([
        ((Family::A, "BR".to_owned()), vec![ip("10.55.1.1")]),
        ((Family::A, "DE".to_owned()), vec![ip("10.49.1.1")]),
    ]);
    assert_eq!(askers(&resolver(ResolverKind::ClientSubnet), &clients), by_place);
}

#[test]
fn who_does_not_tell_its_cache_is_asked_as_clients_ask_it_where_it_runs_as_what_it_is() {
    let asked = |software, elsewhere| {
        let mut plan = plan();
        plan.resolvers.get_mut("de").unwrap().software = software;
        let all = watches(&plan, elsewhere);
        let resolver: Vec<bool> =
            all.iter().filter(|watch| watch.server != Server::Authoritative).map(|watch| watch.recursion).collect();
        assert!(all.iter().all(|watch| watch.server != Server::Authoritative || !watch.recursion));
        assert_eq!(resolver.len(), 1);
        resolver[0]
    };
    let those: Vec<_> = ResolverSoftware::ALL.into_iter().filter(|software| asked(Some(*software), true)).collect();
    assert_eq!(those, [ResolverSoftware::KnotResolver, ResolverSoftware::Dnsmasq]);
    assert!(!asked(None, true));
    assert!(!asked(Some(ResolverSoftware::Dnsmasq), false), "muster's own resolver stands for it");
}

#[test]
fn a_resolver_that_is_asked_as_by_a_client_is_so_only_when_clients_ask() {
    in_a_lab(async |environment, _, mut events| {
        let mut all = watches(&plan(), false);
        for watch in all.iter_mut().filter(|watch| watch.server != Server::Authoritative) {
            watch.recursion = true;
        }
        let observers = DnsObservers::of(all, &environment, 7).unwrap();
        for _ in 0..10 {
            let Event::Observed { server, .. } = events.recv().await.unwrap().event else { continue };
            assert_eq!(server, Server::Authoritative);
        }
        observers.clients_ask();
        let (_, answer) = next_seen(&mut events, &Server::Resolver("de".to_owned()), FRONT).await;
        assert!(is_answered(&answer, PRIMARY), "{answer:?}");
    });
}
