//! Load balancers that are programs of others, and what these cannot do.

use std::collections::BTreeMap;

use super::super::error::{Noun, Problem};
use super::super::loaded::{Cell, CellMake};
use super::super::schema::{DrillFile, OfFile, RegionFile};
use super::reader::Reader;
use crate::plan::{Fault, LoadBalancerSoftware};

/// Which program a region's load balancer is.
pub(super) fn read(reader: &mut Reader<'_>, path: &str, written: &RegionFile) -> Option<LoadBalancerSoftware> {
    let words = LoadBalancerSoftware::ALL.map(|software| (software.name(), software));
    let word = written.load_balancer.as_deref()?;
    let software = reader.word(&format!("{path}.load-balancer"), Noun::LoadBalancerSoftware, word, &words)?;
    if !written.zones.is_empty() {
        let why = format!("{software} is one node for the whole region, and each of its `zones` has one");
        let instead = "remove `zones`, or remove `load-balancer`: muster's own has a node in each";
        reader.complain_of_key(&format!("{path}.zones"), Problem::Impossible { why, instead });
    }
    Some(software)
}

/// What is asked elsewhere in the file of load balancers that cannot do it.
pub(super) fn limits(reader: &mut Reader<'_>, file: &DrillFile, cells: &BTreeMap<String, Cell>) {
    let software = |cell: &str| match &cells.get(cell)?.make {
        CellMake::Region(region) => region.load_balancer_software,
        CellMake::Llm(_) | CellMake::TelemetryGateway | CellMake::StaticSite => None,
    };
    for (path, cell) in firewalls(file) {
        let Some(software) = software(cell) else { continue };
        let why = format!("no firewall stands before `{cell}`, whose load balancer is {software}");
        let instead = "remove `load-balancer` from it: before muster's own there is one";
        reader.complain(&path, Problem::Impossible { why, instead });
    }
    for (id, check) in &file.health_checks {
        let Some((cell, _)) = check.cell.as_deref().zip(check.https.as_ref()) else { continue };
        let Some(software) = software(cell) else { continue };
        let why = format!("`{cell}`, whose load balancer is {software}, serves no HTTPS");
        let instead = "check it by `http`, or remove `load-balancer` from it: muster's own serves HTTPS";
        reader.complain_of_key(&format!("health-checks.{id}.https"), Problem::Impossible { why, instead });
    }
}

/// The cells whose firewalls are to turn checkers away, and where that is written.
fn firewalls(file: &DrillFile) -> Vec<(String, &str)> {
    let one = file.fault.iter().map(|written| ("fault".to_owned(), written));
    let several = file.faults.iter().flatten().enumerate();
    let written = one.chain(several.map(|(index, written)| (format!("faults.{index}"), written)));
    let word = Fault::LockOutCheckers(String::new()).entry().word;
    let firewalls = written.filter_map(|(path, written)| match written.0.get(word)? {
        OfFile::Named(cell) => Some((format!("{path}.{word}"), cell.as_str())),
        OfFile::Targets(_) | OfFile::Nothing => None,
    });
    firewalls.collect()
}
