//! What a feature can say, and what it does: the catalogue of steps, their parameters and tables, and the world of a
//! scenario.
//!
//! A step knows nothing of files, selections and reports; those are [`crate::conform`]'s. A theme of steps is one file
//! of [`steps`], listed in [`steps::THEMES`].

pub mod call;
pub mod catalogue;
pub mod distribution;
mod drill_room;
pub mod drill_runs;
pub mod embedded_lab;
pub mod exchange;
pub mod explanation;
pub mod lab;
mod misses;
pub mod parameters;
pub mod server_lab;
pub mod setting;
pub mod shortened;
pub mod signals;
pub mod source;
pub mod steps;
mod stop;
pub mod table;
mod why;
mod wire;
pub mod world;
mod zone_table;
pub mod zone_under_test;

pub use call::Call;
pub use catalogue::{Catalogue, Entry, Needs, Theme};
pub use drill_runs::DrillRuns;
pub use explanation::{Explanation, Trouble};
pub use setting::{LabChoice, Setting, SubjectChoice};
pub use source::FeatureText;
pub use stop::{Early, Stop};
pub use world::World;
