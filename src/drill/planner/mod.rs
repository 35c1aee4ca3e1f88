//! Planning: a loaded drill and a seed in, the [`Plan`] out. The same drill and seed give the same plan.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::time::Duration;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::clock::Speed;
use crate::decide::Viewpoint;
use crate::fault::Harm;
use crate::plan::Prediction;
use crate::timeline::predict;
use crate::zone::Zone;

use super::addresses::{self, CellBlock, PlaceBlock};
use super::loaded::{Cell, CellMake, Client, EngineMake, LlmMake, LoadedDrill, Probe, RegionMake, Resolver};
use super::pace::{self, Pace};
use super::settling::longest_interval;
use crate::plan::expectation::Claim;
use crate::plan::{
    CellKind, CellPlan, ClientPlan, EnginePlan, Family, LlmPlan, ObservePlan, Plan, ProbePlan, ProberPlan, QueuePlan,
    RegionPlan, ResolverKind, ResolverPlan, WatchedQuestion, WireTtl, ZonePlan,
};

/// What a run may choose for itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlanOptions {
    /// What every random choice of the run comes from.
    pub seed: u64,
    /// Lab seconds per wall second; worked out from the drill when missing.
    pub speed: Option<Speed>,
    /// The fault is left out, and the drill must then not pass.
    pub control: bool,
    /// In which seconds TTLs stand on the wire of the lab that the plan is for.
    pub wire: WireTtl,
}

impl LoadedDrill {
    /// Gives everything an address, draws the fault's moment, predicts the stages and sets the schedule.
    #[must_use]
    pub fn plan(&self, options: PlanOptions) -> Plan {
        let mut blocks = self.place_blocks();
        let resolvers = self.resolvers(&mut blocks);
        let clients = self.clients(&mut blocks);
        let probes = self.probes(&mut blocks);
        let cells = self.cells.iter().enumerate().map(|(rank, (name, cell))| {
            let is_done =
                |harm| self.faults.iter().any(|fault| fault.entry().harm == harm && fault.cell() == Some(name));
            let (proxied, engine_works) = (is_done(Harm::Stalled), is_done(Harm::Throttled));
            let plan = CellPlan { proxied, engine_works, ..cell_plan(cell, rank, &self.zone) };
            (name.clone(), plan)
        });
        let mut plan = Plan {
            drill: self.name.clone(),
            title: self.title.clone(),
            hazard: self.hazard.clone(),
            estimate: self.estimate.clone(),
            sources: self.sources.clone(),
            name: self.front.to_string(),
            seed: options.seed,
            speed: Speed::REAL,
            wire: WireTtl::Lab,
            control: options.control,
            cells: cells.collect(),
            observe: self.observe(&blocks),
            resolvers,
            clients,
            health_checks: self.health_checks.clone(),
            probes,
            routing_controls: self.routing_controls.clone(),
            faults: self.faults.clone(),
            schedule: pace::unset(),
            expectations: self.expectations.clone(),
            prediction: Prediction::default(),
        };
        plan.prediction = predict(&plan, &self.zone);
        let fault_after = fault_moment(options.seed, longest_interval(&plan));
        plan.wire = options.wire;
        let pace = |plan: &Plan| Pace::of(plan, self.hold, self.recover, fault_after);
        plan.speed = options.speed.unwrap_or_else(|| pace(&plan).speed());
        // Whole wall seconds are longer in lab time the faster it passes, and so is what is predicted.
        if !plan.wire.is_lab() {
            plan.prediction = predict(&plan, &self.zone);
        }
        plan.schedule = pace(&plan).schedule(plan.speed);
        plan
    }

    /// Each place's block of addresses: of those who ask, and of those as from where the drill expects answers.
    fn place_blocks(&self) -> BTreeMap<String, PlaceBlock> {
        let mut places: BTreeSet<&str> = self.resolvers.values().map(|resolver| resolver.place.as_str()).collect();
        places.extend(self.clients.values().map(|client| client.place.as_str()));
        places.extend(self.expectations.iter().filter_map(|expectation| match &expectation.claim {
            Claim::Answer { place, .. } => Some(place.as_str()),
            _ => None,
        }));
        places.into_iter().enumerate().map(|(rank, place)| (place.to_owned(), PlaceBlock::of(rank))).collect()
    }

