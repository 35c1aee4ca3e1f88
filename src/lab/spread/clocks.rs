//! What the kernel's clocks show where a share of a lab runs.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

/// The monotonic clock, which nobody sets; all containers of a machine read the same.
pub(super) fn monotonic() -> Duration {
    clock_gettime(ClockId::CLOCK_MONOTONIC).map(Duration::from).unwrap_or_default()
}

/// The wall clock, since its epoch; it can be set.
pub(super) fn wall() -> Duration {
    clock_gettime(ClockId::CLOCK_REALTIME).map(Duration::from).unwrap_or_default()
}
