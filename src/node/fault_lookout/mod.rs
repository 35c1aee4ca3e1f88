//! Looks at what a fault breaks, from outside and from the lab's start on.
//!
//! A lookout never reads what was asked for: its looks bound the moment at which a fault takes hold, and that at
//! which it is gone.

mod look;

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use hickory_proto::op::Query;
use hickory_proto::rr::{Name, RecordType};
use tokio::task::JoinSet;

use crate::fault::{Fault, Harm, Part};
use crate::ground::{Environment, Ground};
use crate::journal::event::Event;
use crate::plan::{CellKind, CellPlan, EnginePlan, LlmPlan, RegionPlan};
use crate::zone::HealthCheckId;

use super::cadence::Cadence;
use super::control_plane::ControlPlane;
use super::dns_client::DnsClient;
use super::http_client::HttpClient;
use super::target::DatabaseLink;
use super::{DATABASE_PORT, ENGINE_PORT, HEALTHZ_PORT, HTTP_PORT, LIFE_PORT};

pub use look::{ANSWER_WITHIN, PATIENCE, TOKEN_WITHIN};
use look::{Look, Page};

const USER: &str = "lookout";

/// What a lookout looks from, and through.
#[derive(Clone, Debug)]
pub struct Standpoint {
    /// The lab addresses of health checkers: whether a firewall lets them in is seen from one of them.
    pub checkers: Vec<IpAddr>,
    /// Where switches are read.
    pub control: ControlPlane,
    /// The lab addresses that the authoritative server is asked from.
    pub askers: Vec<IpAddr>,
    /// Its own lab addresses.
    pub name_servers: Vec<IpAddr>,
    /// What it is asked for.
    pub name: Name,
}

/// Why a fault cannot be looked at.
#[derive(Debug, thiserror::Error)]
pub enum LookoutError {
    /// A part has no address on this ground, or nobody can look at it.
    #[error("{part} cannot be looked at on this ground: {reason}")]
    OutOfSight {
        /// For people.
        part: String,
        /// For people.
        reason: String,
    },
    /// The HTTP client cannot be built.
    #[error("no HTTP client to look with: {0}")]
    NoHttpClient(#[from] reqwest::Error),
}

/// One part that a fault breaks, and how it is looked at.
#[derive(Clone, Debug)]
struct Lookout {
    name: String,
    look: Look,
}

/// Looks at every part of `fault` at the cadence `every`, each part on its own, and journals every look. `cell` is
/// the plan of the cell that the fault breaks, if it breaks one. Ends when what is returned is dropped. To be called
/// inside a `LocalSet`.
///
/// # Errors
/// When a part cannot be looked at.
pub fn start(
    fault: &Fault,
    cell: Option<&CellPlan>,
    from: &Standpoint,
    every: Duration,
    environment: &Environment,
) -> Result<JoinSet<()>, LookoutError> {
    let mut lookouts = JoinSet::new();
    for lookout in lookouts_of(fault, cell, from, environment)? {
        lookouts.spawn_local(keep_looking(fault.clone(), lookout, every, environment.clone()));
    }
    Ok(lookouts)
}

async fn keep_looking(fault: Fault, lookout: Lookout, every: Duration, environment: Environment) {
    let cadence = Cadence { first: environment.clock.now(), every };
    loop {
        let seen = lookout.look.now(&environment.clock).await;
        environment.recorder.record(Event::FaultLooked {
            fault: fault.clone(),
            part: lookout.name.clone(),
            broken: seen.is_err(),
            detail: seen.unwrap_or_else(|broken| broken),
        });
        environment.clock.sleep_until(cadence.next_after(environment.clock.now())).await;
    }
}

fn lookouts_of(
    fault: &Fault,
    cell: Option<&CellPlan>,
    from: &Standpoint,
    environment: &Environment,
) -> Result<Vec<Lookout>, LookoutError> {
    let mut lookouts = Vec::new();
    for part in fault.parts(cell.map(|cell| cell.kind.anatomy())) {
        let name = part.of(fault.of());
        let looks = match cell {
            Some(cell) => View { cell, from, ground: &environment.ground }.looks(part, fault.entry().harm)?,
            None if part == Part::Authoritative => authoritative(from, environment),
            None => switch(fault, from),
        };
        if looks.is_empty() {
            let reason = "no address of it, or of anybody who could look, is carried".to_owned();
            return Err(LookoutError::OutOfSight { part: name, reason });
        }
        lookouts.extend(looks.into_iter().map(|(door, look)| Lookout { name: format!("{name}{door}"), look }));
    }
    Ok(lookouts)
}

/// Looks, each with what tells it from the part's others: ` at 192.0.2.10`, or nothing.
type Looks = Vec<(String, Look)>;

fn switch(fault: &Fault, from: &Standpoint) -> Looks {
    let control = from.control.clone();
    let look = match fault {
        Fault::DrainCheck(id) => Look::IsNotInverted(control, HealthCheckId(id.clone())),
        other => Look::IsOn(control, other.of().to_owned()),
    };
    vec![(String::new(), look)]
}

fn authoritative(from: &Standpoint, environment: &Environment) -> Looks {
    let patience = environment.clock.speed().to_wall(PATIENCE);
    let client = DnsClient::new(&environment.ground, &from.askers, &from.name_servers, patience).ok();
    let query = Query::query(from.name.clone(), RecordType::SOA);
    client.map(|client| alone(Look::Resolves(client, query))).into_iter().collect()
}

/// A cell, as a lookout sees it.
struct View<'a> {
    cell: &'a CellPlan,
    from: &'a Standpoint,
    ground: &'a Ground,
}

