//! What must be seen, and the sentence that says so.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::time::Duration;

use hickory_proto::rr::Name;

use super::super::error::{Noun, Problem};
use super::super::loaded::{Cell, CellMake, Client, Probe, Resolver};
use super::super::schema::{
    AlarmStateFile, AnswerFile, BudgetFile, DataFile, DrillFile, ExpectFile, HealthCheckFile, HealthFile, LossFile,
    OneOrMore, ServedFile, SwingsFile, TurnsFile, When, WrittenDuration,
};
use super::cells::domain_name;
use super::clients::place;
use super::reader::Reader;
use crate::health::AlarmState;
use crate::plan::Family;
use crate::plan::expectation::{Claim, Expectation, ExpectedAnswer, Holds, Leg, Stage};

/// What expectations may name.
#[derive(Clone, Copy)]
pub(super) struct Names<'a> {
    pub(super) front: &'a Name,
    pub(super) cells: &'a BTreeMap<String, Cell>,
    pub(super) health_checks: &'a BTreeMap<String, HealthCheckFile>,
    pub(super) probes: &'a BTreeMap<String, Probe>,
    pub(super) resolvers: &'a BTreeMap<String, Resolver>,
    pub(super) clients: &'a BTreeMap<String, Client>,
}

impl<'a> Names<'a> {
    fn zones(self) -> impl Iterator<Item = &'a str> + Clone {
        let of_cell = |cell: &'a Cell| match &cell.make {
            CellMake::Region(region) => region.zones.as_slice(),
            CellMake::Llm(_) | CellMake::TelemetryGateway | CellMake::StaticSite => &[],
        };
        self.cells.values().flat_map(of_cell).map(String::as_str)
    }

    fn cells_and_zones(self) -> impl Iterator<Item = &'a str> + Clone {
        self.cells.keys().map(String::as_str).chain(self.zones())
    }
}

pub(super) fn read(reader: &mut Reader<'_>, file: &DrillFile, names: Names<'_>) -> Vec<Expectation> {
    if file.expect.is_empty() {
        reader.complain_of_key("expect", Problem::Empty { what: "expect" });
    }
    let mut expectations = Vec::new();
    for (index, written) in file.expect.iter().enumerate() {
        let path = format!("expect.{index}");
        if let Some((during, claim)) = expectation(reader, &path, written, names) {
            let text = sentence(&claim, during, names.front);
            expectations.push(Expectation { text, at: reader.place(&path), during, claim });
        }
    }
    expectations
}

fn expectation(reader: &mut Reader<'_>, path: &str, written: &ExpectFile, names: Names<'_>) -> Option<(Leg, Claim)> {
    let ExpectFile {
        answer: asked,
        health: status,
        served: requests,
        budget: limit,
        loss: lost,
        turns,
        swings,
        data: metric,
        alarm,
    } = written;
    let found = [asked.is_some(), status.is_some(), requests.is_some(), limit.is_some(), lost.is_some()];
    let found = [&found[..], &[turns.is_some(), swings.is_some(), metric.is_some(), alarm.is_some()]].concat();
    let keys = &["answer", "health", "served", "budget", "loss", "turns", "swings", "data", "alarm"];
    if !reader.exactly_one(path, keys, &found) {
        return None;
    }
    let below = |key| format!("{path}.{key}");
    let asked = asked.as_ref().and_then(|written| answer(reader, &below("answer"), written, names));
    let status = status.as_ref().and_then(|written| health(reader, &below("health"), written, names));
    let requests = requests.as_ref().and_then(|written| served(reader, &below("served"), written, names));
    let limit = limit.as_ref().and_then(|written| budget(reader, &below("budget"), written, names));
    let lost = lost.as_ref().map(|written| loss(reader, &below("loss"), written, names));
    let turns = turns.as_ref().and_then(|written| turns_claim(reader, &below("turns"), written, names));
    let swings = swings.as_ref().map(|written| swings_claim(reader, &below("swings"), written, names));
    let metric = metric.as_ref().and_then(|written| data(reader, &below("data"), written, names));
    let alarm = alarm.as_ref().and_then(|written| alarm_state(reader, &below("alarm"), written, names));
    asked.or(status).or(requests).or(limit).or(lost).or(turns).or(swings).or(metric).or(alarm)
}

