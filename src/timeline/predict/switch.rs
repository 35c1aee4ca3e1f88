//! What an operator's switch turns: a disabled check that is inverted, a routing control. Both at once.

use crate::plan::{Fault, Plan};
use crate::zone::HealthCheckId;

use super::reached::Reached;
use super::signals::Falls;

/// The switch of a disabled check (R53-106).
pub(super) fn drain_check(plan: &Plan, id: &HealthCheckId) -> Option<Falls> {
    let turned = plan.faults.iter().any(|fault| matches!(fault, Fault::DrainCheck(of) if *of == id.0));
    turned.then(|| Falls {
        there: Reached::at_once("inverting a disabled check is seen at once"),
        back: Reached::at_once("taking the inversion back is seen at once"),
    })
}

/// A routing control (R53-154). One that is off already has nothing to turn.
pub(super) fn control(plan: &Plan, control: &str) -> Option<Falls> {
    let turned = plan.faults.iter().any(|fault| matches!(fault, Fault::TurnOff(of) if of == control));
    let was_on = plan.routing_controls.controls.get(control).copied().unwrap_or(true);
    (turned && was_on).then(|| Falls {
        there: Reached::at_once("the routing control is off from its turning on"),
        back: Reached::at_once("the routing control is on from its turning on"),
    })
}
