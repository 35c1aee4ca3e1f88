//! Where every node that evaluates a Route 53 health check shows the status: on the board that decisions read, and in
//! the journal. How the status came about is not its matter.

use crate::ground::Recorder;
use crate::health::StatusChange;
use crate::journal::event::{Event, Signal};
use crate::zone::HealthCheckId;

use super::authoritative::SharedEvidence;

/// Shows statuses; cheap to clone.
#[derive(Clone, Debug)]
pub struct StatusBoard {
    evidence: SharedEvidence,
    recorder: Recorder,
}

impl StatusBoard {
    /// Shows on `evidence`, and records what turns.
    #[must_use]
    pub const fn new(evidence: SharedEvidence, recorder: Recorder) -> Self {
        Self { evidence, recorder }
    }

    /// Records the calculated checks that are unhealthy already. To be called once for a lab, before any status is set.
    pub fn begin(&self) {
        let unhealthy = self.evidence.borrow().unhealthy_calculated();
        unhealthy.into_iter().for_each(|change| self.record(change));
    }

    /// A health check has this status, for this reason. If that turns it, its turn is recorded, and then that of each
    /// calculated check that turned with it, for a reason of its own. A repetition is not recorded.
    pub fn set(&self, id: &HealthCheckId, healthy: bool, reason: &str) {
        let turned = self.evidence.borrow_mut().set_health_check(id.clone(), healthy);
        for change in turned {
            let own = change.id == *id;
            self.record(if own { StatusChange { reason: reason.to_owned(), ..change } } else { change });
        }
    }

    fn record(&self, StatusChange { id, healthy, reason }: StatusChange) {
        let signal = Signal::HealthCheck { id: id.to_string() };
        self.recorder.record(Event::HealthChanged { signal, healthy, reason });
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeMap;
    use std::rc::Rc;

    use tokio::sync::mpsc;

    use super::*;
    use crate::clock::Speed;
    use crate::decide::Evidence;
    use crate::ground::WallClock;
    use crate::health::{CalculatedCheck, EvidenceBoard, StatusSettings};
    use crate::journal::event::Stamped;

    fn id(text: &str) -> HealthCheckId {
        HealthCheckId(text.to_owned())
    }

    /// `region` counts `endpoint` and `drain`, and needs both; `never` needs more than it counts.
    fn board() -> (StatusBoard, SharedEvidence, mpsc::UnboundedReceiver<Stamped>) {
        let counts = |healthy_threshold| {
            let children = vec![id("endpoint"), id("drain")];
            (CalculatedCheck { children, healthy_threshold }, StatusSettings::default())
        };
        let calculated = BTreeMap::from([(id("region"), counts(2)), (id("never"), counts(3))]);
        let evidence = Rc::new(RefCell::new(EvidenceBoard::with_calculated(calculated)));
        let (sink, events) = mpsc::unbounded_channel();
        let recorder = Recorder::new(WallClock::start(Speed::REAL), sink);
        (StatusBoard::new(evidence.clone(), recorder), evidence, events)
    }

    /// What was recorded since the last look: whose status, which, and why.
    fn recorded(events: &mut mpsc::UnboundedReceiver<Stamped>) -> Vec<(String, bool, String)> {
        let events = std::iter::from_fn(|| events.try_recv().ok());
        let turn = |stamped: Stamped| match stamped.event {
            Event::HealthChanged { signal: Signal::HealthCheck { id }, healthy, reason } => (id, healthy, reason),
            other => panic!("{other:?}"),
        };
        events.map(turn).collect()
    }

    #[test]
    fn a_turn_is_shown_and_recorded_with_every_calculated_check_that_turns_with_it() {
        let (board, evidence, mut events) = board();
        board.begin();
        let [(never, false, _)] = &recorded(&mut events)[..] else { panic!("one starts unhealthy") };
        assert_eq!(never, "never");

        board.set(&id("endpoint"), false, "2 of 16");
        let turns = recorded(&mut events);
        assert_eq!(turns[0], ("endpoint".to_owned(), false, "2 of 16".to_owned()));
        assert_eq!((turns[1].0.as_str(), turns[1].1, turns.len()), ("region", false, 2));
        assert!(turns[1].2.contains("endpoint"), "its reason names the child: {}", turns[1].2);
        assert!(!evidence.borrow().health_check_is_healthy(&id("region")));

        board.set(&id("endpoint"), true, "3 of 16");
        let turns = recorded(&mut events);
        let expected = [("endpoint", true), ("region", true)];
        assert_eq!(turns.iter().map(|(id, healthy, _)| (id.as_str(), *healthy)).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_turns_nothing_is_not_recorded() {
        let (board, _, mut events) = board();
        board.set(&id("endpoint"), true, "again");
        assert_eq!(recorded(&mut events), []);
    }
}
