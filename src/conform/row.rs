//! The form of a table's row.

/// How many cells a row has; or the column at which it is none, and why.
pub(super) fn width_of_row(line: &str) -> Result<usize, (usize, String)> {
    let mut bars = Vec::new();
    let mut characters = line.char_indices().enumerate();
    while let Some((index, (byte, character))) = characters.next() {
        match character {
            '|' => bars.push((index, byte)),
            '\\' => match characters.next().map(|(_, (_, escaped))| escaped) {
                Some('n' | '|' | '\\') => {}
                escaped => {
                    let found = escaped.map_or_else(String::new, String::from);
                    let problem =
                        format!("`\\{found}` is nothing that a cell can say; expected `\\\\` for `\\`, `\\|` or `\\n`");
                    return Err((index + 1, problem));
                }
            },
            _ => {}
        }
    }
    let Some((last, byte)) = bars.last().copied() else { return Ok(0) };
    let rest = &line[byte + 1..];
    if !rest.trim().is_empty() {
        let blank = rest.chars().take_while(|c| c.is_whitespace()).count();
        return Err((last + 2 + blank, format!("the row ends with `{}`; expected a `|` behind it", rest.trim())));
    }
    if bars.len() == 1 {
        return Err((last + 1, "this row has no cell; expected one between two `|`".to_owned()));
    }
    Ok(bars.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_cells_between_bars() {
        for (line, width) in [("| a | b |", 2), ("  | a\\|b |  ", 1), ("| # | b |", 2), ("||", 1)] {
            assert_eq!(width_of_row(line), Ok(width), "{line}");
        }
    }

    #[test]
    fn what_is_no_row_is_told_at_its_column() {
        for (line, column, told) in [
            ("  | é | b ", 9, "the row ends with `b`"),
            ("| a\\d |", 4, "`\\d` is nothing"),
            ("  |", 3, "no cell"),
            ("| a | # why", 7, "the row ends with `# why`"),
        ] {
            let (at, problem) = width_of_row(line).unwrap_err();
            assert!(at == column && problem.contains(told), "{line}: {at} {problem}");
        }
    }
}
