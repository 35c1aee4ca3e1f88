//! Alarms whose datapoints are read otherwise (R53-142, R53-188 to R53-195).

use crate::health::{Alarm, AlarmState, InsufficientData, MissingData};
use crate::subject::{AlarmPoints, Deviation};

use super::Mutant;
use super::seams::{Evaluating, Insufficient};

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "insufficient-data-unhealthy",
        what: "takes insufficient data for unhealthy though the health check says healthy",
        rules: &["R53-142"],
        deviation: &Insufficient(unhealthy),
    },
    Mutant {
        name: "last-known-status-forgotten",
        what: "takes insufficient data for healthy though the last known status was unhealthy",
        rules: &["R53-142"],
        deviation: &Insufficient(forgotten),
    },
    Mutant {
        name: "missing-data-breaches",
        what: "fills up missing datapoints with breaching ones when they are to be missing",
        rules: &["R53-191", "R53-192"],
        deviation: &Treating(|missing| if missing == MissingData::Missing { MissingData::Breaching } else { missing }),
    },
    Mutant {
        name: "missing-data-ignored-as-missing",
        what: "lets an alarm that is to keep its state become INSUFFICIENT_DATA",
        rules: &["R53-192"],
        deviation: &Treating(|missing| if missing == MissingData::Ignore { MissingData::Missing } else { missing }),
    },
    Mutant {
        name: "breaching-fillers-ignored",
        what: "does not fill up missing datapoints with breaching ones when it is to",
        rules: &["R53-191", "R53-192"],
        deviation: &Treating(|missing| if missing == MissingData::Breaching { MissingData::Missing } else { missing }),
    },
    Mutant {
        name: "not-breaching-fillers-ignored",
        what: "does not fill up missing datapoints with fine ones when it is to",
        rules: &["R53-192"],
        deviation: &Treating(
            |missing| if missing == MissingData::NotBreaching { MissingData::Missing } else { missing },
        ),
    },
    Mutant {
        name: "alarm-needs-all-of-n",
        what: "asks for N breaching datapoints of N, whatever M is",
        rules: &["R53-188"],
        deviation: &AllOfN,
    },
    Mutant {
        name: "alarm-needs-breaches-in-a-row",
        what: "asks for M breaching datapoints in a row",
        rules: &["R53-188"],
        deviation: &Evaluating(in_a_row),
    },
    Mutant {
        name: "alarm-reads-no-more-than-n",
        what: "does not look at periods older than N for real datapoints",
        rules: &["R53-189", "R53-190"],
        deviation: &Evaluating(no_more_than_n),
    },
    Mutant {
        name: "alarm-never-early",
        what: "does not alarm with fewer than M breaching datapoints, however old they are",
        rules: &["R53-193"],
        deviation: &Evaluating(never_early),
    },
    Mutant {
        name: "alarm-at-first-breach",
        what: "alarms at the first breaching datapoint among missing ones",
        rules: &["R53-195"],
        deviation: &Evaluating(at_first_breach),
    },
];

fn unhealthy(setting: InsufficientData) -> InsufficientData {
    if setting == InsufficientData::Healthy { InsufficientData::Unhealthy } else { setting }
}

fn forgotten(setting: InsufficientData) -> InsufficientData {
    if setting == InsufficientData::LastKnownStatus { InsufficientData::Healthy } else { setting }
}

/// Treats missing data otherwise.
#[derive(Debug)]
struct Treating(fn(MissingData) -> MissingData);

impl Deviation for Treating {
    fn alarm(&self, alarm: Alarm) -> Alarm {
        Alarm { treat_missing_data: self.0(alarm.treat_missing_data), ..alarm }
    }

    fn alarm_state(&self, points: &AlarmPoints<'_>) -> AlarmState {
        AlarmPoints { missing: self.0(points.missing), ..*points }.evaluate()
    }
}

#[derive(Debug)]
struct AllOfN;

impl Deviation for AllOfN {
    fn alarm(&self, alarm: Alarm) -> Alarm {
        Alarm { datapoints_to_alarm: alarm.settings.evaluation_periods, ..alarm }
    }

    fn alarm_state(&self, points: &AlarmPoints<'_>) -> AlarmState {
        AlarmPoints { m: points.n, ..*points }.evaluate()
    }
}

/// How many real datapoints there are, and how many of them breach.
fn real(points: &AlarmPoints<'_>) -> (usize, usize) {
    let real = points.points.iter().flatten();
    (real.clone().count(), real.filter(|&&breaches| breaches).count())
}

fn in_a_row(points: &AlarmPoints<'_>) -> AlarmState {
    let state = points.evaluate();
    let breaches: Vec<bool> = points.points.iter().map(|point| *point == Some(true)).collect();
    let longest = breaches.split(|&breaches| !breaches).map(<[bool]>::len).max().unwrap_or_default();
    let (count, _) = real(points);
    if state == AlarmState::Alarm && count >= points.n as usize && longest < points.m as usize {
        return AlarmState::Ok;
    }
    state
}

fn no_more_than_n(points: &AlarmPoints<'_>) -> AlarmState {
    let older = points.points.len().saturating_sub(points.n as usize);
    AlarmPoints { points: &points.points[older..], ..*points }.evaluate()
}

