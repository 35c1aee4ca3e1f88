//! A lab on loopback for the tests of nodes, and a journal that they wait on.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use hickory_proto::rr::Name;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use tokio::sync::mpsc;
use tokio::task::LocalSet;

use crate::clock::Speed;
use crate::ground::{Ground, GroundKind};
use crate::ground::{Recorder, WallClock};
use crate::health::{MinimumHealthy, ProberSettings, StatusSettings, TargetGroupSettings};
use crate::journal::event::{Event, Stamped};
use crate::plan::{
    CellKind, CellPlan, EnginePlan, GatewaySettings, HealthCheckKind, HealthCheckPlan, LlmPlan, NodeCheck, ProberPlan,
    QueuePlan, RegionPlan, RoutingControlsPlan,
};
use crate::service::{EngineSettings, QueueSettings};
use crate::zone::HealthCheckId;

use super::authoritative::SharedEvidence;
use super::cells::{Cell, Surroundings};
use super::certificate::Certificate;
use super::control_plane::ControlPlane;
use super::fault_lookout::Standpoint;
use super::resource_board::ResourceBoard;
use super::status_board::StatusBoard;
use super::{HTTP_PORT, Roster};
use crate::ground::Environment;

/// Wall time after which a test gives up waiting for an event.
const PATIENCE: Duration = Duration::from_secs(20);

/// Where the cell named `east` is, and its parts.
pub(super) const EAST: &str = "192.0.2.10";
pub(super) const EAST_TARGETS: [&str; 2] = ["10.0.0.11", "10.0.0.12"];
pub(super) const EAST_DATABASE: &str = "10.0.0.20";
/// Its queue, if it has one, the queue's producer and its worker.
pub(super) const EAST_QUEUE: [&str; 3] = ["10.0.0.31", "10.0.0.32", "10.0.0.33"];
/// Where the static site is.
pub(super) const SITE: &str = "192.0.2.30";
/// Where the client named `ana` is.
pub(super) const ANA: &str = "198.51.100.1";
/// A host that is nobody's client.
pub(super) const STRANGER: &str = "198.51.100.99";

/// An address of a test.
pub(super) fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

/// An environment whose events the test reads.
pub(super) struct Testbed {
    pub(super) environment: Environment,
    pub(super) evidence: SharedEvidence,
    pub(super) journal: Journal,
}

impl Testbed {
    /// A cell with its checks, at phases that the same seed always gives.
    pub(super) fn start_cell(&self, name: &str, plan: &CellPlan) -> Cell {
        Cell::start(name, plan, &self.around(), &mut chance()).unwrap()
    }

    /// What the cells of this lab have in common; the only checker is the stranger.
    pub(super) fn around(&self) -> Surroundings {
        Surroundings {
            roster: roster(),
            checkers: BTreeSet::from([ip(STRANGER)]),
            certificate: Certificate::self_signed(&[EAST.to_owned(), SITE.to_owned()]).unwrap(),
            resources: ResourceBoard::here(self.evidence.clone()),
            environment: self.environment.clone(),
        }
    }

    /// Where statuses of health checks are kept and told.
    pub(super) fn board(&self) -> StatusBoard {
        StatusBoard::new(self.evidence.clone(), self.environment.recorder.clone())
    }

    /// Switches: the controls `east` and `west`, both on, of which one must stay on, with the health checks `hc-east`
    /// and `hc-west`; and the drain check `hc-drain`.
    pub(super) fn control(&self) -> ControlPlane {
        let controls = ["east", "west"].map(|name| (name.to_owned(), true));
        let controls = RoutingControlsPlan { controls: controls.into(), at_least_on: 1 };
        let check = |id: &str, disabled, control: &str| {
            let status = StatusSettings { inverted: false, disabled };
            let kind = HealthCheckKind::RoutingControl(control.to_owned());
            (HealthCheckId(id.to_owned()), HealthCheckPlan { status, kind })
        };
        let checks = [("hc-east", false, "east"), ("hc-west", false, "west"), ("hc-drain", true, "east")];
        let checks = checks.map(|(id, disabled, control)| check(id, disabled, control));
        let recorder = self.environment.recorder.clone();
        ControlPlane::new(&controls, &checks.into(), BTreeMap::new(), self.board(), recorder)
    }

    /// From where faults are looked at.
    pub(super) fn standpoint(&self) -> Standpoint {
        Standpoint {
            checkers: vec![ip(STRANGER)],
            control: self.control(),
            askers: vec![ip(ANA)],
            name_servers: vec![ip(SITE)],
            name: Name::root(),
        }
    }
}

/// The chance of a test; always the same.
pub(super) fn chance() -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(7)
}

/// The events so far, in the order in which they were recorded.
pub(super) struct Journal(mpsc::UnboundedReceiver<Stamped>);

impl Journal {
    /// The next event for which `found` gives something; those before it are skipped.
    pub(super) async fn wait_for<T>(&mut self, what: &str, mut found: impl FnMut(&Stamped) -> Option<T>) -> T {
        let search = async {
            loop {
                let stamped = self.0.recv().await.expect("a node records");
                if let Some(it) = found(&stamped) {
                    return it;
                }
            }
        };
        tokio::time::timeout(PATIENCE, search).await.unwrap_or_else(|_| panic!("never seen: {what}"))
    }

