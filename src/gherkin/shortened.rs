//! Long texts in errors: their beginning and their end are shown, and how much lies between.

use std::borrow::Cow;

/// The most characters of a line, and the most lines.
const WIDEST: usize = 1000;
const LONGEST: usize = 200;

/// A text of which no line is so long, nor the whole, that it buries what it tells.
#[must_use]
pub fn shortened(text: &str) -> Cow<'_, str> {
    let count = text.lines().count();
    if count <= LONGEST && text.lines().all(|line| line.len() <= WIDEST) {
        return Cow::Borrowed(text);
    }
    let mut lines: Vec<Cow<'_, str>> = text.lines().take(LONGEST).map(short_line).collect();
    if count > LONGEST {
        lines.push(Cow::Owned(format!("… and {} more lines", count - LONGEST)));
    }
    Cow::Owned(lines.join("\n"))
}

fn short_line(line: &str) -> Cow<'_, str> {
    let count = line.chars().count();
    if count <= WIDEST {
        return Cow::Borrowed(line);
    }
    let beginning: String = line.chars().take(WIDEST / 2).collect();
    let end: String = line.chars().skip(count - WIDEST / 2).collect();
    Cow::Owned(format!("{beginning} … {} characters more … {end}", count - WIDEST / 2 * 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_keeps_its_beginning_and_its_end() {
        assert_eq!(shortened("plain – and short\nof two lines"), "plain – and short\nof two lines");
        let long = format!("`{}` is no name; expected one", "ü".repeat(5_000_000));
        let told = shortened(&long);
        assert!(told.chars().count() < 1100, "{}", told.chars().count());
        assert!(
            told.starts_with("`üüü") && told.contains("characters more") && told.ends_with("expected one"),
            "{told}"
        );
    }

    #[test]
    fn of_many_lines_the_first_are_shown() {
        let told = shortened(&"line\n".repeat(5000)).into_owned();
        assert_eq!(told.lines().count(), 201);
        assert!(told.ends_with("… and 4800 more lines"));
    }
}
