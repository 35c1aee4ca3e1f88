//! What a telemetry gateway takes, what it refuses, and what it writes down.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use opentelemetry_proto::tonic::collector::trace::v1::{ExportTraceServiceRequest, ExportTraceServiceResponse};
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span};
use prost::Message;
use serde_json::{Value, json};

use super::super::process::Process;
use super::super::testbed::{ANA, EAST, STRANGER, Testbed, http_client, ip, on_loopback, roster, url};
use super::super::{CELL_HEADER, HTTP_PORT};
use super::*;
use crate::journal::event::Event;

const PROTOBUF: &str = "application/x-protobuf";
const JSON: &str = "application/json";

fn start(bed: &Testbed) -> Process {
    let here = bed.environment.ground.here(SocketAddr::new(ip(EAST), HTTP_PORT)).unwrap();
    let arrivals = Arrivals::new("otel".to_owned(), roster(), bed.environment.recorder.clone());
    let environment = bed.environment.clone();
    let mut process = Process::new(move || bind(&[here], &arrivals, &environment));
    process.start().unwrap();
    process
}

fn post_to(bed: &Testbed, path: &str, media_type: &str, body: impl Into<reqwest::Body>) -> reqwest::RequestBuilder {
    let http = http_client(&bed.environment.ground, ANA, false);
    http.post(url(&bed.environment.ground, EAST, path)).header("content-type", media_type).body(body)
}

fn one_span() -> Vec<u8> {
    let span = Span { trace_id: vec![1; 16], span_id: vec![2; 8], name: "checkout".to_owned(), ..Span::default() };
    let scope_spans = vec![ScopeSpans { spans: vec![span], ..ScopeSpans::default() }];
    let resource_spans = vec![ResourceSpans { scope_spans, ..ResourceSpans::default() }];
    ExportTraceServiceRequest { resource_spans }.encode_to_vec()
}

async fn statuses(bed: &mut Testbed, count: usize) -> Vec<u16> {
    let mut statuses = Vec::new();
    for _ in 0..count {
        let arrived = bed.journal.wait_for("an arrival", |stamped| match &stamped.event {
            Event::RequestArrived { cell, client, status, .. } => {
                assert_eq!((cell.as_str(), client.as_str()), ("otel", "ana"));
                Some(*status)
            }
            _ => None,
        });
        statuses.push(arrived.await);
    }
    statuses
}

#[test]
fn telemetry_in_protobuf_is_taken_and_answered_in_protobuf() {
    on_loopback(20.0, async |mut bed| {
        let _gateway = start(&bed);
        let answer = post_to(&bed, "/v1/traces", PROTOBUF, one_span()).send().await.unwrap();
        assert_eq!((answer.status(), &answer.headers()["content-type"]), (StatusCode::OK, &PROTOBUF.parse().unwrap()));
        assert_eq!(answer.headers()[CELL_HEADER], "otel");
        let answer = ExportTraceServiceResponse::decode(answer.bytes().await.unwrap()).unwrap();
        assert_eq!(answer.partial_success, None);
        // No metrics and no logs are metrics and logs too.
        for path in ["/v1/metrics", "/v1/logs"] {
            assert_eq!(post_to(&bed, path, PROTOBUF, "").send().await.unwrap().status(), StatusCode::OK);
        }
        assert_eq!(statuses(&mut bed, 3).await, [200, 200, 200]);
    });
}

#[test]
fn telemetry_in_json_is_taken_and_answered_in_json() {
    on_loopback(20.0, async |bed| {
        let _gateway = start(&bed);
        // The example of the OTLP specification, cut down.
        let log = json!({"resourceLogs": [{"scopeLogs": [{"scope": {"name": "my.library"}, "logRecords": [{
            "timeUnixNano": "1544712660300000000", "severityNumber": 10, "severityText": "Information",
            "traceId": "5B8EFFF798038103D269B633813FC60C", "spanId": "EEE19B7EC3C1B174",
            "body": {"stringValue": "Example log record"}}]}]}]});
        let answer =
            post_to(&bed, "/v1/logs", "application/json; charset=utf-8", log.to_string()).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        assert_eq!(answer.headers()["content-type"], JSON);
        assert_eq!(answer.text().await.unwrap(), "{}");
    });
}

#[test]
fn packed_telemetry_is_unpacked() {
    on_loopback(20.0, async |bed| {
        let _gateway = start(&bed);
        let pack = |bytes: &[u8]| {
            let mut packer = GzEncoder::new(Vec::new(), Compression::default());
            packer.write_all(bytes).unwrap();
            packer.finish().unwrap()
        };
        let send = async |body: Vec<u8>, encoding: &str| {
            let request = post_to(&bed, "/v1/traces", PROTOBUF, body).header("content-encoding", encoding);
            request.send().await.unwrap().status()
        };
        assert_eq!(send(pack(&one_span()), "gzip").await, StatusCode::OK);
        assert_eq!(send(one_span(), "gzip").await, StatusCode::BAD_REQUEST);
        assert_eq!(send(pack(&vec![0; REQUEST_LIMIT + 1]), "gzip").await, StatusCode::BAD_REQUEST);
        assert_eq!(send(one_span(), "br").await, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    });
}

#[test]
fn garbage_is_a_bad_request_whose_status_says_what_is_wrong() {
    on_loopback(20.0, async |mut bed| {
        let _gateway = start(&bed);
        let garbage = post_to(&bed, "/v1/traces", PROTOBUF, vec![0xff; 7]).send().await.unwrap();
        assert_eq!(garbage.status(), StatusCode::BAD_REQUEST);
        let status = otlp::Status::decode(garbage.bytes().await.unwrap()).unwrap();
        assert_eq!(status.code, 3);
        assert!(!status.message.is_empty());
        let garbage = post_to(&bed, "/v1/metrics", JSON, r#"{"resourceMetrics": 7}"#).send().await.unwrap();
        assert_eq!(garbage.status(), StatusCode::BAD_REQUEST);
        let status: Value = garbage.json().await.unwrap();
        assert_eq!(status["code"], 3);
        assert!(status["message"].as_str().unwrap().contains("line 1"), "{status}");
        let other = post_to(&bed, "/v1/traces", "text/plain", "spans").send().await.unwrap();
        assert_eq!(other.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
        assert_eq!(statuses(&mut bed, 3).await, [400, 400, 415]);
    });
}

#[test]
fn its_shallow_paths_are_green_and_every_answer_names_the_cell() {
    on_loopback(20.0, async |mut bed| {
        let _gateway = start(&bed);
        for from in [STRANGER, ANA] {
            let http = http_client(&bed.environment.ground, from, false);
            for (path, status) in [("/", 200), ("/health", 200), ("/v1/traces", 405), ("/v2", 404)] {
                let answer = http.get(url(&bed.environment.ground, EAST, path)).send().await.unwrap();
                assert_eq!(
                    (answer.status().as_u16(), &answer.headers()[CELL_HEADER]),
                    (status, &"otel".parse().unwrap())
                );
            }
        }
        // The stranger's are not told.
        assert_eq!(statuses(&mut bed, 4).await, [200, 200, 405, 404]);
    });
}
