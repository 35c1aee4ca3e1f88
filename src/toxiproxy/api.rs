//! The HTTP API, as Shopify's Toxiproxy 2 has it: paths, status codes, bodies, and the headers that clients may read.

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderName, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::problem::Problem;
use super::proxies::{Proxies, ProxyChange, ProxyPlan, ToxicChange};
use super::proxy::ProxyState;
use super::toxic::{Kind, Stream, Toxic};

/// The version of Toxiproxy whose API this is: clients ask for it to know what they may use.
const VERSION: &str = "2.12.0";

/// What an answer has, or what stands in its way.
type Answer<T> = Result<T, Problem>;

/// The API of these proxies.
pub(super) fn router(proxies: Proxies) -> Router {
    Router::new()
        .route("/proxies", get(index).post(create))
        .route("/populate", post(populate))
        .route("/reset", post(reset))
        .route("/version", get(version))
        .route("/proxies/{proxy}", get(show).post(update).patch(update).delete(delete))
        .route("/proxies/{proxy}/toxics", get(toxics).post(add_toxic))
        .route(
            "/proxies/{proxy}/toxics/{toxic}",
            get(show_toxic).post(update_toxic).patch(update_toxic).delete(remove_toxic),
        )
        .fallback(async || plain(StatusCode::NOT_FOUND, "404 page not found"))
        .layer(middleware::from_fn(stop_browsers))
        .with_state(proxies)
}

/// A page that a browser shows must not reach the API of a developer's machine.
async fn stop_browsers(request: Request, next: Next) -> Response {
    let agent = request.headers().get(header::USER_AGENT);
    if agent.is_some_and(|agent| agent.as_bytes().starts_with(b"Mozilla/")) {
        return plain(StatusCode::FORBIDDEN, "User agent not allowed");
    }
    next.run(request).await
}

/// Fields of a proxy in a request. One that is `null` is not there.
#[derive(Deserialize)]
struct ProxyFields {
    name: Option<String>,
    listen: Option<String>,
    upstream: Option<String>,
    enabled: Option<bool>,
}

impl From<ProxyFields> for ProxyPlan {
    fn from(fields: ProxyFields) -> Self {
        Self {
            name: fields.name.unwrap_or_default(),
            listen: fields.listen.unwrap_or_default(),
            upstream: fields.upstream.unwrap_or_default(),
            enabled: fields.enabled.unwrap_or(true),
        }
    }
}

