//! Alarms, and the metrics that they watch.

use serde::de::value::Error as WordError;
use serde::de::{DeserializeOwned, IntoDeserializer};

use crate::clock::LabTime;
use crate::gherkin::catalogue::{Theme, step};
use crate::gherkin::parameters::duration;
use crate::gherkin::signals::{Level, WatchedAlarm};
use crate::gherkin::table::Row;
use crate::gherkin::{Call, Explanation, World};
use crate::health::{Alarm, AlarmSettings, AlarmState, Comparison, MissingData, Statistic};
use crate::source::nearest;

pub(super) const THEME: Theme = Theme {
    name: "alarms",
    about: "alarms, and the metrics that they watch; the settings of an alarm are statistic, comparison, threshold, \
            period, evaluation periods, datapoints to alarm, treat missing data, namespace, age of queue, and one that \
            is not told is as of: maximum greater than 100, one period of 60 s",
    entries: &[
        step!(Given | When "the alarm {string} is {made}:", Inside, put_alarm,
            "Given the alarm \"age\" is created:\n  \
             | setting            | value  |\n  \
             | evaluation periods | 3      |\n  \
             | treat missing data | ignore |"),
        step!(Given | When "the metric of {string} {stream}", Inside, streams,
            "When the metric of \"age\" shows \"0 - X - X\""),
        step!(Given | When "SetAlarmState sets the alarm {string} to {state}", Inside, set_state,
            "When SetAlarmState sets the alarm \"age\" to ALARM"),
    ],
};

/// An alarm as its table says it, before it is looked at.
struct Told {
    alarm: Alarm,
    datapoints_to_alarm: Option<u32>,
    missing: Option<MissingData>,
    namespace: String,
    queue: Option<String>,
}

pub(super) const SETTINGS: [&str; 9] = [
    "statistic",
    "comparison",
    "threshold",
    "period",
    "evaluation periods",
    "datapoints to alarm",
    "treat missing data",
    "namespace",
    "age of queue",
];

/// Creates an alarm, or edits it.
fn put_alarm(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let mut told = Told {
        alarm: Alarm {
            settings: AlarmSettings {
                statistic: Statistic::Maximum,
                period: std::time::Duration::from_secs(60),
                evaluation_periods: 1,
                threshold: 100.0,
                comparison: Comparison::GreaterThanThreshold,
            },
            datapoints_to_alarm: 1,
            treat_missing_data: MissingData::default(),
        },
        datapoints_to_alarm: None,
        missing: None,
        namespace: String::new(),
        queue: None,
    };
    for row in call.settings()?.iter() {
        set(&mut told, &row)?;
    }
    let mut alarm = told.alarm;
    alarm.datapoints_to_alarm = told.datapoints_to_alarm.unwrap_or(alarm.settings.evaluation_periods);
    alarm.treat_missing_data = told.missing.unwrap_or_else(|| MissingData::default_for(&told.namespace));
    if let Err(refused) = alarm.validate() {
        world.submit(Err(refused.to_string()));
        return Ok(());
    }
    world.submit(Ok(()));
    let (name, machines) = (call.word(0).to_owned(), world.machines()?);
    if call.choice("made", 1)?.choice == "updated" && !world.signals.alarms.contains_key(&name) {
        return Err(call.refuse(no_alarm(&name)));
    }
    if let Some(known) = world.signals.alarms.get_mut(&name) {
        known.run.edit(alarm);
        return Ok(());
    }
    let metric = told.queue.unwrap_or_else(|| name.clone());
    world.signals.alarms.insert(name, WatchedAlarm { run: machines.alarm(alarm), metric });
    Ok(())
}

