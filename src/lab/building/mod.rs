//! Builds what a plan asks for, or a share of it, out of nodes, breaks it and mends it.

mod addresses;
mod answers;
mod signals;

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use hickory_proto::rr::Name;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::authoritative::Authoritative;
use crate::conduct::Command;
use crate::ground::{Environment, Ground, GroundKind, LabClock, Recorder};
use crate::journal::event::Event;
use crate::node::authoritative::{AuthoritativeServer, SharedEvidence};
use crate::node::cells::{Cell, Surroundings};
use crate::node::certificate::Certificate;
use crate::node::control_plane::{self, ControlPlane};
use crate::node::dns_observer::DnsObservers;
use crate::node::fault_lookout::{self, Standpoint};
use crate::node::resolver::Resolver;
use crate::node::resource_board::ResourceBoard;
use crate::node::stub_resolver::StubResolver;
use crate::node::{Roster, client};
use crate::plan::{Family, Fault, Plan, WireTtl};
use crate::zone::Zone;

use super::{Share, parts_by_themselves};
use signals::Signals;

/// Every chance of the lab's nodes comes from the plan's seed, each kind of node from a stream of its own.
const CELLS: u64 = 1;
const FLEETS: u64 = 2;

/// What is to be built.
pub(super) struct Order<'p> {
    /// The plan of the whole lab.
    pub(super) plan: &'p Plan,
    /// What is answered from, where the authoritative server is built.
    pub(super) zone: Option<Arc<Zone>>,
    /// Which part of the lab.
    pub(super) share: Share,
    /// What it stands on.
    pub(super) ground: GroundKind,
    /// Where the control plane listens, if it is to.
    pub(super) control_socket: Option<&'p Path>,
    /// Lab time.
    pub(super) clock: LabClock,
    /// Where events go.
    pub(super) recorder: &'p Recorder,
    /// Where load balancers show their health; `None`: on this building's own board.
    pub(super) resources: Option<ResourceBoard>,
}

/// A lab, or a share of one, that serves. Everything ends when it is dropped.
pub(super) struct Building<'p> {
    plan: &'p Plan,
    share: Share,
    front: Name,
    hosts: usize,
    environment: Environment,
    evidence: SharedEvidence,
    cells: Vec<Cell>,
    centre: Option<Centre>,
    resolvers: Vec<Resolver>,
    tasks: Vec<JoinSet<()>>,
}

/// What a lab has once: who answers, who judges, who watches.
struct Centre {
    control: ControlPlane,
    observers: DnsObservers,
    authoritative: AuthoritativeServer,
}

impl Centre {
    /// Silences the authoritative server, or lets it answer again, if this fault is what does so.
    fn silence(&self, fault: &Fault, silent: bool) {
        if *fault == Fault::SilenceAuthoritative {
            self.authoritative.silence(silent);
        }
    }
}

impl<'p> Building<'p> {
    /// Builds everything of the share; every node of it serves when this returns.
    ///
    /// # Errors
    /// What could not be built, for people.
    pub(super) async fn build(order: Order<'p>) -> Result<Self, String> {
        let Order { plan, zone, share, ground, control_socket, clock, recorder, resources } = order;
        let addresses = addresses::hosts(plan);
        let mut ground = Ground::open(ground, &addresses).await.map_err(say)?;
        if plan.wire == WireTtl::WallSeconds {
            ground = ground.counting_wall_seconds(plan.speed);
        }
        let environment = Environment { ground, clock, recorder: recorder.clone() };
        let evidence: SharedEvidence = Rc::new(RefCell::new(signals::board(plan)));
        let front = Name::from_ascii(&plan.name).map_err(say)?;
        let resources = resources.unwrap_or_else(|| ResourceBoard::here(evidence.clone()));
        let mut building = Self {
            plan,
            share,
            front,
            hosts: addresses.len(),
            environment,
            evidence,
            cells: Vec::new(),
            centre: None,
            resolvers: Vec::new(),
            tasks: Vec::new(),
        };
        // Who answers comes before who asks, and the cells before whoever checks them.
        let authoritative = match zone.filter(|_| building.share.is_hub()) {
            Some(zone) => Some(building.authoritative(zone).await?),
            None => None,
        };
        building.add_cells(resources)?;
        for (_, resolver) in plan.resolvers.iter().filter(|(name, _)| building.share.has_resolver(name)) {
            let at = &plan.observe.authoritative_addresses;
            building.resolvers.push(Resolver::start(&building.environment, resolver, at).await.map_err(say)?);
        }
        if let Some(authoritative) = authoritative {
            building.add_centre(authoritative, control_socket)?;
        }
        Ok(building)
    }

    async fn authoritative(&self, zone: Arc<Zone>) -> Result<AuthoritativeServer, String> {
        let core = Authoritative::new(answers::authoritative_settings(self.plan, zone)?).map_err(say)?;
        let at = &self.plan.observe.authoritative_addresses;
        AuthoritativeServer::start(&self.environment, at, core, self.evidence.clone()).await.map_err(say)
    }

    fn add_cells(&mut self, resources: ResourceBoard) -> Result<(), String> {
        let (plan, share) = (self.plan, &self.share);
        let around = Surroundings {
            roster: Roster::new(addresses::roster(plan)),
            checkers: addresses::checkers(plan),
            certificate: Certificate::self_signed(&addresses::served_names(plan)).map_err(say)?,
            resources,
            environment: self.environment.clone(),
        };
        let mut chance = stream(plan.seed, CELLS);
        for (name, cell) in plan.cells.iter().filter(|(name, _)| share.has_cell(name)) {
            let started = match share {
                Share::Part { part, .. } => Cell::start_part(*part, name, cell, &around, &mut chance),
                Share::Cell(_) => Cell::start_without(&parts_by_themselves(cell), name, cell, &around, &mut chance),
                _ => Cell::start(name, cell, &around, &mut chance),
            };
            self.cells.push(started.map_err(say)?);
        }
        Ok(())
    }

