//! What breaks.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde::de::value::{Error as Unreadable, MapAccessDeserializer, MapDeserializer};

use crate::fault::Anatomy;
use crate::health::RoutingControls;

use super::super::error::{Noun, Problem};
use super::super::loaded::{Cell, CellMake, Probe};
use super::super::schema::{DrillFile, FaultFile, HealthCheckFile, OfFile, TargetsFile};
use super::reader::Reader;
use crate::plan::{Fault, RoutingControlsPlan};

/// What faults may be done to.
#[derive(Clone, Copy)]
pub(super) struct Targets<'a> {
    pub(super) cells: &'a BTreeMap<String, Cell>,
    pub(super) health_checks: &'a BTreeMap<String, HealthCheckFile>,
    pub(super) probes: &'a BTreeMap<String, Probe>,
    pub(super) routing_controls: &'a RoutingControlsPlan,
}

pub(super) fn read(reader: &mut Reader<'_>, file: &DrillFile, targets: Targets<'_>) -> Vec<Fault> {
    if !reader.exactly_one("", &["fault", "faults"], &[file.fault.is_some(), file.faults.is_some()]) {
        return Vec::new();
    }
    if file.faults.as_ref().is_some_and(Vec::is_empty) {
        reader.complain_of_key("faults", Problem::Empty { what: "faults" });
    }
    let one = file.fault.iter().map(|written| ("fault".to_owned(), written));
    let several = file.faults.iter().flatten().enumerate();
    let written = one.chain(several.map(|(index, written)| (format!("faults.{index}"), written)));
    let faults: Vec<(String, Fault)> = written
        .filter_map(|(path, written)| fault(reader, &path, written, targets).map(|fault| (path, fault)))
        .collect();
    broken_once(reader, &faults);
    keep_the_safety_rule(reader, &faults, targets.routing_controls);
    faults.into_iter().map(|(_, fault)| fault).collect()
}

fn fault(reader: &mut Reader<'_>, path: &str, written: &FaultFile, targets: Targets<'_>) -> Option<Fault> {
    let (Some((word, of)), 1) = (written.0.first_key_value(), written.0.len()) else {
        let (why, instead) = if written.0.is_empty() {
            ("no fault stands here", "write one that `muster faults` lists, and what it is done to")
        } else {
            ("more than one fault stands here", "write each as an entry of a list below `faults`")
        };
        reader.complain(path, Problem::Impossible { why: why.to_owned(), instead });
        return None;
    };
    let path = if *of == OfFile::Nothing { path.to_owned() } else { format!("{path}.{word}") };
    let fault = match of {
        OfFile::Named(of) => named(word, of)?,
        OfFile::Targets(written) => targets_of(reader, &path, written, targets.cells)?,
        OfFile::Nothing => Fault::SilenceAuthoritative,
    };
    let can_be = match &fault {
        Fault::DrainCheck(id) => drain_check(reader, &path, id, targets.health_checks),
        Fault::TurnOff(control) => turn_off(reader, &path, control, targets.routing_controls),
        Fault::SilenceAuthoritative => nobody_else_asks(reader, &path, targets),
        Fault::KillTargets { .. } => fits(reader, &format!("{path}.cell"), &fault, targets.cells),
        of_a_cell => fits(reader, &path, of_a_cell, targets.cells),
    };
    can_be.then_some(fault)
}

/// The targets that are to be killed: the first ones, or those of a zone.
fn targets_of(
    reader: &mut Reader<'_>,
    path: &str,
    written: &TargetsFile,
    cells: &BTreeMap<String, Cell>,
) -> Option<Fault> {
    let one = reader.exactly_one(path, &["targets", "zone"], &[written.targets.is_some(), written.zone.is_some()]);
    let cell = written.cell.clone();
    let Some(CellMake::Region(region)) = cells.get(&cell).map(|cell| &cell.make) else {
        // Told where the cell is looked at.
        return Some(Fault::KillTargets { cell, targets: BTreeSet::new() });
    };
    let mut targets = BTreeSet::new();
    if let Some(count) = written.targets {
        if !(1..=region.targets).contains(&count) {
            let expected = format!("1 to {}, as many as `{cell}` has", region.targets);
            let problem = Problem::OutOfRange { key: "targets", found: count.to_string(), expected };
            reader.complain(&format!("{path}.targets"), problem);
        }
        targets.extend(0..count.min(region.targets));
    }
    if let Some(zone) = &written.zone {
        let known = region.zones.iter().map(String::as_str);
        reader.known(&format!("{path}.zone"), Noun::Zone, zone, known);
        let rank = region.zones.iter().position(|known| known == zone);
        targets.extend(rank.into_iter().flat_map(|rank| region.targets_in(rank)));
    }
    one.then_some(Fault::KillTargets { cell, targets })
}

/// The catalogue's words are those by which a journal knows its faults.
fn named(word: &str, of: &str) -> Option<Fault> {
    let entry = MapDeserializer::<_, Unreadable>::new(std::iter::once((word, of)));
    Fault::deserialize(MapAccessDeserializer::new(entry)).ok()
}

