//! The CPU that an answer costs an engine, and what becomes of it when next to none is left.
//!
//! Where the engine is a container of its own, the work is really done, so that the container engine's limit is really
//! met; elsewhere an answer waits for as long as the work would take. Either way the share that is left means the same at
//! every speed of a lab: what an answer costs is lab time, as everything that takes time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use tokio::sync::watch;

use crate::ground::LabClock;
use crate::service::THROTTLED_ANSWER_TAKES;

/// How an engine does the work of its answers.
#[derive(Clone, Debug, Default)]
pub(super) enum Work {
    /// It costs nothing worth telling, but that it waits while it is throttled.
    #[default]
    Waited,
    /// On a CPU, for so long of wall time.
    Done(Duration),
}

impl Work {
    /// Does the work of one answer. It ends with whoever waits for it.
    pub(super) async fn do_it(&self, throttled: &mut watch::Receiver<bool>, clock: &LabClock) {
        match self {
            Self::Done(cpu) => burn(*cpu).await,
            Self::Waited if *throttled.borrow() => {
                let over = clock.now() + THROTTLED_ANSWER_TAKES;
                tokio::select! {
                    _ = clock.sleep_until(over) => {}
                    // With a whole CPU what is left of the work is done at once.
                    _ = throttled.wait_for(|throttled| !throttled) => {}
                }
            }
            Self::Waited => {}
        }
    }
}

/// Uses so much of a CPU, on a thread of its own; less when what is returned is dropped before.
async fn burn(cpu: Duration) {
    struct Given(Arc<AtomicBool>);
    impl Drop for Given {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let up = Arc::new(AtomicBool::new(false));
    let given = Given(Arc::clone(&up));
    // A runtime that shuts down ends it, and whoever waits.
    let _ = tokio::task::spawn_blocking(move || burn_here(cpu, &up)).await;
    drop(given);
}

/// How much of a CPU this thread has used.
fn used() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::MAX, Duration::from)
}

fn burn_here(cpu: Duration, given_up: &AtomicBool) {
    let until = used().saturating_add(cpu);
    let mut sum = 0_u64;
    while used() < until && !given_up.load(Ordering::Relaxed) {
        for number in 0..1000_u64 {
            sum = std::hint::black_box(sum.wrapping_mul(31).wrapping_add(number));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_of_an_answer_is_done_on_a_cpu_and_no_further_when_it_is_given_up() {
        let costs = |given_up: bool| {
            let before = used();
            burn_here(Duration::from_millis(20), &AtomicBool::new(given_up));
            used().saturating_sub(before)
        };
        assert!(costs(false) >= Duration::from_millis(20), "{:?}", costs(false));
        assert!(costs(true) < Duration::from_millis(20), "{:?}", costs(true));
    }
}
