//! A whole region is gone: load balancer, targets, database. Confirmed when every one of their ports refuses.

use super::Part;

pub(super) fn parts(targets: usize) -> Vec<Part> {
    let targets = (0..targets).map(Part::Target);
    std::iter::once(Part::LoadBalancer).chain(targets).chain(std::iter::once(Part::Database)).collect()
}

pub(super) fn breaks(cell: &str) -> String {
    format!("{cell} is killed whole: load balancer, targets, database refuse; open connections break")
}

pub(super) fn undo(cell: &str) -> String {
    format!("start the load balancer, the targets and the database of {cell} again")
}