    /// Everything recorded so far and not read yet.
    pub(super) fn drain(&mut self) -> Vec<Event> {
        std::iter::from_fn(|| self.0.try_recv().ok()).map(|stamped| stamped.event).collect()
    }
}

/// Runs a test on a lab thread's runtime, at this speed.
pub(super) fn on_loopback<F: Future<Output = ()>>(speed: f64, test: impl FnOnce(Testbed) -> F) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    LocalSet::new().block_on(&runtime, async {
        let hosts =
            [EAST, EAST_DATABASE, SITE, ANA, STRANGER].into_iter().chain(EAST_TARGETS).chain(EAST_QUEUE).map(ip);
        let ground = Ground::open(GroundKind::Loopback, &hosts.collect::<Vec<_>>()).await.unwrap();
        let clock = WallClock::start(Speed::new(speed).unwrap());
        let (sink, events) = mpsc::unbounded_channel();
        let environment = Environment { ground, clock: clock.into(), recorder: Recorder::new(clock, sink) };
        let evidence = SharedEvidence::default();
        test(Testbed { environment, evidence, journal: Journal(events) }).await;
    });
}

/// The only client on the roster.
pub(super) fn roster() -> Roster {
    Roster::new(BTreeMap::from([(ip(ANA), "ana".to_owned())]))
}

/// A region of two targets and a database.
pub(super) fn east() -> CellPlan {
    let region = RegionPlan {
        targets: EAST_TARGETS.len(),
        target_group: TargetGroupSettings {
            path: "/health".to_owned(),
            interval: Duration::from_secs(15),
            timeout: Duration::from_secs(10),
            unhealthy_threshold: 2,
            healthy_threshold: 2,
        },
        minimum_healthy: MinimumHealthy::DEFAULT,
        node_check: NodeCheck { interval: Duration::from_secs(10), threshold: 3 },
        target_addresses: EAST_TARGETS.map(ip).to_vec(),
        database_address: ip(EAST_DATABASE),
        queue: None,
        zones: Vec::new(),
        cross_zone: true,
        load_balancer_software: None,
    };
    CellPlan {
        evaluated: true,
        proxied: false,
        engine_works: false,
        kind: CellKind::Region(region),
        alias_target: Some("lb-east.example.".to_owned()),
        addresses: vec![ip(EAST)],
    }
}

/// A region that serves a language model, at the addresses of `east` and of its targets.
pub(super) fn llm() -> CellPlan {
    let [engine, prober] = EAST_TARGETS.map(ip);
    let settings = EngineSettings {
        model: "chat-model".to_owned(),
        slots: 8,
        queue: 64,
        tokens_per_second: 32.0,
        loads_for: Duration::ZERO,
    };
    let prober = ProberPlan { settings: ProberSettings::default(), address: prober };
    CellPlan {
        evaluated: false,
        proxied: false,
        engine_works: false,
        kind: CellKind::Llm(LlmPlan {
            engine: EnginePlan::Own { settings, address: engine },
            gateway: GatewaySettings { first_byte_within: Duration::from_secs(3), sheds_above: None },
            prober: Some(prober),
        }),
        alias_target: None,
        addresses: vec![ip(EAST)],
    }
}

/// A telemetry gateway at the address of `east`.
pub(super) fn telemetry() -> CellPlan {
    let addresses = vec![ip(EAST)];
    CellPlan {
        kind: CellKind::TelemetryGateway,
        alias_target: None,
        addresses,
        evaluated: false,
        proxied: false,
        engine_works: false,
    }
}

/// The region with a queue: a message every 5 s, each worked on for a second.
pub(super) fn east_with_a_queue() -> CellPlan {
    let mut plan = east();
    if let CellKind::Region(region) = &mut plan.kind {
        let [queue_address, producer_address, worker_address] = EAST_QUEUE.map(ip);
        region.queue = Some(QueuePlan {
            settings: QueueSettings {
                active_for: Duration::from_secs(6 * 3600),
                wakes_within: Duration::from_secs(15 * 60),
                deleted_when_idle_for: Duration::from_secs(30 * 24 * 3600),
                dead_letter_after: None,
            },
            message_every: Duration::from_secs(5),
            work_takes: Duration::from_secs(1),
            queue_address,
            producer_address,
            worker_address,
        });
    }
    plan
}

/// A static site.
pub(super) fn site() -> CellPlan {
    CellPlan {
        kind: CellKind::StaticSite,
        alias_target: None,
        addresses: vec![ip(SITE)],
        evaluated: false,
        proxied: false,
        engine_works: false,
    }
}

/// An HTTP client that sends from a lab address, a connection for each request or one that lives on.
pub(super) fn http_client(ground: &Ground, from: &str, keep_alive: bool) -> reqwest::Client {
    let from = ground.here(SocketAddr::new(ip(from), 0)).unwrap().ip();
    let idle = if keep_alive { usize::MAX } else { 0 };
    reqwest::Client::builder().no_proxy().local_address(from).pool_max_idle_per_host(idle).build().unwrap()
}

/// The URL of a path at a lab address.
pub(super) fn url(ground: &Ground, at: &str, path: &str) -> String {
    format!("http://{}{path}", ground.here(SocketAddr::new(ip(at), HTTP_PORT)).unwrap())
}
