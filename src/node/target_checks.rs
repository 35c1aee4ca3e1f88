//! Turns the crank of one cell's target group and node check, and keeps what evaluate target health sees of the cell and
//! of its zones.
//!
//! The checks belong to the lab and not to the cell's processes: they go on when the region is killed, as those of a
//! cloud provider do. When a check is due and what its result means is decided in the health room.

use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use futures_util::StreamExt;
use futures_util::future::LocalBoxFuture;
use futures_util::stream::FuturesUnordered;
use hickory_proto::rr::Name;
use rand::Rng;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::health::{
    LoadBalancer, NodeChecker, ProbeReport, ResourceEvidence, TCP_CONNECT_LIMIT, TargetGroup, TargetGroupSettings,
    TargetHealth,
};
use crate::journal::event::{Event, Signal};
use crate::plan::{RegionPlan, ZonePlan};

use super::probe::{Probe, Question, seen, wake_at};
use super::resource_board::ResourceBoard;
use crate::ground::{Environment, SimulatedNetwork};

/// Where the checks of one cell go, as socket addresses of this machine.
#[derive(Clone, Debug)]
pub(super) struct Ways {
    /// The load balancer's public address: its node is checked there, and its target checks come from there.
    pub(super) node: SocketAddr,
    /// The targets, in order.
    pub(super) targets: Vec<SocketAddr>,
}

/// The checks of one cell; they end when this is dropped.
#[derive(Debug)]
pub(super) struct TargetChecks {
    /// The targets that requests are to be sent to, by each zone's node, in the order of the zones.
    pub(super) routable: Vec<watch::Receiver<Vec<usize>>>,
    _running: JoinSet<()>,
}

/// Whose checks, and where the statuses are kept: on the board, under `alias_target`, if there is one.
pub(super) struct Checked<'a> {
    pub(super) cell: &'a str,
    pub(super) region: &'a RegionPlan,
    pub(super) zones: Vec<ZonePlan>,
    pub(super) alias_target: Option<Name>,
    pub(super) board: ResourceBoard,
}

/// Starts the checks. To be called inside a `LocalSet`.
pub(super) fn start(checked: Checked<'_>, ways: &Ways, rng: &mut impl Rng, environment: &Environment) -> TargetChecks {
    let Checked { cell, region, zones, alias_target, board } = checked;
    let now = environment.clock.now();
    let group = TargetGroup::new(&region.target_group, ways.targets.len(), now, rng);
    let node = NodeChecker::new(region.node_check.interval, region.node_check.threshold, now, rng);
    let channel = |zone| watch::channel(group.routable(&region.targets_behind(zone)));
    let (routes, routable) = zones.iter().map(channel).unzip();
    let probes = Probes::new(region, ways, environment.ground.simulated());
    let crank = Crank {
        status: region.load_balancer(&zones, |_| false, node.is_reachable()),
        cell: cell.to_owned(),
        region: region.clone(),
        zones,
        group,
        node,
        routes,
        alias_target,
        board,
        environment: environment.clone(),
    };
    crank.show_start();
    let mut running = JoinSet::new();
    running.spawn_local(crank.turn(probes));
    TargetChecks { routable, _running: running }
}

/// Which check.
#[derive(Clone, Copy, Debug)]
enum Which {
    Target(usize),
    Node,
}

/// How each check is made.
struct Probes {
    targets: Vec<Rc<Probe>>,
    node: Rc<Probe>,
}

impl Probes {
    fn new(region: &RegionPlan, ways: &Ways, network: Option<&SimulatedNetwork>) -> Self {
        let network = || network.cloned();
        let settings = &region.target_group;
        let target = |to: &SocketAddr| {
            let question = Question {
                host: to.to_string(),
                path: settings.path.clone(),
                tls: None,
                status_within: settings.timeout,
                body_within: None,
            };
            let from = Some(ways.node.ip()).filter(|own: &IpAddr| own.is_ipv4() == to.is_ipv4());
            let (connect_within, stop_after) = (settings.timeout, settings.timeout);
            Rc::new(Probe { network: network(), from, to: *to, question: Some(question), connect_within, stop_after })
        };
        let limit = TCP_CONNECT_LIMIT.min(region.node_check.interval);
        let (connect_within, stop_after) = (limit, limit);
        let node = Probe { network: network(), from: None, to: ways.node, question: None, connect_within, stop_after };
        Self { targets: ways.targets.iter().map(target).collect(), node: Rc::new(node) }
    }

    fn of(&self, which: Which) -> Option<Rc<Probe>> {
        match which {
            Which::Target(index) => self.targets.get(index).map(Rc::clone),
            Which::Node => Some(Rc::clone(&self.node)),
        }
    }
}

