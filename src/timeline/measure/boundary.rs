//! Where the old ends and the new begins in a row of observations.

use crate::clock::LabTime;
use crate::plan::Move;
use crate::timeline::measure::Interval;

use super::Window;

/// One observation: the cells (or `nodata`, `nxdomain`) that it shows. It may show several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sign {
    pub(super) at: LabTime,
    pub(super) shows: Vec<String>,
}

/// A move, as observations can tell it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Change {
    from: Vec<String>,
    to: Vec<String>,
    /// Only before.
    leaving: Vec<String>,
    /// Only after; where nothing is new, everything that stays.
    arriving: Vec<String>,
    /// So many observations in a row of what both sides may show are needed to tell that the new has come.
    run_of_new: usize,
    /// And so many to tell that the old was still there.
    run_of_old: usize,
}

/// How many observations in a row of `stays` out of `all` cells, each as likely as another, leave at most one chance
/// in a hundred that they are chance.
fn run_length(stays: usize, all: usize) -> usize {
    let mut chance = 1.0;
    let mut length = 0;
    #[expect(clippy::cast_precision_loss, reason = "a handful of cells")]
    let share = stays as f64 / all.max(1) as f64;
    while chance > 0.01 && length < 1000 {
        chance *= share;
        length += 1;
    }
    length.max(1)
}

impl Change {
    pub(super) fn of<'a>(moves: impl IntoIterator<Item = &'a Move>) -> Self {
        let mut change = Self::default();
        for each in moves {
            change.from.extend(each.from.iter().cloned());
            change.to.extend(each.to.iter().cloned());
        }
        let without = |these: &[String], those: &[String]| -> Vec<String> {
            these.iter().filter(|cell| !those.contains(cell)).cloned().collect()
        };
        change.leaving = without(&change.from, &change.to);
        change.arriving = without(&change.to, &change.from);
        let stays = change.from.iter().filter(|cell| change.to.contains(cell)).count();
        (change.run_of_new, change.run_of_old) = (1, 1);
        if change.arriving.is_empty() {
            change.arriving.clone_from(&change.to);
            change.run_of_new = run_length(stays, change.from.len());
        } else if change.leaving.is_empty() {
            change.run_of_old = run_length(stays, change.to.len());
        }
        change
    }

    pub(super) fn shows_leaving(&self, shows: &[String]) -> bool {
        shows.iter().any(|cell| self.leaving.contains(cell))
    }

    /// Whether nothing is left behind.
    pub(super) const fn only_gains(&self) -> bool {
        self.leaving.is_empty()
    }

    /// Whether the new, wherever it is shown, is shown all at once: then what shows less is the old.
    pub(super) fn arrives_whole<'s>(&self, shown: impl Iterator<Item = &'s [String]>) -> bool {
        always_whole(shown, &self.arriving, &self.to)
    }

    /// Whether this answer is given only before.
    pub(super) fn leaves(&self, answer: &str) -> bool {
        self.leaving.iter().any(|leaving| leaving == answer)
    }

    pub(super) fn shows_arriving(&self, shows: &[String]) -> bool {
        !self.shows_leaving(shows) && shows.iter().any(|cell| self.arriving.contains(cell))
    }

    fn shows_before(&self, shows: &[String]) -> bool {
        shows.iter().any(|cell| self.from.contains(cell))
    }
}

/// When the change came, and when the old was last seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Boundary {
    pub(super) moment: Option<Interval>,
    pub(super) last_old: Option<LabTime>,
}

/// The boundary after which the old is not seen again: the last observation of what is left, and the first one of
/// what comes, after it. Observations are in the order of time.
///
/// Where a weighted choice keeps some of its cells, one observation of these tells nothing: what is lost has gone, and
/// what is new had not come, only after so many of them in a row that chance would hardly give them. An answer that
/// shows all of its cells at once leaves nothing to chance.
pub(super) fn boundary(signs: &[Sign], change: &Change, window: &Window) -> Boundary {
    let Some(start) = window.start else { return Boundary::default() };
    let all = || signs.iter().filter(|sign| window.holds(sign.at)).map(|sign| sign.shows.as_slice());
    let run_of_new = if always_whole(all(), &change.leaving, &change.from) { 1 } else { change.run_of_new };
    let run_of_old = if change.arrives_whole(all()) { 1 } else { change.run_of_old };
    let inside = || signs.iter().filter(|sign| window.holds(sign.at));
    let last_leaving = inside().filter(|sign| change.shows_leaving(&sign.shows)).map(|sign| sign.at).next_back();
    let first_new = inside()
        .filter(|sign| last_leaving.is_none_or(|leaving| sign.at > leaving))
        .filter(|sign| change.shows_arriving(&sign.shows))
        .nth(run_of_new - 1)
        .map(|sign| sign.at);
    let until = |sign: &&Sign| sign.at <= window.end && first_new.is_none_or(|new| sign.at < new);
    let mut old = signs.iter().rev().filter(until).filter(|sign| change.shows_before(&sign.shows));
    let last_old = match run_of_new {
        1 => old.nth(run_of_old - 1),
        _ => old.find(|sign| change.shows_leaving(&sign.shows)),
    };
    let last_old = last_old.map(|sign| sign.at);
    if last_leaving.is_none() && was_new_before(signs, change, start) {
        return Boundary::default();
    }
    let moment = first_new.map(|until| Interval { after: last_old.unwrap_or(start.after).min(until), until });
    Boundary { moment, last_old }
}

