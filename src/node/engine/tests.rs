//! An engine over real sockets: the shapes of its answers, and what each condition looks like from outside.

use std::time::Duration;

use axum::http::StatusCode;
use reqwest::Response;
use serde_json::{Value, json};

use super::super::process::Process;
use super::super::testbed::{ANA, EAST, Testbed, http_client, ip, on_loopback};
use super::super::{ENGINE_PORT, event_stream::Progress};
use super::*;
use crate::service::THROTTLED_ANSWER_TAKES;

const READY: &str = "Reply with the word ready.";

fn settings() -> EngineSettings {
    let (model, loads_for) = ("chat-model".to_owned(), Duration::ZERO);
    EngineSettings { model, slots: 2, queue: 1, tokens_per_second: 32.0, loads_for }
}

struct Running {
    http: reqwest::Client,
    base: String,
    switch: EngineSwitch,
    process: Process,
}

impl Running {
    fn start(bed: &Testbed, settings: EngineSettings) -> Self {
        Self::with(bed, settings, EngineSwitch::default())
    }

    fn with(bed: &Testbed, settings: EngineSettings, switch: EngineSwitch) -> Self {
        let here = bed.environment.ground.here(SocketAddr::new(ip(EAST), ENGINE_PORT)).unwrap();
        let environment = bed.environment.clone();
        let shared = switch.clone();
        let mut process = Process::new(move || bind(here, &settings, &shared, &environment));
        process.start().unwrap();
        let http = http_client(&bed.environment.ground, ANA, false);
        Self { http, base: format!("http://{here}"), switch, process }
    }

    async fn get(&self, path: &str) -> Response {
        self.http.get(format!("{}{path}", self.base)).send().await.unwrap()
    }

    fn ask(&self, path: &str, body: &Value) -> reqwest::RequestBuilder {
        self.http.post(format!("{}{path}", self.base)).json(body)
    }

    async fn answer(&self, path: &str, body: &Value) -> (StatusCode, Value) {
        let answer = self.ask(path, body).send().await.unwrap();
        (answer.status(), answer.json().await.unwrap())
    }

    /// A gauge's value.
    async fn gauge(&self, name: &str) -> f64 {
        let text = self.get("/metrics").await.text().await.unwrap();
        let line = text.lines().find(|line| line.starts_with(&format!("{name}{{"))).unwrap();
        line.rsplit_once(' ').unwrap().1.parse().unwrap()
    }

    /// Waits until a gauge has this value.
    async fn until(&self, name: &str, value: f64) {
        let wait = async { while (self.gauge(name).await - value).abs() > f64::EPSILON {} };
        tokio::time::timeout(Duration::from_secs(20), wait).await.unwrap_or_else(|_| panic!("{name} is never {value}"));
    }
}

/// The events of a stream: each is one `data:` line and an empty one; the last is `[DONE]`.
fn events(stream: &str) -> Vec<Value> {
    let mut events: Vec<&str> = stream.split_terminator("\n\n").collect();
    assert_eq!(events.pop(), Some("data: [DONE]"));
    assert!(stream.ends_with("\n\n"));
    events.iter().map(|event| serde_json::from_str(event.strip_prefix("data: ").unwrap()).unwrap()).collect()
}

#[test]
fn a_completion_has_the_shape_that_openai_publishes() {
    on_loopback(20.0, async |bed| {
        let engine = Running::start(&bed, settings());
        let body = json!({"model": "chat-model", "prompt": READY, "max_tokens": 16, "temperature": 0});
        let (status, answer) = engine.answer("/v1/completions", &body).await;
        assert_eq!(status, StatusCode::OK);
        assert!(answer["id"].as_str().unwrap().starts_with("cmpl-"));
        assert!(answer["created"].as_u64().unwrap() > 1_700_000_000);
        assert_eq!((&answer["object"], &answer["model"]), (&json!("text_completion"), &json!("chat-model")));
        let choice = &answer["choices"][0];
        assert!(choice["text"].as_str().unwrap().contains("ready"));
        assert_eq!((&choice["index"], &choice["finish_reason"]), (&json!(0), &json!("length")));
        assert_eq!(answer["usage"], json!({"prompt_tokens": 5, "completion_tokens": 16, "total_tokens": 21}));
        let (_, again) = engine.answer("/v1/completions", &body).await;
        assert_eq!(again["choices"], answer["choices"]);
        assert_ne!(again["id"], answer["id"]);
    });
}