fn answer(reader: &mut Reader<'_>, path: &str, written: &AnswerFile, names: Names<'_>) -> Option<(Leg, Claim)> {
    place(reader, &format!("{path}.from"), &written.from);
    let during = reader.leg(&format!("{path}.during"), written.during.as_deref());
    let family = reader.family(&format!("{path}.type"), written.rtype.as_deref());
    let name = match &written.name {
        Some(text) => domain_name(reader, &format!("{path}.name"), "a record name", text),
        None => Some(names.front.clone()),
    };
    let answer = expected_answer(reader, &format!("{path}.is"), &written.is, names);
    let holds = holds(reader, path, written.when());
    let name = name?.to_string();
    Some((during, Claim::Answer { name, family, place: written.from.clone(), answer: answer?, holds: holds? }))
}

/// A word, a cell, or one zone or more.
fn expected_answer(
    reader: &mut Reader<'_>,
    path: &str,
    written: &OneOrMore,
    names: Names<'_>,
) -> Option<ExpectedAnswer> {
    match written {
        OneOrMore::One(word) if word == "nodata" => return Some(ExpectedAnswer::NoData),
        OneOrMore::One(word) if word == "nxdomain" => return Some(ExpectedAnswer::NxDomain),
        OneOrMore::One(cell) if names.cells.contains_key(cell) => return Some(ExpectedAnswer::Cell(cell.clone())),
        _ => {}
    }
    let mut zones = Vec::new();
    for (below, zone) in written.iter() {
        let known = match written {
            OneOrMore::One(_) => {
                let words = ["nodata", "nxdomain"].into_iter();
                reader.known(path, Noun::Cell, zone, names.cells_and_zones().chain(words))
            }
            OneOrMore::More(_) => reader.known(&format!("{path}{below}"), Noun::Zone, zone, names.zones()),
        };
        zones.push(zone.to_owned());
        known.then_some(())?;
    }
    zones.sort_unstable();
    zones.dedup();
    Some(ExpectedAnswer::Zones(zones))
}

fn health(reader: &mut Reader<'_>, path: &str, written: &HealthFile, names: Names<'_>) -> Option<(Leg, Claim)> {
    let during = reader.leg(&format!("{path}.during"), written.during.as_deref());
    let of = status_of(reader, &format!("{path}.of"), &written.of, names);
    let healthy =
        reader.word(&format!("{path}.is"), Noun::Status, &written.is, &[("healthy", true), ("unhealthy", false)]);
    let holds = holds(reader, path, written.when());
    of.then_some(())?;
    Some((during, Claim::Health { of: written.of.clone(), healthy: healthy?, holds: holds? }))
}

fn data(reader: &mut Reader<'_>, path: &str, written: &DataFile, names: Names<'_>) -> Option<(Leg, Claim)> {
    let during = reader.leg(&format!("{path}.during"), written.during.as_deref());
    let known = is_on_an_alarm(reader, &format!("{path}.of"), &written.of, names);
    let words = [("missing", true), ("present", false)];
    let missing = reader.word(&format!("{path}.is"), Noun::Presence, &written.is, &words);
    let holds = holds(reader, path, written.when());
    known.then_some(())?;
    Some((during, Claim::Data { of: written.of.clone(), missing: missing?, holds: holds? }))
}

fn alarm_state(
    reader: &mut Reader<'_>,
    path: &str,
    written: &AlarmStateFile,
    names: Names<'_>,
) -> Option<(Leg, Claim)> {
    let during = reader.leg(&format!("{path}.during"), written.during.as_deref());
    let known = is_on_an_alarm(reader, &format!("{path}.of"), &written.of, names);
    let words =
        [("ok", AlarmState::Ok), ("alarm", AlarmState::Alarm), ("insufficient-data", AlarmState::InsufficientData)];
    let state = reader.word(&format!("{path}.is"), Noun::AlarmState, &written.is, &words);
    let holds = holds(reader, path, written.when());
    known.then_some(())?;
    Some((during, Claim::Alarm { of: written.of.clone(), state: state?, holds: holds? }))
}

