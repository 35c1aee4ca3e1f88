//! Values that nobody knows yet: a plan names them, and only its execution tells them.
//!
//! Such a value is kept under the name of where it will come from, as `unknown:aws_lb.x.dns_name`, wherever the value
//! itself would stand: among the values of a record set, as an alias target, as the id of a health check or a zone.
//! Nothing here guesses what it will be.

use std::fmt;

use hickory_proto::rr::Name;

use crate::source::Position;

/// What the name of an unknown value starts with.
pub const UNKNOWN: &str = "unknown:";

/// A value that is not known yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// Where it would stand.
    pub at: Position,
    /// What it is kept as: `unknown:` and where it will come from.
    pub name: String,
    /// Which part of a record set it is.
    pub part: Part,
    /// Whose: ``www.example.com. A `eu` ``.
    pub owner: String,
}

/// A part of a record set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The target of an alias.
    Target,
    /// One of the values.
    Value,
    /// The id of its health check.
    HealthCheck,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Target => "the alias target",
            Self::Value => "a value",
            Self::HealthCheck => "the health check's id",
        })
    }
}

/// Whether a text stands for a value that is not known yet.
#[must_use]
pub fn is_unknown(text: &str) -> bool {
    text.starts_with(UNKNOWN)
}

/// A domain name that stands for one that is not known yet. `None` when `text` is none such, or longer than a domain
/// name can be.
#[must_use]
pub fn unknown_name(text: &str) -> Option<Name> {
    if !is_unknown(text) {
        return None;
    }
    Name::from_labels(text.split('.').map(str::as_bytes)).ok()
}

/// What a domain name stands for, when it stands for one that is not known yet.
#[must_use]
pub fn unknown_of_name(name: &Name) -> Option<String> {
    let labels: Vec<_> = name.iter().map(String::from_utf8_lossy).collect();
    let text = labels.join(".");
    is_unknown(&text).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_comes_back_as_it_was_written() {
        for text in ["unknown:aws_lb.x.dns_name", "unknown:module.a[\"api.v1 A\"].aws_lb.x[0].dns_name"] {
            let name = unknown_name(text).unwrap();
            assert_eq!(unknown_of_name(&name).as_deref(), Some(text));
        }
        assert_eq!(unknown_name("www.example.com."), None);
        assert_eq!(unknown_of_name(&Name::from_ascii("www.example.com.").unwrap()), None);
    }

    #[test]
    fn what_is_longer_than_a_name_can_be_is_none() {
        assert_eq!(unknown_name(&format!("unknown:{}", "a".repeat(64))), None);
        assert_eq!(unknown_name(&format!("unknown:{}", "a.".repeat(200))), None);
    }
}
