//! What a stage may take.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::seconds;

/// What a stage may take: at best, and at worst. The default says nothing: any time, perhaps for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// At best.
    #[serde(with = "seconds")]
    pub best: Duration,
    /// At worst; `None`: never ends.
    #[serde(with = "optional_seconds")]
    pub worst: Option<Duration>,
}

impl Bounds {
    /// From `best` to `worst`.
    #[must_use]
    pub const fn between(best: Duration, worst: Duration) -> Self {
        Self { best, worst: Some(worst) }
    }

    /// At least `best`, perhaps for ever.
    #[must_use]
    pub const fn unbounded(best: Duration) -> Self {
        Self { best, worst: None }
    }

    /// One stage after the other.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        let worst = self.worst.zip(next.worst).map(|(a, b)| a.saturating_add(b));
        Self { best: self.best.saturating_add(next.best), worst }
    }
}

mod optional_seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    struct Seconds(#[serde(with = "crate::clock::seconds")] Duration);

    #[expect(clippy::ref_option, reason = "serde gives the field by reference")]
    pub(super) fn serialize<S: Serializer>(duration: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
        duration.map(Seconds).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
        Ok(Option::<Seconds>::deserialize(deserializer)?.map(|seconds| seconds.0))
    }
}
