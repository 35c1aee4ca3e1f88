//! An inference engine is stuck: it accepts and never answers. Its port and its shallow `/health` stay green.

use super::{Anatomy, Entry, Harm, Part};

pub(super) const ENTRY: Entry = Entry {
    word: "wedge-engine",
    harm: Harm::Wedged,
    needs: "an LLM region with muster's own engine",
    fits: |anatomy| matches!(anatomy, Anatomy::Llm { own_engine: true, .. }),
    parts: |_, _| vec![Part::Engine],
    subject: |cell| format!("the engine of {cell}"),
    breaks: |cell| format!("the engine of {cell} is wedged: it accepts requests and answers none"),
    confirmed: |_| "a request for one token has no answer within 2 s".to_owned(),
    undo: |cell| format!("unwedge the engine of {cell}; what it held is dropped"),
};
