//! The campaign file, key by key, as people write it.

use serde::Deserialize;

/// A campaign file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CampaignFile {
    /// The campaign's name, also that of its report folder: lower-case letters, digits, `-`.
    pub campaign: String,
    /// One line for people.
    pub title: String,
    /// The drill files, relative to the campaign file, in the order in which they are started.
    pub drills: Vec<String>,
    /// How many are run side by side at most, 1 to 16; 4 when missing.
    pub at_once: Option<u32>,
}
