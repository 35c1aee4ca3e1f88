//! How long the authoritative server lets its answers be kept: the TTLs it was seen to give, question by question and cell by
//! cell. A cache counts down, so nothing is compared of what caches say.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Serialize;

use crate::journal::event::{Event, Phase, SeenAnswer, Server, Stamped};
use crate::plan::{Family, Plan};
use crate::timeline::measure::labels;

use super::outcome::Agreement;
use super::run::Run;

/// The TTLs of each question and each of its answers; seconds.
pub(super) type Ttls = BTreeMap<Question, BTreeMap<String, BTreeSet<u32>>>;

/// Name, family and place.
type Question = (String, Family, String);

/// The TTLs of the same answer to the same question in two runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TtlPair {
    /// What was asked as from where.
    pub of: String,
    /// The cell that was answered.
    pub answer: String,
    /// In the one run; seconds.
    pub before: BTreeSet<u32>,
    /// In the other.
    pub after: BTreeSet<u32>,
    /// Whether it is the same.
    pub agreement: Agreement,
}

/// Everything that the authoritative server gave from the steady state on.
pub(super) fn of(events: &[Stamped], plan: &Plan) -> Ttls {
    let steady = |stamped: &Stamped| matches!(stamped.event, Event::PhaseEntered { phase: Phase::Steady, .. });
    let mut all = Ttls::new();
    for stamped in events.iter().skip_while(|stamped| !steady(stamped)) {
        let Event::Observed { server: Server::Authoritative, name, family, place, answer, .. } = &stamped.event else {
            continue;
        };
        let SeenAnswer::Addresses { ttl, .. } = answer else { continue };
        let question = all.entry((name.clone(), *family, place.clone())).or_default();
        for label in labels(plan, answer) {
            question.entry(label).or_default().insert(*ttl);
        }
    }
    all
}

/// Whether two sets of TTLs are the same, as far as both wires can carry them: where one carries whole wall seconds, what
/// stood on it was rounded up.
fn are_the_same(one: &BTreeSet<u32>, other: &BTreeSet<u32>, runs: [&Run; 2]) -> bool {
    let carried = |ttl: &u32| {
        let ttl = Duration::from_secs((*ttl).into());
        runs.iter().fold(ttl, |ttl, run| run.plan.wire.kept(ttl, run.plan.speed))
    };
    let carried = |ttls: &BTreeSet<u32>| ttls.iter().map(carried).collect::<BTreeSet<_>>();
    carried(one) == carried(other)
}

/// Every answer that both runs saw; one that only one of them saw is told among the answers.
pub(super) fn pairs(before: &Run, after: &Run) -> Vec<TtlPair> {
    let both =
        before.ttls.iter().filter_map(|(question, answers)| Some((question, answers, after.ttls.get(question)?)));
    let pairs = both.flat_map(|((name, family, place), ours, theirs)| {
        let of = before.asked(name, *family, place);
        let both = ours.iter().filter_map(|(answer, ttls)| Some((answer, ttls, theirs.get(answer)?)));
        both.map(move |(answer, one, other)| TtlPair {
            of: of.clone(),
            answer: answer.clone(),
            before: one.clone(),
            after: other.clone(),
            agreement: Agreement::of(are_the_same(one, other, [before, after])),
        })
    });
    pairs.collect()
}
