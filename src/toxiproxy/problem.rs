//! What the control of a proxy answers when it cannot do what it is asked. The texts are Toxiproxy's, as clients
//! match on them; so are the status codes.

use std::io;

use axum::http::StatusCode;
use thiserror::Error;

/// Why something could not be done.
#[derive(Debug, Error)]
pub enum Problem {
    /// The body is not JSON, or a field is of another type.
    #[error("bad request body: {0}")]
    BadRequestBody(String),
    /// The field of this name is missing, or empty.
    #[error("missing required field: {0}")]
    MissingField(String),
    /// No proxy has this name.
    #[error("proxy not found")]
    ProxyNotFound,
    /// There is a proxy of this name.
    #[error("proxy already exists")]
    ProxyAlreadyExists,
    /// A stream has another name.
    #[error("stream was invalid, can be either upstream or downstream")]
    InvalidStream,
    /// There is no such toxic.
    #[error("invalid toxic type")]
    InvalidToxicType,
    /// The proxy has a toxic of this name.
    #[error("toxic already exists")]
    ToxicAlreadyExists,
    /// The proxy has no toxic of this name.
    #[error("toxic not found")]
    ToxicNotFound,
    /// The proxy cannot listen where it should; it is down.
    #[error("{0}")]
    Listen(#[from] io::Error),
}

impl Problem {
    /// The status code that goes with it.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        match self {
            Self::BadRequestBody(_) | Self::MissingField(_) | Self::InvalidStream | Self::InvalidToxicType => {
                StatusCode::BAD_REQUEST
            }
            Self::ProxyNotFound | Self::ToxicNotFound => StatusCode::NOT_FOUND,
            Self::ProxyAlreadyExists | Self::ToxicAlreadyExists => StatusCode::CONFLICT,
            Self::Listen(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}
