//! The toxics, one file each: its attributes as the API has them, and what it does to one stream of bytes. They know
//! neither sockets nor a clock: bytes wait, it is now so late, and a toxic says what goes on, or when.

mod bandwidth;
mod latency;
mod limit_data;
mod reset_peer;
mod slicer;
mod slow_close;
mod timeout;

#[cfg(test)]
pub(super) mod bench;

use std::time::Duration;

use rand_chacha::ChaCha8Rng;

pub use bandwidth::Bandwidth;
pub use latency::Latency;
pub use limit_data::LimitData;
pub use reset_peer::ResetPeer;
pub use slicer::Slicer;
pub use slow_close::SlowClose;
pub use timeout::Timeout;

use super::flow::{Step, Waiting};
use super::toxic::Kind;

/// A toxic at work on one stream of bytes.
#[derive(Debug)]
pub(super) enum Effect {
    /// Its toxicity spared this stream.
    None,
    Latency(latency::Delaying),
    Bandwidth(bandwidth::Metering),
    SlowClose(slow_close::Lingering),
    Timeout(timeout::Dropping),
    Slicer(slicer::Slicing),
    LimitData(limit_data::Counting),
    ResetPeer(reset_peer::Resetting),
}

impl Effect {
    /// Sets a toxic to work, `passed` bytes into the stream.
    pub(super) fn new(kind: &Kind, passed: u64, now: Duration) -> Self {
        match kind {
            Kind::Latency(latency) => Self::Latency(latency::Delaying::new(*latency)),
            Kind::Bandwidth(bandwidth) => Self::Bandwidth(bandwidth::Metering::new(*bandwidth)),
            Kind::SlowClose(slow_close) => Self::SlowClose(slow_close::Lingering::new(*slow_close)),
            Kind::Timeout(timeout) => Self::Timeout(timeout::Dropping::new(*timeout, now)),
            Kind::Slicer(slicer) => Self::Slicer(slicer::Slicing::new(*slicer)),
            Kind::LimitData(limit_data) => Self::LimitData(limit_data::Counting::new(*limit_data, passed)),
            Kind::ResetPeer(reset_peer) => Self::ResetPeer(reset_peer::Resetting::new(*reset_peer)),
        }
    }

    /// What comes next. What it passes on it has taken out of `waiting`, where whatever it holds back stays.
    pub(super) fn step(&mut self, waiting: &mut Waiting, now: Duration, chance: &mut ChaCha8Rng) -> Step {
        match self {
            Self::None => waiting.split(usize::MAX),
            Self::Latency(delaying) => delaying.step(waiting, now, chance),
            Self::Bandwidth(metering) => metering.step(waiting, now),
            Self::SlowClose(lingering) => lingering.step(waiting, now),
            Self::Timeout(dropping) => dropping.step(waiting, now),
            Self::Slicer(slicing) => slicing.step(waiting, now, chance),
            Self::LimitData(counting) => counting.step(waiting),
            Self::ResetPeer(resetting) => resetting.step(waiting, now),
        }
    }

    /// Whether it holds the first chunk back, or what is left of it: that goes on at once when the toxic changes.
    pub(super) fn holds(&self) -> bool {
        match self {
            Self::Latency(delaying) => delaying.holds(),
            Self::Bandwidth(metering) => metering.holds(),
            Self::Slicer(slicing) => slicing.holds(),
            Self::None | Self::SlowClose(_) | Self::Timeout(_) | Self::LimitData(_) | Self::ResetPeer(_) => false,
        }
    }

    /// Whether it never passes anything on, and so can be asked even when there is no room behind it.
    pub(super) fn passes_nothing(&self) -> bool {
        matches!(self, Self::Timeout(_) | Self::ResetPeer(_))
    }

    /// Bytes that it has passed on, if it counts them.
    pub(super) fn passed(&self) -> Option<u64> {
        if let Self::LimitData(counting) = self { Some(counting.passed()) } else { None }
    }
}
