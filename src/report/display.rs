//! Draws live progress: one moving line on a terminal, plain lines elsewhere, nothing when told to be quiet.
//!
//! It writes to standard error, so that standard output holds the report alone.

use std::io::{self, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::progress::Line;
use super::visible;

/// Where live progress goes.
#[derive(Debug)]
pub enum Display {
    /// A terminal: lines above, what is awaited below, with a spinner.
    Terminal(ProgressBar),
    /// A file or a pipe: lines only.
    Plain,
    /// Nothing.
    Quiet,
}

impl Display {
    /// `--quiet` goes before everything; then a terminal gets a moving line.
    #[must_use]
    pub fn new(quiet: bool, terminal: bool) -> Self {
        if quiet {
            return Self::Quiet;
        }
        if !terminal {
            return Self::Plain;
        }
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        Self::Terminal(bar)
    }

    /// Shows what happened.
    pub fn show(&self, lines: &[Line]) {
        for line in lines {
            self.say(&line.to_string());
        }
    }

    /// Shows a line.
    pub fn say(&self, line: &str) {
        let line = visible(line);
        match self {
            Self::Terminal(bar) => bar.println(line),
            // A reader that went away is no reason to end a drill.
            Self::Plain => drop(writeln!(io::stderr(), "{line}")),
            Self::Quiet => {}
        }
    }

    /// Shows what is awaited; on a terminal only.
    pub fn await_for(&self, text: &str) {
        if let Self::Terminal(bar) = self {
            bar.set_message(visible(text).into_owned());
        }
    }

    /// Takes the moving line away.
    pub fn finish(&self) {
        if let Self::Terminal(bar) = self {
            bar.finish_and_clear();
        }
    }
}
