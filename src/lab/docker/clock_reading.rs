//! Reads the hub's clock, by asking several times what it shows: pure. Of all answers the one that came soonest says the
//! most, because it leaves least time in which the clock can have been read.

use crate::clock::{ClockOffset, LabTime};

/// A clock that is being read.
#[derive(Debug)]
pub(super) struct ClockReading {
    /// How often it is still to be asked.
    left: u32,
    /// The question that is under way, by its number, and when it was asked.
    asked: Option<(u32, LabTime)>,
    best: Option<ClockOffset>,
}

impl ClockReading {
    /// One of so many questions.
    pub(super) const fn of(questions: u32) -> Self {
        Self { left: questions, asked: None, best: None }
    }

    /// The number of the question that is to be asked now; `None`: there is none any more.
    pub(super) fn ask(&mut self, now: LabTime) -> Option<u32> {
        self.left = self.left.checked_sub(1)?;
        self.asked = Some((self.left, now));
        Some(self.left)
    }

    /// Takes in an answer; one to another question tells nothing.
    pub(super) fn hear(&mut self, number: u32, shown: LabTime, now: LabTime) {
        let Some((_, asked)) = self.asked.take_if(|(asked, _)| *asked == number) else { return };
        let read = ClockOffset::read(asked, shown, now);
        if self.best.is_none_or(|best| read.within < best.within) {
            self.best = Some(read);
        }
    }

    /// What is known of it.
    pub(super) const fn read(&self) -> Option<ClockOffset> {
        self.best
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn at(millis: u64) -> LabTime {
        LabTime::at(Duration::from_millis(millis))
    }

    #[test]
    fn the_answer_that_came_soonest_counts() {
        let mut reading = ClockReading::of(3);
        assert_eq!(reading.read(), None);
        for (asked, shown, answered) in [(100, 160, 180), (200, 203, 204), (300, 340, 380)] {
            let number = reading.ask(at(asked)).unwrap();
            reading.hear(number, at(shown), at(answered));
        }
        assert_eq!(reading.ask(at(400)), None);
        assert_eq!(reading.read(), Some(ClockOffset { ahead: 0.001, within: Duration::from_millis(2) }));
    }

    #[test]
    fn an_answer_to_another_question_tells_nothing() {
        let mut reading = ClockReading::of(2);
        let number = reading.ask(at(100)).unwrap();
        reading.hear(number + 7, at(100), at(101));
        assert_eq!(reading.read(), None);
        reading.hear(number, at(105), at(110));
        reading.hear(number, at(105), at(1100));
        assert_eq!(reading.read(), Some(ClockOffset { ahead: 0.0, within: Duration::from_millis(5) }));
    }
}
