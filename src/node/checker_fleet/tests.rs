use std::cell::Cell;
use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::time::Duration;

use axum::Router;
use hickory_proto::rr::{RData, Record, RecordType};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use tokio::net::TcpListener;

use super::super::certificate::Certificate;
use super::super::http_server;
use super::super::process::Process;
use super::super::testbed::{EAST, SITE, STRANGER, Testbed, ip, on_loopback, site};
use super::super::{HTTP_PORT, HTTPS_PORT};
use super::*;
use crate::clock::LabTime;
use crate::decide::Evidence;
use crate::dns_message::Asked;
use crate::node::{Answering, DnsServer, Transport};
use crate::plan::Fault;

fn plan(port: u16, host: Option<&str>) -> EndpointPlan {
    let protocol = CheckProtocol::Http { path: "/".to_owned(), host: host.map(str::to_owned), tls: None, search: None };
    let check = EndpointCheck { protocol, port, interval: Duration::from_secs(10), failure_threshold: 3 };
    EndpointPlan { cell: "site".to_owned(), name: None, check, checker_addresses: vec![ip(STRANGER)] }
}

fn id() -> HealthCheckId {
    HealthCheckId("hc-site".to_owned())
}

fn fleet(bed: &Testbed) -> CheckerFleet {
    fleet_of(bed, &plan(HTTP_PORT, None), StatusSettings::default())
}

fn fleet_of(bed: &Testbed, plan: &EndpointPlan, status: StatusSettings) -> CheckerFleet {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let board = StatusBoard::new(bed.evidence.clone(), bed.environment.recorder.clone());
    let whereabouts = Whereabouts { endpoint: &[ip(SITE)], name_servers: &[ip(EAST)] };
    start(&id(), plan, status, whereabouts, board, &mut rng, &bed.environment).unwrap()
}

fn https(port: u16, host: Option<&str>, sni: bool) -> EndpointCheck {
    let host = host.map(str::to_owned);
    let protocol = CheckProtocol::Http { path: "/".to_owned(), host, tls: Some(Tls { sni }), search: None };
    EndpointCheck { protocol, ..plan(port, None).check }
}

#[test]
fn r53_122_the_check_turns_when_enough_checkers_have_failed_three_times_each_at_its_own_phase() {
    on_loopback(50.0, async |mut bed| {
        let mut cell = bed.start_cell("site", &site());
        let _fleet = fleet(&bed);
        let mut firsts: BTreeMap<String, LabTime> = BTreeMap::new();
        let checkers = CheckerId::all().count();
        let everybody = bed.journal.wait_for("every checker", |stamped| {
            if let Event::Checked { by, passed: true, .. } = &stamped.event {
                firsts.entry(by.clone()).or_insert(stamped.at);
            }
            (firsts.len() == checkers).then_some(())
        });
        everybody.await;
        let spread = firsts.values().max().unwrap().since(*firsts.values().min().unwrap());
        assert!(spread > Duration::from_secs(3), "all checkers probe at once: {spread:?}");
        assert!(bed.evidence.borrow().health_check_is_healthy(&id()));

        cell.apply(&Fault::KillStaticSite("site".to_owned())).await;
        let mut failed: BTreeMap<String, u32> = BTreeMap::new();
        let turned = bed.journal.wait_for("the check turns", |stamped| match &stamped.event {
            Event::Checked { by, passed: false, detail, .. } => {
                assert!(detail.contains("refused"), "{detail}");
                *failed.entry(by.clone()).or_default() += 1;
                None
            }
            Event::HealthChanged { healthy, .. } => Some(*healthy),
            _ => None,
        });
        assert!(!turned.await);
        // R53-123: of 16, at most 2 are left that say healthy.
        assert_eq!(failed.values().filter(|failures| **failures >= 3).count(), 14);
        assert!(!bed.evidence.borrow().health_check_is_healthy(&id()));
    });
}

#[test]
fn r53_111_an_endpoint_that_accepts_and_never_answers_fails_at_the_time_limit() {
    on_loopback(50.0, async |mut bed| {
        let here = bed.environment.ground.here(SocketAddr::new(ip(SITE), HTTP_PORT)).unwrap();
        let _silent = TcpListener::bind(here).await.unwrap();
        let _fleet = fleet(&bed);
        let detail = bed.journal.wait_for("a checker's result", |stamped| match &stamped.event {
            Event::Checked { passed, detail, .. } => Some((*passed, detail.clone())),
            _ => None,
        });
        let stopped = "connected, but no status came: no end within 2s of lab time".to_owned();
        assert_eq!(detail.await, (false, stopped));
    });
}

