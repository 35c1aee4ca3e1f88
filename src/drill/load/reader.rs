//! What every part of loading shares: where a path stands in the file, and the list of mistakes.

use std::time::Duration;

use crate::source::SourceMap;

use super::super::error::{DrillError, Noun, Problem};
use super::super::schema::WrittenDuration;
use crate::plan::Family;
use crate::plan::expectation::Leg;

/// The longest duration that a drill may write: a day. Longer ones are typing errors.
const LONGEST: Duration = Duration::from_hours(24);

/// Collects mistakes, each with its place in the drill file.
pub(super) struct Reader<'a> {
    map: &'a SourceMap,
    pub(super) errors: Vec<DrillError>,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(map: &'a SourceMap) -> Self {
        Self { map, errors: Vec::new() }
    }

    /// `drills/database-down.yaml:40:5`.
    pub(super) fn place(&self, path: &str) -> String {
        self.map.value(path).to_string()
    }

    /// Notes a mistake in the value at `path`.
    pub(super) fn complain(&mut self, path: &str, problem: Problem) {
        self.errors.push(DrillError::Drill { at: self.map.value(path), problem });
    }

    /// Notes keys that mean nothing for `what`.
    pub(super) fn without(&mut self, parent: &str, what: &str, keys: &[(&'static str, bool)]) {
        for (key, _) in keys.iter().filter(|(_, set)| *set) {
            let problem = Problem::DoesNotApply { key, what: what.to_owned() };
            self.complain_of_key(&format!("{parent}.{key}"), problem);
        }
    }

    /// Notes a mistake in the last key of `path`.
    pub(super) fn complain_of_key(&mut self, path: &str, problem: Problem) {
        self.errors.push(DrillError::Drill { at: self.map.key(path), problem });
    }

    /// The duration at `path`, above zero and at most a day.
    pub(super) fn duration(&mut self, path: &str, key: &'static str, written: &WrittenDuration) -> Option<Duration> {
        let problem = match written {
            WrittenDuration::Number(number) => Problem::NoUnit { number: number.clone() },
            WrittenDuration::Text(text) => match humantime::parse_duration(text.trim()) {
                Ok(Duration::ZERO) => Problem::ZeroDuration { text: text.clone() },
                Ok(duration) if duration > LONGEST => out_of_range(key, duration, "at most 1day"),
                Ok(duration) => return Some(duration),
                // A text such as "15" is a number without its unit as well.
                Err(_) if text.trim().parse::<f64>().is_ok() => Problem::NoUnit { number: text.trim().to_owned() },
                Err(error) => Problem::NotADuration { text: text.clone(), problem: error.to_string() },
            },
        };
        self.complain(path, problem);
        None
    }

    /// The duration of a key below `parent` for which no time is an answer too; at most a day.
    pub(super) fn duration_or_zero(
        &mut self,
        parent: &str,
        key: &'static str,
        written: &WrittenDuration,
    ) -> Option<Duration> {
        if let WrittenDuration::Text(text) = written
            && humantime::parse_duration(text.trim()) == Ok(Duration::ZERO)
        {
            return Some(Duration::ZERO);
        }
        self.duration(&format!("{parent}.{key}"), key, written)
    }

    /// The duration of an optional key below `parent`, or its default.
    pub(super) fn duration_or(
        &mut self,
        parent: &str,
        key: &'static str,
        written: Option<&WrittenDuration>,
        default: Duration,
    ) -> Duration {
        written.and_then(|written| self.duration(&format!("{parent}.{key}"), key, written)).unwrap_or(default)
    }

    /// Notes a duration that is below `least`.
    pub(super) fn at_least(&mut self, parent: &str, key: &'static str, found: Duration, least: Duration) {
        if found < least {
            let expected = format!("at least {}", humantime::format_duration(least));
            self.complain(&format!("{parent}.{key}"), out_of_range(key, found, &expected));
        }
    }

    /// Notes a duration that is below `least`, and why no less makes sense.
    pub(super) fn at_least_for(
        &mut self,
        parent: &str,
        key: &'static str,
        found: Duration,
        least: Duration,
        why: &str,
    ) {
        if found < least {
            let expected = format!("at least {}: {why}", humantime::format_duration(least));
            self.complain(&format!("{parent}.{key}"), out_of_range(key, found, &expected));
        }
    }

    /// Notes a duration that is above `most`, and why no more can be had.
    pub(super) fn at_most_for(&mut self, parent: &str, key: &'static str, found: Duration, most: Duration, why: &str) {
        if found > most {
            let expected = format!("at most {}: {why}", humantime::format_duration(most));
            self.complain(&format!("{parent}.{key}"), out_of_range(key, found, &expected));
        }
    }

    /// Notes a duration that is out of bounds.
    pub(super) fn within(&mut self, parent: &str, key: &'static str, found: Duration, least: Duration, most: Duration) {
        if !(least..=most).contains(&found) {
            let format = humantime::format_duration;
            let expected = format!("{} to {}", format(least), format(most));
            self.complain(&format!("{parent}.{key}"), out_of_range(key, found, &expected));
        }
    }

    /// The number of an optional key below `parent` within bounds, or its default.
    pub(super) fn number_or(
        &mut self,
        parent: &str,
        key: &'static str,
        found: Option<u32>,
        default: u32,
        (least, most): (u32, u32),
    ) -> u32 {
        let number = found.unwrap_or(default);
        if !(least..=most).contains(&number) {
            let expected = format!("{least} to {most}");
            self.complain(&format!("{parent}.{key}"), Problem::OutOfRange { key, found: number.to_string(), expected });
        }
        number
    }

    /// Whether `name` is one of `known`; a mistake when not.
    pub(super) fn known<'n>(
        &mut self,
        path: &str,
        noun: Noun,
        name: &str,
        known: impl Iterator<Item = &'n str> + Clone,
    ) -> bool {
        let found = known.clone().any(|other| other == name);
        if !found {
            let known = known.map(str::to_owned).collect();
            self.complain(path, Problem::Unknown { noun, name: name.to_owned(), known });
        }
        found
    }

    /// The meaning of a word out of a short list.
    pub(super) fn word<T: Copy>(&mut self, path: &str, noun: Noun, word: &str, words: &[(&str, T)]) -> Option<T> {
        let known = words.iter().map(|(known, _)| *known);
        if !self.known(path, noun, word, known) {
            return None;
        }
        words.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning)
    }

    /// `A` when the key is missing.
    pub(super) fn family(&mut self, path: &str, word: Option<&str>) -> Family {
        let words = [("A", Family::A), ("AAAA", Family::Aaaa)];
        word.and_then(|word| self.word(path, Noun::Family, word, &words)).unwrap_or_default()
    }

    /// The failover when the key is missing.
    pub(super) fn leg(&mut self, path: &str, word: Option<&str>) -> Leg {
        let words = [("failover", Leg::Failover), ("failback", Leg::Failback)];
        word.and_then(|word| self.word(path, Noun::Leg, word, &words)).unwrap_or_default()
    }

    /// Whether exactly one of the keys stands at `path`.
    pub(super) fn exactly_one(&mut self, path: &str, keys: &'static [&'static str], found: &[bool]) -> bool {
        let found = found.iter().filter(|present| **present).count();
        if found != 1 {
            self.complain(path, Problem::NotExactlyOne { keys, found });
        }
        found == 1
    }
}

fn out_of_range(key: &'static str, found: Duration, expected: &str) -> Problem {
    let found = humantime::format_duration(found).to_string();
    Problem::OutOfRange { key, found, expected: expected.to_owned() }
}
