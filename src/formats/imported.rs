//! What was read.

use std::collections::BTreeMap;

use hickory_proto::rr::Name;

use crate::health::HealthCheckDefinition;
use crate::zone::{
    HealthCheckId, Note, RecordData, RecordSet, Unknown, Zone, ZoneError, ZoneErrors, is_unknown, type_text,
    unknown_of_name,
};

use super::Format;

/// Everything that one text says of record trees and their health.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The format that it was read as.
    pub format: Format,
    /// The zones of Route 53, each as it would be taken there, in the order of their apexes.
    pub zones: Vec<Zone>,
    /// The health checks by their ids.
    pub health_checks: BTreeMap<HealthCheckId, HealthCheckDefinition>,
    /// What was left out, and what is worth knowing.
    pub remarks: Vec<Note>,
}

impl Imported {
    pub(super) const fn new(format: Format) -> Self {
        Self { format, zones: Vec::new(), health_checks: BTreeMap::new(), remarks: Vec::new() }
    }

    /// The values of record sets that nobody knows yet, in the order of the zones.
    #[must_use]
    pub fn unknown(&self) -> Vec<Unknown> {
        self.zones.iter().flat_map(Zone::record_sets).flat_map(of_record).collect()
    }

    /// The one zone that is meant: the only one, or the one whose apex is nearest above `name`.
    ///
    /// # Errors
    /// When there is none, or several and none or no name to choose by.
    pub fn zone_of(self, name: Option<&Name>) -> Result<Zone, ZoneErrors> {
        let start = self.remarks.first().map(|note| note.at.clone()).unwrap_or_default();
        let invalid = |problem: String| ZoneErrors::from(ZoneError::Invalid { at: start.clone(), problem });
        if self.zones.len() > 1 {
            let names: Vec<String> = self.zones.iter().map(|zone| zone.apex.to_string()).collect();
            let above = self.zones.into_iter().filter(|zone| name.is_some_and(|name| zone.apex.zone_of(name)));
            return above.max_by_key(|zone| zone.apex.num_labels()).ok_or_else(|| {
                invalid(format!("there are {} zones: {}; expected one to be named", names.len(), names.join(", ")))
            });
        }
        let format = self.format;
        self.zones.into_iter().next().ok_or_else(|| invalid(format!("this ({format}) holds no zone; expected one")))
    }
}

fn of_record(record: &RecordSet) -> Vec<Unknown> {
    let identifier = record.set_identifier.as_ref().map_or_else(String::new, |id| format!(" `{id}`"));
    let title = format!("{} {}{identifier}", record.name, type_text(record.rtype));
    let unknown = |name: String, what: &str| Unknown { at: record.at.clone(), name, what: format!("{what} of {title}") };
    let mut found = Vec::new();
    match &record.data {
        RecordData::Alias(alias) => {
            found.extend(unknown_of_name(&alias.target).map(|name| unknown(name, "the alias target")));
        }
        RecordData::Values { values, .. } => {
            let values = values.iter().filter(|value| is_unknown(value));
            found.extend(values.map(|value| unknown(value.clone(), "a value")));
        }
    }
    let check = record.health_check.iter().filter(|id| is_unknown(&id.0));
    found.extend(check.map(|id| unknown(id.0.clone(), "the health check's id")));
    found
}
