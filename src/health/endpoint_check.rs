//! An endpoint health check's settings, and what passes for a healthy answer (R53-111 to R53-127).
//!
//! A probe's report is judged here; nothing here probes.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::seconds;

use super::cadence::Cadence;
use super::searched_body::{SEARCHED_BYTES, SearchedBody};

/// An HTTP probe must be connected within this; exactly this passes (R53-111).
pub const HTTP_CONNECT_LIMIT: Duration = Duration::from_secs(4);
/// An HTTP probe must have its status within this from being connected; exactly this passes (R53-111). "Connected"
/// speaks of TCP in the rule's source, so a TLS handshake, with its retry (R53-117), takes from this time.
pub const HTTP_STATUS_LIMIT: Duration = Duration::from_secs(2);
/// A TCP probe must be connected within this; exactly this passes (R53-112).
pub const TCP_CONNECT_LIMIT: Duration = Duration::from_secs(10);
/// A string-matching probe must have the body within this from the status; exactly this passes (R53-113).
pub const HTTP_BODY_LIMIT: Duration = Duration::from_secs(2);
/// The largest header section of an answer, in bytes; exactly this passes (R53-115).
pub const HTTP_HEADERS_LIMIT: usize = 16_384;
/// The longest path, host name and string to search for, in characters (Route 53 API Reference, `HealthCheckConfig`;
/// R53-114).
const TEXT_LIMIT: usize = 255;
/// Route 53's own words (R53-119).
const DNS_RESOLUTION_FAILED: &str = "DNS resolution failed";

/// What a Route 53 endpoint health check is set to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndpointCheck {
    /// What is asked of the endpoint.
    pub protocol: CheckProtocol,
    /// TCP port.
    pub port: u16,
    /// 10 or 30 seconds: from receiving a response to sending the next request (R53-121).
    #[serde(with = "seconds")]
    pub interval: Duration,
    /// Consecutive opposite results that turn one checker's view, 1 to 10 (R53-122).
    pub failure_threshold: u32,
}

/// What is asked of the endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckProtocol {
    /// A 2xx or 3xx status (R53-111).
    Http {
        /// Path and query.
        path: String,
        /// Sent as `Host`; the address when missing (R53-118).
        host: Option<String>,
        /// HTTPS; plain HTTP when missing. The certificate is not validated (R53-116).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tls: Option<Tls>,
        /// The body must hold this within its first 5,120 bytes (R53-113, R53-114).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        search: Option<String>,
    },
    /// A connection (R53-112).
    Tcp,
}

/// How an HTTPS check shakes hands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tls {
    /// The host name is sent in the client hello (R53-117).
    pub sni: bool,
}

/// Settings that Route 53 would refuse.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckSettingsError {
    /// R53-121.
    #[error("interval {0:?} is not possible: Route 53 probes every 10 s or every 30 s")]
    Interval(Duration),
    /// R53-122.
    #[error("failure threshold {0} is not possible: expected 1 to 10")]
    FailureThreshold(u32),
    /// There is no port 0.
    #[error("port 0 is not possible: expected 1 to 65535")]
    Port,
    /// The path cannot be asked for.
    #[error("path `{0}` is not possible: expected a `/` and at most 254 characters more")]
    Path(String),
    /// The name cannot be a `Host`.
    #[error("host `{0}` is not possible: expected 1 to 255 letters, digits and `-._`")]
    Host(String),
    /// R53-113, R53-114.
    #[error("a search for {0} characters is not possible: expected a string of 1 to 255 characters")]
    Search(usize),
}

/// What a probe saw. Durations are lab time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProbeReport {
    /// The endpoint's name gave no IPv4 address, so that nothing was probed (R53-119).
    pub unresolved: bool,
    /// From the probe's start to the connection; `None`: never connected.
    pub connected_after: Option<Duration>,
    /// What a client that validates would have against the endpoint's certificate. No check minds it (R53-116).
    pub certificate: Option<CertificateProblem>,
    /// The answer, if one came. A TCP probe has none.
    pub response: Option<ProbeResponse>,
    /// What went wrong, for people.
    pub error: Option<String>,
}

/// Why a certificate would not do, for whoever validates certificates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateProblem {
    /// Its time is over, or has not come.
    OutOfDate,
    /// It is for other names than the one that was asked for.
    OtherName,
    /// No authority has signed it.
    SelfSigned,
    /// It is no certificate that can be read.
    Unreadable,
}

