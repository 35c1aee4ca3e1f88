//! Does the drill cover the zone? Whatever the asked names can answer must be a cell of the drill.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use hickory_proto::rr::{Name, RecordType};

use crate::zone::{Group, HealthCheckId, RecordData, RecordSet, Zone};

use super::super::addresses::is_reserved;
use super::super::error::{DrillError, Noun, Problem};
use super::super::loaded::{Cell, CellMake};
use super::super::schema::DrillFile;
use super::reader::Reader;
use crate::plan::{Family, HealthCheckKind, HealthCheckPlan};

/// A name that something asks for, and where the drill says so.
pub(super) struct Asked {
    pub(super) name: Name,
    pub(super) family: Family,
    pub(super) path: String,
}

pub(super) fn check(
    reader: &mut Reader<'_>,
    zone: &Zone,
    file: &DrillFile,
    asked: &[Asked],
    cells: &BTreeMap<String, Cell>,
    health_checks: &BTreeMap<HealthCheckId, HealthCheckPlan>,
) {
    let reachable = reachable(reader, zone, asked);
    let covered = Covered::by(cells);
    for record in &reachable {
        covered.check(reader, zone, record);
        if let Some(id) = record.health_check.as_ref().filter(|id| !file.health_checks.contains_key(&id.0)) {
            let problem = Problem::MissingHealthCheck { record: title(record), id: id.to_string() };
            reader.errors.push(DrillError::Drill { at: record.at.clone(), problem });
        }
    }
    let ids = zone.health_check_ids();
    let children: BTreeSet<&HealthCheckId> = health_checks
        .values()
        .filter_map(|planned| match &planned.kind {
            HealthCheckKind::Calculated(calculated) => Some(&calculated.children),
            _ => None,
        })
        .flatten()
        .collect();
    for id in health_checks.keys().filter(|id| !ids.contains(id) && !children.contains(id)) {
        let known = ids.iter().map(ToString::to_string).collect();
        let problem = Problem::Unknown { noun: Noun::HealthCheckId, name: id.to_string(), known };
        reader.complain_of_key(&format!("health-checks.{id}"), problem);
    }
    let answered: BTreeSet<IpAddr> = reachable
        .iter()
        .filter_map(|record| match &record.data {
            RecordData::Values { values, .. } => Some(values),
            RecordData::Alias(_) => None,
        })
        .flatten()
        .filter_map(|value| value.parse().ok())
        .collect();
    for (cell, Cell { addresses, .. }) in cells.iter().filter(|(_, cell)| cell.alias_target.is_none()) {
        for address in addresses.iter().filter(|address| !answered.contains(address)) {
            let known = answered.iter().map(ToString::to_string).collect();
            let problem = Problem::Unknown { noun: Noun::Address, name: address.to_string(), known };
            reader.complain(&format!("cells.{cell}.address"), problem);
        }
    }
    let targets: BTreeSet<String> =
        zone.record_sets().filter_map(|record| resource(zone, record)).map(undotted).collect();
    for (cell, Cell { alias_target, make, .. }) in cells {
        let Some(target) = alias_target else { continue };
        if matches!(make, CellMake::Llm(_) | CellMake::TelemetryGateway) && zone.evaluates(target) {
            let why = format!("an alias evaluates the health of cell `{cell}`, which has no target group to have one");
            let instead = "set `EvaluateTargetHealth` to false, and give the record set a health check";
            reader.complain(&format!("cells.{cell}.alias"), Problem::Impossible { why, instead });
        }
        if !targets.contains(&undotted(target)) {
            let name = file.cells.get(cell).and_then(|cell| cell.alias.clone()).unwrap_or_default();
            let known = targets.iter().cloned().collect();
            let problem = Problem::Unknown { noun: Noun::AliasTarget, name, known };
            reader.complain(&format!("cells.{cell}.alias"), problem);
        }
    }
}

