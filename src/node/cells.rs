//! The cells of a lab as processes: what each is made of, what a fault kills of it, and what an undo starts again.

use std::collections::BTreeSet;
use std::io;
use std::net::{IpAddr, SocketAddr};

use hickory_proto::ProtoError;
use hickory_proto::rr::Name;
use rand::Rng;
use tokio::sync::watch;

use crate::fault::{Anatomy, Fault, Part};
use crate::plan::{CellKind, CellPlan, RegionPlan};

use super::authoritative::SharedEvidence;
use super::load_balancer::LoadBalancer;
use super::process::Process;
use super::target::{DatabaseLink, Target};
use super::target_checks::{self, TargetChecks, Ways};
use super::{Arrivals, DATABASE_PORT, HTTP_PORT, Roster, database, http_server, load_balancer, static_site, target};
use crate::ground::Environment;

/// As whom targets log in to their database.
const DATABASE_USER: &str = "app";

/// Why a cell does not serve.
#[derive(Debug, thiserror::Error)]
pub enum CellError {
    /// The lab has no place for one of its parts.
    #[error("cell {cell}: this ground carries no address of {part}, out of {addresses:?}")]
    NoAddress {
        /// The cell.
        cell: String,
        /// Which part.
        part: String,
        /// The lab addresses that were wanted.
        addresses: Vec<IpAddr>,
    },
    /// One of its parts cannot be started.
    #[error("cell {cell}: {part} did not start: {problem}")]
    NotStarted {
        /// The cell.
        cell: String,
        /// Which part.
        part: String,
        /// What the kernel said.
        problem: io::Error,
    },
    /// The load balancer's or the checks' HTTP client cannot be built.
    #[error("cell {cell}: no HTTP client: {problem}")]
    NoHttpClient {
        /// The cell.
        cell: String,
        /// What the library said.
        problem: reqwest::Error,
    },
    /// Its alias target is no domain name.
    #[error("cell {cell}: alias target `{found}` is no domain name: {problem}")]
    AliasTarget {
        /// The cell.
        cell: String,
        /// As it was given.
        found: String,
        /// What is wrong with it.
        problem: ProtoError,
    },
}

/// A cell whose processes can be killed and started again. Everything ends when it is dropped.
#[derive(Debug)]
pub struct Cell {
    name: String,
    anatomy: Anatomy,
    /// In the order in which they start: what is needed before what needs it.
    parts: Vec<(Part, Process)>,
    faults: BTreeSet<Fault>,
    /// Not among the parts: no fault ends them.
    _checks: Option<TargetChecks>,
}

impl Cell {
    /// Starts a cell's processes and, for a region, the checks of its targets and its node; every process is bound
    /// when this returns. `rng` draws at which phase each check starts. To be called inside a `LocalSet`.
    ///
    /// # Errors
    /// When a part has no address on this ground, or cannot be bound, or the alias target is no name.
    pub fn start(
        name: &str,
        plan: &CellPlan,
        roster: &Roster,
        evidence: &SharedEvidence,
        rng: &mut impl Rng,
        environment: &Environment,
    ) -> Result<Self, CellError> {
        let blueprint = Blueprint { name, plan, roster, environment };
        let anatomy = plan.kind.anatomy();
        let CellKind::Region(region) = &plan.kind else {
            return Self::of(name, anatomy, vec![(Part::StaticSite, blueprint.static_site()?)], None);
        };
        let ways = blueprint.ways(region)?;
        let alias_target = plan.alias_target.as_deref().map(|target| blueprint.alias_target(target)).transpose()?;
        let checks = target_checks::start(name, region, &ways, alias_target, evidence.clone(), rng, environment);
        Self::of(name, anatomy, blueprint.region(region, checks.routable.clone())?, Some(checks))
    }

    fn of(
        name: &str,
        anatomy: Anatomy,
        parts: Vec<(Part, Process)>,
        checks: Option<TargetChecks>,
    ) -> Result<Self, CellError> {
        let mut cell = Self { name: name.to_owned(), anatomy, parts, faults: BTreeSet::new(), _checks: checks };
        cell.start_what_is_whole()?;
        Ok(cell)
    }

