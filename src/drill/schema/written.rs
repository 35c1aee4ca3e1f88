//! Values as people write them: durations with their unit, one text or several.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Unexpected, Visitor};

/// A duration as it stands in the file: `15s`, `1m 30s`. A bare number is kept, so that its error can name the unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrittenDuration {
    /// A text; perhaps with a unit.
    Text(String),
    /// A number without a unit.
    Number(String),
}

impl<'de> Deserialize<'de> for WrittenDuration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Written;
        impl Visitor<'_> for Written {
            type Value = WrittenDuration;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a duration with its unit, for example `15s` or `1m 30s`")
            }
            fn visit_str<E>(self, text: &str) -> Result<WrittenDuration, E> {
                Ok(WrittenDuration::Text(text.to_owned()))
            }
            fn visit_u64<E>(self, number: u64) -> Result<WrittenDuration, E> {
                Ok(WrittenDuration::Number(number.to_string()))
            }
            fn visit_i64<E>(self, number: i64) -> Result<WrittenDuration, E> {
                Ok(WrittenDuration::Number(number.to_string()))
            }
            fn visit_f64<E>(self, number: f64) -> Result<WrittenDuration, E> {
                Ok(WrittenDuration::Number(number.to_string()))
            }
        }
        deserializer.deserialize_any(Written)
    }
}

/// One text, or a list of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OneOrMore {
    /// `address: 203.0.113.10`
    One(String),
    /// `address: [203.0.113.10, 2001:db8::10]`, `is: [sa-east-1a, sa-east-1b]`
    More(Vec<String>),
}

impl OneOrMore {
    /// Each text, with what its path has below that of the whole.
    pub(in super::super) fn iter(&self) -> impl Iterator<Item = (String, &str)> {
        let (one, more) = match self {
            Self::One(text) => (Some((String::new(), text.as_str())), &[][..]),
            Self::More(texts) => (None, texts.as_slice()),
        };
        let more = more.iter().enumerate().map(|(index, text)| (format!(".{index}"), text.as_str()));
        one.into_iter().chain(more)
    }
}

impl<'de> Deserialize<'de> for OneOrMore {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Texts;
        impl<'de> Visitor<'de> for Texts {
            type Value = OneOrMore;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("one text, or a list of them")
            }
            fn visit_str<E>(self, text: &str) -> Result<OneOrMore, E> {
                Ok(OneOrMore::One(text.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<OneOrMore, A::Error> {
                let mut texts = Vec::new();
                while let Some(text) = seq.next_element()? {
                    texts.push(text);
                }
                if texts.is_empty() {
                    return Err(A::Error::invalid_length(0, &"at least one"));
                }
                Ok(OneOrMore::More(texts))
            }
        }
        deserializer.deserialize_any(Texts)
    }
}

/// Settings, or the word `none` for something that is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrNone<T> {
    /// Its settings.
    Settings(T),
    /// `none`
    None,
}

impl<T: Default> Default for OrNone<T> {
    fn default() -> Self {
        Self::Settings(T::default())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OrNone<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SettingsOrNone<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for SettingsOrNone<T> {
            type Value = OrNone<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("settings, or the word `none`")
            }
            fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<OrNone<T>, E> {
                if word == "none" { Ok(OrNone::None) } else { Err(E::invalid_value(Unexpected::Str(word), &self)) }
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<OrNone<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(OrNone::Settings)
            }
        }
        deserializer.deserialize_any(SettingsOrNone(PhantomData))
    }
}
