//! An engine's metrics, by the names that vLLM gives them, in the text format of Prometheus.

use std::fmt::Write as _;

use crate::service::Engine;

/// The media type of the text format.
pub(super) const TEXT_FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// What `GET /metrics` says.
pub(super) fn text(engine: &Engine) -> String {
    let counted = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    let gauges = [
        ("vllm:num_requests_running", "Number of requests that are worked on.", counted(engine.running())),
        ("vllm:num_requests_waiting", "Number of requests that wait.", counted(engine.waiting())),
        ("vllm:kv_cache_usage_perc", "KV-cache usage. 1 means 100 percent usage.", engine.cache_usage()),
    ];
    let model = escaped(&engine.settings().model);
    let mut text = String::new();
    for (name, help, value) in gauges {
        // Writing to a String does not fail.
        let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} gauge\n{name}{{model_name=\"{model}\"}} {value:?}\n");
    }
    text
}

/// A label's value (Prometheus, "Exposition formats").
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
