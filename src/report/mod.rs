//! What people and machines read of a run: the terminal, live progress, `JUnit`, a JSON summary, and the folder.
//!
//! Reports tell what was measured and judged; they never measure or judge.

mod beside;
pub mod campaign;
pub mod compare;
pub mod conform_coverage;
pub mod conform_cucumber;
pub mod conform_junit;
pub mod conform_mutants;
pub mod conform_terminal;
pub mod destination;
mod display;
pub mod dry_run;
pub mod explanation;
pub mod explanation_dot;
pub mod figures;
pub mod folder;
pub mod images;
pub mod junit;
mod junit_properties;
pub mod matrix;
mod parts;
pub mod progress;
mod seen;
pub mod stages;
mod style;
pub mod summary;
pub mod terminal;
mod visible;
mod xml_text;

pub use display::Display;
pub use folder::Folder;
pub use style::Style;
pub use visible::{visible, visible_but_colour};
