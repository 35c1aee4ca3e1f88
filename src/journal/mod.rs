//! The journal: event types, the append-only writer, the reader, the hash chain.
//!
//! One event a line, JSON. It knows what happened and when, never what that means.

mod chain;
mod error;
pub mod event;
pub mod reader;
#[cfg(test)]
pub(crate) mod synthetic;
pub mod writer;

pub use chain::Chain;
pub use error::JournalError;
pub use reader::{Reading, parse, read};
pub use writer::Writer;
