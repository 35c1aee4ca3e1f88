//! What a run gives to each of its scenarios.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::zone::Zone;

use super::lab::{Lab, VirtualLab};
use super::source::FeatureText;

/// What a run gives to each of its scenarios.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The texts of the feature files.
    pub texts: BTreeMap<PathBuf, Arc<FeatureText>>,
    /// The zone of `--zone`.
    pub zone: Option<Arc<Zone>>,
    /// What every random choice comes from.
    pub seed: u64,
}

impl Setting {
    /// A lab for one scenario.
    #[must_use]
    pub fn lab(&self) -> Box<dyn Lab> {
        Box::new(VirtualLab::default())
    }
}
