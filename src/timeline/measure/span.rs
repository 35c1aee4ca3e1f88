//! The arithmetic of moments that are known only within bounds.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::{LabTime, seconds};

/// A moment that lies between two observations: after the last of the old, at or before the first of the new.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interval {
    /// The last observation of the old.
    pub after: LabTime,
    /// The first observation of the new.
    pub until: LabTime,
}

/// How long something took: at least, and at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// At least; lab time.
    #[serde(with = "seconds")]
    pub least: Duration,
    /// At most; lab time.
    #[serde(with = "seconds")]
    pub most: Duration,
}

impl Span {
    /// From one moment to another: with `from` in (a, b] and `to` in (c, d] that is c-b to d-a, never below zero.
    ///
    /// `lateness` is how late an observer may have asked, in lab time. It widens both sides: what was seen late may
    /// have been true earlier, and a moment that nobody looked at in time may lie outside its interval by as much.
    #[must_use]
    pub fn between(from: Interval, to: Interval, lateness: Duration) -> Self {
        Self {
            least: to.after.since(from.until).saturating_sub(lateness),
            most: to.until.since(from.after).saturating_add(lateness),
        }
    }

    /// The middle of what is possible.
    #[must_use]
    pub fn middle(&self) -> Duration {
        self.least + self.uncertainty()
    }

    /// Half the width: what stands after `±`.
    #[must_use]
    pub fn uncertainty(&self) -> Duration {
        self.most.saturating_sub(self.least) / 2
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} s ± {:.2} s", self.middle().as_secs_f64(), self.uncertainty().as_secs_f64())
    }
}

impl Interval {
    /// A moment that is known exactly: `after` and `until` are the same.
    #[must_use]
    pub const fn exactly(moment: LabTime) -> Self {
        Self { after: moment, until: moment }
    }

    /// The later of two moments.
    #[must_use]
    pub fn latest(self, other: Self) -> Self {
        Self { after: self.after.max(other.after), until: self.until.max(other.until) }
    }
}

/// The first, the median and the last of several durations (the lower median of an even number).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spread {
    /// The shortest.
    pub first: Span,
    /// The one in the middle.
    pub median: Span,
    /// The longest.
    pub last: Span,
}

impl Spread {
    /// `None` of nothing.
    ///
    /// The n-th smallest of durations that are known within bounds lies between the n-th smallest lower bound and
    /// the n-th smallest upper bound, so the bounds are sorted on their own.
    pub fn of(spans: impl IntoIterator<Item = Span>) -> Option<Self> {
        let (mut least, mut most): (Vec<_>, Vec<_>) = spans.into_iter().map(|span| (span.least, span.most)).unzip();
        least.sort_unstable();
        most.sort_unstable();
        let nth = |n: usize| Some(Span { least: *least.get(n)?, most: *most.get(n)? });
        let count = least.len();
        Some(Self { first: nth(0)?, median: nth(count.checked_sub(1)? / 2)?, last: nth(count - 1)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::synthetic::{at, secs};

    fn span(least: f64, most: f64) -> Span {
        Span { least: secs(least), most: secs(most) }
    }

    fn interval(after: f64, until: f64) -> Interval {
        Interval { after: at(after), until: at(until) }
    }

    #[test]
    fn a_duration_is_bounded_by_the_far_ends_of_both_moments() {
        let from = interval(10.0, 11.0);
        assert_eq!(Span::between(from, interval(20.0, 22.0), Duration::ZERO), span(9.0, 12.0));
        assert_eq!(Span::between(from, interval(20.0, 22.0), secs(0.5)), span(8.5, 12.5));
    }

    #[test]
    fn a_duration_is_never_below_zero() {
        assert_eq!(Span::between(interval(10.0, 11.0), interval(10.5, 10.8), secs(0.0)), span(0.0, 0.8));
        assert_eq!(Span::between(interval(10.0, 11.0), interval(5.0, 6.0), secs(0.0)), span(0.0, 0.0));
    }

    #[test]
    fn the_spread_sorts_lower_and_upper_bounds_on_their_own() {
        let spread = Spread::of([span(5.0, 6.0), span(1.0, 9.0), span(2.0, 3.0), span(7.0, 8.0)]).unwrap();
        assert_eq!(spread.first, span(1.0, 3.0));
        assert_eq!(spread.median, span(2.0, 6.0));
        assert_eq!(spread.last, span(7.0, 9.0));
        assert_eq!(Spread::of([]), None);
    }

    #[test]
    fn a_span_reads_as_its_middle_and_half_its_width() {
        assert_eq!(span(27.0, 27.4).to_string(), "27.2 s ± 0.20 s");
    }
}
