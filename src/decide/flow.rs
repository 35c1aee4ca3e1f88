//! How probability flows from the question's group down to the answers: `answer` of the rulebook, section 5.1.
//!
//! Each group is passed once, parents before targets, so the cost is that of the zone's aliases, not of the paths
//! through them. Answers that cannot be told apart on the wire are merged.

use std::collections::BTreeMap;

use hickory_proto::rr::Name;

use crate::zone::{Policy, RecordData, RecordSet};

use super::reach::{Reach, Target};
use super::{Admissible, Answer, Content, Outcome, RecordRef};

/// Seconds that the answer of an alias to an AWS resource lives: 60 for load balancers (R53-170), 60 seen for
/// `CloudFront`, Elastic Beanstalk and S3 (R53-171). AWS publishes no number for other resources; 60 is assumed.
pub const RESOURCE_TTL: u32 = 60;

/// A multivalue answer holds at most this many values (R53-74).
pub const MULTIVALUE_LIMIT: usize = 8;

/// A group as it is entered: with or without a last resort on the way to it.
type State = (usize, bool);

/// What reaches a state.
#[derive(Clone, Default)]
struct Inflow<'z> {
    probability: f64,
    /// The most probable single path, and its last step.
    best: f64,
    from: Option<(State, &'z RecordSet)>,
}

/// What ends in one answer.
struct Outflow {
    probability: f64,
    best: f64,
    via: Vec<RecordRef>,
}

/// What tells answers apart on the wire, and whether a last resort led there.
type Key = (bool, Content, u32);

/// The outcome, and for each group of `reach` how it was entered.
pub(super) struct Flow {
    pub(super) outcome: Outcome,
    /// Whether an answer passes through the group.
    pub(super) entered: Vec<bool>,
}

pub(super) fn flow(reach: &Reach<'_, '_>) -> Flow {
    let mut current = Current {
        reach,
        inflow: vec![[Inflow::default(), Inflow::default()]; reach.nodes.len()],
        answers: BTreeMap::new(),
    };
    current.inflow[0][0] = Inflow { probability: 1.0, best: 1.0, from: None };
    for &node in reach.targets_first.iter().rev() {
        for last_resort in [false, true] {
            current.pass((node, last_resort));
        }
    }
    let entered = current.inflow.iter().map(|[plain, last]| plain.probability + last.probability > 0.0).collect();
    let rtype = reach.nodes[0].group.rtype;
    let answers: Vec<Admissible> = current
        .answers
        .into_iter()
        .map(|((last_resort, content, ttl), end)| Admissible {
            probability: end.probability,
            answer: Answer { rtype, ttl, content, via: end.via },
            last_resort,
        })
        .collect();
    let nothing = answers.iter().all(|one| one.answer.content == empty());
    Flow { outcome: if nothing { Outcome::NoData } else { Outcome::Answers(answers) }, entered }
}

struct Current<'r, 'z, 'e> {
    reach: &'r Reach<'z, 'e>,
    inflow: Vec<[Inflow<'z>; 2]>,
    answers: BTreeMap<Key, Outflow>,
}

