//! A message queue and the one metric that is drawn from it (R53-202 to R53-206).
//!
//! It holds messages and says how old the oldest is. It knows neither who sends and receives, nor who watches.

use std::collections::VecDeque;
use std::time::Duration;

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use crate::clock::{LabTime, seconds};

/// From one datapoint of a queue's metric to the next (R53-202).
pub const QUEUE_PUBLISHES_EVERY: Duration = Duration::from_secs(60);
/// A received message that was not deleted can be received again after this: the default of Amazon SQS.
pub const QUEUE_VISIBILITY_TIMEOUT: Duration = Duration::from_secs(30);
/// A message that was received so often, and not deleted, does not count for the metric any more (R53-205).
const SKIPPED_FROM_RECEIVES: u32 = 3;

/// How a queue publishes its metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueSettings {
    /// It publishes for so long after it last held a message or was asked for one; 6 h (R53-202).
    #[serde(with = "seconds")]
    pub active_for: Duration,
    /// A queue that was inactive publishes again within this from being used; 15 min (R53-202).
    #[serde(with = "seconds")]
    pub wakes_within: Duration,
}

impl Default for QueueSettings {
    /// Those of Amazon SQS (R53-202).
    fn default() -> Self {
        Self { active_for: Duration::from_secs(6 * 60 * 60), wakes_within: Duration::from_secs(15 * 60) }
    }
}

impl QueueSettings {
    /// From the last use of an empty queue to the last datapoint of its metric, best and worst.
    #[must_use]
    pub const fn falls_silent_within(&self) -> (Duration, Duration) {
        (self.active_for.saturating_sub(QUEUE_PUBLISHES_EVERY), self.active_for)
    }

    /// From the first use of an inactive queue to the first datapoint of its metric, best and worst.
    #[must_use]
    pub const fn speaks_again_within(&self) -> (Duration, Duration) {
        (Duration::ZERO, self.wakes_within.saturating_add(QUEUE_PUBLISHES_EVERY))
    }
}

/// Names one message of one queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MessageId(pub u64);

/// A message as its receiver gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// To delete it by.
    pub id: MessageId,
    /// When it was sent.
    pub sent: LabTime,
    /// How often it was received, this time included.
    pub receives: u32,
}

#[derive(Clone, Copy, Debug)]
struct Held {
    message: Message,
    visible_from: LabTime,
}

/// A queue. It starts empty and active, as if it had just been used.
///
/// To send to it, to receive from it (a message or not) and to delete from it is to use it.
#[derive(Clone, Debug)]
pub struct Queue {
    active_for: Duration,
    /// How long this queue takes to publish again.
    wakes_after: Duration,
    held: VecDeque<Held>,
    next_id: u64,
    last_used: LabTime,
    publishes_from: LabTime,
}

impl Queue {
    /// A queue that takes a time drawn from `wakes_within` to publish again.
    #[must_use]
    pub fn new(settings: &QueueSettings, start: LabTime, rng: &mut impl Rng) -> Self {
        Self {
            active_for: settings.active_for,
            wakes_after: rng.random_range(Duration::ZERO..=settings.wakes_within),
            held: VecDeque::new(),
            next_id: 0,
            last_used: start,
            publishes_from: start,
        }
    }

    /// A message comes in.
    pub fn send(&mut self, now: LabTime) -> MessageId {
        self.is_used(now);
        let id = MessageId(self.next_id);
        self.next_id += 1;
        self.held.push_back(Held { message: Message { id, sent: now, receives: 0 }, visible_from: now });
        id
    }

    /// Hands out the oldest message that nobody is working on, and hides it for [`QUEUE_VISIBILITY_TIMEOUT`].
    pub fn receive(&mut self, now: LabTime) -> Option<Message> {
        self.is_used(now);
        let held = self.held.iter_mut().find(|held| held.visible_from <= now)?;
        held.visible_from = now + QUEUE_VISIBILITY_TIMEOUT;
        held.message.receives += 1;
        Some(held.message)
    }

    /// Its receiver is done with a message; whether it was still there.
    pub fn delete(&mut self, now: LabTime, id: MessageId) -> bool {
        self.is_used(now);
        let before = self.held.len();
        self.held.retain(|held| held.message.id != id);
        self.held.len() < before
    }

