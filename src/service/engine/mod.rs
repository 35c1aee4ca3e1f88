//! An inference engine: slots, a queue in front of them, tokens at a rate.
//!
//! It counts tokens and knows nothing of what they say, of HTTP, or of who asks.

mod settings;
#[cfg(test)]
mod tests;
mod throttle;

use std::collections::VecDeque;
use std::time::Duration;

use crate::clock::LabTime;

pub use settings::EngineSettings;
pub use throttle::{ANSWER_COSTS, ONE_IN, THROTTLED_ANSWER_TAKES};

/// A starved engine's one slot makes a token in so many times the time.
const STARVED_PACE: u32 = 8;

/// How much of its key-value cache an engine uses when every slot is at work and nothing is wrong.
const CACHE_USED_BY_ALL_SLOTS: f64 = 0.9;

/// A request that an engine has accepted. Later ones are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RequestId(u64);

/// How an engine is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Condition {
    /// As it should be.
    #[default]
    Well,
    /// It accepts every request, however many wait, and works on none. What it held is lost when this ends.
    Wedged,
    /// Its process is stopped: it accepts every request, however many wait, and works on none. What it holds it keeps,
    /// and goes on with when this ends.
    Frozen,
    /// Its key-value cache is full. One slot is left, at an eighth of its rate. Of the requests that were worked on the
    /// oldest goes on; the others go back to the head of the queue, with the tokens that they have, and count no
    /// longer towards the slots. So do inference servers when they preempt.
    Starved,
    /// It serves another model, as fast as its own.
    OtherModel,
}

/// When the tokens of a request are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// When all are there: only the last one is worth a wake-up.
    Whole,
    /// Each as it is made.
    Streamed,
}

/// What has become of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// So many more tokens of a streamed request are there.
    Made {
        /// Whose.
        request: RequestId,
        /// At least 1.
        tokens: u32,
    },
    /// All its tokens are there.
    Finished(RequestId),
    /// It is lost: the engine was wedged when it had it.
    Dropped(RequestId),
}

/// Why a request is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TurnedAway {
    /// The model is not loaded.
    #[error("the model is loading, until {until}")]
    Loading {
        /// When it will be.
        until: LabTime,
    },
    /// As many wait as may.
    #[error("the queue is full: {waiting} requests wait")]
    QueueFull {
        /// So many.
        waiting: usize,
    },
}

/// An engine from its start on.
#[derive(Clone, Debug)]
pub struct Engine {
    settings: EngineSettings,
    condition: Condition,
    loaded_at: LabTime,
    /// What has happened until here is worked off.
    at: LabTime,
    /// In the order in which they came, each with the moment of its next token.
    running: Vec<(Job, LabTime)>,
    /// In the order in which they came, all later than those running.
    waiting: VecDeque<Job>,
    accepted: u64,
    made: u64,
    outputs: Vec<Output>,
}

#[derive(Clone, Copy, Debug)]
struct Job {
    request: RequestId,
    delivery: Delivery,
    /// How many tokens are still to be made, at least 1.
    left: u32,
    /// How long the next token still takes, at full rate.
    left_of_token: Duration,
    /// Made, and not told yet.
    untold: u32,
}

impl Engine {
    /// An engine that is started `now`, and loads first.
    #[must_use]
    pub fn start(settings: EngineSettings, now: LabTime) -> Self {
        Self {
            loaded_at: now + settings.loads_for,
            settings,
            condition: Condition::Well,
            at: now,
            running: Vec::new(),
            waiting: VecDeque::new(),
            accepted: 0,
            made: 0,
            outputs: Vec::new(),
        }
    }

    /// What it is made of.
    #[must_use]
    pub const fn settings(&self) -> &EngineSettings {
        &self.settings
    }

    /// How it is.
    #[must_use]
    pub const fn condition(&self) -> Condition {
        self.condition
    }

    /// How many requests are worked on; of a wedged engine: would be.
    #[must_use]
    pub fn running(&self) -> usize {
        self.running.len()
    }

    /// How many requests wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// How many tokens it has made since its start, for whomever.
    #[must_use]
    pub const fn made(&self) -> u64 {
        self.made
    }

    /// How full the key-value cache is, from 0 to 1. It is 1 when the engine is starved, and below it otherwise.
    #[must_use]
    pub fn cache_usage(&self) -> f64 {
        if self.condition == Condition::Starved {
            return 1.0;
        }
        let running = u32::try_from(self.running.len()).unwrap_or(u32::MAX);
        CACHE_USED_BY_ALL_SLOTS * f64::from(running) / f64::from(self.settings.slots.max(1))
    }

    /// A request for so many tokens (at least 1) comes in.
    ///
    /// # Errors
    /// While the model loads, and when the queue is full. An engine that stands still turns nobody away.
    pub fn submit(&mut self, now: LabTime, tokens: u32, delivery: Delivery) -> Result<RequestId, TurnedAway> {
        self.work_until(now);
        if !self.stands_still() {
            if now < self.loaded_at {
                return Err(TurnedAway::Loading { until: self.loaded_at });
            }
            let waiting = self.waiting.len();
            if self.running.len() >= self.open_slots() && waiting >= as_count(self.settings.queue) {
                return Err(TurnedAway::QueueFull { waiting });
            }
        }
        self.accepted += 1;
        let request = RequestId(self.accepted);
        let left_of_token = self.settings.token_takes();
        self.waiting.push_back(Job { request, delivery, left: tokens.max(1), left_of_token, untold: 0 });
        self.fill_slots(self.at);
        Ok(request)
    }

