//! Evidence that depends on itself: something that probes a name, and by its result decides what that name answers.

use crate::health::EvidenceBoard;
use crate::plan::{Family, HealthCheckKind, Metric, Signal};
use crate::zone::HealthCheckId;

use super::scene::Scene;
use super::signals::{self, Turn};

/// Why the turns that the faults cause undo themselves, for people; `None` when they do not.
pub(super) fn why(scene: &Scene<'_>, turns: &[Turn]) -> Option<String> {
    turns.iter().find_map(|turn| match &turn.signal {
        Signal::HealthCheck { id } => closes(scene, &HealthCheckId(id.clone()), turn.healthy),
        _ => None,
    })
}

fn closes(scene: &Scene<'_>, id: &HealthCheckId, turned: bool) -> Option<String> {
    let planned = scene.plan.health_checks.get(id)?;
    let steady = signals::steady(scene.plan);
    let mut alone: EvidenceBoard = steady.clone();
    alone.set_health_check(id.clone(), turned);
    match &planned.kind {
        HealthCheckKind::Alarm(alarm) => {
            let Metric::ProbeSuccess(probe) = &alarm.metric else { return None };
            let asks = &scene.plan.probes.get(probe)?.asks;
            let now = &scene.probes_with(&alone).get(probe.as_str())?.labels.clone();
            let before = &scene.probes.get(probe.as_str())?.labels;
            (now != before).then(|| {
                format!(
                    "probe {probe} asks {asks}, and what that answers depends on health check {id}, which the probe \
                     feeds: once {id} has turned, the probe is answered {} instead of {}, and tells of that",
                    now.join(" or "),
                    before.join(" or ")
                )
            })
        }
        HealthCheckKind::Endpoint(endpoint) => {
            let name = endpoint.name.as_deref()?;
            // Checkers resolve a name wherever they stand; the first place that is watched stands for them.
            let viewpoint = scene.plan.resolvers.values().next().map(|resolver| resolver.viewpoint.clone())?;
            let before = scene.ask(name, Family::A, &viewpoint, &steady).labels;
            let now = scene.ask(name, Family::A, &viewpoint, &alone).labels;
            (now != before).then(|| {
                format!(
                    "health check {id} probes the name {name}, and what that answers depends on {id} itself: once it \
                     has turned, its checkers are answered {} instead of {}, and tell of that",
                    now.join(" or "),
                    before.join(" or ")
                )
            })
        }
        HealthCheckKind::Calculated(_) | HealthCheckKind::RoutingControl(_) => None,
    }
}