fn set(told: &mut Told, row: &Row<'_>) -> Result<(), Explanation> {
    let settings = &mut told.alarm.settings;
    match row.need("setting")? {
        "statistic" => settings.statistic = row.need_as("value", word)?,
        "comparison" => settings.comparison = row.need_as("value", word)?,
        "threshold" => settings.threshold = row.need_as("value", level)?,
        "period" => settings.period = row.need_as("value", duration)?,
        "evaluation periods" => settings.evaluation_periods = row.need_as("value", number)?,
        "datapoints to alarm" => told.datapoints_to_alarm = Some(row.need_as("value", number)?),
        "treat missing data" => told.missing = Some(row.need_as("value", word)?),
        "namespace" => row.need("value")?.clone_into(&mut told.namespace),
        "age of queue" => told.queue = Some(row.need("value")?.to_owned()),
        other => {
            let meant = nearest(other, SETTINGS).map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
            let problem = format!("setting `{other}` is not known; expected one of {}{meant}", SETTINGS.join(", "));
            return Err(row.refuse("setting", problem));
        }
    }
    Ok(())
}

/// A word as drill files write it: `greater-than-threshold`.
pub(super) fn word<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    T::deserialize(IntoDeserializer::<WordError>::into_deserializer(text)).map_err(|error| error.to_string())
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is no number that can stand here"))
}

/// Values of metrics lie well within this; beyond it one more is no other number.
const FARTHEST: f64 = 1e12;

fn level(text: &str) -> Result<f64, String> {
    let level = text.parse::<f64>().ok().filter(|level| level.abs() <= FARTHEST);
    level.ok_or_else(|| format!("`{text}` is no threshold; expected a number from -{FARTHEST:e} to {FARTHEST:e}"))
}

fn streams(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let chosen = call.choice("stream", 1)?;
    if chosen.choice.starts_with("shows") {
        return shows(world, call, chosen.text);
    }
    let (alarm, metric) = watched(world, call)?;
    let value = match chosen.choice {
        "breaches from now on" => Some(Level::Breaching.value(&alarm)),
        "is fine from now on" => Some(Level::Fine.value(&alarm)),
        _ => None,
    };
    world.signals.metrics.feed(&metric, world.now, value);
    Ok(())
}

/// The latest periods are these, and those before have no data: everything that watches the metric is evaluated once,
/// when the newest of them is over.
fn shows(world: &mut World, call: &Call<'_>, points: &str) -> Result<(), Explanation> {
    let (alarm, metric) = watched(world, call)?;
    let period = alarm.settings.period;
    let periods = world.now.since_start().as_nanos().div_ceil(period.as_nanos().max(1));
    let mut begin = LabTime::at(period.saturating_mul(u32::try_from(periods).unwrap_or(u32::MAX)));
    let mut samples = Vec::new();
    for point in points.split_whitespace() {
        let level = match point {
            "0" => Some(Level::Fine),
            "X" => Some(Level::Breaching),
            "-" => None,
            other => {
                return Err(call.refuse(format!("`{other}` is no datapoint; expected 0 (fine), X (breaching) or -")));
            }
        };
        samples.extend(level.map(|level| (begin + period / 2, level.value(&alarm))));
        begin = begin + period;
    }
    world.signals.metrics.feed(&metric, world.now, None);
    world.signals.metrics.set(&metric, samples);
    let machines = world.machines()?;
    world.signals.evaluate(&metric, begin, machines, &mut world.evidence.borrow_mut());
    world.advance(begin.since(world.now))
}

fn set_state(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let chosen = call.choice("state", 1)?.choice;
    let state = state_of(chosen).ok_or_else(|| call.refuse(format!("`{chosen}` is no state of an alarm")))?;
    let Some(alarm) = world.signals.alarms.get_mut(call.word(0)) else {
        return Err(call.refuse(no_alarm(call.word(0))));
    };
    alarm.run.set_state(state);
    Ok(())
}

/// The state that a choice names.
pub(super) fn state_of(written: &str) -> Option<AlarmState> {
    [AlarmState::Ok, AlarmState::Alarm, AlarmState::InsufficientData]
        .into_iter()
        .find(|state| state.to_string() == written)
}

fn watched(world: &World, call: &Call<'_>) -> Result<(Alarm, String), Explanation> {
    let name = call.word(0);
    world.signals.watched(name).ok_or_else(|| call.refuse(no_alarm(name)))
}

pub(super) fn no_alarm(name: &str) -> String {
    format!("there is no alarm `{name}`; expected a step that sets it before, and that it was not refused")
}
