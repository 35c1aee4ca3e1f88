//! Puts what several processes tell into the order in which it happened: pure.
//!
//! Each process stamps what it sees by the one clock, and tells it on a way of its own; a client's word can come before
//! that of the cell which answered it. So everything is held back for a moment, and given in the order of its stamps.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::clock::LabTime;
use crate::journal::event::Stamped;

/// Events that are held back until those that happened before them are there.
#[derive(Debug)]
pub(super) struct InOrder {
    /// How long each is held back, lab time.
    for_so_long: Duration,
    /// By their stamps, and those of one stamp as they came.
    held: BTreeMap<(LabTime, u64), Stamped>,
    came: u64,
}

impl InOrder {
    /// Holds each back until its stamp is so old, lab time.
    pub(super) const fn holding(for_so_long: Duration) -> Self {
        Self { for_so_long, held: BTreeMap::new(), came: 0 }
    }

    /// Takes one in.
    pub(super) fn take(&mut self, stamped: Stamped) {
        self.held.insert((stamped.at, self.came), stamped);
        self.came += 1;
    }

    /// When the next one is to be given; `None` when none is held.
    pub(super) fn next_due(&self) -> Option<LabTime> {
        self.held.first_key_value().map(|((at, _), _)| *at + self.for_so_long)
    }

    /// Those that are to be given by now, in order.
    pub(super) fn due(&mut self, now: LabTime) -> Vec<Stamped> {
        let mut due = Vec::new();
        while self.next_due().is_some_and(|at| at <= now) {
            due.extend(self.held.pop_first().map(|(_, stamped)| stamped));
        }
        due
    }

    /// All of them, in order.
    pub(super) fn rest(&mut self) -> Vec<Stamped> {
        std::mem::take(&mut self.held).into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::event::Event;

    fn told(at: u64, name: &str) -> Stamped {
        let at = LabTime::at(Duration::from_millis(at));
        Stamped { at, event: Event::LabBroke { reason: name.to_owned() } }
    }

    fn names(events: Vec<Stamped>) -> Vec<String> {
        let name = |stamped: Stamped| match stamped.event {
            Event::LabBroke { reason } => reason,
            other => panic!("{other:?}"),
        };
        events.into_iter().map(name).collect()
    }

    #[test]
    fn what_happened_first_is_given_first_though_it_came_later() {
        let mut order = InOrder::holding(Duration::from_millis(100));
        let now = |millis| LabTime::at(Duration::from_millis(millis));
        assert_eq!(order.next_due(), None);
        order.take(told(1010, "the client was served"));
        order.take(told(1005, "its request arrived"));
        order.take(told(1010, "and something else"));
        assert_eq!(order.next_due(), Some(now(1105)));
        assert_eq!(names(order.due(now(1104))), [""; 0]);
        assert_eq!(names(order.due(now(1109))), ["its request arrived"]);
        order.take(told(1008, "late"));
        assert_eq!(names(order.due(now(1110))), ["late", "the client was served", "and something else"]);
        order.take(told(2000, "last"));
        assert_eq!(names(order.rest()), ["last"]);
        assert_eq!(order.next_due(), None);
    }
}
