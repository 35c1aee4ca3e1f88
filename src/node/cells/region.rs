//! A region: a load balancer, its targets, their database; the checks of the targets, which no fault ends.

use std::net::SocketAddr;

use hickory_proto::rr::Name;
use rand::Rng;
use tokio::sync::watch;

use crate::fault::Part;
use crate::node::load_balancer::LoadBalancer;
use crate::node::process::Process;
use crate::node::target::{DatabaseLink, Target};
use crate::node::target_checks::{self, Checked, TargetChecks, Ways};
use crate::node::{
    DATABASE_BEHIND_PROXY_PORT, DATABASE_PORT, HTTP_PORT, database, haproxy_log, http_server, load_balancer, target,
};
use crate::plan::{LoadBalancerSoftware, RegionPlan, ZonePlan};

use super::blueprint::Blueprint;
use super::{CellError, Organs};

/// As whom targets log in to their database.
const DATABASE_USER: &str = "app";

impl Blueprint<'_> {
    /// The region without its checks; `routable` says which targets the load balancer's node of each zone sends to.
    pub(super) fn region(
        &self,
        region: &RegionPlan,
        routable: Vec<watch::Receiver<Vec<usize>>>,
        rng: &mut impl Rng,
    ) -> Result<Organs, CellError> {
        let database = self.here(Part::Database, region.database_address, DATABASE_PORT)?;
        let mut organs = Organs { levers: vec![self.firewall_lever()], ..Organs::default() };
        let own = if self.plan.proxied {
            let behind = self.here(Part::Database, region.database_address, DATABASE_BEHIND_PROXY_PORT)?;
            self.add_way(Part::WayToDatabase, database, behind, rng.next_u64(), &mut organs);
            behind
        } else {
            database
        };
        let of_database = self.around.environment.ground.clone();
        organs.processes.push((Part::Database, Process::new(move || database::bind(&of_database, own))));
        let targets = self.targets(region)?;
        for (index, here) in targets.iter().enumerate() {
            organs.processes.push((Part::Target(index), self.target(region, index, *here, database)));
        }
        organs.processes.push((Part::LoadBalancer, self.load_balancer(&targets, routable)?));
        organs.request_log = region.load_balancer_software.map(|LoadBalancerSoftware::Haproxy| self.haproxy_log());
        if let Some(queue) = &region.queue {
            self.add_queue(queue, rng, &mut organs)?;
        }
        Ok(organs)
    }

    /// Starts the checks of the region's targets and of its load balancer's node.
    pub(super) fn checks(&self, region: &RegionPlan, rng: &mut impl Rng) -> Result<TargetChecks, CellError> {
        let ways = self.ways(region)?;
        let alias_target = self.plan.alias_target.as_deref().map(|target| self.alias_target(target)).transpose()?;
        let (zones, board) = (self.plan.zones(self.name), self.around.resources.clone());
        let checked = Checked { cell: self.name, region, zones, alias_target, board };
        Ok(target_checks::start(checked, &ways, rng, &self.around.environment))
    }

    fn ways(&self, region: &RegionPlan) -> Result<Ways, CellError> {
        let node = self.doors(Part::LoadBalancer, HTTP_PORT)?.into_iter().next();
        let node =
            node.ok_or_else(|| self.no_address(&Part::LoadBalancer.of(self.name), self.plan.addresses.clone()))?;
        Ok(Ways { node, targets: self.targets(region)? })
    }

    fn targets(&self, region: &RegionPlan) -> Result<Vec<SocketAddr>, CellError> {
        let targets = region.target_addresses.iter().enumerate();
        targets.map(|(index, address)| self.here(Part::Target(index), *address, HTTP_PORT)).collect()
    }

    fn alias_target(&self, text: &str) -> Result<Name, CellError> {
        Name::from_ascii(text).map_err(|problem| CellError::AliasTarget {
            cell: self.name.to_owned(),
            found: text.to_owned(),
            problem,
        })
    }

    fn target(&self, region: &RegionPlan, index: usize, here: SocketAddr, database: SocketAddr) -> Process {
        let environment = &self.around.environment;
        let target = Target {
            cell: self.name.to_owned(),
            index,
            database: DatabaseLink {
                ground: environment.ground.clone(),
                at: database,
                from: Some(here.ip()).filter(|own| own.is_ipv4() == database.is_ipv4()),
                user: DATABASE_USER.to_owned(),
                patience: region.database_patience(),
            },
            clock: environment.clock.clone(),
        };
        let ground = environment.ground.clone();
        let path = region.target_group.path.clone();
        Process::new(move || http_server::bind(&[here], target::router(target.clone(), &path), ground.clone()))
    }

    /// What hears of `HAProxy`'s requests.
    fn haproxy_log(&self) -> Process {
        let (arrivals, environment) = (self.arrivals(), self.around.environment.clone());
        Process::new(move || haproxy_log::bind(haproxy_log::HEARD_AT, arrivals.clone(), environment.clone()))
    }

    /// A node in each zone.
    fn load_balancer(
        &self,
        targets: &[SocketAddr],
        routable: Vec<watch::Receiver<Vec<usize>>>,
    ) -> Result<Process, CellError> {
        let mut nodes = Vec::new();
        for (ZonePlan { name, addresses, .. }, routable) in self.plan.zones(self.name).into_iter().zip(routable) {
            let doors = self.doors_at(Part::LoadBalancer, &addresses, HTTP_PORT)?;
            let settings = LoadBalancer {
                arrivals: self.arrivals().in_zone(name),
                targets: targets.iter().map(|here| format!("http://{here}")).collect(),
                routable,
                upstream: self.http_client(doors.first().map(SocketAddr::ip))?,
                clock: self.around.environment.clock.clone(),
            };
            nodes.push((addresses, load_balancer::router(settings)));
        }
        self.serve_each(Part::LoadBalancer, nodes)
    }
}
