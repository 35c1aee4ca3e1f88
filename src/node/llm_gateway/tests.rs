//! A gateway in front of an engine, in front of none, and in front of one that stays silent.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::super::engine::{self, EngineSwitch};
use super::super::process::Process;
use super::super::testbed::{ANA, EAST, EAST_TARGETS, STRANGER, Testbed, http_client, ip, on_loopback, roster, url};
use super::super::{CELL_HEADER, HTTP_PORT};
use super::*;
use crate::journal::event::Event;
use crate::service::{Condition, EngineSettings};

const SETTINGS: GatewaySettings = GatewaySettings { first_byte_within: Duration::from_secs(3), sheds_above: Some(1) };

fn own() -> EnginePlan {
    let (model, loads_for) = ("chat-model".to_owned(), Duration::ZERO);
    let settings = EngineSettings { model, slots: 2, queue: 2, tokens_per_second: 32.0, loads_for };
    EnginePlan::Own { settings, address: ip(EAST_TARGETS[0]) }
}

fn start_engine(bed: &Testbed) -> (Process, EngineSwitch) {
    let EnginePlan::Own { settings, address } = own() else { unreachable!() };
    let here = bed.environment.ground.here(SocketAddr::new(address, ENGINE_PORT)).unwrap();
    let (switch, environment) = (EngineSwitch::default(), bed.environment.clone());
    let shared = switch.clone();
    let mut engine = Process::new(move || engine::bind(here, &settings, &shared, &environment));
    engine.start().unwrap();
    (engine, switch)
}

fn start_gateway(bed: &Testbed, engine: &EnginePlan) -> Process {
    let here = bed.environment.ground.here(SocketAddr::new(ip(EAST), HTTP_PORT)).unwrap();
    let arrivals = Arrivals::new("east".to_owned(), roster(), bed.environment.recorder.clone());
    let gateway = LlmGateway::new(arrivals, engine, SETTINGS, Some(here.ip()), &bed.environment).unwrap();
    let environment = bed.environment.clone();
    let mut process = Process::new(move || gateway.bind(&[here], &environment));
    process.start().unwrap();
    process
}

fn completion(tokens: u32, streams: bool) -> Value {
    json!({"model": "chat-model", "prompt": "Reply with the word ready.", "max_tokens": tokens, "stream": streams})
}

/// A request of ana's, or of somebody who is no client.
fn ask(bed: &Testbed, from: &str, body: &Value) -> reqwest::RequestBuilder {
    let http = http_client(&bed.environment.ground, from, false);
    http.post(url(&bed.environment.ground, EAST, "/v1/completions")).json(body)
}

async fn arrived(bed: &mut Testbed) -> (String, u16, Duration) {
    let arrived = bed.journal.wait_for("an arrival", |stamped| match &stamped.event {
        Event::RequestArrived { cell, client, status, held, .. } => {
            assert_eq!(cell, "east");
            Some((client.clone(), *status, *held))
        }
        _ => None,
    });
    arrived.await
}

#[test]
fn an_answer_of_the_engine_comes_through_in_the_cells_name() {
    on_loopback(20.0, async |mut bed| {
        let (_engine, _switch) = start_engine(&bed);
        let _gateway = start_gateway(&bed, &own());
        let answer = ask(&bed, ANA, &completion(16, false)).send().await.unwrap();
        assert_eq!(
            (answer.status(), &answer.headers()[CELL_HEADER]),
            (StatusCode::OK, &HeaderValue::from_static("east"))
        );
        let answer: Value = answer.json().await.unwrap();
        assert!(answer["choices"][0]["text"].as_str().unwrap().contains("ready"));
        let (client, status, held) = arrived(&mut bed).await;
        assert_eq!((client.as_str(), status), ("ana", 200));
        assert!(held >= Duration::from_millis(500), "{held:?}");
        let http = http_client(&bed.environment.ground, ANA, false);
        for (path, status) in [("/health", 200), ("/v1/models", 200), ("/metrics", 404), ("/", 404)] {
            let answer = http.get(url(&bed.environment.ground, EAST, path)).send().await.unwrap();
            assert_eq!(
                (answer.status().as_u16(), &answer.headers()[CELL_HEADER]),
                (status, &HeaderValue::from_static("east"))
            );
            assert_eq!(arrived(&mut bed).await.1, status);
        }
    });
}

