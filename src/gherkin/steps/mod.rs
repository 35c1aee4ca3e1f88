//! The steps, a theme a file. A new theme is a file with a [`Theme`], and a line in [`THEMES`].

mod alarms;
mod answers;
mod asking;
mod caching;
mod changes;
mod check_settings;
mod checks;
mod drills;
mod endpoint;
mod health;
mod load_balancers;
mod prober;
mod queue;
mod routing_controls;
mod sections;
mod signals;
mod time;
mod zone;

use super::catalogue::Theme;

/// Every theme, in the order in which `muster steps` tells them.
pub const THEMES: &[&Theme] = &[
    &zone::THEME,
    &changes::THEME,
    &health::THEME,
    &checks::THEME,
    &endpoint::THEME,
    &alarms::THEME,
    &routing_controls::THEME,
    &load_balancers::THEME,
    &queue::THEME,
    &prober::THEME,
    &signals::THEME,
    &time::THEME,
    &asking::THEME,
    &caching::THEME,
    &answers::THEME,
    &sections::THEME,
    &drills::THEME,
];

#[cfg(test)]
mod tests;
