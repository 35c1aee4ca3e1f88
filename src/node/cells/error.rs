//! Why a cell does not serve.

use std::io;
use std::net::IpAddr;

use hickory_proto::ProtoError;

use crate::node::UpstreamError;

/// Why a cell does not serve.
#[derive(Debug, thiserror::Error)]
pub enum CellError {
    /// The lab has no place for one of its parts.
    #[error("cell {cell}: this ground carries no address of {part}, out of {addresses:?}")]
    NoAddress {
        /// The cell.
        cell: String,
        /// Which part.
        part: String,
        /// The lab addresses that were wanted.
        addresses: Vec<IpAddr>,
    },
    /// One of its parts cannot be started.
    #[error("cell {cell}: {part} did not start: {problem}")]
    NotStarted {
        /// The cell.
        cell: String,
        /// Which part.
        part: String,
        /// What the kernel said.
        problem: io::Error,
    },
    /// The load balancer's or the checks' HTTP client cannot be built.
    #[error("cell {cell}: no HTTP client: {problem}")]
    NoHttpClient {
        /// The cell.
        cell: String,
        /// What the library said.
        problem: reqwest::Error,
    },
    /// Its gateway has no way to the engine.
    #[error("cell {cell}: {problem}")]
    NoEngine {
        /// The cell.
        cell: String,
        /// What is missing.
        problem: UpstreamError,
    },
    /// Its alias target is no domain name.
    #[error("cell {cell}: alias target `{found}` is no domain name: {problem}")]
    AliasTarget {
        /// The cell.
        cell: String,
        /// As it was given.
        found: String,
        /// What is wrong with it.
        problem: ProtoError,
    },
    /// It has no such part.
    #[error("cell {cell}: there is no {part} to start by itself")]
    NoSuchPart {
        /// The cell.
        cell: String,
        /// Which part.
        part: String,
    },
}
