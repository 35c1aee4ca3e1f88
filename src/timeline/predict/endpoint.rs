//! When a fleet of checkers turns an endpoint check: what the endpoint answers under each fault, and how soon.

use std::time::Duration;

use crate::health::{CheckProtocol, EndpointCheck, HTTP_CONNECT_LIMIT, HTTP_STATUS_LIMIT, TCP_CONNECT_LIMIT};
use crate::plan::{CellKind, EndpointPlan, EnginePlan, Fault, HEALTHZ_PORT, LlmPlan};
use crate::verdict::wording::secs;

use super::reached::Reached;
use super::scene::Scene;
use super::signals::Falls;
use super::verdict;

/// What the faults make of an endpoint check. For an endpoint by name it is the cell that is meant that counts.
pub(super) fn falls(scene: &Scene<'_>, endpoint: &EndpointPlan) -> Option<Falls> {
    let cell = scene.plan.cells.get(&endpoint.cell)?;
    let faults = scene.plan.faults.iter().filter(|fault| fault.cell() == Some(&endpoint.cell));
    let llm = match &cell.kind {
        CellKind::Llm(llm) => Some(llm),
        CellKind::Region(_) | CellKind::TelemetryGateway | CellKind::StaticSite => None,
    };
    let of_fault = |fault: &Fault| match llm {
        Some(llm) => of_llm(&endpoint.check, llm, fault),
        None => of_region_or_site(&endpoint.check, &cell.kind, fault),
    };
    let own = faults.filter_map(of_fault).reduce(Falls::with);
    // `/healthz` answers at once, and by the verdict.
    let asks_verdict = llm.is_some() && endpoint.check.port == HEALTHZ_PORT && !is_shallow(&endpoint.check);
    let told = if asks_verdict { verdict::falls(scene, &endpoint.cell) } else { None };
    own.into_iter().chain(told.map(|verdict| verdict.then(fleet(&endpoint.check)))).reduce(Falls::with)
}

fn of_region_or_site(check: &EndpointCheck, cell: &CellKind, fault: &Fault) -> Option<Falls> {
    match (fault, cell) {
        (Fault::PartitionRegion(_), _) => Some(waiting(check, connects_within(check))),
        // The load balancer says 503 when its target has waited for the database, or the checker goes before.
        (Fault::StallDatabase(_), CellKind::Region(region)) => {
            (!is_shallow(check)).then(|| waiting(check, HTTP_STATUS_LIMIT.min(region.database_patience())))
        }
        _ => fails(check, cell, fault).then(|| fleet(check)),
    }
}

/// Whether a cell without an engine fails a check at once because of a fault.
fn fails(check: &EndpointCheck, cell: &CellKind, fault: &Fault) -> bool {
    match fault {
        Fault::KillRegion(_) | Fault::KillStaticSite(_) => true,
        // Without its database a region still accepts connections, and so does a firewall that answers 403.
        Fault::KillDatabase(_) | Fault::LockOutCheckers(_) => !is_shallow(check),
        // While one target is left, a checker that meets a dead one meets a live one next.
        Fault::KillTargets { targets, .. } => {
            let all = matches!(cell, CellKind::Region(region) if region.targets == targets.len());
            all && !is_shallow(check)
        }
        _ => false,
    }
}

fn of_llm(check: &EndpointCheck, llm: &LlmPlan, fault: &Fault) -> Option<Falls> {
    let at_gateway = check.port != HEALTHZ_PORT;
    match fault {
        // What is told on the port of the verdict comes back with the verdict.
        Fault::KillRegion(_) if at_gateway || is_shallow(check) => Some(fleet(check)),
        Fault::LockOutCheckers(_) if !is_shallow(check) => Some(fleet(check)),
        // An engine that loads its model answers already whoever asks how it is.
        Fault::KillEngine(_) if at_gateway && asks_engine(check) => Some(fleet(check)),
        // One that is frozen answers nobody: the check waits as long as it may, or until the gateway gives up.
        Fault::FreezeEngine(_) | Fault::StallEngine(_) if at_gateway && asks_engine(check) => {
            Some(waiting(check, HTTP_STATUS_LIMIT.min(llm.gateway.first_byte_within)))
        }
        // A wedged or starved engine goes on answering whoever asks how it is; another model is fast. One that is throttled
        // answers that, too: it costs no work. Where the limit is a real one it may be late, and nobody can say how often.
        Fault::WrongModel(_) if at_gateway && searches_for_model(check, llm) => Some(fleet(check)),
        _ => None,
    }
}

/// How long a checker tries to connect (R53-111).
const fn connects_within(check: &EndpointCheck) -> Duration {
    match check.protocol {
        CheckProtocol::Tcp => TCP_CONNECT_LIMIT,
        CheckProtocol::Http { .. } => HTTP_CONNECT_LIMIT,
    }
}

/// A check that only connects.
fn is_shallow(check: &EndpointCheck) -> bool {
    check.protocol == CheckProtocol::Tcp
}

/// Whether the gateway has to ask its engine for the answer.
fn asks_engine(check: &EndpointCheck) -> bool {
    matches!(&check.protocol, CheckProtocol::Http { path, .. } if path.starts_with("/v1/") || path == "/health")
}

/// Whether the check looks for the model's name, in quotation marks, where the engine lists what it serves. Without
/// them it may find the name inside that of another model.
fn searches_for_model(check: &EndpointCheck, llm: &LlmPlan) -> bool {
    let model = match &llm.engine {
        EnginePlan::Own { settings, .. } => &settings.model,
        EnginePlan::Real { model, .. } => model,
    };
    matches!(&check.protocol, CheckProtocol::Http { path, search: Some(search), .. }
        if path.starts_with("/v1/models") && search.contains(&format!("\"{model}\"")))
}

/// The checkers turn; everything here is answered at once, and the threshold counts both ways (R53-122).
fn fleet(check: &EndpointCheck) -> Falls {
    waiting(check, Duration::ZERO)
}

/// The checkers turn, and each that fails has waited so long (R53-127).
fn waiting(check: &EndpointCheck, waits: Duration) -> Falls {
    let count = check.failure_threshold;
    let every = secs(check.interval);
    let failures = if waits.is_zero() { "failures".to_owned() } else { format!("failures of {} each", secs(waits)) };
    Falls {
        there: Reached::new(
            check.turns_within(Duration::ZERO, waits),
            format!("checkers every {every}, {count} {failures}"),
        ),
        back: Reached::new(
            check.turns_within(waits, Duration::ZERO),
            format!("checkers every {every}, {count} successes"),
        ),
    }
}
