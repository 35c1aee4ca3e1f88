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