#[test]
fn a_stream_shows_that_it_lives_each_second_and_has_arrived_at_its_end() {
    on_loopback(20.0, async |mut bed| {
        let (_engine, _switch) = start_engine(&bed);
        let _gateway = start_gateway(&bed, &own());
        // Ten seconds' worth; and that of somebody who is no client, of whom nothing is told.
        let stranger = tokio::task::spawn_local(ask(&bed, STRANGER, &completion(320, true)).send());
        let mut answer = ask(&bed, ANA, &completion(320, true)).send().await.unwrap();
        let mut progress = Progress::default();
        while let Some(piece) = answer.chunk().await.unwrap() {
            progress.read(&piece);
        }
        assert!(progress.is_done() && progress.tokens() == 320);
        let mut signs = Vec::new();
        let end = bed.journal.wait_for("the arrival", |stamped| match &stamped.event {
            Event::StreamAlive { cell, client, tokens } => {
                assert_eq!((cell.as_str(), client.as_str()), ("east", "ana"));
                signs.push((stamped.at, *tokens));
                None
            }
            Event::RequestArrived { status, held, .. } => Some((*status, *held)),
            _ => None,
        });
        let (status, held) = end.await;
        assert_eq!(status, 200);
        assert!(held >= Duration::from_secs(10), "{held:?}");
        // Once a second at most; what was due while this machine was busy is left out.
        assert!((2..=held.as_secs()).contains(&(signs.len() as u64)), "{signs:?}");
        assert!(signs.is_sorted() && signs.last().unwrap().1 > 0, "{signs:?}");
        assert_eq!(stranger.await.unwrap().unwrap().status(), StatusCode::OK);
    });
}

#[test]
fn a_stream_that_stalls_in_a_wedged_engine_shows_no_life() {
    on_loopback(20.0, async |mut bed| {
        let (_engine, switch) = start_engine(&bed);
        let _gateway = start_gateway(&bed, &own());
        let mut answer = ask(&bed, ANA, &completion(3_200, true)).send().await.unwrap();
        let alive = |event: &Event| matches!(event, Event::StreamAlive { .. });
        let clock = bed.environment.clock;
        let mut read = async |lasts| {
            let read = async { while let Ok(Some(_)) = answer.chunk().await {} };
            let _ = clock.within(Duration::from_secs(lasts), read).await;
        };
        read(5).await;
        assert!(bed.journal.drain().iter().any(alive));
        switch.set(Condition::Wedged);
        // What was under way still comes, and shows itself.
        read(10).await;
        bed.journal.drain();
        read(10).await;
        assert_eq!(bed.journal.drain().into_iter().filter(alive).count(), 0, "nothing comes, and nothing is alive");
    });
}

#[test]
fn an_engine_that_refuses_is_a_bad_gateway_and_one_that_is_silent_a_gateway_timeout() {
    on_loopback(20.0, async |mut bed| {
        let (mut engine, switch) = start_engine(&bed);
        let _gateway = start_gateway(&bed, &own());
        switch.set(Condition::Wedged);
        let silent = ask(&bed, ANA, &completion(1, true)).send().await.unwrap();
        assert_eq!(
            (silent.status(), &silent.headers()[CELL_HEADER]),
            (StatusCode::GATEWAY_TIMEOUT, &HeaderValue::from_static("east"))
        );
        let (_, status, held) = arrived(&mut bed).await;
        assert_eq!(status, 504);
        assert!(held >= SETTINGS.first_byte_within, "{held:?}");
        // Somebody with more patience gets it.
        let patient = ask(&bed, ANA, &completion(1, false)).header(PATIENCE_HEADER, "5").send().await.unwrap();
        assert_eq!(patient.status(), StatusCode::GATEWAY_TIMEOUT);
        assert!(arrived(&mut bed).await.2 >= Duration::from_secs(5));
        engine.kill().await;
        let refused = ask(&bed, ANA, &completion(1, false)).send().await.unwrap();
        assert_eq!(refused.status(), StatusCode::BAD_GATEWAY);
        assert_eq!(arrived(&mut bed).await.1, 502);
    });
}

