//! Cases that others wrote: what a team runs, and beside it what a correct tool says of each.
//!
//! The folder is `tests/cases`, or the one that `MUSTER_CASES` names. Each `*.expect.md` there names its files and holds
//! one block of JSON with rows: a question, who asks, what is down, and the answer; or a health check and its status.
//! Rows that this test cannot put into a question, and those of a dialect that nothing decides yet, are counted and
//! printed, never passed over in silence.

#![expect(clippy::unwrap_used, reason = "a test may stop at what it cannot read")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hickory_proto::rr::Name;
use muster::clock::LabTime;
use muster::decide::{Admissible, Content, Outcome, Question, Switches, Viewpoint, decide};
use muster::formats::{self, Imported, Options, State};
use muster::health::{
    Alarm, AlarmCheck, AlarmSettings, AlarmState, Comparison, DefinedKind, EvidenceBoard, HealthCheckDefinition,
    MetricStream, MissingData, ProbeBody, ProbeReport, ProbeResponse, SEARCHED_BYTES, SearchedBody, Statistic,
};
use muster::zone::{HealthCheckId, Policy, RecordData, RecordSet, Zone, route53_json, type_of_text, unknown_of_name};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    q: Option<String>,
    t: Option<String>,
    #[serde(default)]
    client: Client,
    #[serde(default)]
    down: Vec<String>,
    mode: Option<String>,
    #[serde(default)]
    answer: Vec<String>,
    weights: Option<BTreeMap<String, f64>>,
    ttl: Option<u32>,
    /// Which side of a plan.
    state: Option<String>,
    check: Option<String>,
    status: Option<String>,
    probe: Option<String>,
    children: Option<String>,
    alarm: Option<String>,
    control: Option<String>,
    #[serde(rename = "why")]
    _why: Option<String>,
    #[serde(rename = "confidence")]
    _confidence: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Client {
    country: Option<String>,
    subdivision: Option<String>,
    continent: Option<String>,
    #[serde(default)]
    latency: Vec<String>,
    ip: Option<String>,
    ecs: Option<String>,
    region: Option<String>,
}

/// How one row went.
enum Went {
    Right,
    Wrong(String),
    /// It cannot be put into a question here, for this reason.
    LeftOut(String),
    /// Its zone is read, but nothing decides in this dialect yet.
    NotDecided(String),
}

#[test]
fn the_cases_of_others_are_answered_as_they_expect() {
    let folder = folder();
    let (mut right, mut undecided) = (0, 0);
    let (mut wrong, mut left_out) = (String::new(), String::new());
    for expect in expectations(&folder) {
        let case = Case::of(&expect);
        for (number, row) in rows(&expect).into_iter().enumerate() {
            let place = format!("{}, row {}", expect.display(), number + 1);
            match row.map_or_else(Went::LeftOut, |row| case.went(&row, number)) {
                Went::Right => right += 1,
                Went::Wrong(how) => writeln!(wrong, "{place}: {how}").unwrap(),
                Went::LeftOut(why) => writeln!(left_out, "{place}: {why}").unwrap(),
                Went::NotDecided(why) => {
                    undecided += 1;
                    writeln!(left_out, "{place}: {why}").unwrap();
                }
            }
        }
    }
    println!("{right} rows are right, {undecided} are not decided yet; left out:\n{left_out}");
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(right > 0, "no row of {} could be held", folder.display());
}

fn folder() -> PathBuf {
    let named = std::env::var_os("MUSTER_CASES").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases"));
    assert!(folder.is_dir(), "{} is no folder; MUSTER_CASES may name another", folder.display());
    folder
}

fn expectations(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap().to_string_lossy().ends_with(".expect.md"))
        .collect();
    files.sort();
    files
}

fn rows(expect: &Path) -> Vec<Result<Row, String>> {
    let text = std::fs::read_to_string(expect).unwrap();
    let Some((_, block)) = text.split_once("```json\n") else { return Vec::new() };
    let (block, _) = block.split_once("```").unwrap();
    let rows: Vec<serde_json::Value> = serde_json::from_str(block).unwrap();
    rows.into_iter().map(|row| serde_json::from_value(row).map_err(|error| error.to_string())).collect()
}

/// The files of one case.
struct Case {
    texts: Vec<(PathBuf, String)>,
    /// The blocks of a CIDR collection, which its records name by an id that they do not say.
    blocks: Option<(PathBuf, String)>,
    /// The parent of what is asked for, where a format does not say its zone.
    apex: Option<Name>,
}

