//! The control plane: an operator's switches while a drill runs. Routing controls under their safety rule, and drain
//! checks, which are disabled health checks that are unhealthy when they are inverted (R53-106).
//!
//! People, scripts and the drill's own faults all turn through here; lookouts read back here. What a change means for
//! other health checks and for answers is not its matter.

mod door;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use crate::fault::Fault;
use crate::ground::Recorder;
use crate::health::{RoutingControlError, RoutingControls, StatusSettings};
use crate::journal::event::Event;
use crate::plan::{HealthCheckKind, HealthCheckPlan, RoutingControlsPlan};
use crate::source::nearest;
use crate::zone::HealthCheckId;

use super::checker_fleet::CheckerFleet;
use super::status_board::StatusBoard;

pub use door::serve;

/// The switches of one lab; every clone turns the same ones.
#[derive(Clone)]
pub struct ControlPlane(Rc<RefCell<Switches>>);

struct Switches {
    controls: RoutingControls,
    /// The health checks that evaluate a control, each with the control's name.
    controlled: BTreeMap<HealthCheckId, (String, StatusSettings)>,
    /// The health checks that are disabled.
    drains: BTreeMap<HealthCheckId, StatusSettings>,
    fleets: BTreeMap<HealthCheckId, CheckerFleet>,
    board: StatusBoard,
    recorder: Recorder,
}

/// A switch that is not turned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ControlError {
    /// The routing controls refuse.
    #[error(transparent)]
    Control(#[from] RoutingControlError),
    /// There is no such drain check.
    #[error(
        "health check `{id}` is no switch: only a disabled health check of this drill is one (R53-106){}",
        nearest.as_ref().map(|known| format!("; did you mean `{known}`?")).unwrap_or_default()
    )]
    NoDrainCheck {
        /// What was asked for.
        id: String,
        /// The nearest that is one, if one is near.
        nearest: Option<String>,
    },
}

impl ControlPlane {
    /// The switches that a plan asks for. `fleets` are the checkers of its endpoint checks; they end with the last clone
    /// of this. Health checks that do not start healthy are shown on the board at once.
    #[must_use]
    pub fn new(
        controls: &RoutingControlsPlan,
        health_checks: &BTreeMap<HealthCheckId, HealthCheckPlan>,
        fleets: BTreeMap<HealthCheckId, CheckerFleet>,
        board: StatusBoard,
        recorder: Recorder,
    ) -> Self {
        let controls = RoutingControls::new(controls.controls.clone(), controls.at_least_on);
        let (mut controlled, mut drains) = (BTreeMap::new(), BTreeMap::new());
        for (id, check) in health_checks {
            if matches!(check.kind, HealthCheckKind::Calculated(_)) {
                // The board sees to these alone.
            } else if check.status.disabled {
                drains.insert(id.clone(), check.status);
            } else if let HealthCheckKind::RoutingControl(control) = &check.kind {
                controlled.insert(id.clone(), (control.clone(), check.status));
            }
        }
        let switches = Switches { controls, controlled, drains, fleets, board, recorder };
        for (id, status) in &switches.drains {
            switches.show(id, status.apply(true), "it is disabled and inverted");
        }
        for (id, (control, status)) in &switches.controlled {
            let on = switches.controls.is_on(control).unwrap_or(true);
            switches.show(id, status.apply(on), &turned(control, on));
        }
        Self(Rc::new(RefCell::new(switches)))
    }

    /// Every routing control, on or off.
    #[must_use]
    pub fn routing_controls(&self) -> BTreeMap<String, bool> {
        self.0.borrow().controls.all().clone()
    }

    /// Whether a routing control is on; `None` when there is none of this name.
    #[must_use]
    pub fn is_on(&self, control: &str) -> Option<bool> {
        self.0.borrow().controls.is_on(control)
    }

    /// Turns a routing control (R53-154), and writes that down, or that it was refused. One that stands so already is
    /// not turned again.
    ///
    /// # Errors
    /// When there is no such control, or the safety rule forbids it.
    pub fn turn(&self, control: &str, on: bool) -> Result<(), ControlError> {
        let mut switches = self.0.borrow_mut();
        let result = switches.controls.set(control, on);
        let refused = result.as_ref().err().map(ToString::to_string);
        if result != Ok(false) && switches.controls.is_on(control).is_some() {
            switches.recorder.record(Event::ControlTurned { control: control.to_owned(), on, refused });
        }
        if result? {
            for (id, (by, status)) in &switches.controlled {
                if by == control {
                    switches.show(id, status.apply(on), &turned(control, on));
                }
            }
        }
        Ok(())
    }

    /// Whether a drain check is inverted; `None` when this health check is no drain check.
    #[must_use]
    pub fn is_inverted(&self, id: &HealthCheckId) -> Option<bool> {
        self.0.borrow().drains.get(id).map(|status| status.inverted)
    }

    /// Inverts a drain check, or takes that back (R53-106).
    ///
    /// # Errors
    /// When this health check is no drain check.
    pub fn invert(&self, id: &HealthCheckId, inverted: bool) -> Result<(), ControlError> {
        let mut switches = self.0.borrow_mut();
        let Some(status) = switches.drains.get_mut(id) else { return Err(switches.no_drain_check(id)) };
        status.inverted = inverted;
        let status = *status;
        let reason = if inverted { "an operator inverted it" } else { "an operator took its inversion back" };
        match switches.fleets.get(id) {
            Some(fleet) => fleet.update(status),
            None => switches.show(id, status.apply(true), reason),
        }
        Ok(())
    }

    /// Turns the switch that a fault turns; a fault that turns none changes nothing.
    ///
    /// # Errors
    /// When there is no such switch, or it refuses.
    pub fn apply(&self, fault: &Fault) -> Result<(), ControlError> {
        self.turn_for(fault, true)
    }

    /// Turns it back.
    ///
    /// # Errors
    /// When there is no such switch.
    pub fn undo(&self, fault: &Fault) -> Result<(), ControlError> {
        self.turn_for(fault, false)
    }

    fn turn_for(&self, fault: &Fault, broken: bool) -> Result<(), ControlError> {
        match fault {
            Fault::TurnOff(control) => self.turn(control, !broken),
            Fault::DrainCheck(id) => self.invert(&HealthCheckId(id.clone()), broken),
            _ => Ok(()),
        }
    }
}

impl Switches {
    fn show(&self, id: &HealthCheckId, healthy: bool, reason: &str) {
        self.board.set(id, healthy, reason);
    }

    fn no_control(&self, name: &str) -> ControlError {
        let nearest = nearest(name, self.controls.all().keys().map(String::as_str)).map(str::to_owned);
        RoutingControlError::Unknown { name: name.to_owned(), nearest }.into()
    }

    fn no_drain_check(&self, id: &HealthCheckId) -> ControlError {
        let nearest = nearest(&id.0, self.drains.keys().map(|known| known.0.as_str())).map(str::to_owned);
        ControlError::NoDrainCheck { id: id.0.clone(), nearest }
    }
}

impl fmt::Debug for ControlPlane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ControlPlane").field("controls", &self.routing_controls()).finish_non_exhaustive()
    }
}

fn turned(control: &str, on: bool) -> String {
    format!("routing control {control} is {}", if on { "on" } else { "off" })
}

#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use tests::served_in_a_test;
