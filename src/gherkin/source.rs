//! A feature file's text, beside what the parser made of it: where each cell stands, and what a parser drops.

use std::path::PathBuf;
use std::sync::Arc;

use crate::source::Position;

/// A feature file as it was read.
#[derive(Clone, Debug, Default)]
pub struct FeatureText {
    /// As it was named.
    pub file: Arc<PathBuf>,
    /// Its lines.
    pub lines: Vec<String>,
}

impl FeatureText {
    /// A text and the file that it came from.
    #[must_use]
    pub fn new(file: PathBuf, text: &str) -> Self {
        Self { file: Arc::new(file), lines: text.lines().map(str::to_owned).collect() }
    }

    /// A position in this file; lines and columns count from 1.
    #[must_use]
    pub fn at(&self, line: usize, column: usize) -> Position {
        Position { file: Arc::clone(&self.file), line, column }
    }

    /// The lines of a table that starts at `line`: their numbers, and the columns at which their cells start.
    #[must_use]
    pub fn table_rows(&self, line: usize) -> Vec<(usize, Vec<usize>)> {
        let numbered = self.lines.iter().enumerate().skip(line.saturating_sub(1));
        numbered
            .map(|(index, text)| (index + 1, text.trim_start()))
            .take_while(|(_, text)| text.is_empty() || text.starts_with(['|', '#']))
            .filter(|(_, text)| text.starts_with('|'))
            .map(|(number, _)| (number, cell_columns(&self.lines[number - 1])))
            .collect()
    }
}

/// The column of each cell's first character, from 1.
fn cell_columns(line: &str) -> Vec<usize> {
    let characters: Vec<char> = line.chars().collect();
    let mut bars = Vec::new();
    let mut escaped = false;
    for (index, character) in characters.iter().enumerate() {
        if *character == '|' && !escaped {
            bars.push(index);
        }
        escaped = *character == '\\' && !escaped;
    }
    let starts = bars.windows(2).map(|pair| {
        let blank = characters[pair[0] + 1..pair[1]].iter().take_while(|c| c.is_whitespace()).count();
        // An empty cell is pointed at behind its bar.
        if pair[0] + 1 + blank == pair[1] { pair[0] + 2 } else { pair[0] + 2 + blank }
    });
    starts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_found_by_its_column() {
        let text =
            FeatureText::new("a.feature".into(), "Given x:\n  | name | ttl |\n  # why\n  | a\\|b  |     |\nThen y\n");
        assert_eq!(text.table_rows(2), [(2, vec![5, 12]), (4, vec![5, 12])]);
    }
}