fn fits(reader: &mut Reader<'_>, path: &str, fault: &Fault, cells: &BTreeMap<String, Cell>) -> bool {
    if !reader.known(path, Noun::Cell, fault.of(), cells.keys().map(String::as_str)) {
        return false;
    }
    let Some(anatomy) = cells.get(fault.of()).map(|cell| cell.make.anatomy()) else { return false };
    let entry = fault.entry();
    let fits = (entry.fits)(anatomy);
    if !fits {
        let (cell, kind) = (fault.of().to_owned(), kind(anatomy));
        reader.complain(path, Problem::WrongKindOfCell { fault: entry.word, cell, kind, needs: entry.needs });
    }
    fits
}

/// What a cell is, in the words in which faults say what they need.
const fn kind(anatomy: Anatomy) -> &'static str {
    match anatomy {
        Anatomy::Region { queue: false, .. } => "a region without a queue",
        Anatomy::Region { queue: true, .. } => "a region with a queue",
        Anatomy::Llm { own_engine: false, prober: false } => "an LLM region without an engine of muster's and a prober",
        Anatomy::Llm { own_engine: false, prober: true } => "an LLM region without an engine of muster's",
        Anatomy::Llm { own_engine: true, prober: false } => "an LLM region without a prober",
        Anatomy::Llm { own_engine: true, prober: true } => "an LLM region",
        Anatomy::TelemetryGateway => "a telemetry gateway",
        Anatomy::StaticSite => "a static site",
    }
}

/// An operator inverts a check that is disabled, and so takes traffic away (R53-106).
fn drain_check(
    reader: &mut Reader<'_>,
    path: &str,
    id: &str,
    health_checks: &BTreeMap<String, HealthCheckFile>,
) -> bool {
    if !reader.known(path, Noun::HealthCheck, id, health_checks.keys().map(String::as_str)) {
        return false;
    }
    let Some(check) = health_checks.get(id) else { return false };
    let (why, instead) = match (check.disabled, check.inverted) {
        (true, false) => return true,
        (true, true) => ("is inverted already, so that it is unhealthy from the start", "remove `inverted` from it"),
        (false, _) => ("is not disabled, so that inverting it does not drain (R53-106)", "set `disabled: true` for it"),
    };
    reader.complain(path, Problem::Impossible { why: format!("the health check `{id}` {why}"), instead });
    false
}

fn turn_off(reader: &mut Reader<'_>, path: &str, control: &str, controls: &RoutingControlsPlan) -> bool {
    let known = controls.controls.keys().map(String::as_str);
    if !reader.known(path, Noun::RoutingControl, control, known) {
        return false;
    }
    let on = controls.controls.get(control).copied().unwrap_or_default();
    if !on {
        let why = format!("the routing control `{control}` is off from the start");
        reader.complain(path, Problem::Impossible { why, instead: "turn it on at the start, or name another one" });
    }
    on
}

/// Of those who ask the authoritative server only resolvers are predicted while it is silent.
fn nobody_else_asks(reader: &mut Reader<'_>, path: &str, targets: Targets<'_>) -> bool {
    let by_name = targets.health_checks.iter().find(|(_, check)| check.name.is_some());
    let (why, instead) = match (by_name, targets.probes.keys().next()) {
        (None, None) => return true,
        (Some((id, _)), _) => (
            format!(
                "the checkers of `{id}` ask the authoritative server for its name, and are not predicted without it"
            ),
            "check the cell by its address",
        ),
        (None, Some(probe)) => (
            format!(
                "the synthetic probe `{probe}` asks for a name, and is not predicted without the authoritative server"
            ),
            "leave the probe out",
        ),
    };
    reader.complain(path, Problem::Impossible { why, instead });
    false
}

fn broken_once(reader: &mut Reader<'_>, faults: &[(String, Fault)]) {
    let mut broken = BTreeSet::new();
    for (path, fault) in faults {
        let what = match fault {
            Fault::DrainCheck(id) => format!("health check `{id}`"),
            Fault::TurnOff(control) => format!("routing control `{control}`"),
            Fault::SilenceAuthoritative => "authoritative server".to_owned(),
            of_a_cell => format!("cell `{}`", of_a_cell.of()),
        };
        if !broken.insert(what.clone()) {
            reader.complain(path, Problem::BrokenTwice { what });
        }
    }
}

/// The faults are done one after the other, as an operator would; the rule looks at each.
fn keep_the_safety_rule(reader: &mut Reader<'_>, faults: &[(String, Fault)], written: &RoutingControlsPlan) {
    let mut controls = RoutingControls::new(written.controls.clone(), written.at_least_on);
    for (path, fault) in faults {
        let Fault::TurnOff(control) = fault else { continue };
        if let Err(refused) = controls.set(control, false) {
            let instead = "leave this one on, or lower `at-least-on` of `routing-controls`";
            reader.complain(&format!("{path}.turn-off"), Problem::Impossible { why: refused.to_string(), instead });
        }
    }
}
