//! What cells serve with, as sans-IO state machines: an inference engine, a queue.
//!
//! `(now, input) -> outputs, next wake-up`, like everything that a lab turns the crank of. Nothing here listens, and
//! nothing here knows the drill.

mod engine;
mod queue;

pub use engine::{Condition, Delivery, Engine, EngineSettings, Output, RequestId, TurnedAway};
pub use queue::{Message, MessageId, QUEUE_PUBLISHES_EVERY, QUEUE_VISIBILITY_TIMEOUT, Queue, QueueSettings};
