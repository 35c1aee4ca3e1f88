//! What can be wrong with a campaign file, and what to do about it.

use crate::drill::{self, DrillErrors};
use crate::mistakes::{Mistakes, quoted};
use crate::source::{Position, SourceError};

/// One mistake of a campaign.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// A mistake in the campaign file.
    #[error("{at}: {problem}; {}", problem.next_step())]
    Campaign {
        /// Where.
        at: Position,
        /// What.
        problem: Problem,
    },
    /// A file that is no YAML.
    #[error(transparent)]
    NotYaml(#[from] SourceError),
    /// All mistakes of one of its drills.
    #[error(transparent)]
    Drill(#[from] DrillErrors),
}

/// All mistakes of a campaign and of its drills: those of the campaign file first, then each drill's in the order of the
/// list.
pub type CampaignErrors = Mistakes<CampaignError>;

/// What is wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Problem {
    /// A mistake that a drill file can have as well.
    #[error(transparent)]
    Written(#[from] drill::Problem),
    /// A file that is neither a drill nor a campaign.
    #[error("neither `drill` nor `campaign` stands among the keys at the top ({})", listed(found))]
    NeitherKind {
        /// What stands there.
        found: Vec<String>,
    },
    /// A drill that stands in the list a second time.
    #[error("{drill} stands in this campaign twice, first on line {first}")]
    NamedTwice {
        /// The drill file, as it is written.
        drill: String,
        /// The line of the first.
        first: usize,
    },
    /// Two drill files with one name.
    #[error("{file} is the drill `{drill}`, and so is {first}")]
    SameName {
        /// The drill's name.
        drill: String,
        /// The file that came second.
        file: String,
        /// The file that came first.
        first: String,
    },
    /// A campaign where a drill must stand.
    #[error("{file} is a campaign itself")]
    CampaignInside {
        /// The file, as it is written.
        file: String,
    },
}

impl Problem {
    /// What to do about it.
    #[must_use]
    pub fn next_step(&self) -> String {
        match self {
            Self::Written(problem) => problem.next_step(),
            Self::NeitherKind { .. } => {
                "write `drill: <name>` for a drill, or `campaign: <name>` for several that are run as one".to_owned()
            }
            Self::NamedTwice { .. } => "keep one of them".to_owned(),
            Self::SameName { .. } => "rename one of them: their reports could not be told apart".to_owned(),
            Self::CampaignInside { .. } => "write its drills into this list instead".to_owned(),
        }
    }
}

fn listed(keys: &[String]) -> String {
    if keys.is_empty() { "there are none".to_owned() } else { quoted(keys) }
}