/// Every record set that some evidence can make the answer to an asked name.
fn reachable<'z>(reader: &mut Reader<'_>, zone: &'z Zone, asked: &[Asked]) -> Vec<&'z RecordSet> {
    let mut seen = BTreeSet::new();
    let mut records = Vec::new();
    for Asked { name, family, path } in asked {
        let rtype = RecordType::from(*family);
        if group(zone, name, rtype).is_none() {
            let names: BTreeSet<String> = zone
                .groups
                .keys()
                .filter(|(_, known)| [rtype, RecordType::CNAME].contains(known))
                .map(|(known, _)| undotted(known))
                .collect();
            let noun = Noun::RecordName;
            let name = format!("{} {rtype}", undotted(name));
            reader.complain(path, Problem::Unknown { noun, name, known: names.into_iter().collect() });
        }
        let mut open = vec![name.clone()];
        while let Some(name) = open.pop() {
            let Some(group) = group(zone, &name, rtype) else { continue };
            if !seen.insert((group.name.clone(), group.rtype, rtype)) {
                continue;
            }
            for record in &group.records {
                records.push(record);
                open.extend(next(zone, record));
            }
        }
    }
    records
}

/// The group that answers a name: its own, that of its CNAME, or a wildcard's where the name itself is not there.
fn group<'z>(zone: &'z Zone, name: &Name, rtype: RecordType) -> Option<&'z Group> {
    let at = |owner: &Name| zone.group(owner, rtype).or_else(|| zone.group(owner, RecordType::CNAME));
    if zone.groups.keys().any(|(owner, _)| owner == name) {
        return at(name);
    }
    let mut above = name.clone();
    while above != zone.apex && zone.apex.zone_of(&above) {
        above = above.base_name();
        if let Some(group) = above.prepend_label("*").ok().as_ref().and_then(at) {
            return Some(group);
        }
    }
    None
}

/// The names of this zone that a record set leads to.
fn next(zone: &Zone, record: &RecordSet) -> Vec<Name> {
    match &record.data {
        RecordData::Alias(alias) if zone.apex.zone_of(&alias.target) => vec![alias.target.clone()],
        RecordData::Values { values, .. } if record.rtype == RecordType::CNAME => {
            values.iter().filter_map(|value| Name::from_ascii(value).ok()).map(|name| name.to_lowercase()).collect()
        }
        _ => Vec::new(),
    }
}

/// The AWS resource that a record set points at.
fn resource<'z>(zone: &Zone, record: &'z RecordSet) -> Option<&'z Name> {
    match &record.data {
        RecordData::Alias(alias) if !zone.apex.zone_of(&alias.target) => Some(&alias.target),
        _ => None,
    }
}

struct Covered<'a> {
    targets: BTreeSet<&'a Name>,
    addresses: BTreeSet<IpAddr>,
}

impl<'a> Covered<'a> {
    fn by(cells: &'a BTreeMap<String, Cell>) -> Self {
        Self {
            targets: cells.values().filter_map(|cell| cell.alias_target.as_ref()).collect(),
            addresses: cells.values().flat_map(|cell| cell.addresses.iter().copied()).collect(),
        }
    }

    fn check(&self, reader: &mut Reader<'_>, zone: &Zone, record: &RecordSet) {
        let mut complain = |problem| reader.errors.push(DrillError::Drill { at: record.at.clone(), problem });
        if let Some(target) = resource(zone, record).filter(|target| !self.targets.contains(target)) {
            complain(Problem::NoCellForTarget { record: title(record), target: undotted(target) });
        }
        let RecordData::Values { values, .. } = &record.data else { return };
        for value in values {
            if record.rtype == RecordType::CNAME {
                let inside = Name::from_ascii(value).is_ok_and(|name| zone.apex.zone_of(&name.to_lowercase()));
                if !inside {
                    complain(Problem::LeavesZone { record: title(record), target: value.clone() });
                }
            } else if let Ok(address) = value.parse::<IpAddr>() {
                if is_reserved(address) {
                    complain(Problem::ReservedAddress { address: value.clone() });
                } else if !self.addresses.contains(&address) {
                    complain(Problem::NoCellForAddress { record: title(record), address: value.clone() });
                }
            }
        }
    }
}

/// `api.example.com A primary-us-east`.
fn title(record: &RecordSet) -> String {
    let name = undotted(&record.name);
    let identifier = record.set_identifier.as_ref().map_or_else(String::new, |identifier| format!(" {identifier}"));
    format!("{name} {}{identifier}", record.rtype)
}

/// As people write it: without the dot at its end.
fn undotted(name: &Name) -> String {
    name.to_string().trim_end_matches('.').to_owned()
}
