//! Campaigns: several drills that are run as one, side by side where the machine allows it.
//!
//! A campaign knows drills by their plans and by what they leave behind: an exit code, a folder, a journal. It never
//! builds a lab: each lab wants a network namespace of its own, so each drill is run by a process of its own, by muster
//! itself. It never judges either: every figure comes from a drill's journal.
//!
//! On SIGINT, SIGTERM or SIGHUP each running drill is told once to stop, heals what it broke, and is waited for. After
//! `kill -9` of the campaign nobody waits: Linux tells them to stop, elsewhere they finish by themselves, and they leave
//! their folders.

mod child;
mod error;
mod load;
mod parent;
mod plan;
mod schema;
mod single;
mod summary;
mod supervise;
mod told;
mod turns;

#[cfg(test)]
pub(crate) mod played;

pub use child::Runner;
pub use error::{CampaignError, CampaignErrors, Problem};
pub use load::{Kind, LoadedCampaign, Member, kind, load};
pub use parent::end_with_parent;
pub use plan::{CampaignPlan, at_most, side_by_side};
pub use schema::CampaignFile;
pub use single::run_alone;
pub use summary::{CampaignSummary, DrillSummary};
pub use supervise::{Happened, Outcome, supervise};
pub use turns::{Turn, Turns};
