//! What an image is made from, as a digest: its files, and what it is built on.

use std::fmt;

use sha2::{Digest, Sha256};

use super::Image;

/// The SHA-256 of what an image is made from, in hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MadeFrom(String);

impl MadeFrom {
    /// Of an image that is built on `below`; of one that is built on nothing without it.
    ///
    /// Each part goes in with its length before it, so that no two sets of files can be taken for one another.
    #[must_use]
    pub fn of(image: &Image, below: Option<&Self>) -> Self {
        let mut digest = Sha256::new();
        let mut part = |bytes: &[u8]| {
            digest.update((bytes.len() as u64).to_be_bytes());
            digest.update(bytes);
        };
        part(image.name.as_bytes());
        part(below.map_or("", Self::as_str).as_bytes());
        for (name, content) in image.files {
            part(name.as_bytes());
            part(content.as_bytes());
        }
        Self(hex(&digest.finalize()))
    }

    /// Of an image that muster did not make, or not from files alone: the engine's id tells which it is.
    #[must_use]
    pub fn of_id(id: &str) -> Self {
        Self(hex(&Sha256::digest(id.as_bytes())))
    }

    /// As a label says it.
    #[must_use]
    pub fn of_label(label: &str) -> Self {
        Self(label.to_owned())
    }

    /// All of it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The tag of an image that is made from this.
    #[must_use]
    pub fn tag(&self) -> &str {
        self.0.get(..12).unwrap_or(&self.0)
    }
}

impl fmt::Display for MadeFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        for digit in [byte >> 4, byte & 0xf] {
            text.push(char::from_digit(u32::from(digit), 16).unwrap_or('0'));
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use crate::images::catalogue::Recipe;

    use super::*;

    const fn image(files: &'static [(&'static str, &'static str)]) -> Image {
        Image { name: "unbound", what: "", recipe: Recipe::Import, files }
    }

    #[test]
    fn the_digest_changes_with_every_part_and_with_nothing_else() {
        let below = MadeFrom::of_id("sha256:1");
        let of = |files, below: &MadeFrom| MadeFrom::of(&image(files), Some(below));
        let first = of(&[("Dockerfile", "FROM a")], &below);
        assert_eq!(first, of(&[("Dockerfile", "FROM a")], &MadeFrom::of_id("sha256:1")));
        for other in [
            of(&[("Dockerfile", "FROM b")], &below),
            of(&[("dockerfile", "FROM a")], &below),
            of(&[("Dockerfile", "FROM a"), ("entry.sh", "")], &below),
            of(&[("DockerfileFROM", " a")], &below),
            of(&[("Dockerfile", "FROM a")], &MadeFrom::of_id("sha256:2")),
            MadeFrom::of(&image(&[("Dockerfile", "FROM a")]), None),
        ] {
            assert_ne!(first, other);
        }
    }

    #[test]
    fn a_tag_is_the_first_twelve_digits() {
        let made_from = MadeFrom::of_id("sha256:1");
        assert_eq!(made_from.as_str().len(), 64);
        assert_eq!(made_from.tag(), &made_from.as_str()[..12]);
        assert_eq!(MadeFrom::of_label("short").tag(), "short");
    }
}
