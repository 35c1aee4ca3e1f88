//! What a client asks for, as an HTTP request without its host and port.

use std::time::{SystemTime, UNIX_EPOCH};

use axum::body::Bytes;
use axum::http::request::Builder;
use axum::http::{self, Request, header};
use hickory_proto::rr::Name;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span};
use prost::Message;
use serde_json::json;

use crate::plan::Asks;

use super::super::TIER_HEADER;

/// The model that clients ask for: the one that an engine has when its drill names none.
pub const MODEL: &str = "chat-model";

const PROMPT: &str = "Tell me what a failover drill is for.";

/// A request that can be sent again and again.
#[derive(Clone, Debug)]
pub(super) struct Question {
    request: Request<Bytes>,
}

impl Question {
    /// What `client` asks `target` for.
    ///
    /// # Errors
    /// When the target can stand in no URL, or the tier in no header.
    pub(super) fn new(client: &str, asks: Asks, target: &Name, tier: Option<&str>) -> Result<Self, http::Error> {
        let (path, body) = match asks {
            Asks::Page => ("/", None),
            Asks::Completion(tokens) => ("/v1/completions", Some(completion(tokens))),
            Asks::Stream(tokens) => ("/v1/chat/completions", Some(stream(tokens))),
            Asks::Telemetry => ("/v1/traces", Some(one_span(client))),
        };
        let url = format!("http://{}{path}", target.to_string().trim_end_matches('.'));
        let with_tier = |request: Builder| match tier {
            Some(tier) => request.header(TIER_HEADER, tier),
            None => request,
        };
        let request = match body {
            None => with_tier(Request::get(url)).body(Bytes::new())?,
            Some((media_type, body)) => {
                with_tier(Request::post(url).header(header::CONTENT_TYPE, media_type)).body(Bytes::from(body))?
            }
        };
        Ok(Self { request })
    }

    /// The request.
    pub(super) fn request(&self) -> Request<Bytes> {
        self.request.clone()
    }
}

fn completion(tokens: u32) -> (&'static str, Vec<u8>) {
    let body = json!({"model": MODEL, "prompt": PROMPT, "max_tokens": tokens});
    ("application/json", body.to_string().into_bytes())
}

fn stream(tokens: u32) -> (&'static str, Vec<u8>) {
    let messages = json!([{"role": "user", "content": PROMPT}]);
    let body = json!({"model": MODEL, "messages": messages, "max_tokens": tokens, "stream": true});
    ("application/json", body.to_string().into_bytes())
}

/// An OTLP export of one span, in protobuf, with its media type; `client` is the service that it names.
pub(in crate::node) fn one_span(client: &str) -> (&'static str, Vec<u8>) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
    let span = Span {
        trace_id: vec![0x5b; 16],
        span_id: vec![0xee; 8],
        name: "work".to_owned(),
        start_time_unix_nano: now,
        end_time_unix_nano: now,
        ..Span::default()
    };
    let value = Some(AnyValue { value: Some(Value::StringValue(client.to_owned())) });
    let named = KeyValue { key: "service.name".to_owned(), value, ..KeyValue::default() };
    let resource = Some(Resource { attributes: vec![named], ..Resource::default() });
    let scope_spans = vec![ScopeSpans { spans: vec![span], ..ScopeSpans::default() }];
    let resource_spans = vec![ResourceSpans { resource, scope_spans, ..ResourceSpans::default() }];
    ("application/x-protobuf", ExportTraceServiceRequest { resource_spans }.encode_to_vec())
}