    fn resolvers(&self, blocks: &mut BTreeMap<String, PlaceBlock>) -> BTreeMap<String, ResolverPlan> {
        let plan = |(name, resolver): (&String, &Resolver)| {
            let (address, _) = blocks.get_mut(&resolver.place)?.next_host();
            let viewpoint = resolver.viewpoint.clone();
            let viewpoint = Viewpoint { source: Some(IpNet::from(address)), ..viewpoint };
            let place = resolver.place.clone();
            let Resolver { kind, software, serve_stale, .. } = *resolver;
            Some((name.clone(), ResolverPlan { place, viewpoint, kind, software, serve_stale, address }))
        };
        self.resolvers.iter().filter_map(plan).collect()
    }

    fn clients(&self, blocks: &mut BTreeMap<String, PlaceBlock>) -> BTreeMap<String, ClientPlan> {
        let plan = |(name, client): (&String, &Client)| {
            let (v4, v6) = blocks.get_mut(&client.place)?.next_host();
            let viewpoint = Viewpoint { source: Some(subnet(v4)), ..client.viewpoint.clone() };
            let plan = ClientPlan {
                place: client.place.clone(),
                viewpoint,
                resolver: client.resolver.clone(),
                profile: client.profile,
                runs: client.runs.clone(),
                family: client.family,
                every: client.every,
                timeout: client.timeout,
                slow: client.slow,
                asks: client.asks,
                workers: client.workers,
                tier: client.tier.clone(),
                addresses: vec![v4, v6],
            };
            Some((name.clone(), plan))
        };
        self.clients.iter().filter_map(plan).collect()
    }

    /// A probe stands next to the resolver that it asks.
    fn probes(&self, blocks: &mut BTreeMap<String, PlaceBlock>) -> BTreeMap<String, ProbePlan> {
        let plan = |(name, probe): (&String, &Probe)| {
            let (address, _) = blocks.get_mut(&self.resolvers.get(&probe.resolver)?.place)?.next_host();
            let plan = ProbePlan {
                asks: probe.asks.to_string(),
                resolver: probe.resolver.clone(),
                every: probe.every,
                timeout: probe.timeout,
                address,
            };
            Some((name.clone(), plan))
        };
        self.probes.iter().filter_map(plan).collect()
    }

    fn observe(&self, blocks: &BTreeMap<String, PlaceBlock>) -> ObservePlan {
        let question = |(name, family, place): (String, Family, String)| {
            let address = blocks.get(&place)?.observer();
            let viewpoint = Viewpoint::of_place(&place).ok()?;
            let viewpoint = Viewpoint { source: Some(IpNet::from(address)), ..viewpoint };
            Some(WatchedQuestion { name, family, place, viewpoint, address })
        };
        ObservePlan {
            authoritative_every: self.cadence.authoritative,
            resolver_every: self.cadence.resolver,
            fault_every: self.cadence.fault,
            questions: self.questions().into_iter().filter_map(question).collect(),
            authoritative_addresses: addresses::authoritative(),
        }
    }

    /// What the authoritative server is asked: the front name for each client, as from where the client stands and
    /// as from where its resolver makes it seem to stand; and whatever an expectation speaks of.
    fn questions(&self) -> BTreeSet<(String, Family, String)> {
        let front = self.front.to_string();
        let mut questions = BTreeSet::new();
        for client in self.clients.values() {
            questions.insert((front.clone(), client.family, client.place.clone()));
            let resolver = self.resolvers.get(&client.resolver);
            if let Some(resolver) = resolver.filter(|resolver| resolver.kind != ResolverKind::ClientSubnet) {
                questions.insert((front.clone(), client.family, resolver.place.clone()));
            }
        }
        for expectation in &self.expectations {
            if let Claim::Answer { name, family, place, .. } = &expectation.claim {
                questions.insert((name.clone(), *family, place.clone()));
            }
        }
        questions
    }
}