fn is_on_an_alarm(reader: &mut Reader<'_>, path: &str, of: &str, names: Names<'_>) -> bool {
    let on_alarms = names.health_checks.iter().filter(|(_, check)| check.alarm.is_some());
    reader.known(path, Noun::HealthCheckOnAlarm, of, on_alarms.map(|(id, _)| id.as_str()))
}

/// Whether this has a health status: one that decisions can use, or a probe's last result.
fn status_of(reader: &mut Reader<'_>, path: &str, of: &str, names: Names<'_>) -> bool {
    let with_health = |cell: &&String| names.cells.get(*cell).is_some_and(Cell::has_health);
    let cells = names.cells.keys().filter(with_health).map(String::as_str);
    let checks = names.health_checks.keys().map(String::as_str);
    let known = cells.chain(names.zones()).chain(checks).chain(names.probes.keys().map(String::as_str));
    if known.clone().filter(|name| *name == of).count() > 1 {
        let why = format!("`{of}` is the name of more than one of: a cell, a zone, a health check, a probe");
        reader.complain(path, Problem::Impossible { why, instead: "give each a name of its own" });
        return false;
    }
    reader.known(path, Noun::HasHealth, of, known)
}

fn served(reader: &mut Reader<'_>, path: &str, written: &ServedFile, names: Names<'_>) -> Option<(Leg, Claim)> {
    let during = reader.leg(&format!("{path}.during"), written.during.as_deref());
    client(reader, &format!("{path}.client"), &written.client, names);
    let by = match written.by.as_str() {
        "nobody" => None,
        cell => {
            let known = names.cells_and_zones().chain(["nobody"]);
            reader.known(&format!("{path}.by"), Noun::Cell, cell, known);
            Some(cell.to_owned())
        }
    };
    let holds = holds(reader, path, written.when());
    Some((during, Claim::Served { client: written.client.clone(), by, holds: holds? }))
}

fn budget(reader: &mut Reader<'_>, path: &str, written: &BudgetFile, names: Names<'_>) -> Option<(Leg, Claim)> {
    let during = reader.leg(&format!("{path}.during"), written.during.as_deref());
    let words = [
        ("detection", Stage::Detection),
        ("authoritative", Stage::Authoritative),
        ("resolver", Stage::Resolver),
        ("client", Stage::Client),
        ("total", Stage::Total),
    ];
    let stage = reader.word(&format!("{path}.stage"), Noun::Stage, &written.stage, &words);
    if written.at_least.is_none() && written.at_most.is_none() {
        reader.complain_of_key(path, Problem::Empty { what: "budget" });
    }
    let mut limit = |key, written: &Option<WrittenDuration>| {
        written.as_ref().and_then(|written| reader.duration(&format!("{path}.{key}"), key, written))
    };
    let (at_least, at_most) = (limit("at-least", &written.at_least), limit("at-most", &written.at_most));
    in_order(reader, path, at_least.zip(at_most), |limit| humantime::format_duration(limit).to_string());
    let stage = stage?;
    if let Some(of) = &written.of {
        let path = format!("{path}.of");
        match stage {
            Stage::Resolver => {
                reader.known(&path, Noun::Resolver, of, names.resolvers.keys().map(String::as_str));
            }
            Stage::Client | Stage::Total => client(reader, &path, of, names),
            Stage::Detection | Stage::Authoritative => {
                let what = format!("the stage `{}`, which is one for all", written.stage);
                reader.complain_of_key(&path, Problem::DoesNotApply { key: "of", what });
            }
        }
    }
    Some((during, Claim::Budget { stage, of: written.of.clone(), at_least, at_most }))
}

