//! Cases that others wrote: a zone, and beside it what a correct tool answers.
//!
//! The folder is named by `MUSTER_CASES`, else `../shared/cases` beside this package. Each `*-r53-*.expect.md` there
//! holds one block of JSON with rows: a question, who asks, what is down, and the answer. Rows that this test cannot
//! put into a question are counted and printed, never passed over in silence.

#![expect(clippy::unwrap_used, reason = "a test may stop at what it cannot read")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hickory_proto::rr::Name;
use muster::decide::{Admissible, Content, Outcome, Question, Switches, Viewpoint, decide};
use muster::health::EvidenceBoard;
use muster::zone::{HealthCheckId, Policy, Zone, route53_json, type_of_text};
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
}

#[test]
fn the_cases_of_others_are_answered_as_they_expect() {
    let Some(folder) = folder() else { return };
    let (mut right, mut wrong, mut left_out) = (0, String::new(), String::new());
    for expect in expectations(&folder) {
        let zone = zone_beside(&expect);
        for (number, row) in rows(&expect).into_iter().enumerate() {
            let place = format!("{}, row {}", expect.display(), number + 1);
            match went(row, zone.as_ref()) {
                Went::Right => right += 1,
                Went::Wrong(how) => writeln!(wrong, "{place}: {how}").unwrap(),
                Went::LeftOut(why) => writeln!(left_out, "{place}: {why}").unwrap(),
            }
        }
    }
    println!("{right} rows are right; left out:\n{left_out}");
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(right > 0, "no row of {} could be held", folder.display());
}

fn folder() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("MUSTER_CASES") {
        let folder = PathBuf::from(named);
        assert!(folder.is_dir(), "MUSTER_CASES names {}, which is no folder", folder.display());
        return Some(folder);
    }
    let usual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases");
    if usual.is_dir() {
        return Some(usual);
    }
    println!("left out: there is no {} and MUSTER_CASES names no other folder", usual.display());
    None
}

fn expectations(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy();
            name.contains("-r53-") && name.ends_with(".expect.md")
        })
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

fn zone_beside(expect: &Path) -> Result<Zone, String> {
    let stem = expect.to_string_lossy().trim_end_matches(".expect.md").to_owned();
    let file = PathBuf::from(format!("{stem}.json"));
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut zone = route53_json::read(&file, &text, None).map_err(|errors| errors.to_string())?;
    let blocks = PathBuf::from(format!("{stem}.blocks.json"));
    if let Ok(text) = std::fs::read_to_string(&blocks) {
        let collection = route53_json::read_cidr_blocks(&blocks, &text).map_err(|errors| errors.to_string())?;
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

fn went(row: Result<Row, String>, zone: Result<&Zone, &String>) -> Went {
    let row = match row {
        Ok(row) => row,
        Err(error) => return Went::LeftOut(error),
    };
    let (Some(q), Some(t), Some(mode)) = (&row.q, &row.t, &row.mode) else {
        return Went::LeftOut("no question".to_owned());
    };
    if !["exact", "one_of", "up_to_8_of", "nodata", "nxdomain", "referral"].contains(&mode.as_str()) {
        return Went::LeftOut(format!("mode {mode}"));
    }
    if row.client.region.is_some() {
        return Went::LeftOut("a private zone's query".to_owned());
    }
    let mut board = EvidenceBoard::default();
    for id in &row.down {
        if id.parse::<IpAddr>().is_ok() {
            return Went::LeftOut(format!("{id} is an address, not a health check"));
        }
        match id.strip_prefix("target:").or_else(|| id.contains('.').then_some(id)) {
            Some(target) => {
                board.set_resource(Name::from_ascii(target).unwrap(), false);
            }
            None => {
                board.set_health_check(HealthCheckId(id.clone()), false);
            }
        };
    }
    let zone = match zone {
        Ok(zone) => zone,
        Err(errors) => return Went::Wrong(errors.clone()),
    };
    let question = Question {
        name: Name::from_ascii(q).unwrap(),
        rtype: type_of_text(t).unwrap(),
        viewpoint: viewpoint(&row.client),
    };
    let decision = decide(zone, &question, &board, Switches::default());
    if holds(mode, &row, &decision.outcome) {
        Went::Right
    } else {
        Went::Wrong(format!(
            "{q} {t} down {:?}: expected {mode} {:?} {:?}, found {:?}",
            row.down, row.answer, row.weights, decision.outcome
        ))
    }
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
        Content::Resource(name) => BTreeSet::from([plain(&format!("target:{name}"))]),
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
