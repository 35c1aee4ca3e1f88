//! The drill file, key by key, as people write it.
//!
//! Only the shape is read here: which keys there are and whether a value is a word, a number, a list or a mapping.
//! What the words mean, and whether the names exist, is looked at in [`super::load`], so that all mistakes of a file
//! are told at once.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};

/// A drill file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DrillFile {
    /// The drill's name, also that of its report folder: lower-case letters, digits, `-`.
    pub drill: String,
    /// One line for people.
    pub title: String,
    /// The zone's file, relative to the drill file.
    pub zone: String,
    /// The name that clients ask for.
    pub name: String,
    /// The places that serve.
    pub cells: BTreeMap<String, CellFile>,
    /// The health checks that the zone's record sets name, by their id.
    #[serde(default)]
    pub health_checks: BTreeMap<String, HealthCheckFile>,
    /// The recursive resolvers.
    pub resolvers: BTreeMap<String, ResolverFile>,
    /// Who asks.
    pub clients: BTreeMap<String, ClientFile>,
    /// What breaks, when it is one thing.
    pub fault: Option<FaultFile>,
    /// What breaks, when it is several things at the same moment.
    pub faults: Option<Vec<FaultFile>>,
    /// How long the fault is held; what the prediction needs, when missing.
    pub hold: Option<WrittenDuration>,
    /// How often the observers look.
    #[serde(default)]
    pub observe: ObserveFile,
    /// What must be seen.
    pub expect: Vec<ExpectFile>,
}

/// A cell: what it is made of, and what it stands for in the zone.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CellFile {
    /// A load balancer, its targets and their database. This or `static-site`.
    pub region: Option<RegionFile>,
    /// Files behind an address. This or `region`.
    pub static_site: Option<StaticSiteFile>,
    /// The DNS name of the AWS resource that an alias of the zone points at.
    pub alias: Option<String>,
    /// The address that the zone writes; for an `alias`, the addresses that it gives.
    pub address: Option<OneOrMore>,
}

/// A region's inside.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RegionFile {
    /// How many application targets, 1 to 20; 2 when missing.
    pub targets: Option<usize>,
    /// How the load balancer checks them.
    #[serde(default)]
    pub target_group: TargetGroupFile,
    /// How the load balancer's own node is checked (R53-166).
    #[serde(default)]
    pub node_check: NodeCheckFile,
}

/// A target group's settings, in the words of the load balancer.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TargetGroupFile {
    /// What is asked; `/health` when missing.
    pub path: Option<String>,
    /// From one check to the next; 15 s when missing.
    pub interval: Option<WrittenDuration>,
    /// When a check has failed; when missing 5 s, or a second less than a shorter interval.
    pub timeout: Option<WrittenDuration>,
    /// Failed checks that drain a target, 2 to 10; 2 when missing.
    pub unhealthy_threshold: Option<u32>,
    /// Passed checks that bring it back, 2 to 10; 5 when missing.
    pub healthy_threshold: Option<u32>,
}

/// The check of a load balancer's node.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NodeCheckFile {
    /// From one check to the next; 10 s when missing.
    pub interval: Option<WrittenDuration>,
    /// Opposite results in a row that turn the status, 1 to 10; 2 when missing.
    pub threshold: Option<u32>,
}

/// A static site has no settings: write `static-site: {}`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StaticSiteFile {}

/// A Route 53 endpoint health check.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HealthCheckFile {
    /// The cell that it looks at.
    pub cell: String,
    /// The path that is asked for. This or `tcp`.
    pub http: Option<String>,
    /// The TCP port that is connected to. This or `http`.
    pub tcp: Option<u16>,
    /// The port of an `http` check; 80 when missing.
    pub port: Option<u16>,
    /// Sent as `Host`; the address when missing.
    pub host: Option<String>,
    /// 10 s or 30 s (R53-121); 30 s when missing.
    pub interval: Option<WrittenDuration>,
    /// 1 to 10 (R53-122); 3 when missing.
    pub failure_threshold: Option<u32>,
    /// The opposite of the status is used (R53-104).
    #[serde(default)]
    pub inverted: bool,
    /// Not evaluated, always healthy (R53-105).
    #[serde(default)]
    pub disabled: bool,
}

