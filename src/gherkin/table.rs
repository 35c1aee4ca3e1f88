//! The table of a step: columns by name, cells with their places.

use std::collections::BTreeSet;

use gherkin::Table;

use crate::source::{Position, nearest};

use super::explanation::Explanation;
use super::source::FeatureText;

/// The rows of a table below its head.
#[derive(Debug)]
pub struct Rows<'t> {
    head: &'t [String],
    below: Vec<(&'t [String], usize, Vec<usize>)>,
    text: &'t FeatureText,
}

/// One row.
#[derive(Debug)]
pub struct Row<'t> {
    head: &'t [String],
    cells: &'t [String],
    line: usize,
    columns: &'t [usize],
    text: &'t FeatureText,
}

impl<'t> Rows<'t> {
    pub(super) fn of(
        table: &'t Table,
        text: &'t FeatureText,
        columns: &[&str],
        needed: &[&str],
    ) -> Result<Self, Explanation> {
        let places = text.table_rows(table.position.line);
        let place = |row: usize| places.get(row).cloned().unwrap_or_else(|| (table.position.line, Vec::new()));
        let (head, below) = table.rows.split_first().map_or((&[][..], &[][..]), |(head, below)| (head, below));
        let (line, starts) = place(0);
        let at = |index: usize| text.at(line, starts.get(index).copied().unwrap_or(1));
        for (index, column) in head.iter().enumerate() {
            if !columns.contains(&column.as_str()) {
                let meant = nearest(column, columns.iter().copied());
                let meant = meant.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
                return Err(Explanation::cannot_run(format!(
                    "{}: column `{column}` has no place in this table; expected some of | {} |{meant}",
                    at(index),
                    columns.join(" | ")
                )));
            }
            if head[..index].contains(column) {
                return Err(Explanation::cannot_run(format!("{}: column `{column}` stands twice", at(index))));
            }
        }
        if let Some(missing) = needed.iter().find(|needed| !head.iter().any(|column| column == **needed)) {
            return Err(Explanation::cannot_run(format!(
                "{}: column `{missing}` is missing; expected | {} |",
                at(0),
                columns.join(" | ")
            )));
        }
        if below.is_empty() {
            return Err(Explanation::cannot_run(format!("{}: this table has no rows; expected one at least", at(0))));
        }
        let rows = below.iter().enumerate().map(|(index, cells)| {
            let (line, starts) = place(index + 1);
            (cells.as_slice(), line, starts)
        });
        Ok(Self { head, below: rows.collect(), text })
    }

    /// In these columns together, no row says what one above it says: the last would win, and the first be passed over.
    ///
    /// # Errors
    /// Where the second stands.
    pub fn each_once(&self, key: &[&str]) -> Result<(), Explanation> {
        let mut seen = BTreeSet::new();
        for row in self.iter() {
            let said: Vec<&str> = key.iter().filter_map(|column| row.get(column)).collect();
            let told = said.join(" ");
            if !told.is_empty() && !seen.insert(said.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()) {
                let column = key.first().copied().unwrap_or_default();
                return Err(row.refuse(column, format!("`{told}` stands in a row above already; expected it once")));
            }
        }
        Ok(())
    }

    /// Every row.
    pub fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        self.below.iter().map(|(cells, line, columns)| Row {
            head: self.head,
            cells,
            line: *line,
            columns,
            text: self.text,
        })
    }
}

impl Row<'_> {
    /// The cell of a column; `None` when it is blank, or the column was left out.
    #[must_use]
    pub fn get(&self, column: &str) -> Option<&str> {
        let index = self.head.iter().position(|name| name == column)?;
        self.cells.get(index).map(String::as_str).filter(|cell| !cell.is_empty())
    }

    /// # Errors
    /// When the cell is blank.
    pub fn need(&self, column: &str) -> Result<&str, Explanation> {
        self.get(column).ok_or_else(|| self.refuse(column, format!("`{column}` is blank; expected a value")))
    }

    /// A cell as what `read` makes of it; `None` when it is blank.
    ///
    /// # Errors
    /// When it is no such thing.
    pub fn read<T>(
        &self,
        column: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, Explanation> {
        self.get(column).map(|cell| read(cell).map_err(|problem| self.refuse(column, problem))).transpose()
    }

    /// As [`Self::read`], of a cell that must not be blank.
    ///
    /// # Errors
    /// When it is blank, or no such thing.
    pub fn need_as<T>(&self, column: &str, read: impl FnOnce(&str) -> Result<T, String>) -> Result<T, Explanation> {
        self.need(column).and_then(|cell| read(cell).map_err(|problem| self.refuse(column, problem)))
    }

    /// Where a cell stands; the row's first when the column was left out.
    #[must_use]
    pub fn at(&self, column: &str) -> Position {
        let index = self.head.iter().position(|name| name == column).unwrap_or(0);
        self.text.at(self.line, self.columns.get(index).copied().unwrap_or(1))
    }

    /// This cell cannot be used as it is written, and why.
    #[must_use]
    pub fn refuse(&self, column: &str, problem: impl AsRef<str>) -> Explanation {
        Explanation::cannot_run(format!("{}: {}", self.at(column), problem.as_ref()))
    }
}
