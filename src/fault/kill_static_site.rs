//! A static site is gone. Decisions never see it: a static site has no health (R53-97).

use super::{Anatomy, Entry, Harm, Part};

pub(super) const ENTRY: Entry = Entry {
    word: "kill-static-site",
    harm: Harm::Killed,
    needs: "a static site",
    fits: |anatomy| matches!(anatomy, Anatomy::StaticSite),
    parts: |_, _| vec![Part::StaticSite],
    subject: |cell| format!("the static site {cell}"),
    breaks: |cell| format!("the static site {cell} is killed: its port refuses, its open connections break"),
    confirmed: |_| "its port refuses".to_owned(),
    undo: |cell| format!("start the static site {cell} again"),
};
