//! Planning: a loaded drill and a seed in, the [`Plan`] out. The same drill and seed give the same plan.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::time::Duration;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::clock::Speed;
use crate::decide::Viewpoint;
use crate::plan::Prediction;
use crate::timeline::predict;
use crate::zone::Zone;

use super::addresses::{self, CellBlock, PlaceBlock};
use super::loaded::{Cell, CellMake, LoadedDrill};
use super::pace::{self, Pace};
use crate::plan::expectation::Claim;
use crate::plan::{
    Asks, CellKind, CellPlan, ClientPlan, Family, HealthCheckPlan, ObservePlan, Plan, RegionPlan, ResolverKind,
    ResolverPlan, RoutingControlsPlan, WatchedQuestion,
};

/// What a run may choose for itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanOptions {
    /// What every random choice of the run comes from.
    pub seed: u64,
    /// Lab seconds per wall second; worked out from the drill when missing.
    pub speed: Option<Speed>,
    /// The fault is left out, and the drill must then not pass.
    pub control: bool,
}

impl LoadedDrill {
    /// Gives everything an address, draws the fault's moment, predicts the stages and sets the schedule.
    #[must_use]
    pub fn plan(&self, options: PlanOptions) -> Plan {
        let mut blocks = self.place_blocks();
        let resolvers = self.resolvers(&mut blocks);
        let clients = self.clients(&mut blocks);
        let cells =
            self.cells.iter().enumerate().map(|(rank, (name, cell))| (name.clone(), cell_plan(cell, rank, &self.zone)));
        let mut plan = Plan {
            drill: self.name.clone(),
            title: self.title.clone(),
            hazard: None,
            estimate: None,
            sources: self.sources.clone(),
            name: self.front.to_string(),
            seed: options.seed,
            speed: Speed::REAL,
            control: options.control,
            cells: cells.collect(),
            observe: self.observe(&blocks),
            resolvers,
            clients,
            health_checks: self.health_checks.clone(),
            probes: BTreeMap::new(),
            routing_controls: RoutingControlsPlan::default(),
            faults: self.faults.clone(),
            schedule: pace::unset(),
            expectations: self.expectations.clone(),
            prediction: Prediction::default(),
        };
        plan.prediction = predict(&plan, &self.zone);
        let longest = longest_interval(&plan);
        let fault_after = fault_moment(options.seed, longest);
        let pace = Pace::of(&plan, self.hold, fault_after, longest);
        plan.speed = options.speed.unwrap_or_else(|| pace.speed());
        plan.schedule = pace.schedule(plan.speed);
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
        let plan = |(name, resolver): (&String, &super::loaded::Resolver)| {
            let (address, _) = blocks.get_mut(&resolver.place)?.next_host();
            let viewpoint = resolver.viewpoint.clone();
            let viewpoint = Viewpoint { source: Some(IpNet::from(address)), ..viewpoint };
            let place = resolver.place.clone();
            Some((name.clone(), ResolverPlan { place, viewpoint, kind: resolver.kind, address }))
        };
        self.resolvers.iter().filter_map(plan).collect()
    }

    fn clients(&self, blocks: &mut BTreeMap<String, PlaceBlock>) -> BTreeMap<String, ClientPlan> {
        let plan = |(name, client): (&String, &super::loaded::Client)| {
            let (v4, v6) = blocks.get_mut(&client.place)?.next_host();
            let viewpoint = Viewpoint { source: Some(subnet(v4)), ..client.viewpoint.clone() };
            let plan = ClientPlan {
                place: client.place.clone(),
                viewpoint,
                resolver: client.resolver.clone(),
                profile: client.profile,
                family: client.family,
                every: client.every,
                timeout: client.timeout,
                slow: client.slow,
                asks: Asks::Page,
                workers: 1,
                tier: None,
                addresses: vec![v4, v6],
            };
            Some((name.clone(), plan))
        };
        self.clients.iter().filter_map(plan).collect()
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
    let kind = match &cell.make {
        CellMake::StaticSite => CellKind::StaticSite,
        CellMake::Region(region) => CellKind::Region(RegionPlan {
            targets: region.targets,
            target_group: region.target_group.clone(),
            node_check: region.node_check,
            target_addresses: (0..region.targets).map(|index| block.target(index)).collect(),
            database_address: block.database(),
            queue: None,
        }),
    };
    let addresses = if cell.addresses.is_empty() { block.fronts() } else { cell.addresses.clone() };
    CellPlan {
        kind,
        alias_target: cell.alias_target.as_ref().map(ToString::to_string),
        addresses,
        evaluated: cell.alias_target.as_ref().is_some_and(|target| zone.evaluates(target)),
    }
}

/// The longest time between two checks of anything that the run's evidence comes from.
fn longest_interval(plan: &Plan) -> Duration {
    let regions = plan.cells.values().filter_map(|cell| match &cell.kind {
        CellKind::Region(region) => Some(region.target_group.interval.max(region.node_check.interval)),
        CellKind::Llm(_) | CellKind::TelemetryGateway | CellKind::StaticSite => None,
    });
    regions
        .chain(plan.health_checks.values().filter_map(HealthCheckPlan::endpoint).map(|planned| planned.check.interval))
        .max()
        .unwrap_or_default()
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
    let all = resolvers.chain(clients).chain(observers);
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;
    use crate::drill::load;
    use crate::plan::Schedule;

    const DRILLS: [&str; 5] =
        ["database-down", "region-down", "both-regions-down", "everything-down", "chat-region-down"];

    fn drill(name: &str) -> LoadedDrill {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("drills/{name}.yaml"));
        load(&path).unwrap_or_else(|errors| panic!("{errors}"))
    }

