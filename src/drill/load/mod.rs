//! Loading: a drill file and its zone in, a [`LoadedDrill`] or all its mistakes out.
//!
//! It reads two files and nothing else, and knows nothing of labs.

mod alarms;
mod cells;
mod clients;
mod coverage;
mod endpoint_checks;
mod expectations;
mod expected;
mod faults;
mod health_checks;
mod llm;
mod load_balancers;
mod own_names;
mod probes;
mod reader;
pub(crate) mod shape;
mod software;
mod switches;
mod wording;
mod zones;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hickory_proto::rr::Name;
use sha2::{Digest, Sha256};

use crate::formats;
use crate::source::{Position, SourceMap, TextError};
use crate::zone::validate::check_cidr_collections;
use crate::zone::{HealthCheckId, Zone, name_of_text};

use super::error::{DrillError, DrillErrors, Noun, Problem, in_file_order};
use super::loaded::{Cadence, Client, LoadedDrill};
use super::schema::DrillFile;
use crate::plan::expectation::{Claim, Expectation};
use crate::plan::{Estimate, Family, HealthCheckPlan, Source};
use coverage::Asked;
use faults::Targets;
use health_checks::Sources;
use reader::Reader;

/// Loads the drill at `path`, and the zone that it names.
///
/// # Errors
/// All mistakes of both files. When a file cannot be read at all, or its shape does not fit, only that.
pub fn load(path: &Path) -> Result<LoadedDrill, DrillErrors> {
    let mut texts = BTreeMap::new();
    match load_into(path, &mut texts) {
        Ok(drill) => Ok(drill),
        Err(errors) => Err(in_file_order(errors, texts)),
    }
}

/// The health checks of a drill that is given as text: the rest of it is looked at as far as they name it. The `zone`
/// is the one whose records they protect, if it is known.
///
/// # Errors
/// All mistakes of that. When the shape does not fit, only this.
pub fn health_checks(
    path: &Path,
    text: &str,
    zone: Option<&Zone>,
) -> Result<BTreeMap<HealthCheckId, HealthCheckPlan>, DrillErrors> {
    let texts = || [(path.to_path_buf(), Arc::from(text))].into();
    let map = SourceMap::of_yaml(path, text).map_err(|error| DrillErrors::new(vec![error.into()], texts()))?;
    let file: DrillFile = shape::parse(&map, text, "the drill")
        .map_err(|(at, problem)| DrillErrors::new(vec![DrillError::Drill { at, problem }], texts()))?;
    let mut reader = Reader::new(&map);
    let cells = cells::read(&mut reader, &file);
    let resolvers = clients::resolvers(&mut reader, &file);
    let probes = probes::read(&mut reader, &file, &cells, &resolvers);
    let routing_controls = switches::read(&mut reader, &file);
    let sources = Sources { cells: &cells, probes: &probes, routing_controls: &routing_controls };
    let checks = health_checks::read(&mut reader, &file.health_checks, sources);
    if let Some(zone) = zone {
        own_names::check(&mut reader, zone, &Name::root(), &checks);
    }
    if reader.errors.is_empty() { Ok(checks) } else { Err(DrillErrors::new(reader.errors, texts())) }
}

fn load_into(path: &Path, texts: &mut BTreeMap<PathBuf, Arc<str>>) -> Result<LoadedDrill, Vec<DrillError>> {
    let start = Position { file: Arc::new(path.to_path_buf()), line: 0, column: 0 };
    let text = read(path, &start, texts).map_err(|error| vec![error])?;
    let map = SourceMap::of_yaml(path, &text).map_err(|error| vec![error.into()])?;
    let file: DrillFile =
        shape::parse(&map, &text, "the drill").map_err(|(at, problem)| vec![DrillError::Drill { at, problem }])?;

    let zone_path = path.parent().unwrap_or(Path::new("")).join(&file.zone);
    let mut zone_errors = Vec::new();
    let mut zone_source = None;
    let zone = match read(&zone_path, &map.value("zone"), texts) {
        Ok(text) => {
            zone_source = Some(source(&zone_path, &text));
            // Of several zones, the one that the name is in.
            let front = name_of_text(&file.name).ok();
            formats::read_zone(&zone_path, &text, front.as_ref())
                .and_then(|zone| check_cidr_collections(&zone).map(|()| zone))
                .map_err(|errors| zone_errors = errors.0.into_iter().map(DrillError::Zone).collect())
                .ok()
        }
        Err(error) => {
            zone_errors.push(error);
            None
        }
    };

    let mut reader = Reader::new(&map);
    let drill = resolve(&mut reader, &file, zone, [Some(source(path, &text)), zone_source]);
    let mut errors = reader.errors;
    errors.append(&mut zone_errors);
    match drill {
        Some(drill) if errors.is_empty() => Ok(drill),
        _ => Err(errors),
    }
}

