//! What teams really run, read: every format that a record tree is kept in, one file or folder each.
//!
//! Text in, zones and health checks out, or all that is wrong, each with its place. Nothing here reads a file or knows
//! a drill. A format is recognised from the content alone: neither a file's name nor a person's word decides, unless
//! somebody says which it is.

mod cloud_dns;
mod content;
mod format;
mod health_check;
mod imported;
pub mod muster;
mod octodns;
mod route53;
mod route53_health_checks;
mod terraform;

use std::path::Path;
use std::str::FromStr;

use hickory_proto::rr::Name;

use crate::zone::{Part, Unknown, Zone, ZoneError, ZoneErrors};

use content::Content;
pub use format::Format;
pub use imported::Imported;
use imported::unknown_in;

/// What a text alone does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Which format it is; recognised from the content when missing.
    pub format: Option<Format>,
    /// The zone that is meant, absolute: the only one that is read when there are several, and the apex where the text
    /// does not tell it.
    pub zone: Option<Name>,
    /// Which side of a plan is read.
    pub state: State,
}

/// A side of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// As it is before the plan is applied.
    Before,
    /// As it is when the plan has been applied.
    #[default]
    After,
}

impl FromStr for State {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "before" => Ok(Self::Before),
            "after" => Ok(Self::After),
            _ => Err("expected before or after".to_owned()),
        }
    }
}

/// Reads a text in whichever format it is.
///
/// # Errors
/// All that is wrong with it, in the order of the file: when it is neither JSON nor YAML, of no format that is known
/// (every one is named, and why it is none of it), or not as its format has it, or would be refused by whom it is for.
pub fn read(file: &Path, text: &str, options: &Options) -> Result<Imported, ZoneErrors> {
    let content = Content::parse(file, text)?;
    let format = match options.format {
        Some(format) => format,
        None => format::recognise(&content)?,
    };
    format.read(&content, options)
}

/// The one zone of a text in whichever format it is, for what answers from it: nothing of it may be unknown. Of several
/// zones it is the one nearest above `name`.
///
/// # Errors
/// As [`read`]; and when there is no zone, or none that is meant, or a value that only applying a plan will tell.
pub fn read_zone(file: &Path, text: &str, name: Option<&Name>) -> Result<Zone, ZoneErrors> {
    let imported = read(file, text, &Options::default())?;
    let zone = imported.zone_of(file, name)?;
    // A health check is known by its id alone, whichever text that is.
    let unknown = unknown_in(&zone).into_iter().filter(|unknown| unknown.part != Part::HealthCheck);
    let unknown = unknown.map(|Unknown { at, name, owner, part }| {
        let problem = format!("{part} of {owner} is known only after apply (`{name}`); expected a value: write it into what `muster import` makes of this file");
        ZoneError::Invalid { at, problem }
    });
    ZoneErrors::none_of(unknown.collect())?;
    Ok(zone)
}

#[cfg(test)]
mod tests;
