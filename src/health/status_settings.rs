//! Inverting and disabling, which every kind of Route 53 health check has (R53-104 to R53-106).

use serde::{Deserialize, Serialize};

/// What is made of the status that a health check evaluates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusSettings {
    /// The opposite of the status is used (R53-104).
    #[serde(default)]
    pub inverted: bool,
    /// Not evaluated any more: healthy, and unhealthy when inverted as well (R53-105, R53-106).
    #[serde(default)]
    pub disabled: bool,
}

impl StatusSettings {
    /// The status that decisions use, out of the one that was evaluated.
    #[must_use]
    pub const fn apply(self, evaluated: bool) -> bool {
        (self.disabled || evaluated) != self.inverted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r53_104_to_106_inverted_is_the_opposite_and_disabled_no_longer_looks() {
        let status = |inverted, disabled, evaluated| StatusSettings { inverted, disabled }.apply(evaluated);
        assert!(status(false, false, true) && !status(false, false, false));
        assert!(!status(true, false, true) && status(true, false, false));
        assert!(status(false, true, true) && status(false, true, false));
        assert!(!status(true, true, true) && !status(true, true, false));
    }
}