impl fmt::Display for CertificateProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OutOfDate => "out of date",
            Self::OtherName => "for another name",
            Self::SelfSigned => "self-signed",
            Self::Unreadable => "not readable",
        })
    }
}

/// The answer to an HTTP probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeResponse {
    /// The HTTP status.
    pub status: u16,
    /// From the connection to the status.
    pub after_connect: Duration,
    /// Bytes of the header section, each field as `name: value` and a line end.
    pub headers: usize,
    /// The body, if it was asked for and came.
    pub body: Option<ProbeBody>,
}

/// The body of an answer, as far as a check looks at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeBody {
    /// Its beginning.
    pub content: SearchedBody,
    /// From the status to the end of the body, or to the last byte that is looked at: what would come after it cannot
    /// change the result, and nobody waits for it.
    pub after_status: Duration,
}

/// What a probe's report amounts to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It passed.
    Passed,
    /// It failed.
    Failed(ProbeFailure),
}

impl Verdict {
    /// Whether it passed.
    #[must_use]
    pub const fn passed(&self) -> bool {
        matches!(self, Self::Passed)
    }
}

/// Why a probe failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProbeFailure {
    /// The endpoint's name has no IPv4 address (R53-119); what the prober says of it.
    DnsResolution(Option<String>),
    /// No connection; what the prober says of it.
    NotConnected(Option<String>),
    /// Connected after this, which is too late.
    ConnectedLate(Duration),
    /// Connected, but no status; what the prober says of it.
    NoStatus(Option<String>),
    /// The status came this long after the connection, which is too late.
    StatusLate(Duration),
    /// The header section has so many bytes, more than 16,384 (R53-115).
    HeadersTooLarge(usize),
    /// Neither 2xx nor 3xx.
    Status(u16),
    /// A status that would pass, but no whole body; what the prober says of it.
    NoBody(Option<String>),
    /// The body came this long after the status, which is too late.
    BodyLate(Duration),
    /// The string is not in the first 5,120 bytes of the body.
    NoMatch,
}

/// Whether a text can be a host name, and a header.
fn is_host(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    (1..=TEXT_LIMIT).contains(&text.len()) && text.bytes().all(fits)
}

impl EndpointCheck {
    /// # Errors
    /// When Route 53 would refuse these settings.
    pub fn validate(&self) -> Result<(), CheckSettingsError> {
        if self.interval != Duration::from_secs(10) && self.interval != Duration::from_secs(30) {
            return Err(CheckSettingsError::Interval(self.interval));
        }
        if !(1..=10).contains(&self.failure_threshold) {
            return Err(CheckSettingsError::FailureThreshold(self.failure_threshold));
        }
        if self.port == 0 {
            return Err(CheckSettingsError::Port);
        }
        if let CheckProtocol::Http { path, host, search, .. } = &self.protocol {
            if !path.starts_with('/') || path.chars().count() > TEXT_LIMIT {
                return Err(CheckSettingsError::Path(path.clone()));
            }
            if let Some(host) = host.as_ref().filter(|host| !is_host(host)) {
                return Err(CheckSettingsError::Host(host.clone()));
            }
            let sought = search.as_ref().map(|string| string.chars().count());
            if let Some(length) = sought.filter(|length| !(1..=TEXT_LIMIT).contains(length)) {
                return Err(CheckSettingsError::Search(length));
            }
        }
        Ok(())
    }

    /// How long a probe may take to connect.
    #[must_use]
    pub const fn connect_limit(&self) -> Duration {
        match self.protocol {
            CheckProtocol::Http { .. } => HTTP_CONNECT_LIMIT,
            CheckProtocol::Tcp => TCP_CONNECT_LIMIT,
        }
    }

    /// How long a probe may take from the connection to the status; `None` when no status is asked for.
    #[must_use]
    pub const fn status_limit(&self) -> Option<Duration> {
        match self.protocol {
            CheckProtocol::Http { .. } => Some(HTTP_STATUS_LIMIT),
            CheckProtocol::Tcp => None,
        }
    }

