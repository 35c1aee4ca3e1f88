//! The paths of an engine, and how an answer goes out: whole, or as server-sent events.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{StatusCode, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::stream;
use serde_json::json;

use crate::service::{Condition, Delivery};

use super::super::event_stream::{EVENT_STREAM, event, last_event};
use super::answer::Answer;
use super::api::{self, ApiError, Asked, Shape};
use super::text::Speaker;
use super::{Core, Piece, Ticket, metrics};

type Shared = State<Arc<Core>>;

pub(super) fn router(core: Arc<Core>) -> Router {
    Router::new()
        .route("/v1/completions", post(|core: Shared, body: Bytes| complete(core.0, Shape::Completion, body)))
        .route("/v1/chat/completions", post(|core: Shared, body: Bytes| complete(core.0, Shape::Chat, body)))
        .route("/v1/models", get(models))
        .route("/health", get(async || StatusCode::OK))
        .route("/metrics", get(metrics_text))
        .fallback(async |uri: Uri| ApiError::unknown_path(uri.path()))
        .layer(from_fn_with_state(Arc::clone(&core), unless_frozen))
        .with_state(core)
}

/// Who asks a frozen engine hears nothing, whatever is asked; when it goes on, those who still wait are answered.
async fn unless_frozen(State(core): Shared, request: Request, next: Next) -> Response {
    core.runs().await;
    next.run(request).await
}

async fn models(State(core): Shared) -> impl IntoResponse {
    let model = core.listed_model();
    let data = [json!({"id": model, "object": "model", "created": unix_time(), "owned_by": "muster"})];
    Json(json!({"object": "list", "data": data}))
}

async fn metrics_text(State(core): Shared) -> impl IntoResponse {
    // What is made of an answer that goes out whole is handed out, and so counted, only at its end.
    core.turn_the_crank();
    ([(header::CONTENT_TYPE, metrics::TEXT_FORMAT)], metrics::text(&core.state().engine))
}

async fn complete(core: Arc<Core>, shape: Shape, body: Bytes) -> Result<Response, ApiError> {
    let asked = api::read(shape, &body)?;
    let speaker = core.speaker_for(&asked)?;
    let streams = asked.streams;
    let delivery = if streams { Delivery::Streamed } else { Delivery::Whole };
    core.works().await;
    let ticket = core.submit(asked.tokens, delivery).map_err(ApiError::turned_away)?;
    let answer = Answer::new(asked, speaker, core.number_answer(), unix_time());
    if streams { stream(ticket, answer).await } else { whole(ticket, &answer).await }
}

impl Core {
    /// The model that this engine says it serves.
    fn listed_model(&self) -> String {
        let state = self.state();
        let own = &state.engine.settings().model;
        if state.engine.condition() == Condition::OtherModel { format!("not-{own}") } else { own.clone() }
    }

    /// Who answers. With the wrong model behind it, a server still answers to the name that it was told to use.
    fn speaker_for(&self, asked: &Asked) -> Result<Speaker, ApiError> {
        let listed = self.listed_model();
        let state = self.state();
        let own = &state.engine.settings().model;
        if asked.model != *own && asked.model != listed {
            return Err(ApiError::unknown_model(&asked.model, own));
        }
        Ok(if state.engine.condition() == Condition::OtherModel { Speaker::Other } else { Speaker::Own })
    }
}

async fn whole(mut ticket: Ticket, answer: &Answer) -> Result<Response, ApiError> {
    loop {
        match ticket.next().await {
            Some(Piece::Finished) => return Ok(Json(answer.whole()).into_response()),
            Some(Piece::Tokens(_)) => {}
            None => return Err(ApiError::lost()),
        }
    }
}

/// The head goes out with the first token, not before: an engine that never makes one has not begun to answer.
async fn stream(mut ticket: Ticket, answer: Answer) -> Result<Response, ApiError> {
    let first = ticket.next().await.ok_or_else(ApiError::lost)?;
    let opening = answer.opening().as_ref().map(event).unwrap_or_default();
    let streaming = Streaming { ticket, answer, told: 0, next: Some(first), ended: false, before: opening };
    let body = Body::from_stream(stream::unfold(streaming, Streaming::go_on));
    Ok(([(header::CONTENT_TYPE, EVENT_STREAM), (header::CACHE_CONTROL, "no-cache")], body).into_response())
}

/// A stream under way.
struct Streaming {
    ticket: Ticket,
    answer: Answer,
    /// So many tokens were sent.
    told: u32,
    /// A part that is there already.
    next: Option<Piece>,
    ended: bool,
    /// Events that go out with the next part.
    before: String,
}

impl Streaming {
    async fn go_on(mut self) -> Option<(Result<String, BrokenOff>, Self)> {
        if self.ended {
            return None;
        }
        let piece = match self.next.take() {
            Some(piece) => Some(piece),
            None => self.ticket.next().await,
        };
        let mut events = std::mem::take(&mut self.before);
        match piece {
            Some(Piece::Tokens(tokens)) => {
                events.extend((self.told..self.told + tokens).map(|place| event(&self.answer.token(place))));
                self.told += tokens;
            }
            Some(Piece::Finished) => {
                self.ended = true;
                events.extend(self.answer.closing().iter().map(event));
                events.push_str(&last_event());
            }
            None => {
                self.ended = true;
                return Some((Err(BrokenOff), self));
            }
        }
        Some((Ok(events), self))
    }
}

/// The engine has lost the request in the middle of its answer; the connection breaks.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the engine has lost this request in the middle of its answer")]
struct BrokenOff;

fn unix_time() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