/// The next turn of the check: to what, and why.
async fn turn(bed: &mut Testbed) -> (bool, String) {
    let turn = bed.journal.wait_for("the check turns", |stamped| match &stamped.event {
        Event::HealthChanged { healthy, reason, .. } => Some((*healthy, reason.clone())),
        _ => None,
    });
    turn.await
}

/// The next result of a checker: whether it passed, and what it saw.
async fn result(bed: &mut Testbed) -> (bool, String) {
    let result = bed.journal.wait_for("a checker's result", |stamped| match &stamped.event {
        Event::Checked { passed, detail, .. } => Some((*passed, detail.clone())),
        _ => None,
    });
    result.await
}

const INVERTED: StatusSettings = StatusSettings { inverted: true, disabled: false };

#[test]
fn r53_104_an_operator_who_inverts_a_running_check_takes_its_traffic_away_at_once_and_gives_it_back() {
    on_loopback(50.0, async |mut bed| {
        let _cell = bed.start_cell("site", &site());
        let fleet = fleet(&bed);
        assert!(result(&mut bed).await.0);
        fleet.update(INVERTED);
        assert_eq!((fleet.settings(), fleet.is_healthy()), (INVERTED, false));
        assert!(!bed.evidence.borrow().health_check_is_healthy(&id()), "it is shown when the update returns");
        let (healthy, reason) = turn(&mut bed).await;
        assert!(!healthy && reason.ends_with("; the check is inverted"), "{reason}");

        fleet.update(StatusSettings::default());
        assert!(turn(&mut bed).await.0 && bed.evidence.borrow().health_check_is_healthy(&id()));
    });
}

#[test]
fn r53_103_r53_106_a_check_that_starts_inverted_starts_unhealthy() {
    on_loopback(50.0, async |mut bed| {
        for (disabled, why) in [(false, "the check is inverted"), (true, "the check is disabled and inverted")] {
            let status = StatusSettings { inverted: true, disabled };
            let fleet = fleet_of(&bed, &plan(HTTP_PORT, None), status);
            assert_eq!(turn(&mut bed).await, (false, why.to_owned()));
            fleet.update(StatusSettings::default());
            assert!(turn(&mut bed).await.0);
        }
    });
}

#[test]
fn r53_105_a_disabled_check_probes_when_it_is_enabled() {
    on_loopback(50.0, async |mut bed| {
        let _cell = bed.start_cell("site", &site());
        let disabled = StatusSettings { inverted: false, disabled: true };
        let fleet = fleet_of(&bed, &plan(HTTP_PORT, None), disabled);
        // Longer than an interval; whoever probes does so within one.
        let clock = bed.environment.clock.clone();
        clock.sleep_until(clock.now() + Duration::from_secs(15)).await;
        assert!(bed.journal.drain().is_empty(), "a disabled check does not probe");
        fleet.update(StatusSettings::default());
        assert!(result(&mut bed).await.0);
    });
}

#[test]
fn r53_116_an_https_endpoint_of_the_lab_is_probed_at_port_443_with_sni_and_without() {
    on_loopback(5.0, async |mut bed| {
        let ground = bed.environment.ground.clone();
        let here = ground.here(SocketAddr::new(ip(SITE), HTTPS_PORT)).unwrap();
        let certificate = Certificate::self_signed(&["site.example".to_owned()]).unwrap();
        let router = Router::new().fallback(async || "ready");
        let mut site =
            Process::new(move || http_server::bind_tls(&[here], router.clone(), ground.clone(), &certificate));
        site.start().unwrap();
        for (host, sni) in [(Some("site.example"), true), (Some("other.example"), true), (None, true), (None, false)] {
            let check = https(HTTPS_PORT, host, sni);
            let _fleet = fleet_of(&bed, &EndpointPlan { check, ..plan(HTTPS_PORT, host) }, StatusSettings::default());
            assert_eq!(result(&mut bed).await, (true, "status 200".to_owned()), "{host:?}, {sni}");
            bed.journal.drain();
        }
    });
}

