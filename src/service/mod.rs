//! What cells serve with, as sans-IO state machines: an inference engine, a queue.
//!
//! `(now, input) -> outputs, next wake-up`, like everything that a lab turns the crank of. Nothing here listens, and
//! nothing here knows the drill.

mod engine;
mod queue;

pub use engine::{
    ANSWER_COSTS, Condition, Delivery, Engine, EngineSettings, ONE_IN, Output, RequestId, THROTTLED_ANSWER_TAKES,
    TurnedAway,
};
pub use queue::{Message, MessageId, QUEUE_PUBLISHES_EVERY, QUEUE_VISIBILITY_TIMEOUT, Queue, QueueSettings};
