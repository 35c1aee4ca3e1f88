//! What of the catalogue an engine has, and what else of muster's: pure.

use serde::Serialize;

use super::work::{Targets, current, own_debian};
use super::{CATALOGUE, Held};

/// One line of the inventory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// The image's name.
    pub image: String,
    /// How it stands.
    pub state: State,
    /// Its tag, when it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// Bytes, with the layers that it shares with others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
}

/// How an image stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Made from what it should be made from.
    UpToDate,
    /// Made from something else: an older muster's files, or another Debian.
    OutOfDate,
    /// Not there.
    NotBuilt,
    /// Not there, and not needed: the engine has a Debian that muster did not make.
    NotNeeded,
}

/// Every image of the catalogue, then what is out of date. `debian` is the id of the Debian that the engine has.
#[must_use]
pub fn inventory(held: &[Held], debian: Option<&str>) -> Vec<Entry> {
    let targets = debian.map(Targets::on);
    let mut entries = Vec::new();
    for image in CATALOGUE {
        let found = match image.on() {
            None => own_debian(held),
            Some(_) => targets.as_ref().and_then(|targets| current(image.name, targets, held)),
        };
        entries.push(match found {
            Some(found) => entry(found, State::UpToDate),
            None => Entry {
                image: image.name.to_owned(),
                state: if image.on().is_none() && debian.is_some() { State::NotNeeded } else { State::NotBuilt },
                tag: None,
                size: None,
            },
        });
    }
    let mut old = out_of_date(held, debian);
    old.sort_by(|a, b| (&a.name, a.created).cmp(&(&b.name, b.created)));
    entries.extend(old.into_iter().map(|held| entry(held, State::OutOfDate)));
    entries
}

/// Those that are made from something other than they should be, or that a newer one of the same make replaced.
#[must_use]
pub fn out_of_date<'h>(held: &'h [Held], debian: Option<&str>) -> Vec<&'h Held> {
    let targets = debian.map(Targets::on);
    let fresh = |one: &Held| {
        let current = targets.as_ref().and_then(|targets| current(&one.name, targets, held));
        [own_debian(held), current].into_iter().flatten().any(|fresh| fresh.id == one.id)
    };
    held.iter().filter(|one| !fresh(one)).collect()
}

fn entry(held: &Held, state: State) -> Entry {
    Entry { image: held.name.clone(), state, tag: Some(held.tag.clone()), size: Some(held.size) }
}

#[cfg(test)]
mod tests {
    use crate::images::MadeFrom;

    use super::*;

    fn held(name: &str, made_from: &MadeFrom, created: i64) -> Held {
        Held {
            name: name.to_owned(),
            made_from: made_from.clone(),
            id: format!("sha256:{name}-{created}"),
            tag: format!("muster/{name}:{}", made_from.tag()),
            size: 7,
            created,
        }
    }

    fn state<'e>(entries: &'e [Entry], name: &str) -> Vec<(State, &'e str)> {
        let tag = |entry: &'e Entry| entry.tag.as_deref().unwrap_or_default();
        entries.iter().filter(|entry| entry.image == name).map(|entry| (entry.state, tag(entry))).collect()
    }

    #[test]
    fn an_engine_without_images_has_everything_still_to_build() {
        let entries = inventory(&[], None);
        assert_eq!(entries.len(), CATALOGUE.len());
        assert!(entries.iter().all(|entry| entry.state == State::NotBuilt));
    }

    #[test]
    fn an_image_of_an_older_muster_is_listed_beside_the_one_that_replaces_it() {
        let now = Targets::on("sha256:d");
        let (fresh, stale) = (now.of("bind").unwrap(), MadeFrom::of_id("before"));
        let have = [held("bind", fresh, 2), held("bind", &stale, 1), held("gone", &stale, 1)];
        let entries = inventory(&have, Some("sha256:d"));
        let (fresh, old) = (format!("muster/bind:{}", fresh.tag()), format!("muster/bind:{}", stale.tag()));
        assert_eq!(state(&entries, "bind"), [(State::UpToDate, &*fresh), (State::OutOfDate, &*old)]);
        assert_eq!(state(&entries, "gone").len(), 1);
        assert_eq!(state(&entries, "debian"), [(State::NotNeeded, "")]);
        let old: Vec<_> = out_of_date(&have, Some("sha256:d")).iter().map(|held| &*held.name).collect();
        assert_eq!(old, ["bind", "gone"]);
    }

    #[test]
    fn the_debian_that_muster_made_is_up_to_date() {
        let script = MadeFrom::of(&CATALOGUE[0], None);
        let have = [held("debian", &script, 1)];
        let entries = inventory(&have, Some(&have[0].id));
        assert_eq!(state(&entries, "debian")[0].0, State::UpToDate);
        assert!(out_of_date(&have, Some(&have[0].id)).is_empty());
    }
}