impl<'z> Current<'_, 'z, '_> {
    fn pass(&mut self, (node, last_resort): State) {
        let inflow = self.inflow[node][usize::from(last_resort)].clone();
        if inflow.probability <= 0.0 {
            return;
        }
        let here = &self.reach.nodes[node];
        let (candidates, flag) = match (&here.usable, here.tiers.lists.first()) {
            (Some((_, usable)), _) => (usable, last_resort),
            (None, Some(first)) => (first, true),
            (None, None) => {
                self.end((node, last_resort), &inflow, 1.0, &[], (last_resort, empty(), 0));
                return;
            }
        };
        if candidates.iter().all(|record| record.policy == Policy::Multivalue) {
            let (content, ttl) = together(candidates);
            let key = (flag, content, self.reach.zone.served_ttl(ttl));
            self.end((node, last_resort), &inflow, 1.0, candidates, key);
            return;
        }
        for (record, share) in candidates.iter().zip(shares(candidates)) {
            let one = std::slice::from_ref(record);
            match (&record.data, self.reach.target(record)) {
                (RecordData::Values { ttl, values }, _) => {
                    let key = (flag, sorted(values.iter().cloned(), None), self.reach.zone.served_ttl(*ttl));
                    self.end((node, last_resort), &inflow, share, one, key);
                }
                (_, Some(Target::Resource(name))) => {
                    let key = (flag, Content::Resource(Name::clone(name)), RESOURCE_TTL);
                    self.end((node, last_resort), &inflow, share, one, key);
                }
                (_, Some(Target::Group(target))) if self.is_below(node, target) => {
                    let below = &mut self.inflow[target][usize::from(flag)];
                    below.probability += inflow.probability * share;
                    if inflow.best * share > below.best {
                        below.best = inflow.best * share;
                        below.from = Some(((node, last_resort), record));
                    }
                }
                // A missing target or an alias loop, which validation refuses: there is nothing to answer.
                _ => self.end((node, last_resort), &inflow, share, one, (flag, empty(), 0)),
            }
        }
    }

    /// Whether a target is still to be passed; it is not when the alias closes a loop.
    fn is_below(&self, node: usize, target: usize) -> bool {
        self.reach.position(target) < self.reach.position(node)
    }

    fn end(&mut self, state: State, inflow: &Inflow<'z>, share: f64, records: &[&RecordSet], key: Key) {
        let probability = inflow.probability * share;
        if probability <= 0.0 {
            return;
        }
        let best = inflow.best * share;
        let known = self.answers.get(&key);
        if known.is_none_or(|known| best > known.best) {
            let probability = known.map_or(0.0, |known| known.probability) + probability;
            let via = self.via(state, records);
            self.answers.insert(key, Outflow { probability, best, via });
        } else if let Some(known) = self.answers.get_mut(&key) {
            known.probability += probability;
        }
    }

    /// The most probable way to `state`, then `records`.
    fn via(&self, state: State, records: &[&RecordSet]) -> Vec<RecordRef> {
        let mut back = Vec::new();
        let mut here = state;
        while let Some((before, record)) = self.inflow[here.0][usize::from(here.1)].from {
            back.push(RecordRef::of(record));
            here = before;
        }
        back.reverse();
        back.extend(records.iter().map(|record| RecordRef::of(record)));
        back
    }
}

/// By weight (R53-37); in equal shares when there is none, or none above 0 (R53-41, R53-43).
fn shares(records: &[&RecordSet]) -> Vec<f64> {
    let weight = |record: &RecordSet| match record.policy {
        Policy::Weighted(weight) => f64::from(weight),
        _ => 0.0,
    };
    let sum: f64 = records.iter().map(|record| weight(record)).sum();
    if sum > 0.0 {
        records.iter().map(|record| weight(record) / sum).collect()
    } else {
        #[expect(clippy::cast_precision_loss, reason = "a group has some hundred records")]
        let equal = 1.0 / records.len() as f64;
        vec![equal; records.len()]
    }
}

/// One answer of all these records. AWS does not say which TTL holds when they differ: the shortest is taken.
fn together(records: &[&RecordSet]) -> (Content, u32) {
    let mut all = Vec::new();
    let mut shortest = u32::MAX;
    for record in records {
        if let RecordData::Values { ttl, values } = &record.data {
            all.extend(values.iter().cloned());
            shortest = shortest.min(*ttl);
        }
    }
    let content = sorted(all, Some(MULTIVALUE_LIMIT));
    if content == empty() { (content, 0) } else { (content, shortest) }
}

fn sorted(values: impl IntoIterator<Item = String>, limit: Option<usize>) -> Content {
    let mut values: Vec<String> = values.into_iter().collect();
    values.sort();
    values.dedup();
    let at_most = limit.filter(|&limit| values.len() > limit);
    Content::Values { values, at_most }
}

const fn empty() -> Content {
    Content::Values { values: Vec::new(), at_most: None }
}
