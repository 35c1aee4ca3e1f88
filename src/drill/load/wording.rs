//! What the parser says of a value of the wrong kind, in the words of those who write the file.

/// What was found and what was expected; the parser's own words where they name neither.
pub(super) fn of(said: &str) -> String {
    if let Some(key) = said.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
        return format!("`{key}` is missing");
    }
    let mistake = ["invalid type: ", "invalid value: ", "invalid length "];
    let Some(rest) = mistake.iter().find_map(|mistake| said.strip_prefix(mistake)) else { return said.to_owned() };
    // What was found is the user's, and may hold these words as well.
    let Some((found, expected)) = rest.rsplit_once(", expected ") else { return said.to_owned() };
    format!("found {}; expected {}", found_as(found), expected_as(expected))
}

fn found_as(found: &str) -> String {
    let kinds = [
        ("unit value", "nothing"),
        ("Option value", "nothing"),
        ("map", "a mapping"),
        ("sequence", "a list"),
        ("integer ", "the number "),
        ("floating point ", "the number "),
        ("boolean ", ""),
        ("string ", "the text "),
    ];
    let told = kinds.iter().find_map(|(kind, told)| Some(format!("{told}{}", found.strip_prefix(kind)?)));
    told.unwrap_or_else(|| found.to_owned())
}

fn expected_as(expected: &str) -> String {
    let told = match expected {
        "a string" => "a text",
        "a boolean" => "`true` or `false`",
        "a map" => "a mapping (`key: value`)",
        "a sequence" => "a list (`- value`)",
        "f32" | "f64" => "a number",
        "u16" => return format!("a whole number from 0 to {}", u16::MAX),
        "u32" => return format!("a whole number from 0 to {}", u32::MAX),
        "u64" | "usize" => "a whole number from 0 on",
        "anything at all" => "a value",
        _ if expected.starts_with("struct ") => "a mapping (`key: value`)",
        _ => expected,
    };
    told.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_and_expected_is_told_without_the_words_of_rust() {
        for (said, told) in [
            ("missing field `zone`", "`zone` is missing"),
            ("invalid type: unit value, expected a string", "found nothing; expected a text"),
            ("invalid type: map, expected a string", "found a mapping; expected a text"),
            ("invalid type: sequence, expected struct CellFile", "found a list; expected a mapping (`key: value`)"),
            (
                "invalid type: string \"a, expected b\", expected u32",
                "found the text \"a, expected b\"; expected a whole number from 0 to 4294967295",
            ),
            ("invalid value: integer `-1`, expected usize", "found the number `-1`; expected a whole number from 0 on"),
            ("invalid type: boolean `true`, expected f64", "found `true`; expected a number"),
            ("something else", "something else"),
        ] {
            assert_eq!(of(said), told);
        }
    }
}
