//! How far a run goes: what its threads know of each other.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use gherkin::{Feature, Scenario};

/// The scenarios in the order of their files, and where the first is that fails.
#[derive(Debug)]
pub(super) struct Course {
    ends_at_failure: bool,
    order: BTreeMap<(PathBuf, usize), usize>,
    first_failure: AtomicUsize,
}

impl Course {
    /// The course of these features.
    pub(super) fn of(features: &[Feature], ends_at_failure: bool) -> Self {
        let scenarios = |feature: &Feature| {
            let within = feature.rules.iter().flat_map(|rule| &rule.scenarios);
            let lines = feature.scenarios.iter().chain(within).map(|scenario| scenario.position.line);
            let file = feature.path.clone().unwrap_or_default();
            lines.map(|line| (file.clone(), line)).collect::<Vec<_>>()
        };
        // Without an end there is nothing to look up.
        let places = features.iter().filter(|_| ends_at_failure).flat_map(scenarios);
        let order = places.enumerate().map(|(index, place)| (place, index)).collect();
        Self { ends_at_failure, order, first_failure: AtomicUsize::new(usize::MAX) }
    }

    /// This scenario fails.
    pub(super) fn fails(&self, feature: &Feature, scenario: &Scenario) {
        let place = feature.path.as_deref().unwrap_or_else(|| Path::new(""));
        if let Some(index) = self.index(place, scenario.position.line) {
            self.first_failure.fetch_min(index, Ordering::Relaxed);
        }
    }

    /// Whether the run goes as far as this scenario: up to the first in the order of the files that fails, whichever
    /// failed first. It may still turn out shorter.
    pub(super) fn goes_to(&self, file: &Path, line: usize) -> bool {
        !self.ends_at_failure
            || self.index(file, line).is_none_or(|index| index <= self.first_failure.load(Ordering::Relaxed))
    }

    fn index(&self, file: &Path, line: usize) -> Option<usize> {
        self.order.get(&(file.to_path_buf(), line)).copied()
    }
}
