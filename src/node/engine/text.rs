//! What an engine's model says: the same for the same question, and never the other model's words.

/// What a prompt must ask for to be answered with a word of its own: the form of the article "DNS Failover for LLM
/// Serving".
const ASKS_FOR_WORD: &str = "reply with the word ";

const OWN: [&str; 8] = ["and", "so", "on", "it", "goes", "word", "by", "word"];
const OTHER: [&str; 8] = ["lorem", "ipsum", "dolor", "sit", "amet", "consectetur", "adipiscing", "elit"];

/// Who answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaker {
    /// The model that was meant.
    Own,
    /// Another one.
    Other,
}

/// An answer, of any length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    first: Option<String>,
    speaker: Speaker,
}

impl Text {
    /// The answer to a prompt.
    pub(super) fn answering(prompt: &str, speaker: Speaker) -> Self {
        let lower = prompt.to_lowercase();
        let asked = lower.split_once(ASKS_FOR_WORD).map(|(_, rest)| rest.chars());
        let word = asked.map(|rest| rest.take_while(|letter| letter.is_alphanumeric()).collect::<String>());
        let first = word.filter(|word| speaker == Speaker::Own && !word.is_empty());
        Self { first, speaker }
    }

    /// The token at this place, from 0: a word and the space before it.
    pub(super) fn token(&self, place: u32) -> String {
        let words = if self.speaker == Speaker::Own { &OWN } else { &OTHER };
        let word = match (&self.first, place) {
            (Some(first), 0) => first.as_str(),
            _ => words.iter().cycle().nth((place % 8) as usize).copied().unwrap_or_default(),
        };
        format!(" {word}")
    }

    /// So many tokens.
    pub(super) fn tokens(&self, count: u32) -> String {
        (0..count).map(|place| self.token(place)).collect()
    }
}

/// How many tokens a prompt has: words, as the answer's.
pub(super) fn count(prompt: &str) -> u64 {
    u64::try_from(prompt.split_whitespace().count()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_that_is_asked_for_comes_first_and_only_from_the_model_that_was_meant() {
        let prompt = "Reply with the word ready.";
        assert_eq!(Text::answering(prompt, Speaker::Own).tokens(3), " ready so on");
        assert_eq!(Text::answering(prompt, Speaker::Own).tokens(1), " ready");
        assert!(!Text::answering(prompt, Speaker::Other).tokens(64).contains("ready"));
    }

    #[test]
    fn an_answer_is_as_long_as_wanted_and_the_same_token_by_token() {
        let text = Text::answering("Tell me more", Speaker::Own);
        let whole = text.tokens(20);
        assert_eq!(count(&whole), 20);
        assert_eq!(whole, (0..20).map(|place| text.token(place)).collect::<String>());
        assert_ne!(whole, Text::answering("Tell me more", Speaker::Other).tokens(20));
    }
}
