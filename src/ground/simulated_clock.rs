//! Lab time that passes only when it is told to: a queue of wake-ups in the order of their moments, and of their
//! making where moments are equal. It knows nothing of who sleeps.

use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::clock::LabTime;

/// The clock of one simulated lab; every clone is the same clock.
#[derive(Clone, Default)]
pub struct SimulatedClock(Arc<Mutex<Timers>>);

#[derive(Default)]
struct Timers {
    now: LabTime,
    made: u64,
    due: BTreeMap<(LabTime, u64), Waker>,
}

impl SimulatedClock {
    /// The moment of lab time that it is now.
    #[must_use]
    pub fn now(&self) -> LabTime {
        self.timers().now
    }

    /// Waits until `moment`, never longer; at once when that is past.
    pub fn sleep_until(&self, moment: LabTime) -> SimulatedSleep {
        SimulatedSleep { clock: self.clone(), moment, key: None }
    }

    /// When the next who sleeps is to be woken; `None`: nobody sleeps.
    #[must_use]
    pub fn next_wakeup(&self) -> Option<LabTime> {
        self.timers().due.first_key_value().map(|(&(moment, _), _)| moment)
    }

    /// Lets time pass until `moment`; it never runs back. Who is due is woken by [`SimulatedClock::wake_next`].
    pub fn advance_to(&self, moment: LabTime) {
        let mut timers = self.timers();
        timers.now = timers.now.max(moment);
    }

    /// Lets time pass until the next wake-up, and wakes that one alone: what it does is done before the next is woken.
    pub fn wake_next(&self) {
        let mut timers = self.timers();
        if let Some(((moment, _), waker)) = timers.due.pop_first() {
            timers.now = timers.now.max(moment);
            drop(timers);
            waker.wake();
        }
    }

    fn timers(&self) -> MutexGuard<'_, Timers> {
        // Nothing panics while it holds this.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for SimulatedClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let timers = self.timers();
        f.debug_struct("SimulatedClock").field("now", &timers.now).field("sleeping", &timers.due.len()).finish()
    }
}

/// Sleeps until its moment. Dropped before that, it leaves nothing in the queue.
#[derive(Debug)]
#[must_use = "who does not wait does not sleep"]
pub struct SimulatedSleep {
    clock: SimulatedClock,
    moment: LabTime,
    key: Option<(LabTime, u64)>,
}

impl Future for SimulatedSleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Self { clock, moment, key } = &mut *self;
        let mut timers = clock.timers();
        if timers.now >= *moment {
            return Poll::Ready(());
        }
        let key = *key.get_or_insert_with(|| {
            timers.made += 1;
            (*moment, timers.made)
        });
        let before = timers.due.insert(key, context.waker().clone());
        // A waker may hold the last of a task, which may sleep as well.
        drop(timers);
        drop(before);
        Poll::Pending
    }
}

impl Drop for SimulatedSleep {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            let waker = self.clock.timers().due.remove(&key);
            drop(waker);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures_util::FutureExt;
    use futures_util::stream::{FuturesUnordered, StreamExt};

    use super::*;

    #[test]
    fn who_sleeps_is_woken_in_the_order_of_moments_and_then_of_making() {
        let clock = SimulatedClock::default();
        let sleeper = |name: &'static str, at: u64| {
            let clock = clock.clone();
            async move {
                clock.sleep_until(LabTime::secs(at)).await;
                (name, clock.now())
            }
        };
        let mut sleepers: FuturesUnordered<_> = [("late", 9), ("first", 4), ("second", 4)]
            .map(|(name, at)| sleeper(name, at).boxed())
            .into_iter()
            .collect();
        let mut woken = Vec::new();
        while !sleepers.is_empty() {
            match sleepers.next().now_or_never() {
                Some(Some(one)) => woken.push(one),
                _ => clock.wake_next(),
            }
        }
        let expected = [("first", 4), ("second", 4), ("late", 9)].map(|(name, at)| (name, LabTime::secs(at)));
        assert_eq!(woken, expected);
    }

    #[test]
    fn time_stands_still_until_it_is_told_to_pass_and_never_runs_back() {
        let clock = SimulatedClock::default();
        clock.advance_to(LabTime::secs(5));
        clock.advance_to(LabTime::secs(3));
        assert_eq!(clock.now(), LabTime::secs(5));
        assert_eq!(clock.sleep_until(LabTime::secs(5)).now_or_never(), Some(()));
    }

    #[test]
    fn who_gives_up_sleeping_is_not_waited_for() {
        let clock = SimulatedClock::default();
        {
            let mut sleep = pin!(clock.sleep_until(LabTime::secs(5)));
            assert!(sleep.as_mut().now_or_never().is_none());
            assert_eq!(clock.next_wakeup(), Some(LabTime::secs(5)));
        }
        assert_eq!(clock.next_wakeup(), None);
    }
}
