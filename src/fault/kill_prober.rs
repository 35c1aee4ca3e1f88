//! A prober is gone, and what tells its verdict is not: the last verdict stands until it expires.

use super::{Anatomy, Entry, Harm, Part};

pub(super) const ENTRY: Entry = Entry {
    word: "kill-prober",
    harm: Harm::Killed,
    needs: "an LLM region with a prober",
    fits: |anatomy| matches!(anatomy, Anatomy::Llm { prober: true, .. }),
    parts: |_, _| vec![Part::Prober],
    subject: |cell| format!("the prober of {cell}"),
    breaks: |cell| format!("the prober of {cell} is killed; /healthz goes on telling its last verdict"),
    confirmed: |_| "its port refuses".to_owned(),
    undo: |cell| format!("start the prober of {cell} again; it begins unhealthy"),
};
