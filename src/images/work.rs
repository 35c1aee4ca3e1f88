//! What is to be built, in which order, and what is out of date. Pure: what the engine has is an argument.

use std::collections::{BTreeMap, BTreeSet};

use super::{CATALOGUE, Held, Image, MadeFrom};

/// What each image that stands on this Debian is to be made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Targets(BTreeMap<&'static str, MadeFrom>);

impl Targets {
    /// With the Debian of this id, which the engine has.
    #[must_use]
    pub fn on(debian: &str) -> Self {
        let mut targets = BTreeMap::new();
        // Each comes after the one that it is built on.
        for image in CATALOGUE {
            let made_from = match image.on() {
                None => MadeFrom::of_id(debian),
                Some(below) => MadeFrom::of(image, targets.get(below.name)),
            };
            targets.insert(image.name, made_from);
        }
        Self(targets)
    }

    /// What this image is to be made from; `None` of one that the catalogue does not have.
    #[must_use]
    pub fn of(&self, name: &str) -> Option<&MadeFrom> {
        self.0.get(name)
    }
}

/// The Debian that muster itself made, from the script as it is now.
#[must_use]
pub fn own_debian(held: &[Held]) -> Option<&Held> {
    let script = CATALOGUE.iter().find(|image| image.on().is_none())?;
    let made_from = MadeFrom::of(script, None);
    held.iter().filter(|held| held.name == script.name && held.made_from == made_from).max_by_key(|held| held.created)
}

/// The images that these need, themselves included, in the order of the catalogue; all when none is named.
#[must_use]
pub fn needed(names: &[String]) -> Vec<&'static Image> {
    let mut needed = BTreeSet::new();
    for name in names {
        let mut next = Image::named(name);
        while let Some(image) = next {
            needed.insert(image.name);
            next = image.on();
        }
    }
    CATALOGUE.iter().filter(|image| names.is_empty() || needed.contains(image.name)).collect()
}

/// What is left to build of `images`, in waves: those of one wave stand on earlier waves only.
#[must_use]
pub fn waves(
    images: &[&'static Image],
    targets: &Targets,
    held: &[Held],
    again: &[String],
) -> Vec<Vec<&'static Image>> {
    let missing =
        |image: &Image| again.iter().any(|name| name == image.name) || current(image.name, targets, held).is_none();
    let mut waves: BTreeMap<usize, Vec<&'static Image>> = BTreeMap::new();
    for &image in images.iter().filter(|image| image.on().is_some() && missing(image)) {
        waves.entry(depth(image)).or_default().push(image);
    }
    waves.into_values().collect()
}

/// The image of this name as it is to be, when the engine has it.
#[must_use]
pub fn current<'h>(name: &str, targets: &Targets, held: &'h [Held]) -> Option<&'h Held> {
    let wanted = targets.of(name)?;
    held.iter().filter(|held| held.name == name && held.made_from == *wanted).max_by_key(|held| held.created)
}

fn depth(image: &Image) -> usize {
    image.on().map_or(0, |below| 1 + depth(below))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(name: &str, made_from: &MadeFrom) -> Held {
        Held {
            name: name.to_owned(),
            made_from: made_from.clone(),
            id: format!("sha256:{name}"),
            tag: format!("muster/{name}:{}", made_from.tag()),
            size: 1,
            created: 1,
        }
    }

    fn names(waves: &[Vec<&Image>]) -> Vec<Vec<&'static str>> {
        waves.iter().map(|wave| wave.iter().map(|image| image.name).collect()).collect()
    }

    fn all_but_debian() -> impl Iterator<Item = &'static str> {
        CATALOGUE.iter().filter(|image| image.on().is_some()).map(|image| image.name)
    }

    #[test]
    fn an_image_brings_those_it_stands_on_and_no_others() {
        let needed: Vec<_> = needed(&["dnsmasq".to_owned()]).iter().map(|image| image.name).collect();
        assert_eq!(needed, ["debian", "base", "dnsmasq"]);
        assert_eq!(super::needed(&[]).len(), CATALOGUE.len());
    }

    #[test]
    fn the_base_is_built_first_and_the_others_beside_one_another() {
        let targets = Targets::on("sha256:d");
        let waves = waves(&needed(&["bind".to_owned(), "dnsmasq".to_owned()]), &targets, &[], &[]);
        assert_eq!(names(&waves), [vec!["base"], vec!["bind", "dnsmasq"]]);
    }

    #[test]
    fn what_is_as_it_should_be_is_not_built_again_unless_asked_for() {
        let targets = Targets::on("sha256:d");
        let have: Vec<Held> = all_but_debian().map(|name| held(name, targets.of(name).unwrap())).collect();
        assert!(waves(&needed(&[]), &targets, &have, &[]).is_empty());
        let again = waves(&needed(&[]), &targets, &have, &["dnsmasq".to_owned()]);
        assert_eq!(names(&again), [vec!["dnsmasq"]]);
    }

    #[test]
    fn another_debian_makes_everything_out_of_date() {
        let before = Targets::on("sha256:d");
        let have: Vec<Held> = all_but_debian().map(|name| held(name, before.of(name).unwrap())).collect();
        let after = Targets::on("sha256:e");
        assert!(all_but_debian().all(|name| current(name, &before, &have).is_some()));
        assert!(all_but_debian().all(|name| current(name, &after, &have).is_none()));
    }

    #[test]
    fn the_debian_of_another_script_is_not_taken() {
        let script = MadeFrom::of(Image::named("debian").unwrap(), None);
        assert_eq!(own_debian(&[held("debian", &MadeFrom::of_id("x"))]), None);
        assert_eq!(own_debian(&[held("dnsmasq", &script)]), None);
        let mut newer = held("debian", &script);
        newer.created = 2;
        assert_eq!(own_debian(&[held("debian", &script), newer.clone()]), Some(&newer));
    }
}
