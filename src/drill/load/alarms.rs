//! Alarms that health checks copy: the metric, and what it is compared with.

use std::time::Duration;

use crate::health::{Alarm, AlarmSettings, AlarmSettingsError, Comparison, InsufficientData, MissingData, Statistic};

use super::super::error::{Noun, Problem};
use super::super::loaded::{Cell, CellMake, QueueMake};
use super::super::schema::{AlarmFile, HealthCheckFile};
use super::health_checks::Sources;
use super::reader::Reader;
use crate::plan::{AlarmPlan, Metric};

const SHORTEST_PERIOD: Duration = Duration::from_secs(60);

/// The alarm of the health check at `path`.
pub(super) fn read(
    reader: &mut Reader<'_>,
    path: &str,
    check: &HealthCheckFile,
    written: &AlarmFile,
    sources: Sources<'_>,
) -> Option<AlarmPlan> {
    let insufficient_data = insufficient_data(reader, path, check);
    let path = format!("{path}.alarm");
    if written.metric_math.is_some() {
        let why = "no health check follows an alarm on metric math (R53-150)".to_owned();
        let problem = Problem::Impossible {
            why,
            instead: "name one metric: `queue-age-of`, `dead-letter-age-of` or `success-of`",
        };
        reader.complain_of_key(&format!("{path}.metric-math"), problem);
        return None;
    }
    let metric = metric(reader, &path, written, sources);
    let alarm = alarm(reader, &path, written);
    Some(AlarmPlan { metric: metric?, alarm: alarm?, insufficient_data: insufficient_data? })
}

fn insufficient_data(reader: &mut Reader<'_>, path: &str, check: &HealthCheckFile) -> Option<InsufficientData> {
    let Some(word) = &check.insufficient_data else {
        let what = "a health check on an alarm (R53-142)";
        let problem = Problem::Missing { what, key: "insufficient-data", example: "last-known-status" };
        reader.complain_of_key(&format!("{path}.alarm"), problem);
        return None;
    };
    let words = [
        ("healthy", InsufficientData::Healthy),
        ("unhealthy", InsufficientData::Unhealthy),
        ("last-known-status", InsufficientData::LastKnownStatus),
    ];
    reader.word(&format!("{path}.insufficient-data"), Noun::InsufficientData, word, &words)
}

fn metric(reader: &mut Reader<'_>, path: &str, written: &AlarmFile, sources: Sources<'_>) -> Option<Metric> {
    let AlarmFile { queue_age_of, dead_letter_age_of, success_of, .. } = written;
    let found = [queue_age_of.is_some(), dead_letter_age_of.is_some(), success_of.is_some()];
    if !reader.exactly_one(path, &["queue-age-of", "dead-letter-age-of", "success-of"], &found) {
        return None;
    }
    let with_queue = |fits: fn(&QueueMake) -> bool| {
        let has_one = move |cell: &Cell| matches!(&cell.make, CellMake::Region(region) if region.queue.as_ref().is_some_and(fits));
        sources.cells.iter().filter(move |(_, cell)| has_one(cell)).map(|(name, _)| name.as_str())
    };
    if let Some(cell) = queue_age_of {
        reader.known(&format!("{path}.queue-age-of"), Noun::CellWithQueue, cell, with_queue(|_| true));
        return Some(Metric::QueueAge(cell.clone()));
    }
    if let Some(cell) = dead_letter_age_of {
        let known = with_queue(|queue| queue.settings.dead_letter_after.is_some());
        reader.known(&format!("{path}.dead-letter-age-of"), Noun::CellWithDeadLetters, cell, known);
        return Some(Metric::DeadLetterAge(cell.clone()));
    }
    let probe = success_of.as_ref()?;
    let known = sources.probes.keys().map(String::as_str);
    reader.known(&format!("{path}.success-of"), Noun::Probe, probe, known);
    Some(Metric::ProbeSuccess(probe.clone()))
}

