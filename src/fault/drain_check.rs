//! An operator takes traffic away by a health check that is disabled: inverted as well, it is unhealthy (R53-106).

use super::{Entry, Harm, Part};

pub(super) const ENTRY: Entry = Entry {
    word: "drain-check",
    harm: Harm::Turned,
    needs: "a disabled health check",
    fits: |_| false,
    parts: |_, _| vec![Part::Switch],
    subject: |check| format!("the drain check {check}"),
    breaks: |check| format!("the health check {check}, which is disabled, is inverted: it is unhealthy"),
    confirmed: |_| "it is read back as inverted".to_owned(),
    undo: |check| format!("take the inversion of the health check {check} back"),
};
