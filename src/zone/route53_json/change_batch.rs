//! A change batch: what it asks for, and what becomes of a zone that it is submitted to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use hickory_proto::rr::{Name, RecordType};

use crate::source::Position;

use super::super::document::{Findings, Node};
use super::super::{BatchProblem, RecordData, RecordSet, Zone, ZoneError, ZoneErrors, type_text, validate};
use super::record;

/// R53-219.
const MOST_VALUES: usize = 1_000;
const MOST_CHARACTERS: usize = 32_000;

/// What a record set is known by.
type Key = (Name, RecordType, Option<String>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    Create,
    Upsert,
    Delete,
}

struct Change {
    action: Action,
    record: RecordSet,
}

/// The zone as a change batch leaves it: all changes are made, one after another, or none (R53-217).
///
/// # Errors
/// All that is wrong, in the order of the file: what is no change batch, does not fit the zone (R53-219, R53-220,
/// R53-225), or would leave a zone that Route 53 refuses. What is wrong with what it leaves is told only when the
/// changes themselves fit.
pub fn apply_change_batch(zone: &Zone, file: &Path, text: &str) -> Result<Zone, ZoneErrors> {
    let (map, value) = super::parse(file, text)?;
    let findings = Findings::default();
    let root = Node::root(&value, &map, &findings);
    let changes = match root.get("ChangeBatch") {
        Some(batch) => {
            root.only(&["ChangeBatch", "HostedZoneId"]);
            read(&batch)
        }
        None => read(&root),
    };
    let mut records = zone.record_sets().map(|record| (key(record), record.clone())).collect();
    size(&changes, &map.value(""), &findings);
    apply(changes, &mut records, &findings);
    findings.finish()?;
    let result = zone.with_record_sets(records.into_values());
    validate::validate(&result)?;
    validate::check_cloud_front(&result)?;
    validate::check_cidr_collections(&result)?;
    Ok(result)
}

/// What a batch leaves behind in an empty zone: what was there before, `DELETE` removes.
pub(super) fn left_behind(batch: &Node<'_>) -> Vec<RecordSet> {
    let changes = read(batch);
    deleted_once(&changes, batch.findings());
    changes.into_iter().filter(|change| change.action != Action::Delete).map(|change| change.record).collect()
}

fn read(batch: &Node<'_>) -> Vec<Change> {
    batch.only(&["Comment", "Changes"]);
    let Some(changes) = batch.need("Changes") else { return Vec::new() };
    changes.items().iter().filter_map(read_change).collect()
}

fn read_change(change: &Node<'_>) -> Option<Change> {
    change.only(&["Action", "ResourceRecordSet"]);
    let (action, set) = (change.need("Action"), change.need("ResourceRecordSet"));
    let record = set.and_then(|set| record::read(&set));
    let action = action?;
    let action = match action.text()? {
        "CREATE" => Action::Create,
        "UPSERT" => Action::Upsert,
        "DELETE" => Action::Delete,
        other => {
            action.invalid(format!("action `{other}` is not known; expected CREATE, UPSERT or DELETE"));
            return None;
        }
    };
    Some(Change { action, record: record? })
}

fn deleted_once(changes: &[Change], findings: &Findings) {
    let mut deleted = BTreeSet::new();
    for Change { record, .. } in changes.iter().filter(|change| change.action == Action::Delete) {
        if !deleted.insert(key(record)) {
            refuse(findings, record, BatchProblem::DeletedTwice { record: title(record) });
        }
    }
}

fn apply(changes: Vec<Change>, records: &mut BTreeMap<Key, RecordSet>, findings: &Findings) {
    deleted_once(&changes, findings);
    let mut set = BTreeSet::new();
    for Change { action, record } in changes {
        let key = key(&record);
        let standing = records.get(&key);
        let problem = match (action, standing) {
            (Action::Create | Action::Upsert, _) if !set.insert(key.clone()) => {
                Some(BatchProblem::SetTwice { record: title(&record) })
            }
            (Action::Create, Some(_)) => Some(BatchProblem::AlreadyExists { record: title(&record) }),
            (Action::Delete, None) => Some(BatchProblem::NotFound { record: title(&record) }),
            (Action::Delete, Some(standing)) => difference(&record, standing)
                .map(|differs| BatchProblem::NotAsItStands { record: title(&record), differs }),
            _ => None,
        };
        if let Some(problem) = problem {
            refuse(findings, &record, problem);
        } else if action == Action::Delete {
            records.remove(&key);
        } else {
            records.insert(key, record);
        }
    }
}

/// What of a record set is not as it stands in the zone.
fn difference(record: &RecordSet, standing: &RecordSet) -> Option<&'static str> {
    let sorted = |data: &RecordData| match data {
        RecordData::Values { ttl, values } => {
            let mut values = values.clone();
            values.sort();
            RecordData::Values { ttl: *ttl, values }
        }
        RecordData::Alias(_) => data.clone(),
    };
    if record.policy != standing.policy {
        return Some("routing policy");
    }
    if record.health_check != standing.health_check {
        return Some("health check");
    }
    match (sorted(&record.data), sorted(&standing.data)) {
        (one, other) if one == other => None,
        (RecordData::Values { ttl, .. }, RecordData::Values { ttl: standing, .. }) if ttl != standing => Some("TTL"),
        (RecordData::Values { .. }, RecordData::Values { .. }) => Some("list of values"),
        _ => Some("alias target"),
    }
}

fn size(changes: &[Change], at: &Position, findings: &Findings) {
    let (mut values, mut characters) = (0, 0);
    for Change { action, record } in changes {
        let RecordData::Values { values: of_record, .. } = &record.data else { continue };
        let times = if *action == Action::Upsert { 2 } else { 1 };
        values += times * of_record.len();
        characters += times * of_record.iter().map(|value| value.chars().count()).sum::<usize>();
    }
    let refuse = |problem| findings.add(ZoneError::Batch { at: at.clone(), problem });
    if values > MOST_VALUES {
        refuse(BatchProblem::TooManyValues { count: values, limit: MOST_VALUES });
    }
    if characters > MOST_CHARACTERS {
        refuse(BatchProblem::TooManyCharacters { count: characters, limit: MOST_CHARACTERS });
    }
}

fn refuse(findings: &Findings, record: &RecordSet, problem: BatchProblem) {
    findings.add(ZoneError::Batch { at: record.at.clone(), problem });
}

fn key(record: &RecordSet) -> Key {
    (record.name.clone(), record.rtype, record.set_identifier.clone())
}

fn title(record: &RecordSet) -> String {
    let group = format!("{} {}", record.name, type_text(record.rtype));
    record.set_identifier.as_ref().map_or_else(|| group.clone(), |identifier| format!("{group} `{identifier}`"))
}

#[cfg(test)]
mod tests;
