//! What is asked of an engine, as `OpenAI`'s API reference writes it ("Completions", "Chat Completions").
//!
//! What this engine cannot do it refuses; what cannot matter to an engine whose answers are made up (temperature,
//! penalties, a seed) it reads over.

use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::service::TurnedAway;

/// Tokens of an answer when the request does not say ("Completions", `max_tokens`).
const DEFAULT_TOKENS: u32 = 16;

/// Tokens of an answer at most.
const MOST_TOKENS: u32 = 131_072;

/// Which of the two ways of asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// `/v1/completions`.
    Completion,
    /// `/v1/chat/completions`.
    Chat,
}

/// A request, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) shape: Shape,
    pub(super) model: String,
    pub(super) prompt: String,
    pub(super) tokens: u32,
    pub(super) streams: bool,
    /// Whether a stream ends with how many tokens it took.
    pub(super) wants_usage: bool,
}

#[derive(Deserialize)]
struct CompletionRequest {
    prompt: Prompt,
    #[serde(flatten)]
    options: Options,
}

#[derive(Deserialize)]
struct ChatRequest {
    messages: Vec<Message>,
    max_completion_tokens: Option<u32>,
    #[serde(flatten)]
    options: Options,
}

#[derive(Deserialize)]
struct Options {
    model: String,
    max_tokens: Option<u32>,
    n: Option<u32>,
    stream: Option<bool>,
    stream_options: Option<StreamOptions>,
}

#[derive(Deserialize)]
struct StreamOptions {
    include_usage: Option<bool>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Prompt {
    Text(String),
    Texts(Vec<String>),
}

#[derive(Deserialize)]
struct Message {
    content: Option<Content>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<ContentPart>),
}

#[derive(Deserialize)]
struct ContentPart {
    #[serde(default)]
    text: String,
}

/// Reads a request.
///
/// # Errors
/// When it is not JSON of the shape that the API has, or wants what this engine cannot do.
pub(super) fn read(shape: Shape, body: &[u8]) -> Result<Asked, ApiError> {
    let (prompt, tokens, options) = match shape {
        Shape::Completion => {
            let CompletionRequest { prompt, options } = parse(body)?;
            (prompt.text()?, options.max_tokens, options)
        }
        Shape::Chat => {
            let ChatRequest { messages, max_completion_tokens, options } = parse(body)?;
            if messages.is_empty() {
                return Err(ApiError::invalid("`messages` is empty: expected at least one message", "messages"));
            }
            let texts: Vec<String> =
                messages.into_iter().filter_map(|message| message.content).map(Content::text).collect();
            (texts.join("\n"), max_completion_tokens.or(options.max_tokens), options)
        }
    };
    let tokens = tokens.unwrap_or(DEFAULT_TOKENS);
    if !(1..=MOST_TOKENS).contains(&tokens) {
        return Err(ApiError::invalid(&format!("`max_tokens` is {tokens}: expected 1 to {MOST_TOKENS}"), "max_tokens"));
    }
    if options.n.is_some_and(|answers| answers != 1) {
        return Err(ApiError::invalid("this engine gives one answer to a request: expected `n` to be 1", "n"));
    }
    let wants_usage = options.stream_options.and_then(|options| options.include_usage).unwrap_or(false);
    let streams = options.stream.unwrap_or(false);
    Ok(Asked { shape, model: options.model, prompt, tokens, streams, wants_usage })
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(body).map_err(|problem| ApiError {
        param: None,
        ..ApiError::invalid(&format!("the request cannot be read: {problem}"), "")
    })
}

impl Prompt {
    fn text(self) -> Result<String, ApiError> {
        let one = match self {
            Self::Text(text) => return Ok(text),
            Self::Texts(texts) => <[String; 1]>::try_from(texts),
        };
        one.map(|[text]| text).map_err(|texts| {
            ApiError::invalid(&format!("`prompt` holds {} prompts: expected one", texts.len()), "prompt")
        })
    }
}

impl Content {
    fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Parts(parts) => parts.into_iter().map(|part| part.text).collect::<Vec<_>>().join("\n"),
        }
    }
}

/// Why there is no answer, in the API's form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ApiError {
    status: StatusCode,
    message: String,
    kind: &'static str,
    param: Option<String>,
    code: Option<&'static str>,
}

impl ApiError {
    fn invalid(message: &str, param: &str) -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            message: message.to_owned(),
            kind: "invalid_request_error",
            param: Some(param.to_owned()),
            code: None,
        }
    }

    /// There is no such model here.
    pub(super) fn unknown_model(model: &str, known: &str) -> Self {
        let message = format!("the model `{model}` does not exist: expected `{known}`");
        let status = StatusCode::NOT_FOUND;
        Self { status, code: Some("model_not_found"), ..Self::invalid(&message, "model") }
    }

    /// There is nothing at this path.
    pub(super) fn unknown_path(path: &str) -> Self {
        Self { status: StatusCode::NOT_FOUND, param: None, ..Self::invalid(&format!("nothing is at {path}"), "") }
    }

    /// The engine has no place for it now.
    pub(super) fn turned_away(why: TurnedAway) -> Self {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Self { status, message: why.to_string(), kind: "service_unavailable_error", param: None, code: None }
    }

    /// The engine had it, and has it no longer.
    pub(super) fn lost() -> Self {
        let message = "the engine has lost this request: it was wedged".to_owned();
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Self { status, message, kind: "server_error", param: None, code: None }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let Self { status, message, kind, param, code } = self;
        let body = json!({"error": {"message": message, "type": kind, "param": param, "code": code}});
        let mut response = (status, Json(body)).into_response();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, header::HeaderValue::from_static("1"));
        }
        response
    }
}
