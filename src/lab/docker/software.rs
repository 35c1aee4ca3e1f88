//! Which programs a lab runs that are not muster's, and with which settings.

use std::net::IpAddr;
use std::time::Duration;

use crate::fault::Part;
use crate::plan::{ClientPlan, Plan, ResolverKind, ResolverPlan};

use super::layout::Images;

/// A program in a container of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Software {
    /// Its image in the catalogue, or a reference of any other.
    pub(super) image: String,
    /// In place of the image's own arguments.
    pub(super) command: Vec<String>,
    /// Its settings.
    pub(super) environment: Vec<(String, String)>,
}

impl Software {
    /// What a resolver of the plan runs; `None`: muster's own.
    #[must_use]
    pub fn of_resolver(plan: &Plan, apex: &str, _name: &str, resolver: &ResolverPlan) -> Option<Self> {
        let authority = plan.observe.authoritative_addresses.iter().find(|at| at.is_ipv4() == resolver.address.is_ipv4());
        let mut environment = zone(apex, *authority?);
        match resolver.kind {
            ResolverKind::Plain => {}
            ResolverKind::TtlFloor(floor) => {
                environment.push(("MUSTER_TTL_FLOOR".to_owned(), wall_seconds(plan, floor).to_string()));
            }
            // No resolver of the catalogue is set up to tell its clients' subnets.
            ResolverKind::ClientSubnet => return None,
        }
        Some(Self { image: "unbound".to_owned(), command: Vec::new(), environment })
    }

    /// What a client of the plan runs; `None`: muster's own.
    #[must_use]
    pub const fn of_client(_plan: &Plan, _name: &str, _client: &ClientPlan) -> Option<Self> {
        None
    }

    /// What a part of a cell runs; `None`: muster's own.
    #[must_use]
    pub fn of_part(part: Part) -> Option<Self> {
        (part == Part::Database).then(|| Self {
            image: "postgres".to_owned(),
            command: Vec::new(),
            environment: Vec::new(),
        })
    }

    /// The reference of its image.
    #[must_use]
    pub fn image(&self, images: &Images) -> String {
        images.others.get(&self.image).unwrap_or(&self.image).clone()
    }
}

/// The images of the catalogue that a plan needs, each once.
#[must_use]
pub fn needed(plan: &Plan) -> Vec<String> {
    let resolvers = plan.resolvers.iter().filter_map(|(name, resolver)| Software::of_resolver(plan, ".", name, resolver));
    let clients = plan.clients.iter().filter_map(|(name, client)| Software::of_client(plan, name, client));
    let parts = plan.cells.values().flat_map(crate::lab::spread::parts_by_themselves).filter_map(Software::of_part);
    let mut names: Vec<String> = resolvers.chain(clients).chain(parts).map(|software| software.image).collect();
    names.sort_unstable();
    names.dedup();
    names.retain(|name| crate::images::Image::named(name).is_some());
    names
}

fn zone(apex: &str, authority: IpAddr) -> Vec<(String, String)> {
    [("MUSTER_ZONE", apex.trim_end_matches('.').to_owned()), ("MUSTER_AUTHORITY", authority.to_string())]
        .map(|(key, value)| (key.to_owned(), value))
        .into()
}

/// A duration of lab time in whole seconds of wall time, at least one.
fn wall_seconds(plan: &Plan, lab: Duration) -> u64 {
    let wall = plan.speed.to_wall(lab);
    wall.as_secs() + u64::from(wall.subsec_nanos() > 0)
}
