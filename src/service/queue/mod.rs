//! A message queue, its dead-letter queue, and the one metric that is drawn from each (R53-202 to R53-206).
//!
//! It holds messages and says how old the oldest is. It knows neither who sends and receives, nor who watches.

mod settings;

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::time::Duration;

use rand::{Rng, RngExt};

use crate::clock::LabTime;

pub use settings::QueueSettings;

/// From one datapoint of a queue's metric to the next (R53-202).
pub const QUEUE_PUBLISHES_EVERY: Duration = Duration::from_secs(60);
/// A received message that was not deleted can be received again after this: the default of Amazon SQS.
pub const QUEUE_VISIBILITY_TIMEOUT: Duration = Duration::from_secs(30);
/// A message that was received so often, and not deleted, does not count for the metric any more (R53-205).
const SKIPPED_FROM_RECEIVES: u32 = 3;

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
/// To send to it, to receive from it (a message or not) and to delete from it is to use it. Whoever uses one that was
/// deleted creates it anew.
#[derive(Clone, Debug)]
pub struct Queue {
    active_for: Duration,
    deleted_when_idle_for: Duration,
    /// How long this queue takes to publish again.
    wakes_after: Duration,
    held: VecDeque<Held>,
    next_id: u64,
    last_used: LabTime,
    publishes_from: LabTime,
    dead_letters: Option<DeadLetters>,
}

#[derive(Clone, Debug)]
struct DeadLetters {
    after_receives: u32,
    queue: Box<Queue>,
}

impl Queue {
    /// A queue that takes a time drawn from `wakes_within` to publish again, and so does its dead-letter queue.
    #[must_use]
    pub fn new(settings: &QueueSettings, start: LabTime, rng: &mut impl Rng) -> Self {
        let alone = Self {
            active_for: settings.active_for,
            deleted_when_idle_for: settings.deleted_when_idle_for,
            wakes_after: rng.random_range(Duration::ZERO..=settings.wakes_within),
            held: VecDeque::new(),
            next_id: 0,
            last_used: start,
            publishes_from: start,
            dead_letters: None,
        };
        let dead_letters = settings.dead_letter_after.map(|after_receives| DeadLetters {
            after_receives,
            queue: Box::new(Self {
                deleted_when_idle_for: Duration::MAX,
                wakes_after: rng.random_range(Duration::ZERO..=settings.wakes_within),
                ..alone.clone()
            }),
        });
        Self { dead_letters, ..alone }
    }

    /// A message comes in.
    pub fn send(&mut self, now: LabTime) -> MessageId {
        self.is_used(now);
        let id = MessageId(self.next_id);
        self.next_id += 1;
        self.held.push_back(Held { message: Message { id, sent: now, receives: 0 }, visible_from: now });
        id
    }

    /// Hands out the oldest message that nobody is working on, and hides it for [`QUEUE_VISIBILITY_TIMEOUT`]. One that
    /// was received too often already is moved to the dead-letter queue, and the next is handed out.
    pub fn receive(&mut self, now: LabTime) -> Option<Message> {
        self.is_used(now);
        while let Some(index) = self.held.iter().position(|held| held.visible_from <= now) {
            let held = &mut self.held[index];
            let dead = self.dead_letters.as_mut().filter(|dead| held.message.receives >= dead.after_receives);
            let Some(dead) = dead else {
                held.visible_from = now + QUEUE_VISIBILITY_TIMEOUT;
                held.message.receives += 1;
                return Some(held.message);
            };
            dead.queue.send(now);
            self.held.remove(index);
        }
        None
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
    pub fn len(&self, now: LabTime) -> usize {
        if self.is_deleted(now) { 0 } else { self.held.len() }
    }

    /// Whether it holds no message.
    #[must_use]
    pub fn is_empty(&self, now: LabTime) -> bool {
        self.len(now) == 0
    }

    /// Whether it holds a message that nobody has received yet.
    #[must_use]
    pub fn has_a_new_message(&self, now: LabTime) -> bool {
        !self.is_deleted(now) && self.held.iter().any(|held| held.message.receives == 0)
    }

    /// Where messages go that were received too often, if there is such a queue.
    #[must_use]
    pub fn dead_letters(&self) -> Option<&Self> {
        self.dead_letters.as_ref().map(|dead| &*dead.queue)
    }

    /// Whether it was deleted, since nobody has used it for so long.
    #[must_use]
    pub fn is_deleted(&self, now: LabTime) -> bool {
        now.since(self.last_used) > self.deleted_when_idle_for
    }

    /// Whether it is active: it holds a message, or was used not longer ago than it stays active (R53-202).
    #[must_use]
    pub fn is_active(&self, now: LabTime) -> bool {
        !self.is_empty(now) || (!self.is_deleted(now) && now.since(self.last_used) <= self.active_for)
    }

    /// `ApproximateAgeOfOldestMessage`, seconds, as it is to be published once in [`QUEUE_PUBLISHES_EVERY`].
    ///
    /// `None`: nothing is published, since the queue is inactive, only just waking, or gone (R53-202). 0: there is no
    /// message that counts (R53-203, R53-205). The age of a dead letter counts from its move (R53-205).
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
        if self.is_deleted(now) {
            self.held.clear();
        }
        self.last_used = now;
    }
}
