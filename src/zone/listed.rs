//! A zone as a process hands it to another: its record sets in one list. No format that people write.

use hickory_proto::rr::Name;
use serde::{Deserialize, Serialize};

use std::collections::BTreeMap;

use super::{CidrCollection, RecordSet, Visibility, Zone};

/// What a zone is made from again.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Listed {
    apex: Name,
    record_sets: Vec<RecordSet>,
    cidr_collections: BTreeMap<String, CidrCollection>,
    visibility: Visibility,
    signed: bool,
}

impl From<Zone> for Listed {
    fn from(zone: Zone) -> Self {
        let Zone { apex, groups, cidr_collections, visibility, signed } = zone;
        let record_sets = groups.into_values().flat_map(|group| group.records).collect();
        Self { apex, record_sets, cidr_collections, visibility, signed }
    }
}

impl From<Listed> for Zone {
    fn from(listed: Listed) -> Self {
        let Listed { apex, record_sets, cidr_collections, visibility, signed } = listed;
        Self { cidr_collections, visibility, signed, ..Self::of(apex, record_sets) }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_zone_of_the_drills_is_the_same_after_it_was_handed_over() {
        let drills = Path::new(env!("CARGO_MANIFEST_DIR")).join("drills");
        let mut seen = 0;
        for file in std::fs::read_dir(drills).unwrap().map(|entry| entry.unwrap().path()) {
            let Ok(drill) = crate::drill::load(&file) else { continue };
            let handed = serde_json::to_string(&drill.zone).unwrap();
            assert_eq!(serde_json::from_str::<Zone>(&handed).unwrap(), drill.zone, "{}", file.display());
            seen += 1;
        }
        assert!(seen > 20, "{seen}");
    }
}
