//! What a file's schema expects where nothing stands: asked of the type itself, so that no message can say otherwise.

use std::iter::once;

use serde::Deserialize;
use serde::de::value::{Error, MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, Error as _, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

use crate::source::Segment;

/// What `T` says of nothing at `path`: what it expects there, or that it has no such key.
pub(super) fn of<'de, T: Deserialize<'de>>(path: &'de [Segment]) -> Option<String> {
    T::deserialize(Nothing { below: path }).err().map(|error| error.to_string())
}

/// A document in which there is nothing but the way to nothing.
#[derive(Clone, Copy)]
struct Nothing<'de> {
    below: &'de [Segment],
}

impl<'de> Deserializer<'de> for Nothing<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.below.split_first() {
            None => Err(Error::invalid_type(Unexpected::Unit, &visitor)),
            Some((Segment::Key(key), below)) => {
                visitor.visit_map(MapDeserializer::new(once((key.as_str(), Self { below }))))
            }
            Some((Segment::Index(_), below)) => visitor.visit_seq(SeqDeserializer::new(once(Self { below }))),
        }
    }

    /// A key that may be missing expects what it expects when it stands.
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, Error> for Nothing<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}