    /// How long a probe may take from the status to the body; `None` when no body is asked for.
    #[must_use]
    pub const fn body_limit(&self) -> Option<Duration> {
        match self.protocol {
            CheckProtocol::Http { search: Some(_), .. } => Some(HTTP_BODY_LIMIT),
            CheckProtocol::Http { search: None, .. } | CheckProtocol::Tcp => None,
        }
    }

    /// The longest that a probe may last and still pass. A probe that lasts longer can be stopped.
    #[must_use]
    pub fn deadline(&self) -> Duration {
        self.connect_limit() + self.status_limit().unwrap_or_default() + self.body_limit().unwrap_or_default()
    }

    /// Judges a probe (R53-111 to R53-115, R53-119).
    #[must_use]
    pub fn judge(&self, report: &ProbeReport) -> Verdict {
        match self.failure(report) {
            None => Verdict::Passed,
            Some(failure) => Verdict::Failed(failure),
        }
    }

    fn failure(&self, report: &ProbeReport) -> Option<ProbeFailure> {
        let said = || report.error.clone();
        if report.unresolved {
            return Some(ProbeFailure::DnsResolution(said()));
        }
        let Some(connected_after) = report.connected_after else { return Some(ProbeFailure::NotConnected(said())) };
        if connected_after > self.connect_limit() {
            return Some(ProbeFailure::ConnectedLate(connected_after));
        }
        let CheckProtocol::Http { search, .. } = &self.protocol else { return None };
        let Some(response) = &report.response else { return Some(ProbeFailure::NoStatus(said())) };
        if response.after_connect > HTTP_STATUS_LIMIT {
            return Some(ProbeFailure::StatusLate(response.after_connect));
        }
        if response.headers > HTTP_HEADERS_LIMIT {
            return Some(ProbeFailure::HeadersTooLarge(response.headers));
        }
        if !(200..=399).contains(&response.status) {
            return Some(ProbeFailure::Status(response.status));
        }
        let search = search.as_ref()?;
        let Some(body) = &response.body else { return Some(ProbeFailure::NoBody(said())) };
        if body.after_status > HTTP_BODY_LIMIT {
            return Some(ProbeFailure::BodyLate(body.after_status));
        }
        (!body.content.contains(search)).then_some(ProbeFailure::NoMatch)
    }

    /// From a change of the endpoint to a checker's view turned, best and worst (R53-127).
    ///
    /// The same bounds hold for the whole fleet: no checker turns sooner than the best or later than the worst. A
    /// probe of the old state takes `old_takes`, one of the new state `new_takes`; see [`Cadence::turns_within`].
    /// It serves both ways, since the threshold does (R53-122).
    #[must_use]
    pub const fn turns_within(&self, old_takes: Duration, new_takes: Duration) -> (Duration, Duration) {
        Cadence::EndToStart(self.interval).turns_within(self.failure_threshold, old_takes, new_takes)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed => f.write_str("passed"),
            Self::Failed(failure) => failure.fmt(f),
        }
    }
}

impl fmt::Display for ProbeFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DnsResolution(None) => f.write_str(DNS_RESOLUTION_FAILED),
            Self::DnsResolution(Some(why)) => write!(f, "{DNS_RESOLUTION_FAILED}: {why}"),
            Self::NotConnected(None) => f.write_str("not connected"),
            Self::NotConnected(Some(why)) => write!(f, "not connected: {why}"),
            Self::ConnectedLate(after) => write!(f, "connected only after {:.3} s", after.as_secs_f64()),
            Self::NoStatus(None) => f.write_str("connected, but no status came"),
            Self::NoStatus(Some(why)) => write!(f, "connected, but no status came: {why}"),
            Self::StatusLate(after) => {
                write!(f, "the status came only {:.3} s after the connection", after.as_secs_f64())
            }
            Self::HeadersTooLarge(bytes) => {
                write!(f, "the response headers have {bytes} bytes, more than {HTTP_HEADERS_LIMIT}")
            }
            Self::Status(status) => write!(f, "status {status}"),
            Self::NoBody(None) => f.write_str("the status came, but no whole body"),
            Self::NoBody(Some(why)) => write!(f, "the status came, but no whole body: {why}"),
            Self::BodyLate(after) => write!(f, "the body came only {:.3} s after the status", after.as_secs_f64()),
            Self::NoMatch => write!(f, "the string is not in the first {SEARCHED_BYTES} bytes of the body"),
        }
    }
}

#[cfg(test)]
mod tests;