fn read(path: &Path, named_at: &Position, texts: &mut BTreeMap<PathBuf, Arc<str>>) -> Result<Arc<str>, DrillError> {
    let text: Arc<str> = crate::source::read_text(path)
        .map_err(|error| {
            let (at, problem) = unreadable(named_at.clone(), path, &error);
            DrillError::Drill { at, problem }
        })?
        .into();
    texts.insert(path.to_path_buf(), Arc::clone(&text));
    Ok(text)
}

/// A file that is no text is told where that shows; one of which nothing can be read, where it is named.
pub(crate) fn unreadable(named_at: Position, path: &Path, error: &TextError) -> (Position, Problem) {
    match error.place {
        Some((line, column)) => {
            let at = Position { file: Arc::new(path.to_path_buf()), line, column };
            (at, Problem::NoText(error.problem.clone()))
        }
        None => (named_at, Problem::Unreadable(format!("{}: {error}", path.display()))),
    }
}

/// What was read, so that a report can say from what it was made.
pub(crate) fn source(path: &Path, text: &str) -> Source {
    let mut sha256 = String::new();
    for byte in Sha256::digest(text.as_bytes()) {
        let _ = write!(sha256, "{byte:02x}");
    }
    Source { file: path.display().to_string(), sha256 }
}

/// Looks up what the file says. `None` only together with a mistake.
fn resolve(
    reader: &mut Reader<'_>,
    file: &DrillFile,
    zone: Option<Zone>,
    sources: [Option<Source>; 2],
) -> Option<LoadedDrill> {
    let title = file.title.trim().to_owned();
    names(reader, file, &title);
    let front = cells::domain_name(reader, "name", "a record name", &file.name);
    let cells = cells::read(reader, file);
    let resolvers = clients::resolvers(reader, file);
    let probes = probes::read(reader, file, &cells, &resolvers);
    let routing_controls = switches::read(reader, file);
    let sources_of_health = Sources { cells: &cells, probes: &probes, routing_controls: &routing_controls };
    let health_checks = health_checks::read(reader, &file.health_checks, sources_of_health);
    let clients = clients::clients(reader, file, &cells, &resolvers);
    let targets = Targets {
        cells: &cells,
        health_checks: &file.health_checks,
        probes: &probes,
        routing_controls: &routing_controls,
    };
    let faults = faults::read(reader, file, targets);
    load_balancers::limits(reader, file, targets.cells);
    let estimate = estimate(reader, file, &clients);
    let cadence = cadence(reader, file);
    let hold = file.hold.as_ref().and_then(|written| reader.duration("hold", "hold", written));
    let recover = file.recover.as_ref().and_then(|written| reader.duration("recover", "recover", written));
    let nameless = Name::root();
    let names = expectations::Names {
        front: front.as_ref().unwrap_or(&nameless),
        cells: &cells,
        health_checks: &file.health_checks,
        probes: &probes,
        resolvers: &resolvers,
        clients: &clients,
    };
    let expectations = expectations::read(reader, file, names);
    clients::room(reader, &resolvers, &clients, &probes, &expectations);
    expectations::fit_into_run(reader, &expectations, hold, recover);
    let (front, zone) = (front?, zone?);
    let of_front = clients.values().map(|client| (front.clone(), client.family, "name".to_owned()));
    let of_probes = probes.iter().map(|(name, probe)| (probe.asks.clone(), Family::A, format!("probes.{name}.asks")));
    let of_checks = health_checks.iter().filter_map(|(id, check)| {
        let name = Name::from_ascii(check.endpoint()?.name.as_ref()?).ok()?.to_lowercase();
        Some((name, Family::A, format!("health-checks.{id}.name")))
    });
    let all = of_front.chain(of_probes).chain(of_checks);
    let mut asked: Vec<Asked> = all.map(|(name, family, path)| Asked { name, family, path }).collect();
    asked.extend(expectations.iter().enumerate().filter_map(|(index, expectation)| asked_by(index, expectation)));
    asked.sort_by(|a, b| (&a.name, a.family).cmp(&(&b.name, b.family)));
    asked.dedup_by(|a, b| (&a.name, a.family) == (&b.name, b.family));
    coverage::check(reader, &zone, file, &asked, &cells, &health_checks);
    own_names::check(reader, &zone, &front, &health_checks);
    Some(LoadedDrill {
        name: file.drill.clone(),
        title,
        hazard: file.hazard.as_ref().map(|text| text.trim().to_owned()),
        estimate,
        sources: sources.into_iter().flatten().collect(),
        zone,
        front,
        cells,
        health_checks,
        probes,
        routing_controls,
        resolvers,
        clients,
        faults,
        hold,
        recover,
        cadence,
        expectations,
    })
}