    /// Nobody wants this request's tokens any more. It frees its place; of a request that has ended nothing is left
    /// to free.
    pub fn cancel(&mut self, now: LabTime, request: RequestId) {
        self.work_until(now);
        self.running.retain(|(job, _)| job.request != request);
        self.waiting.retain(|job| job.request != request);
        self.fill_slots(self.at);
    }

    /// From now on it is like this. What a wedged engine held is lost when it is wedged no longer.
    pub fn turn(&mut self, now: LabTime, condition: Condition) {
        self.work_until(now);
        if condition == self.condition {
            return;
        }
        let (at, pace) = (self.at, self.pace());
        let was = std::mem::replace(&mut self.condition, condition);
        if condition == Condition::Wedged {
            // Everybody stays where they are, for good.
            return;
        }
        let begun =
            self.running.drain(..).map(|(job, next)| Job { left_of_token: at_full_rate(next.since(at), pace), ..job });
        let held: VecDeque<Job> = begun.chain(self.waiting.drain(..)).collect();
        if was == Condition::Wedged {
            self.outputs.extend(held.iter().map(|job| Output::Dropped(job.request)));
        } else {
            // They line up again in the order in which they came, and those for whom there is a slot have it at once.
            self.waiting = held;
            self.fill_slots(at);
        }
    }

    /// When something happens next that is worth an [`Engine::advance`]; never when nothing is worked on.
    #[must_use]
    pub fn next_wakeup(&self) -> Option<LabTime> {
        if !self.outputs.is_empty() {
            return Some(self.at);
        }
        if self.stands_still() {
            return None;
        }
        let token = self.settings.token_takes().saturating_mul(self.pace());
        let due = self.running.iter().map(|(job, next)| match job.delivery {
            Delivery::Streamed => *next,
            Delivery::Whole => *next + token.saturating_mul(job.left - 1),
        });
        due.min()
    }

    /// What has become of the requests since this was last asked, in the order in which it happened but for the
    /// streamed tokens of unfinished requests, which come last.
    pub fn advance(&mut self, now: LabTime) -> Vec<Output> {
        self.work_until(now);
        let jobs = self.running.iter_mut().map(|(job, _)| job).chain(&mut self.waiting);
        self.outputs.extend(jobs.filter_map(Job::tell));
        std::mem::take(&mut self.outputs)
    }

    fn work_until(&mut self, now: LabTime) {
        if !self.stands_still() {
            let token = self.settings.token_takes().saturating_mul(self.pace());
            while let Some(slot) = self.next_to_make_a_token(now) {
                let (job, next) = &mut self.running[slot];
                let made_at = *next;
                job.left -= 1;
                job.untold += 1;
                self.made += 1;
                *next = made_at + token;
                if job.left == 0 {
                    let (mut job, _) = self.running.remove(slot);
                    self.outputs.extend(job.tell());
                    self.outputs.push(Output::Finished(job.request));
                    self.fill_slots(made_at);
                }
            }
        }
        self.at = self.at.max(now);
    }

    fn next_to_make_a_token(&self, now: LabTime) -> Option<usize> {
        let due = self.running.iter().enumerate().filter(|(_, (_, next))| *next <= now);
        due.min_by_key(|(_, (_, next))| *next).map(|(slot, _)| slot)
    }

    /// Those who wait get the slots that are free since `free_since`.
    fn fill_slots(&mut self, free_since: LabTime) {
        if self.stands_still() {
            return;
        }
        while self.running.len() < self.open_slots() {
            let Some(job) = self.waiting.pop_front() else { return };
            self.running.push((job, free_since + job.left_of_token.saturating_mul(self.pace())));
        }
    }

    /// Whether it works on nothing.
    const fn stands_still(&self) -> bool {
        matches!(self.condition, Condition::Wedged | Condition::Frozen)
    }

    fn open_slots(&self) -> usize {
        if self.condition == Condition::Starved { 1 } else { as_count(self.settings.slots.max(1)) }
    }

    const fn pace(&self) -> u32 {
        if matches!(self.condition, Condition::Starved) { STARVED_PACE } else { 1 }
    }
}

impl Job {
    /// The tokens that are made and not told yet.
    fn tell(&mut self) -> Option<Output> {
        let tokens = std::mem::take(&mut self.untold);
        (tokens > 0 && self.delivery == Delivery::Streamed).then_some(Output::Made { request: self.request, tokens })
    }
}

/// What takes `time` at this pace, at pace 1. Rounded up, so that no change of pace ever wins time.
fn at_full_rate(time: Duration, pace: u32) -> Duration {
    time.saturating_add(Duration::from_nanos(u64::from(pace - 1))) / pace
}

fn as_count(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
