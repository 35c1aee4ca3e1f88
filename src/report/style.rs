//! How pages are drawn: their width, whether in colour, and the tables and cells that follow from it.

use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, Table, TableStyle, presets};

/// How to draw. Colour and width are the caller's to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// With ANSI colours.
    pub colour: bool,
    /// Columns.
    pub width: u16,
}

impl Style {
    /// Without colour, 100 columns.
    pub const PLAIN: Self = Self { colour: false, width: 100 };

    pub(super) fn paint(self, text: &str, ansi: &str) -> String {
        if self.colour { format!("\u{1b}[{ansi}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// An empty table with a border around it.
    pub(super) fn table(self) -> Table {
        self.drawn(presets::UTF8_BORDERS_ONLY)
    }

    /// An empty table with lines between its columns.
    pub(super) fn grid(self) -> Table {
        self.drawn(presets::UTF8_FULL_CONDENSED)
    }

    fn drawn(self, preset: TableStyle) -> Table {
        let mut table = Table::new();
        table.load_style(preset).set_content_arrangement(ContentArrangement::Dynamic).set_width(self.width);
        if self.colour {
            table.enforce_styling();
        } else {
            table.force_no_tty();
        }
        table
    }

    pub(super) fn heading(self, text: &str) -> Cell {
        let cell = Cell::new(text);
        if self.colour { cell.add_attribute(Attribute::Bold) } else { cell }
    }

    pub(super) fn coloured(self, text: &str, colour: Color) -> Cell {
        if self.colour { Cell::new(text).fg(colour) } else { Cell::new(text) }
    }
}

/// A cell of figures.
pub(super) fn right(text: impl Into<String>) -> Cell {
    Cell::new(text.into()).set_alignment(CellAlignment::Right)
}