#[test]
fn an_engine_that_dies_in_the_middle_of_a_stream_breaks_it() {
    on_loopback(20.0, async |mut bed| {
        let (mut engine, _switch) = start_engine(&bed);
        let _gateway = start_gateway(&bed, &own());
        let mut answer = ask(&bed, ANA, &completion(100_000, true)).send().await.unwrap();
        assert!(answer.chunk().await.unwrap().is_some());
        engine.kill().await;
        let end = loop {
            match answer.chunk().await {
                Ok(Some(_)) => {}
                end => break end,
            }
        };
        assert!(end.is_err(), "a stream that is cut has no end");
        assert_eq!(arrived(&mut bed).await.1, 200);
    });
}

#[test]
fn with_enough_under_way_the_free_tier_is_turned_away_and_nobody_else() {
    on_loopback(20.0, async |mut bed| {
        let (_engine, _switch) = start_engine(&bed);
        let _gateway = start_gateway(&bed, &own());
        let free = |tokens| ask(&bed, ANA, &completion(tokens, false)).header(TIER_HEADER, "free");
        assert_eq!(free(1).send().await.unwrap().status(), StatusCode::OK);
        let mut stream = ask(&bed, ANA, &completion(100_000, true)).send().await.unwrap();
        assert!(stream.chunk().await.unwrap().is_some());
        let shed = free(1).send().await.unwrap();
        assert_eq!(
            (shed.status(), &shed.headers()["retry-after"]),
            (StatusCode::SERVICE_UNAVAILABLE, &HeaderValue::from_static("1"))
        );
        let paid = ask(&bed, ANA, &completion(1, false)).header(TIER_HEADER, "paid");
        assert_eq!(paid.send().await.unwrap().status(), StatusCode::OK);
        // What ends, or is given up, frees its place.
        drop(stream);
        let freed = async { while free(1).send().await.unwrap().status() != StatusCode::OK {} };
        tokio::time::timeout(Duration::from_secs(20), freed).await.unwrap();
        assert_eq!(arrived(&mut bed).await.1, 200);
    });
}

#[test]
fn a_real_engine_is_asked_for_its_own_model_under_its_own_name() {
    on_loopback(20.0, async |bed| {
        let elsewhere = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let authority = elsewhere.local_addr().unwrap().to_string();
        let base_url = format!("http://{authority}/openai/");
        let plan = EnginePlan::Real { base_url, model: "gpt-real".to_owned(), api_key_from: None };
        let _gateway = start_gateway(&bed, &plan);
        let asked = tokio::task::spawn_local(ask(&bed, ANA, &completion(1, false)).send());
        let (mut stream, _) = elsewhere.accept().await.unwrap();
        let mut request = String::new();
        while !request.ends_with('}') {
            let mut piece = [0; 1024];
            let read = stream.read(&mut piece).await.unwrap();
            assert_ne!(read, 0, "{request}");
            request.push_str(std::str::from_utf8(&piece[..read]).unwrap());
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}").await.unwrap();
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        let head = head.to_ascii_lowercase();
        assert!(head.starts_with("post /openai/v1/completions http/1.1\r\n"), "{head}");
        assert_eq!(head.matches("\r\nhost: ").count(), 1);
        assert!(head.contains(&format!("\r\nhost: {authority}")), "{head}");
        assert_eq!(serde_json::from_str::<Value>(body).unwrap()["model"], "gpt-real");
        assert_eq!(asked.await.unwrap().unwrap().text().await.unwrap(), "{}");
    });
}

#[test]
fn a_gateway_does_not_start_without_the_key_that_it_needs() {
    on_loopback(1.0, async |bed| {
        let variable = "MUSTER_TEST_KEY_THAT_NOBODY_SETS".to_owned();
        let base_url = "http://llm.example.com".to_owned();
        let plan = EnginePlan::Real { base_url, model: "x".to_owned(), api_key_from: Some(variable.clone()) };
        let arrivals = Arrivals::new("east".to_owned(), roster(), bed.environment.recorder.clone());
        let error = LlmGateway::new(arrivals, &plan, SETTINGS, None, &bed.environment).unwrap_err();
        assert!(error.to_string().contains(&variable), "{error}");
    });
}