/// Whether every observation that shows some of these cells shows `all` of them, and there is one.
fn always_whole<'s>(shown: impl Iterator<Item = &'s [String]>, some: &[String], all: &[String]) -> bool {
    let mut showing = shown.filter(|shows| shows.iter().any(|cell| some.contains(cell))).peekable();
    showing.peek().is_some() && showing.all(|shows| all.iter().all(|cell| shows.contains(cell)))
}

/// Whether the new was there before the leg began: then nothing changed in it.
fn was_new_before(signs: &[Sign], change: &Change, start: Interval) -> bool {
    let mut before = signs.iter().rev().filter(|sign| sign.at < start.after);
    let last = before.find(|sign| change.shows_before(&sign.shows) || change.shows_arriving(&sign.shows));
    last.is_some_and(|sign| !change.shows_before(&sign.shows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::synthetic::at;

    fn signs(text: &str) -> Vec<Sign> {
        (0_u32..)
            .zip(text.chars())
            .map(|(now, cell)| Sign { at: at(f64::from(now)), shows: vec![cell.into()] })
            .collect()
    }

    fn change(from: &str, to: &str) -> Change {
        let cells = |text: &str| text.chars().map(String::from).collect();
        Change::of([&Move { from: cells(from), to: cells(to) }])
    }

    fn crossed(text: &str, from: &str, to: &str) -> Option<(f64, f64)> {
        let window =
            Window { start: Some(Interval { after: at(1.0), until: at(2.0) }), end: at(100.0), complete: true };
        let moment = boundary(&signs(text), &change(from, to), &window).moment?;
        Some((moment.after.as_secs_f64(), moment.until.as_secs_f64()))
    }

    #[test]
    fn the_boundary_lies_between_the_last_old_and_the_first_new() {
        assert_eq!(crossed("aaaaabbb", "a", "b"), Some((4.0, 5.0)));
    }

    #[test]
    fn what_comes_back_to_the_old_has_not_yet_changed() {
        assert_eq!(crossed("aaabbaabbb", "a", "b"), Some((6.0, 7.0)));
        assert_eq!(crossed("aaabba", "a", "b"), None);
    }

    #[test]
    fn what_was_new_before_the_leg_did_not_change_in_it() {
        assert_eq!(crossed("bbbbbb", "a", "b"), None);
        assert_eq!(crossed("bbbabb", "a", "b"), Some((3.0, 4.0)));
    }

    #[test]
    fn an_observation_that_tells_nothing_leaves_the_boundary_wide() {
        assert_eq!(crossed("aaa..bb", "a", "b"), Some((2.0, 5.0)));
    }

    #[test]
    fn of_a_weighted_choice_that_loses_a_cell_only_that_cell_counts() {
        // Seven in a row: one half to the seventh is below one in a hundred.
        assert_eq!(crossed("abababbbbbbbbbb", "ab", "b"), Some((4.0, 11.0)));
        assert_eq!(crossed("abababbbb", "ab", "b"), None);
    }

    fn crossed_by(texts: &[&str], from: &str, to: &str) -> Option<(f64, f64)> {
        let sign = |(now, cells): (u32, &&str)| Sign {
            at: at(f64::from(now)),
            shows: cells.chars().map(String::from).collect(),
        };
        let signs: Vec<Sign> = (0_u32..).zip(texts).map(sign).collect();
        let window =
            Window { start: Some(Interval { after: at(1.0), until: at(2.0) }), end: at(100.0), complete: true };
        let moment = boundary(&signs, &change(from, to), &window).moment?;
        Some((moment.after.as_secs_f64(), moment.until.as_secs_f64()))
    }

    #[test]
    fn an_answer_that_shows_all_its_cells_at_once_leaves_nothing_to_chance() {
        assert_eq!(crossed_by(&["ab", "ab", "ab", "b", "b"], "ab", "b"), Some((2.0, 3.0)));
        assert_eq!(crossed_by(&["b", "b", "b", "ab", "ab"], "b", "ab"), Some((2.0, 3.0)));
        assert_eq!(crossed_by(&["ab", "ab", "a", "b", "b"], "ab", "b"), None, "one answer alone did not show all");
    }

    #[test]
    fn of_a_weighted_choice_that_gains_a_cell_only_that_cell_counts() {
        assert_eq!(crossed("bbbbbbbbbbabab", "b", "ab"), Some((3.0, 10.0)));
    }
}