impl Case {
    fn of(expect: &Path) -> Self {
        let text = std::fs::read_to_string(expect).unwrap();
        let line = text.lines().find(|line| line.starts_with("Files:")).unwrap_or_default();
        let folder = expect.parent().unwrap();
        let mut texts = Vec::new();
        let mut blocks = None;
        for file in line.split('`').skip(1).step_by(2).map(|file| folder.join(file)) {
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            if file.to_string_lossy().ends_with(".blocks.json") {
                blocks = Some((file, text));
            } else {
                texts.push((file, text));
            }
        }
        let asked = rows(expect).into_iter().filter_map(|row| Name::from_ascii(row.ok()?.q?).ok());
        let apex = asked.map(|name| name.base_name()).min_by_key(Name::num_labels).filter(|name| name.num_labels() > 1);
        Self { texts, blocks, apex }
    }

    /// Every file as it can be read, that side of a plan.
    fn imported(&self, state: State) -> Vec<Result<Imported, String>> {
        let read = |(file, text): &(PathBuf, String)| {
            let options = |zone| Options { zone, state, ..Options::default() };
            let first = formats::read(file, text, &options(None));
            match first {
                Err(error) if error.to_string().contains("expected the zone's name") => {
                    formats::read(file, text, &options(self.apex.clone()))
                }
                first => first,
            }
            .map_err(|errors| errors.to_string())
        };
        self.texts.iter().map(read).collect()
    }

    /// The zone that a change batch is submitted to, and what it leaves; `None` when this case is not of that kind.
    fn batch(&self) -> Option<(Zone, Zone)> {
        let is_batch = |text: &str| text.contains("\"Changes\"");
        let (file, batch) = self.texts.iter().find(|(_, text)| is_batch(text))?;
        let (base_file, base) = self.texts.iter().find(|(_, text)| !is_batch(text))?;
        let base = route53_json::read(base_file, base, None).unwrap();
        let after = route53_json::apply_change_batch(&base, file, batch).unwrap();
        Some((base, after))
    }

    fn went(&self, row: &Row, number: usize) -> Went {
        if row.check.is_some() {
            return self.status(row);
        }
        let (Some(q), Some(t), Some(mode)) = (&row.q, &row.t, &row.mode) else {
            return Went::LeftOut("no question".to_owned());
        };
        let name = Name::from_ascii(q).unwrap();
        let state = if row.state.as_deref() == Some("before") { State::Before } else { State::After };
        if row.state.as_ref().is_some_and(|state| !["before", "after"].contains(&state.as_str())) {
            return Went::LeftOut(format!("state {:?}", row.state));
        }
        let imported = self.imported(state);
        if imported.iter().flatten().any(|imported| imported.cloud_dns.iter().any(|zone| zone.apex.zone_of(&name))) {
            return Went::NotDecided("a zone of Cloud DNS: read, but not decided yet".to_owned());
        }
        let zone = match self.batch() {
            // The first row of such a case is from before the batch, the others from after it.
            Some((base, after)) => Ok(if number == 0 { base } else { after }),
            None => self.zone(&imported, &name),
        };
        let checks = imported.iter().flatten().flat_map(|imported| imported.health_checks.clone()).collect();
        answered(row, (&name, t, mode), zone, &checks)
    }

    fn zone(&self, imported: &[Result<Imported, String>], name: &Name) -> Result<Zone, String> {
        let zones = || imported.iter().flatten().flat_map(|imported| &imported.zones);
        let holds = |zone: &&Zone| zone.apex.zone_of(name);
        let named = zones().filter(holds).find(|zone| zone.names_in_use().contains(name));
        let Some(zone) = named.or_else(|| zones().find(holds)) else {
            let errors: Vec<&str> = imported.iter().filter_map(|one| one.as_ref().err().map(String::as_str)).collect();
            return Err(format!("no zone holds {name}: {}", errors.join("; ")));
        };
        let mut zone = zone.clone();
        if let Some((file, text)) = &self.blocks {
            let collection = route53_json::read_cidr_blocks(file, text).map_err(|errors| errors.to_string())?;
            // The listing does not say its collection's id: it is that of all records.
            let ids: BTreeSet<String> = zone
                .record_sets()
                .filter_map(|record| match &record.policy {
                    Policy::IpBased { collection, .. } => Some(collection.clone()),
                    _ => None,
                })
                .collect();
            zone.cidr_collections.extend(ids.into_iter().map(|id| (id, collection.clone())));
        }
        Ok(zone)
    }

