//! What serves: the cells, and what each is made of.

use serde::Deserialize;

use super::{OneOrMore, OrNone, WrittenDuration};

/// A cell: what it is made of, and what it stands for in the zone.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CellFile {
    /// A load balancer, its targets and their database. This, or one of the three below.
    pub region: Option<RegionFile>,
    /// A region that serves a language model: gateway, engine, prober.
    pub llm: Option<LlmFile>,
    /// A gateway that takes telemetry (OTLP over HTTP).
    pub telemetry_gateway: Option<TelemetryGatewayFile>,
    /// Files behind an address.
    pub static_site: Option<StaticSiteFile>,
    /// The DNS name of the AWS resource that an alias of the zone points at.
    pub alias: Option<String>,
    /// The address that the zone writes; for an `alias`, the addresses that it gives, which the zones of a region take in
    /// turn.
    pub address: Option<OneOrMore>,
}

/// A region's inside.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RegionFile {
    /// How many application targets, 1 to 20; 2 when missing. They are spread over the zones in turn.
    pub targets: Option<usize>,
    /// The availability zones that the load balancer has a node in, by name; each has addresses of its own.
    #[serde(default)]
    pub zones: Vec<String>,
    /// `on` or `off`: whether a zone's node sends to the targets of every zone; `on` when missing.
    pub cross_zone: Option<String>,
    /// Which program the load balancer is: `haproxy`, which only the lab of containers runs; muster's own when missing.
    pub load_balancer: Option<String>,
    /// How the load balancer checks them.
    #[serde(default)]
    pub target_group: TargetGroupFile,
    /// How the load balancer's own node is checked (R53-166).
    #[serde(default)]
    pub node_check: NodeCheckFile,
    /// A queue with a producer and a worker; none when missing.
    pub queue: Option<QueueFile>,
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
    /// How many targets must be healthy: `target_group_health.dns_failover.minimum_healthy_targets` (R53-160).
    pub minimum_healthy: Option<MinimumHealthyFile>,
}

/// A minimum of healthy targets; to fall below either is enough. Counted in each zone, or with `cross-zone: on` in all
/// together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MinimumHealthyFile {
    /// So many, 1 or more; 1 when missing.
    pub count: Option<u32>,
    /// So many percent of the targets, 1 to 100; off when missing.
    pub percent: Option<u32>,
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

/// A telemetry gateway has no settings: write `telemetry-gateway: {}`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TelemetryGatewayFile {}

/// A region's queue: `queue: {}` for the defaults.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct QueueFile {
    /// From one message of the producer to the next, at least 100 ms; 5 s when missing.
    pub message_every: Option<WrittenDuration>,
    /// How long the worker works on one; less than `message-every`, so that the queue stays short. 1 s when missing.
    pub work_takes: Option<WrittenDuration>,
    /// For how long it publishes its metric, once a minute, after it was last used (R53-202), at least 1 min; 6 h when
    /// missing.
    pub active_for: Option<WrittenDuration>,
    /// Within what it publishes again once it is used again (R53-202); 15 min when missing.
    pub wakes_within: Option<WrittenDuration>,
    /// It is deleted when nobody has used it for so long, and whoever uses it next creates it anew; 30 days when missing.
    pub deleted_when_idle_for: Option<WrittenDuration>,
    /// So many receives, 1 to 1000, and a message goes to a dead-letter queue (R53-205); there is none when missing.
    pub dead_letter_after: Option<u32>,
}

/// A region that serves a language model: `llm: {}` for the defaults.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct LlmFile {
    /// Where tokens come from; muster's own engine when missing.
    #[serde(default)]
    pub engine: EngineFile,
    /// What stands in front of the engine, on port 80 of the cell.
    #[serde(default)]
    pub gateway: GatewayFile,
    /// What asks the engine in the background, and tells its verdict as `/healthz` on port 8081 of the cell; `none` for
    /// a cell without it.
    #[serde(default)]
    pub prober: OrNone<ProberFile>,
}

/// An inference engine: muster's own, or with `base-url` one that runs already.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EngineFile {
    /// The model that it serves; `chat-model` when missing. Must stand for an engine with a `base-url`.
    pub model: Option<String>,
    /// How many requests muster's own engine works on at the same time, 1 to 1024; 8 when missing.
    pub slots: Option<u32>,
    /// How many more wait there, to 100000; 64 when missing.
    pub queue: Option<u32>,
    /// How many tokens a slot makes in a second of lab time, 0.1 to 10000; 32 when missing.
    pub tokens_per_second: Option<f64>,
    /// How long it loads its model after each start; `0s` when missing.
    pub loads_for: Option<WrittenDuration>,
    /// Where an engine that is not muster's own is, without `/v1`: `https://llm.example.com`.
    pub base_url: Option<String>,
    /// The environment variable that holds that engine's key, if it wants one.
    pub api_key_from: Option<String>,
}

/// A gateway's settings.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GatewayFile {
    /// Within what the engine must have begun its answer, or the gateway answers 504, at least 100 ms; 3 s when missing.
    pub first_byte_within: Option<WrittenDuration>,
    /// With so many requests under way, those of the tier `free` are answered 503 at once; nobody is when missing.
    pub sheds_above: Option<u32>,
}

/// A prober's settings. The defaults are those of the article "DNS Failover for LLM Serving".
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProberFile {
    /// From the end of one probe to the start of the next; 5 s when missing.
    pub pause: Option<WrittenDuration>,
    /// How long a probe may take, at most `pause`; 4 s when missing.
    pub budget: Option<WrittenDuration>,
    /// Bad probes in a row that turn the verdict unhealthy; 3 when missing.
    pub fails_to_drain: Option<u32>,
    /// Good probes in a row that turn it healthy; 12 when missing. It begins unhealthy.
    pub good_to_recover: Option<u32>,
    /// The age from which on a verdict counts as unhealthy; 20 s when missing.
    pub max_age: Option<WrittenDuration>,
    /// What the engine is asked; `Reply with the word ready.` when missing.
    pub prompt: Option<String>,
    /// What its answer must contain, whatever the case; `ready` when missing.
    pub expects: Option<String>,
    /// How many tokens are asked for; 16 when missing.
    pub max_tokens: Option<u32>,
    /// The model that is asked for; the engine's when missing.
    pub model: Option<String>,
}