    fn options(seed: u64) -> PlanOptions {
        PlanOptions { seed, speed: None, control: false }
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes_and_another_seed_another_moment() {
        for name in DRILLS {
            let json = |seed| serde_json::to_string_pretty(&drill(name).plan(options(seed))).unwrap();
            assert_eq!(json(7), json(7), "{name}");
            assert_ne!(json(7), json(8), "{name}");
        }
    }

    #[test]
    fn a_plan_survives_the_journal() {
        for name in DRILLS {
            let plan = drill(name).plan(options(7));
            let text = serde_json::to_string(&plan).unwrap();
            assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan, "{name}");
        }
    }

    #[test]
    fn no_address_is_given_twice_and_no_network_covers_two_places() {
        for name in DRILLS {
            let plan = drill(name).plan(options(1));
            let mut addresses = plan.observe.authoritative_addresses.clone();
            addresses.extend(plan.resolvers.values().map(|resolver| resolver.address));
            addresses.extend(plan.clients.values().flat_map(|client| client.addresses.clone()));
            for cell in plan.cells.values() {
                addresses.extend(&cell.addresses);
                if let CellKind::Region(region) = &cell.kind {
                    addresses.push(region.database_address);
                    addresses.extend(&region.target_addresses);
                }
            }
            let observers: BTreeSet<_> = plan.observe.questions.iter().map(|question| question.address).collect();
            addresses.extend(observers);
            let distinct: BTreeSet<_> = addresses.iter().collect();
            assert_eq!(distinct.len(), addresses.len(), "{name}");

            for client in plan.clients.values() {
                for address in &client.addresses {
                    let located = locations(&plan);
                    let covering: Vec<_> = located.iter().filter(|(network, ..)| network.contains(address)).collect();
                    assert_eq!(covering.len(), 1, "{name}: {address}");
                    assert_eq!(covering[0].1, client.place, "{name}: {address}");
                    assert_eq!(covering[0].2.country, client.viewpoint.country, "{name}: {address}");
                }
            }
        }
    }

    #[test]
    fn questions_are_asked_for_each_family_and_place_and_for_what_is_expected() {
        let plan = drill("database-down").plan(options(1));
        let front = |family: &str, place: &str| format!("api.exemplo.com. {family} {place}");
        let asked: Vec<_> = plan
            .observe
            .questions
            .iter()
            .map(|question| format!("{} {:?} {}", question.name, question.family, question.place))
            .collect();
        let expected =
            [front("A", "Brazil"), front("A", "Germany"), front("A", "United States"), front("Aaaa", "Brazil")];
        assert_eq!(asked, expected);
        let plan = drill("everything-down").plan(options(1));
        assert!(plan.observe.questions.iter().any(|question| question.name == "api-live.exemplo.com."));
    }

    #[test]
    fn every_ready_drill_ends_within_about_twenty_two_seconds() {
        for name in DRILLS {
            let plan = drill(name).plan(options(1));
            let Schedule { fault_after, hold, .. } = plan.schedule;
            let back = plan.prediction.failback.totals.values().filter_map(|total| total.worst).max().unwrap();
            let wall = plan.speed.to_wall(fault_after + hold + back);
            assert!(wall <= Duration::from_secs(22), "{name}: {wall:?} at {}", plan.speed);
            assert!(wall >= Duration::from_secs(10), "{name}: {wall:?} at {}: faster than it needs be", plan.speed);
        }
    }

    #[test]
    fn a_fault_is_held_until_the_last_bounded_move_and_the_last_deadline() {
        let plan = drill("database-down").plan(options(1));
        assert_eq!(plan.schedule.hold, Duration::from_secs(125 + 15), "the deadline of br-jvm, and the margin");
        let mut loaded = drill("database-down");
        loaded.expectations.clear();
        assert_eq!(loaded.plan(options(1)).schedule.hold, Duration::from_secs(120 + 15), "br-jvm at worst");
        loaded.hold = Some(Duration::from_secs(300));
        assert_eq!(loaded.plan(options(1)).schedule.hold, Duration::from_secs(300));
    }

    #[test]
    fn the_speed_that_is_asked_for_is_the_speed() {
        let speed = Speed::new(3.0).unwrap();
        let plan = drill("region-down").plan(PlanOptions { seed: 1, speed: Some(speed), control: true });
        assert_eq!((plan.speed, plan.control), (speed, true));
    }

    proptest! {
        #[test]
        fn the_fault_meets_no_check_in_step(seed: u64) {
            let moment = fault_moment(seed, Duration::from_secs(15));
            prop_assert!((pace::STEADY..pace::STEADY + Duration::from_secs(15)).contains(&moment));
        }
    }
}
