//! Budgets that the whole wall seconds of a lab's resolvers alone can break.

use std::time::Duration;

use super::expectation::{Claim, Expectation, Leg, Stage};
use super::{LegPrediction, Plan, WireTtl};

/// What rounding a TTL up and a resolver's own clock add at most, wall time.
const ADDED: Duration = Duration::from_secs(2);

impl Plan {
    /// The budgets of resolvers that would hold in lab seconds and need not hold in whole wall seconds at this speed; each
    /// with what is predicted at worst, lab time. None where lab seconds are counted.
    #[must_use]
    pub fn too_narrow(&self) -> Vec<(&Expectation, Duration)> {
        if self.wire != WireTtl::WallSeconds {
            return Vec::new();
        }
        let added = self.speed.to_lab(ADDED);
        let narrow = self.expectations.iter().filter_map(|expectation| {
            let Claim::Budget { stage: Stage::Resolver, of, at_most: Some(at_most), .. } = &expectation.claim else {
                return None;
            };
            let leg = match expectation.during {
                Leg::Failover => &self.prediction.failover,
                Leg::Failback => &self.prediction.failback,
            };
            let worst = worst(leg, of.as_deref())?;
            (worst > *at_most && worst.saturating_sub(added) <= *at_most).then_some((expectation, worst))
        });
        narrow.collect()
    }
}

fn worst(leg: &LegPrediction, of: Option<&str>) -> Option<Duration> {
    let meant = leg.resolvers.iter().filter(|(name, _)| of.is_none_or(|of| of == name.as_str()));
    meant.filter_map(|(_, bounds)| bounds.worst).max()
}
