//! A firewall that forgot the ranges of Route 53's checkers: clients are let in, checkers are not.

use super::{Entry, Harm, Part};

pub(super) const ENTRY: Entry = Entry {
    word: "lock-out-checkers",
    harm: Harm::LockedOut,
    needs: "a cell that answers HTTP",
    fits: |_| true,
    parts: |_, _| vec![Part::Firewall],
    subject: |cell| format!("the way of health checkers into {cell}"),
    breaks: |cell| format!("the firewall of {cell} answers health checkers 403; clients are let in"),
    confirmed: |_| "a request from a checker's address is answered 403".to_owned(),
    undo: |cell| format!("let health checkers into {cell} again"),
};
