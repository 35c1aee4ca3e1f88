//! What breaks.

use std::collections::{BTreeMap, BTreeSet};

use super::super::error::{Noun, Problem};
use super::super::loaded::{Cell, CellMake};
use super::super::schema::{DrillFile, FaultFile};
use super::reader::Reader;
use crate::plan::Fault;

pub(super) fn read(reader: &mut Reader<'_>, file: &DrillFile, cells: &BTreeMap<String, Cell>) -> Vec<Fault> {
    if !reader.exactly_one("", &["fault", "faults"], &[file.fault.is_some(), file.faults.is_some()]) {
        return Vec::new();
    }
    let mut faults = Vec::new();
    let one = file.fault.iter().map(|written| ("fault".to_owned(), written));
    let several = file.faults.iter().flatten().enumerate();
    for (path, written) in one.chain(several.map(|(index, written)| (format!("faults.{index}"), written))) {
        faults.extend(fault(reader, &path, written, cells));
    }
    if file.faults.as_ref().is_some_and(Vec::is_empty) {
        reader.complain_of_key("faults", Problem::Empty { what: "faults" });
    }
    let mut broken = BTreeSet::new();
    for (index, fault) in faults.iter().enumerate() {
        if !broken.insert(fault.of().to_owned()) {
            reader.complain(&format!("faults.{index}"), Problem::BrokenTwice { cell: fault.of().to_owned() });
        }
    }
    faults
}

fn fault(reader: &mut Reader<'_>, path: &str, written: &FaultFile, cells: &BTreeMap<String, Cell>) -> Option<Fault> {
    let keys = &["kill-database", "kill-region", "kill-static-site"];
    let found = [&written.kill_database, &written.kill_region, &written.kill_static_site];
    if !reader.exactly_one(path, keys, &found.map(Option::is_some)) {
        return None;
    }
    let make = [Fault::KillDatabase, Fault::KillRegion, Fault::KillStaticSite];
    let (key, (name, make)) = keys.iter().zip(found.into_iter().zip(make)).find(|(_, (name, _))| name.is_some())?;
    let name = name.as_ref()?;
    let path = format!("{path}.{key}");
    if !reader.known(&path, Noun::Cell, name, cells.keys().map(String::as_str)) {
        return None;
    }
    let fault = make(name.clone());
    let (kind, breaks) = match (&cells.get(name)?.make, &fault) {
        (CellMake::Region(_), Fault::KillStaticSite(_)) => ("region", "static site"),
        (CellMake::StaticSite, Fault::KillDatabase(_) | Fault::KillRegion(_)) => ("static site", "region"),
        _ => return Some(fault),
    };
    reader.complain(&path, Problem::WrongKindOfCell { fault: key, cell: name.clone(), kind, breaks });
    None
}