fn loss(reader: &mut Reader<'_>, path: &str, written: &LossFile, names: Names<'_>) -> (Leg, Claim) {
    let during = reader.leg(&format!("{path}.during"), written.during.as_deref());
    client(reader, &format!("{path}.client"), &written.client, names);
    let LossFile { failed_at_most, slow_at_most, stale_at_most, .. } = *written;
    if failed_at_most.or(slow_at_most).or(stale_at_most).is_none() {
        reader.complain_of_key(path, Problem::Empty { what: "loss" });
    }
    (during, Claim::Loss { client: written.client.clone(), failed_at_most, slow_at_most, stale_at_most })
}

fn turns_claim(reader: &mut Reader<'_>, path: &str, written: &TurnsFile, names: Names<'_>) -> Option<(Leg, Claim)> {
    let TurnsFile { of, at_least, at_most, during } = written;
    let during = reader.leg(&format!("{path}.during"), during.as_deref());
    counts(reader, path, "turns", *at_least, *at_most);
    let known = status_of(reader, &format!("{path}.of"), of, names);
    known.then(|| (during, Claim::Turns { of: of.clone(), at_least: *at_least, at_most: *at_most }))
}

fn swings_claim(reader: &mut Reader<'_>, path: &str, written: &SwingsFile, names: Names<'_>) -> (Leg, Claim) {
    let SwingsFile { client: who, at_least, at_most, during } = written;
    let during = reader.leg(&format!("{path}.during"), during.as_deref());
    counts(reader, path, "swings", *at_least, *at_most);
    client(reader, &format!("{path}.client"), who, names);
    (during, Claim::Swings { client: who.clone(), at_least: *at_least, at_most: *at_most })
}

/// At least one limit, and none that is always kept.
fn counts(reader: &mut Reader<'_>, path: &str, what: &'static str, at_least: Option<u64>, at_most: Option<u64>) {
    match (at_least, at_most) {
        (None, None) => reader.complain_of_key(path, Problem::Empty { what }),
        (Some(0), None) => {
            let expected = "at least 1: 0 is always so".to_owned();
            let problem = Problem::OutOfRange { key: "at-least", found: "0".to_owned(), expected };
            reader.complain(&format!("{path}.at-least"), problem);
        }
        _ => in_order(reader, path, at_least.zip(at_most), |count| count.to_string()),
    }
}

/// The lower limit is not above the upper one.
fn in_order<T: PartialOrd>(reader: &mut Reader<'_>, path: &str, limits: Option<(T, T)>, said: impl Fn(T) -> String) {
    let Some((least, most)) = limits.filter(|(least, most)| least > most) else { return };
    let expected = format!("at most {}, as `at-most` says", said(most));
    let problem = Problem::OutOfRange { key: "at-least", found: said(least), expected };
    reader.complain(&format!("{path}.at-least"), problem);
}

fn client(reader: &mut Reader<'_>, path: &str, name: &str, names: Names<'_>) {
    reader.known(path, Noun::Client, name, names.clients.keys().map(String::as_str));
}

fn holds(reader: &mut Reader<'_>, path: &str, when: When<'_>) -> Option<Holds> {
    let When { within, once_within, again_within, holds } = when;
    let found = [within.is_some(), once_within.is_some(), again_within.is_some(), holds.is_some()];
    if !reader.exactly_one(path, &["within", "once-within", "again-within", "holds"], &found) {
        return None;
    }
    if let Some(word) = holds {
        let words = [("always", Holds::Always), ("never", Holds::Never)];
        return reader.word(&format!("{path}.holds"), Noun::Holds, word, &words);
    }
    let mut deadline = |key, written| reader.duration(&format!("{path}.{key}"), key, written);
    let within = within.and_then(|written| deadline("within", written).map(Holds::Within));
    let once = once_within.and_then(|written| deadline("once-within", written).map(Holds::OnceWithin));
    let again = again_within.and_then(|written| deadline("again-within", written).map(Holds::AgainWithin));
    within.or(once).or(again)
}

