//! Text that came from anywhere, as it may go to a terminal.

use std::borrow::Cow;

/// The text with each character that a terminal would obey shown as a picture of one character (`␛` for escape): the
/// controls, but for the line's end and the tab, and those that turn the direction of writing.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| picture(c).is_none()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| picture(c).unwrap_or(c)).collect())
}

/// As [`visible`], but for the sequences that set colour and weight, which muster's own pages have.
#[must_use]
pub fn visible_but_colour(text: &str) -> Cow<'_, str> {
    let mut parts = text.split("\u{1b}[");
    let mut shown = visible(parts.next().unwrap_or_default());
    for part in parts {
        let parameters = part.find(|c: char| !(c.is_ascii_digit() || c == ';'));
        let is_colour = parameters.is_some_and(|end| part[end..].starts_with('m'));
        let shown = shown.to_mut();
        shown.push_str(if is_colour { "\u{1b}[" } else { "␛[" });
        shown.push_str(&visible(part));
    }
    shown
}

/// What is shown in place of a character that is not to reach a terminal.
fn picture(c: char) -> Option<char> {
    match c {
        '\n' | '\t' => None,
        '\u{7f}' => Some('␡'),
        // Unicode's block "Control Pictures" has them in the order of the controls.
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)),
        '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Some(char::REPLACEMENT_CHARACTER),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown_and_takes_the_same_room() {
        let text = "a\u{1b}]0;x\u{7}b\rc\u{7f}\u{9b}2J\u{202e}d\te\n日本 – é";
        assert_eq!(visible(text), "a␛]0;x␇b␍c␡\u{fffd}2J\u{fffd}d\te\n日本 – é");
        assert_eq!(visible(text).chars().count(), text.chars().count());
    }

    #[test]
    fn colours_stay_where_a_page_may_have_them_and_nothing_else_does() {
        let page = "\u{1b}[1;32mpassed\u{1b}[0m \u{1b}[2J\u{1b}c \u{1b}[31";
        assert_eq!(visible_but_colour(page), "\u{1b}[1;32mpassed\u{1b}[0m ␛[2J␛c ␛[31");
        assert_eq!(visible(page), "␛[1;32mpassed␛[0m ␛[2J␛c ␛[31");
    }
}
