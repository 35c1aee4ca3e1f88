//! How an alarm's state comes out of datapoints, real and missing (R53-188 to R53-195).
//!
//! It is told which points breach. It knows nothing of time, of thresholds, nor of who asks.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::alarm::MissingData;

/// The state of an alarm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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
    points.iter().rev().take(n).rposition(|point| *point == Some(true)).map_or(0, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::AlarmState::{Alarm, InsufficientData, Ok};
    use super::*;

    const TREATMENTS: [MissingData; 4] =
        [MissingData::Missing, MissingData::Ignore, MissingData::Breaching, MissingData::NotBreaching];
    const STATES: [AlarmState; 3] = [InsufficientData, Ok, Alarm];

    /// Points as AWS writes them: `0` fine, `X` breaching, `-` missing; newest right.
    fn points(written: &str) -> Vec<Option<bool>> {
        written.split(' ').map(|point| (point != "-").then_some(point == "X")).collect()
    }

    /// The state of N=3, by treatment; `None`: the state before is kept.
    fn row(written: &str, m: u32) -> [Option<AlarmState>; 4] {
        TREATMENTS.map(|missing| {
            let states = STATES.map(|before| evaluate_alarm(&points(written), 3, m, missing, before));
            if states == STATES {
                return None;
            }
            assert_eq!(states, [states[0]; 3], "{written} with {missing:?} depends on the state before");
            Some(states[0])
        })
    }

    #[test]
    fn r53_190_to_194_the_ten_rows_of_aws_with_all_four_treatments() {
        let keep = None;
        let (ok, alarm, insufficient) = (Some(Ok), Some(Alarm), Some(InsufficientData));
        let rows = [
            (3, "0 - X - X", [ok, ok, ok, ok]),
            (3, "0 - - - -", [ok, ok, ok, ok]),
            (3, "- - - - -", [insufficient, keep, alarm, ok]),
            (3, "0 X X - X", [alarm, alarm, alarm, alarm]),
            (3, "- - X - -", [alarm, keep, alarm, ok]),
            (2, "0 - X - X", [alarm, alarm, alarm, alarm]),
            (2, "0 0 X 0 X", [alarm, alarm, alarm, alarm]),
            (2, "0 - X - -", [ok, ok, alarm, ok]),
            (2, "- - - - 0", [ok, ok, alarm, ok]),
            (2, "- - - X -", [alarm, keep, alarm, ok]),
        ];
        for (m, written, expected) in rows {
            assert_eq!(row(written, m), expected, "{written} with M={m}");
        }
    }

    #[test]
    fn r53_188_breaching_points_need_not_be_in_a_row() {
        assert_eq!(row("0 0 X 0 X", 2), [Some(Alarm); 4]);
        assert_eq!(row("X X X 0 X", 3), [Some(Ok); 4], "older points than the latest three do not count");
    }

    #[test]
    fn r53_191_fewer_real_points_than_n_are_filled_up() {
        assert_eq!(row("- - 0 X -", 2), [Some(Ok), Some(Ok), Some(Alarm), Some(Ok)]);
        assert_eq!(row("- - - X X", 2), [Some(Alarm); 4], "what is there is enough");
    }

    #[test]
    fn r53_193_an_alarm_comes_early_once_the_oldest_breaching_point_is_m_positions_old() {
        assert_eq!(row("- - X X -", 3)[..2], [Some(Alarm), None]);
        assert_eq!(row("- - - X X", 3)[..2], [Some(Ok), Some(Ok)], "the oldest is two positions old");
        assert_eq!(row("- X - - -", 3)[..2], [Some(Ok), Some(Ok)], "it has left the last three positions");
    }

    #[test]
    fn r53_194_an_older_point_that_does_not_breach_prevents_an_early_alarm() {
        assert_eq!(row("0 - X - -", 2)[..2], [Some(Ok), Some(Ok)]);
        assert_eq!(row("- - X - -", 2)[..2], [Some(Alarm), None]);
    }

    #[test]
    fn r53_195_one_young_breaching_point_is_not_an_alarm_yet() {
        for written in ["- - - - X", "- - - X -"] {
            assert_eq!(row(written, 3)[..2], [Some(Ok), Some(Ok)], "{written}");
        }
    }

    fn any_treatment() -> impl Strategy<Value = MissingData> {
        proptest::sample::select(TREATMENTS.to_vec())
    }

    fn any_state() -> impl Strategy<Value = AlarmState> {
        proptest::sample::select(STATES.to_vec())
    }

    /// N, M and full data over the evaluation range.
    fn full_data() -> impl Strategy<Value = (u32, u32, Vec<bool>)> {
        (1_u32..10).prop_flat_map(|n| (Just(n), 1..=n, proptest::collection::vec(any::<bool>(), n as usize + 2)))
    }

    /// N, M and any points over the evaluation range.
    fn any_data() -> impl Strategy<Value = (u32, u32, Vec<Option<bool>>)> {
        let point = || proptest::option::of(any::<bool>());
        (1_u32..10).prop_flat_map(move |n| (Just(n), 1..=n, proptest::collection::vec(point(), n as usize + 2)))
    }

    proptest! {
        #[test]
        fn r53_188_full_data_alarm_when_m_of_the_latest_n_breach(
            (n, m, data) in full_data(),
            missing in any_treatment(),
            before in any_state(),
        ) {
            let breaching = data.iter().rev().take(n as usize).filter(|&&breaches| breaches).count();
            let expected = if breaching >= m as usize { Alarm } else { Ok };
            let points: Vec<_> = data.into_iter().map(Some).collect();
            prop_assert_eq!(evaluate_alarm(&points, n, m, missing, before), expected);
        }

        #[test]
        fn r53_190_with_n_real_points_the_latest_decide_whatever_the_treatment(
            (n, m, data) in any_data(),
            missing in any_treatment(),
            before in any_state(),
        ) {
            let real: Vec<bool> = data.iter().flatten().copied().collect();
            prop_assume!(real.len() >= n as usize);
            let breaching = real.iter().rev().take(n as usize).filter(|&&breaches| breaches).count();
            let expected = if breaching >= m as usize { Alarm } else { Ok };
            prop_assert_eq!(evaluate_alarm(&data, n, m, missing, before), expected);
        }

        #[test]
        fn r53_192_data_are_insufficient_only_when_there_are_none(
            (n, m, data) in any_data(),
            missing in any_treatment(),
        ) {
            let state = evaluate_alarm(&data, n, m, missing, Ok);
            let none = data.iter().all(Option::is_none);
            prop_assert_eq!(state == InsufficientData, none && missing == MissingData::Missing);
        }

        #[test]
        fn r53_191_the_treatments_are_ordered(
            (n, m, data) in any_data(),
        ) {
            let state = |missing| evaluate_alarm(&data, n, m, missing, Ok);
            if state(MissingData::NotBreaching) == Alarm {
                prop_assert_eq!(state(MissingData::Missing), Alarm);
            }
            if state(MissingData::Missing) == Alarm {
                prop_assert_eq!(state(MissingData::Breaching), Alarm);
            }
        }
    }
}
