//! Drills: the YAML schema, loading with positions in errors, and the plan.

mod addresses;
mod error;
mod load;
mod loaded;
mod pace;
mod planner;
pub mod schema;

pub use error::{DrillError, DrillErrors, Noun, Problem};
pub use load::load;
pub(crate) use load::{no_title, not_plain, shape, source};
pub use loaded::{Cadence, Cell, CellMake, Client, LoadedDrill, RegionMake, Resolver};
pub use planner::{PlanOptions, locations};
