//! Owner names: in the zone, and beside each other.

use std::collections::BTreeMap;

use hickory_proto::rr::{Name, RecordType};

use super::super::{NameProblem, RecordSet, Zone, ZoneError, type_text};

pub(super) fn check(zone: &Zone, problems: &mut Vec<ZoneError>) {
    let mut types: BTreeMap<&Name, Vec<RecordType>> = BTreeMap::new();
    for (name, rtype) in zone.groups.keys() {
        types.entry(name).or_default().push(*rtype);
    }
    for group in zone.groups.values() {
        let Some(first) = group.records.first() else { continue };
        let mut refuse = |record: &RecordSet, problem| {
            problems.push(ZoneError::Name { at: record.at.clone(), problem });
        };
        let name = group.name.to_string();
        if !zone.apex.zone_of(&group.name) {
            for record in &group.records {
                refuse(record, NameProblem::OutsideZone { name: name.clone(), apex: zone.apex.to_string() });
            }
        }
        if group.rtype == RecordType::NS && group.name.is_wildcard() {
            refuse(first, NameProblem::WildcardNs { name: name.clone() });
        }
        if group.rtype != RecordType::CNAME {
            continue;
        }
        if group.name == zone.apex {
            refuse(first, NameProblem::CnameAtApex { apex: name.clone() });
        }
        let others: Vec<String> = types[&group.name]
            .iter()
            .filter(|rtype| **rtype != RecordType::CNAME)
            .map(|&rtype| type_text(rtype))
            .collect();
        if !others.is_empty() {
            refuse(first, NameProblem::CnameBesideOthers { name, others: others.join(", ") });
        }
    }
}
