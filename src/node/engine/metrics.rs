//! An engine's metrics, by the names that vLLM gives them, in the text format of Prometheus.

use std::fmt::Write as _;

use crate::service::Engine;

/// The media type of the text format.
pub(super) const TEXT_FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// What `GET /metrics` says.
pub(super) fn text(engine: &Engine) -> String {
    let (running, waiting) = (engine.running().to_string(), engine.waiting().to_string());
    let (cache, made) = (format!("{:?}", engine.cache_usage()), engine.made().to_string());
    let metrics = [
        ("vllm:num_requests_running", "gauge", "Number of requests that are worked on.", running),
        ("vllm:num_requests_waiting", "gauge", "Number of requests that wait.", waiting),
        ("vllm:kv_cache_usage_perc", "gauge", "KV-cache usage. 1 means 100 percent usage.", cache),
        ("vllm:generation_tokens_total", "counter", "Number of tokens that were made.", made),
    ];
    let model = escaped(&engine.settings().model);
    let mut text = String::new();
    for (name, kind, help, value) in metrics {
        // Writing to a String does not fail.
        let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name}{{model_name=\"{model}\"}} {value}\n");
    }
    text
}

/// A label's value (Prometheus, "Exposition formats").
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
