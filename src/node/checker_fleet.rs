//! Turns the crank of the fleet of checkers behind one Route 53 health check.
//!
//! When a checker probes and what its results amount to is decided in the health room.

use std::cell::RefCell;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;

use futures_util::StreamExt;
use futures_util::future::LocalBoxFuture;
use futures_util::stream::FuturesUnordered;
use rand::Rng;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::ground::{Environment, Ground};
use crate::health::{CheckProtocol, CheckerId, EndpointCheck, Fleet, ProbeReport, StatusSettings, Tls};
use crate::journal::event::{Event, Signal};
use crate::plan::EndpointPlan;
use crate::zone::HealthCheckId;

use super::endpoint_name::{EndpointName, EndpointNameError};
use super::handshake::{Handshake, HandshakeError};
use super::probe::{Probe, Question, seen, wake_at};
use super::status_board::StatusBoard;

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
    /// Its endpoint cannot be found by its name.
    #[error("health check {id:?}: {problem}")]
    Name {
        /// The health check.
        id: HealthCheckId,
        /// What is wrong.
        problem: EndpointNameError,
    },
    /// Its checkers cannot shake hands.
    #[error("health check {id:?}: {problem}")]
    Handshake {
        /// The health check.
        id: HealthCheckId,
        /// What is wrong.
        problem: HandshakeError,
    },
}

/// Where things are in the lab, for the checkers of one health check. All are lab addresses.
#[derive(Clone, Copy, Debug)]
pub struct Whereabouts<'a> {
    /// The endpoint: the first that the ground carries is probed. Of an endpoint by name nobody looks here.
    pub endpoint: &'a [IpAddr],
    /// The authoritative server, where an endpoint's name is looked up.
    pub name_servers: &'a [IpAddr],
}

/// The checkers of one health check, probing. They end when this is dropped.
#[derive(Debug)]
#[must_use = "checkers end when they are dropped"]
pub struct CheckerFleet {
    shown: Shown,
    _running: JoinSet<()>,
}

/// Starts the checkers of one health check, each at a lab address of its own: those of the plan in the order of
/// [`CheckerId::all`], from the start again when they are fewer. To be called inside a `LocalSet`.
///
/// # Errors
/// When the ground does not carry the endpoint or the way to look up its name, and when a name is none.
pub fn start(
    id: &HealthCheckId,
    plan: &EndpointPlan,
    status: StatusSettings,
    whereabouts: Whereabouts<'_>,
    board: StatusBoard,
    rng: &mut impl Rng,
    environment: &Environment,
) -> Result<CheckerFleet, FleetError> {
    let stands = stands(id, plan, whereabouts, environment)?;
    let fleet = Fleet::new(&plan.check, status, environment.clock.now(), rng);
    let shown = Shown {
        id: id.clone(),
        fleet: Rc::new(RefCell::new(fleet)),
        updated: Rc::new(Notify::new()),
        board,
        environment: environment.clone(),
    };
    shown.begin();
    let mut running = JoinSet::new();
    let crank = Crank { check: plan.check.clone(), stands, shown: shown.clone() };
    running.spawn_local(crank.turn());
    Ok(CheckerFleet { shown, _running: running })
}

impl CheckerFleet {
    /// Inverts or disables the check, or takes that back, while it runs. A status that turns by it is shown when this
    /// returns (R53-104 to R53-106). Nothing else of a running check can be changed (R53-109).
    pub fn update(&self, settings: StatusSettings) {
        self.shown.update(settings);
    }

    /// Whether the check is inverted or disabled now.
    #[must_use]
    pub fn settings(&self) -> StatusSettings {
        self.shown.fleet.borrow().settings()
    }

    /// The status that decisions use.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        self.shown.fleet.borrow().is_healthy()
    }
}

/// The fleet's state, and where its status is shown.
#[derive(Clone)]
struct Shown {
    id: HealthCheckId,
    /// Borrowed for a moment only, never while something is waited for.
    fleet: Rc<RefCell<Fleet>>,
    updated: Rc<Notify>,
    board: StatusBoard,
    environment: Environment,
}

impl Shown {
    /// R53-103: a new check is healthy, which the board takes for granted; an inverted one is not.
    fn begin(&self) {
        let fleet = self.fleet.borrow();
        let disabled = if fleet.settings().disabled { "disabled and " } else { "" };
        self.board.set(&self.id, fleet.is_healthy(), &format!("the check is {disabled}inverted"));
    }

    fn update(&self, settings: StatusSettings) {
        let change = self.fleet.borrow_mut().update(self.environment.clock.now(), settings);
        if let Some(change) = change {
            self.board.set(&self.id, change.healthy, &change.to_string());
        }
        self.updated.notify_one();
    }

    fn finish(&self, checker: CheckerId, passed: bool) {
        let change = self.fleet.borrow_mut().finish(self.environment.clock.now(), checker, passed);
        if let Some(change) = change {
            self.board.set(&self.id, change.healthy, &change.to_string());
        }
    }
}

impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shown").field("id", &self.id).field("fleet", &self.fleet).finish_non_exhaustive()
    }
}

/// How one checker reaches the endpoint.
struct Stand {
    /// Its address on this machine; the kernel's choice when missing.
    from: Option<IpAddr>,
    to: To,
    question: Option<Question>,
    check: EndpointCheck,
    environment: Environment,
}

/// Where the endpoint is.
enum To {
    /// There.
    Here(SocketAddr),
    /// At the address that its name has when a probe begins (R53-119).
    Named(EndpointName),
}

