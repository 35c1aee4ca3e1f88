//! The decision procedure of Route 53 (rulebook, section 5.1): look the name up, judge the groups below, let the
//! probability flow, tell how it went.

use super::flow::flow;
use super::lookup::{Found, find};
use super::reach::Reach;
use super::walk::walk;
use super::{Decision, Evidence, Question, Switches};
use crate::zone::Zone;

pub(super) fn decide(zone: &Zone, question: &Question, evidence: &dyn Evidence, switches: Switches) -> Decision {
    let mut name = question.name.to_lowercase();
    name.set_fqdn(true);
    match find(zone, &name, question.rtype) {
        Found::Settled(outcome) => Decision { outcome, path: Vec::new() },
        Found::Group(group) => {
            let reach = Reach::of(zone, group, &question.viewpoint, evidence, switches);
            let flow = flow(&reach);
            let path = walk(&reach, &flow);
            Decision { outcome: flow.outcome, path }
        }
    }
}
