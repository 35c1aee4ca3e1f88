//! The messages of OTLP over HTTP, in both of their encodings.

use std::fmt;

use axum::http::header::{self, HeaderMap};
use opentelemetry_proto::tonic::collector::logs::v1::{ExportLogsServiceRequest, ExportLogsServiceResponse};
use opentelemetry_proto::tonic::collector::metrics::v1::{ExportMetricsServiceRequest, ExportMetricsServiceResponse};
use opentelemetry_proto::tonic::collector::trace::v1::{ExportTraceServiceRequest, ExportTraceServiceResponse};
use prost::Message;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// `INVALID_ARGUMENT` of google.rpc.Code.
const INVALID_ARGUMENT: i32 = 3;

/// What is exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Traces,
    Metrics,
    Logs,
}

/// How a message is written; the answer is written as the request was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Protobuf,
    Json,
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.media_type())
    }
}

/// google.rpc.Status, as far as OTLP uses it.
#[derive(Clone, PartialEq, Message, Serialize)]
pub(super) struct Status {
    #[prost(int32, tag = "1")]
    pub(super) code: i32,
    #[prost(string, tag = "2")]
    pub(super) message: String,
}

impl Encoding {
    /// The encoding that a request's media type names; `None` when OTLP has no such.
    pub(super) fn named(headers: &HeaderMap) -> Option<Self> {
        let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
        let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        [Self::Protobuf, Self::Json].into_iter().find(|encoding| encoding.media_type() == essence)
    }

    pub(super) const fn media_type(self) -> &'static str {
        match self {
            Self::Protobuf => "application/x-protobuf",
            Self::Json => "application/json",
        }
    }

    /// Reads a request; the answer to it, of which everything was taken.
    pub(super) fn answer(self, kind: Kind, body: &[u8]) -> Result<Vec<u8>, String> {
        match kind {
            Kind::Traces => {
                self.read::<ExportTraceServiceRequest>(body)?;
                self.write(&ExportTraceServiceResponse::default())
            }
            Kind::Metrics => {
                self.read::<ExportMetricsServiceRequest>(body)?;
                self.write(&ExportMetricsServiceResponse::default())
            }
            Kind::Logs => {
                self.read::<ExportLogsServiceRequest>(body)?;
                self.write(&ExportLogsServiceResponse::default())
            }
        }
    }

    /// The answer to a request that cannot be read.
    pub(super) fn complaint(self, message: String) -> Vec<u8> {
        // A message of a number and a text can be written in either encoding.
        self.write(&Status { code: INVALID_ARGUMENT, message }).unwrap_or_default()
    }

    fn read<T: Message + Default + DeserializeOwned>(self, body: &[u8]) -> Result<T, String> {
        match self {
            Self::Protobuf => T::decode(body).map_err(|problem| problem.to_string()),
            Self::Json => serde_json::from_slice(body).map_err(|problem| problem.to_string()),
        }
    }

    fn write<T: Message + Serialize>(self, message: &T) -> Result<Vec<u8>, String> {
        match self {
            Self::Protobuf => Ok(message.encode_to_vec()),
            Self::Json => {
                let mut json = serde_json::to_value(message).map_err(|problem| problem.to_string())?;
                // A server that has taken everything must leave `partialSuccess` unset.
                if let Value::Object(fields) = &mut json {
                    fields.retain(|_, value| !value.is_null());
                }
                Ok(json.to_string().into_bytes())
            }
        }
    }
}
