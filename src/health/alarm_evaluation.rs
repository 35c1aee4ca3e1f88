//! How an alarm's state comes out of datapoints, real and missing (R53-188 to R53-195).
//!
//! It is told which points breach. It knows nothing of time, of thresholds, nor of who asks.

use std::fmt;

use super::alarm::MissingData;

/// The state of an alarm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AlarmState {
    /// Not enough data to tell; a new alarm is so until it is evaluated (R53-197).
    #[default]
    InsufficientData,
    /// The threshold is kept.
    Ok,
    /// The threshold is breached.
    Alarm,
}

impl fmt::Display for AlarmState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InsufficientData => "INSUFFICIENT_DATA",
            Self::Ok => "OK",
            Self::Alarm => "ALARM",
        })
    }
}

/// The state that `m` breaching of `n` datapoints make.
///
/// `points` are those of the evaluation range, oldest first: whether each breaches, `None` where there is none. `n` is
/// 1 or more, `m` 1 to `n`. `before` is the state so far.
#[must_use]
pub fn evaluate_alarm(points: &[Option<bool>], n: u32, m: u32, missing: MissingData, before: AlarmState) -> AlarmState {
    let (n, m) = (n as usize, m as usize);
    let real: Vec<bool> = points.iter().rev().flatten().copied().collect();
    if real.is_empty() {
        return of_no_data(missing, before);
    }
    // The latest N decide; with fewer real ones, all of them do, and fillers (R53-190, R53-191).
    let decisive = &real[..real.len().min(n)];
    let breaching = decisive.iter().filter(|&&breaches| breaches).count();
    let fillers = n - decisive.len();
    if breaching >= m || (missing == MissingData::Breaching && breaching + fillers >= m) {
        return AlarmState::Alarm;
    }
    let early = fillers > 0 && breaching == real.len() && oldest_breaching(points, n) >= m;
    match missing {
        MissingData::Missing if early => AlarmState::Alarm,
        MissingData::Ignore if early => before,
        _ => AlarmState::Ok,
    }
}

/// R53-192.
const fn of_no_data(missing: MissingData, before: AlarmState) -> AlarmState {
    match missing {
        MissingData::Missing => AlarmState::InsufficientData,
        MissingData::Ignore => before,
        MissingData::Breaching => AlarmState::Alarm,
        MissingData::NotBreaching => AlarmState::Ok,
    }
}

/// How many positions old the oldest breaching point among the last `n` is, the newest being 1; 0 when none breaches
/// (R53-193).
fn oldest_breaching(points: &[Option<bool>], n: usize) -> usize {
    let newest_first = points.iter().rev().take(n).enumerate();
    newest_first.filter(|&(_, point)| *point == Some(true)).map(|(index, _)| index + 1).last().unwrap_or(0)
}
