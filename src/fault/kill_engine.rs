//! An inference engine is gone: connections to it are refused, and the gateway in front of it answers 502.

use super::{Anatomy, Entry, Harm, Part};

pub(super) const ENTRY: Entry = Entry {
    word: "kill-engine",
    harm: Harm::Killed,
    needs: "an LLM region with muster's own engine",
    fits: |anatomy| matches!(anatomy, Anatomy::Llm { own_engine: true, .. }),
    parts: |_, _| vec![Part::Engine],
    subject: |cell| format!("the engine of {cell}"),
    breaks: |cell| format!("the engine of {cell} is killed: its port refuses, its open connections break"),
    confirmed: |_| "its port refuses".to_owned(),
    undo: |cell| format!("start the engine of {cell} again; it loads its model anew"),
};
