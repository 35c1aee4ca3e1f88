//! Which group of a zone a question meets: exact name, CNAME, wildcard, delegation, or nothing.
//!
//! It knows names only; health and policies are none of its business.

use hickory_proto::rr::{Name, RecordType};

use crate::zone::{Group, RecordData, Zone};

use super::Outcome;

/// What a zone holds for a name and a type.
pub(super) enum Found<'z> {
    /// A group of that type, or the CNAME group that answers every type (R53-179).
    Group(&'z Group),
    /// No group decides; this is the whole answer.
    Settled(Outcome),
}

/// Looks `name` up, which must be absolute and in lower case.
pub(super) fn find<'z>(zone: &'z Zone, name: &Name, rtype: RecordType) -> Found<'z> {
    if !zone.apex.zone_of(name) {
        return Found::Settled(Outcome::NotInZone);
    }
    if let Some(referral) = delegation(zone, name, rtype) {
        return Found::Settled(referral);
    }
    if exists(zone, name) {
        return at(zone, name, rtype);
    }
    match source_of_synthesis(zone, name) {
        Some(wildcard) => at(zone, &wildcard, rtype),
        None => Found::Settled(Outcome::NxDomain),
    }
}

fn at<'z>(zone: &'z Zone, owner: &Name, rtype: RecordType) -> Found<'z> {
    zone.group(owner, rtype)
        .or_else(|| zone.group(owner, RecordType::CNAME))
        .map_or(Found::Settled(Outcome::NoData), Found::Group)
}

/// A name exists when it or anything below it owns a record: empty non-terminals exist too (R53-184, RFC 4592).
fn exists(zone: &Zone, name: &Name) -> bool {
    *name == zone.apex || zone.groups.keys().any(|(owner, _)| name.zone_of(owner))
}

/// The highest NS group strictly below the apex, at the name or above it.
fn delegation(zone: &Zone, name: &Name, rtype: RecordType) -> Option<Outcome> {
    ancestors(zone, name).into_iter().rev().find_map(|cut| {
        // The parent side answers DS at the cut itself (RFC 4035, section 3.1.4.1).
        if cut == *name && rtype == RecordType::DS {
            return None;
        }
        let group = zone.group(&cut, RecordType::NS)?;
        let mut servers: Vec<String> = Vec::new();
        let mut shortest = u32::MAX;
        for record in &group.records {
            if let RecordData::Values { ttl, values } = &record.data {
                servers.extend(values.iter().cloned());
                shortest = shortest.min(*ttl);
            }
        }
        servers.sort();
        servers.dedup();
        (!servers.is_empty()).then_some(Outcome::Referral { cut, servers, ttl: shortest })
    })
}

/// `name` and what is above it, up to but without the apex.
fn ancestors(zone: &Zone, name: &Name) -> Vec<Name> {
    let mut above = Vec::new();
    let mut here = name.clone();
    while here != zone.apex && !here.is_root() {
        let parent = here.base_name();
        above.push(here);
        here = parent;
    }
    above
}

/// The wildcard below the closest encloser, and only that one (RFC 4592, section 3.3.1).
fn source_of_synthesis(zone: &Zone, name: &Name) -> Option<Name> {
    let mut encloser = name.base_name();
    while !exists(zone, &encloser) {
        encloser = encloser.base_name();
    }
    let wildcard = encloser.prepend_label("*").ok()?;
    zone.groups.keys().any(|(owner, _)| *owner == wildcard).then_some(wildcard)
}
