//! A node that can be killed and started again, as often as a drill asks.
//!
//! A process knows nothing of what it serves. It holds one task; everything the node has open hangs on that task's
//! future, so that a kill closes it all and waits for nothing the node is stuck in.

use std::fmt;
use std::io;

use futures_util::future::LocalBoxFuture;
use tokio::task::JoinSet;

/// A bound node, serving while it is polled. Dropping it closes every socket.
pub type Serving = LocalBoxFuture<'static, ()>;

/// A node that is running or not.
pub struct Process {
    bind: Box<dyn Fn() -> io::Result<Serving>>,
    running: JoinSet<()>,
}

impl Process {
    /// A node that is not running yet. `bind` is called at each start; its sockets are bound when it returns.
    #[must_use]
    pub fn new(bind: impl Fn() -> io::Result<Serving> + 'static) -> Self {
        Self { bind: Box::new(bind), running: JoinSet::new() }
    }

    /// Starts the node; nothing happens when it runs already. Its sockets are bound when this returns. To be called
    /// inside a `LocalSet`.
    ///
    /// # Errors
    /// When an address cannot be bound.
    pub fn start(&mut self) -> io::Result<()> {
        if self.is_running() {
            return Ok(());
        }
        let serving = (self.bind)()?;
        self.running.spawn_local(serving);
        Ok(())
    }

    /// Kills the node; nothing happens when it does not run. Every socket is closed when this returns.
    pub async fn kill(&mut self) {
        self.running.shutdown().await;
    }

    /// Whether the node runs.
    pub fn is_running(&mut self) -> bool {
        while self.running.try_join_next().is_some() {}
        !self.running.is_empty()
    }
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process").field("running", &self.running.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use futures_util::FutureExt;

    use super::*;

    fn in_a_local_set(test: impl Future<Output = ()>) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        tokio::task::LocalSet::new().block_on(&runtime, test);
    }

    #[test]
    fn a_stuck_node_is_killed_at_once_and_what_it_held_is_gone() {
        in_a_local_set(async {
            let held = Rc::new(());
            let mut process = {
                let held = Rc::clone(&held);
                Process::new(move || {
                    let held = Rc::clone(&held);
                    Ok(std::future::pending().inspect(move |()| drop(held)).boxed_local())
                })
            };
            process.start().unwrap();
            tokio::task::yield_now().await;
            assert_eq!(Rc::strong_count(&held), 3);
            process.kill().await;
            assert_eq!(Rc::strong_count(&held), 2);
            assert!(!process.is_running());
        });
    }

    #[test]
    fn starting_twice_runs_once_and_a_node_that_ended_by_itself_can_be_started_again() {
        in_a_local_set(async {
            let starts = Rc::new(Cell::new(0));
            let counted = Rc::clone(&starts);
            let mut process = Process::new(move || {
                counted.set(counted.get() + 1);
                Ok(std::future::ready(()).boxed_local())
            });
            process.start().unwrap();
            process.start().unwrap();
            assert_eq!(starts.get(), 1);
            while process.is_running() {
                tokio::task::yield_now().await;
            }
            process.start().unwrap();
            assert_eq!(starts.get(), 2);
        });
    }

    #[test]
    fn a_node_that_cannot_bind_says_so_and_does_not_run() {
        in_a_local_set(async {
            let mut process = Process::new(|| Err(io::ErrorKind::AddrInUse.into()));
            assert_eq!(process.start().unwrap_err().kind(), io::ErrorKind::AddrInUse);
            assert!(!process.is_running());
        });
    }
}
