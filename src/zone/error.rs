//! What can be wrong with a zone.

use std::fmt;

use crate::source::{Position, SourceError};

use super::problem::{AliasProblem, BatchProblem, GroupProblem, NameProblem, PolicyProblem, RecordProblem};

/// What can be wrong with a zone. Every variant says where.
#[derive(Debug, thiserror::Error)]
pub enum ZoneError {
    /// Not readable at all.
    #[error(transparent)]
    Unreadable(#[from] SourceError),
    /// Not of the shape that the format has: a key or a value that has no place there.
    #[error("{at}: {problem}")]
    Invalid {
        /// Where.
        at: Position,
        /// What, and what was expected.
        problem: String,
    },
    /// One record set that Route 53 would refuse, whatever stands beside it.
    #[error("{at}: {problem}")]
    Record {
        /// Where.
        at: Position,
        /// What, and what was expected.
        problem: RecordProblem,
    },
    /// A routing policy whose settings Route 53 would refuse.
    #[error("{at}: {problem}")]
    Policy {
        /// Where.
        at: Position,
        /// What, and what was expected.
        problem: PolicyProblem,
    },
    /// Record sets of one name and type that do not go together.
    #[error("{at}: {problem}")]
    Group {
        /// Where.
        at: Position,
        /// What, and what was expected.
        problem: GroupProblem,
    },
    /// A change that does not fit the zone or the rest of its batch.
    #[error("{at}: {problem}")]
    Batch {
        /// Where.
        at: Position,
        /// What, and what was expected.
        problem: BatchProblem,
    },
    /// An alias that leads nowhere, or not where it may.
    #[error("{at}: {problem}")]
    Alias {
        /// Where.
        at: Position,
        /// What, and what was expected.
        problem: AliasProblem,
    },
    /// An owner name that has no place in the zone, or not beside others.
    #[error("{at}: {problem}")]
    Name {
        /// Where.
        at: Position,
        /// What, and what was expected.
        problem: NameProblem,
    },
}

impl ZoneError {
    /// Where.
    #[must_use]
    pub const fn at(&self) -> &Position {
        match self {
            Self::Unreadable(error) => &error.at,
            Self::Invalid { at, .. }
            | Self::Record { at, .. }
            | Self::Policy { at, .. }
            | Self::Group { at, .. }
            | Self::Batch { at, .. }
            | Self::Alias { at, .. }
            | Self::Name { at, .. } => at,
        }
    }
}

/// Everything that is wrong with a zone, at least one thing, in the order of the file.
#[derive(Debug, thiserror::Error)]
pub struct ZoneErrors(pub Vec<ZoneError>);

impl ZoneErrors {
    /// Nothing when nothing is wrong.
    ///
    /// # Errors
    /// When there is any problem: all of them, in the order of the file.
    pub fn none_of(problems: Vec<ZoneError>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Self::in_file_order(problems)) }
    }

    pub(crate) fn in_file_order(mut problems: Vec<ZoneError>) -> Self {
        problems.sort_by_key(|error| (error.at().line, error.at().column));
        Self(problems)
    }
}

impl From<ZoneError> for ZoneErrors {
    fn from(error: ZoneError) -> Self {
        Self(vec![error])
    }
}

impl From<SourceError> for ZoneErrors {
    fn from(error: SourceError) -> Self {
        Self(vec![error.into()])
    }
}

impl fmt::Display for ZoneErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, error) in self.0.iter().enumerate() {
            if number > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{error}")?;
        }
        Ok(())
    }
}
