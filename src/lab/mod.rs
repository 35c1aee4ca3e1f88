//! Where a drill runs.

mod drive;
pub mod embedded;
mod handle;
mod interrupts;

pub use drive::{Sink, Undurable, drive};
pub use handle::LabHandle;
pub use interrupts::Interrupts;
