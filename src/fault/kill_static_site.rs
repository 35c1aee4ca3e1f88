//! A static site is gone. Confirmed when its port refuses. Decisions never see it: a static site has no health (R53-97).

use super::Part;

pub(super) fn parts() -> Vec<Part> {
    vec![Part::StaticSite]
}

pub(super) fn breaks(cell: &str) -> String {
    format!("the static site {cell} is killed: its port refuses, its open connections break")
}

pub(super) fn undo(cell: &str) -> String {
    format!("start the static site {cell} again")
}