/// A recursive resolver. Without `ttl-floor` and `client-subnet` it honours TTLs and tells nothing of its clients.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ResolverFile {
    /// Where it stands.
    pub place: String,
    /// TTLs below this are raised to it.
    pub ttl_floor: Option<WrittenDuration>,
    /// It sends the client's subnet, and caches by it.
    #[serde(default)]
    pub client_subnet: bool,
}

/// A client.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ClientFile {
    /// Where it stands.
    pub place: String,
    /// Which resolver it asks.
    pub resolver: String,
    /// `fresh-lookup`, `runtime-cache`, `cache-forever`, `keep-alive-pool` or `recycling-pool`.
    pub profile: String,
    /// How long a `runtime-cache` keeps an answer; 30 s, the JDK's default, when missing.
    pub cache: Option<WrittenDuration>,
    /// At which age a `recycling-pool` replaces its connections; 60 s when missing.
    pub max_age: Option<WrittenDuration>,
    /// `A` or `AAAA`; `A` when missing.
    pub family: Option<String>,
    /// From one request to the next; 2 s when missing.
    pub every: Option<WrittenDuration>,
    /// When it gives a request up; 5 s when missing.
    pub timeout: Option<WrittenDuration>,
    /// What it calls slow; 1 s when missing.
    pub slow: Option<WrittenDuration>,
}

/// One fault: exactly one of the keys, with the cell that it breaks.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FaultFile {
    /// The database refuses connections; the application answers 503.
    pub kill_database: Option<String>,
    /// Load balancer, targets and database refuse connections.
    pub kill_region: Option<String>,
    /// The static site refuses connections.
    pub kill_static_site: Option<String>,
}

/// How often the observers look; each 1 s when missing.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ObserveFile {
    /// At the authoritative server.
    pub authoritative_every: Option<WrittenDuration>,
    /// At each resolver.
    pub resolver_every: Option<WrittenDuration>,
    /// At what the fault breaks.
    pub fault_every: Option<WrittenDuration>,
}

/// One expectation: exactly one of the keys.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ExpectFile {
    /// What the authoritative server answers.
    pub answer: Option<AnswerFile>,
    /// The health status that decisions use.
    pub health: Option<HealthFile>,
    /// Where a client's requests arrive.
    pub served: Option<ServedFile>,
    /// How long a stage may take.
    pub budget: Option<BudgetFile>,
    /// What a client may lose.
    pub loss: Option<LossFile>,
}

/// `answer: { from: Brazil, is: us-east-1, within: 95s }`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AnswerFile {
    /// As asked from this place.
    pub from: String,
    /// A cell, `nodata` or `nxdomain`.
    pub is: String,
    /// The name asked for; the drill's when missing.
    pub name: Option<String>,
    /// `A` or `AAAA`; `A` when missing.
    #[serde(rename = "type")]
    pub rtype: Option<String>,
    /// From some moment within this on. This or `holds`.
    pub within: Option<WrittenDuration>,
    /// `always` or `never`. This or `within`.
    pub holds: Option<String>,
    /// `failover` or `failback`; `failover` when missing.
    pub during: Option<String>,
}

/// `health: { of: sa-east-1, is: unhealthy, within: 32s }`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct HealthFile {
    /// A cell, or a health check's id.
    pub of: String,
    /// `healthy` or `unhealthy`.
    pub is: String,
    /// From some moment within this on. This or `holds`.
    pub within: Option<WrittenDuration>,
    /// `always` or `never`. This or `within`.
    pub holds: Option<String>,
    /// `failover` or `failback`; `failover` when missing.
    pub during: Option<String>,
}