    /// A health check's status, out of what the row says of what it looks at.
    fn status(&self, row: &Row) -> Went {
        let imported = self.imported(State::After);
        let checks: BTreeMap<_, _> =
            imported.into_iter().flatten().flat_map(|imported| imported.health_checks).collect();
        let end = row.check.as_deref().unwrap_or_default();
        let Some(check) = ending(&checks, end) else { return Went::Wrong(format!("there is no health check `{end}`")) };
        let found = match evaluated(row, check, &checks) {
            Ok(evaluated) => evaluated,
            Err(why) => return Went::LeftOut(why),
        };
        let expected = row.status.as_deref() == Some("healthy");
        if found == expected { Went::Right } else { Went::Wrong(format!("{end} is {found}, expected {expected}")) }
    }
}

type Checks = BTreeMap<HealthCheckId, HealthCheckDefinition>;

fn ending<'c>(checks: &'c Checks, end: &str) -> Option<&'c HealthCheckDefinition> {
    checks.iter().find(|(id, _)| id.0.ends_with(end)).map(|(_, check)| check)
}

/// Whether the check is healthy, its own inverting and disabling applied.
fn evaluated(row: &Row, check: &HealthCheckDefinition, checks: &Checks) -> Result<bool, String> {
    let said = |text: &Option<String>| text.clone().ok_or_else(|| "it does not say what is seen".to_owned());
    match &check.kind {
        DefinedKind::Endpoint(endpoint) => {
            let probe = said(&row.probe)?;
            let mut report = ProbeReport { connected_after: Some(Duration::ZERO), ..ProbeReport::default() };
            let mut content = SearchedBody::new(None);
            content.push(&[b'x'; SEARCHED_BYTES]);
            let body = Some(ProbeBody { content, after_status: Duration::ZERO });
            let answer =
                |status| Some(ProbeResponse { status, after_connect: Duration::ZERO, headers: 0, body: body.clone() });
            match probe.as_str() {
                "fails" | "refused" => report.connected_after = None,
                "connects" => {}
                "succeeds" | "200 but string after byte 5120" => report.response = answer(200),
                other => return Err(format!("probe {other}")),
            }
            Ok(check.status.apply(endpoint.check.judge(&report).passed()))
        }
        DefinedKind::Calculated(calculated) => {
            let mut up: BTreeMap<String, bool> = BTreeMap::new();
            for part in said(&row.children)?.split(", ") {
                let (child, state) = part.split_once(' ').ok_or_else(|| format!("children {part}"))?;
                up.insert(child.to_owned(), state == "up");
            }
            let healthy = |id: &HealthCheckId| {
                let said = up.iter().find(|(end, _)| id.0.ends_with(end.as_str())).map(|(_, up)| *up);
                // Of a child that is not spoken of, its own settings must tell it.
                said.unwrap_or_else(|| checks[id].status.disabled && checks[id].status.apply(false))
            };
            Ok(check.status.apply(calculated.status(healthy)))
        }
        DefinedKind::Alarm { insufficient_data, .. } => {
            let settings = AlarmSettings {
                statistic: Statistic::Sum,
                period: Duration::from_mins(1),
                evaluation_periods: 1,
                threshold: 1.0,
                comparison: Comparison::GreaterThanThreshold,
            };
            let alarm = Alarm { settings, datapoints_to_alarm: 1, treat_missing_data: MissingData::Missing };
            let mut machine = AlarmCheck::new(&alarm, *insufficient_data, check.status);
            let metric = MetricStream::reaching(Duration::from_mins(5));
            for state in said(&row.alarm)?.split(" then ") {
                let state = match state {
                    "OK" => AlarmState::Ok,
                    "ALARM" => AlarmState::Alarm,
                    "INSUFFICIENT_DATA" | "never had data" => AlarmState::InsufficientData,
                    other => return Err(format!("alarm {other}")),
                };
                machine.evaluate_by(LabTime::START, &metric, |_| state);
            }
            Ok(machine.is_healthy())
        }
        DefinedKind::RoutingControl { .. } => Ok(check.status.apply(said(&row.control)? == "On")),
    }
}

