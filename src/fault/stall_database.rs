//! A region's database is there and cannot be talked to: connections to it open, and no byte gets through, as behind a
//! firewall that has lost its state. Who asks waits as long as he may.
//!
//! A Toxiproxy on the way does it, by a `timeout` toxic of 0 on each stream. When the toxics are taken away the
//! connections that were stuck are closed, as the original does it.

use super::{Anatomy, Entry, Harm, Part};

pub(super) const ENTRY: Entry = Entry {
    word: "stall-database",
    harm: Harm::Stalled,
    needs: "a region",
    fits: |anatomy| matches!(anatomy, Anatomy::Region { .. }),
    parts: |_, _| vec![Part::WayToDatabase],
    subject: |cell| format!("the way to the database of {cell}"),
    breaks: |cell| format!("the way to the database of {cell} is stalled: connections open, and no byte gets through"),
    confirmed: |_| "a query through it has no answer within 2 s".to_owned(),
    undo: |cell| format!("let bytes through to the database of {cell} again; connections that were stuck are closed"),
};