    /// How many messages it holds, those included that somebody is working on.
    #[must_use]
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// Whether it holds no message.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Whether it is active: it holds a message, or was used not longer ago than it stays active (R53-202).
    #[must_use]
    pub fn is_active(&self, now: LabTime) -> bool {
        !self.is_empty() || now.since(self.last_used) <= self.active_for
    }

    /// `ApproximateAgeOfOldestMessage`, seconds, as it is to be published once in [`QUEUE_PUBLISHES_EVERY`].
    ///
    /// `None`: nothing is published, since the queue is inactive or only just waking (R53-202). 0: there is no message
    /// that counts (R53-203, R53-205).
    #[must_use]
    pub fn age_of_oldest(&self, now: LabTime) -> Option<f64> {
        if !self.is_active(now) || now < self.publishes_from {
            return None;
        }
        let counted = self.held.iter().map(|held| held.message).find(|it| it.receives < SKIPPED_FROM_RECEIVES);
        Some(counted.map_or(0.0, |oldest| now.since(oldest.sent).as_secs_f64()))
    }

    fn is_used(&mut self, now: LabTime) {
        if !self.is_active(now) {
            self.publishes_from = now + self.wakes_after;
        }
        self.last_used = now;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::health::{
        Alarm, AlarmCheck, AlarmSettings, Comparison, InsufficientData, MetricStream, MissingData, Statistic,
        StatusSettings,
    };

    const HOUR: u64 = 3_600;

    const fn settings() -> QueueSettings {
        QueueSettings { active_for: Duration::from_secs(6 * HOUR), wakes_within: Duration::from_secs(900) }
    }

    fn queue() -> Queue {
        seeded(1)
    }

    fn seeded(seed: u64) -> Queue {
        Queue::new(&settings(), LabTime::START, &mut ChaCha8Rng::seed_from_u64(seed))
    }

    /// What is published each minute, from the first to the last of these.
    fn published(queue: &Queue, from: u64, to: u64) -> MetricStream {
        let mut metric = MetricStream::default();
        for at in (from..=to).step_by(60).map(LabTime::secs) {
            if let Some(age) = queue.age_of_oldest(at) {
                metric.put(at, age);
            }
        }
        metric
    }

    #[test]
    fn a_received_message_is_hidden_until_its_time_is_up_or_it_is_deleted() {
        let mut queue = queue();
        let id = queue.send(LabTime::secs(1));
        let message = Message { id, sent: LabTime::secs(1), receives: 1 };
        assert_eq!(queue.receive(LabTime::secs(2)), Some(message));
        assert_eq!(queue.receive(LabTime::secs(31)), None, "somebody is working on it");
        assert_eq!(queue.receive(LabTime::secs(32)), Some(Message { receives: 2, ..message }));
        assert_eq!(queue.len(), 1);
        assert!(queue.delete(LabTime::secs(33), id) && queue.is_empty());
        assert!(!queue.delete(LabTime::secs(34), id), "it is gone");
        assert_eq!(queue.receive(LabTime::secs(99)), None);
    }

    #[test]
    fn the_oldest_message_is_received_first() {
        let mut queue = queue();
        let sent = [1, 2].map(|at| queue.send(LabTime::secs(at)));
        let received = [3, 4].map(|at| queue.receive(LabTime::secs(at)).unwrap().id);
        assert_eq!(received, sent);
    }

    #[test]
    fn r53_202_it_publishes_until_six_hours_after_its_last_use() {
        let mut queue = queue();
        queue.receive(LabTime::secs(100));
        assert_eq!(queue.age_of_oldest(LabTime::secs(100 + 6 * HOUR)), Some(0.0));
        assert_eq!(queue.age_of_oldest(LabTime::secs(101 + 6 * HOUR)), None);
    }

    #[test]
    fn r53_202_it_publishes_as_long_as_it_holds_a_message() {
        let mut queue = queue();
        let id = queue.send(LabTime::secs(100));
        assert_eq!(queue.age_of_oldest(LabTime::secs(100 + 50 * HOUR)), Some(180_000.0));
        queue.delete(LabTime::secs(200 + 50 * HOUR), id);
        assert_eq!(queue.age_of_oldest(LabTime::secs(200 + 56 * HOUR)), Some(0.0));
        assert_eq!(queue.age_of_oldest(LabTime::secs(201 + 56 * HOUR)), None);
    }

    proptest! {
        #[test]
        fn r53_202_an_inactive_queue_wakes_within_fifteen_minutes_of_being_used(seed: u64, used in 7 * HOUR..9 * HOUR) {
            let mut queue = seeded(seed);
            queue.send(LabTime::secs(used));
            let first = (used..used + HOUR).find(|&at| queue.age_of_oldest(LabTime::secs(at)).is_some()).unwrap();
            prop_assert!(first - used <= 900);
            prop_assert!(queue.age_of_oldest(LabTime::secs(used + 900)).is_some());
            queue.send(LabTime::secs(first + 1));
            prop_assert!(queue.age_of_oldest(LabTime::secs(first + 1)).is_some(), "it is awake already");
        }
    }

    #[test]
    fn r53_202_the_delay_on_waking_is_drawn() {
        let waking = |seed| {
            let mut queue = seeded(seed);
            queue.send(LabTime::secs(7 * HOUR));
            queue.publishes_from
        };
        assert_eq!(waking(1), waking(1));
        assert_ne!(waking(1), waking(2));
    }

    #[test]
    fn r53_203_empty_but_polled_it_reports_zero() {
        let mut queue = queue();
        for at in (0..20 * HOUR).step_by(600).map(LabTime::secs) {
            assert_eq!(queue.receive(at), None);
            assert_eq!(queue.age_of_oldest(at), Some(0.0));
        }
    }

    #[test]
    fn r53_204_a_check_on_the_age_of_a_silent_queue_follows_what_insufficient_data_mean() {
        let age = AlarmSettings {
            statistic: Statistic::Maximum,
            period: Duration::from_secs(60),
            evaluation_periods: 1,
            threshold: 300.0,
            comparison: Comparison::GreaterThanThreshold,
        };
        let alarm = Alarm { settings: age, datapoints_to_alarm: 1, treat_missing_data: MissingData::NotBreaching };
        let metric = published(&queue(), 0, 8 * HOUR);
        let check = |insufficient, at| {
            let mut check = AlarmCheck::new(&alarm, insufficient, StatusSettings::default());
            check.evaluate(LabTime::secs(at), &metric)
        };
        assert_eq!(check(InsufficientData::Unhealthy, 6 * HOUR).passed, Some(true), "it is still active");
        for (insufficient, healthy) in [
            (InsufficientData::Healthy, true),
            (InsufficientData::Unhealthy, false),
            (InsufficientData::LastKnownStatus, true),
        ] {
            let evaluation = check(insufficient, 7 * HOUR);
            assert_eq!((evaluation.passed, evaluation.healthy), (None, healthy), "{insufficient:?}");
        }
    }

    #[test]
    fn r53_205_a_message_received_three_times_no_longer_counts_and_the_next_does() {
        let mut queue = queue();
        queue.send(LabTime::secs(0));
        queue.send(LabTime::secs(50));
        for (at, age) in [(100, 100.0), (140, 140.0)] {
            assert_eq!(queue.receive(LabTime::secs(at)).unwrap().sent, LabTime::START);
            assert_eq!(queue.age_of_oldest(LabTime::secs(at)), Some(age));
        }
        assert_eq!(queue.receive(LabTime::secs(180)).unwrap().receives, 3);
        assert_eq!(queue.age_of_oldest(LabTime::secs(180)), Some(130.0));
    }

    #[test]
    fn r53_205_with_none_left_that_counts_the_age_is_zero() {
        let mut queue = queue();
        queue.send(LabTime::secs(0));
        for at in [100, 140, 180] {
            queue.receive(LabTime::secs(at));
        }
        assert_eq!((queue.len(), queue.age_of_oldest(LabTime::secs(200))), (1, Some(0.0)));
    }

    #[test]
    fn r53_206_with_producer_and_consumer_dead_the_metric_looks_perfect_and_then_vanishes() {
        let queue = queue();
        assert_eq!(queue.age_of_oldest(LabTime::secs(HOUR)), Some(0.0));
        assert_eq!(queue.age_of_oldest(LabTime::secs(7 * HOUR)), None);
    }

    #[test]
    fn r53_202_its_last_datapoint_falls_into_the_predicted_minute() {
        let mut queue = queue();
        let used = 1_234;
        queue.receive(LabTime::secs(used));
        let minutes = (0..8 * HOUR).step_by(60);
        let last = minutes.filter(|&at| queue.age_of_oldest(LabTime::secs(at)).is_some()).max().unwrap();
        let (best, worst) = settings().falls_silent_within();
        assert!((best..=worst).contains(&Duration::from_secs(last - used)));
    }
}
