//! Zones, cases and decisions with something changed, for mutants to decide over.

use std::collections::BTreeSet;

use hickory_proto::rr::{Name, RecordType};

use crate::decide::{Admissible, Decision, Evidence, Outcome, Question, StepEnd, Viewpoint};
use crate::subject::Case;
use crate::zone::{Alias, Group, HealthCheckId, Policy, RecordData, RecordSet, Zone};

/// The zone with every record set as `edit` leaves it.
pub(super) fn each(mut zone: Zone, edit: impl FnMut(&mut RecordSet)) -> Zone {
    zone.groups.values_mut().flat_map(|group| &mut group.records).for_each(edit);
    zone
}

/// The zone with every alias as `edit` leaves it.
pub(super) fn each_alias(zone: Zone, edit: impl Fn(&mut Alias)) -> Zone {
    each(zone, |record| {
        if let RecordData::Alias(alias) = &mut record.data {
            edit(alias);
        }
    })
}

/// The zone with only those record sets that `keep` keeps, each seen with its whole group. A group that would lose all
/// stays as it is: a name does not cease to exist.
pub(super) fn retain(mut zone: Zone, keep: impl Fn(&Group, &RecordSet) -> bool) -> Zone {
    for group in zone.groups.values_mut() {
        let kept: Vec<RecordSet> = group.records.iter().filter(|record| keep(group, record)).cloned().collect();
        if !kept.is_empty() {
            group.records = kept;
        }
    }
    zone
}

/// The groups of a zone, by name and type, that some alias leads to.
pub(super) fn alias_targets(zone: &Zone) -> BTreeSet<(Name, RecordType)> {
    let target = |record: &RecordSet| match &record.data {
        RecordData::Alias(alias) => Some((alias.target.clone(), record.rtype)),
        RecordData::Values { .. } => None,
    };
    zone.record_sets().filter_map(target).collect()
}

/// Everything is healthy.
pub(super) struct AllHealthy;

impl Evidence for AllHealthy {
    fn health_check_is_healthy(&self, _: &HealthCheckId) -> bool {
        true
    }

    fn resource_is_healthy(&self, _: &Name) -> bool {
        true
    }

    fn zone_is_answered(&self, _: &Name, _: &str) -> bool {
        true
    }
}

impl Case<'_> {
    /// The reference's decision over another zone.
    pub(super) fn decide_over(&self, zone: &Zone) -> Decision {
        Case { zone, ..*self }.decide()
    }

    /// The reference's decision for a sender of whom something else is known.
    pub(super) fn decide_for(&self, viewpoint: Viewpoint) -> Decision {
        let question = Question { viewpoint, ..self.question.clone() };
        Case { question: &question, ..*self }.decide()
    }

    /// The reference's decision for another name and type.
    pub(super) fn decide_for_name(&self, name: Name, rtype: RecordType) -> Decision {
        let question = Question { name, rtype, ..self.question.clone() };
        Case { question: &question, ..*self }.decide()
    }

    /// The group that the question names, as it is written.
    pub(super) fn group(&self) -> Option<&Group> {
        self.zone.group(&self.question.name, self.question.rtype)
    }

    /// The reference's decision with every record of the question's own group under equal weights.
    pub(super) fn decide_by_chance(&self) -> Decision {
        let (name, rtype) = (&self.question.name, self.question.rtype);
        self.decide_over(&each(self.zone.clone(), |record| {
            if record.name == *name && record.rtype == rtype {
                record.policy = Policy::Weighted(1);
            }
        }))
    }
}

/// The policy of the question's own group; empty where no group decided.
pub(super) fn root_policy(decision: &Decision) -> &str {
    decision.path.first().map_or("", |step| step.policy.as_str())
}

/// Whether a group of this policy was left by last resort.
pub(super) fn last_resort_in(decision: &Decision, policy: &str) -> bool {
    decision.path.iter().any(|step| step.end == StepEnd::LastResort && step.policy == policy)
}

/// The admissible answers; none of a negative one.
pub(super) fn answers(decision: &Decision) -> &[Admissible] {
    match &decision.outcome {
        Outcome::Answers(answers) => answers,
        _ => &[],
    }
}

/// Whether an answer is one by last resort.
pub(super) fn is_last_resort(decision: &Decision) -> bool {
    answers(decision).iter().any(|one| one.last_resort)
}

/// The decision with every answer as `edit` leaves it.
pub(super) fn each_answer(mut decision: Decision, edit: impl FnMut(&mut Admissible)) -> Decision {
    if let Outcome::Answers(answers) = &mut decision.outcome {
        answers.iter_mut().for_each(edit);
    }
    decision
}

/// The same way to another outcome.
pub(super) fn with_outcome(decision: Decision, outcome: Outcome) -> Decision {
    Decision { outcome, ..decision }
}

/// The zone with no alias that evaluates the health of a group of the zone.
pub(super) fn without_eth_inside(zone: Zone) -> Zone {
    let apex = zone.apex.clone();
    each_alias(zone, |alias| alias.evaluate_target_health &= !apex.zone_of(&alias.target))
}