fn answered(row: &Row, (name, t, mode): (&Name, &str, &str), zone: Result<Zone, String>, checks: &Checks) -> Went {
    if !["exact", "one_of", "up_to_8_of", "nodata", "nxdomain", "referral"].contains(&mode) {
        return Went::LeftOut(format!("mode {mode}"));
    }
    if row.client.region.is_some() {
        return Went::LeftOut("a private zone's query".to_owned());
    }
    let zone = match zone {
        Ok(zone) => zone,
        Err(errors) => return Went::Wrong(errors),
    };
    let mut board = EvidenceBoard::default();
    // What is disabled has its status from its settings.
    for (id, check) in checks.iter().filter(|(_, check)| check.status.disabled) {
        board.set_health_check(id.clone(), check.status.apply(true));
    }
    for id in &row.down {
        if id.parse::<IpAddr>().is_ok() {
            let ids = checks_of(&zone, id);
            if ids.is_empty() {
                return Went::LeftOut(format!("no health check hangs on the address {id}"));
            }
            for id in ids {
                board.set_health_check(id, false);
            }
            continue;
        }
        match id.strip_prefix("target:").or_else(|| id.contains('.').then_some(id)) {
            Some(target) => {
                board.set_resource(Name::from_ascii(target).unwrap(), false);
            }
            None => {
                board.set_health_check(HealthCheckId(id.clone()), false);
            }
        }
    }
    let rtype = type_of_text(t).unwrap();
    let question = Question { name: name.clone(), rtype, viewpoint: viewpoint(&row.client) };
    let decision = decide(&zone, &question, &board, Switches::default());
    if holds(mode, row, &decision.outcome) && ttl_holds(row, &decision.outcome) {
        Went::Right
    } else {
        Went::Wrong(format!(
            "{name} {t} down {:?}: expected {mode} {:?} {:?} {:?}, found {:?}",
            row.down, row.answer, row.weights, row.ttl, decision.outcome
        ))
    }
}

/// The health checks of the record sets that hold this address alone.
fn checks_of(zone: &Zone, address: &str) -> BTreeSet<HealthCheckId> {
    let holds = |record: &&RecordSet| matches!(&record.data, RecordData::Values { values, .. } if *values == [address]);
    zone.record_sets().filter(holds).filter_map(|record| record.health_check.clone()).collect()
}

fn ttl_holds(row: &Row, outcome: &Outcome) -> bool {
    let Some(ttl) = row.ttl else { return true };
    matches!(outcome, Outcome::Answers(answers) if answers.iter().all(|one| one.answer.ttl == ttl))
}

fn viewpoint(client: &Client) -> Viewpoint {
    Viewpoint {
        source: client
            .ecs
            .as_ref()
            .or(client.ip.as_ref())
            .map(|net| net.parse().unwrap_or_else(|_| net.parse::<IpAddr>().unwrap().into())),
        continent: client.continent.clone(),
        country: client.country.clone(),
        subdivision: client.subdivision.clone(),
        coordinates: None,
        latency: client.latency.iter().cloned().zip((1..).map(|n| Duration::from_millis(10 * n))).collect(),
    }
}

fn holds(mode: &str, row: &Row, outcome: &Outcome) -> bool {
    match (mode, outcome) {
        ("nodata", Outcome::NoData) | ("nxdomain", Outcome::NxDomain) | ("referral", Outcome::Referral { .. }) => true,
        ("exact", Outcome::Answers(answers)) => {
            matches!(answers.as_slice(), [one] if parts(one) == expected(row) && limit(one).is_none())
        }
        ("up_to_8_of", Outcome::Answers(answers)) => {
            matches!(answers.as_slice(), [one] if parts(one) == expected(row) && limit(one) == Some(8))
        }
        ("one_of", Outcome::Answers(answers)) => {
            let Some(weights) = &row.weights else {
                let found: BTreeSet<String> = answers.iter().map(joined).collect();
                return found == expected(row);
            };
            let sum: f64 = weights.values().sum();
            let mut found: BTreeMap<String, f64> = BTreeMap::new();
            for one in answers {
                *found.entry(joined(one)).or_default() += one.probability;
            }
            let wanted: BTreeMap<String, f64> = weights
                .iter()
                .map(|(answer, weight)| {
                    let together: BTreeSet<String> = answer.split('|').map(plain).collect();
                    (together.into_iter().collect::<Vec<_>>().join("|"), weight / sum)
                })
                .collect();
            found.len() == wanted.len()
                && wanted.iter().all(|(answer, share)| found.get(answer).is_some_and(|one| (one - share).abs() < 1e-3))
        }
        _ => false,
    }
}

/// A name's last dot is no matter here: the cases write some without.
fn plain(value: &str) -> String {
    value.trim_end_matches('.').to_owned()
}

fn expected(row: &Row) -> BTreeSet<String> {
    row.answer.iter().map(|value| plain(value)).collect()
}

fn parts(one: &Admissible) -> BTreeSet<String> {
    match &one.answer.content {
        Content::Values { values, .. } => values.iter().map(|value| plain(value)).collect(),
        Content::Resource(name) => {
            BTreeSet::from([unknown_of_name(name).unwrap_or_else(|| plain(&format!("target:{name}")))])
        }
    }
}

fn joined(one: &Admissible) -> String {
    parts(one).into_iter().collect::<Vec<_>>().join("|")
}

fn limit(one: &Admissible) -> Option<usize> {
    match &one.answer.content {
        Content::Values { at_most, .. } => *at_most,
        Content::Resource(_) => None,
    }
}