    /// Kills what `fault` breaks of this cell; its sockets are closed when this returns. A fault of another cell, or
    /// one that holds already, changes nothing.
    pub async fn apply(&mut self, fault: &Fault) {
        if fault.cell() != Some(self.name.as_str()) {
            return;
        }
        self.faults.insert(fault.clone());
        let broken = fault.parts(Some(self.anatomy));
        for (part, process) in self.parts.iter_mut().rev() {
            if broken.contains(part) {
                process.kill().await;
            }
        }
    }

    /// Starts what `fault` broke of this cell, unless another fault breaks it too. A fault that does not hold changes
    /// nothing.
    ///
    /// # Errors
    /// When a part cannot be bound again. The fault is undone all the same: asked again, the rest is started.
    pub fn undo(&mut self, fault: &Fault) -> Result<(), CellError> {
        if fault.cell() != Some(self.name.as_str()) {
            return Ok(());
        }
        self.faults.remove(fault);
        self.start_what_is_whole()
    }

    fn start_what_is_whole(&mut self) -> Result<(), CellError> {
        let broken: Vec<Part> = self.faults.iter().flat_map(|fault| fault.parts(Some(self.anatomy))).collect();
        for (part, process) in &mut self.parts {
            if !broken.contains(part) {
                process.start().map_err(|problem| CellError::NotStarted {
                    cell: self.name.clone(),
                    part: part.of(&self.name),
                    problem,
                })?;
            }
        }
        Ok(())
    }
}

/// What the processes of a cell are made from.
struct Blueprint<'a> {
    name: &'a str,
    plan: &'a CellPlan,
    roster: &'a Roster,
    environment: &'a Environment,
}