#[test]
fn an_engine_that_is_throttled_takes_ten_seconds_for_an_answer_and_none_when_it_is_let_go() {
    on_loopback(20.0, async |bed| {
        let engine = Running::start(&bed, settings());
        let clock = &bed.environment.clock;
        let body = json!({"model": "chat-model", "prompt": READY, "max_tokens": 1});
        engine.switch.throttle(true);
        let began = clock.now();
        let (status, _) = engine.answer("/v1/completions", &body).await;
        assert_eq!(status, StatusCode::OK);
        assert!(clock.now().since(began) >= THROTTLED_ANSWER_TAKES, "{:?}", clock.now().since(began));
        // Meanwhile its health page is green.
        let began = clock.now();
        let asked = engine.answer("/v1/completions", &body);
        let let_go = async {
            assert_eq!(engine.get("/health").await.status(), StatusCode::OK);
            engine.switch.throttle(false);
        };
        let ((status, _), ()) = futures_util::future::join(asked, let_go).await;
        assert_eq!(status, StatusCode::OK);
        let took = clock.now().since(began);
        assert!(took < THROTTLED_ANSWER_TAKES, "{took:?}: what is left of the work is done at once");
    });
}

#[test]
fn an_engine_that_works_answers_when_the_work_is_done() {
    on_loopback(20.0, async |bed| {
        let costs = Duration::from_millis(50);
        let engine = Running::with(&bed, settings(), EngineSwitch::of_one_that_works(costs));
        let body = json!({"model": "chat-model", "prompt": READY, "max_tokens": 1});
        let began = std::time::Instant::now();
        assert_eq!(engine.answer("/v1/completions", &body).await.0, StatusCode::OK);
        assert!(began.elapsed() >= costs, "a thread uses no more CPU than time passes");
    });
}

#[test]
fn a_chat_completion_has_the_shape_that_openai_publishes() {
    on_loopback(20.0, async |bed| {
        let engine = Running::start(&bed, settings());
        let parts = json!([{"type": "text", "text": READY}]);
        let messages = json!([{"role": "system", "content": "Be brief."}, {"role": "user", "content": parts}]);
        let body = json!({"model": "chat-model", "messages": messages, "max_completion_tokens": 4});
        let (status, answer) = engine.answer("/v1/chat/completions", &body).await;
        assert_eq!(status, StatusCode::OK);
        assert!(answer["id"].as_str().unwrap().starts_with("chatcmpl-"));
        assert_eq!(answer["object"], "chat.completion");
        let message = &answer["choices"][0]["message"];
        assert_eq!((&message["role"], &message["content"]), (&json!("assistant"), &json!(" ready so on it")));
        assert_eq!(answer["usage"]["completion_tokens"], 4);
    });
}

#[test]
fn a_stream_is_one_event_for_each_token_and_says_when_it_is_done() {
    on_loopback(20.0, async |bed| {
        let engine = Running::start(&bed, settings());
        let options = json!({"include_usage": true});
        let messages = json!([{"role": "user", "content": READY}]);
        let body = json!({"model": "chat-model", "messages": messages, "max_tokens": 3, "stream": true,
                          "stream_options": options});
        let answer = engine.ask("/v1/chat/completions", &body).send().await.unwrap();
        assert_eq!(answer.headers()["content-type"], "text/event-stream");
        let events = events(&answer.text().await.unwrap());
        assert!(
            events.iter().all(|event| event["object"] == "chat.completion.chunk" && event["id"] == events[0]["id"])
        );
        let deltas: Vec<&Value> = events.iter().map(|event| &event["choices"][0]["delta"]).collect();
        let told = [json!({"content": " ready"}), json!({"content": " so"}), json!({"content": " on"}), json!({})];
        assert_eq!(deltas[0], &json!({"role": "assistant", "content": ""}));
        assert_eq!(deltas[1..5], told.iter().collect::<Vec<_>>());
        let reasons: Vec<&Value> = events.iter().map(|event| &event["choices"][0]["finish_reason"]).collect();
        assert_eq!(reasons[..4], [&Value::Null; 4]);
        assert_eq!(reasons[4], "length");
        assert_eq!((&events[5]["choices"], &events[5]["usage"]["completion_tokens"]), (&json!([]), &json!(3)));

        let body = json!({"model": "chat-model", "prompt": READY, "max_tokens": 40, "stream": true});
        let stream = engine.ask("/v1/completions", &body).send().await.unwrap().text().await.unwrap();
        let chunks = self::events(&stream);
        assert!(chunks.iter().all(|event| event["object"] == "text_completion" && event.get("usage").is_none()));
        let mut progress = Progress::default();
        progress.read(stream.as_bytes());
        assert_eq!((progress.tokens(), progress.is_done()), (40, true));
    });
}

