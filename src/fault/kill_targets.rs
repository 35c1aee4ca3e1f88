//! Some targets of a region are gone: a bad deployment reached them, or all that stands in their zone is down.

use super::{Anatomy, Entry, Fault, Harm, Part};

pub(super) const ENTRY: Entry = Entry {
    word: "kill-targets",
    harm: Harm::Killed,
    needs: "a region, with how many targets, or of which zone",
    fits: |anatomy| matches!(anatomy, Anatomy::Region { .. }),
    parts,
    subject: |cell| format!("targets of {cell}"),
    breaks: |cell| format!("targets of {cell} are killed: their ports refuse, open connections break"),
    confirmed: |_| "the port of each refuses".to_owned(),
    undo: |cell| format!("start the targets of {cell} again"),
};

fn parts(fault: &Fault, _: Anatomy) -> Vec<Part> {
    match fault {
        Fault::KillTargets { targets, .. } => targets.iter().copied().map(Part::Target).collect(),
        _ => Vec::new(),
    }
}
