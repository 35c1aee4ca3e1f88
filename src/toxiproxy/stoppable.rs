//! A future that is polled in one place and can be ended from another, at once: whatever it holds is dropped when
//! the ending returns. It is never waited for.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use futures_util::future::BoxFuture;

/// Splits a future into what ends it when it is dropped, and what runs it when it is polled.
pub(super) fn stoppable(future: BoxFuture<'static, ()>) -> (Running, Polled) {
    let slot = Slot(Arc::new(Mutex::new((Some(future), None))));
    (Running(Slot(Arc::clone(&slot.0))), Polled(slot))
}

/// Dropping it ends the future.
pub(super) struct Running(#[expect(dead_code, reason = "it is held for its drop")] Slot);

/// Polling it runs the future, dropping it ends it.
pub(super) struct Polled(Slot);

type Content = (Option<BoxFuture<'static, ()>>, Option<Waker>);

struct Slot(Arc<Mutex<Content>>);

impl Future for Polled {
    type Output = ();

    fn poll(self: Pin<&mut Self>, caller: &mut Context<'_>) -> Poll<()> {
        let mut content = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        let polled = content.0.as_mut().map_or(Poll::Ready(()), |future| future.as_mut().poll(caller));
        content.1 = polled.is_pending().then(|| caller.waker().clone());
        polled
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let (future, waker) = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        drop(future);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn holding(held: &Arc<()>) -> (Running, Polled) {
        let held = Arc::clone(held);
        stoppable(async move { std::future::pending().map(|()| drop(held)).await }.boxed())
    }

    #[test]
    fn what_a_stuck_future_holds_is_dropped_by_either_end() {
        let held = Arc::new(());
        let (running, mut polled) = holding(&held);
        assert_eq!((&mut polled).now_or_never(), None);
        assert_eq!(Arc::strong_count(&held), 2);
        drop(running);
        assert_eq!(Arc::strong_count(&held), 1);
        assert_eq!(polled.now_or_never(), Some(()));
        let (_running, polled) = holding(&held);
        drop(polled);
        assert_eq!(Arc::strong_count(&held), 1);
    }
}
