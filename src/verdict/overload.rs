//! Whether the machine was too loaded for its observations to mean anything.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::seconds;
use crate::journal::event::{Event, Phase, Signal, Stamped};
use crate::plan::{CellKind, HealthCheckPlan, Move, Plan};
use crate::timeline::measure::Lateness;
use crate::zone::HealthCheckId;

use super::wording::secs;

/// A Route 53 checker waits this long for the rest of a response once it is connected (R53-111); its shortest limit.
const CHECKER_LIMIT: Duration = Duration::from_secs(2);

/// The machine was too loaded to tell. All in lab time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overload {
    /// The 99th percentile of lateness.
    #[serde(with = "seconds")]
    pub p99: Duration,
    /// The fastest observer's cadence: lateness must not exceed it.
    #[serde(with = "seconds")]
    pub cadence: Duration,
    /// The latest.
    #[serde(with = "seconds")]
    pub max: Duration,
    /// The tightest time limit that something in the lab works with: the latest must not exceed it.
    #[serde(with = "seconds")]
    pub limit: Duration,
    /// Checks that failed in cells that no fault breaks, while the lab was steady. Nothing in a lab makes them fail but
    /// the lab itself.
    pub faltered: u64,
}

impl Overload {
    pub(super) fn of(events: &[Stamped], plan: &Plan, lateness: Option<&Lateness>) -> Option<Self> {
        let faltered = faltered(events, plan);
        let lateness = lateness.copied().unwrap_or_default();
        let observe = &plan.observe;
        let cadence = observe.authoritative_every.min(observe.resolver_every).min(observe.fault_every);
        // Where nothing else has a limit, the observers' own rhythm is the tightest.
        let limit = tightest_limit(plan).unwrap_or(cadence);
        let overloaded = lateness.p99 > cadence || lateness.max > limit || faltered > 0;
        overloaded.then_some(Self { p99: lateness.p99, cadence, max: lateness.max, limit, faltered })
    }
}

/// Failed checks that nothing but the lab itself explains. Before the fault that is every one; then those of broken
/// cells are the fault's, and those of an engine whose load the fault changes may be.
fn faltered(events: &[Stamped], plan: &Plan) -> u64 {
    let broken = |cell: &str| plan.faults.iter().any(|fault| fault.cell() == Some(cell));
    let steady = |stamped: &&Stamped| matches!(stamped.event, Event::PhaseEntered { phase: Phase::Steady, .. });
    let asked = events.iter().find(|stamped| matches!(stamped.event, Event::FaultRequested { .. }));
    let failed = events.iter().skip_while(|stamped| !steady(stamped)).filter(|stamped| {
        let Event::Checked { signal, passed: false, .. } = &stamped.event else { return false };
        let since_the_fault = asked.is_some_and(|asked| stamped.at >= asked.at);
        let explained = |cell: &str| broken(cell) || (since_the_fault && bears_another_load(plan, cell));
        checked_cell(plan, signal).is_some_and(|cell| !explained(cell))
    });
    failed.count() as u64
}

/// The cell that a check looks at. What a metric or a synthetic probe says, and a name that leads anywhere, is of no
/// one cell.
fn checked_cell<'p>(plan: &'p Plan, signal: &'p Signal) -> Option<&'p str> {
    match signal {
        Signal::Target { cell, .. }
        | Signal::Node { cell }
        | Signal::Cell { cell }
        | Signal::Zone { cell, .. }
        | Signal::Verdict { cell } => Some(cell),
        Signal::Probe { .. } => None,
        Signal::HealthCheck { id } => {
            let planned = plan.health_checks.get(&HealthCheckId(id.clone()));
            let endpoint = planned.and_then(HealthCheckPlan::endpoint).filter(|endpoint| endpoint.name.is_none());
            endpoint.map(|endpoint| endpoint.cell.as_str())
        }
    }
}

/// Whether the fault sends a cell's engine other clients than before, or may: then it can fail by their load.
fn bears_another_load(plan: &Plan, cell: &str) -> bool {
    let has_engine = plan.cells.get(cell).is_some_and(|cell| matches!(cell.kind, CellKind::Llm(_)));
    let leg = &plan.prediction.failover;
    let comes = |change: &Move| change.changes() && change.to.iter().any(|to| to == cell);
    has_engine && (leg.unsettled.is_some() || leg.moves.values().any(comes))
}

fn tightest_limit(plan: &Plan) -> Option<Duration> {
    let cells = plan.cells.values().filter_map(|cell| match &cell.kind {
        CellKind::Region(region) => Some(region.target_group.timeout),
        CellKind::Llm(llm) => {
            let budget = llm.prober.as_ref().map(|prober| prober.settings.budget);
            Some(budget.map_or(llm.gateway.first_byte_within, |budget| budget.min(llm.gateway.first_byte_within)))
        }
        CellKind::TelemetryGateway | CellKind::StaticSite => None,
    });
    let clients = plan.clients.values().map(|client| client.timeout);
    let probes = plan.probes.values().map(|probe| probe.timeout);
    let checkers = plan.health_checks.values().any(|planned| planned.endpoint().is_some()).then_some(CHECKER_LIMIT);
    cells.chain(clients).chain(probes).chain(checkers).min()
}

impl fmt::Display for Overload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the machine was too loaded to tell: 99 of 100 observers' questions were at most {} late (they ask every {}), \
             the latest {} (the tightest time limit in this lab is {})",
            secs(self.p99),
            secs(self.cadence),
            secs(self.max),
            secs(self.limit),
        )?;
        if self.faltered > 0 {
            write!(f, ", and {} checks failed of cells that nothing breaks", self.faltered)?;
        }
        f.write_str("; run it again with a lower --speed")
    }
}
