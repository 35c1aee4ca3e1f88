//! A zone's apex, where nobody gave it.

use hickory_proto::rr::{Name, RecordType};

use crate::source::Position;

use super::{NameProblem, RecordSet, ZoneError};

/// The owner of the SOA record; else the longest common parent of the owner names, which for a single name is the
/// name's parent, or the name itself when that parent is a single label.
pub(crate) fn of(records: &[RecordSet], at: Position) -> Result<Name, ZoneError> {
    of_names(records.iter().map(|record| (&record.name, record.rtype, &record.at)), at)
}

/// The same of owner names, each with its type and its place.
pub(crate) fn of_names<'a>(
    owners: impl Iterator<Item = (&'a Name, RecordType, &'a Position)> + Clone,
    at: Position,
) -> Result<Name, ZoneError> {
    if let Some((name, ..)) = owners.clone().find(|(_, rtype, _)| *rtype == RecordType::SOA) {
        return Ok(name.clone());
    }
    let Some((first, ..)) = owners.clone().next() else {
        return Err(ZoneError::Name { at, problem: NameProblem::NoNames });
    };
    let Some((other, _, other_at)) = owners.clone().find(|(name, ..)| *name != first) else {
        let parent = first.base_name();
        return Ok(if labels(&parent) < 2 { first.clone() } else { parent });
    };
    let mut common = first.clone();
    for (name, ..) in owners {
        while !common.zone_of(name) {
            common = common.base_name();
        }
    }
    // A wildcard owns no zone.
    if common.is_wildcard() {
        common = common.base_name();
    }
    if labels(&common) < 2 {
        let problem = NameProblem::NoCommonApex { one: first.to_string(), other: other.to_string() };
        return Err(ZoneError::Name { at: other_at.clone(), problem });
    }
    Ok(common)
}

fn labels(name: &Name) -> usize {
    name.iter().count()
}
