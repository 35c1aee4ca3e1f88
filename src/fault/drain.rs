//! An operator drains a region by the switch of its `/healthz`.

use super::{Anatomy, Entry, Harm, Part};

pub(super) const ENTRY: Entry = Entry {
    word: "drain",
    harm: Harm::Turned,
    needs: "an LLM region with a prober",
    fits: |anatomy| matches!(anatomy, Anatomy::Llm { prober: true, .. }),
    parts: |_, _| vec![Part::Healthz],
    subject: |cell| format!("the drain switch of {cell}"),
    breaks: |cell| format!("the drain switch of {cell} is set: its /healthz says fail"),
    confirmed: |_| "its /healthz says that it is drained".to_owned(),
    undo: |cell| format!("take the drain switch of {cell} back"),
};
