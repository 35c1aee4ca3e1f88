//! The answers seen, a line for each question: what was answered first, and what then, when.

use std::collections::BTreeMap;

use crate::clock::LabTime;
use crate::journal::event::Server;
use crate::plan::Family;
use crate::timeline::measure::{NOTHING_CACHED, Seen};
use crate::verdict::wording::secs;

/// More changes than this are a weighted choice, or trouble: then the answers are only counted.
const TOLD_ONE_BY_ONE: usize = 6;

/// One line for each question, with what answered it.
pub(super) fn lines(seen: &[Seen]) -> Vec<String> {
    let names: Vec<String> = seen.iter().map(who).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    names.iter().zip(seen).map(|(name, seen)| format!("{name:width$}  {}", told(seen))).collect()
}

fn who(seen: &Seen) -> String {
    let place = match &seen.server {
        Server::Authoritative => seen.place.clone(),
        Server::Resolver(name) => format!("{name} (cache)"),
    };
    match seen.family {
        Family::A => place,
        Family::Aaaa => format!("{place} AAAA"),
    }
}

/// An empty cache between two answers is the rule, not news: it is left out, unless there is nothing else.
fn told(seen: &Seen) -> String {
    let mut answers: Vec<&(LabTime, String)> =
        seen.answers.iter().filter(|(_, answer)| answer != NOTHING_CACHED).collect();
    answers.dedup_by(|(_, after), (_, before)| after == before);
    let Some(((_, first), rest)) = answers.split_first() else {
        return if seen.answers.is_empty() { "nothing".to_owned() } else { NOTHING_CACHED.to_owned() };
    };
    if answers.len() > TOLD_ONE_BY_ONE {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, answer) in &answers {
            *counts.entry(answer).or_default() += 1;
        }
        let turns: Vec<String> = counts.iter().map(|(answer, count)| format!("{answer} {count}×")).collect();
        return format!("{}, in turns", turns.join(", "));
    }
    rest.iter().fold(first.clone(), |line, (at, answer)| format!("{line} → {answer} at {}", secs(at.since_start())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::synthetic::at;

    fn line(server: Server, answers: &[&str]) -> String {
        let seen = Seen {
            server,
            name: "app.example.com.".into(),
            family: Family::Aaaa,
            place: "Brazil".into(),
            answers: (1_u32..).zip(answers).map(|(now, answer)| (at(f64::from(now)), (*answer).to_owned())).collect(),
        };
        lines(&[seen]).remove(0)
    }

    #[test]
    fn an_empty_cache_between_two_answers_is_left_out() {
        let resolver = || Server::Resolver("br-isp".into());
        assert_eq!(
            line(resolver(), &["a", NOTHING_CACHED, "a", NOTHING_CACHED, "b"]),
            "br-isp (cache) AAAA  a → b at 5 s"
        );
        assert_eq!(line(resolver(), &[NOTHING_CACHED]), "br-isp (cache) AAAA  nothing cached");
    }

    #[test]
    fn a_choice_that_changes_all_the_time_is_counted() {
        assert_eq!(
            line(Server::Authoritative, &["a", "b", "a", "b", "a", "b", "a"]),
            "Brazil AAAA  a 4×, b 3×, in turns"
        );
    }
}
