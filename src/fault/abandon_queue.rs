//! Nobody uses a queue any more, and something is left in it: the oldest message ages, and nobody takes it out.

use super::{Anatomy, Entry, Harm, Part};

pub(super) const ENTRY: Entry = Entry {
    word: "abandon-queue",
    harm: Harm::Killed,
    needs: "a region with a queue",
    fits: |anatomy| matches!(anatomy, Anatomy::Region { queue: true, .. }),
    parts: |_, _| vec![Part::Producer, Part::Worker],
    subject: |cell| format!("all use of the queue of {cell}, with a message left in it"),
    breaks: |cell| {
        format!(
            "the queue of {cell} is abandoned: the worker is gone, the producer too after one more message, which grows \
             old until the queue is deleted"
        )
    },
    confirmed: |_| "the ports of producer and worker refuse".to_owned(),
    undo: |cell| format!("start the producer and the worker of {cell} again"),
};
