//! Nobody uses a queue any more. Nothing is wrong with it; its metric ends when it has been inactive long enough (R53-202).

use super::{Anatomy, Entry, Harm, Part};

pub(super) const ENTRY: Entry = Entry {
    word: "quiet-queue",
    harm: Harm::Killed,
    needs: "a region with a queue",
    fits: |anatomy| matches!(anatomy, Anatomy::Region { queue: true, .. }),
    parts: |_, _| vec![Part::Producer, Part::Worker],
    subject: |cell| format!("all use of the queue of {cell}"),
    breaks: |cell| {
        format!("the queue of {cell} falls quiet: producer and worker are gone, and with them, later, its metric")
    },
    confirmed: |_| "the ports of producer and worker refuse".to_owned(),
    undo: |cell| format!("start the producer and the worker of {cell} again"),
};
