//! Whose turn it is: which drill is started next, and whether there is room for it. No I/O, no clock.

use std::collections::{BTreeSet, VecDeque};

use crate::verdict::ExitCode;

/// One run of a drill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Turn {
    /// Its place in the campaign, from 0.
    pub drill: usize,
    /// The second try, alone.
    pub again: bool,
}

/// The drills of a campaign that wait, and those that run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turns {
    waiting: VecDeque<usize>,
    again: VecDeque<usize>,
    running: BTreeSet<Turn>,
    at_once: usize,
    stopped: bool,
}

impl Turns {
    /// All of `drills` wait; at most `at_once` run side by side.
    #[must_use]
    pub fn new(drills: usize, at_once: usize) -> Self {
        Self {
            waiting: (0..drills).collect(),
            again: VecDeque::new(),
            running: BTreeSet::new(),
            at_once: at_once.max(1),
            stopped: false,
        }
    }

    /// The next to be started now: in the campaign's order, while there is room. What is run once more is run alone,
    /// after all the others.
    pub fn start_next(&mut self) -> Option<Turn> {
        if self.stopped || self.running.len() >= self.at_once {
            return None;
        }
        let first = self.waiting.pop_front().map(|drill| Turn { drill, again: false });
        let turn = match first {
            None if self.running.is_empty() => Turn { drill: self.again.pop_front()?, again: true },
            first => first?,
        };
        self.running.insert(turn);
        Some(turn)
    }

    /// A run has ended. Whether it is run once more: when it could not tell, for the first time. Others that ran
    /// beside it are a load that widens every uncertainty.
    pub fn ended(&mut self, turn: Turn, code: ExitCode) -> bool {
        self.running.remove(&turn);
        let once_more = code == ExitCode::Inconclusive && !turn.again && !self.stopped;
        if once_more {
            self.again.push_back(turn.drill);
        }
        once_more
    }

    /// Nothing more is started.
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    /// Whether nothing runs and nothing will.
    #[must_use]
    pub fn over(&self) -> bool {
        self.running.is_empty() && (self.stopped || (self.waiting.is_empty() && self.again.is_empty()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn first(drill: usize) -> Turn {
        Turn { drill, again: false }
    }

    fn again(drill: usize) -> Turn {
        Turn { drill, again: true }
    }

    #[test]
    fn drills_start_in_order_and_no_more_than_there_is_room_for() {
        let mut turns = Turns::new(3, 2);
        assert_eq!(
            [turns.start_next(), turns.start_next(), turns.start_next()],
            [Some(first(0)), Some(first(1)), None]
        );
        assert!(!turns.ended(first(1), ExitCode::Passed));
        assert_eq!([turns.start_next(), turns.start_next()], [Some(first(2)), None]);
    }

    #[test]
    fn what_could_not_tell_is_run_once_more_alone_at_the_end() {
        let mut turns = Turns::new(3, 3);
        while turns.start_next().is_some() {}
        assert!(turns.ended(first(0), ExitCode::Inconclusive));
        assert!(turns.ended(first(2), ExitCode::Inconclusive));
        assert_eq!(turns.start_next(), None, "drill 1 still runs");
        assert!(!turns.ended(first(1), ExitCode::Failed));
        assert_eq!([turns.start_next(), turns.start_next()], [Some(again(0)), None]);
        assert!(!turns.ended(again(0), ExitCode::Inconclusive), "once more, and not for ever");
        assert_eq!(turns.start_next(), Some(again(2)));
        assert!(!turns.over());
        turns.ended(again(2), ExitCode::Passed);
        assert!(turns.over());
    }

    #[test]
    fn nothing_is_started_after_a_stop() {
        let mut turns = Turns::new(3, 1);
        turns.start_next();
        turns.stop();
        assert!(!turns.over(), "one still runs");
        assert!(!turns.ended(first(0), ExitCode::Inconclusive));
        assert_eq!(turns.start_next(), None);
        assert!(turns.over());
    }

    proptest! {
        #[test]
        fn every_drill_gets_its_turn_and_at_most_one_more(
            at_once in 1..6_usize,
            inconclusive in prop::collection::vec(any::<[bool; 2]>(), 1..12),
            picks in prop::collection::vec(any::<prop::sample::Index>(), 24),
        ) {
            let mut turns = Turns::new(inconclusive.len(), at_once);
            let (mut running, mut ran) = (Vec::new(), Vec::new());
            for pick in picks {
                running.extend(std::iter::from_fn(|| turns.start_next()));
                prop_assert!(running.len() <= at_once);
                prop_assert!(running.len() == 1 || running.iter().all(|turn: &Turn| !turn.again), "alone");
                if running.is_empty() {
                    break;
                }
                let turn = running.swap_remove(pick.index(running.len()));
                let code = if inconclusive[turn.drill][usize::from(turn.again)] { ExitCode::Inconclusive } else { ExitCode::Passed };
                turns.ended(turn, code);
                ran.push(turn);
            }
            prop_assert!(turns.over());
            ran.sort();
            let due: Vec<Turn> = (0..inconclusive.len())
                .flat_map(|drill| std::iter::once(first(drill)).chain(inconclusive[drill][0].then_some(again(drill))))
                .collect();
            prop_assert_eq!(ran, due);
        }
    }
}