    /// Adds what feeds the health statuses, the control plane, which listens at `control_socket`, and who watches.
    fn add_centre(&mut self, authoritative: AuthoritativeServer, control_socket: Option<&Path>) -> Result<(), String> {
        let (plan, environment) = (self.plan, &self.environment);
        let Signals { control, tasks } =
            signals::start(plan, &self.evidence, &mut stream(plan.seed, FLEETS), environment)?;
        self.tasks.extend(tasks);
        if let Some(socket) = control_socket {
            let served = control_plane::serve(&control, socket);
            self.tasks.push(
                served.map_err(|error| format!("the control plane cannot listen at {}: {error}", socket.display()))?,
            );
        }
        let checkers = addresses::checkers(plan).into_iter().collect();
        let from = Standpoint {
            checkers,
            control: control.clone(),
            askers: plan.observe.questions.iter().map(|question| question.address).collect(),
            name_servers: plan.observe.authoritative_addresses.clone(),
            name: self.front.clone(),
        };
        for fault in &plan.faults {
            let cell = fault.cell().map(|name| plan.cells.get(name).ok_or_else(|| format!("no cell {name}")));
            let every = plan.observe.fault_every;
            let lookout = fault_lookout::start(fault, cell.transpose()?, &from, every, environment);
            self.tasks.push(lookout.map_err(say)?);
        }
        let observers = DnsObservers::start(environment, plan).map_err(say)?;
        self.centre = Some(Centre { control, observers, authoritative });
        Ok(())
    }

    /// The evidence that its authoritative server decides by.
    pub(super) fn evidence(&self) -> SharedEvidence {
        self.evidence.clone()
    }

    /// The families that answers are connected to.
    pub(super) fn families(&self) -> Vec<Family> {
        self.environment.ground.families()
    }

    /// Does what it is told until nobody is left who could tell it something; how late the observers asked.
    ///
    /// # Errors
    /// What could not be started, for people.
    pub(super) async fn obey(mut self, mut orders: mpsc::UnboundedReceiver<Command>) -> Result<Event, String> {
        while let Some(command) = orders.recv().await {
            match command {
                Command::StartClients => self.start_clients()?,
                Command::Inject(fault) => self.inject(&fault).await,
                // Told, and the next one is healed all the same.
                Command::Heal(fault) => {
                    if let Err(detail) = self.heal(&fault) {
                        self.environment.recorder.record(Event::NotUndone { detail });
                    }
                }
            }
        }
        Ok(self.close().await)
    }

    /// Lets the clients ask.
    ///
    /// # Errors
    /// What could not be started, for people.
    fn start_clients(&mut self) -> Result<(), String> {
        let Self { plan, front, environment, tasks, share, .. } = self;
        for (name, client) in plan.clients.iter().filter(|(name, _)| share.has_client(name)) {
            let resolver =
                plan.resolvers.get(&client.resolver).ok_or_else(|| format!("no resolver {}", client.resolver))?;
            let stub = StubResolver::new(&environment.ground, &client.addresses, resolver.address).map_err(say)?;
            tasks.push(client::start(name, client, front, Arc::new(stub), environment).map_err(say)?);
        }
        if let Some(centre) = &self.centre {
            centre.observers.clients_ask();
        }
        Ok(())
    }

    /// What this lab is, for the journal.
    pub(super) fn ready(&self, lab: &str, took: Duration) -> Event {
        let ground = &self.environment.ground;
        Event::LabReady {
            lab: lab.to_owned(),
            ground: ground.kind().to_string(),
            hosts: self.hosts,
            took,
            families: ground.families(),
            clock: None,
        }
    }

    /// Breaks it. Whether it holds is for the lookouts to see; of a switch that refuses, the control plane says so.
    async fn inject(&mut self, fault: &Fault) {
        // What refuses is journalled there, and is seen not to hold.
        if let Some(centre) = &self.centre {
            let _ = centre.control.apply(fault);
            centre.silence(fault, true);
        }
        for cell in &mut self.cells {
            cell.apply(fault).await;
        }
    }

    /// Mends it.
    ///
    /// # Errors
    /// What could not be started again, or turned back, for people.
    fn heal(&mut self, fault: &Fault) -> Result<(), String> {
        if let Some(centre) = &self.centre {
            centre.silence(fault, false);
            centre.control.undo(fault).map_err(say)?;
        }
        self.cells.iter_mut().try_for_each(|cell| cell.undo(fault)).map_err(say)
    }

    /// Ends the observers and everything else; how late they asked.
    async fn close(self) -> Event {
        match self.centre {
            Some(centre) => centre.observers.stop().await,
            None => Event::Lateness { count: 0, p50: Duration::ZERO, p99: Duration::ZERO, max: Duration::ZERO },
        }
    }
}

/// Every lab address of a plan, each once.
pub(super) fn lab_addresses(plan: &Plan) -> Vec<std::net::IpAddr> {
    addresses::hosts(plan)
}

fn stream(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut chance = ChaCha8Rng::seed_from_u64(seed);
    chance.set_stream(stream);
    chance
}

fn say(error: impl std::fmt::Display) -> String {
    error.to_string()
}