impl Stand {
    async fn probe(&self) -> ProbeReport {
        let to = match self.find().await {
            Ok(to) => to,
            Err(report) => return report,
        };
        let probe = Probe {
            network: self.environment.ground.simulated().cloned(),
            from: self.from,
            to,
            question: self.question.clone(),
            connect_within: self.check.connect_limit(),
            stop_after: self.check.deadline(),
        };
        probe.run(&self.environment.clock).await
    }

    async fn find(&self) -> Result<SocketAddr, ProbeReport> {
        let name = match &self.to {
            To::Here(here) => return Ok(*here),
            To::Named(name) => name,
        };
        let lab = name.look_up().await.map_err(|why| ProbeReport {
            unresolved: true,
            error: Some(why),
            ..ProbeReport::default()
        })?;
        self.environment.ground.here(SocketAddr::new(lab, self.check.port)).ok_or_else(|| ProbeReport {
            error: Some(format!("{lab} is no address of this lab")),
            ..ProbeReport::default()
        })
    }
}

fn stands(
    id: &HealthCheckId,
    plan: &EndpointPlan,
    whereabouts: Whereabouts<'_>,
    environment: &Environment,
) -> Result<Vec<Rc<Stand>>, FleetError> {
    let Environment { ground, clock, .. } = environment;
    let fixed = match &plan.name {
        Some(_) => None,
        None => Some(carried(ground, whereabouts.endpoint, plan.check.port).ok_or_else(|| FleetError::NoAddress {
            id: id.clone(),
            cell: plan.cell.clone(),
            addresses: whereabouts.endpoint.to_vec(),
        })?),
    };
    // An endpoint by name is reached over IPv4 (R53-119).
    let ipv4 = fixed.is_none_or(|(lab, _)| lab.is_ipv4());
    let reach = |lab: &IpAddr| lab.is_ipv4() == ipv4 && ground.here(SocketAddr::new(*lab, 0)).is_some();
    let places: Vec<IpAddr> = plan.checker_addresses.iter().copied().filter(reach).collect();
    let question = question(&plan.check, plan.name.as_deref(), fixed.map(|(lab, _)| lab))
        .map_err(|problem| FleetError::Handshake { id: id.clone(), problem })?;
    let places: Vec<Option<IpAddr>> =
        if places.is_empty() { vec![None] } else { places.into_iter().map(Some).collect() };
    let stand = |place: &Option<IpAddr>| {
        let to = match (&plan.name, fixed) {
            (None, Some((_, here))) => To::Here(here),
            (name, _) => {
                let (name, from) = (name.as_deref().unwrap_or_default(), place.as_slice());
                let named = EndpointName::new(name, from, whereabouts.name_servers, ground, clock);
                To::Named(named.map_err(|problem| FleetError::Name { id: id.clone(), problem })?)
            }
        };
        let from = place.and_then(|lab| ground.here(SocketAddr::new(lab, 0))).map(|here| here.ip());
        let (question, check) = (question.clone(), plan.check.clone());
        Ok(Rc::new(Stand { from, to, question, check, environment: environment.clone() }))
    };
    CheckerId::all().zip(places.iter().cycle()).map(|(_, place)| stand(place)).collect()
}

/// The first of these lab addresses that the ground carries, and where it is on this machine.
fn carried(ground: &Ground, addresses: &[IpAddr], port: u16) -> Option<(IpAddr, SocketAddr)> {
    addresses.iter().find_map(|&lab| Some((lab, ground.here(SocketAddr::new(lab, port))?)))
}

/// What is asked of an endpoint.
fn question(
    check: &EndpointCheck,
    endpoint_name: Option<&str>,
    address: Option<IpAddr>,
) -> Result<Option<Question>, HandshakeError> {
    let CheckProtocol::Http { path, tls, .. } = &check.protocol else { return Ok(None) };
    let host = check.host_header(endpoint_name, address).unwrap_or_default();
    let handshake = |_: &Tls| Handshake::new(check.server_name(endpoint_name));
    let tls = tls.as_ref().map(handshake).transpose()?;
    let status_within = check.status_limit().unwrap_or_default();
    Ok(Some(Question { host, path: path.clone(), tls, status_within, body_within: check.body_limit() }))
}

struct Crank {
    check: EndpointCheck,
    stands: Vec<Rc<Stand>>,
    shown: Shown,
}

impl Crank {
    async fn turn(self) {
        let (clock, fleet) = (&self.shown.environment.clock, &self.shown.fleet);
        let mut under_way: FuturesUnordered<LocalBoxFuture<'static, (CheckerId, ProbeReport)>> =
            FuturesUnordered::new();
        loop {
            for checker in fleet.borrow_mut().due(clock.now()) {
                if let Some(stand) = self.stands.get(checker.index()).map(Rc::clone) {
                    under_way.push(Box::pin(async move { (checker, stand.probe().await) }));
                }
            }
            let next = fleet.borrow().next_wakeup();
            tokio::select! {
                biased;
                Some((checker, report)) = under_way.next() => self.finish(checker, &report),
                () = wake_at(clock, next) => {}
                // Enabled again, some are due earlier than anybody knew.
                () = self.shown.updated.notified() => {}
            }
        }
    }

    fn finish(&self, checker: CheckerId, report: &ProbeReport) {
        let verdict = self.check.judge(report);
        self.shown.environment.recorder.record(Event::Checked {
            signal: Signal::HealthCheck { id: self.shown.id.to_string() },
            by: checker.to_string(),
            passed: verdict.passed(),
            detail: if verdict.passed() { seen(report) } else { verdict.to_string() },
        });
        self.shown.finish(checker, verdict.passed());
    }
}

#[cfg(test)]
mod tests;
