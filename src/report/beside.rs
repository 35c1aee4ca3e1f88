//! What a drill says beside its stages: the hazard that it shows, somebody's estimate, why it does not come to rest.

use crate::plan::{LegPrediction, Plan};
use crate::verdict::Outcome;
use crate::verdict::wording::secs;

/// The hazard, once a run has an outcome: a drill that passes has shown it. A control has nothing to show.
pub(super) fn hazard_shown(plan: &Plan, outcome: Outcome) -> Option<String> {
    let hazard = plan.hazard.as_ref().filter(|_| !plan.control)?;
    match outcome {
        Outcome::Passed => Some(format!("hazard shown: {hazard}")),
        Outcome::Failed => Some(format!("hazard NOT shown: {hazard}")),
        _ => None,
    }
}

/// The estimate, held beside the prediction; what the difference is made of, where there is one.
pub(super) fn estimate(plan: &Plan) -> Vec<String> {
    let Some(estimate) = &plan.estimate else { return Vec::new() };
    let leg = &plan.prediction.failover;
    let who = &estimate.by;
    let mut lines = Vec::new();
    let mut line = |what: &str, estimated, predicted: Option<std::time::Duration>| {
        let told = match predicted {
            None => "nobody can predict how long at worst".to_owned(),
            Some(predicted) if predicted == estimated => format!("predicted {}, the same", secs(predicted)),
            Some(predicted) if predicted > estimated => {
                format!("predicted {}, {} more", secs(predicted), secs(predicted.saturating_sub(estimated)))
            }
            Some(predicted) => {
                format!("predicted {}, {} less", secs(predicted), secs(estimated.saturating_sub(predicted)))
            }
        };
        lines.push(format!("estimated by {who}: {what} {} at worst; {told}", secs(estimated)));
    };
    line("detection", estimate.detection, leg.detection.worst);
    if let Some(total) = leg.totals.get(&estimate.client) {
        line(&format!("total of {}", estimate.client), estimate.total, total.worst);
    }
    if leg.detection.worst != Some(estimate.detection) {
        lines.extend(last_evidence(leg).map(|why| format!("the prediction's detection: {why}")));
    }
    lines
}

/// What the detection is made of: the status that decisions see last.
fn last_evidence(leg: &LegPrediction) -> Option<&str> {
    leg.signals.iter().rev().find(|signal| signal.evidence).map(|signal| signal.why.as_str())
}

/// Why nothing after the detection is predicted.
pub(super) fn unsettled(leg: &LegPrediction) -> Option<String> {
    leg.unsettled.as_ref().map(|why| format!("not predicted to come to rest: {why}"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::journal::event::Signal;
    use crate::journal::synthetic;
    use crate::plan::{Bounds, Estimate, SignalPrediction};

    fn plan(worst: u64) -> Plan {
        let secs = Duration::from_secs;
        let mut plan = synthetic::passing().plan;
        plan.hazard = Some("an empty queue drains a sound region".into());
        let (by, client) = ("DNS Failover for LLM Serving".into(), "br-fresh".into());
        plan.estimate = Some(Estimate { by, client, total: secs(165), detection: secs(45) });
        let leg = &mut plan.prediction.failover;
        leg.detection = Bounds::between(secs(30), secs(worst));
        leg.totals.insert("br-fresh".into(), Bounds::between(secs(30), secs(worst + 120)));
        leg.signals = vec![SignalPrediction {
            signal: Signal::HealthCheck { id: "HC".into() },
            healthy: false,
            bounds: leg.detection,
            evidence: true,
            why: "3 bad probes, each lasting its 4 s budget, 5 s apart".into(),
        }];
        plan
    }

    #[test]
    fn an_estimate_that_is_exceeded_is_told_with_what_makes_the_difference() {
        assert_eq!(
            estimate(&plan(57)),
            [
                "estimated by DNS Failover for LLM Serving: detection 45 s at worst; predicted 57 s, 12 s more",
                "estimated by DNS Failover for LLM Serving: total of br-fresh 165 s at worst; predicted 177 s, 12 s more",
                "the prediction's detection: 3 bad probes, each lasting its 4 s budget, 5 s apart",
            ]
        );
        let same = estimate(&plan(45));
        assert_eq!(same.len(), 2, "{same:?}");
        assert!(same.iter().all(|line| line.ends_with("the same")), "{same:?}");
    }

    #[test]
    fn a_hazard_is_shown_by_a_run_that_passes_and_by_no_control() {
        let plan = plan(45);
        let hazard = "an empty queue drains a sound region";
        assert_eq!(hazard_shown(&plan, Outcome::Passed), Some(format!("hazard shown: {hazard}")));
        assert_eq!(hazard_shown(&plan, Outcome::Failed), Some(format!("hazard NOT shown: {hazard}")));
        assert_eq!(hazard_shown(&plan, Outcome::Inconclusive), None);
        assert_eq!(hazard_shown(&Plan { control: true, ..plan }, Outcome::Failed), None);
    }
}
