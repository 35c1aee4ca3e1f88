//! A panic on a lab's thread is the lab's own trouble, and is told as such. It never looks like the subject's failure.
//!
//! Who hears of panics is one hook of the whole process. It is kept here, so that nobody puts back that of another.

use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use crate::ground::Recorder;
use crate::journal::event::Event;

thread_local! {
    static TOLD: RefCell<Option<Recorder>> = const { RefCell::new(None) };
}

static HOOK: Once = Once::new();
static TURN: Mutex<()> = Mutex::new(());

/// Panics of this thread are told, until this is dropped.
#[derive(Debug)]
#[must_use = "nothing is told when this is dropped"]
pub(super) struct Told(());

impl Drop for Told {
    fn drop(&mut self) {
        // On a thread that ends there may be nothing left to take back.
        let _ = TOLD.try_with(|told| told.try_borrow_mut().map(|mut told| *told = None));
    }
}

/// From now on a panic on this thread is written down as [`Event::LabBroke`]. On other threads nothing changes.
pub(super) fn tell(recorder: &Recorder) -> Told {
    TOLD.with(|told| *told.borrow_mut() = Some(recorder.clone()));
    listen();
    Told(())
}

/// Runs `work` while nobody hears of panics: who unwinds there knows what it does. One at a time in a process.
pub fn quietly<T>(work: impl FnOnce() -> T) -> T {
    let _turn = turn();
    listen();
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let done = work();
    std::panic::set_hook(hook);
    done
}

/// Nobody else replaces the hook while this is held.
fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn listen() {
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let told = TOLD.try_with(|told| {
                told.try_borrow().ok().and_then(|recorder| recorder.clone()).map(|recorder| {
                    let place = info.location().map(ToString::to_string).unwrap_or_default();
                    let what = info.payload_as_str().unwrap_or("a panic without a message");
                    recorder.record(Event::LabBroke { reason: format!("a node panicked at {place}: {what}") });
                })
            });
            if !matches!(told, Ok(Some(()))) {
                before(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::*;
    use crate::clock::Speed;
    use crate::ground::WallClock;

    #[test]
    fn a_panic_of_a_node_is_told_as_the_labs_own_trouble() {
        let _turn = turn();
        let (sink, mut events) = mpsc::unbounded_channel();
        let recorder = Recorder::new(WallClock::start(Speed::REAL), sink);
        let thread = std::thread::spawn(move || {
            let _told = tell(&recorder);
            panic!("the cache is {}", "upside down");
        });
        assert!(thread.join().is_err());
        let Some(Event::LabBroke { reason }) = events.blocking_recv().map(|stamped| stamped.event) else {
            panic!("nothing was told");
        };
        assert!(reason.ends_with("the cache is upside down"), "{reason}");
    }

    #[test]
    fn who_is_quiet_leaves_the_hook_as_it_was() {
        let told = || {
            let (sink, mut events) = mpsc::unbounded_channel();
            let recorder = Recorder::new(WallClock::start(Speed::REAL), sink);
            let thread = std::thread::spawn(move || {
                let _told = tell(&recorder);
                panic!("heard or not");
            });
            assert!(thread.join().is_err());
            events.blocking_recv().is_some()
        };
        assert!(!quietly(told));
        let _turn = turn();
        assert!(told());
    }
}
