//! Looks at what a fault breaks, from outside and from the lab's start on.
//!
//! A lookout never reads what was asked for: its looks bound the moment at which a fault takes hold, and that at
//! which it is gone.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::task::JoinSet;

use crate::fault::{Fault, Part};
use crate::journal::event::Event;
use crate::plan::{CellKind, CellPlan};

use super::cadence::Cadence;
use super::connections::connect;
use super::target::DatabaseLink;
use super::{DATABASE_PORT, HTTP_PORT};
use crate::ground::Environment;

/// Lab time after which a look ends: what is silent for so long is broken.
pub const PATIENCE: Duration = Duration::from_secs(5);

const USER: &str = "lookout";

/// One part that a fault breaks, and how it is looked at.
#[derive(Clone, Debug)]
struct Lookout {
    name: String,
    look: Look,
}

#[derive(Clone, Debug)]
enum Look {
    /// Does it accept a connection?
    Connect(SocketAddr),
    /// Does it accept a login and answer?
    Query(DatabaseLink),
}

/// Looks at every part of `fault` at the cadence `every`, each part on its own, and journals every look. `cell` is
/// the plan of the cell that the fault breaks. Ends when what is returned is dropped. To be called inside a
/// `LocalSet`.
#[must_use]
pub fn start(fault: &Fault, cell: &CellPlan, every: Duration, environment: &Environment) -> JoinSet<()> {
    let mut lookouts = JoinSet::new();
    for lookout in lookouts_of(fault, cell, environment) {
        lookouts.spawn_local(keep_looking(fault.clone(), lookout, every, environment.clone()));
    }
    lookouts
}

async fn keep_looking(fault: Fault, lookout: Lookout, every: Duration, environment: Environment) {
    let cadence = Cadence { first: environment.clock.now(), every };
    loop {
        let seen = lookout.look.now(&environment).await;
        environment.recorder.record(Event::FaultLooked {
            fault: fault.clone(),
            part: lookout.name.clone(),
            broken: seen.is_err(),
            detail: seen.unwrap_or_else(|broken| broken),
        });
        environment.clock.sleep_until(cadence.next_after(environment.clock.now())).await;
    }
}

impl Look {
    async fn now(&self, environment: &Environment) -> Result<String, String> {
        match self {
            Self::Connect(here) => {
                let connected = environment.clock.within(PATIENCE, connect(None, *here)).await;
                let connected = connected.map_err(|late| late.to_string())?;
                connected.map(|_| "accepts connections".to_owned()).map_err(|error| error.to_string())
            }
            Self::Query(database) => database.ask(environment.clock).await.map(|()| "answers queries".to_owned()),
        }
    }
}

fn lookouts_of(fault: &Fault, cell: &CellPlan, environment: &Environment) -> Vec<Lookout> {
    let here = |lab, port| environment.ground.here(SocketAddr::new(lab, port));
    let region = match &cell.kind {
        CellKind::Region(region) => Some(region),
        CellKind::Llm(_) | CellKind::TelemetryGateway | CellKind::StaticSite => None,
    };
    let looks = |part: Part| match part {
        Part::LoadBalancer | Part::StaticSite => {
            let doors = cell.addresses.iter().filter_map(|address| Some((*address, here(*address, HTTP_PORT)?)));
            doors.map(|(address, at)| (format!(" at {address}"), Look::Connect(at))).collect()
        }
        Part::Target(index) => {
            let address = region.and_then(|region| region.target_addresses.get(index));
            let at = address.and_then(|address| here(*address, HTTP_PORT));
            at.map(|at| (String::new(), Look::Connect(at))).into_iter().collect::<Vec<_>>()
        }
        Part::Database => {
            let at = region.and_then(|region| here(region.database_address, DATABASE_PORT));
            let link = |at| DatabaseLink { at, from: None, user: USER.to_owned(), patience: PATIENCE };
            at.map(|at| (String::new(), Look::Query(link(at)))).into_iter().collect()
        }
        Part::Engine | Part::Prober | Part::Healthz | Part::Producer | Part::Worker | Part::Firewall | Part::Switch => {
            Vec::new()
        }
    };
    let named = |part: Part| {
        let name = part.of(fault.of());
        looks(part).into_iter().map(move |(door, look)| Lookout { name: format!("{name}{door}"), look })
    };
    fault.parts(Some(cell.kind.anatomy())).into_iter().flat_map(named).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::node::testbed::{Journal, east, on_loopback};

    /// Waits until each part was seen broken, or whole; their names.
    async fn all_seen(journal: &mut Journal, parts: usize, broken: bool) -> Vec<String> {
        let mut seen = BTreeSet::new();
        journal
            .wait_for("every part", |stamped| {
                let Event::FaultLooked { part, broken: found, .. } = &stamped.event else { return None };
                if *found == broken {
                    seen.insert(part.clone());
                } else {
                    seen.remove(part);
                }
                (seen.len() == parts).then_some(())
            })
            .await;
        seen.into_iter().collect()
    }

    #[test]
    fn a_killed_region_is_seen_part_by_part_before_during_and_after() {
        on_loopback(20.0, async |mut bed| {
            let mut cell = bed.start_cell("east", &east());
            let fault = Fault::KillRegion("east".to_owned());
            let _lookouts = start(&fault, &east(), Duration::from_secs(1), &bed.environment);
            let parts = [
                "target 0 of east",
                "target 1 of east",
                "the database of east",
                "the load balancer of east at 192.0.2.10",
            ];
            assert_eq!(all_seen(&mut bed.journal, 4, false).await, parts);
            cell.apply(&fault).await;
            assert_eq!(all_seen(&mut bed.journal, 4, true).await, parts);
            cell.undo(&fault).unwrap();
            assert_eq!(all_seen(&mut bed.journal, 4, false).await, parts);
        });
    }

    #[test]
    fn a_killed_database_has_one_part_and_its_looks_say_what_they_saw() {
        on_loopback(20.0, async |mut bed| {
            let mut cell = bed.start_cell("east", &east());
            let fault = Fault::KillDatabase("east".to_owned());
            cell.apply(&fault).await;
            let _lookouts = start(&fault, &east(), Duration::from_secs(1), &bed.environment);
            let detail = bed.journal.wait_for("a look", |stamped| match &stamped.event {
                Event::FaultLooked { part, broken: true, detail, .. } if part == "the database of east" => {
                    Some(detail.clone())
                }
                _ => None,
            });
            assert!(detail.await.contains("refused"));
        });
    }
}
