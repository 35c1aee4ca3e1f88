//! What the CPU that an answer costs comes to when next to none is left.

use std::time::Duration;

/// What an answer costs of one CPU, lab time.
pub const ANSWER_COSTS: Duration = Duration::from_millis(100);
/// One part in so many of a CPU is left to an engine that is throttled: 1 %, the least that a container engine gives in a
/// period of 100 ms.
pub const ONE_IN: u32 = 100;
/// How long an answer then takes: 10 s, longer than a prober waits by default. In containers the first period's millisecond
/// comes at once, and answers that are made side by side share what is left.
pub const THROTTLED_ANSWER_TAKES: Duration = ANSWER_COSTS.saturating_mul(ONE_IN);
