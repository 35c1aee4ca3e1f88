//! How durations and bounds read.

use std::time::Duration;

use crate::plan::Bounds;
use crate::plan::expectation::Leg;

/// `90 s`, `27.2 s`, `0.35 s`, `20 ms`.
pub(crate) fn secs(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if duration.subsec_micros() < 500 || duration.subsec_micros() > 999_500 {
        format!("{seconds:.0} s")
    } else if seconds < 0.1 {
        format!("{:.0} ms", seconds * 1e3)
    } else if seconds < 1.0 {
        format!("{seconds:.2} s")
    } else {
        format!("{seconds:.1} s")
    }
}

/// `15 – 30 s`, `15 s or more`.
pub(crate) fn bounds(bounds: &Bounds) -> String {
    let best = secs(bounds.best);
    match bounds.worst {
        None => format!("{best} or more"),
        Some(worst) if worst == bounds.best => best,
        Some(worst) => format!("{} – {}", best.trim_end_matches(" s"), secs(worst)),
    }
}

/// What the times of a leg count from.
pub(crate) const fn after(leg: Leg) -> &'static str {
    match leg {
        Leg::Failover => "after the fault held",
        Leg::Failback => "after the fault was gone",
    }
}

/// Why a leg has no beginning.
pub(crate) const fn no_start(leg: Leg) -> &'static str {
    match leg {
        Leg::Failover => "the fault was never seen to hold",
        Leg::Failback => "the fault was never seen to be gone",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_with_as_many_digits_as_they_need() {
        let read = |seconds: f64| secs(Duration::from_secs_f64(seconds));
        assert_eq!(
            [read(90.0), read(27.24), read(0.354), read(0.02), read(0.0), read(29.9999)],
            ["90 s", "27.2 s", "0.35 s", "20 ms", "0 s", "30 s"]
        );
    }

    #[test]
    fn bounds_read_from_best_to_worst() {
        let s = Duration::from_secs;
        assert_eq!(bounds(&Bounds::between(s(15), s(30))), "15 – 30 s");
        assert_eq!(bounds(&Bounds::between(s(0), s(0))), "0 s");
        assert_eq!(bounds(&Bounds::unbounded(s(15))), "15 s or more");
    }
}
