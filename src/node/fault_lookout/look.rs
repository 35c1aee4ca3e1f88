//! One look at one part: is it broken in the way that a fault breaks it? Every look is bounded, and what gives no sign
//! of being whole in time counts as broken.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::{Request, Response, StatusCode, header};
use futures_util::FutureExt;
use futures_util::future::select_ok;
use serde_json::{Value, json};

use hickory_proto::op::Query;

use crate::ground::{Ground, LabClock};
use crate::node::connections::reach;
use crate::node::control_plane::ControlPlane;
use crate::node::dns_client::DnsClient;
use crate::node::http_client::{HttpClient, innermost};
use crate::node::target::DatabaseLink;
use crate::zone::HealthCheckId;

/// Lab time after which a look ends: what is silent for so long is broken.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// An engine that makes no token within this, lab time, is wedged.
pub const TOKEN_WITHIN: Duration = Duration::from_secs(2);

/// Who says nothing within this, lab time, is frozen: what is asked costs no work.
pub const ANSWER_WITHIN: Duration = Duration::from_secs(2);

/// How often the counter of a busy engine is read until it moves, lab time: no later than this is a sign of life told.
const COUNTED_EVERY: Duration = Duration::from_millis(200);

/// Bytes of an answer that are read at most.
const ANSWER_LIMIT: usize = 1024 * 1024;

/// The gauge by which an engine tells how full its key-value cache is, from 0 to 1.
const CACHE_GAUGE: &str = "vllm:kv_cache_usage_perc";

/// The counter by which an engine tells how many tokens it has made.
const TOKEN_COUNTER: &str = "vllm:generation_tokens_total";

/// How one part is looked at.
#[derive(Clone, Debug)]
pub(super) enum Look {
    /// Does it accept a connection?
    Connect(Ground, SocketAddr),
    /// Is it reached, be it that it refuses?
    IsReached(Ground, SocketAddr),
    /// Does it accept a login and answer?
    Query(DatabaseLink),
    /// Does the engine make a token in time, for whomever?
    MakesTokens {
        /// Where one is asked for.
        asked: Page,
        /// Of this model.
        model: String,
        /// Where those that it makes for others are counted.
        metrics: Page,
    },
    /// Is there an answer, whatever it says?
    Answers(Page),
    /// Is there room in the engine's key-value cache?
    HasCache(Page),
    /// Does the engine list this model?
    Serves(Page, String),
    /// Does `/healthz` say that nobody drains the cell?
    IsNotDrained(Page),
    /// Is a health checker let in?
    LetsIn(Page),
    /// Does the name server answer this, whatever it says?
    Resolves(DnsClient, Query),
    /// Is the routing control on?
    IsOn(ControlPlane, String),
    /// Is the health check as it evaluates?
    IsNotInverted(ControlPlane, HealthCheckId),
}

/// A page, and how it is asked for.
#[derive(Clone, Debug)]
pub(super) struct Page {
    /// Sends from wherever the look is to come from.
    pub(super) http: HttpClient,
    /// On this machine.
    pub(super) url: String,
}

impl Look {
    /// Looks once.
    ///
    /// # Errors
    /// The part is broken; what was seen, for people.
    pub(super) async fn now(&self, clock: &LabClock) -> Result<String, String> {
        let limit = match self {
            Self::MakesTokens { .. } => TOKEN_WITHIN,
            Self::Answers(_) => ANSWER_WITHIN,
            _ => PATIENCE,
        };
        clock.within(limit, self.see(clock)).await.map_err(|late| late.to_string())?
    }