#[test]
fn what_cannot_be_answered_is_refused_in_the_apis_form() {
    on_loopback(20.0, async |bed| {
        let engine = Running::start(&bed, settings());
        let bad = [
            json!({"prompt": READY}),
            json!({"model": "chat-model"}),
            json!({"model": "chat-model", "prompt": ["a", "b"]}),
            json!({"model": "chat-model", "prompt": READY, "max_tokens": 0}),
            json!({"model": "chat-model", "prompt": READY, "max_tokens": -1}),
            json!({"model": "chat-model", "prompt": READY, "n": 2}),
            json!("ready"),
        ];
        for body in bad {
            let (status, answer) = engine.answer("/v1/completions", &body).await;
            assert_eq!(status, StatusCode::BAD_REQUEST, "{body}");
            assert_eq!(answer["error"]["type"], "invalid_request_error", "{body}");
            assert!(answer["error"]["message"].as_str().is_some_and(|message| message.len() > 10), "{answer}");
        }
        let broken = engine.http.post(format!("{}/v1/chat/completions", engine.base)).body("{").send().await.unwrap();
        assert_eq!(broken.status(), StatusCode::BAD_REQUEST);
        let (status, answer) = engine.answer("/v1/completions", &json!({"model": "x", "prompt": READY})).await;
        assert_eq!((status, &answer["error"]["code"]), (StatusCode::NOT_FOUND, &json!("model_not_found")));
        assert_eq!(engine.get("/v2").await.status(), StatusCode::NOT_FOUND);
        assert_eq!(engine.get("/v1/completions").await.status(), StatusCode::METHOD_NOT_ALLOWED);
    });
}

#[test]
fn a_model_that_loads_is_a_503_behind_a_green_health() {
    on_loopback(1.0, async |bed| {
        let engine = Running::start(&bed, EngineSettings { loads_for: Duration::from_secs(3600), ..settings() });
        let (status, answer) = engine.answer("/v1/completions", &json!({"model": "chat-model", "prompt": READY})).await;
        assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
        assert!(answer["error"]["message"].as_str().unwrap().contains("loading"), "{answer}");
        assert_eq!(engine.get("/health").await.status(), StatusCode::OK);
    });
}

#[test]
fn who_comes_beyond_the_queue_is_turned_away_and_who_gives_up_makes_room() {
    on_loopback(1.0, async |bed| {
        let engine = Running::start(&bed, settings());
        let long = json!({"model": "chat-model", "prompt": READY, "max_tokens": 100_000});
        let held: Vec<_> =
            (0..3).map(|_| tokio::task::spawn_local(engine.ask("/v1/completions", &long).send())).collect();
        engine.until("vllm:num_requests_waiting", 1.0).await;
        engine.until("vllm:num_requests_running", 2.0).await;
        assert!(engine.gauge("vllm:kv_cache_usage_perc").await < 1.0);
        let (status, answer) = engine.answer("/v1/completions", &long).await;
        assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
        assert!(answer["error"]["message"].as_str().unwrap().contains("queue is full"), "{answer}");
        held.iter().for_each(tokio::task::JoinHandle::abort);
        engine.until("vllm:num_requests_running", 0.0).await;
        engine.until("vllm:num_requests_waiting", 0.0).await;
        let short = json!({"model": "chat-model", "prompt": READY, "max_tokens": 1});
        assert_eq!(engine.answer("/v1/completions", &short).await.0, StatusCode::OK);
    });
}

#[test]
fn a_wedged_engine_answers_everything_but_what_it_is_for() {
    on_loopback(20.0, async |bed| {
        let engine = Running::start(&bed, settings());
        engine.switch.set(Condition::Wedged);
        let body = json!({"model": "chat-model", "prompt": READY, "max_tokens": 1});
        let asked: Vec<_> =
            (0..5).map(|_| tokio::task::spawn_local(engine.ask("/v1/completions", &body).send())).collect();
        engine.until("vllm:num_requests_waiting", 5.0).await;
        assert_eq!(engine.get("/health").await.status(), StatusCode::OK);
        assert_eq!(engine.get("/v1/models").await.json::<Value>().await.unwrap()["data"][0]["id"], "chat-model");
        let answered = futures_util::future::select_all(asked);
        let mut answered = std::pin::pin!(answered);
        let five_seconds = Duration::from_secs(5);
        assert!(bed.environment.clock.within(five_seconds, answered.as_mut()).await.is_err());
        engine.switch.set(Condition::Well);
        let (first, _, others) = answered.await;
        for answer in std::iter::once(first).chain(futures_util::future::join_all(others).await) {
            let answer = answer.unwrap().unwrap();
            assert_eq!(answer.status(), StatusCode::INTERNAL_SERVER_ERROR);
            assert_eq!(answer.json::<Value>().await.unwrap()["error"]["type"], "server_error");
        }
        assert_eq!(engine.answer("/v1/completions", &body).await.0, StatusCode::OK);
    });
}

