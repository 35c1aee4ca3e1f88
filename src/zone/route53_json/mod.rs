//! Reads what Route 53 itself exports and accepts: the answer of `list-resource-record-sets`, and a change batch.
//!
//! Which one it is is told by the keys. It knows the JSON's shape; what goes together is told by [`super::validate`].

mod change_batch;
mod cidr_blocks;
mod policy;
pub(crate) mod record;

use std::path::Path;

use hickory_proto::rr::Name;
use serde_json::Value;

use super::document::{Findings, Node, Note, json as parse};
use super::{AliasProblem, RecordSet, Zone, ZoneError, ZoneErrors, apex, validate};
use crate::source::SourceMap;
pub use change_batch::apply_change_batch;
pub use cidr_blocks::read_cidr_blocks;

/// Reads a zone from Route 53's JSON and validates it.
///
/// The apex is the one given; else the owner of the SOA record; else it is taken from the owner names: their longest
/// common parent, or, when all records have one name, that name's parent (unless that is a single label). A batch
/// without SOA for `api.example.com` alone therefore is a zone `example.com`.
///
/// A change batch is read as what it leaves behind in an empty zone: `CREATE` and `UPSERT` add, `DELETE` removes what
/// was there before. Names become absolute and lower-case; escapes such as `\052` (octal, for `*`) are resolved.
///
/// # Errors
/// All that is wrong, in the order of the file: what is no such JSON, is cut short (`IsTruncated`), has keys that are
/// not known, or would be refused by Route 53 (rulebook, section 10).
pub fn read(file: &Path, text: &str, apex: Option<&Name>) -> Result<Zone, ZoneErrors> {
    read_with_notes(file, text, apex).map(|(zone, _)| zone)
}

/// As [`read`], with what is worth knowing: record sets that something else than this file owns.
///
/// # Errors
/// As [`read`].
pub fn read_with_notes(file: &Path, text: &str, apex: Option<&Name>) -> Result<(Zone, Vec<Note>), ZoneErrors> {
    let (map, value) = parse(file, text)?;
    read_document(&map, &value, apex)
}

/// As [`read_with_notes`], of a document that has been parsed; a list of pages is one listing.
pub(crate) fn read_document(
    map: &SourceMap,
    value: &Value,
    apex: Option<&Name>,
) -> Result<(Zone, Vec<Note>), ZoneErrors> {
    let findings = Findings::default();
    let root = Node::root(value, map, &findings);
    let records = if value.is_array() { pages(&root) } else { record_sets(&root) };
    let (unread, notes) = findings.into_parts();
    let apex = match apex {
        Some(given) => {
            let mut apex = given.to_lowercase();
            apex.set_fqdn(true);
            Ok(apex)
        }
        None => apex::of(&records, map.value("")),
    };
    match (apex, unread.is_empty()) {
        (Ok(apex), true) => {
            let zone = Zone::of(apex, records);
            validate::validate(&zone)?;
            Ok((zone, notes))
        }
        (Ok(apex), false) => Err(with_what_else_is_wrong(unread, &Zone::of(apex, records))),
        (Err(error), true) => Err(error.into()),
        (Err(_), false) => Err(ZoneErrors::in_file_order(unread)),
    }
}

/// All problems of a file in one go: beside what could not be read, what is wrong with the rest. An alias whose
/// target is missing is left out, for the target may be what could not be read.
fn with_what_else_is_wrong(mut problems: Vec<ZoneError>, rest: &Zone) -> ZoneErrors {
    if let Err(ZoneErrors(others)) = validate::validate(rest) {
        problems.extend(others.into_iter().filter(|error| {
            !matches!(
                error,
                ZoneError::Alias {
                    problem: AliasProblem::TargetMissing { .. } | AliasProblem::TargetOfOtherType { .. },
                    ..
                }
            )
        }));
    }
    ZoneErrors::in_file_order(problems)
}

fn record_sets(root: &Node<'_>) -> Vec<RecordSet> {
    let Some(object) = root.object() else { return Vec::new() };
    let has = |key| object.contains_key(key);
    if has("ChangeBatch") {
        root.only(&["ChangeBatch", "HostedZoneId"]);
        root.get("ChangeBatch").map_or_else(Vec::new, |batch| change_batch::left_behind(&batch))
    } else if has("Changes") {
        change_batch::left_behind(root)
    } else if has("ResourceRecordSets") {
        listing(root, true)
    } else {
        root.invalid(
            "this is neither a listing nor a change batch; expected the key `ResourceRecordSets`, `Changes` or \
             `ChangeBatch`"
                .to_owned(),
        );
        Vec::new()
    }
}

/// Every page is cut short but the last.
fn pages(root: &Node<'_>) -> Vec<RecordSet> {
    let pages = root.items();
    let last = pages.len().saturating_sub(1);
    pages.iter().enumerate().flat_map(|(place, page)| listing(page, place == last)).collect()
}

fn listing(root: &Node<'_>, is_last: bool) -> Vec<RecordSet> {
    root.only(&[
        "ResourceRecordSets",
        "IsTruncated",
        "MaxItems",
        "NextToken",
        "NextRecordName",
        "NextRecordType",
        "NextRecordIdentifier",
        "ResponseMetadata",
    ]);
    let truncated = root.get("IsTruncated").filter(|flag| flag.flag() == Some(true));
    if let Some(sign) = truncated.or_else(|| root.get("NextToken")).filter(|_| is_last) {
        let problem = "this listing is cut short; expected all pages (the AWS CLI gives them without `--max-items`)";
        sign.findings().add(ZoneError::Invalid { at: sign.key_at(), problem: problem.to_owned() });
    }
    let Some(sets) = root.need("ResourceRecordSets") else { return Vec::new() };
    sets.items().iter().filter_map(record::read).collect()
}

#[cfg(test)]
mod tests;
