//! What an engine answers, as `OpenAI`'s API reference writes it: whole, or chunk by chunk.

use serde_json::{Value, json};

use super::api::{Asked, Shape};
use super::text::{Speaker, Text, count};

/// An answer that is known before its tokens are there.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    asked: Asked,
    text: Text,
    id: String,
    /// Unix time, seconds.
    created: u64,
}

/// The answers of this engine end because they are as long as was wanted.
const FINISH_REASON: &str = "length";

impl Answer {
    pub(super) fn new(asked: Asked, speaker: Speaker, number: u64, created: u64) -> Self {
        let prefix = if asked.shape == Shape::Chat { "chatcmpl" } else { "cmpl" };
        let text = Text::answering(&asked.prompt, speaker);
        Self { id: format!("{prefix}-{number:024}"), text, asked, created }
    }

    /// The answer to a request that does not stream.
    pub(super) fn whole(&self) -> Value {
        let text = self.text.tokens(self.asked.tokens);
        let choice = match self.asked.shape {
            Shape::Completion => json!({"text": text}),
            Shape::Chat => json!({"message": {"role": "assistant", "content": text, "refusal": null}}),
        };
        let mut whole = self.object(&only(choice, Some(FINISH_REASON)));
        whole["usage"] = self.usage();
        whole
    }

    /// What a stream begins with.
    pub(super) fn opening(&self) -> Option<Value> {
        let role = json!({"delta": {"role": "assistant", "content": ""}});
        (self.asked.shape == Shape::Chat).then(|| self.chunk(role, None))
    }

    /// The token at this place, from 0.
    pub(super) fn token(&self, place: u32) -> Value {
        let text = self.text.token(place);
        let choice = match self.asked.shape {
            Shape::Completion => json!({"text": text}),
            Shape::Chat => json!({"delta": {"content": text}}),
        };
        self.chunk(choice, None)
    }

    /// What a stream ends with, before its last event.
    pub(super) fn closing(&self) -> Vec<Value> {
        let choice = match self.asked.shape {
            Shape::Completion => json!({"text": ""}),
            Shape::Chat => json!({"delta": {}}),
        };
        let mut closing = vec![self.chunk(choice, Some(FINISH_REASON))];
        if self.asked.wants_usage {
            let mut usage = self.object(&json!([]));
            usage["usage"] = self.usage();
            closing.push(usage);
        }
        closing
    }

    fn chunk(&self, choice: Value, finish_reason: Option<&str>) -> Value {
        let mut chunk = self.object(&only(choice, finish_reason));
        if self.asked.wants_usage {
            chunk["usage"] = Value::Null;
        }
        chunk
    }

    fn object(&self, choices: &Value) -> Value {
        let object = match (self.asked.shape, self.asked.streams) {
            (Shape::Completion, _) => "text_completion",
            (Shape::Chat, false) => "chat.completion",
            (Shape::Chat, true) => "chat.completion.chunk",
        };
        json!({
            "id": self.id,
            "object": object,
            "created": self.created,
            "model": self.asked.model,
            "choices": choices,
        })
    }

    fn usage(&self) -> Value {
        let (prompt, completion) = (count(&self.asked.prompt), u64::from(self.asked.tokens));
        json!({"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion})
    }
}

/// The one choice that an answer has.
fn only(mut choice: Value, finish_reason: Option<&str>) -> Value {
    choice["index"] = json!(0);
    choice["logprobs"] = Value::Null;
    choice["finish_reason"] = json!(finish_reason);
    json!([choice])
}