/// A name server whose every name has one address, or none; and how often it was asked.
struct OneAddress {
    address: Cell<Option<Ipv4Addr>>,
    asked: Cell<usize>,
}

struct Names(Rc<OneAddress>);

impl Answering for Names {
    async fn answer(&self, query: Vec<u8>, from: IpAddr, transport: Transport) -> Option<Vec<u8>> {
        assert_eq!(from, ip(STRANGER), "each checker asks from its own address");
        let asked = Asked::read(&query)?.ok()?;
        assert_eq!(asked.query.query_type, RecordType::A, "IPv4 only");
        assert_eq!(asked.query.name.to_string(), "site.example.");
        self.0.asked.set(self.0.asked.get() + 1);
        let mut answer = asked.response();
        if let Some(address) = self.0.address.get() {
            // A TTL that nobody keeps to.
            answer.answers.push(Record::from_rdata(asked.query.name.clone(), 3600, RData::A(address.into())));
        }
        asked.written(&answer, transport)
    }
}

#[test]
fn r53_119_an_endpoint_by_name_is_looked_up_before_each_probe_and_nothing_is_kept() {
    on_loopback(50.0, async |mut bed| {
        let IpAddr::V4(address) = ip(SITE) else { panic!("{SITE} is IPv4") };
        let names = Rc::new(OneAddress { address: Cell::new(Some(address)), asked: Cell::new(0) });
        let ground = bed.environment.ground.clone();
        let _server = DnsServer::start(&ground, &[ip(EAST)], Rc::new(Names(Rc::clone(&names)))).await.unwrap();
        let _cell = bed.start_cell("site", &site());
        let by_name = EndpointPlan { name: Some("site.example.".to_owned()), ..plan(HTTP_PORT, None) };
        let _fleet = fleet_of(&bed, &by_name, StatusSettings::default());
        let probes = 2 * CheckerId::all().count();
        for _ in 0..probes {
            assert_eq!(result(&mut bed).await, (true, "status 200".to_owned()));
        }
        assert!(names.asked.get() >= probes, "{} questions for {probes} probes", names.asked.get());

        names.address.set(None);
        let gone = bed.journal.wait_for("no address", |stamped| match &stamped.event {
            Event::Checked { passed: false, detail, .. } => Some(detail.clone()),
            _ => None,
        });
        assert_eq!(gone.await, "DNS resolution failed: site.example. has no A record");
        let (healthy, _) = turn(&mut bed).await;
        assert!(!healthy, "without an address the endpoint is unhealthy");
    });
}

#[test]
fn r53_119_an_address_that_is_none_of_the_lab_is_not_connected() {
    on_loopback(50.0, async |mut bed| {
        let names = OneAddress { address: Cell::new(Some(Ipv4Addr::new(192, 0, 2, 250))), asked: Cell::new(0) };
        let ground = bed.environment.ground.clone();
        let _server = DnsServer::start(&ground, &[ip(EAST)], Rc::new(Names(Rc::new(names)))).await.unwrap();
        let by_name = EndpointPlan { name: Some("site.example".to_owned()), ..plan(HTTP_PORT, None) };
        let _fleet = fleet_of(&bed, &by_name, StatusSettings::default());
        let expected = "not connected: 192.0.2.250 is no address of this lab".to_owned();
        assert_eq!(result(&mut bed).await, (false, expected));
    });
}

#[test]
fn a_name_that_is_none_is_refused_at_the_start() {
    on_loopback(1.0, async |bed| {
        let board = StatusBoard::new(bed.evidence.clone(), bed.environment.recorder.clone());
        let whereabouts = Whereabouts { endpoint: &[ip(SITE)], name_servers: &[ip(EAST)] };
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut started = |plan: &EndpointPlan| {
            let (status, board) = (StatusSettings::default(), board.clone());
            start(&id(), plan, status, whereabouts, board, &mut rng, &bed.environment).unwrap_err()
        };
        let by_name = EndpointPlan { name: Some("no..name".to_owned()), ..plan(HTTP_PORT, None) };
        assert!(matches!(started(&by_name), FleetError::Name { .. }));
        let check = https(HTTPS_PORT, Some("not a name"), true);
        let over_tls = EndpointPlan { check, ..plan(HTTPS_PORT, None) };
        assert!(matches!(started(&over_tls), FleetError::Handshake { .. }));
    });
}
