//! Builds what a plan asks for out of nodes, breaks it and mends it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use hickory_proto::rr::Name;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use tokio::task::JoinSet;

use crate::decide::Switches;
use crate::drill::locations;
use crate::ground::Environment;
use crate::ground::{Ground, GroundKind};
use crate::ground::{Recorder, WallClock};
use crate::health::EvidenceBoard;
use crate::journal::event::Event;
use crate::node::authoritative::{
    Authoritative, AuthoritativeServer, AuthoritativeSettings, CellNames, Location, LocationMap, NameServer,
    SharedEvidence,
};
use crate::node::cells::Cell;
use crate::node::checker_fleet::{CheckerFleet, Whereabouts};
use crate::node::dns_observer::DnsObservers;
use crate::node::resolver::Resolver;
use crate::node::status_board::StatusBoard;
use crate::node::stub_resolver::StubResolver;
use crate::node::{Roster, checker_fleet, client, fault_lookout};
use crate::plan::{Fault, HealthCheckPlan, Plan};
use crate::zone::Zone;

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
    observers: DnsObservers,
    _authoritative: AuthoritativeServer,
    _resolvers: Vec<Resolver>,
    _fleets: Vec<CheckerFleet>,
    tasks: Vec<JoinSet<()>>,
}

impl<'p> Building<'p> {
    /// Builds everything; every node serves when this returns.
    ///
    /// # Errors
    /// What could not be built, for people.
    pub(super) async fn build(
        plan: &'p Plan,
        zone: Arc<Zone>,
        ground: GroundKind,
        clock: WallClock,
        recorder: &Recorder,
    ) -> Result<Self, String> {
        let addresses = hosts(plan);
        let ground = Ground::open(ground, &addresses).await.map_err(say)?;
        let environment = Environment { ground, clock, recorder: recorder.clone() };
        let evidence: SharedEvidence = Rc::new(RefCell::new(EvidenceBoard::default()));
        let front = Name::from_ascii(&plan.name).map_err(say)?;

        let core = Authoritative::new(authoritative_settings(plan, zone)?).map_err(say)?;
        let at = &plan.observe.authoritative_addresses;
        let authoritative = AuthoritativeServer::start(&environment, at, core, evidence.clone()).await.map_err(say)?;

        let roster: Roster = Arc::new(roster(plan));
        let mut chance = stream(plan.seed, CELLS);
        let mut cells = Vec::new();
        for (name, cell) in &plan.cells {
            cells.push(Cell::start(name, cell, &roster, &evidence, &mut chance, &environment).map_err(say)?);
        }

        let mut resolvers = Vec::new();
        for resolver in plan.resolvers.values() {
            resolvers.push(Resolver::start(&environment, resolver, at).await.map_err(say)?);
        }

        let (mut tasks, mut fleets) = (Vec::new(), Vec::new());
        let mut chance = stream(plan.seed, FLEETS);
        let board = StatusBoard::new(evidence, recorder.clone());
        board.begin();
        for (id, check) in &plan.health_checks {
            let Some(endpoint) = check.endpoint() else { continue };
            let of_cell = plan.cells.get(&endpoint.cell).map_or(&[][..], |cell| &cell.addresses);
            let whereabouts = Whereabouts { endpoint: of_cell, name_servers: at };
            let (board, status) = (board.clone(), check.status);
            let fleet = checker_fleet::start(id, endpoint, status, whereabouts, board, &mut chance, &environment);
            fleets.push(fleet.map_err(say)?);
        }
        for fault in &plan.faults {
            let cell = fault.cell().and_then(|cell| plan.cells.get(cell));
            let cell = cell.ok_or_else(|| format!("no cell {}", fault.of()))?;
            tasks.push(fault_lookout::start(fault, cell, plan.observe.fault_every, &environment));
        }
        let observers = DnsObservers::start(&environment, plan).map_err(say)?;
        Ok(Self {
            plan,
            front,
            hosts: addresses.len(),
            environment,
            cells,
            observers,
            _authoritative: authoritative,
            _resolvers: resolvers,
            _fleets: fleets,
            tasks,
        })
    }

    /// Lets the clients ask.
    ///
    /// # Errors
    /// What could not be started, for people.
    pub(super) fn start_clients(&mut self) -> Result<(), String> {
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
    pub(super) fn ready(&self, took: Duration) -> Event {
        let ground = &self.environment.ground;
        Event::LabReady {
            lab: "embedded".to_owned(),
            ground: ground.kind().to_string(),
            hosts: self.hosts,
            took,
            families: ground.families(),
        }
    }

    /// Breaks it. Whether it holds is for the lookouts to see.
    pub(super) async fn inject(&mut self, fault: &Fault) {
        for cell in &mut self.cells {
            cell.apply(fault).await;
        }
    }

    /// Mends it.
    ///
    /// # Errors
    /// What could not be started again, for people.
    pub(super) fn heal(&mut self, fault: &Fault) -> Result<(), String> {
        self.cells.iter_mut().try_for_each(|cell| cell.undo(fault)).map_err(say)
    }

    /// Ends the observers and everything else; how late they asked.
    pub(super) async fn close(self) -> Event {
        self.observers.stop().await
    }
}

fn authoritative_settings(plan: &Plan, zone: Arc<Zone>) -> Result<AuthoritativeSettings, String> {
    let mut resources = BTreeMap::new();
    let mut cells = CellNames::default();
    for (name, cell) in &plan.cells {
        if let Some(target) = &cell.alias_target {
            let target = Name::from_ascii(target).map_err(say)?;
            resources.insert(target.clone(), cell.addresses.clone());
            cells.by_resource.insert(target, name.clone());
        }
        cells.by_address.extend(cell.addresses.iter().map(|address| (*address, name.clone())));
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

/// Every lab address of the plan, each once.
fn hosts(plan: &Plan) -> Vec<IpAddr> {
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

fn roster(plan: &Plan) -> BTreeMap<IpAddr, String> {
    let clients = plan.clients.iter();
    clients.flat_map(|(name, client)| client.addresses.iter().map(|address| (*address, name.clone()))).collect()
}

fn stream(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut chance = ChaCha8Rng::seed_from_u64(seed);
    chance.set_stream(stream);
    chance
}

fn say(error: impl std::fmt::Display) -> String {
    error.to_string()
}
