//! Some targets of a region are gone: a bad deployment reached them, or all that stands in their zone is down.

use super::{Anatomy, Entry, Fault, Harm, Part};

pub(super) const ENTRY: Entry = Entry {
    word: "kill-targets",
    harm: Harm::Killed,
    needs: "a region",
    fits: |anatomy| matches!(anatomy, Anatomy::Region { .. }),
    parts,
    subject: |cell| format!("some targets of {cell}"),
    breaks: |cell| format!("some targets of {cell} are killed, so many or those of a zone: their ports refuse"),
    confirmed: |_| "the port of each refuses".to_owned(),
    undo: |cell| format!("start these targets of {cell} again"),
};

fn parts(fault: &Fault, _: Anatomy) -> Vec<Part> {
    match fault {
        Fault::KillTargets { targets, .. } => targets.iter().copied().map(Part::Target).collect(),
        _ => Vec::new(),
    }
}
