//! Containers and networks of a Docker engine: made, started, broken and removed. It knows nothing of drills.
//!
//! Everything made here carries the label of its run and that of the process it belongs to, so that what a process
//! leaves behind is found, and removed, by the next one.

mod ended;
mod engine;
mod error;
mod found;
mod host;
mod owner;
mod removal;
mod spec;
mod subnet;

pub use ended::Ended;
pub use engine::{Containers, MAKES_WITHIN};
pub use error::ContainersError;
pub use found::{Found, Why};
pub use host::EngineHost;
pub use owner::{Life, Owner, Process, RUN};
pub use removal::Removed;
pub use spec::{ContainerSpec, Wire};
pub use subnet::{AddressPlan, NoAddressPlan, Subnet};
