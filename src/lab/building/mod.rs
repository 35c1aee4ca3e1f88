//! Builds what a plan asks for out of nodes, breaks it and mends it.

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
use crate::node::stub_resolver::StubResolver;
use crate::node::{Roster, client};
use crate::plan::{Fault, Plan};
use crate::zone::Zone;

use signals::Signals;

/// Every chance of the lab's nodes comes from the plan's seed, each kind of node from a stream of its own.
const CELLS: u64 = 1;
const FLEETS: u64 = 2;

/// A lab that serves. Everything ends when it is dropped.
pub(super) struct Building<'p> {
    plan: &'p Plan,
    front: Name,
    hosts: usize,
    environment: Environment,
    cells: Vec<Cell>,
    control: ControlPlane,
    observers: DnsObservers,
    _authoritative: AuthoritativeServer,
    _resolvers: Vec<Resolver>,
    tasks: Vec<JoinSet<()>>,
}

impl<'p> Building<'p> {
    /// Builds everything; every node serves when this returns, and the control plane listens at `control`.
    ///
    /// # Errors
    /// What could not be built, for people.
    pub(super) async fn build(
        plan: &'p Plan,
        zone: Arc<Zone>,
        ground: GroundKind,
        control_socket: Option<&Path>,
        clock: LabClock,
        recorder: &Recorder,
    ) -> Result<Self, String> {
        let addresses = addresses::hosts(plan);
        let ground = Ground::open(ground, &addresses).await.map_err(say)?;
        let environment = Environment { ground, clock, recorder: recorder.clone() };
        let evidence: SharedEvidence = Rc::new(RefCell::new(signals::board(plan)));
        let front = Name::from_ascii(&plan.name).map_err(say)?;

        let core = Authoritative::new(answers::authoritative_settings(plan, zone)?).map_err(say)?;
        let at = &plan.observe.authoritative_addresses;
        let authoritative = AuthoritativeServer::start(&environment, at, core, evidence.clone()).await.map_err(say)?;

        let around = Surroundings {
            roster: Roster::new(addresses::roster(plan)),
            checkers: addresses::checkers(plan),
            certificate: Certificate::self_signed(&addresses::served_names(plan)).map_err(say)?,
            evidence: evidence.clone(),
            environment: environment.clone(),
        };
        let mut chance = stream(plan.seed, CELLS);
        let mut cells = Vec::new();
        for (name, cell) in &plan.cells {
            cells.push(Cell::start(name, cell, &around, &mut chance).map_err(say)?);
        }

        let mut resolvers = Vec::new();
        for resolver in plan.resolvers.values() {
            resolvers.push(Resolver::start(&environment, resolver, at).await.map_err(say)?);
        }

        let Signals { control, mut tasks } =
            signals::start(plan, &evidence, &mut stream(plan.seed, FLEETS), &environment)?;
        if let Some(socket) = control_socket {
            let served = control_plane::serve(&control, socket);
            tasks.push(
                served.map_err(|error| format!("the control plane cannot listen at {}: {error}", socket.display()))?,
            );
        }
        let from = Standpoint { checkers: around.checkers.iter().copied().collect(), control: control.clone() };
        for fault in &plan.faults {
            let cell = fault.cell().map(|name| plan.cells.get(name).ok_or_else(|| format!("no cell {name}")));
            let every = plan.observe.fault_every;
            tasks.push(fault_lookout::start(fault, cell.transpose()?, &from, every, &environment).map_err(say)?);
        }
        let observers = DnsObservers::start(&environment, plan).map_err(say)?;
        Ok(Self {
            plan,
            front,
            hosts: addresses.len(),
            environment,
            cells,
            control,
            observers,
            _authoritative: authoritative,
            _resolvers: resolvers,
            tasks,
        })
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
                        self.environment.recorder.record(Event::UndoFailed { detail });
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
        let Self { plan, front, environment, tasks, .. } = self;
        for (name, client) in &plan.clients {
            let resolver =
                plan.resolvers.get(&client.resolver).ok_or_else(|| format!("no resolver {}", client.resolver))?;
            let stub = StubResolver::new(&environment.ground, &client.addresses, resolver.address).map_err(say)?;
            tasks.push(client::start(name, client, front, Arc::new(stub), environment).map_err(say)?);
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
        }
    }

    /// Breaks it. Whether it holds is for the lookouts to see; of a switch that refuses, the control plane says so.
    async fn inject(&mut self, fault: &Fault) {
        // What refuses is journalled there, and is seen not to hold.
        let _ = self.control.apply(fault);
        for cell in &mut self.cells {
            cell.apply(fault).await;
        }
    }

    /// Mends it.
    ///
    /// # Errors
    /// What could not be started again, or turned back, for people.
    fn heal(&mut self, fault: &Fault) -> Result<(), String> {
        self.control.undo(fault).map_err(say)?;
        self.cells.iter_mut().try_for_each(|cell| cell.undo(fault)).map_err(say)
    }

    /// Ends the observers and everything else; how late they asked.
    async fn close(self) -> Event {
        self.observers.stop().await
    }
}

fn stream(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut chance = ChaCha8Rng::seed_from_u64(seed);
    chance.set_stream(stream);
    chance
}

fn say(error: impl std::fmt::Display) -> String {
    error.to_string()
}