struct Crank {
    cell: String,
    region: RegionPlan,
    zones: Vec<ZonePlan>,
    group: TargetGroup,
    node: NodeChecker,
    status: LoadBalancer,
    /// In the order of the zones.
    routes: Vec<watch::Sender<Vec<usize>>>,
    alias_target: Option<Name>,
    board: ResourceBoard,
    environment: Environment,
}

impl Crank {
    async fn turn(mut self, probes: Probes) {
        let clock = self.environment.clock.clone();
        let mut under_way: FuturesUnordered<LocalBoxFuture<'static, (Which, ProbeReport)>> = FuturesUnordered::new();
        loop {
            let now = clock.now();
            let targets = self.group.due(now).into_iter().map(Which::Target);
            let node = self.node.start_if_due(now).then_some(Which::Node);
            for which in targets.chain(node) {
                if let Some(probe) = probes.of(which) {
                    let clock = clock.clone();
                    under_way.push(Box::pin(async move { (which, probe.run(&clock).await) }));
                }
            }
            let next = self.group.next_wakeup().into_iter().chain(self.node.next_wakeup()).min();
            tokio::select! {
                biased;
                Some((which, report)) = under_way.next() => self.finish(which, &report),
                () = wake_at(&clock, next) => {}
            }
        }
    }

    fn finish(&mut self, which: Which, report: &ProbeReport) {
        let now = self.environment.clock.now();
        let cell = self.cell.clone();
        match which {
            Which::Target(target) => {
                let signal = Signal::Target { cell, target };
                let passed = target_check_passed(&self.region.target_group, report);
                self.checked(&signal, passed, report);
                if let Some(change) = self.group.finish(now, target, passed) {
                    let targets = self.group.len();
                    let reason = format!("{}; {} of {targets} targets healthy", change.health, change.healthy_targets);
                    let healthy = change.health == TargetHealth::Healthy;
                    self.environment.recorder.record(Event::HealthChanged { signal, healthy, reason });
                    self.route();
                }
            }
            Which::Node => {
                let signal = Signal::Node { cell };
                let passed = report.connected_after.is_some();
                self.checked(&signal, passed, report);
                if let Some(healthy) = self.node.finish(now, passed) {
                    self.environment.recorder.record(Event::HealthChanged { signal, healthy, reason: seen(report) });
                }
            }
        }
        self.judge();
    }

    fn route(&self) {
        for (zone, routes) in self.zones.iter().zip(&self.routes) {
            routes.send_replace(self.group.routable(&self.region.targets_behind(zone)));
        }
    }

    /// Takes over what targets and node have become, and shows what turned.
    fn judge(&mut self) {
        let is_healthy = |target| self.group.health(target) == Some(TargetHealth::Healthy);
        let status = self.region.load_balancer(&self.zones, is_healthy, self.node.is_reachable());
        let turns = status.turns_since(&self.status);
        self.status = status;
        if turns.is_empty() {
            return;
        }
        self.answer_zones();
        for turn in turns {
            match turn.zone {
                Some(zone) => self.show_zone(&zone, turn.healthy, turn.reason),
                None => self.show_status(turn.healthy, turn.reason),
            }
        }
    }

    fn show_start(&self) {
        let reason = || "no target has passed a check yet".to_owned();
        self.answer_zones();
        let healthy = self.status.healthy_zones();
        for zone in &self.zones {
            self.show_zone(&zone.name, healthy.contains(zone.name.as_str()), reason());
        }
        self.show_status(self.status.is_healthy(), reason());
    }

    fn answer_zones(&self) {
        if let Some(target) = &self.alias_target {
            let zones = self.status.answered_zones().into_iter().map(str::to_owned).collect();
            self.board.show(ResourceEvidence::AnsweredZones { target: target.clone(), zones });
        }
    }

    fn checked(&self, signal: &Signal, passed: bool, report: &ProbeReport) {
        self.environment.recorder.record(Event::Checked {
            signal: signal.clone(),
            by: format!("the load balancer of {}", self.cell),
            passed,
            detail: seen(report),
        });
    }

    /// A region that is one zone has no status of a zone beside its own.
    fn show_zone(&self, zone: &str, healthy: bool, reason: String) {
        if !self.region.zones.is_empty() {
            let signal = Signal::Zone { cell: self.cell.clone(), zone: zone.to_owned() };
            self.environment.recorder.record(Event::HealthChanged { signal, healthy, reason });
        }
    }

    fn show_status(&self, healthy: bool, reason: String) {
        let signal = Signal::Cell { cell: self.cell.clone() };
        self.environment.recorder.record(Event::HealthChanged { signal, healthy, reason });
        if let Some(target) = &self.alias_target {
            self.board.show(ResourceEvidence::Health { target: target.clone(), healthy });
        }
    }
}

