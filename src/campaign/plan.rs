//! What a campaign would do: a plan for each drill, and how long all of them take at most.

use std::time::Duration;

use serde::Serialize;

use crate::drill::PlanOptions;
use crate::plan::Plan;

use super::load::LoadedCampaign;

/// Everything that is known before anything runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CampaignPlan {
    /// The campaign's name.
    pub campaign: String,
    /// One line for people.
    pub title: String,
    /// The first drill's seed; each next drill has one more.
    pub seed: u64,
    /// The fault is left out of every drill.
    pub control: bool,
    /// How many drills are run side by side at most.
    pub at_once: usize,
    /// In the campaign's order.
    pub drills: Vec<Plan>,
}

impl LoadedCampaign {
    /// Plans every drill. Drill i, counted from 0, gets the seed `options.seed` + i.
    #[must_use]
    pub fn plan(&self, options: PlanOptions) -> CampaignPlan {
        let seeds = (0..).map(|index| options.seed.wrapping_add(index));
        let plans = self.drills.iter().zip(seeds);
        CampaignPlan {
            campaign: self.name.clone(),
            title: self.title.clone(),
            seed: options.seed,
            control: options.control,
            at_once: self.at_once,
            drills: plans.map(|(member, seed)| member.drill.plan(PlanOptions { seed, ..options })).collect(),
        }
    }
}

/// How long a run takes at most, wall time, when it is not interrupted and the machine does not stand still: every
/// phase to its limit.
#[must_use]
pub fn at_most(plan: &Plan) -> Duration {
    let limits = &plan.schedule;
    // Both the fault and its being gone are confirmed.
    let phases =
        [limits.settle_within, limits.fault_after, limits.confirm_within * 2, limits.hold, limits.recover_within];
    plan.speed.to_wall(phases.into_iter().sum())
}

/// How long several runs take together when at most `at_once` run side by side, started in this order.
#[must_use]
pub fn side_by_side(each: &[Duration], at_once: usize) -> Duration {
    let mut free_at = vec![Duration::ZERO; at_once.max(1)];
    for &takes in each {
        if let Some(first_free) = free_at.iter_mut().min() {
            *first_free += takes;
        }
    }
    free_at.into_iter().max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::played;

    #[test]
    fn each_drill_has_the_next_seed() {
        let campaign = played::quarterly();
        let plan = campaign.plan(PlanOptions { seed: u64::MAX, speed: None, control: false, ..PlanOptions::default() });
        let seeds: Vec<u64> = plan.drills.iter().take(3).map(|plan| plan.seed).collect();
        assert_eq!(seeds, [u64::MAX, 0, 1]);
    }

    #[test]
    fn a_run_is_at_most_all_its_limits() {
        let campaign = played::quarterly();
        let mut plan = campaign
            .plan(PlanOptions { seed: 1, speed: None, control: false, ..PlanOptions::default() })
            .drills
            .remove(0);
        let second = Duration::from_secs(1);
        plan.speed = crate::clock::Speed::new(2.0).unwrap();
        plan.schedule.settle_within = second * 10;
        plan.schedule.fault_after = second * 20;
        plan.schedule.confirm_within = second * 5;
        plan.schedule.hold = second * 40;
        plan.schedule.recover_within = second * 20;
        assert_eq!(at_most(&plan), second * 50);
    }

    #[test]
    fn the_next_one_starts_where_there_is_room_first() {
        let s = Duration::from_secs;
        assert_eq!(side_by_side(&[s(10), s(20), s(5), s(5)], 2), s(20));
        assert_eq!(side_by_side(&[s(10), s(20), s(5)], 1), s(35));
        assert_eq!(side_by_side(&[s(10), s(20)], 4), s(20));
        assert_eq!(side_by_side(&[], 4), Duration::ZERO);
    }
}