/// `served: { client: br-fresh, by: us-east-1, within: 95s }`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ServedFile {
    /// The client.
    pub client: String,
    /// A cell, or `nobody`.
    pub by: String,
    /// From some moment within this on. This or `holds`.
    pub within: Option<WrittenDuration>,
    /// `always` or `never`. This or `within`.
    pub holds: Option<String>,
    /// `failover` or `failback`; `failover` when missing.
    pub during: Option<String>,
}

/// `budget: { stage: detection, at-most: 32s }`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BudgetFile {
    /// `detection`, `authoritative`, `resolver`, `client` or `total`.
    pub stage: String,
    /// Lab time.
    pub at_most: WrittenDuration,
    /// A resolver (stage `resolver`) or a client (stages `client`, `total`); the last of all when missing.
    pub of: Option<String>,
    /// `failover` or `failback`; `failover` when missing.
    pub during: Option<String>,
}

/// `loss: { client: br-fresh, failed-at-most: 50 }`. At least one limit.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LossFile {
    /// The client.
    pub client: String,
    /// Requests without an answer, or with a 5xx one.
    pub failed_at_most: Option<u64>,
    /// Requests that took longer than the client's `slow`.
    pub slow_at_most: Option<u64>,
    /// Requests that went to the old cell after the authoritative answer had changed.
    pub stale_at_most: Option<u64>,
    /// `failover` or `failback`; `failover` when missing.
    pub during: Option<String>,
}

/// A duration as it stands in the file: `15s`, `1m 30s`. A bare number is kept, so that its error can name the unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrittenDuration {
    /// A text; perhaps with a unit.
    Text(String),
    /// A number without a unit.
    Number(String),
}

impl<'de> Deserialize<'de> for WrittenDuration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Written;
        impl Visitor<'_> for Written {
            type Value = WrittenDuration;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a duration with its unit, for example `15s` or `1m 30s`")
            }
            fn visit_str<E>(self, text: &str) -> Result<WrittenDuration, E> {
                Ok(WrittenDuration::Text(text.to_owned()))
            }
            fn visit_u64<E>(self, number: u64) -> Result<WrittenDuration, E> {
                Ok(WrittenDuration::Number(number.to_string()))
            }
            fn visit_i64<E>(self, number: i64) -> Result<WrittenDuration, E> {
                Ok(WrittenDuration::Number(number.to_string()))
            }
            fn visit_f64<E>(self, number: f64) -> Result<WrittenDuration, E> {
                Ok(WrittenDuration::Number(number.to_string()))
            }
        }
        deserializer.deserialize_any(Written)
    }
}

/// One text, or a list of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OneOrMore {
    /// `address: 203.0.113.10`
    One(String),
    /// `address: [203.0.113.10, 2001:db8::10]`
    More(Vec<String>),
}

impl OneOrMore {
    /// Each text, with what its path has below that of the whole.
    pub(super) fn iter(&self) -> impl Iterator<Item = (String, &str)> {
        let (one, more) = match self {
            Self::One(text) => (Some((String::new(), text.as_str())), &[][..]),
            Self::More(texts) => (None, texts.as_slice()),
        };
        let more = more.iter().enumerate().map(|(index, text)| (format!(".{index}"), text.as_str()));
        one.into_iter().chain(more)
    }
}

impl<'de> Deserialize<'de> for OneOrMore {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Texts;
        impl<'de> Visitor<'de> for Texts {
            type Value = OneOrMore;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an address, or a list of addresses")
            }
            fn visit_str<E>(self, text: &str) -> Result<OneOrMore, E> {
                Ok(OneOrMore::One(text.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<OneOrMore, A::Error> {
                let mut texts = Vec::new();
                while let Some(text) = seq.next_element()? {
                    texts.push(text);
                }
                if texts.is_empty() {
                    return Err(A::Error::invalid_length(0, &"at least one address"));
                }
                Ok(OneOrMore::More(texts))
            }
        }
        deserializer.deserialize_any(Texts)
    }
}
