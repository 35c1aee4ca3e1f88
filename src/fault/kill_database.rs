//! A region's database is gone: connections to it are refused. Confirmed when its port refuses.

use super::Part;

pub(super) fn parts() -> Vec<Part> {
    vec![Part::Database]
}

pub(super) fn breaks(cell: &str) -> String {
    format!("the database of {cell} is killed: its port refuses, its open connections break")
}

pub(super) fn undo(cell: &str) -> String {
    format!("start the database of {cell} again")
}