fn cell_plan(cell: &Cell, rank: usize, zone: &Zone) -> CellPlan {
    let block = CellBlock::of(rank);
    let zones = if let CellMake::Region(region) = &cell.make { region.zones.len() } else { 0 };
    let addresses = if cell.addresses.is_empty() { block.fronts(zones) } else { cell.addresses.clone() };
    let kind = match &cell.make {
        CellMake::StaticSite => CellKind::StaticSite,
        CellMake::TelemetryGateway => CellKind::TelemetryGateway,
        CellMake::Llm(llm) => CellKind::Llm(llm_plan(llm, block)),
        CellMake::Region(region) => CellKind::Region(RegionPlan {
            targets: region.targets,
            target_group: region.target_group.clone(),
            minimum_healthy: region.minimum_healthy,
            node_check: region.node_check,
            target_addresses: (0..region.targets).map(|index| block.target(index)).collect(),
            database_address: block.database(),
            queue: region.queue.map(|queue| QueuePlan {
                settings: queue.settings,
                message_every: queue.message_every,
                work_takes: queue.work_takes,
                queue_address: block.queue(),
                producer_address: block.producer(),
                worker_address: block.worker(),
            }),
            zones: zone_plans(region, &addresses),
            cross_zone: region.cross_zone,
            load_balancer_software: region.load_balancer_software,
        }),
    };
    CellPlan {
        kind,
        alias_target: cell.alias_target.as_ref().map(ToString::to_string),
        addresses,
        evaluated: cell.alias_target.as_ref().is_some_and(|target| zone.evaluates(target)),
        proxied: false,
        engine_works: false,
    }
}

/// The zones take the addresses of each family in turn, and the targets too.
fn zone_plans(region: &RegionMake, addresses: &[IpAddr]) -> Vec<ZonePlan> {
    let of_family = |ipv4| addresses.iter().copied().filter(move |address| address.is_ipv4() == ipv4);
    let count = region.zones.len();
    let zone = |(rank, name): (usize, &String)| {
        let own = |ipv4| of_family(ipv4).skip(rank).step_by(count);
        ZonePlan {
            name: name.clone(),
            addresses: own(true).chain(own(false)).collect(),
            targets: region.targets_in(rank).collect(),
        }
    };
    region.zones.iter().enumerate().map(zone).collect()
}

fn llm_plan(llm: &LlmMake, block: CellBlock) -> LlmPlan {
    let engine = match &llm.engine {
        EngineMake::Own(settings) => EnginePlan::Own { settings: settings.clone(), address: block.engine() },
        EngineMake::Real { base_url, model, api_key_from } => {
            EnginePlan::Real { base_url: base_url.clone(), model: model.clone(), api_key_from: api_key_from.clone() }
        }
    };
    let prober = llm.prober.clone();
    let prober = prober.map(|settings| ProberPlan { settings, address: block.prober() });
    LlmPlan { engine, gateway: llm.gateway, prober }
}

/// From the steady state to the fault: some steady time, and then anywhere in one longest check interval.
fn fault_moment(seed: u64, longest: Duration) -> Duration {
    let millis = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX).max(1);
    let drawn = ChaCha8Rng::seed_from_u64(seed).random_range(0..millis);
    pace::STEADY + Duration::from_millis(drawn)
}

/// Where each network of the lab lies, for the authoritative server: network, place, and what the place looks like.
#[must_use]
pub fn locations(plan: &Plan) -> Vec<(IpNet, String, Viewpoint)> {
    let resolvers = plan.resolvers.values().map(|resolver| (resolver.address, &resolver.place, &resolver.viewpoint));
    let clients = plan
        .clients
        .values()
        .flat_map(|client| client.addresses.iter().map(move |address| (*address, &client.place, &client.viewpoint)));
    let questions = plan.observe.questions.iter();
    let observers = questions.map(|question| (question.address, &question.place, &question.viewpoint));
    let probes = plan.probes.values().filter_map(|probe| {
        let resolver = plan.resolvers.get(&probe.resolver)?;
        Some((probe.address, &resolver.place, &resolver.viewpoint))
    });
    let all = resolvers.chain(clients).chain(observers).chain(probes);
    let by_network: BTreeMap<IpNet, (String, Viewpoint)> = all
        .map(|(address, place, viewpoint)| {
            let viewpoint = Viewpoint { source: None, ..viewpoint.clone() };
            (subnet(address), (place.clone(), viewpoint))
        })
        .collect();
    by_network.into_iter().map(|(network, (place, viewpoint))| (network, place, viewpoint)).collect()
}

/// The /24 or /56 of a host: what a client-subnet resolver tells of it, and what a place has for itself.
fn subnet(address: IpAddr) -> IpNet {
    match address {
        IpAddr::V4(address) => IpNet::V4(Ipv4Net::new_assert(address, 24).trunc()),
        IpAddr::V6(address) => IpNet::V6(Ipv6Net::new_assert(address, 56).trunc()),
    }
}
