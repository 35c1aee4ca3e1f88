//! Members of a lab, each a task in place of a process, in a network namespace in place of containers.

use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::task::{LocalSet, spawn_local};

use super::clocks::monotonic;
use super::members::{Members, News};
use super::message::{FromMember, ToMember, Welcome};
use super::*;
use crate::clock::Speed;
use crate::conduct::Command;
use crate::drill::{PlanOptions, load};
use crate::fault::{Fault, Part};
use crate::ground::{Ground, GroundError, GroundKind};
use crate::health::ResourceEvidence;
use crate::journal::event::Event;
use crate::lab::Share;
use crate::lab::building::lab_addresses;
use crate::node::HTTP_PORT;
use crate::plan::{CellKind, Plan, Signal, WireTtl};

/// Wall time after which a test gives up waiting.
const PATIENCE: Duration = Duration::from_secs(30);
const CELL: &str = "sa-east-1";

fn plan() -> Plan {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("drills/database-down.yaml");
    let speed = Some(Speed::new(20.0).unwrap());
    load(&file).unwrap().plan(PlanOptions { seed: 1, speed, wire: WireTtl::WallSeconds, ..PlanOptions::default() })
}

/// A hub's door, and the lab's plan.
struct Hub {
    plan: Plan,
    at: SocketAddr,
    members: Members,
}

impl Hub {
    async fn open() -> Self {
        let door = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (plan, at) = (plan(), door.local_addr().unwrap());
        let members = Members::gather(door, Welcome { plan: plan.clone(), started: monotonic() });
        Self { plan, at, members }
    }

    fn target(&self, index: usize) -> SocketAddr {
        let CellKind::Region(region) = &self.plan.cells[CELL].kind else { panic!("{CELL} is a region") };
        SocketAddr::new(region.target_addresses[index], HTTP_PORT)
    }

    fn tell(&self, command: &Command) {
        for line in self.members.lines.borrow().values() {
            line.send(ToMember::Command(command.clone())).unwrap();
        }
    }

    /// The next news for which `found` gives something; those before it are skipped.
    async fn hears<T>(&mut self, what: &str, mut found: impl FnMut(&Share, &News) -> Option<T>) -> T {
        let search = async {
            loop {
                let (share, news) = self.members.news.recv().await.expect("the door is open");
                if let Some(it) = found(&share, &news) {
                    return it;
                }
            }
        };
        tokio::time::timeout(PATIENCE, search).await.unwrap_or_else(|_| panic!("never heard: {what}"))
    }

    async fn is_ready(&mut self, ready: &Share) {
        self.hears("ready", |share, news| {
            (share == ready && matches!(news, News::Said(FromMember::Ready))).then_some(())
        })
        .await;
    }
}

/// Ends when somebody accepts there, or nobody does.
async fn becomes(open: bool, at: SocketAddr) {
    let looking = async {
        while TcpStream::connect(at).await.is_ok() != open {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, looking).await.unwrap_or_else(|_| panic!("{at} never became open: {open}"));
}

fn part(part: Part) -> Share {
    Share::Part { cell: CELL.to_owned(), part }
}

/// Runs a test on a thread in a network namespace that has every address of the lab; says so where that is not allowed.
fn in_a_namespace<F: Future<Output = ()> + 'static>(test: fn() -> F) {
    let lab = std::thread::Builder::new().name("lab".to_owned()).spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        LocalSet::new().block_on(&runtime, async {
            let addresses: Vec<IpAddr> = lab_addresses(&plan());
            match Ground::open(GroundKind::Namespace, &addresses).await {
                Ok(_ground) => test().await,
                Err(GroundError::NoNamespace { reason }) => eprintln!("left out: {reason}"),
                Err(other) => panic!("{other}"),
            }
        });
    });
    lab.unwrap().join().unwrap();
}

#[test]
fn a_member_serves_its_share_obeys_its_hub_and_its_end_is_seen() {
    in_a_namespace(|| async {
        let mut hub = Hub::open().await;
        let share = part(Part::Target(0));
        let member = spawn_local(run_member(share.clone(), hub.at));
        hub.is_ready(&share).await;
        becomes(true, hub.target(0)).await;
        becomes(false, hub.target(1)).await;
        let fault = Fault::KillRegion(CELL.to_owned());
        hub.tell(&Command::Inject(fault.clone()));
        becomes(false, hub.target(0)).await;
        hub.tell(&Command::Heal(fault));
        becomes(true, hub.target(0)).await;

        member.abort();
        hub.hears("the end", |ended, news| (*ended == share && matches!(news, News::Gone)).then_some(())).await;
        assert!(hub.members.lines.borrow().is_empty());
        // It may come again, as a container does that is started again.
        spawn_local(run_member(share.clone(), hub.at));
        hub.is_ready(&share).await;
        becomes(true, hub.target(0)).await;
    });
}

#[test]
fn a_hub_learns_from_a_cells_member_what_it_checks_and_how_its_load_balancer_is() {
    in_a_namespace(|| async {
        let mut hub = Hub::open().await;
        let parts = [Part::Database, Part::Target(0), Part::Target(1)];
        for share in parts.map(part).into_iter().chain([Share::Cell(CELL.to_owned())]) {
            spawn_local(run_member(share.clone(), hub.at));
            hub.is_ready(&share).await;
        }
        let checked = |due: bool| {
            move |share: &Share, news: &News| match news {
                News::Said(FromMember::Event(stamped)) => match &stamped.event {
                    Event::Checked { signal: Signal::Target { target: 0, .. }, passed, .. } => {
                        (*share == Share::Cell(CELL.to_owned()) && *passed == due).then_some(())
                    }
                    _ => None,
                },
                _ => None,
            }
        };
        let evidence = |_: &Share, news: &News| match news {
            News::Said(FromMember::Evidence(ResourceEvidence::Health { healthy: false, target })) => {
                Some(target.clone())
            }
            _ => None,
        };
        hub.hears("a check that passes", checked(true)).await;
        hub.tell(&Command::Inject(Fault::KillDatabase(CELL.to_owned())));
        hub.hears("a check that fails", checked(false)).await;
        let target = hub.hears("evidence", evidence).await;
        let alias = hub.plan.cells[CELL].alias_target.as_deref().unwrap();
        assert_eq!(target.to_ascii().trim_end_matches('.'), alias.trim_end_matches('.'));
    });
}

#[test]
fn a_share_that_cannot_be_built_is_told() {
    in_a_namespace(|| async {
        let mut hub = Hub::open().await;
        let member = spawn_local(run_member(part(Part::Engine), hub.at));
        let told = |_: &Share, news: &News| match news {
            News::Said(FromMember::Broke(reason)) => Some(reason.clone()),
            _ => None,
        };
        let reason = hub.hears("why", told).await;
        assert!(reason.contains(CELL), "{reason}");
        drop(hub);
        let ended = tokio::time::timeout(PATIENCE, member).await.unwrap().unwrap();
        assert!(matches!(ended, Err(SpreadError::Broke(_))));
    });
}
