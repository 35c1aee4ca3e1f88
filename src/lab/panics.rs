//! A panic on a lab's thread is the lab's own trouble, and is told as such. It never looks like the subject's failure.

use std::cell::RefCell;
use std::sync::Once;

use crate::ground::Recorder;
use crate::journal::event::Event;

thread_local! {
    static TOLD: RefCell<Option<Recorder>> = const { RefCell::new(None) };
}

static HOOK: Once = Once::new();

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
    Told(())
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;

    use super::*;
    use crate::clock::Speed;
    use crate::ground::WallClock;

    #[test]
    fn a_panic_of_a_node_is_told_as_the_labs_own_trouble() {
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
}
