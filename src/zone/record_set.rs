//! One record set and its routing policy, in the words of the Route 53 API.

use std::fmt;

use hickory_proto::rr::{Name, RecordType};
use serde::{Deserialize, Serialize};

use crate::source::Position;

/// The id of a Route 53 health check, as the record set names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HealthCheckId(pub String);

impl fmt::Display for HealthCheckId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One `ResourceRecordSet`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordSet {
    /// The owner name, absolute and in lower case.
    pub name: Name,
    /// The record type.
    pub rtype: RecordType,
    /// Present with every policy but simple.
    pub set_identifier: Option<String>,
    /// The routing policy.
    pub policy: Policy,
    /// The health check that hangs on this record set.
    pub health_check: Option<HealthCheckId>,
    /// What it answers with.
    pub data: RecordData,
    /// Where it stands in its file.
    pub at: Position,
}

/// What a record set answers with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RecordData {
    /// Plain values.
    Values {
        /// Seconds, 0 to 2147483647 (R53-173).
        ttl: u32,
        /// In presentation format, at least one.
        values: Vec<String>,
    },
    /// An alias; its TTL is that of what it points at (R53-169, R53-172).
    Alias(Alias),
}

/// An `AliasTarget`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alias {
    /// A record of the same zone, or the DNS name of an AWS resource.
    pub target: Name,
    /// The hosted zone id that owns the target.
    pub hosted_zone_id: String,
    /// Evaluate target health (ETH).
    pub evaluate_target_health: bool,
}

/// Which half of a failover pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FailoverRole {
    /// Answered while it is healthy.
    Primary,
    /// Answered while the primary is not.
    Secondary,
}

/// The location of a geolocation record (R53-53 to R53-62).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum GeoLocation {
    /// `CountryCode` `*`.
    Default,
    /// Two letters: AF AN AS EU OC NA SA.
    Continent(String),
    /// ISO 3166-1 alpha-2.
    Country(String),
    /// A subdivision of a country, for example `US` and `CA`.
    Subdivision {
        /// ISO 3166-1 alpha-2.
        country: String,
        /// The subdivision's code.
        subdivision: String,
    },
}

/// Where a geoproximity record stands (R53-65).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum GeoproximityOrigin {
    /// An AWS Region.
    Region(String),
    /// A Local Zone group.
    LocalZoneGroup(String),
    /// Degrees.
    Coordinates {
        /// -90 to 90.
        latitude: f64,
        /// -180 to 180.
        longitude: f64,
    },
}

/// A routing policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Policy {
    /// No routing policy.
    Simple,
    /// Multivalue answer.
    Multivalue,
    /// Failover.
    Failover(FailoverRole),
    /// Weighted, 0 to 255 (R53-38).
    Weighted(u8),
    /// Latency, by AWS Region.
    Latency(String),
    /// Geolocation.
    Geolocation(GeoLocation),
    /// Geoproximity.
    Geoproximity {
        /// Where the resource is.
        origin: GeoproximityOrigin,
        /// -99 to 99 (R53-64).
        bias: i8,
    },
    /// IP-based.
    IpBased {
        /// The CIDR collection's id.
        collection: String,
        /// The location's name in it; `*` is the default location.
        location: String,
    },
}

impl Policy {
    /// The policy's name as Route 53 writes it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Simple => "simple",
            Self::Multivalue => "multivalue",
            Self::Failover(_) => "failover",
            Self::Weighted(_) => "weighted",
            Self::Latency(_) => "latency",
            Self::Geolocation(_) => "geolocation",
            Self::Geoproximity { .. } => "geoproximity",
            Self::IpBased { .. } => "IP-based",
        }
    }
}
