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
use crate::plan::{AlarmPlan, Metric, QueuePlan};
use crate::service::QUEUE_PUBLISHES_EVERY;

use super::cadence::Cadence;
use super::http_client::HttpClient;
use super::queue::QueueMetrics;

/// A queue that shows nothing within this, lab time, publishes nothing.
const PATIENCE: Duration = Duration::from_secs(5);

/// Bytes of an answer that are read at most.
const ANSWER_LIMIT: usize = 64 * 1024;

/// The metrics of a lab; every clone is the same store.
#[derive(Clone, Debug)]
pub struct MetricStore {
    /// Those that an alarm looks at.
    streams: Rc<RefCell<BTreeMap<Metric, MetricStream>>>,
    recorder: Recorder,
}

impl MetricStore {
    /// A store that keeps of each metric what these alarms look back at.
    #[must_use]
    pub fn new<'a>(alarms: impl Iterator<Item = &'a AlarmPlan>, recorder: Recorder) -> Self {
        let mut reaches: BTreeMap<Metric, Duration> = BTreeMap::new();
        for AlarmPlan { metric, alarm, .. } in alarms {
            let reach = reaches.entry(metric.clone()).or_default();
            *reach = alarm.settings.looks_back().max(*reach);
        }
        let streams = reaches.into_iter().map(|(metric, reach)| (metric, MetricStream::reaching(reach))).collect();
        Self { streams: Rc::new(RefCell::new(streams)), recorder }
    }

    /// A metric gets a value now, or its time has come and there is none.
    pub fn publish(&self, metric: &Metric, value: Option<f64>) {
        if let (Some(value), Some(stream)) = (value, self.streams.borrow_mut().get_mut(metric)) {
            stream.put(self.recorder.now(), value);
        }
        self.recorder.record(Event::Published { metric: metric.clone(), value });
    }

    /// Has `read` look at a metric's stream, which is empty when nothing was ever published.
    pub fn with<T>(&self, metric: &Metric, read: impl FnOnce(&MetricStream) -> T) -> T {
        read(self.streams.borrow().get(metric).unwrap_or(&MetricStream::default()))
    }
}

/// Publishes the age of a queue's oldest message once a minute of lab time (R53-202), beginning now; of its dead-letter
/// queue as well, if it has one. `here` is the queue's socket address on this machine. Ends when what is returned is
/// dropped. To be called inside a `LocalSet`.
///
/// # Errors
/// When the HTTP client cannot be built.
pub fn watch_queue(
    cell: &str,
    queue: &QueuePlan,
    here: SocketAddr,
    store: &MetricStore,
    environment: &Environment,
) -> reqwest::Result<JoinSet<()>> {
    let (http, url) = (HttpClient::fresh(&environment.ground, None)?, format!("http://{here}/metrics"));
    let (store, clock) = (store.clone(), environment.clock.clone());
    let of_queue = Metric::QueueAge(cell.to_owned());
    let of_dead_letters = queue.settings.dead_letter_after.map(|_| Metric::DeadLetterAge(cell.to_owned()));
    let mut running = JoinSet::new();
    running.spawn_local(async move {
        let cadence = Cadence { first: clock.now(), every: QUEUE_PUBLISHES_EVERY };
        loop {
            let seen = clock.within(PATIENCE, look(&http, &url)).await;
            let seen = seen.ok().flatten();
            store.publish(&of_queue, seen.and_then(|metrics| metrics.age_of_oldest));
            if let Some(metric) = &of_dead_letters {
                store.publish(metric, seen.and_then(|metrics| metrics.age_of_oldest_dead_letter));
            }
            clock.sleep_until(cadence.next_after(clock.now())).await;
        }
    });
    Ok(running)
}

async fn look(http: &HttpClient, url: &str) -> Option<QueueMetrics> {
    let answer = http.get(url).await.ok()?;
    serde_json::from_slice(&to_bytes(answer.into_body(), ANSWER_LIMIT).await.ok()?).ok()
}
