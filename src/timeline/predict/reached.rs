//! How a status comes to turn: when at best and at worst, and what that is made of, in words.
//!
//! It knows nothing of what the status is of.

use std::time::Duration;

use crate::plan::Bounds;
use crate::verdict::wording::secs;

/// From the fault (or the heal) to a turn.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reached {
    pub(super) bounds: Bounds,
    /// What the bounds are made of, for people.
    pub(super) why: String,
}

impl Reached {
    pub(super) fn new((best, worst): (Duration, Duration), why: impl Into<String>) -> Self {
        Self { bounds: Bounds::between(best, worst), why: why.into() }
    }

    /// No sooner than `best`, and nobody can say when at the latest.
    pub(super) fn unbounded(best: Duration, why: impl Into<String>) -> Self {
        Self { bounds: Bounds::unbounded(best), why: why.into() }
    }

    /// In the moment itself.
    pub(super) fn at_once(why: impl Into<String>) -> Self {
        Self::new((Duration::ZERO, Duration::ZERO), why)
    }

    /// This, and what follows from it.
    pub(super) fn then(self, next: Self) -> Self {
        Self { bounds: self.bounds.then(next.bounds), why: [self.why, next.why].join("; then ") }
    }

    /// Whichever comes first.
    pub(super) fn sooner(self, other: Self) -> Self {
        let why = if sooner_first(&self.bounds, &other.bounds) { self.why } else { other.why };
        let worst = self.bounds.worst.into_iter().chain(other.bounds.worst).min();
        Self { bounds: Bounds { best: self.bounds.best.min(other.bounds.best), worst }, why }
    }

    /// Both.
    pub(super) fn later(self, other: Self) -> Self {
        let why = if sooner_first(&self.bounds, &other.bounds) { other.why } else { self.why };
        Self { bounds: later(self.bounds, other.bounds), why }
    }
}

/// The last of two.
pub(super) fn later(a: Bounds, b: Bounds) -> Bounds {
    Bounds { best: a.best.max(b.best), worst: a.worst.zip(b.worst).map(|(a, b)| a.max(b)) }
}

/// The n-th, from 1, of several that come in any order; `None` when there are not so many.
pub(super) fn nth(all: &[Bounds], n: usize) -> Option<Bounds> {
    let mut best: Vec<Duration> = all.iter().map(|each| each.best).collect();
    // What may never come is last.
    let mut worst: Vec<(bool, Option<Duration>)> = all.iter().map(|each| (each.worst.is_none(), each.worst)).collect();
    best.sort_unstable();
    worst.sort_unstable();
    let index = n.checked_sub(1)?;
    Some(Bounds { best: *best.get(index)?, worst: worst.get(index)?.1 })
}

/// In the order in which they are to be expected: by the worst, then by the best.
pub(super) fn order(bounds: &Bounds) -> (bool, Option<Duration>, Duration) {
    (bounds.worst.is_none(), bounds.worst, bounds.best)
}

fn sooner_first(a: &Bounds, b: &Bounds) -> bool {
    order(a) <= order(b)
}

/// So many consecutive results, so far apart: `3 failures, 10 s apart`.
pub(super) fn in_a_row(count: u32, what: &str, apart: Duration) -> String {
    format!("{count} {what}{} in a row, {} apart", if count == 1 { "" } else { "s" }, secs(apart))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn between(best: u64, worst: u64) -> Bounds {
        Bounds::between(Duration::from_secs(best), Duration::from_secs(worst))
    }

    const fn reached(best: u64, worst: u64, why: &str) -> (Bounds, &str) {
        (between(best, worst), why)
    }

    fn of((bounds, why): (Bounds, &str)) -> Reached {
        Reached { bounds, why: why.to_owned() }
    }

    #[test]
    fn the_sooner_of_two_is_explained_by_the_one_that_comes_first_at_worst() {
        let (a, b) = (of(reached(15, 30, "targets")), of(reached(10, 20, "node")));
        assert_eq!(a.clone().sooner(b.clone()), of(reached(10, 20, "node")));
        assert_eq!(a.later(b), of(reached(15, 30, "targets")));
    }

    #[test]
    fn the_second_of_three_is_bounded_by_the_second_best_and_the_second_worst() {
        let all = [between(5, 100), between(20, 30), Bounds::unbounded(Duration::from_secs(1))];
        assert_eq!(nth(&all, 2), Some(between(5, 100)));
        assert_eq!(nth(&all, 1), Some(between(1, 30)));
        assert_eq!(nth(&all, 3), Some(Bounds::unbounded(Duration::from_secs(20))));
        assert_eq!((nth(&all, 4), nth(&all, 0)), (None, None));
    }
}
