//! The prober's loop. It asks through the cell's own gateway, so that it judges the region and not a replica.

use std::io;
use std::net::{IpAddr, SocketAddr};

use axum::body::{Bytes, to_bytes};
use axum::http::{Method, Request, StatusCode, header};
use futures_util::FutureExt;
use serde_json::{Value, json};

use crate::health::{ProbeResult, ProberSettings};
use crate::journal::event::Event;

use super::super::connections::accept;
use super::super::llm_gateway::PATIENCE_HEADER;
use super::super::probe::wake_at;
use super::super::process::Serving;
use super::super::upstream::Upstream;
use super::SharedVerdict;

/// Who the journal says has probed.
const PROBER: &str = "prober";

/// Bytes of an answer that are read at most.
const ANSWER_LIMIT: usize = 1024 * 1024;

/// What a prober is told at its start.
#[derive(Clone, Debug)]
pub struct Prober {
    /// What it does, and what it makes of it.
    pub settings: ProberSettings,
    /// What its probes go into.
    pub verdict: SharedVerdict,
    /// The address of this machine that it probes from; the kernel's choice when missing.
    pub from: Option<IpAddr>,
    /// The socket address of the cell's gateway on this machine.
    pub gateway: SocketAddr,
}

/// Starts a prober. It knows nothing of the probes of an earlier one. As long as it probes, and no longer, `life`
/// accepts connections.
///
/// # Errors
/// When `life` cannot be bound.
pub fn bind(life: SocketAddr, prober: Prober) -> io::Result<Serving> {
    let living = accept(&prober.verdict.0.environment.ground, life)?;
    prober.verdict.change(crate::health::CachedVerdict::restart);
    Ok(futures_util::future::join(living, prober.keep_probing()).map(drop).boxed_local())
}

impl Prober {
    async fn keep_probing(self) {
        let environment = &self.verdict.0.environment;
        let engine = Upstream::inside(environment.ground.simulated().cloned(), self.from, self.gateway);
        let clock = &environment.clock;
        loop {
            let due = self.verdict.lock().next_wakeup();
            wake_at(clock, due).await;
            let began = clock.now();
            self.verdict.lock().start(began);
            let content = clock.within(self.settings.budget, self.probe(&engine)).await;
            let content = content.unwrap_or_else(|late| Err(late.to_string()));
            let result = ProbeResult { took: clock.now().since(began), content };
            let judged = self.verdict.lock().finish(clock.now(), &result);
            if let Some(judgement) = judged {
                environment.recorder.record(Event::Checked {
                    signal: self.verdict.0.signal.clone(),
                    by: PROBER.to_owned(),
                    passed: judgement.passed,
                    detail: judgement.detail,
                });
            }
            // After the probe that turned it, as the journal tells it.
            self.verdict.change(|_, _| ());
        }
    }

    /// What the engine generated; or what went wrong.
    async fn probe(&self, engine: &Upstream) -> Result<String, String> {
        let answer = engine.ask(self.question()?).await.map_err(|problem| problem.to_string())?;
        let status = answer.status();
        if status != StatusCode::OK {
            return Err(format!("status {}", status.as_u16()));
        }
        let body = to_bytes(answer.into_body(), ANSWER_LIMIT).await.map_err(|problem| problem.to_string())?;
        let answer: Value = serde_json::from_slice(&body).map_err(|problem| format!("no JSON: {problem}"))?;
        let text = answer["choices"][0]["text"].as_str();
        text.map(str::to_owned).ok_or_else(|| "an answer without choices[0].text".to_owned())
    }

    fn question(&self) -> Result<Request<Bytes>, String> {
        let ProberSettings { model, prompt, max_tokens, budget, .. } = &self.settings;
        let body = json!({"model": model, "prompt": prompt, "max_tokens": max_tokens, "temperature": 0});
        let request = Request::builder()
            .method(Method::POST)
            .uri("/v1/completions")
            .header(header::CONTENT_TYPE, "application/json")
            .header(PATIENCE_HEADER, budget.as_secs_f64().to_string())
            .body(Bytes::from(body.to_string()));
        request.map_err(|problem| problem.to_string())
    }
}
