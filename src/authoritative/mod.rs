//! The authoritative server: one zone, answered as Route 53 would.
//!
//! A query's bytes, where it came from and the health evidence go in, an answer's bytes out. What is
//! admissible is decided in [`crate::decide`]; here one answer is picked and put on the wire. Nothing here knows a socket
//! or a clock: the same evidence and the same seed give the same bytes.

mod answer_change;
mod chances;
mod location;
mod reply;
#[cfg(test)]
pub(crate) mod test_zone;
mod wire_records;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use hickory_proto::rr::{Name, RecordType};

use crate::decide::{Evidence, Remembered, Switches};
use crate::zone::{Zone, type_text};

use answer_change::LastAnswers;
use chances::Chances;
use wire_records::WireRecords;

pub use answer_change::{AnswerChange, CellNames};
pub use location::{Location, LocationMap};
pub use reply::{Placed, refused};

/// What an authoritative server is made of.
#[derive(Clone, Debug)]
pub struct AuthoritativeSettings {
    /// A validated zone.
    pub zone: Arc<Zone>,
    /// What each AWS resource's name is answered with, by alias target (absolute, lower case).
    pub resources: BTreeMap<Name, Resource>,
    /// The zone's name servers, for an NS and SOA record that the zone itself does not hold.
    pub name_servers: Vec<NameServer>,
    /// Where senders are.
    pub locations: LocationMap,
    /// How answers are named in events.
    pub cells: CellNames,
    /// Rules that AWS does not state in words.
    pub switches: Switches,
    /// What every random choice comes from.
    pub seed: u64,
}

/// The addresses of an AWS resource, by the zone that they belong to. What has no zones is one, of its own name.
pub type Resource = BTreeMap<String, Vec<IpAddr>>;

/// A name server of the zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameServer {
    /// Absolute.
    pub name: Name,
    /// Given as glue.
    pub addresses: Vec<IpAddr>,
}

/// A value of the zone that has no wire form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} {}: `{value}` is no value of this type: {problem}", type_text(*rtype))]
pub struct ValueError {
    /// The record set's name, absolute.
    pub name: String,
    /// Its type.
    pub rtype: RecordType,
    /// As the zone writes it.
    pub value: String,
    /// What the parser says.
    pub problem: String,
}

/// The authoritative server's core.
#[derive(Debug)]
pub struct Authoritative {
    zone: Arc<Zone>,
    resources: BTreeMap<Name, Resource>,
    records: WireRecords,
    locations: LocationMap,
    switches: Switches,
    cells: CellNames,
    last: LastAnswers,
    remembered: Remembered,
    chances: Chances,
}

/// What becomes of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The answer, as it goes onto the wire.
    pub bytes: Vec<u8>,
    /// Set when the question is answered differently than the last time that it was asked from this place.
    pub changed: Option<AnswerChange>,
}

impl Authoritative {
    /// # Errors
    /// When a value of the zone has no wire form.
    pub fn new(settings: AuthoritativeSettings) -> Result<Self, ValueError> {
        let AuthoritativeSettings { zone, resources, name_servers, locations, cells, switches, seed } = settings;
        Ok(Self {
            records: WireRecords::of(&zone, &name_servers)?,
            resources,
            locations,
            switches,
            cells,
            last: LastAnswers::default(),
            remembered: Remembered::default(),
            chances: Chances::of(seed),
            zone,
        })
    }

    /// The zones of an AWS resource that are answered, each with its addresses (R53-163, R53-164).
    fn answered_zones<'a>(
        &'a self,
        target: &'a Name,
        evidence: &'a dyn Evidence,
    ) -> impl Iterator<Item = (&'a str, &'a [IpAddr])> {
        let zones = self.resources.get(target).into_iter().flatten();
        let zones = zones.map(|(zone, addresses)| (zone.as_str(), addresses.as_slice()));
        zones.filter(|(zone, _)| evidence.zone_is_answered(target, zone))
    }
}
