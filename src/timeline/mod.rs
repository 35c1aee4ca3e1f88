//! The stages of a failover: predicted from a plan, measured from a journal, each with its uncertainty.

pub mod measure;
mod predict;

pub use predict::predict;
pub(crate) use predict::steady_status;
