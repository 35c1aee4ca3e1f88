//! What the authoritative server of a lab answers from, out of the plan.

use std::collections::BTreeMap;
use std::sync::Arc;

use hickory_proto::rr::Name;

use crate::authoritative::{AuthoritativeSettings, CellNames, Location, LocationMap, NameServer, Resource};
use crate::decide::Switches;
use crate::drill::locations;
use crate::plan::Plan;
use crate::zone::Zone;

use super::say;

/// The settings of the authoritative server.
///
/// # Errors
/// When a name of the plan is none; for people.
pub(super) fn authoritative_settings(plan: &Plan, zone: Arc<Zone>) -> Result<AuthoritativeSettings, String> {
    let mut resources = BTreeMap::new();
    let mut cells = CellNames::default();
    for (name, cell) in &plan.cells {
        let zones: Resource = cell.zones(name).into_iter().map(|zone| (zone.name, zone.addresses)).collect();
        let named = zones.iter().flat_map(|(zone, addresses)| addresses.iter().map(|address| (*address, zone.clone())));
        cells.by_address.extend(named);
        if let Some(target) = &cell.alias_target {
            resources.insert(Name::from_ascii(target).map_err(say)?, zones);
        }
    }
    let name_server = Name::from_ascii("ns").and_then(|label| label.append_domain(&zone.apex)).map_err(say)?;
    let located = locations(plan).into_iter();
    Ok(AuthoritativeSettings {
        resources,
        name_servers: vec![NameServer { name: name_server, addresses: plan.observe.authoritative_addresses.clone() }],
        locations: LocationMap::new(
            located.map(|(network, place, viewpoint)| Location { network, place, viewpoint }).collect(),
        ),
        cells,
        switches: Switches::default(),
        seed: plan.seed,
        zone,
    })
}
