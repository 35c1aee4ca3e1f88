//! An inference engine is left next to no CPU, as a container is whose limit is far too low: its port accepts, and each
//! answer takes many times as long. Its shallow `/health` costs no such work; where the limit is a real one, it is late all
//! the same now and then.

use super::{Anatomy, Entry, Harm, Part};

pub(super) const ENTRY: Entry = Entry {
    word: "throttle-engine",
    harm: Harm::Throttled,
    needs: "an LLM region with muster's own engine",
    fits: |anatomy| matches!(anatomy, Anatomy::Llm { own_engine: true, .. }),
    parts: |_, _| vec![Part::Engine],
    subject: |cell| format!("the engine of {cell}"),
    breaks: |cell| format!("the engine of {cell} is left 1 % of a CPU: an answer that needs 0.1 s of one takes 10 s"),
    confirmed: |_| "a request for one token has no answer within 2 s".to_owned(),
    undo: |cell| format!("take the CPU limit off the engine of {cell}; it goes on with what it held"),
};
