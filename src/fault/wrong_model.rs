//! An inference engine serves another model: the port is open, answers are fast, the content is wrong.

use super::{Anatomy, Entry, Harm, Part};

pub(super) const ENTRY: Entry = Entry {
    word: "wrong-model",
    harm: Harm::Wrong,
    needs: "an LLM region with muster's own engine",
    fits: |anatomy| matches!(anatomy, Anatomy::Llm { own_engine: true, .. }),
    parts: |_, _| vec![Part::Engine],
    subject: |cell| format!("the engine of {cell}"),
    breaks: |cell| format!("the engine of {cell} serves another model"),
    confirmed: |_| "it lists another model".to_owned(),
    undo: |cell| format!("have the engine of {cell} serve its own model again"),
};
