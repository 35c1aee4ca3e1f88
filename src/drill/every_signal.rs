//! A drill with every kind of cell and of evidence, for the tests of loading and planning.

use std::fs;

use super::{LoadedDrill, load};

pub(super) const DRILL: &str = r#"drill: every-signal
title: Every kind of evidence
hazard: an empty queue drains a sound region
estimate: { by: "An article", client: app, detection: 45s, total: 165s }
recover: 300s
zone: zone.json
name: api.example.com
cells:
  us-east:
    llm:
      engine: { model: chat-model, slots: 8, queue: 64, tokens-per-second: 32, loads-for: 0s }
      gateway: { first-byte-within: 3s, sheds-above: 6 }
      prober: { pause: 5s, budget: 4s }
    address: 203.0.113.10
  us-west:
    llm:
      engine: { base-url: "https://llm.example.com", model: chat-model, api-key-from: LLM_KEY }
      prober: none
    address: 203.0.113.20
  otel: { telemetry-gateway: {}, address: 203.0.113.30 }
  otel-b: { telemetry-gateway: {}, address: 203.0.113.31 }
  sa-east-1: { region: { queue: { active-for: 1h } }, alias: alb.example.net }
health-checks:
  HC-A: { cell: us-east, http: /healthz, port: 8081, contains: '"status":"pass"', interval: 10s }
  HC-B: { cell: us-west, https: /, sni: false }
  HC-C: { cell: us-west, http: /, name: us-west.example.com }
  HC-D: { calculated: [HC-A, HC-E, HC-F], healthy-threshold: 3 }
  HC-E:
    alarm: { queue-age-of: sa-east-1, statistic: maximum, comparison: greater-than-threshold, threshold: 300, period: 60s, evaluation-periods: 3 }
    insufficient-data: unhealthy
  HC-F: { cell: sa-east-1, http: /, disabled: true }
  HC-G:
    alarm: { success-of: primary-branch, statistic: minimum, comparison: less-than-threshold, threshold: 1 }
    insufficient-data: last-known-status
  HC-H: { routing-control: us-west }
probes:
  primary-branch: { asks: otel-primary.example.com, resolver: isp, every: 60s, timeout: 5s }
routing-controls:
  controls: { us-east: on, us-west: on }
  at-least-on: 1
resolvers:
  isp: { place: Brazil }
clients:
  app: { place: Brazil, resolver: isp, profile: ageing-pool, asks: completion, workers: 4, tier: free }
  reader: { place: Brazil, resolver: isp, profile: fresh-lookup, asks: stream, tokens: 1600, timeout: 5m }
  agent: { place: Brazil, resolver: isp, profile: fresh-lookup, asks: telemetry }
fault: { wedge-engine: us-east }
expect:
  - health: { of: HC-A, is: unhealthy, once-within: 95s }
  - turns: { of: HC-D, at-least: 1, at-most: 2 }
  - swings: { client: app, at-most: 1, during: failback }
"#;

pub(super) const ZONE: &str = r#"{
  "ResourceRecordSets": [
    {"Name": "api.example.com.", "Type": "A", "SetIdentifier": "a", "Failover": "PRIMARY", "TTL": 60,
      "HealthCheckId": "HC-D", "ResourceRecords": [{"Value": "203.0.113.10"}]},
    {"Name": "api.example.com.", "Type": "A", "SetIdentifier": "b", "Failover": "SECONDARY", "TTL": 60,
      "HealthCheckId": "HC-B", "ResourceRecords": [{"Value": "203.0.113.20"}]},
    {"Name": "us-west.example.com.", "Type": "A", "TTL": 60, "ResourceRecords": [{"Value": "203.0.113.20"}]},
    {"Name": "otel.example.com.", "Type": "A", "SetIdentifier": "a", "Failover": "PRIMARY", "TTL": 60,
      "HealthCheckId": "HC-G", "ResourceRecords": [{"Value": "203.0.113.30"}]},
    {"Name": "otel.example.com.", "Type": "A", "SetIdentifier": "b", "Failover": "SECONDARY", "TTL": 60,
      "HealthCheckId": "HC-H", "ResourceRecords": [{"Value": "203.0.113.31"}]},
    {"Name": "otel-primary.example.com.", "Type": "A", "SetIdentifier": "a", "Weight": 1, "TTL": 60,
      "HealthCheckId": "HC-C", "ResourceRecords": [{"Value": "203.0.113.30"}]},
    {"Name": "otel-primary.example.com.", "Type": "A", "SetIdentifier": "b", "Weight": 0, "TTL": 60,
      "ResourceRecords": [{"Value": "203.0.113.31"}]},
    {"Name": "queue.example.com.", "Type": "A", "AliasTarget":
      {"DNSName": "alb.example.net.", "HostedZoneId": "Z35SXDOTRQ7X7K", "EvaluateTargetHealth": true}}
  ]
}"#;

/// The drill, loaded from a folder of its own.
pub(super) fn drill() -> LoadedDrill {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("zone.json"), ZONE).unwrap();
    let path = folder.path().join("drill.yaml");
    fs::write(&path, DRILL).unwrap();
    load(&path).unwrap_or_else(|errors| panic!("{errors}"))
}
