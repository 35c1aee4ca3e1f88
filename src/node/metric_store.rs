//! The metric store of a lab: what is published goes into the journal and into the metric's stream.
//!
//! It draws no conclusion: what a stream means for a health check is decided in the health room.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use axum::body::to_bytes;
use tokio::task::JoinSet;

use crate::ground::{Environment, Recorder};
use crate::health::MetricStream;
use crate::journal::event::Event;
use crate::plan::Metric;
use crate::service::QUEUE_PUBLISHES_EVERY;

use super::cadence::Cadence;
use super::http_client::HttpClient;
use super::queue::QueueMetrics;

/// A queue that shows nothing within this, lab time, publishes nothing.
const PATIENCE: Duration = Duration::from_secs(5);

/// Bytes of an answer that are read at most.
const ANSWER_LIMIT: usize = 64 * 1024;

/// Every metric of a lab; every clone is the same store.
#[derive(Clone, Debug)]
pub struct MetricStore {
    streams: Rc<RefCell<BTreeMap<Metric, MetricStream>>>,
    recorder: Recorder,
}

impl MetricStore {
    /// A store of no metrics yet.
    #[must_use]
    pub fn new(recorder: Recorder) -> Self {
        Self { streams: Rc::default(), recorder }
    }

    /// A metric gets a value now, or its time has come and there is none.
    pub fn publish(&self, metric: &Metric, value: Option<f64>) {
        if let Some(value) = value {
            self.streams.borrow_mut().entry(metric.clone()).or_default().put(self.recorder.now(), value);
        }
        self.recorder.record(Event::Published { metric: metric.clone(), value });
    }

    /// Has `read` look at a metric's stream, which is empty when nothing was ever published.
    pub fn with<T>(&self, metric: &Metric, read: impl FnOnce(&MetricStream) -> T) -> T {
        read(self.streams.borrow().get(metric).unwrap_or(&MetricStream::default()))
    }
}

/// Publishes the age of a queue's oldest message once a minute of lab time (R53-202), beginning now. `here` is the
/// queue's socket address on this machine. Ends when what is returned is dropped. To be called inside a `LocalSet`.
///
/// # Errors
/// When the HTTP client cannot be built.
pub fn watch_queue(
    cell: &str,
    here: SocketAddr,
    store: &MetricStore,
    environment: &Environment,
) -> reqwest::Result<JoinSet<()>> {
    let (http, url) = (HttpClient::fresh(&environment.ground, None)?, format!("http://{here}/metrics"));
    let (metric, store, clock) = (Metric::QueueAge(cell.to_owned()), store.clone(), environment.clock.clone());
    let mut running = JoinSet::new();
    running.spawn_local(async move {
        let cadence = Cadence { first: clock.now(), every: QUEUE_PUBLISHES_EVERY };
        loop {
            let seen = clock.within(PATIENCE, look(&http, &url)).await;
            store.publish(&metric, seen.ok().flatten().and_then(|metrics| metrics.age_of_oldest));
            clock.sleep_until(cadence.next_after(clock.now())).await;
        }
    });
    Ok(running)
}

async fn look(http: &HttpClient, url: &str) -> Option<QueueMetrics> {
    let answer = http.get(url).await.ok()?;
    serde_json::from_slice(&to_bytes(answer.into_body(), ANSWER_LIMIT).await.ok()?).ok()
}
