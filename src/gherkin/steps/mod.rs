//! The steps, a theme a file. A new theme is a file with a [`Theme`], and a line in [`THEMES`].

mod answers;
mod asking;
mod caching;
mod changes;
mod drills;
mod health;
mod sections;
mod time;
mod zone;

use super::catalogue::Theme;

/// Every theme, in the order in which `muster steps` tells them.
pub const THEMES: &[&Theme] = &[
    &zone::THEME,
    &changes::THEME,
    &health::THEME,
    &time::THEME,
    &asking::THEME,
    &caching::THEME,
    &answers::THEME,
    &sections::THEME,
    &drills::THEME,
];