    async fn see(&self, clock: &LabClock) -> Result<String, String> {
        match self {
            Self::Connect(ground, here) => {
                let connected = reach(ground, *here).await;
                connected.map(|()| "accepts connections".to_owned()).map_err(|error| error.to_string())
            }
            Self::IsReached(ground, here) => match reach(ground, *here).await {
                Ok(()) => Ok("accepts connections".to_owned()),
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => Ok("refuses connections".to_owned()),
                Err(error) => Err(error.to_string()),
            },
            Self::Query(database) => database.ask(clock).await.map(|()| "answers queries".to_owned()),
            Self::MakesTokens { asked, model, metrics } => {
                let made =
                    || async { metric(&metrics.get().await?, TOKEN_COUNTER).ok_or_else(|| lacks(TOKEN_COUNTER)) };
                let before = made().await?;
                let own = async {
                    let wanted = json!({"model": model, "prompt": "ping", "max_tokens": 1});
                    whole(asked.post(&wanted).await?).await?;
                    Ok("made a token".to_owned())
                };
                // An engine whose slots are taken lets this look wait, or turns it away: it is full, and sound.
                let for_others = async {
                    while made().await? <= before {
                        clock.sleep_until(clock.now() + COUNTED_EVERY).await;
                    }
                    Ok("makes tokens for others".to_owned())
                };
                select_ok([own.boxed_local(), for_others.boxed_local()]).await.map(|(seen, _)| seen)
            }
            Self::Answers(page) => Ok(format!("it answers {}", page.ask().await?.status().as_u16())),
            Self::HasCache(page) => match metric(&page.get().await?, CACHE_GAUGE) {
                Some(usage) if usage < 1.0 => Ok(format!("its key-value cache is {:.0} % full", usage * 100.0)),
                Some(_) => Err("its key-value cache is full".to_owned()),
                None => Err(lacks(CACHE_GAUGE)),
            },
            Self::Serves(page, model) => {
                let listed = models(&json_of(&page.get().await?)?);
                let seen =
                    format!("it lists {}", if listed.is_empty() { "no model".to_owned() } else { listed.join(", ") });
                if listed.contains(model) { Ok(seen) } else { Err(seen) }
            }
            Self::IsNotDrained(page) => {
                // 503 is an answer here: a cell may be unhealthy, and nobody's doing.
                let answer = text(page.ask().await?).await?;
                match json_of(&answer)?["drained"].as_bool() {
                    Some(false) => Ok("it says that nobody drains it".to_owned()),
                    Some(true) => Err("it says that it is drained".to_owned()),
                    None => Err("it does not say whether it is drained".to_owned()),
                }
            }
            Self::LetsIn(page) => match page.ask().await?.status() {
                StatusCode::FORBIDDEN => Err("a checker is answered 403".to_owned()),
                status => Ok(format!("a checker is answered {}", status.as_u16())),
            },
            Self::Resolves(client, query) => {
                let answered = client.ask(query.clone(), false, None).await;
                answered.map(|answer| format!("it answers {}", answer.response_code)).map_err(|error| error.to_string())
            }
            Self::IsOn(control, name) => match control.is_on(name) {
                Some(true) => Ok("it is on".to_owned()),
                Some(false) => Err("it is off".to_owned()),
                None => Err("there is no such control".to_owned()),
            },
            Self::IsNotInverted(control, id) => match control.is_inverted(id) {
                Some(false) => Ok("it is not inverted".to_owned()),
                Some(true) => Err("it is inverted".to_owned()),
                None => Err("there is no such health check".to_owned()),
            },
        }
    }
}

impl Page {
    async fn get(&self) -> Result<String, String> {
        whole(self.ask().await?).await
    }

    async fn ask(&self) -> Result<Response<Body>, String> {
        self.http.get(&self.url).await.map_err(|error| error.to_string())
    }

    async fn post(&self, wanted: &Value) -> Result<Response<Body>, String> {
        let request = Request::post(&self.url).header(header::CONTENT_TYPE, "application/json");
        let request = request.body(Bytes::from(wanted.to_string())).map_err(|error| error.to_string())?;
        self.http.ask(request).await.map_err(|error| error.to_string())
    }
}

/// The body of an answer that is no error.
async fn whole(answer: Response<Body>) -> Result<String, String> {
    if !answer.status().is_success() {
        return Err(format!("status {}", answer.status().as_u16()));
    }
    text(answer).await
}

async fn text(answer: Response<Body>) -> Result<String, String> {
    let body = to_bytes(answer.into_body(), ANSWER_LIMIT).await.map_err(|error| innermost(&error).to_string())?;
    Ok(String::from_utf8_lossy(&body).into_owned())
}

fn json_of(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("its answer is not JSON: {error}"))
}

/// The ids that `/v1/models` lists.
fn models(list: &Value) -> Vec<String> {
    let listed = list["data"].as_array().into_iter().flatten();
    listed.filter_map(|model| model["id"].as_str()).map(str::to_owned).collect()
}

fn lacks(name: &str) -> String {
    format!("its metrics have no {name}")
}

/// A metric's value in the Prometheus text format; the highest when there are several.
fn metric(metrics: &str, name: &str) -> Option<f64> {
    let samples = metrics.lines().filter_map(|line| {
        let rest = line.strip_prefix(name)?;
        if !rest.starts_with([' ', '{']) {
            return None;
        }
        rest.rsplit(' ').next()?.parse::<f64>().ok()
    });
    samples.reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_read_with_and_without_labels_and_no_other_metric_is_taken_for_it() {
        let metrics = "# TYPE vllm:kv_cache_usage_perc gauge\nvllm:kv_cache_usage_perc_max 0.1\n";
        assert_eq!(metric(metrics, CACHE_GAUGE), None);
        assert_eq!(metric(&format!("{metrics}vllm:kv_cache_usage_perc 0.25\n"), CACHE_GAUGE), Some(0.25));
        let labelled = format!("{metrics}vllm:kv_cache_usage_perc{{model_name=\"a b\"}} 1.0\n");
        assert_eq!(metric(&labelled, CACHE_GAUGE), Some(1.0));
    }

    #[test]
    fn a_model_is_listed_by_its_id() {
        let list = json!({"object": "list", "data": [{"id": "a", "object": "model"}, {"id": "b"}]});
        assert_eq!(models(&list), ["a", "b"]);
        assert!(models(&json!({"error": "loading"})).is_empty());
    }
}
