//! Where a drill runs.

mod building;
mod control_socket;
pub mod docker;
mod drive;
pub mod embedded;
mod handle;
mod interrupts;
mod panics;
mod rehearsal;
mod share;
pub mod spread;
pub mod virtual_lab;

pub use control_socket::ControlSocket;
pub(crate) use control_socket::PrivateFolder;
pub use drive::{Lab, Next, Sink, Undurable, drive};
pub use handle::LabHandle;
pub use interrupts::{Interrupts, watch};
pub use panics::quietly;
pub use rehearsal::rehearse;
pub use share::{Share, parts_by_themselves};
pub use virtual_lab::VirtualLab;