/// What an expectation has the authoritative server asked.
fn asked_by(index: usize, expectation: &Expectation) -> Option<Asked> {
    let Claim::Answer { name, family, .. } = &expectation.claim else { return None };
    let name = Name::from_ascii(name).ok()?.to_lowercase();
    Some(Asked { name, family: *family, path: format!("expect.{index}.answer.name") })
}

/// What is wrong with a name: names go into paths, addresses and sentences, so they are kept plain.
pub(crate) fn not_plain(what: &'static str, text: &str) -> Option<Problem> {
    let fits = !text.is_empty()
        && text.len() <= 60
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    let problem = || "expected 1 to 60 lower-case letters, digits and `-`".to_owned();
    (!fits).then(|| Problem::NotAName { what, text: text.to_owned(), problem: problem() })
}

/// What is wrong with a title, white space around it taken off.
pub(crate) fn no_title(title: &str) -> Option<Problem> {
    no_line("title", "a title", title)
}

/// What is wrong with one line for people, white space around it taken off: it must have something in it.
fn no_line(key: &'static str, what: &'static str, text: &str) -> Option<Problem> {
    if text.chars().any(char::is_control) {
        let problem = "it goes to terminals as it is, and holds a control character".to_owned();
        return Some(Problem::NotAName { what, text: text.escape_debug().to_string(), problem });
    }
    text.is_empty().then_some(Problem::Empty { what: key })
}

fn names(reader: &mut Reader<'_>, file: &DrillFile, title: &str) {
    let mut plain = |path: String, what: &'static str, text: &str| {
        if let Some(problem) = not_plain(what, text) {
            reader.complain_of_key(&path, problem);
        }
    };
    plain("drill".to_owned(), "the drill's name", &file.drill);
    file.cells.keys().for_each(|name| plain(format!("cells.{name}"), "a cell's name", name));
    file.resolvers.keys().for_each(|name| plain(format!("resolvers.{name}"), "a resolver's name", name));
    file.clients.keys().for_each(|name| plain(format!("clients.{name}"), "a client's name", name));
    file.probes.keys().for_each(|name| plain(format!("probes.{name}"), "a probe's name", name));
    for name in file.routing_controls.controls.keys() {
        plain(format!("routing-controls.controls.{name}"), "a routing control's name", name);
    }
    for word in ["nodata", "nxdomain", "nobody"].into_iter().filter(|word| file.cells.contains_key(*word)) {
        let problem = "expectations use this word for something else".to_owned();
        let problem = Problem::NotAName { what: "a cell's name", text: word.to_owned(), problem };
        reader.complain_of_key(&format!("cells.{word}"), problem);
    }
    line(reader, "title", "title", "a title", title);
    if let Some(hazard) = &file.hazard {
        line(reader, "hazard", "hazard", "a hazard", hazard.trim());
    }
}

/// One line for people, with something in it.
fn line(reader: &mut Reader<'_>, path: &str, key: &'static str, what: &'static str, text: &str) {
    if let Some(problem) = no_line(key, what, text) {
        reader.complain(path, problem);
    }
}

fn estimate(reader: &mut Reader<'_>, file: &DrillFile, clients: &BTreeMap<String, Client>) -> Option<Estimate> {
    let written = file.estimate.as_ref()?;
    let by = written.by.trim().to_owned();
    line(reader, "estimate.by", "by", "the author of an estimate", &by);
    reader.known("estimate.client", Noun::Client, &written.client, clients.keys().map(String::as_str));
    let detection = reader.duration("estimate.detection", "detection", &written.detection);
    let total = reader.duration("estimate.total", "total", &written.total);
    let (detection, total) = detection.zip(total)?;
    reader.at_least("estimate", "total", total, detection);
    Some(Estimate { by, client: written.client.clone(), total, detection })
}

fn cadence(reader: &mut Reader<'_>, file: &DrillFile) -> Cadence {
    use std::time::Duration;
    let mut every = |key, written: &Option<_>| {
        let found = reader.duration_or("observe", key, written.as_ref(), Duration::from_secs(1));
        // Slower observers would not see what they are to measure; in a drill of hours stages have minutes.
        reader.within("observe", key, found, Duration::from_millis(100), Duration::from_secs(30));
        found
    };
    Cadence {
        authoritative: every("authoritative-every", &file.observe.authoritative_every),
        resolver: every("resolver-every", &file.observe.resolver_every),
        fault: every("fault-every", &file.observe.fault_every),
    }
}