/// A deadline after the fault has been healed, or after the run has ended, could never be met, nor missed.
pub(super) fn fit_into_run(
    reader: &mut Reader<'_>,
    expectations: &[Expectation],
    hold: Option<Duration>,
    recover: Option<Duration>,
) {
    let format = |duration| humantime::format_duration(duration).to_string();
    let latest = |leg| {
        let of_leg = expectations.iter().filter(move |expectation| expectation.during == leg);
        of_leg.filter_map(|expectation| expectation.claim.within()).max()
    };
    if let Some((hold, within)) = hold.zip(latest(Leg::Failover)).filter(|(hold, within)| within >= hold) {
        reader.complain("hold", Problem::HoldTooShort { within: format(within), hold: format(hold) });
    }
    if let Some((recover, within)) = recover.zip(latest(Leg::Failback)).filter(|(recover, within)| within > recover) {
        reader.complain("recover", Problem::RecoverTooShort { within: format(within), recover: format(recover) });
    }
}

/// `at least 2 and at most 4`.
fn bounded<T: Display>(at_least: Option<T>, at_most: Option<T>) -> String {
    let least = at_least.map(|least| format!("at least {least}"));
    let most = at_most.map(|most| format!("at most {most}"));
    least.into_iter().chain(most).collect::<Vec<_>>().join(" and ")
}

/// One line for people.
fn sentence(claim: &Claim, during: Leg, front: &Name) -> String {
    let format = humantime::format_duration;
    let holds = |holds: &Holds| match holds {
        Holds::Within(within) => format!("within {}", format(*within)),
        Holds::OnceWithin(within) => format!("once within {}", format(*within)),
        Holds::AgainWithin(within) => format!("again within {}", format(*within)),
        Holds::Always => "at all times".to_owned(),
        Holds::Never => "at no time".to_owned(),
    };
    let said = match claim {
        Claim::Answer { name, family, place, answer, holds: when } => {
            let answer = match answer {
                ExpectedAnswer::Cell(cell) => cell.clone(),
                ExpectedAnswer::Zones(zones) => zones.join(" and "),
                ExpectedAnswer::NoData => "no records".to_owned(),
                ExpectedAnswer::NxDomain => "no such name".to_owned(),
            };
            let mut asked = String::new();
            if *name != front.to_string() {
                asked = format!(" for {}", name.trim_end_matches('.'));
            }
            if *family == Family::Aaaa {
                asked.push_str(" (AAAA)");
            }
            format!("{place} is answered {answer}{asked} {}", holds(when))
        }
        Claim::Health { of, healthy, holds: when } => {
            format!("{of} is {} {}", if *healthy { "healthy" } else { "unhealthy" }, holds(when))
        }
        Claim::Data { of, missing, holds: when } => {
            format!("the metric of {of} {} data {}", if *missing { "lacks" } else { "has" }, holds(when))
        }
        Claim::Alarm { of, state, holds: when } => format!("the alarm of {of} is {state} {}", holds(when)),
        Claim::Served { client, by, holds: when } => {
            format!("{client} is served by {} {}", by.as_deref().unwrap_or("nobody"), holds(when))
        }
        Claim::Budget { stage, of, at_least, at_most } => {
            let stage = match stage {
                Stage::Detection => "detection",
                Stage::Authoritative => "the authoritative change",
                Stage::Resolver => "resolver caching",
                Stage::Client => "client caching and connection reuse",
                Stage::Total => "the whole way",
            };
            let of = of.as_ref().map(|of| format!(" of {of}")).unwrap_or_default();
            format!("{stage}{of} takes {}", bounded(at_least.map(format), at_most.map(format)))
        }
        Claim::Turns { of, at_least, at_most } => format!("{of} turns {} times", bounded(*at_least, *at_most)),
        Claim::Swings { client, at_least, at_most } => {
            format!("{client} goes from cell to cell {} times", bounded(*at_least, *at_most))
        }
        Claim::Loss { client, failed_at_most, slow_at_most, stale_at_most } => {
            let limits = [("failed", failed_at_most), ("slow", slow_at_most), ("stale", stale_at_most)];
            let limits = limits.iter().filter_map(|(what, most)| most.map(|most| format!("{most} {what}")));
            format!("{client} has at most {} requests", limits.collect::<Vec<_>>().join(", "))
        }
    };
    match during {
        Leg::Failover => said,
        Leg::Failback => format!("after the heal, {said}"),
    }
}
