//! A region's database is gone: connections to it are refused.

use super::{Anatomy, Entry, Harm, Part};

pub(super) const ENTRY: Entry = Entry {
    word: "kill-database",
    harm: Harm::Killed,
    needs: "a region",
    fits: |anatomy| matches!(anatomy, Anatomy::Region { .. }),
    parts: |_, _| vec![Part::Database],
    subject: |cell| format!("the database of {cell}"),
    breaks: |cell| format!("the database of {cell} is killed: its port refuses, its open connections break"),
    confirmed: |_| "its port refuses".to_owned(),
    undo: |cell| format!("start the database of {cell} again"),
};
