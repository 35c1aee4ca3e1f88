//! Which programs a lab runs that are not muster's, and with which settings.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use crate::fault::Part;
use crate::lab::parts_by_themselves;
use crate::node::haproxy_log;
use crate::node::load_balancer::IDLE_TIMEOUT;
use crate::node::{DATABASE_BEHIND_PROXY_PORT, HTTP_PORT};
use crate::plan::{
    Asks, CellKind, CellPlan, ClientPlan, ClientRuns, LoadBalancerSoftware, Plan, RegionPlan, ResolverKind,
    ResolverPlan, ResolverSoftware,
};

use super::layout::Images;

/// What a resolver runs whose drill does not say.
const USUAL_RESOLVER: ResolverSoftware = ResolverSoftware::Unbound;

/// Lab time within which a load balancer connects to a target. `HAProxy` also waits for so long before it tries a target
/// again that has refused (`HAProxy` Configuration Manual, `retries`), but for no more than 1 s of wall time.
const CONNECTS_WITHIN: Duration = Duration::from_secs(1);

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
    /// What a resolver of the plan runs; `None`: muster's own. `apex` is the zone that it forwards.
    #[must_use]
    pub fn of_resolver(plan: &Plan, apex: &str, resolver: &ResolverPlan) -> Option<Self> {
        // No resolver of the catalogue is set up to tell its clients' subnets.
        let usual = (resolver.kind != ResolverKind::ClientSubnet).then_some(USUAL_RESOLVER);
        let software = resolver.software.or(usual)?;
        let authority = plan.observe.authoritative_addresses.iter();
        let mut authority = authority.filter(|at| at.is_ipv4() == resolver.address.is_ipv4());
        let mut environment = zone(apex, *authority.next()?);
        environment.extend(owned(resolver.image_settings(plan.wire, plan.speed)));
        Some(Self { image: software.name().to_owned(), command: Vec::new(), environment })
    }

    /// What a client of the plan runs; `None`: muster's own.
    #[must_use]
    pub fn of_client(plan: &Plan, name: &str, client: &ClientPlan) -> Option<Self> {
        let mut environment = asking(plan, name, client);
        match &client.runs {
            ClientRuns::Muster => None,
            ClientRuns::Known(software) => {
                let settings = software.image_settings(client.profile, plan.wire, plan.speed)?;
                environment.extend(owned(settings));
                Some(Self { image: software.image().to_owned(), command: Vec::new(), environment })
            }
            ClientRuns::Image(own) => {
                environment.extend(own.environment.clone());
                Some(Self { image: own.image.clone(), command: own.command.clone(), environment })
            }
        }
    }

    /// What a part of a cell of the plan runs; `None`: muster's own.
    #[must_use]
    pub fn of_part(plan: &Plan, name: &str, cell: &CellPlan, part: Part) -> Option<Self> {
        match (part, &cell.kind) {
            (Part::Database, _) => {
                let behind_proxy = || ["-p".to_owned(), DATABASE_BEHIND_PROXY_PORT.to_string()].into();
                let command = if cell.proxied { behind_proxy() } else { Vec::new() };
                Some(Self { image: "postgres".to_owned(), command, environment: Vec::new() })
            }
            (Part::LoadBalancer, CellKind::Region(region)) => {
                let software = region.load_balancer_software?;
                let environment = match software {
                    LoadBalancerSoftware::Haproxy => balancing(plan, name, cell, region),
                };
                Some(Self { image: software.name().to_owned(), command: Vec::new(), environment })
            }
            _ => None,
        }
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
    let resolvers = plan.resolvers.values().filter_map(|resolver| Software::of_resolver(plan, ".", resolver));
    let clients = plan.clients.iter().filter_map(|(name, client)| Software::of_client(plan, name, client));
    let parts = plan.cells.iter().flat_map(|(name, cell)| {
        parts_by_themselves(cell).into_iter().filter_map(move |part| Software::of_part(plan, name, cell, part))
    });
    let mut names: Vec<String> = resolvers.chain(clients).chain(parts).map(|software| software.image).collect();
    names.sort_unstable();
    names.dedup();
    names.retain(|name| crate::images::Image::named(name).is_some());
    names
}

/// The clients that are images of somebody else's, each with its image.
#[must_use]
pub fn foreign(plan: &Plan) -> Vec<(String, String)> {
    let images = plan.clients.iter().filter_map(|(name, client)| match &client.runs {
        ClientRuns::Image(own) => Some((name.clone(), own.image.clone())),
        ClientRuns::Muster | ClientRuns::Known(_) => None,
    });
    images.filter(|(_, image)| crate::images::Image::named(image).is_none()).collect()
}

/// Which zone a resolver forwards, and to whom.
fn zone(apex: &str, authority: IpAddr) -> Vec<(String, String)> {
    owned([("MUSTER_ZONE", apex.trim_end_matches('.').to_owned()), ("MUSTER_AUTHORITY", authority.to_string())])
}

/// Who a client is, what it asks for and how often.
fn asking(plan: &Plan, name: &str, client: &ClientPlan) -> Vec<(String, String)> {
    let path = match client.asks {
        Asks::Page => "/",
        Asks::Completion(_) => "/v1/completions",
        Asks::Stream(_) => "/v1/chat/completions",
        Asks::Telemetry => "/v1/traces",
    };
    let millis = |lab| plan.speed.to_wall(lab).as_millis().max(1).to_string();
    owned([
        ("MUSTER_CLIENT", name.to_owned()),
        ("MUSTER_URL", format!("http://{}:{HTTP_PORT}{path}", plan.name.trim_end_matches('.'))),
        ("MUSTER_EVERY_MS", millis(client.every)),
        ("MUSTER_TIMEOUT_MS", millis(client.timeout)),
    ])
}

/// Where `HAProxy` listens, which targets it sends to, how it checks them, and who hears of its requests.
fn balancing(plan: &Plan, name: &str, cell: &CellPlan, region: &RegionPlan) -> Vec<(String, String)> {
    let millis = |lab| plan.speed.to_wall(lab).as_millis().max(1).to_string();
    let listens: Vec<String> = cell.addresses.iter().map(IpAddr::to_string).collect();
    let targets = region.target_addresses.iter().enumerate();
    let target =
        |(index, address): (usize, &IpAddr)| format!("target-{index}={}", SocketAddr::new(*address, HTTP_PORT));
    let targets: Vec<String> = targets.map(target).collect();
    let group = &region.target_group;
    owned([
        ("MUSTER_CELL", name.to_owned()),
        ("MUSTER_LISTEN", listens.join(" ")),
        ("MUSTER_LISTEN_PORT", HTTP_PORT.to_string()),
        ("MUSTER_TARGETS", targets.join(" ")),
        ("MUSTER_CHECK_PATH", group.path.clone()),
        ("MUSTER_CHECK_EVERY_MS", millis(group.interval)),
        ("MUSTER_CHECK_TIMEOUT_MS", millis(group.timeout)),
        ("MUSTER_CHECK_FALL", group.unhealthy_threshold.to_string()),
        ("MUSTER_CHECK_RISE", group.healthy_threshold.to_string()),
        ("MUSTER_CONNECT_MS", millis(CONNECTS_WITHIN)),
        ("MUSTER_IDLE_MS", millis(IDLE_TIMEOUT)),
        ("MUSTER_LOG_TO", haproxy_log::HEARD_AT.to_string()),
    ])
}

fn owned(settings: impl IntoIterator<Item = (&'static str, String)>) -> Vec<(String, String)> {
    settings.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests;
