//! What was answered, in the drill's own words: cells by name.

use serde::{Deserialize, Serialize};

use crate::clock::LabTime;
use crate::journal::event::{Event, Phase, SeenAnswer, Server, Stamped};
use crate::plan::{Family, Plan};

/// What a resolver's empty cache is called.
pub(crate) const NOTHING_CACHED: &str = "nothing cached";

/// What one server answered one question over time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Who was asked.
    pub server: Server,
    /// The name asked for, absolute.
    pub name: String,
    /// The family asked for.
    pub family: Family,
    /// As from where.
    pub place: String,
    /// Each answer that differs from the one before, and when it was first seen.
    pub answers: Vec<(LabTime, String)>,
}

/// The cells, or the zones of them, whose addresses an answer holds; an address of no cell stands for itself. `nodata` and `nxdomain` as
/// they are. Empty when there was no answer that could be read.
#[must_use]
pub fn labels(plan: &Plan, answer: &SeenAnswer) -> Vec<String> {
    match answer {
        SeenAnswer::Addresses { addresses, .. } => {
            let mut labels: Vec<String> = addresses
                .iter()
                .map(|address| plan.zone_at(*address).map_or_else(|| address.to_string(), str::to_owned))
                .collect();
            labels.sort_unstable();
            labels.dedup();
            labels
        }
        SeenAnswer::NoData => vec!["nodata".to_owned()],
        SeenAnswer::NxDomain => vec!["nxdomain".to_owned()],
        SeenAnswer::Failed(_) | SeenAnswer::Silent => Vec::new(),
    }
}

/// Everything observed, question by question: the authoritative server first. What was answered before the steady state is how a lab comes
/// up, and is left out.
pub(super) fn read(events: &[Stamped], plan: &Plan) -> Vec<Seen> {
    let mut all: Vec<Seen> = Vec::new();
    let steady = |stamped: &Stamped| matches!(stamped.event, Event::PhaseEntered { phase: Phase::Steady, .. });
    for stamped in events.iter().skip_while(|stamped| !steady(stamped)) {
        let Event::Observed { server, name, family, place, answer, .. } = &stamped.event else { continue };
        let label = match (server, answer) {
            (_, SeenAnswer::Silent) => "silent".to_owned(),
            // A resolver that is asked for what it keeps, and nothing else: Unbound says SERVFAIL when that is nothing.
            (Server::Resolver(_), SeenAnswer::NoData | SeenAnswer::Failed(_)) => NOTHING_CACHED.to_owned(),
            (_, SeenAnswer::Failed(code)) => code.clone(),
            _ => labels(plan, answer).join(" + "),
        };
        let known = all.iter().position(|seen| {
            seen.server == *server && seen.name == *name && seen.family == *family && seen.place == *place
        });
        let index = known.unwrap_or_else(|| {
            let (server, name, place) = (server.clone(), name.clone(), place.clone());
            all.push(Seen { server, name, family: *family, place, answers: Vec::new() });
            all.len() - 1
        });
        let seen = &mut all[index];
        if seen.answers.last().is_none_or(|(_, before)| *before != label) {
            seen.answers.push((stamped.at, label));
        }
    }
    all.sort_by(|a, b| (&a.server, &a.name, &a.place, a.family).cmp(&(&b.server, &b.name, &b.place, b.family)));
    all
}
