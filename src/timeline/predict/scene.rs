//! Where everybody is before the faults: which cells each client and each synthetic probe is answered.

use std::collections::BTreeMap;

use hickory_proto::rr::Name;

use crate::decide::{Evidence, Viewpoint};
use crate::plan::{ClientPlan, Family, Plan, ResolverKind};
use crate::zone::Zone;

use super::answers::{Answered, Asker};
use super::signals;

/// The plan and its zone, and where everybody is while all is well.
#[derive(Clone)]
pub(super) struct Scene<'a> {
    pub(super) plan: &'a Plan,
    pub(super) zone: &'a Zone,
    /// What each client is answered.
    pub(super) clients: BTreeMap<&'a str, Answered>,
    /// What each synthetic probe is answered.
    pub(super) probes: BTreeMap<&'a str, Answered>,
}

impl<'a> Scene<'a> {
    pub(super) fn of(plan: &'a Plan, zone: &'a Zone) -> Self {
        let empty = Self { plan, zone, clients: BTreeMap::new(), probes: BTreeMap::new() };
        let steady = signals::steady(plan);
        Self { clients: empty.clients_with(&steady), probes: empty.probes_with(&steady), ..empty }
    }

    /// What each client is answered with this evidence.
    pub(super) fn clients_with(&self, evidence: &dyn Evidence) -> BTreeMap<&'a str, Answered> {
        let plan = self.plan;
        let answered = |client: &'a ClientPlan| self.ask(&plan.name, client.family, seen_from(plan, client), evidence);
        plan.clients.iter().map(|(name, client)| (name.as_str(), answered(client))).collect()
    }

    /// What each synthetic probe is answered with this evidence.
    pub(super) fn probes_with(&self, evidence: &dyn Evidence) -> BTreeMap<&'a str, Answered> {
        let plan = self.plan;
        let mut all = BTreeMap::new();
        for (name, probe) in &plan.probes {
            let Some(resolver) = plan.resolvers.get(&probe.resolver) else { continue };
            all.insert(name.as_str(), self.ask(&probe.asks, Family::A, &resolver.viewpoint, evidence));
        }
        all
    }

    /// What is answered to a question with this evidence.
    pub(super) fn ask(&self, name: &str, family: Family, viewpoint: &Viewpoint, evidence: &dyn Evidence) -> Answered {
        let name = Name::from_ascii(name).unwrap_or_default();
        Asker { plan: self.plan, zone: self.zone }.ask(&name, family, viewpoint, evidence)
    }
}

/// Where a decision places a client: where its resolver stands, unless that tells the client's subnet (R53-80, R53-81).
fn seen_from<'p>(plan: &'p Plan, client: &'p ClientPlan) -> &'p Viewpoint {
    match plan.resolvers.get(&client.resolver) {
        Some(resolver) if resolver.kind != ResolverKind::ClientSubnet => &resolver.viewpoint,
        _ => &client.viewpoint,
    }
}
