//! The way from a gateway to its inference engine is stalled: connections open, and no byte gets through. Prober and
//! clients see an engine that accepts and never answers; the engine itself is well.
//!
//! A Toxiproxy on the way does it, as with a stalled database.

use super::{Anatomy, Entry, Harm, Part};

pub(super) const ENTRY: Entry = Entry {
    word: "stall-engine",
    harm: Harm::Stalled,
    needs: "an LLM region with muster's own engine",
    fits: |anatomy| matches!(anatomy, Anatomy::Llm { own_engine: true, .. }),
    parts: |_, _| vec![Part::WayToEngine],
    subject: |cell| format!("the way to the engine of {cell}"),
    breaks: |cell| format!("the way to the engine of {cell} is stalled: connections open, and no byte gets through"),
    confirmed: |_| "its /health has no answer through it within 2 s".to_owned(),
    undo: |cell| format!("let bytes through to the engine of {cell} again; connections that were stuck are closed"),
};