#[test]
fn a_frozen_engine_accepts_and_answers_nobody_until_it_goes_on_and_then_everybody_who_waits() {
    on_loopback(20.0, async |bed| {
        let engine = Running::start(&bed, settings());
        engine.switch.set(Condition::Frozen);
        let body = json!({"model": "chat-model", "prompt": READY, "max_tokens": 1});
        let asked = ["/health", "/v1/models", "/metrics"].map(|path| engine.http.get(format!("{}{path}", engine.base)));
        let asked = asked.into_iter().chain([engine.ask("/v1/completions", &body)]);
        let asked: Vec<_> = asked.map(|request| tokio::task::spawn_local(request.send())).collect();
        let mut answered = std::pin::pin!(futures_util::future::select_all(asked));
        let five_seconds = Duration::from_secs(5);
        assert!(bed.environment.clock.within(five_seconds, answered.as_mut()).await.is_err());
        engine.switch.set(Condition::Well);
        let (first, _, others) = answered.await;
        for answer in std::iter::once(first).chain(futures_util::future::join_all(others).await) {
            assert_eq!(answer.unwrap().unwrap().status(), StatusCode::OK);
        }
    });
}

#[test]
fn a_stream_that_wedges_stands_still_and_breaks_off_when_the_engine_is_well_again() {
    on_loopback(20.0, async |bed| {
        let engine = Running::start(&bed, settings());
        let body = json!({"model": "chat-model", "prompt": READY, "max_tokens": 100_000, "stream": true});
        let mut stream = engine.ask("/v1/completions", &body).send().await.unwrap();
        assert!(stream.chunk().await.unwrap().is_some());
        engine.switch.set(Condition::Wedged);
        // There is a slot for it: that it waits shows that nothing moves any more.
        let held = tokio::task::spawn_local(engine.ask("/v1/completions", &body).send());
        engine.until("vllm:num_requests_waiting", 1.0).await;
        engine.switch.set(Condition::Well);
        let end = loop {
            match stream.chunk().await {
                Ok(Some(_)) => {}
                end => break end,
            }
        };
        assert!(end.is_err(), "a stream that is cut has no end");
        assert_eq!(held.await.unwrap().unwrap().status(), StatusCode::INTERNAL_SERVER_ERROR);
    });
}

#[test]
fn a_starved_engine_shows_a_full_cache_and_lets_them_wait() {
    on_loopback(20.0, async |bed| {
        let engine = Running::start(&bed, EngineSettings { queue: 64, ..settings() });
        engine.switch.set(Condition::Starved);
        let body = json!({"model": "chat-model", "prompt": READY, "max_tokens": 16});
        let began = bed.environment.clock.now();
        let asked: Vec<_> =
            (0..2).map(|_| tokio::task::spawn_local(engine.ask("/v1/completions", &body).send())).collect();
        engine.until("vllm:num_requests_waiting", 1.0).await;
        assert!((engine.gauge("vllm:kv_cache_usage_perc").await - 1.0).abs() < f64::EPSILON);
        assert_eq!(engine.get("/health").await.status(), StatusCode::OK);
        for asked in asked {
            assert_eq!(asked.await.unwrap().unwrap().status(), StatusCode::OK);
        }
        // 16 tokens at 4 a second, one after the other.
        assert!(bed.environment.clock.now().since(began) >= Duration::from_secs(8));
    });
}

#[test]
fn a_wrong_model_is_listed_and_answers_in_the_right_ones_name_across_a_restart() {
    on_loopback(20.0, async |bed| {
        let mut engine = Running::start(&bed, settings());
        engine.process.kill().await;
        assert!(engine.ask("/v1/completions", &json!({})).send().await.unwrap_err().is_connect());
        engine.switch.set(Condition::OtherModel);
        engine.process.start().unwrap();
        assert_eq!(engine.get("/v1/models").await.json::<Value>().await.unwrap()["data"][0]["id"], "not-chat-model");
        for model in ["chat-model", "not-chat-model"] {
            let body = json!({"model": model, "prompt": READY, "max_tokens": 16});
            let (status, answer) = engine.answer("/v1/completions", &body).await;
            assert_eq!((status, &answer["model"]), (StatusCode::OK, &json!(model)));
            let text = answer["choices"][0]["text"].as_str().unwrap();
            assert!(!text.is_empty() && !text.contains("ready"), "{text}");
        }
    });
}
