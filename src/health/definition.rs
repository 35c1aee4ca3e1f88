//! A health check as Route 53 keeps it: what it looks at, and what is made of its status.
//!
//! A drill says with what a check is played; this is what a team has set up.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use crate::source::Position;
use crate::zone::{HealthCheckId, is_unknown};

use super::{
    CalculatedCheck, CalculatedCheckError, CheckSettingsError, EndpointCheck, InsufficientData, StatusSettings,
};

/// One health check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthCheckDefinition {
    /// Inverting and disabling.
    pub status: StatusSettings,
    /// What it looks at.
    pub kind: DefinedKind,
    /// Where it stands in its file.
    pub at: Position,
}

/// What a health check looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DefinedKind {
    /// An endpoint.
    Endpoint(DefinedEndpoint),
    /// Other health checks (R53-128).
    Calculated(CalculatedCheck),
    /// An alarm of `CloudWatch` (R53-139). The alarm's own settings are kept by `CloudWatch`.
    Alarm {
        /// The alarm's AWS Region.
        region: String,
        /// Its name there.
        name: String,
        /// What it means that there are not enough data (R53-142).
        insufficient_data: InsufficientData,
    },
    /// A routing control (R53-154).
    RoutingControl {
        /// Its ARN.
        arn: String,
    },
}

/// An endpoint that is looked at: by an address, by a name, or by an address with a name for its `Host` (R53-118).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinedEndpoint {
    /// The address; without one the name is resolved at each interval (R53-119).
    pub address: Option<EndpointAddress>,
    /// The domain name, without a dot at its end.
    pub name: Option<String>,
    /// What is asked of it, and how often.
    pub check: EndpointCheck,
    /// The Regions of the checkers; none: all of them.
    pub regions: Vec<String>,
}

/// The address of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndpointAddress {
    /// It is known.
    Ip(IpAddr),
    /// A plan leaves it open; as [`crate::zone::Unknown::name`].
    Unknown(String),
}

impl EndpointAddress {
    /// `None` when the text is neither an address nor an unknown value.
    #[must_use]
    pub fn of_text(text: &str) -> Option<Self> {
        if is_unknown(text) { Some(Self::Unknown(text.to_owned())) } else { text.parse().ok().map(Self::Ip) }
    }
}

impl fmt::Display for EndpointAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ip(address) => address.fmt(f),
            Self::Unknown(name) => f.write_str(name),
        }
    }
}

/// A health check that Route 53 would refuse.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DefinitionError {
    /// Its settings.
    #[error(transparent)]
    Settings(#[from] CheckSettingsError),
    /// Its children.
    #[error(transparent)]
    Children(#[from] CalculatedCheckError),
    /// There is nothing to look at (R53-119).
    #[error("an endpoint health check has neither an address nor a name; expected one of them (R53-119)")]
    NoEndpoint,
}

/// Seconds between two probes of one checker, when nothing is written (Route 53 API Reference, `HealthCheckConfig`).
pub const USUAL_INTERVAL: Duration = Duration::from_secs(30);
/// Consecutive opposite results, when nothing is written (the same).
pub const USUAL_FAILURE_THRESHOLD: u32 = 3;

impl HealthCheckDefinition {
    /// Checks it as Route 53 would when it were created; `kind_of_child` as in [`CalculatedCheck::validate`].
    ///
    /// # Errors
    /// The first thing that Route 53 would refuse.
    pub fn validate(&self, kind_of_child: impl Fn(&HealthCheckId) -> Option<bool>) -> Result<(), DefinitionError> {
        match &self.kind {
            DefinedKind::Endpoint(DefinedEndpoint { address: None, name: None, .. }) => {
                Err(DefinitionError::NoEndpoint)
            }
            DefinedKind::Endpoint(endpoint) => Ok(endpoint.check.validate()?),
            DefinedKind::Calculated(calculated) => Ok(calculated.validate(kind_of_child)?),
            DefinedKind::Alarm { .. } | DefinedKind::RoutingControl { .. } => Ok(()),
        }
    }

    /// Whether it counts other health checks.
    #[must_use]
    pub const fn is_calculated(&self) -> bool {
        matches!(self.kind, DefinedKind::Calculated(_))
    }
}
