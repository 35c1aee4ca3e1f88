//! How long the evidence of a plan takes to say what is so: from one check to the next, and from the lab's start.

use std::time::Duration;

use crate::health::ProberSettings;
use crate::plan::{CellKind, EnginePlan, HealthCheckKind, HealthCheckPlan, LlmPlan, Plan};

/// The longest time between two checks of anything that the run's evidence comes from.
pub(super) fn longest_interval(plan: &Plan) -> Duration {
    let cells = plan.cells.values().map(|cell| match &cell.kind {
        CellKind::Region(region) => region.target_group.interval.max(region.node_check.interval),
        CellKind::Llm(llm) => llm
            .prober
            .as_ref()
            .map(|prober| prober.settings.pause + probe_takes(llm, &prober.settings))
            .unwrap_or_default(),
        CellKind::TelemetryGateway | CellKind::StaticSite => Duration::ZERO,
    });
    let checks = plan.health_checks.values().filter(|planned| !planned.status.disabled).map(interval);
    cells.chain(checks).chain(plan.probes.values().map(|probe| probe.every)).max().unwrap_or_default()
}

/// From the lab's start to the steady state, when nothing goes wrong.
///
/// Most evidence is healthy until it is seen to be otherwise, and has looked once within its interval. A cached verdict
/// begins unhealthy, and a health check that looks at it turns only after it; an alarm has no data before it has had
/// its periods.
pub(super) fn settled_after(plan: &Plan) -> Duration {
    let verdicts = plan.cells.iter().filter_map(|(name, cell)| {
        let CellKind::Llm(llm) = &cell.kind else { return None };
        let prober = &llm.prober.as_ref()?.settings;
        Some(loads_for(llm) + prober.healthy_after_start(probe_takes(llm, prober)) + longest_check_of(plan, name))
    });
    let alarms = plan.health_checks.values().filter_map(|planned| match &planned.kind {
        HealthCheckKind::Alarm(alarm) if !planned.status.disabled => {
            let settings = &alarm.alarm.settings;
            Some(settings.period.saturating_mul(settings.evaluation_periods) + settings.evaluated_every())
        }
        _ => None,
    });
    verdicts.chain(alarms).chain([longest_interval(plan)]).max().unwrap_or_default()
}

/// From a heal until load balancers, whether a decision uses them or not, are as they were: a target that was unhealthy
/// has passed its checks, and so has the node.
pub(super) fn recovered_after(plan: &Plan) -> Duration {
    let regions = plan.cells.values().filter_map(|cell| match &cell.kind {
        CellKind::Region(region) => Some(region),
        CellKind::Llm(_) | CellKind::TelemetryGateway | CellKind::StaticSite => None,
    });
    let each = regions.map(|region| {
        let (targets, node) = (&region.target_group, &region.node_check);
        let targets_take = targets.interval.saturating_mul(targets.healthy_threshold) + targets.timeout;
        targets_take.max(node.interval.saturating_mul(node.threshold) + node.interval)
    });
    each.max().unwrap_or_default()
}

/// How long it takes until it is seen that nothing arrives of a client whose answer has no address, before the fault or
/// after it, and that tells nothing.
pub(super) fn longest_silence(plan: &Plan) -> Duration {
    let empty = |answer: &String| answer == "nodata" || answer == "nxdomain";
    let silent = plan.clients.iter().filter(|(name, client)| {
        let step = plan.prediction.failover.moves.get(*name);
        client.is_black_box() && step.is_some_and(|step| step.from.iter().chain(&step.to).any(empty))
    });
    silent.map(|(_, client)| client.silent_after()).max().unwrap_or_default()
}

/// From one look at a health check's evidence to the next.
fn interval(planned: &HealthCheckPlan) -> Duration {
    match &planned.kind {
        HealthCheckKind::Endpoint(endpoint) => endpoint.check.interval,
        HealthCheckKind::Alarm(alarm) => alarm.alarm.settings.period,
        HealthCheckKind::Calculated(_) | HealthCheckKind::RoutingControl(_) => Duration::ZERO,
    }
}

/// The longest that a health check takes to follow what it sees of a cell.
fn longest_check_of(plan: &Plan, cell: &str) -> Duration {
    let endpoints = plan.health_checks.values().filter_map(HealthCheckPlan::endpoint);
    let of_cell = endpoints.filter(|endpoint| endpoint.cell == cell);
    of_cell.map(|endpoint| endpoint.check.turns_within(Duration::ZERO, Duration::ZERO).1).max().unwrap_or_default()
}

/// How long a good probe of the prober takes: as long as its tokens; of an engine that is not known, the budget.
fn probe_takes(llm: &LlmPlan, prober: &ProberSettings) -> Duration {
    let made_in = match &llm.engine {
        EnginePlan::Own { settings, .. } => {
            Duration::try_from_secs_f64(f64::from(prober.max_tokens) / settings.tokens_per_second).ok()
        }
        EnginePlan::Real { .. } => None,
    };
    made_in.map_or(prober.budget, |taken| taken.min(prober.budget))
}

const fn loads_for(llm: &LlmPlan) -> Duration {
    match &llm.engine {
        EnginePlan::Own { settings, .. } => settings.loads_for,
        EnginePlan::Real { .. } => Duration::ZERO,
    }
}
