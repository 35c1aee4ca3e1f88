//! A queue's worker is gone: messages come in and none is taken out.

use super::{Anatomy, Entry, Harm, Part};

pub(super) const ENTRY: Entry = Entry {
    word: "stop-worker",
    harm: Harm::Killed,
    needs: "a region with a queue",
    fits: |anatomy| matches!(anatomy, Anatomy::Region { queue: true, .. }),
    parts: |_, _| vec![Part::Worker],
    subject: |cell| format!("the worker of {cell}"),
    breaks: |cell| format!("the worker of {cell} is stopped: its queue is filled and never emptied"),
    confirmed: |_| "its port refuses".to_owned(),
    undo: |cell| format!("start the worker of {cell} again"),
};
