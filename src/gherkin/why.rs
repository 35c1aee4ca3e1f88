//! Why the tree answers as it does: a decision's path in words.

use crate::decide::Content;
use crate::decide::{Considered, Decision, Outcome, Reason, RecordRef, Step, StepEnd};

/// The path of a decision, a line for each group, and what it admits.
#[must_use]
pub(super) fn path_text(decision: &Decision) -> String {
    let mut lines: Vec<String> = decision.path.iter().map(group_text).collect();
    lines.push(format!("so the rules admit {}", outcome_text(&decision.outcome)));
    lines.join("\n")
}

fn group_text(step: &Step) -> String {
    let considered: Vec<String> = step.considered.iter().map(considered_text).collect();
    let end = match step.end {
        StepEnd::Used => "",
        StepEnd::BackedOut => "; none can be used, so the search backs out",
        StepEnd::LastResort => "; none is healthy, so all count as healthy (last resort)",
        StepEnd::NothingApplies => "; none applies to this query",
    };
    let indent = "  ".repeat(step.depth);
    format!("{indent}{} ({}): {}{end}", step.group, step.policy, considered.join("; "))
}

fn considered_text(considered: &Considered) -> String {
    let why = match considered.reason {
        Reason::Healthy => "healthy",
        Reason::Unchecked => "unchecked, so always healthy",
        Reason::HealthCheckUnhealthy => "its health check is unhealthy",
        Reason::TargetUnhealthy => "its alias target is unhealthy",
        Reason::NotReached => "not reached",
        Reason::NotApplicable => "does not apply",
        Reason::LastResort => "taken as the last resort",
    };
    format!("{} {why}", record_text(&considered.record))
}

fn record_text(record: &RecordRef) -> String {
    record.set_identifier.clone().unwrap_or_else(|| format!("{} {}", record.name, record.rtype))
}

/// What may be answered, in words.
#[must_use]
pub(super) fn outcome_text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::NoData => "no data".to_owned(),
        Outcome::NxDomain => "no such name".to_owned(),
        Outcome::NotInZone => "nothing: the name is not in the zone".to_owned(),
        Outcome::Referral { cut, .. } => format!("a referral to {cut}"),
        Outcome::Answers(answers) => {
            let each: Vec<String> = answers
                .iter()
                .map(|one| {
                    let what = match &one.answer.content {
                        Content::Resource(name) => name.to_string(),
                        Content::Values { values, .. } if values.is_empty() => "no data".to_owned(),
                        Content::Values { values, at_most: None } => values.join(" + "),
                        Content::Values { values, at_most: Some(most) } => {
                            format!("at most {most} of {}", values.join(" + "))
                        }
                    };
                    let who = one.answer.via.last().and_then(|record| record.set_identifier.as_ref());
                    let who = who.map_or_else(String::new, |id| format!("{id}: "));
                    format!("{who}{what} ({:.1} %, TTL {} s)", one.probability * 100.0, one.answer.ttl)
                })
                .collect();
            each.join(", ")
        }
    }
}
