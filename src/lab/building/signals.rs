//! Everything of a lab that feeds a health status: fleets, metrics and their alarms, probes, the operator's switches.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use rand::Rng;
use tokio::task::JoinSet;

use crate::ground::Environment;
use crate::health::EvidenceBoard;
use crate::node::authoritative::SharedEvidence;
use crate::node::checker_fleet::{self, Whereabouts};
use crate::node::control_plane::ControlPlane;
use crate::node::metric_store::{self, MetricStore};
use crate::node::status_board::StatusBoard;
use crate::node::stub_resolver::StubResolver;
use crate::node::{HTTP_PORT, alarm_checks, synthetic_probe};
use crate::plan::{CellKind, Fault, HealthCheckKind, Plan};
use crate::zone::HealthCheckId;

use super::say;

/// What feeds the health statuses of a lab; it ends when this is dropped.
pub(super) struct Signals {
    /// The operator's switches.
    pub(super) control: ControlPlane,
    /// Everything that runs.
    pub(super) tasks: Vec<JoinSet<()>>,
}

/// A board that knows the plan's calculated health checks.
pub(super) fn board(plan: &Plan) -> EvidenceBoard {
    let calculated = plan.health_checks.iter().filter_map(|(id, check)| match &check.kind {
        HealthCheckKind::Calculated(calculated) => Some((id.clone(), (calculated.clone(), check.status))),
        HealthCheckKind::Endpoint(_) | HealthCheckKind::Alarm(_) | HealthCheckKind::RoutingControl(_) => None,
    });
    EvidenceBoard::with_calculated(calculated.collect())
}

/// Starts everything; statuses that do not start healthy are journalled when this returns. `rng` draws at which phase
/// each checker starts.
///
/// # Errors
/// What could not be started, for people.
pub(super) fn start(
    plan: &Plan,
    evidence: &SharedEvidence,
    rng: &mut impl Rng,
    environment: &Environment,
) -> Result<Signals, String> {
    let board = StatusBoard::new(evidence.clone(), environment.recorder.clone());
    board.begin();
    let alarms = plan.health_checks.values().filter_map(|check| match &check.kind {
        HealthCheckKind::Alarm(alarm) => Some(alarm),
        HealthCheckKind::Endpoint(_) | HealthCheckKind::Calculated(_) | HealthCheckKind::RoutingControl(_) => None,
    });
    let store = MetricStore::new(alarms, environment.recorder.clone());
    let (mut tasks, mut fleets) = (Vec::new(), BTreeMap::new());
    for (id, check) in &plan.health_checks {
        match &check.kind {
            HealthCheckKind::Endpoint(endpoint) => {
                let of_cell = plan.cells.get(&endpoint.cell).map_or(&[][..], |cell| &cell.addresses);
                let name_servers = &plan.observe.authoritative_addresses;
                let whereabouts = Whereabouts { endpoint: of_cell, name_servers };
                let (board, status) = (board.clone(), check.status);
                let fleet = checker_fleet::start(id, endpoint, status, whereabouts, board, rng, environment);
                fleets.insert(id.clone(), fleet.map_err(say)?);
            }
            HealthCheckKind::Alarm(alarm) => {
                tasks.push(alarm_checks::start(id, alarm, check.status, &store, &board, environment));
            }
            // They have no evidence of their own: the board and the control plane see to them.
            HealthCheckKind::Calculated(_) | HealthCheckKind::RoutingControl(_) => {}
        }
    }
    let recorder = environment.recorder.clone();
    let control = ControlPlane::new(&plan.routing_controls, &plan.health_checks, fleets, board, recorder);
    tasks.extend(metrics(plan, &store, environment)?);
    switches_exist(plan, &control)?;
    Ok(Signals { control, tasks })
}

/// What publishes: queues, synthetic probes.
fn metrics(plan: &Plan, store: &MetricStore, environment: &Environment) -> Result<Vec<JoinSet<()>>, String> {
    let mut tasks = Vec::new();
    for (cell, cell_plan) in &plan.cells {
        let CellKind::Region(region) = &cell_plan.kind else { continue };
        let Some(queue) = &region.queue else { continue };
        let here = environment.ground.here(SocketAddr::new(queue.queue_address, HTTP_PORT));
        let here = here.ok_or_else(|| format!("this ground carries no address of the queue of {cell}"))?;
        tasks.push(metric_store::watch_queue(cell, queue, here, store, environment).map_err(say)?);
    }
    for (name, probe) in &plan.probes {
        let resolver = plan.resolvers.get(&probe.resolver).ok_or_else(|| format!("no resolver {}", probe.resolver))?;
        let stub = StubResolver::new(&environment.ground, &[probe.address], resolver.address).map_err(say)?;
        tasks.push(synthetic_probe::start(name, probe, Arc::new(stub), store, environment).map_err(say)?);
    }
    Ok(tasks)
}

/// A fault that turns a switch has one to turn.
fn switches_exist(plan: &Plan, control: &ControlPlane) -> Result<(), String> {
    let missing = plan.faults.iter().find(|fault| match fault {
        Fault::TurnOff(name) => control.is_on(name).is_none(),
        Fault::DrainCheck(id) => control.is_inverted(&HealthCheckId(id.clone())).is_none(),
        _ => false,
    });
    missing.map_or(Ok(()), |fault| Err(format!("there is no {}", fault.subject())))
}
