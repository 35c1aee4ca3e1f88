//! What XML can hold of a text that came from anywhere: a drill's name, a reason, a program's last words.
//!
//! It never knows which element or attribute a text is for, nor does it escape markup: who writes the XML does that.

/// The text without terminal sequences and without the characters for which XML 1.0 has no place, escaped or not
/// (section 2.2, "Characters").
pub(super) fn held(text: &str) -> String {
    let shown = console::strip_ansi_codes(text);
    shown.chars().filter(|c| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{1_0000}'..)).collect()
}

/// The text as the content of a CDATA section, for a writer that puts it there as it is. CDATA cannot hold its own end:
/// there the section is closed between `]]` and `>` and opened again, so a reader gets the same text.
pub(super) fn in_cdata(text: &str) -> String {
    held(text).replace("]]>", "]]]]><![CDATA[>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_sequences_and_control_characters_are_left_out() {
        assert_eq!(held("\u{1b}[1;31mred\u{1b}[0m a\u{0}\u{1}\u{8}\u{1f}b\u{fffe}\u{ffff}"), "red ab");
        // A sequence that is never ended takes nothing but itself.
        assert_eq!(held("c\u{1b}"), "c");
    }

    #[test]
    fn lines_tabs_and_every_script_stay() {
        let text = "a\tb\r\nc – ± é 日本 \u{fffd} 🦀";
        assert_eq!(held(text), text);
    }

    #[test]
    fn the_end_of_a_cdata_section_is_split_over_two() {
        assert_eq!(in_cdata("a]]>b\u{1}"), "a]]]]><![CDATA[>b");
        // What is left out must not bring an end together.
        assert_eq!(in_cdata("]]\u{1}>"), "]]]]><![CDATA[>");
    }
}
