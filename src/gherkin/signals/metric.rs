//! Metrics, and who puts samples into them; and the alarms that watch them.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::clock::LabTime;
use crate::health::{Alarm, AlarmRun, Comparison, MetricStream};
use crate::service::{QUEUE_PUBLISHES_EVERY, Queue};
use crate::subject::Machines;

/// Whoever feeds a metric puts a sample so often.
const SAMPLED_EVERY: Duration = Duration::from_secs(60);

/// Where a datapoint lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// It does not breach.
    Fine,
    /// It breaches.
    Breaching,
}

impl Level {
    /// The value nearest to the threshold that is so, in whole steps.
    #[must_use]
    pub fn value(self, alarm: &Alarm) -> f64 {
        let threshold = alarm.settings.threshold;
        match (self, alarm.settings.comparison) {
            (Self::Fine, Comparison::GreaterThanThreshold | Comparison::LessThanThreshold) => threshold,
            (Self::Breaching, Comparison::GreaterThanOrEqualToThreshold | Comparison::LessThanOrEqualToThreshold) => {
                threshold
            }
            (Self::Breaching, Comparison::GreaterThanThreshold)
            | (Self::Fine, Comparison::LessThanOrEqualToThreshold) => threshold + 1.0,
            (Self::Breaching, Comparison::LessThanThreshold)
            | (Self::Fine, Comparison::GreaterThanOrEqualToThreshold) => threshold - 1.0,
        }
    }
}

/// An alarm, and the name of its metric.
#[derive(Debug)]
pub struct WatchedAlarm {
    /// The machine.
    pub run: AlarmRun,
    /// The metric that it watches.
    pub metric: String,
}

impl WatchedAlarm {
    pub(super) fn evaluate(&mut self, now: LabTime, machines: Machines, metrics: &Metrics) {
        self.run.evaluate_by(now, metrics.stream(&self.metric), |points| machines.alarm_state(&points));
    }
}

/// A queue, and who uses it.
#[derive(Debug)]
pub struct WatchedQueue {
    /// The queue itself.
    pub queue: Queue,
    /// Whether a consumer asks it for a message once a minute, and deletes what it gets.
    pub is_polled: bool,
    next: LabTime,
}

impl WatchedQueue {
    /// A queue that nobody uses.
    #[must_use]
    pub const fn new(queue: Queue, now: LabTime) -> Self {
        Self { queue, is_polled: false, next: now }
    }

    fn turn(&mut self, now: LabTime, stream: &mut MetricStream) {
        if self.is_polled
            && let Some(message) = self.queue.receive(now)
        {
            self.queue.delete(now, message.id);
        }
        if let Some(age) = self.queue.age_of_oldest(now) {
            stream.put(now, age);
        }
        self.next = self.next + QUEUE_PUBLISHES_EVERY;
    }
}

#[derive(Clone, Copy, Debug)]
struct Feed {
    value: f64,
    next: LabTime,
}

/// As far back as any alarm looks: three periods of a week (R53-189, R53-200). Which alarm follows may be said later.
const REACH: Duration = Duration::from_hours(3 * 7 * 24);

fn whole() -> MetricStream {
    MetricStream::reaching(REACH)
}

/// Every metric of a scenario, by its name; that of a queue has the queue's name.
#[derive(Debug, Default)]
pub struct Metrics {
    streams: BTreeMap<String, MetricStream>,
    feeds: BTreeMap<String, Feed>,
    /// The queues.
    pub queues: BTreeMap<String, WatchedQueue>,
    nothing: MetricStream,
}

impl Metrics {
    /// The samples of a metric; none when there is no such metric.
    #[must_use]
    pub fn stream(&self, name: &str) -> &MetricStream {
        self.streams.get(name).unwrap_or(&self.nothing)
    }

    /// From now on somebody puts this value into a metric each minute; `None`: nobody does.
    pub fn feed(&mut self, name: &str, now: LabTime, value: Option<f64>) {
        match value {
            Some(value) => self.feeds.insert(name.to_owned(), Feed { value, next: now }),
            None => self.feeds.remove(name),
        };
    }

    /// A metric has these samples and no others.
    pub fn set(&mut self, name: &str, samples: impl IntoIterator<Item = (LabTime, f64)>) {
        let mut stream = whole();
        samples.into_iter().for_each(|(at, value)| stream.put(at, value));
        self.streams.insert(name.to_owned(), stream);
    }

    pub(super) fn next_wakeup(&self) -> Option<LabTime> {
        let feeds = self.feeds.values().map(|feed| feed.next);
        feeds.chain(self.queues.values().map(|queue| queue.next)).min()
    }

    pub(super) fn turn(&mut self, now: LabTime) {
        for (name, feed) in self.feeds.iter_mut().filter(|(_, feed)| feed.next <= now) {
            self.streams.entry(name.clone()).or_insert_with(whole).put(now, feed.value);
            feed.next = now + SAMPLED_EVERY;
        }
        for (name, queue) in self.queues.iter_mut().filter(|(_, queue)| queue.next <= now) {
            queue.turn(now, self.streams.entry(name.clone()).or_insert_with(whole));
        }
    }
}
