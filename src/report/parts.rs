//! What a lab is made of, a line for each part, as people read it before a run.

use crate::health::{CheckProtocol, InsufficientData, MinimumHealthy, Statistic};
use crate::plan::{
    AlarmPlan, CellKind, ClientRuns, EndpointPlan, EnginePlan, HealthCheckKind, HealthCheckPlan, LlmPlan, Metric,
    ProbePlan, RegionPlan,
};
use crate::verdict::wording::secs;

/// A cell.
pub(super) fn cell(kind: &CellKind) -> String {
    match kind {
        CellKind::Region(region) => {
            let queue = region
                .queue
                .as_ref()
                .map(|queue| format!(", a queue with a message every {} and its worker", secs(queue.message_every)));
            let behind =
                region.load_balancer_software.map(|software| format!(" behind {software}")).unwrap_or_default();
            format!("region of {} targets{behind}{}{}", region.targets, zones(region), queue.unwrap_or_default())
        }
        CellKind::Llm(llm) => engine(llm),
        CellKind::TelemetryGateway => "telemetry gateway".to_owned(),
        CellKind::StaticSite => "static site".to_owned(),
    }
}

fn engine(llm: &LlmPlan) -> String {
    let engine = match &llm.engine {
        EnginePlan::Own { settings, .. } => format!(
            "{} slots, {} tokens/s each, a queue of {}, model {}",
            settings.slots, settings.tokens_per_second, settings.queue, settings.model
        ),
        EnginePlan::Real { base_url, model, .. } => format!("{model} at {base_url}"),
    };
    let sheds = llm.gateway.sheds_above.map(|above| format!(", sheds tier free above {above} requests"));
    let gateway = format!("first byte within {}{}", secs(llm.gateway.first_byte_within), sheds.unwrap_or_default());
    let prober = llm.prober.as_ref().map_or_else(
        || "no prober".to_owned(),
        |prober| {
            let settings = &prober.settings;
            format!(
                "{} tokens within {}, {} apart; {} bad to drain, {} good to recover, stale after {}",
                settings.max_tokens,
                secs(settings.budget),
                secs(settings.pause),
                settings.fails_to_drain,
                settings.good_to_recover,
                secs(settings.max_age)
            )
        },
    );
    format!("LLM region\n    engine: {engine}\n    gateway: {gateway}\n    prober: {prober}")
}

/// The zones of a region that has some, and the minimum of healthy targets where it is not the default.
fn zones(region: &RegionPlan) -> String {
    let names: Vec<&str> = region.zones.iter().map(|zone| zone.name.as_str()).collect();
    let cross_zone = if region.cross_zone { "on" } else { "off" };
    let zones =
        if names.is_empty() { String::new() } else { format!(" in {}, cross-zone {cross_zone}", names.join(" and ")) };
    match region.minimum_healthy {
        MinimumHealthy::DEFAULT => zones,
        minimum => format!("{zones}, {minimum} healthy"),
    }
}

/// What a client is made of, with a comma behind; nothing of muster's own.
pub(super) fn runs(runs: &ClientRuns) -> String {
    match runs {
        ClientRuns::Muster => String::new(),
        ClientRuns::Known(software) => format!("{software}, "),
        ClientRuns::Image(own) => format!("image {}, ", own.image),
    }
}

/// A synthetic probe.
pub(super) fn probe(probe: &ProbePlan) -> String {
    format!(
        "submits telemetry to {} through {}, every {}, within {}",
        probe.asks,
        probe.resolver,
        secs(probe.every),
        secs(probe.timeout)
    )
}

/// A health check, and what it looks at.
pub(super) fn health_check(planned: &HealthCheckPlan) -> String {
    let looks = match &planned.kind {
        HealthCheckKind::Endpoint(planned) => endpoint(planned),
        HealthCheckKind::Calculated(check) => {
            let children: Vec<&str> = check.children.iter().map(|child| child.0.as_str()).collect();
            format!("at least {} healthy of {}", check.healthy_threshold, children.join(", "))
        }
        HealthCheckKind::Alarm(planned) => alarm(planned),
        HealthCheckKind::RoutingControl(control) => format!("routing control {control}"),
    };
    let inverted = if planned.status.inverted { ", inverted" } else { "" };
    let disabled = if planned.status.disabled { ", disabled" } else { "" };
    format!("{looks}{inverted}{disabled}")
}

fn endpoint(planned: &EndpointPlan) -> String {
    let check = &planned.check;
    let at = planned.name.as_ref().map_or_else(|| planned.cell.clone(), |name| format!("{name} ({})", planned.cell));
    let asks = match &check.protocol {
        CheckProtocol::Tcp => "TCP".to_owned(),
        CheckProtocol::Http { path, tls, search, .. } => {
            let protocol = if tls.is_some() { "HTTPS" } else { "HTTP" };
            let search = search.as_ref().map(|search| format!(" for `{search}`"));
            format!("{protocol} {path}{}", search.unwrap_or_default())
        }
    };
    let (interval, threshold) = (secs(check.interval), check.failure_threshold);
    format!("{asks} of {at}, port {}, every {interval}, {threshold} in a row", check.port)
}

fn alarm(planned: &AlarmPlan) -> String {
    let metric = match &planned.metric {
        Metric::QueueAge(cell) => format!("the age of the oldest message of {cell}"),
        Metric::DeadLetterAge(cell) => format!("the age of the oldest dead letter of {cell}"),
        Metric::ProbeSuccess(probe) => format!("the success of probe {probe}"),
    };
    let settings = planned.alarm.settings;
    let statistic = match settings.statistic {
        Statistic::Average => "average",
        Statistic::Minimum => "minimum",
        Statistic::Maximum => "maximum",
        Statistic::Sum => "sum",
        Statistic::SampleCount => "number of samples",
    };
    let missing = match planned.insufficient_data {
        InsufficientData::Healthy => "healthy",
        InsufficientData::Unhealthy => "unhealthy",
        InsufficientData::LastKnownStatus => "the last known status",
    };
    format!(
        "alarm on {metric}: {statistic} {} {}, {} × {}; without data {missing}",
        sign(planned),
        settings.threshold,
        settings.evaluation_periods,
        secs(settings.period)
    )
}

const fn sign(planned: &AlarmPlan) -> &'static str {
    use crate::health::Comparison;
    match planned.alarm.settings.comparison {
        Comparison::GreaterThanThreshold => ">",
        Comparison::GreaterThanOrEqualToThreshold => "≥",
        Comparison::LessThanThreshold => "<",
        Comparison::LessThanOrEqualToThreshold => "≤",
    }
}
