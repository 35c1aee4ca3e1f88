//! Drills: the YAML schema, loading with positions in errors, and the plan.

mod addresses;
mod error;
#[cfg(test)]
mod every_signal;
mod load;
mod loaded;
mod pace;
mod planner;
pub mod schema;
mod settling;

pub use error::{DrillError, DrillErrors, Noun, Problem};
pub use load::{health_checks, load};
pub(crate) use load::{no_title, not_plain, shape, source, unreadable};
pub use loaded::{
    Cadence, Cell, CellMake, Client, EngineMake, LlmMake, LoadedDrill, Probe, QueueMake, RegionMake, Resolver,
};
pub use planner::{PlanOptions, locations};
