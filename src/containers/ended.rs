//! How containers ended, read out of the engine's words: pure.

use std::collections::{BTreeMap, BTreeSet};

use bollard::models::{EventMessage, EventMessageTypeEnum};

/// How many characters of a container's log are told when it fails.
const LOG_CHARACTERS: usize = 4000;

/// A container that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Its name.
    pub container: String,
    /// Its exit code, as the engine tells it; `None`: somebody has removed it.
    pub code: Option<String>,
}

/// The end of which this event tells, if it tells of one.
pub(super) fn ended(event: EventMessage) -> Option<Ended> {
    if event.typ != Some(EventMessageTypeEnum::CONTAINER) {
        return None;
    }
    let mut attributes = event.actor?.attributes?;
    let code = attributes.remove("exitCode").unwrap_or_default();
    Some(Ended { container: attributes.remove("name")?, code: Some(code) })
}

/// The end of a log: a program may say as much as it likes, without a line's end.
pub(super) fn ending(text: &str) -> String {
    let skipped = text.chars().count().saturating_sub(LOG_CHARACTERS);
    if skipped == 0 { text.to_owned() } else { format!("… {}", text.chars().skip(skipped).collect::<String>()) }
}

/// Out of the engine's words for each container that it lists: `Exited (7) 3 seconds ago`, `Up 3 seconds (Paused)`.
pub(super) fn dead(made: &BTreeSet<&str>, listed: &BTreeMap<String, String>) -> Vec<Ended> {
    let ended = |name: &&str| match listed.get(*name) {
        None => Some(Ended { container: (*name).to_owned(), code: None }),
        Some(status) if status.starts_with("Exited") || status.starts_with("Dead") => {
            let code = status.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(code, _)| code);
            Some(Ended { container: (*name).to_owned(), code: Some(code.to_owned()) })
        }
        Some(_) => None,
    };
    made.iter().filter_map(ended).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_a_container_ended_is_read_out_of_the_engines_words() {
        let ended = |container: &str, code: Option<&str>| {
            let (container, code) = (container.to_owned(), code.map(str::to_owned));
            Ended { container, code }
        };
        let listed = [
            ("hub", "Exited (7) 3 seconds ago"),
            ("cell", "Dead"),
            ("isp", "Up 3 seconds (Paused)"),
            ("web", "Created"),
        ];
        let listed = listed.map(|(name, status)| (name.to_owned(), status.to_owned())).into();
        let made = ["hub", "cell", "isp", "web", "removed"].into();
        let dead = dead(&made, &listed);
        assert_eq!(dead, [ended("cell", Some("")), ended("hub", Some("7")), ended("removed", None)]);
    }

    #[test]
    fn of_a_log_without_end_the_end_is_told() {
        assert_eq!(ending("boom\n"), "boom\n");
        let long = format!("{}boom", "é".repeat(LOG_CHARACTERS));
        let told = ending(&long);
        assert!(told.starts_with("… é") && told.ends_with("éboom"), "{told}");
        assert_eq!(told.chars().count(), LOG_CHARACTERS + 2);
    }
}
