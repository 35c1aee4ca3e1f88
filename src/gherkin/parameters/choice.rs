//! Parameters that are a choice, of which some hold a text of their own.

use regex::escape;

use crate::source::nearest;

/// How a parameter is written.
#[derive(Clone, Copy, Debug)]
pub enum Written {
    /// As this regular expression, which has no groups that capture.
    As(&'static str),
    /// As one of these. Where one has `…` stands a text; between quotes it may be any.
    OneOf(&'static [&'static str]),
}

/// Where a choice has a text of its own.
const GAP: char = '…';

/// What was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chosen<'t> {
    /// The choice, as the parameter has it.
    pub choice: &'static str,
    /// What stands where it has `…`; empty when it has none.
    pub text: &'t str,
}

impl Written {
    /// The regular expression, without groups that capture.
    #[must_use]
    pub fn pattern(self) -> String {
        match self {
            Self::As(pattern) => pattern.to_owned(),
            Self::OneOf(choices) => choices.iter().map(|choice| pattern_of(choice)).collect::<Vec<_>>().join("|"),
        }
    }

    /// The choices; none when it is not a choice.
    #[must_use]
    pub const fn choices(self) -> &'static [&'static str] {
        match self {
            Self::As(_) => &[],
            Self::OneOf(choices) => choices,
        }
    }

    /// Which of the choices a text is: the first that it can be.
    #[must_use]
    pub fn chosen(self, written: &str) -> Option<Chosen<'_>> {
        self.choices().iter().find_map(|choice| {
            let text = match choice.split_once(GAP) {
                Some((before, after)) => written.strip_prefix(before)?.strip_suffix(after)?,
                None if written == *choice => "",
                None => return None,
            };
            Some(Chosen { choice, text })
        })
    }

    /// The choice that was most likely meant, if one is near.
    #[must_use]
    pub fn meant(self, written: &str) -> Option<&'static str> {
        let first_words = |text: &str| {
            let text = text.trim_start_matches('"');
            text.split([GAP, '"', ':']).next().unwrap_or_default().trim().to_owned()
        };
        let heads: Vec<String> = self.choices().iter().map(|choice| first_words(choice)).collect();
        let head = nearest(&first_words(written), heads.iter().map(String::as_str))?;
        self.choices().get(heads.iter().position(|known| known == head)?).copied()
    }

    /// The choices for people, and the one that was most likely meant.
    #[must_use]
    pub fn expected(self, written: &str) -> String {
        let meant = self.meant(written).map_or_else(String::new, |choice| format!("; did you mean `{choice}`?"));
        format!("expected one of `{}`{meant}", self.choices().join("`, `"))
    }
}

fn pattern_of(choice: &str) -> String {
    let Some((before, after)) = choice.split_once(GAP) else { return escape(choice) };
    let text = if before.ends_with('"') { r"[^\x22]*" } else { r"[^\x22]+?" };
    format!("{}{text}{}", escape(before), escape(after))
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERDICT: Written = Written::OneOf(&["passes", "fails: \"…\"", "in a VPC in …", "in …"]);

    #[test]
    fn a_choice_may_hold_a_text_of_its_own() {
        assert_eq!(VERDICT.chosen("passes"), Some(Chosen { choice: "passes", text: "" }));
        assert_eq!(
            VERDICT.chosen("fails: \"status 404\""),
            Some(Chosen { choice: "fails: \"…\"", text: "status 404" })
        );
        assert_eq!(
            VERDICT.chosen("in a VPC in sa-east-1"),
            Some(Chosen { choice: "in a VPC in …", text: "sa-east-1" })
        );
        assert_eq!(VERDICT.chosen("in Brazil"), Some(Chosen { choice: "in …", text: "Brazil" }));
        assert_eq!(VERDICT.chosen("burns"), None);
    }

    #[test]
    fn what_is_no_choice_is_told_the_choices_and_the_nearest() {
        let told = VERDICT.expected("fail: \"status 404\"");
        assert!(told.contains("expected one of `passes`, `fails: \"…\"`"), "{told}");
        assert!(told.ends_with("did you mean `fails: \"…\"`?"), "{told}");
        assert!(!VERDICT.expected("zzz").contains("did you mean"));
    }
}
