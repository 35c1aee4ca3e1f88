//! Where a drill runs.

mod control_socket;
mod drive;
pub mod embedded;
mod handle;
mod interrupts;

pub use control_socket::ControlSocket;
pub use drive::{Sink, Undurable, drive};
pub use handle::LabHandle;
pub use interrupts::Interrupts;
