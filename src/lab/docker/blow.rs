//! What the container engine does to whole containers for a fault, and to which ones: pure.

use crate::fault::{Fault, Harm, Part};
use crate::plan::Plan;

use super::layout::{Container, Layout};

/// What is done to a container as a whole; everything else is done inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blow {
    /// Killed, and started again.
    Kill,
    /// Every process of it stopped, and let go on.
    Pause,
    /// Left 1 % of a CPU, and as much as it wants again.
    Throttle,
}

impl Blow {
    /// The blow by which a fault is done, if it is done by one.
    #[must_use]
    pub fn of(fault: &Fault) -> Option<Self> {
        match fault.entry().harm {
            Harm::Killed => Some(Self::Kill),
            Harm::Frozen => Some(Self::Pause),
            Harm::Throttled => Some(Self::Throttle),
            Harm::Wedged
            | Harm::Stalled
            | Harm::Starved
            | Harm::Wrong
            | Harm::LockedOut
            | Harm::Turned
            | Harm::Silenced
            | Harm::CutOff => None,
        }
    }
}

impl Layout {
    /// The containers to which these faults together do this.
    #[must_use]
    pub fn hit_by<'f>(&self, plan: &Plan, faults: impl IntoIterator<Item = &'f Fault>, blow: Blow) -> Vec<&Container> {
        let hitting = faults.into_iter().filter(|fault| Blow::of(fault) == Some(blow));
        let hit: Vec<(&str, Part)> = hitting
            .filter_map(|fault| {
                let cell = fault.cell()?;
                Some((cell, fault.parts(Some(plan.cells.get(cell)?.kind.anatomy()))))
            })
            .flat_map(|(cell, parts)| parts.into_iter().map(move |part| (cell, part)))
            .collect();
        let is_hit = |(cell, part): &(String, Part)| hit.contains(&(cell.as_str(), *part));
        self.containers.iter().filter(|container| container.part.as_ref().is_some_and(is_hit)).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::containers::{AddressPlan, Subnet};
    use crate::drill::{PlanOptions, load};
    use crate::lab::docker::layout::{Images, lay_out, wires};

    /// The drill's plan, and who is hit by this fault.
    fn hit(drill: &str, fault: &Fault, blow: Blow) -> Vec<String> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("drills/{drill}.yaml"));
        let plan = load(&path).unwrap().plan(PlanOptions::default());
        let subnets: Vec<Subnet> =
            (0..).map(|number| AddressPlan::default().subnet(number)).take(wires(&plan).len()).collect();
        let layout = lay_out(&plan, "example.com", "r", &subnets, &Images::default()).unwrap();
        layout.hit_by(&plan, [fault], blow).into_iter().map(|container| container.spec.name.clone()).collect()
    }

    #[test]
    fn a_frozen_engine_is_paused_and_a_dead_one_killed_and_no_other() {
        let [frozen, dead] = [Fault::FreezeEngine, Fault::KillEngine].map(|fault| fault("us-east".to_owned()));
        let engine = ["muster-r-cell-us-east.engine"];
        assert_eq!(hit("wedged-engine", &frozen, Blow::Pause), engine);
        assert_eq!(hit("wedged-engine", &frozen, Blow::Kill), [""; 0]);
        assert_eq!(hit("wedged-engine", &dead, Blow::Kill), engine);
        assert_eq!(hit("wedged-engine", &dead, Blow::Pause), [""; 0]);
    }

    #[test]
    fn a_throttled_engine_is_limited_and_neither_paused_nor_killed() {
        let throttled = Fault::ThrottleEngine("us-east".to_owned());
        assert_eq!(hit("wedged-engine", &throttled, Blow::Throttle), ["muster-r-cell-us-east.engine"]);
        for blow in [Blow::Kill, Blow::Pause] {
            assert_eq!(hit("wedged-engine", &throttled, blow), [""; 0]);
        }
    }

    #[test]
    fn what_is_done_inside_a_container_is_no_blow() {
        let wedged = Fault::WedgeEngine("us-east".to_owned());
        for blow in [Blow::Kill, Blow::Pause] {
            assert_eq!(hit("wedged-engine", &wedged, blow), [""; 0]);
        }
    }
}