impl View<'_> {
    fn looks(&self, part: Part, harm: Harm) -> Result<Looks, LookoutError> {
        Ok(match (part, harm) {
            (Part::Engine, Harm::Wedged | Harm::Throttled) => {
                let model = self.model();
                let pages = self.engine("/v1/completions")?.zip(self.engine("/metrics")?);
                let look = pages.map(|(asked, metrics)| Look::MakesTokens { asked, model, metrics });
                look.map(alone).into_iter().collect()
            }
            (Part::Engine, Harm::Frozen) | (Part::WayToEngine, _) => {
                self.engine("/health")?.map(Look::Answers).map(alone).into_iter().collect()
            }
            (Part::Engine, Harm::Starved) => {
                self.engine("/metrics")?.map(Look::HasCache).map(alone).into_iter().collect()
            }
            (Part::Engine, Harm::Wrong) => {
                let model = self.model();
                self.engine("/v1/models")?.map(|page| Look::Serves(page, model)).map(alone).into_iter().collect()
            }
            (Part::Engine, _) => self.connect(self.engine_address(), ENGINE_PORT),
            (Part::Healthz, Harm::Turned) => self.pages(HEALTHZ_PORT, "/healthz", None, Look::IsNotDrained)?,
            (Part::Healthz, _) => self.doors(HEALTHZ_PORT),
            (Part::Firewall, _) => self.pages(HTTP_PORT, "/", Some(&self.from.checkers), Look::LetsIn)?,
            (Part::LoadBalancer, Harm::CutOff) => self.each_door(HTTP_PORT, Look::IsReached),
            (Part::LoadBalancer | Part::StaticSite, _) => self.doors(HTTP_PORT),
            (Part::Target(index), _) => {
                let targets = self.region().map(|region| &region.target_addresses);
                self.connect(targets.and_then(|targets| targets.get(index).copied()), HTTP_PORT)
            }
            (Part::WayToDatabase | Part::Database, _) => {
                let at = self.region().and_then(|region| self.here(region.database_address, DATABASE_PORT));
                let link = |at| DatabaseLink {
                    ground: self.ground.clone(),
                    at,
                    from: None,
                    user: USER.to_owned(),
                    patience: if part == Part::WayToDatabase { ANSWER_WITHIN } else { PATIENCE },
                };
                at.map(|at| alone(Look::Query(link(at)))).into_iter().collect()
            }
            (Part::Prober, _) => self.connect(self.llm().and_then(|llm| Some(llm.prober.as_ref()?.address)), LIFE_PORT),
            (Part::Producer, _) => {
                self.connect(self.region().and_then(|region| Some(region.queue?.producer_address)), LIFE_PORT)
            }
            (Part::Worker, _) => {
                self.connect(self.region().and_then(|region| Some(region.queue?.worker_address)), LIFE_PORT)
            }
            // No cell has one.
            (Part::Switch | Part::Authoritative, _) => Vec::new(),
        })
    }

    fn region(&self) -> Option<&RegionPlan> {
        if let CellKind::Region(region) = &self.cell.kind { Some(region) } else { None }
    }

    fn llm(&self) -> Option<&LlmPlan> {
        if let CellKind::Llm(llm) = &self.cell.kind { Some(llm) } else { None }
    }

    fn engine_address(&self) -> Option<IpAddr> {
        match self.llm()?.engine {
            EnginePlan::Own { address, .. } => Some(address),
            EnginePlan::Real { .. } => None,
        }
    }

    fn model(&self) -> String {
        match self.llm().map(|llm| &llm.engine) {
            Some(EnginePlan::Own { settings, .. }) => settings.model.clone(),
            Some(EnginePlan::Real { model, .. }) => model.clone(),
            None => String::new(),
        }
    }

    fn engine(&self, path: &str) -> Result<Option<Page>, LookoutError> {
        let Some(at) = self.engine_address().and_then(|address| self.here(address, ENGINE_PORT)) else {
            return Ok(None);
        };
        Ok(Some(Page { http: HttpClient::fresh(self.ground, None)?, url: format!("http://{at}{path}") }))
    }

    /// A page at every public address; asked for from an address out of `from` of the same family, if it is given.
    fn pages(
        &self,
        port: u16,
        path: &str,
        from: Option<&[IpAddr]>,
        look: impl Fn(Page) -> Look,
    ) -> Result<Looks, LookoutError> {
        let mut looks = Vec::new();
        for (address, at) in self.public(port) {
            let stand = from.map(|from| {
                let mut stands = from.iter().filter(|stand| stand.is_ipv4() == address.is_ipv4());
                stands.find_map(|stand| self.here(*stand, 0))
            });
            // Where no checker comes from, none is locked out.
            if stand == Some(None) {
                continue;
            }
            let http = HttpClient::fresh(self.ground, stand.flatten().map(|stand| stand.ip()))?;
            let page = Page { http, url: format!("http://{at}{path}") };
            looks.push((format!(" at {address}"), look(page)));
        }
        Ok(looks)
    }

    fn doors(&self, port: u16) -> Looks {
        self.each_door(port, Look::Connect)
    }

    fn each_door(&self, port: u16, look: impl Fn(Ground, SocketAddr) -> Look) -> Looks {
        self.public(port).map(|(address, at)| (format!(" at {address}"), look(self.ground.clone(), at))).collect()
    }

    fn public(&self, port: u16) -> impl Iterator<Item = (IpAddr, SocketAddr)> {
        self.cell.addresses.iter().filter_map(move |address| Some((*address, self.here(*address, port)?)))
    }

    fn connect(&self, lab: Option<IpAddr>, port: u16) -> Looks {
        lab.and_then(|lab| self.here(lab, port))
            .map(|at| alone(Look::Connect(self.ground.clone(), at)))
            .into_iter()
            .collect()
    }

    fn here(&self, lab: IpAddr, port: u16) -> Option<SocketAddr> {
        self.ground.here(SocketAddr::new(lab, port))
    }
}

fn alone(look: Look) -> (String, Look) {
    (String::new(), look)
}

#[cfg(test)]
mod tests;
