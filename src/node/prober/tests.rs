//! A verdict through a gateway and an engine: how it comes to be, how it is lost, and that it is told at once.

use std::net::SocketAddr;
use std::time::Duration;

use axum::http::StatusCode;
use serde_json::Value;
use tokio::net::TcpStream;

use super::super::engine::{self, EngineSwitch};
use super::super::firewall::Firewall;
use super::super::llm_gateway::LlmGateway;
use super::super::process::Process;
use super::super::testbed::{ANA, EAST, EAST_DATABASE, EAST_TARGETS, Testbed, http_client, ip, on_loopback, roster};
use super::super::{Arrivals, ENGINE_PORT, HEALTHZ_PORT, HTTP_PORT, LIFE_PORT};
use super::*;
use crate::plan::{EnginePlan, GatewaySettings};
use crate::service::{Condition, EngineSettings};

fn settings() -> ProberSettings {
    ProberSettings {
        pause: Duration::from_secs(5),
        budget: Duration::from_secs(4),
        fails_to_drain: 3,
        good_to_recover: 4,
        max_age: Duration::from_secs(20),
        prompt: "Reply with the word ready.".to_owned(),
        expects: "ready".to_owned(),
        model: "chat-model".to_owned(),
        max_tokens: 16,
    }
}

struct Region {
    engine: Process,
    switch: EngineSwitch,
    _gateway: Process,
    prober: Process,
    _healthz: Process,
    verdict: SharedVerdict,
    life: SocketAddr,
    http: reqwest::Client,
    base: String,
}

impl Region {
    fn start(bed: &Testbed) -> Self {
        let here = |at: &str, port| bed.environment.ground.here(SocketAddr::new(ip(at), port)).unwrap();
        let (model, loads_for) = ("chat-model".to_owned(), Duration::ZERO);
        let settings_of_engine = EngineSettings { model, slots: 2, queue: 4, tokens_per_second: 32.0, loads_for };
        let plan = EnginePlan::Own { settings: settings_of_engine.clone(), address: ip(EAST_TARGETS[0]) };
        let (at, switch) = (here(EAST_TARGETS[0], ENGINE_PORT), EngineSwitch::default());
        let (shared, environment) = (switch.clone(), bed.environment.clone());
        let engine = started(move || engine::bind(at, &settings_of_engine, &shared, &environment));
        // Less than the prober's budget: the prober says how long it waits.
        let limits = GatewaySettings { first_byte_within: Duration::from_secs(3), sheds_above: None };
        let arrivals = Arrivals::new("east".to_owned(), roster(), bed.environment.recorder.clone());
        let gateway = LlmGateway::new(arrivals, &plan, limits, None, &bed.environment).unwrap();
        let (door, environment) = (here(EAST, HTTP_PORT), bed.environment.clone());
        let gateway = started(move || gateway.bind(&[door], &environment));
        let verdict = SharedVerdict::new("east", &settings(), &bed.environment);
        let (life, from) = (here(EAST_DATABASE, LIFE_PORT), Some(here(EAST_DATABASE, 0).ip()));
        let told = Prober { settings: settings(), verdict: verdict.clone(), from, gateway: door };
        let prober = started(move || bind_prober(life, told.clone()));
        let (told, at) = (verdict.clone(), here(EAST, HEALTHZ_PORT));
        let healthz = started(move || bind_healthz(&[at], &told, &Firewall::default()));
        let (http, base) = (http_client(&bed.environment.ground, ANA, false), format!("http://{at}"));
        Self { engine, switch, _gateway: gateway, prober, _healthz: healthz, verdict, life, http, base }
    }

    async fn healthz(&self) -> (StatusCode, Value) {
        let answer = self.http.get(format!("{}/healthz", self.base)).send().await.unwrap();
        (answer.status(), answer.json().await.unwrap())
    }
}

fn started(bind: impl Fn() -> std::io::Result<super::super::process::Serving> + 'static) -> Process {
    let mut process = Process::new(bind);
    process.start().unwrap();
    process
}

/// The next turn of the verdict: the moment, to what, why; and the probes before it, each with whether it was good.
async fn turn(bed: &mut Testbed) -> (LabTime, bool, String, Vec<(bool, String)>) {
    let mut probes = Vec::new();
    let turn = bed.journal.wait_for("a turn of the verdict", |stamped| match &stamped.event {
        Event::Checked { signal: Signal::Verdict { cell }, by, passed, detail } => {
            assert_eq!((cell.as_str(), by.as_str()), ("east", "prober"));
            probes.push((*passed, detail.clone()));
            None
        }
        Event::HealthChanged { signal: Signal::Verdict { cell }, healthy, reason } => {
            assert_eq!(cell, "east");
            Some((stamped.at, *healthy, reason.clone()))
        }
        Event::RequestArrived { .. } => panic!("a prober is no client"),
        _ => None,
    });
    let (at, healthy, reason) = turn.await;
    (at, healthy, reason, probes)
}

