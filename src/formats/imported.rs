//! What was read.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hickory_proto::rr::Name;

use crate::health::HealthCheckDefinition;
use crate::source::Position;
use crate::zone::cloud_dns::{CloudDnsRecordSet, CloudDnsZone};
use crate::zone::{
    HealthCheckId, Note, Part, RecordData, RecordSet, Unknown, Zone, ZoneError, ZoneErrors, is_unknown, type_text,
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
    /// The zones of Google Cloud DNS, a dialect of its own.
    pub cloud_dns: Vec<CloudDnsZone>,
    /// The health checks by their ids.
    pub health_checks: BTreeMap<HealthCheckId, HealthCheckDefinition>,
    /// What was left out, and what is worth knowing.
    pub remarks: Vec<Note>,
}

impl Imported {
    pub(super) const fn new(format: Format) -> Self {
        Self { format, zones: Vec::new(), cloud_dns: Vec::new(), health_checks: BTreeMap::new(), remarks: Vec::new() }
    }

    /// The values of record sets that nobody knows yet, in the order of the zones.
    #[must_use]
    pub fn unknown(&self) -> Vec<Unknown> {
        self.zones.iter().flat_map(unknown_in).chain(self.cloud_dns.iter().flat_map(unknown_in_cloud)).collect()
    }

    /// The one zone that is meant: the only one, or of several the one whose apex is nearest above `name`. `file` is
    /// where it all came from, for errors.
    ///
    /// # Errors
    /// When there is none, or several and none that is meant.
    pub fn zone_of(self, file: &Path, name: Option<&Name>) -> Result<Zone, ZoneErrors> {
        let at = Position { file: Arc::new(file.to_path_buf()), line: 0, column: 0 };
        let invalid = |problem: String| ZoneErrors::from(ZoneError::Invalid { at, problem });
        let Self { format, zones, cloud_dns, .. } = self;
        if let Some(zone) = cloud_dns.first() {
            let problem = format!(
                "{} is a zone of Cloud DNS; expected one of Route 53: nothing answers as Cloud DNS yet",
                zone.apex
            );
            return Err(invalid(problem));
        }
        if zones.len() < 2 {
            let problem = format!("there is no zone in it, read as {format}; expected one with record sets");
            return zones.into_iter().next().ok_or_else(|| invalid(problem));
        }
        let names: Vec<String> = zones.iter().map(|zone| zone.apex.to_string()).collect();
        let above = zones.into_iter().filter(|zone| name.is_some_and(|name| zone.apex.zone_of(name)));
        above.max_by_key(|zone| zone.apex.num_labels()).ok_or_else(|| {
            invalid(format!("there are {} zones in it: {}; expected one to be named", names.len(), names.join(", ")))
        })
    }
}

/// The values of a zone's record sets that nobody knows yet.
pub(super) fn unknown_in(zone: &Zone) -> Vec<Unknown> {
    zone.record_sets().flat_map(of_record).collect()
}

/// The same of a zone of Cloud DNS.
fn unknown_in_cloud(zone: &CloudDnsZone) -> Vec<Unknown> {
    let unknown = |set: &CloudDnsRecordSet| -> Vec<Unknown> {
        let owner = format!("{} {}", set.name, type_text(set.rtype));
        let names = set.all_values().into_iter().filter(|value| is_unknown(value));
        let at =
            |name: &str| Unknown { at: set.at.clone(), name: name.to_owned(), part: Part::Value, owner: owner.clone() };
        names.map(at).collect()
    };
    zone.record_sets.iter().flat_map(unknown).collect()
}

fn of_record(record: &RecordSet) -> Vec<Unknown> {
    let identifier = record.set_identifier.as_ref().map_or_else(String::new, |id| format!(" `{id}`"));
    let owner = format!("{} {}{identifier}", record.name, type_text(record.rtype));
    let unknown = |name, part| Unknown { at: record.at.clone(), name, part, owner: owner.clone() };
    let mut found = Vec::new();
    match &record.data {
        RecordData::Alias(alias) => {
            found.extend(unknown_of_name(&alias.target).map(|name| unknown(name, Part::Target)));
        }
        RecordData::Values { values, .. } => {
            let values = values.iter().filter(|value| is_unknown(value));
            found.extend(values.map(|value| unknown(value.clone(), Part::Value)));
        }
    }
    let check = record.health_check.iter().filter(|id| is_unknown(&id.0));
    found.extend(check.map(|id| unknown(id.0.clone(), Part::HealthCheck)));
    found
}
