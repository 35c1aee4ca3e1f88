//! A synthetic probe: uses a name as a client would, again and again, and turns the results into a metric.
//!
//! It knows the name and its resolver, and nothing of where an answer ought to lead: that is what it finds out.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Bytes;
use axum::http::{Request, header};
use hickory_proto::ProtoError;
use hickory_proto::rr::Name;
use tokio::task::JoinSet;

use crate::ground::Environment;
use crate::journal::event::{Event, Signal};
use crate::plan::{Family, Metric, ProbePlan};

use super::HTTP_PORT;
use super::cadence::Cadence;
use super::client::{AddressLookup, one_span};
use super::http_client::HttpClient;
use super::metric_store::MetricStore;

/// Why a probe is not started.
#[derive(Debug, thiserror::Error)]
pub enum SyntheticProbeError {
    /// What it asks for is no domain name.
    #[error("probe {probe}: `{found}` is no domain name: {problem}")]
    Asks {
        /// The probe.
        probe: String,
        /// As it was given.
        found: String,
        /// What is wrong with it.
        problem: ProtoError,
    },
    /// Its HTTP client cannot be built.
    #[error("probe {probe}: no HTTP client: {problem}")]
    NoHttpClient {
        /// The probe.
        probe: String,
        /// What the library said.
        problem: reqwest::Error,
    },
}

/// Starts a probe that looks its name up through `resolver`. It ends when what is returned is dropped. To be called
/// inside a `LocalSet`.
///
/// # Errors
/// When it asks for no name.
pub fn start(
    name: &str,
    plan: &ProbePlan,
    resolver: Arc<dyn AddressLookup>,
    store: &MetricStore,
    environment: &Environment,
) -> Result<JoinSet<()>, SyntheticProbeError> {
    let probe = || name.to_owned();
    let asks = Name::from_ascii(&plan.asks).map_err(|problem| SyntheticProbeError::Asks {
        probe: probe(),
        found: plan.asks.clone(),
        problem,
    })?;
    let from = environment.ground.here(SocketAddr::new(plan.address, 0)).map(|here| here.ip());
    let http = HttpClient::fresh(&environment.ground, from)
        .map_err(|problem| SyntheticProbeError::NoHttpClient { probe: probe(), problem })?;
    let (plan, store, environment) = (plan.clone(), store.clone(), environment.clone());
    let probe = Probe { name: probe(), asks, plan, resolver, http, store, environment };
    let mut running = JoinSet::new();
    running.spawn_local(probe.keep_probing());
    Ok(running)
}

struct Probe {
    name: String,
    asks: Name,
    plan: ProbePlan,
    resolver: Arc<dyn AddressLookup>,
    http: HttpClient,
    store: MetricStore,
    environment: Environment,
}

impl Probe {
    async fn keep_probing(self) {
        let clock = &self.environment.clock;
        let cadence = Cadence { first: clock.now(), every: self.plan.every };
        let metric = Metric::ProbeSuccess(self.name.clone());
        loop {
            let ended = clock.within(self.plan.timeout, self.submit()).await;
            let seen = ended.unwrap_or_else(|late| Err(late.to_string()));
            self.environment.recorder.record(Event::Checked {
                signal: Signal::Probe { probe: self.name.clone() },
                by: self.name.clone(),
                passed: seen.is_ok(),
                detail: seen.as_ref().map_or_else(Clone::clone, Clone::clone),
            });
            self.store.publish(&metric, Some(if seen.is_ok() { 1.0 } else { 0.0 }));
            clock.sleep_until(cadence.next_after(clock.now())).await;
        }
    }

    /// Looks the name up anew and submits one span there; what was seen.
    async fn submit(&self) -> Result<String, String> {
        let Environment { ground, clock, .. } = &self.environment;
        let family = if self.plan.address.is_ipv4() { Family::A } else { Family::Aaaa };
        let addresses = self.resolver.addresses(&self.asks, family, clock).await?;
        let address = *addresses.first().ok_or("the answer holds no address")?;
        let at = ground.here(SocketAddr::new(address, HTTP_PORT));
        let at = at.ok_or_else(|| format!("{address}: nobody has this address"))?;
        let (media_type, span) = one_span(&self.name);
        let export = Request::post(format!("http://{at}/v1/traces"))
            .header(header::HOST, self.plan.asks.trim_end_matches('.'))
            .header(header::CONTENT_TYPE, media_type)
            .body(Bytes::from(span))
            .map_err(|error| format!("{address}: {error}"))?;
        let answer = self.http.ask(export).await.map_err(|error| format!("{address}: {error}"))?;
        let seen = format!("{address}: status {}", answer.status().as_u16());
        if answer.status().is_success() { Ok(seen) } else { Err(seen) }
    }
}

#[cfg(test)]
mod tests;
