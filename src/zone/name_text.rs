//! Domain names as people write them, and in plain words why a text is none.

use hickory_proto::rr::Name;

/// Reads a name; one without a dot at its end stays relative.
///
/// # Errors
/// What is wrong with it.
pub fn name_of_text(text: &str) -> Result<Name, String> {
    match Name::from_ascii(text) {
        Ok(_) if text.is_empty() => Err("it is empty; expected a domain name".to_owned()),
        Ok(name) => Ok(name),
        Err(_) => Err(why_none(text)),
    }
}

fn why_none(text: &str) -> String {
    let labels: Vec<&str> = text.strip_suffix('.').unwrap_or(text).split('.').collect();
    if let Some(strange) = text.chars().find(|c| !c.is_ascii_graphic()) {
        return format!(
            "it has the character {strange:?}; expected ASCII letters, digits, `-`, `_` and dots (`xn--…` for others)"
        );
    }
    if labels.iter().any(|label| label.is_empty()) {
        return "it has an empty label: two dots in a row, or one at its start; expected something between dots"
            .to_owned();
    }
    if let Some(long) = labels.iter().find(|label| label.len() > 63 && !label.contains('\\')) {
        return format!("its label `{long}` has {} characters; expected at most 63", long.len());
    }
    if text.contains('\\') {
        return "it has a `\\` that escapes nothing; expected `\\` and three octal digits, as `\\052` for `*`"
            .to_owned();
    }
    if text.len() > 253 {
        return format!("it has {} characters; expected at most 253", text.len());
    }
    "expected labels of letters, digits, `-` and `_`, separated by dots".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_name_is_told_in_plain_words() {
        let long = "w".repeat(64);
        let whole = ["a"; 200].join(".");
        for (text, told) in [
            ("w..ww", "an empty label"),
            (".www", "an empty label"),
            (long.as_str(), "has 64 characters; expected at most 63"),
            (whole.as_str(), "has 399 characters; expected at most 253"),
            ("a\\9", "escapes nothing"),
            ("ä.example.com", "the character 'ä'"),
            ("", "it is empty"),
        ] {
            let problem = name_of_text(text).unwrap_err();
            assert!(problem.contains(told), "{text}: {problem}");
            assert!(!problem.contains("label code") && !problem.contains("Malformed"), "{problem}");
        }
        for text in ["www", "*.example.com.", "\\052.example.com", "_sip._tcp"] {
            assert!(name_of_text(text).is_ok(), "{text}");
        }
    }
}