/// How many of the last probes were like this, in a row.
fn in_a_row(probes: &[(bool, String)], passed: bool) -> usize {
    probes.iter().rev().take_while(|(good, _)| *good == passed).count()
}

#[test]
fn a_verdict_is_healthy_after_enough_good_probes_and_not_after_enough_bad_ones() {
    on_loopback(20.0, async |mut bed| {
        let mut region = Region::start(&bed);
        let (status, body) = region.healthz().await;
        assert_eq!(
            (status, &body["status"], &body["age_s"]),
            (StatusCode::SERVICE_UNAVAILABLE, &"fail".into(), &Value::Null)
        );
        let (_, healthy, _, probes) = turn(&mut bed).await;
        assert!(healthy);
        assert_eq!(in_a_row(&probes, true), 4, "{probes:?}");
        let (status, body) = region.healthz().await;
        assert_eq!((status, &body["status"], &body["drained"]), (StatusCode::OK, &"pass".into(), &false.into()));
        assert!(body["good"].as_u64().unwrap() >= 4, "{body}");
        assert!(body["latency_s"].as_f64().unwrap() >= 0.5, "{body}");
        region.engine.kill().await;
        let (_, healthy, _, probes) = turn(&mut bed).await;
        assert!(!healthy);
        assert_eq!(in_a_row(&probes, false), 3, "{probes:?}");
        assert_eq!(probes.last().unwrap().1, "status 502");
        region.engine.start().unwrap();
        assert!(turn(&mut bed).await.1);
    });
}

#[test]
fn probes_of_a_wedged_engine_last_their_budget_whatever_the_gateways_own_patience_is() {
    on_loopback(20.0, async |mut bed| {
        let region = Region::start(&bed);
        assert!(turn(&mut bed).await.1);
        region.switch.set(Condition::Wedged);
        let wedged_at = bed.environment.clock.now();
        let (at, healthy, _, probes) = turn(&mut bed).await;
        assert!(!healthy);
        assert_eq!(in_a_row(&probes, false), 3, "{probes:?}");
        // Three budgets and two pauses, but for the part of the first probe that was over.
        assert!(at.since(wedged_at) >= Duration::from_millis(21_500), "{:?}", at.since(wedged_at));
        // It is told at once all the same: nothing of it waits for the engine.
        assert_eq!(region.healthz().await.1["fails"], 3);
    });
}

#[test]
fn a_wrong_model_is_fast_and_fails_by_its_content() {
    on_loopback(20.0, async |mut bed| {
        let region = Region::start(&bed);
        assert!(turn(&mut bed).await.1);
        region.switch.set(Condition::OtherModel);
        let (_, healthy, _, probes) = turn(&mut bed).await;
        assert!(!healthy);
        assert!(probes.last().unwrap().1.contains("does not contain"), "{probes:?}");
    });
}

#[test]
fn the_verdict_of_a_dead_prober_expires_at_its_age_and_a_new_prober_begins_anew() {
    on_loopback(20.0, async |mut bed| {
        let mut region = Region::start(&bed);
        assert!(turn(&mut bed).await.1);
        TcpStream::connect(region.life).await.unwrap();
        region.prober.kill().await;
        assert!(TcpStream::connect(region.life).await.is_err());
        let (_, healthy, reason, _) = turn(&mut bed).await;
        assert!(!healthy && reason.starts_with("stale"), "{reason}");
        assert!(region.healthz().await.1["age_s"].as_f64().unwrap() >= 20.0);
        region.prober.start().unwrap();
        TcpStream::connect(region.life).await.unwrap();
        let (_, healthy, _, probes) = turn(&mut bed).await;
        assert!(healthy);
        assert_eq!(in_a_row(&probes, true), 4, "{probes:?}");
    });
}

#[test]
fn an_operator_drains_by_hand_and_by_http() {
    on_loopback(20.0, async |mut bed| {
        let region = Region::start(&bed);
        assert!(turn(&mut bed).await.1);
        region.verdict.set_drain(true);
        let (_, healthy, reason, _) = turn(&mut bed).await;
        assert!(!healthy && reason.contains("drained"), "{reason}");
        let (status, body) = region.healthz().await;
        assert_eq!((status, &body["drained"]), (StatusCode::SERVICE_UNAVAILABLE, &true.into()));
        let switch = format!("{}/drain", region.base);
        assert_eq!(region.http.delete(&switch).send().await.unwrap().status(), StatusCode::NO_CONTENT);
        assert!(turn(&mut bed).await.1);
        assert_eq!(region.http.post(&switch).send().await.unwrap().status(), StatusCode::NO_CONTENT);
        assert!(!turn(&mut bed).await.1);
    });
}
