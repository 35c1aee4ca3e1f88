//! The programs that a region's load balancer can be.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A load balancer that runs as what it is, and checks its targets by itself. No other stands for it: only a lab of
/// containers can run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoadBalancerSoftware {
    /// `HAProxy`. Where none of its targets is up it answers 503 itself: it does not fail open as an application load
    /// balancer does (R53-165).
    Haproxy,
}

impl LoadBalancerSoftware {
    /// All of them.
    pub const ALL: [Self; 1] = [Self::Haproxy];

    /// Its name in a drill file, which is that of its image as well.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Haproxy => "haproxy",
        }
    }
}

impl fmt::Display for LoadBalancerSoftware {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_has_the_name_that_a_journal_has_for_it() {
        for software in LoadBalancerSoftware::ALL {
            assert_eq!(serde_json::to_value(software).unwrap(), software.name());
        }
    }
}