fn target_check_passed(settings: &TargetGroupSettings, report: &ProbeReport) -> bool {
    report.response.as_ref().zip(report.connected_after).is_some_and(|(response, connected_after)| {
        settings.passes(response.status, connected_after + response.after_connect)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::time::Duration;

    use axum::Router;
    use axum::http::StatusCode;
    use axum::routing::get;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::super::process::Process;
    use super::super::testbed::{
        ANA, EAST, EAST_TARGETS, Journal, SITE, Testbed, east, http_client, ip, on_loopback, url,
    };
    use super::super::{HTTP_PORT, http_server};
    use super::*;
    use crate::decide::Evidence;
    use crate::plan::{CellKind, CellPlan, Fault};

    async fn turned(journal: &mut Journal, wanted: Signal, to: bool) -> String {
        let what = format!("{wanted:?} turns to {to}");
        let found = |event: &Event| match event {
            Event::HealthChanged { signal, healthy, reason } if *signal == wanted && *healthy == to => {
                Some(reason.clone())
            }
            _ => None,
        };
        journal.wait_for(&what, |stamped| found(&stamped.event)).await
    }

    fn cell() -> Signal {
        Signal::Cell { cell: "east".to_owned() }
    }

    fn evidence_is_healthy(bed: &Testbed) -> bool {
        bed.evidence.borrow().resource_is_healthy(&"lb-east.example.".parse().unwrap())
    }

    #[test]
    fn r53_158_the_cell_is_unhealthy_until_a_target_passes_and_again_when_its_database_is_dead() {
        on_loopback(100.0, async |mut bed| {
            let mut region = bed.start_cell("east", &east());
            assert!(!evidence_is_healthy(&bed));
            turned(&mut bed.journal, cell(), true).await;
            assert!(evidence_is_healthy(&bed));

            let fault = Fault::KillDatabase("east".to_owned());
            region.apply(&fault).await;
            let reason = turned(&mut bed.journal, cell(), false).await;
            assert_eq!(reason, "0 of 2 targets healthy, its node can be reached");
            assert!(!evidence_is_healthy(&bed));

            // R53-165: the data path fails open, and serves what the targets say.
            let http = http_client(&bed.environment.ground, ANA, false);
            let answer = http.get(url(&bed.environment.ground, EAST, "/")).send().await.unwrap();
            assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
            assert!(answer.text().await.unwrap().contains("target"), "the answer is not a target's");

            region.undo(&fault).unwrap();
            turned(&mut bed.journal, cell(), true).await;
            assert!(evidence_is_healthy(&bed));
        });
    }

    #[test]
    fn a_target_turns_after_two_failed_checks_in_a_row() {
        on_loopback(100.0, async |mut bed| {
            let mut region = bed.start_cell("east", &east());
            let first = Signal::Target { cell: "east".to_owned(), target: 0 };
            turned(&mut bed.journal, first.clone(), true).await;
            region.apply(&Fault::KillDatabase("east".to_owned())).await;
            let mut failed = 0;
            let failed = bed
                .journal
                .wait_for("the target turns", |stamped| match &stamped.event {
                    Event::Checked { signal, passed: false, detail, .. } if *signal == first => {
                        assert_eq!(detail, "status 503");
                        failed += 1;
                        None
                    }
                    Event::HealthChanged { signal, healthy: false, .. } if *signal == first => Some(failed),
                    _ => None,
                })
                .await;
            assert_eq!(failed, 2);
        });
    }

    #[test]
    fn r53_166_the_checks_outlive_the_region_and_see_its_node_gone_and_back() {
        on_loopback(100.0, async |mut bed| {
            let mut region = bed.start_cell("east", &east());
            turned(&mut bed.journal, cell(), true).await;
            let fault = Fault::KillRegion("east".to_owned());
            region.apply(&fault).await;
            let node = Signal::Node { cell: "east".to_owned() };
            assert!(turned(&mut bed.journal, node.clone(), false).await.contains("refused"));
            assert!(!evidence_is_healthy(&bed));
            region.undo(&fault).unwrap();
            turned(&mut bed.journal, node, true).await;
            while !evidence_is_healthy(&bed) {
                turned(&mut bed.journal, cell(), true).await;
            }
        });
    }

    #[test]
    fn r53_165_requests_go_to_all_targets_until_one_is_healthy_and_then_to_that_one() {
        on_loopback(100.0, async |bed| {
            let (plan, ground) = (east(), bed.environment.ground.clone());
            let CellKind::Region(region) = &plan.kind else { unreachable!("east is a region") };
            let here = |at: &str| ground.here(SocketAddr::new(ip(at), HTTP_PORT)).unwrap();
            let ways = Ways { node: here(EAST), targets: EAST_TARGETS.map(here).to_vec() };
            let (well, router) = (ways.targets[1], Router::new().route("/health", get(|| async { "ok" })));
            let of_router = ground.clone();
            let mut target = Process::new(move || http_server::bind(&[well], router.clone(), of_router.clone()));
            target.start().unwrap();
            let mut rng = ChaCha8Rng::seed_from_u64(7);
            let (zones, board) = (plan.zones("east"), ResourceBoard::here(bed.evidence.clone()));
            let checked = Checked { cell: "east", region, zones, alias_target: None, board };
            let checks = start(checked, &ways, &mut rng, &bed.environment);
            let [mut routable] = <[_; 1]>::try_from(checks.routable.clone()).unwrap();
            assert_eq!(*routable.borrow(), [0, 1]);
            let one = routable.wait_for(|now| *now == [1]);
            assert!(
                tokio::time::timeout(Duration::from_secs(20), one).await.is_ok(),
                "requests never went to the healthy target alone"
            );
            target.kill().await;
            let all = routable.wait_for(|now| *now == [0, 1]);
            assert!(
                tokio::time::timeout(Duration::from_secs(20), all).await.is_ok(),
                "requests never went to all targets again"
            );
        });
    }

    /// `east` with a second address, so that its two targets stand in two zones.
    fn zonal_east() -> CellPlan {
        let mut plan = east();
        plan.addresses.push(ip(SITE));
        let CellKind::Region(region) = &mut plan.kind else { unreachable!("east is a region") };
        let zone = |(index, name): (usize, &str)| ZonePlan {
            name: name.to_owned(),
            addresses: vec![plan.addresses[index]],
            targets: vec![index],
        };
        region.zones = ["a", "b"].into_iter().enumerate().map(zone).collect();
        region.cross_zone = false;
        plan
    }

    fn zone(zone: &str) -> Signal {
        Signal::Zone { cell: "east".to_owned(), zone: zone.to_owned() }
    }

    /// In whichever order they turn.
    async fn both_zones_are_healthy(journal: &mut Journal) {
        let mut healthy = BTreeSet::new();
        let mut both = |event: &Event| {
            if let Event::HealthChanged { signal: Signal::Zone { zone, .. }, healthy: true, .. } = event {
                healthy.insert(zone.clone());
            }
            (healthy.len() == 2).then_some(())
        };
        journal.wait_for("both zones are healthy", |stamped| both(&stamped.event)).await;
    }

    #[test]
    fn r53_163_and_r53_164_a_zone_without_targets_is_not_answered_unless_no_zone_has_any() {
        on_loopback(100.0, async |mut bed| {
            let mut region = bed.start_cell("east", &zonal_east());
            both_zones_are_healthy(&mut bed.journal).await;
            let answered = |bed: &Testbed| {
                ["a", "b"]
                    .map(|zone| bed.evidence.borrow().zone_is_answered(&"lb-east.example.".parse().unwrap(), zone))
            };
            let of = |targets: &[usize]| Fault::KillTargets {
                cell: "east".to_owned(),
                targets: targets.iter().copied().collect(),
            };
            region.apply(&of(&[0])).await;
            assert_eq!(turned(&mut bed.journal, zone("a"), false).await, "0 of 1 targets healthy");
            assert_eq!(answered(&bed), [false, true]);
            assert!(evidence_is_healthy(&bed), "the region is");

            region.apply(&of(&[1])).await;
            turned(&mut bed.journal, cell(), false).await;
            assert_eq!(answered(&bed), [true, true]);
            assert!(!evidence_is_healthy(&bed));

            region.undo(&of(&[0])).unwrap();
            turned(&mut bed.journal, zone("a"), true).await;
            assert_eq!(answered(&bed), [true, false]);
            assert!(evidence_is_healthy(&bed));
        });
    }

    #[test]
    fn r53_161_and_r53_165_a_zones_node_sends_to_its_own_targets_also_when_they_are_dead() {
        on_loopback(100.0, async |mut bed| {
            let mut region = bed.start_cell("east", &zonal_east());
            both_zones_are_healthy(&mut bed.journal).await;
            region.apply(&Fault::KillTargets { cell: "east".to_owned(), targets: [0].into() }).await;
            turned(&mut bed.journal, zone("a"), false).await;
            let http = http_client(&bed.environment.ground, ANA, false);
            for (node, at, expected) in [("a", EAST, StatusCode::BAD_GATEWAY), ("b", SITE, StatusCode::OK)] {
                let answer = http.get(url(&bed.environment.ground, at, "/")).send().await.unwrap();
                assert_eq!(answer.status(), expected);
                let arrived = |event: &Event| match event {
                    Event::RequestArrived { cell, zone, .. } => Some((cell.clone(), zone.clone())),
                    _ => None,
                };
                let arrived = bed.journal.wait_for("the arrival", |stamped| arrived(&stamped.event)).await;
                assert_eq!(arrived, ("east".to_owned(), Some(node.to_owned())));
            }
        });
    }
}
