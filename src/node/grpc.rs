//! The health service of gRPC (gRPC Health Checking Protocol, `grpc.health.v1.Health/Check`), in front of what answers HTTP:
//! a cell's door serves both on one port, over HTTP/2 with prior knowledge.
//!
//! A call is passed on as a request for `/`, so it arrives, and is counted, like any other; what that is answered is told
//! in gRPC's own words. The mapping of statuses is gRPC's ("HTTP to gRPC Status Code Mapping").

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header};
use axum::middleware::{Next, from_fn};
use http_body_util::{BodyExt, Full};
use prost::Message;

/// The call that is understood.
const CHECK: &str = "/grpc.health.v1.Health/Check";
/// The content type of gRPC; `+proto` may follow it.
const CONTENT_TYPE: &str = "application/grpc";
/// In front of each message: a byte that says whether it is compressed, and its length.
const PREFIX: usize = 5;
/// The longest call that is read, in bytes: a service's name.
const LONGEST_CALL: usize = 4096;
/// The longest answer of a cell that is read, in bytes.
const LONGEST_ANSWER: usize = 1 << 20;

const STATUS: &str = "grpc-status";
const MESSAGE: &str = "grpc-message";

/// Statuses of gRPC ("Status codes and their use in gRPC").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Ok = 0,
    Unknown = 2,
    InvalidArgument = 3,
    NotFound = 5,
    PermissionDenied = 7,
    Unimplemented = 12,
    Internal = 13,
    Unavailable = 14,
    Unauthenticated = 16,
}

impl Status {
    /// What an answer of HTTP is to gRPC.
    const fn of_http(status: StatusCode) -> Self {
        match status.as_u16() {
            200..=299 => Self::Ok,
            400 => Self::Internal,
            401 => Self::Unauthenticated,
            403 => Self::PermissionDenied,
            404 => Self::Unimplemented,
            429 | 502..=504 => Self::Unavailable,
            _ => Self::Unknown,
        }
    }

    fn value(self) -> HeaderValue {
        HeaderValue::from(self as u16)
    }
}

/// `HealthCheckRequest` of `grpc/health/v1/health.proto`.
#[derive(Clone, PartialEq, Message)]
struct Asked {
    /// Whose health; empty: that of the server as a whole.
    #[prost(string, tag = "1")]
    service: String,
}

/// `HealthCheckResponse`.
#[derive(Clone, PartialEq, Message)]
struct Told {
    /// 1: `SERVING`.
    #[prost(int32, tag = "1")]
    status: i32,
}

/// `SERVING`.
const SERVING: i32 = 1;

/// What the router answers, to calls of gRPC too.
pub(super) fn beside(router: Router) -> Router {
    router.layer(from_fn(translate))
}

async fn translate(request: Request, next: Next) -> Response<Body> {
    if !is_call(request.headers()) {
        return next.run(request).await;
    }
    let (head, body) = request.into_parts();
    if head.method != Method::POST || head.uri.path() != CHECK {
        return failed(Status::Unimplemented, &format!("expected {CHECK}"));
    }
    let asked = to_bytes(body, LONGEST_CALL).await.ok().and_then(|bytes| Asked::decode(message_of(&bytes)?).ok());
    match asked {
        None => return failed(Status::InvalidArgument, "expected one HealthCheckRequest, uncompressed"),
        Some(Asked { service }) if !service.is_empty() => {
            return failed(Status::NotFound, "only the server as a whole has a health: expected no service");
        }
        Some(_) => {}
    }
    let mut inner = Request::new(Body::empty());
    *inner.extensions_mut() = head.extensions;
    if let Some(host) = head.uri.authority().and_then(|host| HeaderValue::from_str(host.as_str()).ok()) {
        inner.headers_mut().insert(header::HOST, host);
    }
    let (answered, body) = next.run(inner).await.into_parts();
    let answered = answered.status;
    // An answer that breaks off is none; one that goes on is waited for, as over HTTP/1.1.
    if to_bytes(body, LONGEST_ANSWER).await.is_err() {
        return failed(Status::Unavailable, "the cell's answer broke off");
    }
    match Status::of_http(answered) {
        Status::Ok => serving(),
        status => failed(status, &format!("the cell answers {answered}")),
    }
}

/// The one message of a call, uncompressed: what follows its prefix is as long as that says.
fn message_of(bytes: &[u8]) -> Option<&[u8]> {
    let (prefix, message) = bytes.split_at_checked(PREFIX)?;
    let (compressed, length) = prefix.split_first()?;
    let length = usize::try_from(u32::from_be_bytes(length.try_into().ok()?)).ok()?;
    (*compressed == 0 && length == message.len()).then_some(message)
}

fn is_call(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind == CONTENT_TYPE || kind.starts_with("application/grpc+") || kind.starts_with("application/grpc;")
}

/// `SERVING`, and that all went well in the trailers.
fn serving() -> Response<Body> {
    let told = Told { status: SERVING }.encode_to_vec();
    let mut message = vec![0];
    message.extend(u32::try_from(told.len()).unwrap_or(u32::MAX).to_be_bytes());
    message.extend(told);
    let trailers = HeaderMap::from_iter([(header::HeaderName::from_static(STATUS), Status::Ok.value())]);
    let body = Full::from(message).with_trailers(std::future::ready(Some(Ok(trailers))));
    with_type(Body::new(body))
}

/// A failure: trailers alone, which stand in the head of the response.
fn failed(status: Status, message: &str) -> Response<Body> {
    let mut response = with_type(Body::empty());
    response.headers_mut().insert(STATUS, status.value());
    if let Ok(message) = HeaderValue::from_str(message) {
        response.headers_mut().insert(MESSAGE, message);
    }
    response
}

fn with_type(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(CONTENT_TYPE));
    response
}

#[cfg(test)]
pub(super) mod tests;
