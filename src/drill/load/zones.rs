//! The zones of a region's load balancer, and how many of the targets in them must be healthy.

use std::collections::BTreeMap;

use crate::health::{MinimumHealthy, MinimumHealthyError};

use super::super::addresses::MOST_ZONES;
use super::super::error::{Noun, Problem};
use super::super::loaded::{Cell, CellMake, RegionMake};
use super::super::schema::{MinimumHealthyFile, RegionFile};
use super::reader::Reader;

/// What an answer, or whoever serves, is called in expectations when it is no cell.
const WORDS: [&str; 3] = ["nodata", "nxdomain", "nobody"];

/// Whether a zone's node sends to the targets of every zone; it does when the key is missing, as with an application
/// load balancer.
pub(super) fn cross_zone(reader: &mut Reader<'_>, path: &str, written: &RegionFile) -> bool {
    let Some(word) = &written.cross_zone else { return true };
    if written.zones.is_empty() {
        reader.without(path, "a region without `zones`", &[("cross-zone", true)]);
    }
    let words = [("on", true), ("off", false)];
    reader.word(&format!("{path}.cross-zone"), Noun::CrossZone, word, &words).unwrap_or(true)
}

pub(super) fn minimum_healthy(
    reader: &mut Reader<'_>,
    path: &str,
    written: Option<&MinimumHealthyFile>,
) -> MinimumHealthy {
    let Some(written) = written else { return MinimumHealthy::DEFAULT };
    let path = format!("{path}.minimum-healthy");
    let minimum = MinimumHealthy {
        count: written.count.or(MinimumHealthy::DEFAULT.count),
        percentage: written.percent.or(MinimumHealthy::DEFAULT.percentage),
    };
    if let Err(refused) = minimum.validate() {
        let key = match refused {
            MinimumHealthyError::Count => "count",
            MinimumHealthyError::Percentage(_) => "percent",
        };
        reader.complain(&format!("{path}.{key}"), Problem::Refused(refused.to_string()));
    }
    minimum
}

/// Whether the targets suffice for the zones, and in each for the minimum, while all are healthy.
pub(super) fn check_targets(reader: &mut Reader<'_>, path: &str, region: &RegionMake) {
    let zones = region.zones.len().max(1);
    if region.targets < zones {
        let expected = format!("at least {zones}, one for each zone");
        let problem = Problem::OutOfRange { key: "targets", found: region.targets.to_string(), expected };
        reader.complain_of_key(&format!("{path}.zones"), problem);
    }
    let (counted, of) = if region.cross_zone {
        (region.targets, "the targets of all zones together (R53-162)")
    } else {
        (region.targets / zones, "the targets of the smallest zone (R53-161)")
    };
    let count = region.minimum_healthy.count.unwrap_or_default();
    if u32::try_from(counted).is_ok_and(|counted| count > counted.max(1)) {
        let expected = format!("at most {counted}, {of}");
        let problem = Problem::OutOfRange { key: "count", found: count.to_string(), expected };
        reader.complain(&format!("{path}.target-group.minimum-healthy.count"), problem);
    }
}

/// Zones are named in expectations and faults beside cells, and each needs addresses of its own.
pub(super) fn check_names(reader: &mut Reader<'_>, cells: &BTreeMap<String, Cell>) {
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, cell) in cells {
        let CellMake::Region(region) = &cell.make else { continue };
        let path = format!("cells.{name}.region.zones");
        if region.zones.len() > MOST_ZONES {
            let found = region.zones.len();
            reader.complain_of_key(&path, Problem::TooMany { what: "zones".to_owned(), found, most: MOST_ZONES });
        }
        if !region.zones.is_empty() && cell.alias_target.is_none() {
            let why = format!("`{name}` has zones and no alias: an address that a record set holds is always answered");
            let instead = "let an alias of the zone file point at the load balancer, or leave `zones` out";
            reader.complain_of_key(&path, Problem::Impossible { why, instead });
        }
        for (index, zone) in region.zones.iter().enumerate() {
            let what = if cells.contains_key(zone) {
                "a cell".to_owned()
            } else if let Some(cell) = seen.insert(zone, name) {
                format!("another zone, of `{cell}`")
            } else if zone.trim().is_empty() || WORDS.contains(&zone.as_str()) {
                "a word of its own".to_owned()
            } else {
                continue;
            };
            let why = format!("a zone cannot be called `{zone}`, which is {what}");
            let problem = Problem::Impossible { why, instead: "give it a name of its own, for example `sa-east-1a`" };
            reader.complain(&format!("{path}.{index}"), problem);
        }
        for family in [true, false] {
            let has = cell.addresses.iter().filter(|address| address.is_ipv4() == family).count();
            if has > 0 && has < region.zones.len() {
                let zones = region.zones.len();
                let family = if family { "IPv4" } else { "IPv6" };
                let why = format!("{has} {family} addresses are too few for {zones} zones, each of which has its own");
                let instead = "write one for each zone, or none of this family";
                reader.complain(&format!("cells.{name}.address"), Problem::Impossible { why, instead });
            }
        }
    }
}
