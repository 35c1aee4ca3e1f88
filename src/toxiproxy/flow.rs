//! What moves through a link, and what a toxic can say of it. Times count from any moment that the caller keeps to.

use std::collections::VecDeque;
use std::time::Duration;

use axum::body::Bytes;

/// Bytes that were read at once, or what is left of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    /// When they were read; later by what latency they have been through.
    pub(super) at: Duration,
    /// Never empty.
    pub(super) bytes: Bytes,
}

/// How a stream of bytes comes to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The destination is closed, once it has what was passed on.
    Close,
    /// Both sockets are reset, whatever has not been sent yet.
    Reset,
}

/// What waits before a toxic, or before the destination.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// In the order in which it was read.
    pub(super) chunks: VecDeque<Chunk>,
    /// What comes after the chunks, if nothing more does.
    pub(super) ending: Option<Ending>,
}

impl Waiting {
    /// Takes the first bytes, `most` of them if there are as many. To be asked only while a chunk waits.
    pub(super) fn split(&mut self, most: usize) -> Step {
        let Some(first) = self.chunks.front_mut() else { return self.end() };
        if first.bytes.len() > most.max(1) {
            return Step::Pass(Chunk { at: first.at, bytes: first.bytes.split_to(most.max(1)) });
        }
        self.chunks.pop_front().map_or(Step::Rest, Step::Pass)
    }

    /// What a toxic says that has nothing left to pass on.
    pub(super) fn end(&self) -> Step {
        self.ending.map_or(Step::Rest, Step::End)
    }

    /// Nothing comes after this; what waits is lost with a reset.
    pub(super) fn finish(&mut self, ending: Ending) {
        if ending == Ending::Reset {
            self.chunks.clear();
        }
        self.ending.get_or_insert(ending);
    }
}

/// What a toxic decides next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// This goes on, now.
    Pass(Chunk),
    /// Nothing before this moment, unless something comes.
    Wait(Duration),
    /// Nothing before something comes.
    Rest,
    /// Nothing goes on any more, and what waits is lost.
    End(Ending),
}

/// A time as Toxiproxy's attributes give it; what is below zero is none at all.
pub(super) fn milliseconds(count: i64) -> Duration {
    Duration::from_millis(u64::try_from(count).unwrap_or(0))
}
