//! Turns the crank of the fleet of checkers behind one Route 53 health check.
//!
//! When a checker probes and what its results amount to is decided in the health room.

use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use futures_util::StreamExt;
use futures_util::future::LocalBoxFuture;
use futures_util::stream::FuturesUnordered;
use rand::Rng;
use tokio::task::JoinSet;

use crate::health::{CheckProtocol, CheckerId, EndpointCheck, Fleet, ProbeReport, StatusSettings};
use crate::journal::event::{Event, Signal};
use crate::plan::EndpointPlan;
use crate::zone::HealthCheckId;

use super::authoritative::SharedEvidence;
use super::probe::{Probe, Question, seen, wake_at};
use crate::ground::Environment;

/// Why a health check is not looked after.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// The lab has no place for its endpoint.
    #[error("health check {id:?}: this ground carries no address of cell {cell}, out of {addresses:?}")]
    NoAddress {
        /// The health check.
        id: HealthCheckId,
        /// The cell that it probes.
        cell: String,
        /// The lab addresses that were wanted.
        addresses: Vec<IpAddr>,
    },
}

/// Starts the checkers of one health check. They probe the first of the `endpoint`'s lab addresses that the ground
/// carries, each from a lab address of its own: `from` in the order of [`CheckerId::all`], from the start again when
/// they are fewer. They end when what is returned is dropped. To be called inside a `LocalSet`.
///
/// # Errors
/// When the ground carries none of the endpoint's addresses.
pub fn start(
    id: &HealthCheckId,
    plan: &EndpointPlan,
    status: StatusSettings,
    endpoint: &[IpAddr],
    from: &[IpAddr],
    board: SharedEvidence,
    rng: &mut impl Rng,
    environment: &Environment,
) -> Result<JoinSet<()>, FleetError> {
    let here = |lab: &IpAddr, port| environment.ground.here(SocketAddr::new(*lab, port));
    let (lab, to) = endpoint.iter().find_map(|lab| Some((*lab, here(lab, plan.check.port)?))).ok_or_else(|| {
        FleetError::NoAddress { id: id.clone(), cell: plan.cell.clone(), addresses: endpoint.to_vec() }
    })?;
    let probe = |from| {
        let question = question(&plan.check, lab);
        Rc::new(Probe { from, to, question, stop_after: plan.check.deadline() })
    };
    let stands: Vec<IpAddr> = from
        .iter()
        .filter_map(|lab| here(lab, 0))
        .filter(|stand| stand.is_ipv4() == to.is_ipv4())
        .map(|stand| stand.ip())
        .collect();
    let probes = if stands.is_empty() {
        CheckerId::all().map(|_| probe(None)).collect()
    } else {
        CheckerId::all().zip(stands.iter().cycle()).map(|(_, stand)| probe(Some(*stand))).collect()
    };
    let fleet = Fleet::new(&plan.check, status, environment.clock.now(), rng);
    let crank =
        Crank { id: id.clone(), check: plan.check.clone(), fleet, probes, board, environment: environment.clone() };
    if !crank.fleet.is_healthy() {
        crank.show_status(false, "the check is inverted".to_owned());
    }
    let mut running = JoinSet::new();
    running.spawn_local(crank.turn());
    Ok(running)
}

/// What is asked, and with which `Host` (R53-118): the name, with the port unless it is 80; without a name the address.
fn question(check: &EndpointCheck, address: IpAddr) -> Option<Question> {
    let CheckProtocol::Http { path, host, .. } = &check.protocol else { return None };
    let host = match host {
        None if address.is_ipv6() => format!("[{address}]"),
        None => address.to_string(),
        Some(name) if check.port == 80 => name.clone(),
        Some(name) => format!("{name}:{}", check.port),
    };
    Some(Question { host, path: path.clone() })
}

struct Crank {
    id: HealthCheckId,
    check: EndpointCheck,
    fleet: Fleet,
    probes: Vec<Rc<Probe>>,
    board: SharedEvidence,
    environment: Environment,
}

impl Crank {
    async fn turn(mut self) {
        let clock = self.environment.clock;
        let mut under_way: FuturesUnordered<LocalBoxFuture<'static, (CheckerId, ProbeReport)>> =
            FuturesUnordered::new();
        loop {
            for checker in self.fleet.due(clock.now()) {
                if let Some(probe) = self.probes.get(checker.index()).map(Rc::clone) {
                    under_way.push(Box::pin(async move { (checker, probe.run(clock).await) }));
                }
            }
            tokio::select! {
                Some((checker, report)) = under_way.next() => self.finish(checker, &report),
                () = wake_at(clock, self.fleet.next_wakeup()) => {}
            }
        }
    }

    fn finish(&mut self, checker: CheckerId, report: &ProbeReport) {
        let verdict = self.check.judge(report);
        self.environment.recorder.record(Event::Checked {
            signal: Signal::HealthCheck { id: self.id.to_string() },
            by: checker.to_string(),
            passed: verdict.passed(),
            detail: if verdict.passed() { seen(report) } else { verdict.to_string() },
        });
        if let Some(change) = self.fleet.finish(self.environment.clock.now(), checker, verdict.passed()) {
            self.show_status(change.healthy, change.to_string());
        }
    }

    fn show_status(&self, healthy: bool, reason: String) {
        let signal = Signal::HealthCheck { id: self.id.to_string() };
        self.environment.recorder.record(Event::HealthChanged { signal, healthy, reason });
        self.board.borrow_mut().set_health_check(self.id.clone(), healthy);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use tokio::net::TcpListener;

    use super::super::testbed::{SITE, STRANGER, Testbed, ip, on_loopback, site};
    use super::*;
    use crate::clock::LabTime;
    use crate::decide::Evidence;
    use crate::node::HTTP_PORT;
    use crate::plan::Fault;

    fn plan(port: u16, host: Option<&str>) -> EndpointPlan {
        let protocol =
            CheckProtocol::Http { path: "/".to_owned(), host: host.map(str::to_owned), tls: None, search: None };
        let check = EndpointCheck { protocol, port, interval: Duration::from_secs(10), failure_threshold: 3 };
        EndpointPlan { cell: "site".to_owned(), name: None, check, checker_addresses: Vec::new() }
    }

    fn id() -> HealthCheckId {
        HealthCheckId("hc-site".to_owned())
    }

    fn fleet(bed: &Testbed) -> JoinSet<()> {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let (from, evidence) = ([ip(STRANGER)], bed.evidence.clone());
        start(
            &id(),
            &plan(HTTP_PORT, None),
            StatusSettings::default(),
            &[ip(SITE)],
            &from,
            evidence,
            &mut rng,
            &bed.environment,
        )
        .unwrap()
    }

    #[test]
    fn r53_118_the_host_header_has_the_port_unless_it_is_80_and_is_the_address_without_a_name() {
        let host = |port, name, address| question(&plan(port, name).check, ip(address)).unwrap().host;
        assert_eq!(host(80, Some("api.example"), SITE), "api.example");
        assert_eq!(host(8081, Some("api.example"), SITE), "api.example:8081");
        assert_eq!(host(8081, None, SITE), SITE);
        assert_eq!(host(80, None, "2001:db8::1"), "[2001:db8::1]");
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
            let stopped = "connected, but no status came: no end within 6s of lab time".to_owned();
            assert_eq!(detail.await, (false, stopped));
        });
    }
}
