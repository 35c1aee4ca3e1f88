//! The machine that drills stand on: several side by side, or one alone once nobody else is left.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Room for drills. Who must be alone waits until nobody is there; nobody who may stand beside others waits for that.
#[derive(Debug, Default)]
pub(super) struct Room {
    taken: Mutex<Taken>,
    left: Condvar,
}

#[derive(Debug, Default)]
struct Taken {
    beside: usize,
    alone: bool,
}

/// A place in the room, until it is dropped.
#[derive(Debug)]
pub(super) struct Place<'r> {
    room: &'r Room,
    alone: bool,
}

impl Room {
    /// Beside others.
    pub(super) fn beside_others(&self) -> Place<'_> {
        let mut taken = self.when(|taken| !taken.alone);
        taken.beside += 1;
        Place { room: self, alone: false }
    }

    /// With nobody else.
    pub(super) fn alone(&self) -> Place<'_> {
        let mut taken = self.when(|taken| !taken.alone && taken.beside == 0);
        taken.alone = true;
        Place { room: self, alone: true }
    }

    fn when(&self, free: impl Fn(&Taken) -> bool) -> MutexGuard<'_, Taken> {
        let taken = self.taken();
        self.left.wait_while(taken, |taken| !free(taken)).unwrap_or_else(PoisonError::into_inner)
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut taken = self.room.taken();
        if self.alone {
            taken.alone = false;
        } else {
            taken.beside -= 1;
        }
        drop(taken);
        self.room.left.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn who_must_be_alone_waits_for_all_others_and_keeps_nobody_out_until_then() {
        let room = Room::default();
        let (first, second) = (room.beside_others(), room.beside_others());
        let (entered, seen) = mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _alone = room.alone();
                entered.send(room.taken().beside).unwrap();
            });
            drop(first);
            drop(room.beside_others());
            assert!(seen.try_recv().is_err(), "one is still there");
            drop(second);
            assert_eq!(seen.recv().unwrap(), 0);
        });
        drop(room.beside_others());
    }
}
