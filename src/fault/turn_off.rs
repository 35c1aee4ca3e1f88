//! An operator turns a routing control off (R53-154).

use super::{Entry, Harm, Part};

pub(super) const ENTRY: Entry = Entry {
    word: "turn-off",
    harm: Harm::Turned,
    needs: "a routing control",
    fits: |_| false,
    parts: |_, _| vec![Part::Switch],
    subject: |cell| format!("the routing control {cell}"),
    breaks: |cell| format!("the routing control {cell} is turned off"),
    confirmed: |_| "it is read back as off".to_owned(),
    undo: |cell| format!("turn the routing control {cell} on again"),
};
