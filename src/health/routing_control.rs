//! Routing controls: an operator's switches, each the evidence of a health check (R53-154 to R53-156).
//!
//! They know who is on. Who turns them, and what follows from it, is not their matter.

use std::collections::BTreeMap;

use crate::source::nearest;

/// The routing controls of a drill, under one safety rule. On is healthy (R53-154).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoutingControls {
    controls: BTreeMap<String, bool>,
    at_least_on: u32,
}

/// A turn that is refused; nothing changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RoutingControlError {
    /// There is no such control.
    #[error("routing control `{name}` does not exist{}", nearest.as_ref().map(|known| format!(": did you mean `{known}`?")).unwrap_or_default())]
    Unknown {
        /// What was asked for.
        name: String,
        /// The nearest that exists, if one is near.
        nearest: Option<String>,
    },
    /// The safety rule.
    #[error(
        "`{name}` cannot be turned off: it would leave {left} on, and the safety rule asks for at least {at_least_on}; turn another on first"
    )]
    SafetyRule {
        /// What was to be turned off.
        name: String,
        /// How many would be left on.
        left: u32,
        /// How many must be.
        at_least_on: u32,
    },
}

impl RoutingControls {
    /// Each control, on or off; a turn that leaves fewer than `at_least_on` on is refused (0: no safety rule).
    #[must_use]
    pub const fn new(controls: BTreeMap<String, bool>, at_least_on: u32) -> Self {
        Self { controls, at_least_on }
    }

    /// Turns a control; whether that changed it. Turning on is never refused.
    ///
    /// # Errors
    /// When there is no such control, or the safety rule forbids to turn it off.
    pub fn set(&mut self, name: &str, on: bool) -> Result<bool, RoutingControlError> {
        let Some(&was_on) = self.controls.get(name) else {
            let nearest = nearest(name, self.controls.keys().map(String::as_str)).map(str::to_owned);
            return Err(RoutingControlError::Unknown { name: name.to_owned(), nearest });
        };
        if was_on == on {
            return Ok(false);
        }
        let left = self.left_on_without(name);
        if !on && left < self.at_least_on {
            return Err(RoutingControlError::SafetyRule { name: name.to_owned(), left, at_least_on: self.at_least_on });
        }
        self.controls.insert(name.to_owned(), on);
        Ok(true)
    }

    /// Whether a control is on, and its health check healthy (R53-154); `None` when there is no such control.
    #[must_use]
    pub fn is_on(&self, name: &str) -> Option<bool> {
        self.controls.get(name).copied()
    }

    /// Every control, on or off.
    #[must_use]
    pub const fn all(&self) -> &BTreeMap<String, bool> {
        &self.controls
    }

    fn left_on_without(&self, name: &str) -> u32 {
        let left = self.controls.iter().filter(|&(control, &on)| on && control != name).count();
        u32::try_from(left).unwrap_or(u32::MAX)
    }
}
