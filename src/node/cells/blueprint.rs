//! What the processes of every kind of cell are made from: addresses, doors, the firewall in front of them.

use std::net::{IpAddr, SocketAddr};

use axum::Router;
use futures_util::FutureExt;
use rand::Rng;
use tokio::sync::watch;

use crate::fault::{Harm, Part};
use crate::node::firewall::Firewall;
use crate::node::http_client::HttpClient;
use crate::node::process::Process;
use crate::node::way::{self, Stall};
use crate::node::{Arrivals, HTTP_PORT, HTTPS_PORT, Roster, http_server, static_site, telemetry_gateway};
use crate::plan::{CellKind, CellPlan};

use super::{CellError, Lever, Organs, Surroundings};

/// What the processes of a cell are made from.
pub(super) struct Blueprint<'a> {
    pub(super) name: &'a str,
    pub(super) plan: &'a CellPlan,
    pub(super) around: &'a Surroundings,
    firewall: Firewall,
}

impl<'a> Blueprint<'a> {
    pub(super) fn new(name: &'a str, plan: &'a CellPlan, around: &'a Surroundings) -> Self {
        Self { name, plan, around, firewall: Firewall::new(around.checkers.clone()) }
    }

    /// Everything but the checks of a region; `routable` says which targets the load balancer's node of each of its
    /// zones sends to.
    pub(super) fn organs(
        &self,
        routable: Vec<watch::Receiver<Vec<usize>>>,
        rng: &mut impl Rng,
    ) -> Result<Organs, CellError> {
        match &self.plan.kind {
            CellKind::Region(region) => self.region(region, routable, rng),
            CellKind::Llm(llm) => self.llm(llm, rng),
            CellKind::TelemetryGateway => self.telemetry_gateway(),
            CellKind::StaticSite => self.static_site(),
        }
    }

    /// A static site, which is one process.
    pub(super) fn static_site(&self) -> Result<Organs, CellError> {
        let site = self.serve(Part::StaticSite, static_site::router(self.arrivals()))?;
        Ok(Organs {
            processes: vec![(Part::StaticSite, site)],
            levers: vec![self.firewall_lever()],
            ..Organs::default()
        })
    }

    /// A telemetry gateway, which is one process.
    pub(super) fn telemetry_gateway(&self) -> Result<Organs, CellError> {
        let gateway = self.serve(Part::LoadBalancer, telemetry_gateway::router(self.arrivals()))?;
        let processes = vec![(Part::LoadBalancer, gateway)];
        Ok(Organs { processes, levers: vec![self.firewall_lever()], ..Organs::default() })
    }

    /// Locks health checkers out of every door of the cell.
    pub(super) fn firewall_lever(&self) -> Lever {
        let firewall = self.firewall.clone();
        Lever::new(Part::Firewall, Harm::LockedOut, move |locked| firewall.lock_out(locked))
    }

    /// A Toxiproxy on the way to a server, which a fault stalls.
    pub(super) fn add_way(&self, way: Part, here: SocketAddr, behind: SocketAddr, seed: u64, organs: &mut Organs) {
        let (ground, stall) = (self.around.environment.ground.clone(), Stall::default());
        let lever = stall.clone();
        organs.levers.push(Lever::new(way, Harm::Stalled, move |stalled| lever.set(stalled)));
        organs.processes.push((way, Process::new(move || way::bind(&ground, here, behind, &stall, seed))));
    }

    /// The firewall that stands in front of every door of the cell.
    pub(super) fn firewall(&self) -> Firewall {
        self.firewall.clone()
    }

    /// A process that answers on the cell's public addresses, by HTTP and by HTTPS.
    pub(super) fn serve(&self, part: Part, router: Router) -> Result<Process, CellError> {
        self.serve_each(part, vec![(self.plan.addresses.clone(), router)])
    }

    /// The same with an own router for each of several shares of the addresses.
    pub(super) fn serve_each(&self, part: Part, shares: Vec<(Vec<IpAddr>, Router)>) -> Result<Process, CellError> {
        let mut nodes = Vec::new();
        for (addresses, router) in shares {
            let doors = |port| self.doors_at(part, &addresses, port);
            nodes.push((doors(HTTP_PORT)?, doors(HTTPS_PORT)?, self.firewall.guard(router)));
        }
        let (ground, certificate) = (self.around.environment.ground.clone(), self.around.certificate.clone());
        Ok(Process::new(move || {
            let mut serving = Vec::new();
            for (plain, secure, router) in &nodes {
                serving.push(http_server::bind(plain, router.clone(), ground.clone())?);
                serving.push(http_server::bind_tls(secure, router.clone(), ground.clone(), &certificate)?);
            }
            Ok(futures_util::future::join_all(serving).map(drop).boxed_local())
        }))
    }

    pub(super) fn arrivals(&self) -> Arrivals {
        let Surroundings { roster, environment, .. } = self.around;
        Arrivals::new(self.name.to_owned(), Roster::clone(roster), environment.recorder.clone())
    }

    /// A client whose requests come from this address of this machine.
    pub(super) fn http_client(&self, from: Option<IpAddr>) -> Result<HttpClient, CellError> {
        HttpClient::fresh(&self.around.environment.ground, from)
            .map_err(|problem| CellError::NoHttpClient { cell: self.name.to_owned(), problem })
    }

    /// The public addresses that this ground carries. At least one.
    pub(super) fn doors(&self, of: Part, port: u16) -> Result<Vec<SocketAddr>, CellError> {
        self.doors_at(of, &self.plan.addresses, port)
    }

    /// Those out of some of them that this ground carries. At least one.
    pub(super) fn doors_at(&self, of: Part, addresses: &[IpAddr], port: u16) -> Result<Vec<SocketAddr>, CellError> {
        let here = |address: &IpAddr| self.around.environment.ground.here(SocketAddr::new(*address, port));
        let doors: Vec<SocketAddr> = addresses.iter().filter_map(here).collect();
        if doors.is_empty() { Err(self.no_address(&of.of(self.name), addresses.to_vec())) } else { Ok(doors) }
    }

    /// The socket address of something inside the cell; `what` is its name, for people.
    pub(super) fn inside(&self, what: &str, lab: IpAddr, port: u16) -> Result<SocketAddr, CellError> {
        let here = self.around.environment.ground.here(SocketAddr::new(lab, port));
        here.ok_or_else(|| self.no_address(what, vec![lab]))
    }

    pub(super) fn here(&self, of: Part, lab: IpAddr, port: u16) -> Result<SocketAddr, CellError> {
        self.inside(&of.of(self.name), lab, port)
    }

    pub(super) fn no_address(&self, part: &str, addresses: Vec<IpAddr>) -> CellError {
        CellError::NoAddress { cell: self.name.to_owned(), part: part.to_owned(), addresses }
    }
}
