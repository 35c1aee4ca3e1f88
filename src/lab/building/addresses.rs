//! Who is where in a lab, out of the plan.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use crate::health::CheckProtocol;
use crate::plan::{HealthCheckPlan, Plan};

/// Every lab address of the plan, each once.
pub(super) fn hosts(plan: &Plan) -> Vec<IpAddr> {
    let cells = plan.cells.values().flat_map(|cell| cell.addresses.iter().copied().chain(cell.kind.inside()));
    let mut hosts: Vec<IpAddr> = cells
        .chain(plan.resolvers.values().map(|resolver| resolver.address))
        .chain(plan.clients.values().flat_map(|client| client.addresses.iter().copied()))
        .chain(
            plan.health_checks
                .values()
                .filter_map(HealthCheckPlan::endpoint)
                .flat_map(|endpoint| endpoint.checker_addresses.iter().copied()),
        )
        .chain(plan.probes.values().map(|probe| probe.address))
        .chain(plan.observe.questions.iter().map(|question| question.address))
        .chain(plan.observe.authoritative_addresses.iter().copied())
        .collect();
    hosts.sort_unstable();
    hosts.dedup();
    hosts
}

/// The clients by their lab addresses.
pub(super) fn roster(plan: &Plan) -> BTreeMap<IpAddr, String> {
    let clients = plan.clients.iter();
    clients.flat_map(|(name, client)| client.addresses.iter().map(|address| (*address, name.clone()))).collect()
}

/// The lab addresses of all health checkers, each once.
pub(super) fn checkers(plan: &Plan) -> BTreeSet<IpAddr> {
    let endpoints = plan.health_checks.values().filter_map(HealthCheckPlan::endpoint);
    endpoints.flat_map(|endpoint| endpoint.checker_addresses.iter().copied()).collect()
}

/// What cells are called by who speaks TLS to them: the name that clients ask for, those that health checks and probes
/// ask by, and their addresses. Each once.
pub(super) fn served_names(plan: &Plan) -> Vec<String> {
    let endpoints = plan.health_checks.values().filter_map(HealthCheckPlan::endpoint);
    let checked = endpoints.flat_map(|endpoint| {
        let host = match &endpoint.check.protocol {
            CheckProtocol::Http { host, .. } => host.as_deref(),
            CheckProtocol::Tcp => None,
        };
        [host, endpoint.name.as_deref()].into_iter().flatten()
    });
    let probed = plan.probes.values().map(|probe| probe.asks.as_str());
    let names = checked.chain(probed).chain([plan.name.as_str()]).map(|name| name.trim_end_matches('.').to_owned());
    let addresses = plan.cells.values().flat_map(|cell| cell.addresses.iter().map(ToString::to_string));
    names.chain(addresses).collect::<BTreeSet<String>>().into_iter().collect()
}
