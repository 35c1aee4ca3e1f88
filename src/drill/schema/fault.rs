//! What breaks, in the words of the catalogue.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};

use crate::fault::CATALOGUE;

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

/// One fault: exactly one word of the catalogue, with the cell, the health check or the routing control that it is
/// done to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultFile(pub BTreeMap<&'static str, String>);

impl<'de> Deserialize<'de> for FaultFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Words;
        impl<'de> Visitor<'de> for Words {
            type Value = FaultFile;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a fault and what it is done to, for example `kill-region: eu-west-1`")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<FaultFile, A::Error> {
                let mut faults = BTreeMap::new();
                while let Some(written) = map.next_key::<String>()? {
                    let known = WORDS.iter().find(|word| **word == written);
                    let word = known.ok_or_else(|| A::Error::unknown_field(&written, WORDS))?;
                    faults.insert(*word, map.next_value()?);
                }
                Ok(FaultFile(faults))
            }
        }
        deserializer.deserialize_map(Words)
    }
}
