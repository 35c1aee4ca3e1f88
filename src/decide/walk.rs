//! The account of a search, group by group, for people who ask why.
//!
//! It decides nothing: it retells what [`super::reach`] judged and where [`super::flow`] went, in the order in which
//! a search that looks no further than it must would have gone. Each group is told once, at its first visit.

use super::flow::Flow;
use super::reach::{Node, Reach, Target};
use super::{Considered, Reason, RecordRef, Step, StepEnd};

pub(super) fn walk(reach: &Reach<'_, '_>, flow: &Flow) -> Vec<Step> {
    let mut path = Vec::new();
    let mut seen = vec![false; reach.nodes.len()];
    let mut stack = vec![(0, 0)];
    while let Some((number, depth)) = stack.pop() {
        if std::mem::replace(&mut seen[number], true) {
            continue;
        }
        let node = &reach.nodes[number];
        let end = end(node, flow.entered[number]);
        path.push(Step {
            group: node.group.name.to_string(),
            policy: node.group.records.first().map_or("", |record| record.policy.name()).to_owned(),
            depth,
            considered: considered(reach, node, end),
            end,
        });
        for target in looked_at(reach, node, end).into_iter().rev() {
            stack.push((target, depth + 1));
        }
    }
    path
}

fn end(node: &Node<'_>, entered: bool) -> StepEnd {
    match &node.usable {
        Some(_) => StepEnd::Used,
        None if node.tiers.lists.is_empty() => StepEnd::NothingApplies,
        None if entered => StepEnd::LastResort,
        None => StepEnd::BackedOut,
    }
}

fn considered(reach: &Reach<'_, '_>, node: &Node<'_>, end: StepEnd) -> Vec<Considered> {
    let reached = node.usable.as_ref().map(|(tier, _)| *tier);
    let mut all = Vec::new();
    for (tier, list) in node.tiers.lists.iter().enumerate() {
        for record in list {
            let reason = match reached {
                Some(reached) if tier > reached => Reason::NotReached,
                None if end == StepEnd::LastResort && tier == 0 => Reason::LastResort,
                _ => reach.fate(record),
            };
            all.push(Considered { record: RecordRef::of(record), reason });
        }
    }
    let rest = node.tiers.not_applicable.iter();
    all.extend(rest.map(|record| Considered { record: RecordRef::of(record), reason: Reason::NotApplicable }));
    all
}

/// The groups that the search went into from here: for their health, or for their answer.
fn looked_at(reach: &Reach<'_, '_>, node: &Node<'_>, end: StepEnd) -> Vec<usize> {
    let reached = node.usable.as_ref().map_or(usize::MAX, |(tier, _)| *tier);
    let mut targets = Vec::new();
    for (tier, list) in node.tiers.lists.iter().enumerate() {
        for record in list {
            let for_health = tier <= reached
                && reach.fate(record) != Reason::HealthCheckUnhealthy
                && reach.inherits_from(record).is_some();
            let for_answer = match end {
                StepEnd::Used => tier == reached && reach.is_usable(record),
                StepEnd::LastResort => tier == 0,
                StepEnd::BackedOut | StepEnd::NothingApplies => false,
            };
            if (for_health || for_answer)
                && let Some(Target::Group(target)) = reach.target(record)
            {
                targets.push(target);
            }
        }
    }
    targets
}
