//! An inference engine's key-value cache is full: one slot is left, requests queue, latency climbs.

use super::{Anatomy, Entry, Harm, Part};

pub(super) const ENTRY: Entry = Entry {
    word: "starve-engine",
    harm: Harm::Starved,
    needs: "an LLM region with muster's own engine",
    fits: |anatomy| matches!(anatomy, Anatomy::Llm { own_engine: true, .. }),
    parts: |_, _| vec![Part::Engine],
    subject: |cell| format!("the engine of {cell}"),
    breaks: |cell| {
        format!("the engine of {cell} is starved: one slot at an eighth of its rate is left, requests queue")
    },
    confirmed: |_| "its own metrics say that the key-value cache is full".to_owned(),
    undo: |cell| format!("give the engine of {cell} its key-value cache back"),
};
