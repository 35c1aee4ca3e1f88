//! Leads a drill from the steady state through the fault and back: a state machine over the event stream.
//!
//! It reads what the lab saw and says what the lab must do next. It has no clock and no I/O, so that every lab is led
//! by the same one. It never judges: that is the verdict's work, from the journal.

mod conductor;
mod steady;
#[cfg(test)]
mod tests;

pub use conductor::{Command, Conductor, Output};