/// Fields of a toxic in a request. One that is `null` is not there.
#[derive(Deserialize)]
struct ToxicFields {
    name: Option<String>,
    r#type: Option<String>,
    stream: Option<String>,
    toxicity: Option<f32>,
    attributes: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
struct ToxicChangeFields {
    toxicity: Option<f32>,
    attributes: Option<Map<String, Value>>,
}

#[derive(Serialize)]
struct Populated {
    #[serde(flatten)]
    problem: Option<ProblemBody>,
    /// `null` if there are none.
    proxies: Option<Vec<ProxyState>>,
}

#[derive(Serialize)]
struct ProblemBody {
    error: String,
    status: u16,
}

async fn index(State(proxies): State<Proxies>) -> Response {
    json(StatusCode::OK, &proxies.all())
}

async fn create(State(proxies): State<Proxies>, body: Bytes) -> Answer<Response> {
    let plan = read::<ProxyFields>(&body)?.into();
    Ok(json(StatusCode::CREATED, &proxies.create(plan).await?))
}

async fn populate(State(proxies): State<Proxies>, body: Bytes) -> Response {
    let (done, problem) = match read::<Vec<ProxyFields>>(&body) {
        Ok(fields) => proxies.populate(fields.into_iter().map(ProxyPlan::from).collect()).await,
        Err(problem) => (Vec::new(), Some(problem)),
    };
    let status = problem.as_ref().map_or(StatusCode::CREATED, Problem::status);
    let problem = problem.as_ref().map(ProblemBody::from);
    json(status, &Populated { problem, proxies: Some(done).filter(|done| !done.is_empty()) })
}

async fn reset(State(proxies): State<Proxies>) -> Answer<StatusCode> {
    proxies.reset().await.map(|()| StatusCode::NO_CONTENT)
}

async fn version() -> Response {
    let body = format!("{{\"version\": \"{VERSION}\"}}\n");
    ([(header::CONTENT_TYPE, "application/json;charset=utf-8")], body).into_response()
}

async fn show(State(proxies): State<Proxies>, Path(proxy): Path<String>) -> Answer<Response> {
    Ok(json(StatusCode::OK, &proxies.get(&proxy)?))
}

async fn update(State(proxies): State<Proxies>, Path(proxy): Path<String>, body: Bytes) -> Answer<Response> {
    proxies.get(&proxy)?;
    let ProxyFields { listen, upstream, enabled, .. } = read(&body)?;
    Ok(json(StatusCode::OK, &proxies.update(&proxy, ProxyChange { listen, upstream, enabled }).await?))
}

async fn delete(State(proxies): State<Proxies>, Path(proxy): Path<String>) -> Answer<StatusCode> {
    proxies.delete(&proxy).map(|()| StatusCode::NO_CONTENT)
}

async fn toxics(State(proxies): State<Proxies>, Path(proxy): Path<String>) -> Answer<Response> {
    Ok(json(StatusCode::OK, &proxies.toxics(&proxy)?))
}

async fn add_toxic(State(proxies): State<Proxies>, Path(proxy): Path<String>, body: Bytes) -> Answer<Response> {
    // What is wrong is told in Toxiproxy's order.
    let present = proxies.toxics(&proxy)?;
    let fields: ToxicFields = read(&body)?;
    let stream = fields.stream.as_deref().map_or(Ok(Stream::Downstream), Stream::named)?;
    let kind = Kind::named(&fields.r#type.unwrap_or_default()).ok_or(Problem::InvalidToxicType)?;
    let mut toxic = Toxic::new(kind, stream);
    if let Some(name) = fields.name.filter(|name| !name.is_empty()) {
        toxic.name = name;
    }
    if present.iter().any(|present| present.name == toxic.name) {
        return Err(Problem::ToxicAlreadyExists);
    }
    toxic.kind = kind.with(&fields.attributes.unwrap_or_default())?;
    toxic.toxicity = fields.toxicity.unwrap_or(toxic.toxicity);
    proxies.add_toxic(&proxy, &toxic)?;
    Ok(json(StatusCode::OK, &toxic))
}

async fn show_toxic(State(proxies): State<Proxies>, Path((proxy, toxic)): Path<(String, String)>) -> Answer<Response> {
    Ok(json(StatusCode::OK, &proxies.toxic(&proxy, &toxic)?))
}

async fn update_toxic(
    State(proxies): State<Proxies>,
    Path((proxy, toxic)): Path<(String, String)>,
    body: Bytes,
) -> Answer<Response> {
    proxies.toxic(&proxy, &toxic)?;
    let fields: ToxicChangeFields = read(&body)?;
    let change = ToxicChange { attributes: fields.attributes.unwrap_or_default(), toxicity: fields.toxicity };
    Ok(json(StatusCode::OK, &proxies.update_toxic(&proxy, &toxic, &change)?))
}

async fn remove_toxic(
    State(proxies): State<Proxies>,
    Path((proxy, toxic)): Path<(String, String)>,
) -> Answer<StatusCode> {
    proxies.remove_toxic(&proxy, &toxic).map(|()| StatusCode::NO_CONTENT)
}

/// Reads the first JSON value of a body, whatever its content type says.
fn read<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Answer<T> {
    let mut body = serde_json::Deserializer::from_slice(body);
    T::deserialize(&mut body).map_err(|error| Problem::BadRequestBody(error.to_string()))
}

fn json(status: StatusCode, body: &impl Serialize) -> Response {
    match serde_json::to_string(body) {
        Ok(body) => (status, [(header::CONTENT_TYPE, "application/json")], body).into_response(),
        Err(error) => plain(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}

/// Plain text with the headers that Go gives it, and its line end.
fn plain(status: StatusCode, text: &str) -> Response {
    const NO_SNIFFING: HeaderName = HeaderName::from_static("x-content-type-options");
    let headers = [(header::CONTENT_TYPE, "text/plain; charset=utf-8"), (NO_SNIFFING, "nosniff")];
    (status, headers, format!("{text}\n")).into_response()
}

impl From<&Problem> for ProblemBody {
    fn from(problem: &Problem) -> Self {
        Self { error: problem.to_string(), status: problem.status().as_u16() }
    }
}

impl IntoResponse for Problem {
    /// JSON, which the original calls plain text.
    fn into_response(self) -> Response {
        let body = serde_json::to_string(&ProblemBody::from(&self)).unwrap_or_default();
        plain(self.status(), &body)
    }
}
