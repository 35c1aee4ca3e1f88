//! What muster writes to and how: colour, width, and a reader that may go away or a disk that is full.

use std::borrow::Cow;
use std::cell::Cell;
use std::io::{self, IsTerminal, Write};

use crate::report::{Display, Style, visible, visible_but_colour};
use crate::verdict::ExitCode;

/// Standard output and standard error, as they were found.
#[derive(Debug)]
pub struct Terminal {
    /// How the report is drawn.
    pub style: Style,
    errors_shown: bool,
    colour_wanted: bool,
    output_is_whole: Cell<bool>,
}

impl Terminal {
    /// Colour only on a terminal, and never with `NO_COLOR` or `TERM=dumb`; at most 100 columns.
    #[must_use]
    pub fn detect() -> Self {
        let colour_wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        // 80 columns are a narrow terminal, 100 the widest that is drawn; a pipe has no width.
        let columns = console::Term::stdout().size_checked().map_or(Style::PLAIN.width, |(_, columns)| columns);
        let width = columns.clamp(60, Style::PLAIN.width);
        Self {
            style: Style { colour: colour_wanted && io::stdout().is_terminal(), width },
            errors_shown: io::stderr().is_terminal(),
            colour_wanted,
            output_is_whole: Cell::new(true),
        }
    }

    /// How errors are drawn.
    #[must_use]
    pub const fn style_of_errors(&self) -> Style {
        Style { colour: self.colour_wanted && self.errors_shown, ..Style::PLAIN }
    }

    /// Live progress for this terminal.
    #[must_use]
    pub fn display(&self, quiet: bool) -> Display {
        Display::new(quiet, self.errors_shown)
    }

    /// Writes to standard output: the only place that does. A reader that went away (`| head`) has what it wanted; any
    /// other failure is told once, and [`Self::ending`] has muster end with it.
    pub fn print(&self, text: &str) {
        let text = shown(text, self.style);
        let mut out = io::stdout().lock();
        let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) else { return };
        if error.kind() != io::ErrorKind::BrokenPipe && self.output_is_whole.replace(false) {
            self.complain(&format!("the output cannot be written: {error}; make room, or write it elsewhere"));
        }
    }

    /// With which code muster ends: what went well is no success when it could not be told whole.
    #[must_use]
    pub fn ending(&self, code: ExitCode) -> ExitCode {
        code.told(self.output_is_whole.get())
    }

    /// Writes an error to standard error.
    pub fn complain(&self, text: &str) {
        let _ = writeln!(io::stderr(), "error: {}", shown(text.trim_end(), self.style_of_errors()));
    }

    /// Writes a remark to standard error.
    pub fn remark(&self, text: &str) {
        let _ = writeln!(io::stderr(), "note: {}", visible(text));
    }
}

/// Nothing that came from a file is obeyed by a terminal.
fn shown(text: &str, style: Style) -> Cow<'_, str> {
    if style.colour { visible_but_colour(text) } else { visible(text) }
}
