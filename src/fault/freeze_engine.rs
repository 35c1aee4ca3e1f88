//! An inference engine's process is stopped, as by SIGSTOP: its kernel goes on accepting connections for it, and nothing
//! is answered, not even its shallow `/health`.

use super::{Anatomy, Entry, Harm, Part};

pub(super) const ENTRY: Entry = Entry {
    word: "freeze-engine",
    harm: Harm::Frozen,
    needs: "an LLM region with muster's own engine",
    fits: |anatomy| matches!(anatomy, Anatomy::Llm { own_engine: true, .. }),
    parts: |_, _| vec![Part::Engine],
    subject: |cell| format!("the engine of {cell}"),
    breaks: |cell| format!("the engine of {cell} is frozen: connections to it open, and nothing is answered"),
    confirmed: |_| "its /health has no answer within 2 s".to_owned(),
    undo: |cell| format!("let the engine of {cell} go on; it goes on with what it held"),
};
