//! Who asks: resolvers, clients, synthetic probes.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::WrittenDuration;

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
    /// Which program it is: `unbound`, `bind`, `pdns-recursor`, `knot-resolver` or `dnsmasq`. Only the lab of containers runs
    /// it; everywhere else muster's own resolver stands for it, as for one without a program.
    pub software: Option<String>,
    /// How long its program may give an answer that has expired (RFC 8767), 1 s to 1 day; not at all when missing. Only the
    /// lab of containers has that. `pdns-recursor` rounds it up to a multiple of 30 s of wall time (RSV-TTL-9).
    pub serve_stale: Option<WrittenDuration>,
}

/// A client.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ClientFile {
    /// Where it stands.
    pub place: String,
    /// Which resolver it asks.
    pub resolver: String,
    /// What is predicted of it: `fresh-lookup`, `runtime-cache`, `cache-forever`, `keep-alive-pool`, `recycling-pool` or
    /// `ageing-pool`. What its `software` does by itself when missing; without `software` it must be there.
    pub profile: Option<String>,
    /// Which program it is: `curl`, `go`, `jvm`, `node`, `python`, `nginx` or `grpc`. Only the lab of containers runs it;
    /// everywhere else muster's own client of the same profile stands for it.
    pub software: Option<String>,
    /// The image that it is, in place of a program of muster's: only the lab of containers can run it.
    pub image: Option<String>,
    /// What runs in its `image`; what the image says when missing.
    pub command: Option<Vec<String>>,
    /// What is set in the environment of its `image`.
    pub environment: Option<BTreeMap<String, String>>,
    /// How long a `runtime-cache` keeps an answer; 30 s, the JDK's default, when missing.
    pub cache: Option<WrittenDuration>,
    /// At which age a `recycling-pool` or an `ageing-pool` replaces its connections; 60 s when missing.
    pub max_age: Option<WrittenDuration>,
    /// `A` or `AAAA`; `A` when missing.
    pub family: Option<String>,
    /// From one request to the next; 2 s when missing.
    pub every: Option<WrittenDuration>,
    /// When it gives a request up, 1 s to 1 min, for a stream to 10 min; 5 s when missing.
    pub timeout: Option<WrittenDuration>,
    /// What it calls slow; 1 s when missing.
    pub slow: Option<WrittenDuration>,
    /// `page`, `completion`, `stream` or `telemetry`; `page` when missing.
    pub asks: Option<String>,
    /// For how many tokens a `completion` or a `stream` asks, 1 to 100000; 16 when missing.
    pub tokens: Option<u32>,
    /// How many of it ask side by side, each at the cadence `every`, 1 to 64; 1 when missing.
    pub workers: Option<u32>,
    /// The tier that a `completion` or a `stream` names; a gateway that sheds turns `free` away. None when missing.
    pub tier: Option<String>,
}

/// A synthetic probe: it submits one span of telemetry to a name, again and again. Each probe feeds the metric
/// `success-of: <probe>`, with 1 for success and 0 for failure.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProbeFile {
    /// The name that it submits to, in the zone.
    pub asks: String,
    /// Which resolver it asks, and next to which it stands; it looks up anew each time.
    pub resolver: String,
    /// From one probe's start to the next, 200 ms to 1 min; 60 s when missing.
    pub every: Option<WrittenDuration>,
    /// When it gives a probe up, at most `every`; 5 s when missing.
    pub timeout: Option<WrittenDuration>,
}