fn alarm(reader: &mut Reader<'_>, path: &str, written: &AlarmFile) -> Option<Alarm> {
    let comparisons = [
        ("greater-than-threshold", Comparison::GreaterThanThreshold),
        ("greater-than-or-equal-to-threshold", Comparison::GreaterThanOrEqualToThreshold),
        ("less-than-threshold", Comparison::LessThanThreshold),
        ("less-than-or-equal-to-threshold", Comparison::LessThanOrEqualToThreshold),
    ];
    let treatments = [
        ("missing", MissingData::Missing),
        ("ignore", MissingData::Ignore),
        ("breaching", MissingData::Breaching),
        ("not-breaching", MissingData::NotBreaching),
    ];
    let statistic = needed(reader, path, "statistic", written.statistic.as_ref(), "maximum")
        .and_then(|word| statistic(reader, path, word));
    let comparison = needed(reader, path, "comparison", written.comparison.as_ref(), "greater-than-threshold")
        .and_then(|word| reader.word(&format!("{path}.comparison"), Noun::Comparison, word, &comparisons));
    let threshold = needed(reader, path, "threshold", written.threshold.as_ref(), "300");
    let treat_missing_data = match &written.treat_missing_data {
        Some(word) => reader.word(&format!("{path}.treat-missing-data"), Noun::MissingData, word, &treatments),
        None => Some(MissingData::default()),
    };
    let evaluation_periods = written.evaluation_periods.unwrap_or(1);
    let alarm = Alarm {
        settings: AlarmSettings {
            statistic: statistic?,
            period: reader.duration_or(path, "period", written.period.as_ref(), SHORTEST_PERIOD),
            evaluation_periods,
            threshold: *threshold?,
            comparison: comparison?,
        },
        datapoints_to_alarm: written.datapoints_to_alarm.unwrap_or(evaluation_periods),
        treat_missing_data: treat_missing_data?,
    };
    if let Err(refused) = alarm.validate_for_health_check() {
        use AlarmSettingsError as Refused;
        let (key, refused) = match refused {
            // Whatever CloudWatch would say of it: no health check has so short a period.
            Refused::Period(period) if period < SHORTEST_PERIOD => ("period", Refused::HighResolution(period)),
            Refused::Period(_) | Refused::HighResolution(_) => ("period", refused),
            // A long period alone can be too long.
            Refused::Range { .. } if written.evaluation_periods.is_none() => ("period", refused),
            Refused::Range { .. } | Refused::EvaluationPeriods => ("evaluation-periods", refused),
            Refused::DatapointsToAlarm { .. } | Refused::FewerThanN { .. } => ("datapoints-to-alarm", refused),
            Refused::Threshold(_) => ("threshold", refused),
        };
        reader.complain(&format!("{path}.{key}"), Problem::Refused(refused.to_string()));
    }
    Some(alarm)
}

/// What an alarm cannot be without.
fn needed<'w, T>(
    reader: &mut Reader<'_>,
    path: &str,
    key: &'static str,
    written: Option<&'w T>,
    example: &'static str,
) -> Option<&'w T> {
    if written.is_none() {
        reader.complain(path, Problem::Missing { what: "an alarm", key, example });
    }
    written
}

fn statistic(reader: &mut Reader<'_>, path: &str, word: &str) -> Option<Statistic> {
    let words = [
        ("average", Statistic::Average),
        ("minimum", Statistic::Minimum),
        ("maximum", Statistic::Maximum),
        ("sum", Statistic::Sum),
        ("sample-count", Statistic::SampleCount),
    ];
    let path = format!("{path}.statistic");
    if is_percentile(word) {
        let why = format!("no health check follows an alarm on the percentile `{word}` (R53-149)");
        let instead = "use `average`, `minimum`, `maximum`, `sum` or `sample-count`";
        reader.complain(&path, Problem::Impossible { why, instead });
        return None;
    }
    reader.word(&path, Noun::Statistic, word, &words)
}

/// `p99`, and the trimmed, winsorized and counting relatives of it: `tm90`, `wm98`, `tc10`, `ts80`, `pr(0:1)`, `iqm`.
fn is_percentile(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let counted = ["p", "tm", "wm", "tc", "ts", "pr"].iter().filter_map(|before| word.strip_prefix(before));
    word == "iqm" || counted.into_iter().any(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '('))
}
