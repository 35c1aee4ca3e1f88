//! A zone's apex, where nobody gave it.

use hickory_proto::rr::{Name, RecordType};

use crate::source::Position;

use super::{NameProblem, RecordSet, ZoneError};

/// The owner of the SOA record; else the longest common parent of the owner names, which for a single name is the
/// name's parent, or the name itself when that parent is a single label.
pub(crate) fn of(records: &[RecordSet], at: Position) -> Result<Name, ZoneError> {
    if let Some(soa) = records.iter().find(|record| record.rtype == RecordType::SOA) {
        return Ok(soa.name.clone());
    }
    let Some(first) = records.first() else { return Err(ZoneError::Name { at, problem: NameProblem::NoNames }) };
    let Some(other) = records.iter().find(|record| record.name != first.name) else {
        let parent = first.name.base_name();
        return Ok(if labels(&parent) < 2 { first.name.clone() } else { parent });
    };
    let mut common = first.name.clone();
    for record in records {
        while !common.zone_of(&record.name) {
            common = common.base_name();
        }
    }
    // A wildcard owns no zone.
    if common.is_wildcard() {
        common = common.base_name();
    }
    if labels(&common) < 2 {
        let problem = NameProblem::NoCommonApex { one: first.name.to_string(), other: other.name.to_string() };
        return Err(ZoneError::Name { at: other.at.clone(), problem });
    }
    Ok(common)
}

fn labels(name: &Name) -> usize {
    name.iter().count()
}
