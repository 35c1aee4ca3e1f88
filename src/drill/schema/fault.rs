//! What breaks, in the words of the catalogue.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};

use crate::fault::{CATALOGUE, KILL_TARGETS, SILENCE_AUTHORITATIVE};

/// The catalogue's words, in its order.
const WORDS: &[&str] = &{
    let mut words = [""; CATALOGUE.len()];
    let mut index = 0;
    while index < words.len() {
        words[index] = CATALOGUE[index].word;
        index += 1;
    }
    words
};

/// One fault: exactly one word of the catalogue, with what it is done to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultFile(pub BTreeMap<&'static str, OfFile>);

/// What a fault is done to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OfFile {
    /// A cell, a health check or a routing control.
    Named(String),
    /// Some targets of a cell.
    Targets(TargetsFile),
    /// What has no name: the word stands alone.
    Nothing,
}

/// Some targets of a cell: `{ cell: sa-east-1, targets: 1 }` or `{ cell: sa-east-1, zone: sa-east-1a }`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "which targets, for example `{ cell: sa-east-1, targets: 1 }`")]
pub struct TargetsFile {
    /// The cell.
    pub cell: String,
    /// So many, the first ones. This, or `zone`.
    pub targets: Option<usize>,
    /// All of this zone.
    pub zone: Option<String>,
}

impl<'de> Deserialize<'de> for FaultFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Words;
        impl<'de> Visitor<'de> for Words {
            type Value = FaultFile;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a fault and what it is done to, for example `kill-region: eu-west-1`")
            }
            fn visit_str<E: serde::de::Error>(self, written: &str) -> Result<FaultFile, E> {
                match WORDS.iter().find(|word| **word == written) {
                    None => Err(E::unknown_variant(written, WORDS)),
                    Some(word) if *word == SILENCE_AUTHORITATIVE => {
                        Ok(FaultFile(BTreeMap::from([(*word, OfFile::Nothing)])))
                    }
                    Some(word) => Err(E::custom(format_args!(
                        "`{word}` alone does not say what it is done to; write `{word}: <name>`"
                    ))),
                }
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<FaultFile, A::Error> {
                let mut faults = BTreeMap::new();
                while let Some(written) = map.next_key::<String>()? {
                    let known = WORDS.iter().find(|word| **word == written);
                    let word = known.ok_or_else(|| A::Error::unknown_field(&written, WORDS))?;
                    if *word == SILENCE_AUTHORITATIVE {
                        return Err(A::Error::custom(format_args!(
                            "there is but one authoritative server; write `fault: {word}`"
                        )));
                    }
                    let of = if *word == KILL_TARGETS {
                        OfFile::Targets(map.next_value()?)
                    } else {
                        OfFile::Named(map.next_value()?)
                    };
                    faults.insert(*word, of);
                }
                Ok(FaultFile(faults))
            }
        }
        deserializer.deserialize_any(Words)
    }
}
