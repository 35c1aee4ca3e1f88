//! Where a query comes from, as a decision sees it.

use std::collections::BTreeMap;
use std::time::Duration;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use crate::geography::Coordinates;

/// What is known of a query's sender. Everything may be missing: an address that maps to no location (R53-54).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Viewpoint {
    /// The address that the location was read from: the client subnet of the query (R53-80), else its source (R53-81).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<IpNet>,
    /// Two letters: AF AN AS EU OC NA SA.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continent: Option<String>,
    /// ISO 3166-1 alpha-2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// Subdivision code without its country, for example `CA` for California.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subdivision: Option<String>,
    /// For geoproximity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordinates: Option<Coordinates>,
    /// Measured latency to AWS Regions. A region that is missing comes after all that are not; where none is known
    /// the order is that of distance from `coordinates`, and at the very last that of the region's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub latency: BTreeMap<String, Duration>,
}