fn never_early(points: &AlarmPoints<'_>) -> AlarmState {
    let state = points.evaluate();
    let (_, breaching) = real(points);
    let early = (1..points.m as usize).contains(&breaching) && points.missing == MissingData::Missing;
    if state == AlarmState::Alarm && early { AlarmState::Ok } else { state }
}

fn at_first_breach(points: &AlarmPoints<'_>) -> AlarmState {
    let state = points.evaluate();
    let (count, breaching) = real(points);
    let only_breaching = count > 0 && count == breaching && count < points.n as usize;
    match points.missing {
        MissingData::Missing if only_breaching => AlarmState::Alarm,
        _ => state,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::scene::{machines, reference};
    use super::*;
    use crate::clock::LabTime;
    use crate::health::{AlarmSettings, Comparison, MetricStream, Statistic, StatusSettings};
    use crate::subject::Machines;

    const TREATMENTS: [MissingData; 4] =
        [MissingData::Missing, MissingData::Ignore, MissingData::Breaching, MissingData::NotBreaching];

    /// The state of an alarm that was OK, with N = 3, by treatment. Points as AWS writes them, newest right.
    fn row(of: Machines, written: &str, m: u32) -> [AlarmState; 4] {
        let points: Vec<_> = written.split(' ').map(|point| (point != "-").then_some(point == "X")).collect();
        TREATMENTS
            .map(|missing| of.alarm_state(&AlarmPoints { points: &points, n: 3, m, missing, before: AlarmState::Ok }))
    }

    #[test]
    fn r53_188_to_195_one_row_of_aws_is_broken_and_another_is_not() {
        for (mutant, broken, whole) in [
            ("missing-data-breaches", ("0 - - - X", 2), ("0 - X - X", 3)),
            ("missing-data-ignored-as-missing", ("- - - - -", 3), ("0 - - - -", 3)),
            ("breaching-fillers-ignored", ("0 - X - -", 2), ("0 - X - X", 3)),
            ("not-breaching-fillers-ignored", ("- - - - -", 3), ("0 - X - X", 3)),
            ("alarm-needs-all-of-n", ("0 0 X 0 X", 2), ("0 X X - X", 3)),
            ("alarm-needs-breaches-in-a-row", ("0 0 X 0 X", 2), ("0 0 0 X X", 2)),
            ("alarm-reads-no-more-than-n", ("X X - - X", 3), ("0 0 X X X", 3)),
            ("alarm-never-early", ("- - X - -", 3), ("0 X X - X", 3)),
            ("alarm-at-first-breach", ("- - - - X", 3), ("0 - - - X", 3)),
        ] {
            let of = machines(mutant);
            assert_ne!(row(of, broken.0, broken.1), row(reference(), broken.0, broken.1), "{mutant}");
            assert_eq!(row(of, whole.0, whole.1), row(reference(), whole.0, whole.1), "{mutant}");
        }
    }

    /// A health check on a metric that breaches in the first minute and has no data from then on: its status after
    /// the first minute, and after the tenth.
    fn statuses(of: Machines, insufficient: InsufficientData) -> [bool; 2] {
        let settings = AlarmSettings {
            statistic: Statistic::Maximum,
            period: Duration::from_secs(60),
            evaluation_periods: 1,
            threshold: 300.0,
            comparison: Comparison::GreaterThanThreshold,
        };
        let alarm = Alarm { settings, datapoints_to_alarm: 1, treat_missing_data: MissingData::Missing };
        let mut metric = MetricStream::reaching(settings.looks_back());
        metric.put(LabTime::secs(30), 301.0);
        let mut check = of.alarm_check(alarm, insufficient, StatusSettings::default());
        [60, 600].map(|now| check.evaluate(LabTime::secs(now), &metric).healthy)
    }

    #[test]
    fn r53_142_insufficient_data_mean_something_else() {
        use InsufficientData::{Healthy, LastKnownStatus, Unhealthy};
        for (mutant, broken, expected) in [
            ("insufficient-data-unhealthy", Healthy, [false, false]),
            ("last-known-status-forgotten", LastKnownStatus, [false, true]),
        ] {
            assert_eq!(statuses(machines(mutant), broken), expected, "{mutant}");
            assert_ne!(statuses(reference(), broken), expected, "{mutant}: the reference does the same");
            assert_eq!(statuses(machines(mutant), Unhealthy), statuses(reference(), Unhealthy), "{mutant}");
        }
    }

    #[test]
    fn an_alarm_that_runs_is_set_as_its_points_are_read() {
        let alarm = Alarm {
            settings: AlarmSettings {
                statistic: Statistic::Maximum,
                period: Duration::from_secs(60),
                evaluation_periods: 3,
                threshold: 0.0,
                comparison: Comparison::GreaterThanThreshold,
            },
            datapoints_to_alarm: 2,
            treat_missing_data: MissingData::Ignore,
        };
        let run = |mutant| *machines(mutant).alarm(alarm).alarm();
        assert_eq!(run("alarm-needs-all-of-n").datapoints_to_alarm, 3);
        assert_eq!(run("missing-data-ignored-as-missing").treat_missing_data, MissingData::Missing);
    }
}