impl Blueprint<'_> {
    fn region(
        &self,
        region: &RegionPlan,
        routable: watch::Receiver<Vec<usize>>,
    ) -> Result<Vec<(Part, Process)>, CellError> {
        let database = self.here(Part::Database, region.database_address, DATABASE_PORT)?;
        let mut parts = vec![(Part::Database, Process::new(move || database::bind(database)))];
        let targets = self.targets(region)?;
        for (index, here) in targets.iter().enumerate() {
            parts.push((Part::Target(index), self.target(region, index, *here, database)));
        }
        parts.push((Part::LoadBalancer, self.load_balancer(&targets, routable)?));
        Ok(parts)
    }

    fn ways(&self, region: &RegionPlan) -> Result<Ways, CellError> {
        let node = self.doors(Part::LoadBalancer)?.into_iter().next();
        let node = node.ok_or_else(|| self.no_address(Part::LoadBalancer, self.plan.addresses.clone()))?;
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
        let target = Target {
            cell: self.name.to_owned(),
            index,
            database: DatabaseLink {
                at: database,
                from: Some(here.ip()).filter(|own| own.is_ipv4() == database.is_ipv4()),
                user: DATABASE_USER.to_owned(),
                // Half of what a check waits: a silent database still becomes a 503, not a silent target.
                patience: region.target_group.timeout / 2,
            },
            clock: self.environment.clock,
        };
        let ground = self.environment.ground.clone();
        let path = region.target_group.path.clone();
        Process::new(move || http_server::bind(&[here], target::router(target.clone(), &path), ground.clone()))
    }

    fn load_balancer(
        &self,
        targets: &[SocketAddr],
        routable: watch::Receiver<Vec<usize>>,
    ) -> Result<Process, CellError> {
        let doors = self.doors(Part::LoadBalancer)?;
        let upstream = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .pool_max_idle_per_host(0)
            .local_address(doors.first().map(SocketAddr::ip))
            .build()
            .map_err(|problem| CellError::NoHttpClient { cell: self.name.to_owned(), problem })?;
        let targets = targets.iter().map(|here| format!("http://{here}")).collect();
        let settings =
            LoadBalancer { arrivals: self.arrivals(), targets, routable, upstream, clock: self.environment.clock };
        let ground = self.environment.ground.clone();
        Ok(Process::new(move || http_server::bind(&doors, load_balancer::router(settings.clone()), ground.clone())))
    }

    fn static_site(&self) -> Result<Process, CellError> {
        let doors = self.doors(Part::StaticSite)?;
        let (arrivals, ground) = (self.arrivals(), self.environment.ground.clone());
        Ok(Process::new(move || http_server::bind(&doors, static_site::router(arrivals.clone()), ground.clone())))
    }

    fn arrivals(&self) -> Arrivals {
        Arrivals::new(self.name.to_owned(), Roster::clone(self.roster), self.environment.recorder.clone())
    }

    /// The public addresses that this ground carries.
    fn doors(&self, part: Part) -> Result<Vec<SocketAddr>, CellError> {
        let here = |address: &IpAddr| self.environment.ground.here(SocketAddr::new(*address, HTTP_PORT));
        let doors: Vec<SocketAddr> = self.plan.addresses.iter().filter_map(here).collect();
        if doors.is_empty() { Err(self.no_address(part, self.plan.addresses.clone())) } else { Ok(doors) }
    }

    fn here(&self, of: Part, lab: IpAddr, port: u16) -> Result<SocketAddr, CellError> {
        self.environment.ground.here(SocketAddr::new(lab, port)).ok_or_else(|| self.no_address(of, vec![lab]))
    }

    fn no_address(&self, part: Part, addresses: Vec<IpAddr>) -> CellError {
        CellError::NoAddress { cell: self.name.to_owned(), part: part.of(self.name), addresses }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;
    use serde_json::Value;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::super::testbed::{
        ANA, EAST, EAST_TARGETS, SITE, STRANGER, Testbed, east, http_client, on_loopback, roster, site, url,
    };
    use super::*;
    use crate::journal::event::Event;
    use crate::node::CELL_HEADER;

    fn routable(targets: &[usize]) -> watch::Receiver<Vec<usize>> {
        watch::channel(targets.to_vec()).1
    }

    /// The region without its checks: only the test says which targets are routable.
    fn region(bed: &Testbed, routable: watch::Receiver<Vec<usize>>) -> Cell {
        let (plan, roster) = (east(), roster());
        let CellKind::Region(region) = &plan.kind else { unreachable!("east is a region") };
        let blueprint = Blueprint { name: "east", plan: &plan, roster: &roster, environment: &bed.environment };
        Cell::of("east", plan.kind.anatomy(), blueprint.region(region, routable).unwrap(), None).unwrap()
    }

    #[test]
    fn a_dead_database_turns_the_health_endpoint_503_and_its_restart_at_the_same_address_turns_it_back() {
        on_loopback(10.0, async |bed| {
            let mut cell = region(&bed, routable(&[0, 1]));
            let http = http_client(&bed.environment.ground, STRANGER, false);
            let ask = async || {
                let answer = http.get(url(&bed.environment.ground, EAST_TARGETS[0], "/health")).send().await.unwrap();
                (answer.status(), answer.json::<Value>().await.unwrap())
            };
            let well = (StatusCode::OK, serde_json::json!({"status": "ok", "db": "ok"}));
            assert_eq!(ask().await, well);
            let fault = Fault::KillDatabase("east".to_owned());
            for _ in 0..2 {
                cell.apply(&fault).await;
                let (status, body) = ask().await;
                assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
                assert_eq!(body["status"], "fail");
                assert!(body["db"].as_str().unwrap().contains("refused"), "{body}");
                cell.undo(&fault).unwrap();
                assert_eq!(ask().await, well);
            }
        });
    }

    #[test]
    fn the_load_balancer_takes_the_routable_targets_in_turn_and_no_other() {
        on_loopback(10.0, async |bed| {
            let (routes, routable) = watch::channel(vec![0, 1]);
            let _cell = region(&bed, routable);
            let http = http_client(&bed.environment.ground, ANA, true);
            let ask = async || {
                let answer = http.get(url(&bed.environment.ground, EAST, "/")).send().await.unwrap();
                assert_eq!(answer.status(), StatusCode::OK);
                assert_eq!(answer.headers()[CELL_HEADER], "east");
                answer.json::<Value>().await.unwrap()["target"].as_u64().unwrap()
            };
            let (one, other) = (ask().await, ask().await);
            assert_ne!(one, other);
            routes.send(vec![1]).unwrap();
            assert_eq!((ask().await, ask().await), (1, 1));
            routes.send(vec![]).unwrap();
            let answer = http.get(url(&bed.environment.ground, EAST, "/")).send().await.unwrap();
            assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
        });
    }

    #[test]
    fn arrivals_name_the_client_by_its_address_and_leave_strangers_out() {
        on_loopback(10.0, async |mut bed| {
            let _east = region(&bed, routable(&[0]));
            let _site = bed.start_cell("site", &site());
            let ground = &bed.environment.ground;
            for (from, at) in [(STRANGER, EAST), (ANA, EAST), (STRANGER, SITE), (ANA, SITE)] {
                let answer = http_client(ground, from, false).get(url(ground, at, "/")).send().await.unwrap();
                assert_eq!(answer.status(), StatusCode::OK);
            }
            let arrivals = bed.journal.drain().into_iter().map(|event| match event {
                Event::RequestArrived { cell, client, status, .. } => (cell, client, status),
                other => panic!("{other:?}"),
            });
            let arrival = |cell: &str| (cell.to_owned(), "ana".to_owned(), 200);
            assert_eq!(arrivals.collect::<Vec<_>>(), [arrival("east"), arrival("site")]);
        });
    }

    #[test]
    fn a_killed_region_refuses_drops_open_connections_and_serves_again_after_the_undo() {
        on_loopback(10.0, async |bed| {
            let mut cell = region(&bed, routable(&[0]));
            let here = bed.environment.ground.here(SocketAddr::new(EAST.parse().unwrap(), HTTP_PORT)).unwrap();
            let mut kept = tokio::net::TcpStream::connect(here).await.unwrap();
            kept.write_all(b"GET / HTTP/1.1\r\nHost: east\r\n\r\n").await.unwrap();
            let mut answer = [0; 4096];
            assert!(kept.read(&mut answer).await.unwrap() > 0);
            assert!(answer.starts_with(b"HTTP/1.1 200"));

            let fault = Fault::KillRegion("east".to_owned());
            cell.apply(&fault).await;
            assert_eq!(kept.read(&mut answer).await.unwrap(), 0, "the open connection lives on");
            let http = http_client(&bed.environment.ground, ANA, false);
            for address in [EAST, EAST_TARGETS[0], EAST_TARGETS[1]] {
                let refused = http.get(url(&bed.environment.ground, address, "/")).send().await.unwrap_err();
                assert!(refused.is_connect(), "{refused:?}");
            }
            cell.apply(&fault).await;
            cell.undo(&fault).unwrap();
            cell.undo(&fault).unwrap();
            let answer = http.get(url(&bed.environment.ground, EAST, "/")).send().await.unwrap();
            assert_eq!(answer.status(), StatusCode::OK);
        });
    }

    #[test]
    fn what_two_faults_break_stays_broken_until_both_are_undone() {
        on_loopback(10.0, async |bed| {
            let mut cell = region(&bed, routable(&[0]));
            let (database, region) = (Fault::KillDatabase("east".to_owned()), Fault::KillRegion("east".to_owned()));
            cell.apply(&database).await;
            cell.apply(&region).await;
            cell.undo(&region).unwrap();
            let http = http_client(&bed.environment.ground, ANA, false);
            let ask = async || http.get(url(&bed.environment.ground, EAST, "/")).send().await.unwrap().status();
            assert_eq!(ask().await, StatusCode::SERVICE_UNAVAILABLE);
            cell.undo(&database).unwrap();
            assert_eq!(ask().await, StatusCode::OK);
        });
    }

    #[test]
    fn a_fault_of_another_cell_leaves_this_one_alone() {
        on_loopback(10.0, async |bed| {
            let mut cell = bed.start_cell("site", &site());
            cell.apply(&Fault::KillStaticSite("other".to_owned())).await;
            let http = http_client(&bed.environment.ground, ANA, false);
            http.get(url(&bed.environment.ground, SITE, "/")).send().await.unwrap();
            cell.apply(&Fault::KillStaticSite("site".to_owned())).await;
            http.get(url(&bed.environment.ground, SITE, "/")).send().await.unwrap_err();
        });
    }

    #[test]
    fn a_target_that_refuses_is_a_bad_gateway_with_the_cells_name_on_it() {
        on_loopback(10.0, async |bed| {
            let mut cell = region(&bed, routable(&[0]));
            for (part, process) in &mut cell.parts {
                if matches!(part, Part::Target(_)) {
                    process.kill().await;
                }
            }
            let http = http_client(&bed.environment.ground, ANA, false);
            let answer = http.get(url(&bed.environment.ground, EAST, "/")).send().await.unwrap();
            assert_eq!(answer.status(), StatusCode::BAD_GATEWAY);
            assert_eq!(answer.headers()[CELL_HEADER], "east");
        });
    }
}
