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
    #[error("routing control `{name}` does not exist{}", did_you_mean(nearest.as_deref()))]
    Unknown {
        /// What was asked for.
        name: String,
        /// The nearest that exists, if one is near.
        nearest: Option<String>,
    },
    /// The safety rule.
    #[error(
        "`{name}` cannot be turned off: it would leave {left} on, and the safety rule asks for at least {at_least_on}; \
         turn another on first"
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

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|known| format!(": did you mean `{known}`?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn controls(at_least_on: u32) -> RoutingControls {
        RoutingControls::new([("us-east".to_owned(), true), ("us-west".to_owned(), false)].into(), at_least_on)
    }

    #[test]
    fn r53_154_a_control_is_on_or_off_as_it_was_last_turned() {
        let mut controls = controls(0);
        assert_eq!((controls.is_on("us-east"), controls.is_on("us-west")), (Some(true), Some(false)));
        assert_eq!(controls.set("us-west", true), Ok(true));
        assert_eq!(controls.set("us-west", true), Ok(false), "it is on already");
        assert_eq!(controls.set("us-east", false), Ok(true));
        assert_eq!((controls.is_on("us-east"), controls.is_on("us-west")), (Some(false), Some(true)));
    }

    #[test]
    fn r53_156_without_a_safety_rule_all_may_be_off() {
        let mut controls = controls(0);
        assert_eq!(controls.set("us-east", false), Ok(true));
        assert!(controls.all().values().all(|on| !on));
    }

    #[test]
    fn r53_156_a_safety_rule_refuses_to_turn_the_last_one_off() {
        let mut controls = controls(1);
        let refused = controls.set("us-east", false).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "`us-east` cannot be turned off: it would leave 0 on, and the safety rule asks for at least 1; turn \
             another on first"
        );
        assert_eq!(controls.is_on("us-east"), Some(true), "nothing changed");
        assert_eq!(controls.set("us-west", true), Ok(true));
        assert_eq!(controls.set("us-east", false), Ok(true));
    }

    #[test]
    fn turning_off_what_is_off_is_no_change_and_needs_no_permission() {
        let mut controls = controls(2);
        assert_eq!(controls.set("us-west", false), Ok(false));
    }

    #[test]
    fn a_control_that_does_not_exist_is_named_with_the_nearest() {
        let mut controls = controls(0);
        let error = controls.set("us-esat", false).unwrap_err();
        assert_eq!(error.to_string(), "routing control `us-esat` does not exist: did you mean `us-east`?");
        let error = controls.set("frankfurt", true).unwrap_err();
        assert_eq!(error, RoutingControlError::Unknown { name: "frankfurt".into(), nearest: None });
        assert_eq!(controls.is_on("frankfurt"), None);
    }
}
