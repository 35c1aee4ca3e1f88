//! A stage's two figures side by side: what was predicted, what was measured.

use serde::Serialize;

use crate::plan::Bounds;
use crate::timeline::measure::{Measurement, Span, Spread};

/// What a stage was predicted to take, and what it took. Lab time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Figures {
    /// At best and at worst.
    pub predicted: Bounds,
    /// At least and at most; `None`: not seen.
    pub measured: Option<Span>,
}

impl Figures {
    /// Of one row.
    #[must_use]
    pub fn of(row: &Measurement) -> Self {
        Self { predicted: row.predicted, measured: row.span }
    }

    /// Of the longest of several rows; `None` of none. What one of them was not seen to do, the longest was not.
    pub fn longest<'a>(rows: impl IntoIterator<Item = &'a Measurement>) -> Option<Self> {
        let rows: Vec<&Measurement> = rows.into_iter().collect();
        let predicted = longest(rows.iter().map(|row| row.predicted))?;
        let all: Option<Vec<Span>> = rows.iter().map(|row| row.span).collect();
        Some(Self { predicted, measured: all.and_then(Spread::of).map(|spread| spread.last) })
    }
}

/// The longest of several predictions; `None` of none.
pub fn longest(predicted: impl IntoIterator<Item = Bounds>) -> Option<Bounds> {
    predicted
        .into_iter()
        .reduce(|a, b| Bounds { best: a.best.max(b.best), worst: a.worst.zip(b.worst).map(|(a, b)| a.max(b)) })
}

/// Those that end at all: a client that may stay for ever says nothing about how long the others
/// take. All of them when none is sure to end.
#[must_use]
pub fn those_that_end<T: Copy>(all: &[T], predicted: impl Fn(T) -> Bounds) -> Vec<T> {
    let ending: Vec<T> = all.iter().copied().filter(|each| predicted(*each).worst.is_some()).collect();
    if ending.is_empty() { all.to_vec() } else { ending }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::synthetic::{bounds, passing, secs};
    use crate::timeline::measure::measure;

    #[test]
    fn the_longest_of_several_has_the_greatest_of_each_bound() {
        assert_eq!(longest([bounds(15.0, 90.0), bounds(20.0, 60.0)]), Some(bounds(20.0, 90.0)));
        assert_eq!(longest([bounds(15.0, 90.0), Bounds::unbounded(secs(5.0))]), Some(Bounds::unbounded(secs(15.0))));
        assert_eq!(longest([]), None);
    }

    #[test]
    fn the_longest_is_not_seen_when_one_of_them_is_not() {
        let totals = measure(&passing().events()).unwrap().failover.totals;
        let seen = totals.iter().find(|row| row.span.is_some()).unwrap();
        let unseen = Measurement { span: None, ..seen.clone() };
        assert_eq!(Figures::longest([seen]).unwrap(), Figures::of(seen));
        assert_eq!(Figures::longest([seen, &unseen]).unwrap().measured, None);
    }

    #[test]
    fn who_may_stay_for_ever_is_left_out_where_others_move() {
        let (moves, stays) = (bounds(15.0, 90.0), Bounds::unbounded(secs(15.0)));
        assert_eq!(those_that_end(&[moves, stays], |bounds| bounds), [moves]);
        assert_eq!(those_that_end(&[stays], |bounds| bounds), [stays]);
    }
}
