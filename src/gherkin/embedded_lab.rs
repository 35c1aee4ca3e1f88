//! muster's own authoritative server, or one that deviates from it, behind real sockets on loopback.
//!
//! Each scenario has a ground and a server of its own, so scenarios do not meet. A scenario's askers have addresses that
//! no socket of this machine can send from, and some are IPv6: each is dealt a host of the ground, asks from there, and
//! is known by it to the server. Only the scenario's clock does not cross the wire.

use std::cell::{Cell, RefCell};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::rc::Rc;

use futures_util::{StreamExt, TryStreamExt};
use tokio::runtime::Runtime;
use tokio::task::LocalSet;

use crate::authoritative::AuthoritativeSettings;
use crate::clock::LabTime;
use crate::dns_message::Transport;
use crate::ground::{Ground, GroundKind};
use crate::node::{Answering, DNS_PORT, DnsServer};
use crate::subject::{Deviation, Subject};

use super::explanation::Explanation;
use super::lab::{Board, Lab, Query};
use super::wire::{Route, exchange, runtime};

/// The server's host on the ground.
const SERVER: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 1);
/// Askers that a scenario can have: with the server, as many hosts as a loopback ground carries.
const MOST_ASKERS: usize = 252;

/// A lab of real sockets. Nothing is bound before a zone is served.
#[derive(Debug)]
pub struct EmbeddedLab {
    deviation: &'static dyn Deviation,
    running: Option<Running>,
}

impl EmbeddedLab {
    /// A lab whose subject deviates so from the reference.
    #[must_use]
    pub const fn new(deviation: &'static dyn Deviation) -> Self {
        Self { deviation, running: None }
    }
}

impl Lab for EmbeddedLab {
    fn has_inside(&self) -> bool {
        true
    }

    fn serve(&mut self, settings: AuthoritativeSettings, board: &Board) -> Result<(), Explanation> {
        let subject = Subject::new(settings, Rc::clone(board), self.deviation);
        let subject = subject.map_err(|error| Explanation::cannot_run(error.to_string()))?;
        match &self.running {
            Some(running) => {
                running.serving.subject.replace(subject);
            }
            None => self.running = Some(Running::start(subject)?),
        }
        Ok(())
    }

    fn ask(&mut self, queries: &[Query<'_>]) -> Result<Vec<Option<Vec<u8>>>, Explanation> {
        let running = self.running.as_ref().ok_or_else(|| Explanation::lab_broke("no zone is served"))?;
        running.ask(queries)
    }
}

/// What ends with a scenario; the server before what it stands on.
#[derive(Debug)]
struct Running {
    _server: DnsServer,
    serving: Rc<Serving>,
    ground: Ground,
    tasks: LocalSet,
    runtime: Runtime,
}

impl Running {
    fn start(subject: Subject) -> Result<Self, Explanation> {
        let (runtime, tasks) = (runtime()?, LocalSet::new());
        let serving = Rc::new(Serving::new(subject));
        let hosts: Vec<IpAddr> = (0..MOST_ASKERS).map(host).chain([SERVER.into()]).collect();
        let (ground, server) = tasks.block_on(&runtime, async {
            let ground = Ground::open(GroundKind::Loopback, &hosts).await;
            let ground = ground.map_err(|error| Explanation::lab_broke(error.to_string()))?;
            let server = listen(&ground, &serving).await?;
            Ok((ground, server))
        })?;
        Ok(Self { _server: server, serving, ground, tasks, runtime })
    }

    fn ask(&self, queries: &[Query<'_>]) -> Result<Vec<Option<Vec<u8>>>, Explanation> {
        let routed = queries.iter().map(|query| Ok((self.route(query.source)?, *query)));
        let routed = routed.collect::<Result<Vec<_>, Explanation>>()?;
        if let Some(query) = queries.first() {
            self.serving.now.set(query.now);
        }
        let answers = exchange(routed).map(|answer| self.answered(answer)).try_collect();
        self.tasks.block_on(&self.runtime, answers)
    }

    fn route(&self, asker: IpAddr) -> Result<Route, Explanation> {
        let host = self.serving.host_of(asker)?;
        let here = |lab| self.ground.here(lab).ok_or_else(|| Explanation::lab_broke(format!("{lab} is nowhere")));
        Ok(Route { source: here(SocketAddr::new(host, 0))?, server: here(SocketAddr::new(SERVER.into(), DNS_PORT))? })
    }

    /// Silence is an answer when the subject kept it; else it is trouble on the way.
    fn answered(&self, answer: io::Result<Vec<u8>>) -> Result<Option<Vec<u8>>, Explanation> {
        match answer {
            Ok(bytes) => Ok(Some(bytes)),
            Err(_) if self.serving.kept_silent.get() => Ok(None),
            Err(problem) => Err(Explanation::lab_broke(format!("the lab's own server cannot be asked: {problem}"))),
        }
    }
}

async fn listen(ground: &Ground, serving: &Rc<Serving>) -> Result<DnsServer, Explanation> {
    let server = DnsServer::start(ground, &[SERVER.into()], Rc::clone(serving)).await;
    server.map_err(|error| Explanation::lab_broke(error.to_string()))
}

/// The subject, and what it does not learn from a query.
#[derive(Debug)]
struct Serving {
    subject: RefCell<Subject>,
    /// Each stands for itself at the [host] of its place here.
    askers: RefCell<Vec<IpAddr>>,
    now: Cell<LabTime>,
    /// Whether it ever gave no answer.
    kept_silent: Cell<bool>,
}

impl Serving {
    fn new(subject: Subject) -> Self {
        Self {
            subject: RefCell::new(subject),
            askers: RefCell::default(),
            now: Cell::new(LabTime::START),
            kept_silent: Cell::new(false),
        }
    }

    fn host_of(&self, asker: IpAddr) -> Result<IpAddr, Explanation> {
        let mut askers = self.askers.borrow_mut();
        if let Some(known) = askers.iter().position(|known| *known == asker) {
            return Ok(host(known));
        }
        if askers.len() >= MOST_ASKERS {
            return Err(Explanation::cannot_run(format!(
                "this scenario has more askers than the embedded lab carries; expected at most {MOST_ASKERS}"
            )));
        }
        askers.push(asker);
        Ok(host(askers.len() - 1))
    }

    fn asker_at(&self, from: IpAddr) -> Option<IpAddr> {
        self.askers.borrow().iter().enumerate().find_map(|(index, asker)| (host(index) == from).then_some(*asker))
    }
}

impl Answering for Serving {
    async fn answer(&self, query: Vec<u8>, from: IpAddr, transport: Transport) -> Option<Vec<u8>> {
        let asker = self.asker_at(from)?;
        let answered = self.subject.borrow_mut().ask(&query, asker, transport, self.now.get());
        self.kept_silent.set(self.kept_silent.get() || answered.is_none());
        Some(answered?.bytes)
    }
}

/// The hosts that askers are dealt, within 198.18.1.0/24: a network for tests of network devices (RFC 2544).
fn host(index: usize) -> IpAddr {
    let last = u8::try_from(index + 1).unwrap_or(u8::MAX);
    IpAddr::V4(Ipv4Addr::new(198, 18, 1, last))
}

#[cfg(test)]
mod tests {
    use tokio::net::UdpSocket;

    use super::*;
    use crate::authoritative::test_zone::authoritative;
    use crate::gherkin::explanation::Trouble;
    use crate::subject::Reference;

    fn on_a_ground(test: impl AsyncFnOnce(Ground)) {
        LocalSet::new().block_on(&runtime().unwrap(), async {
            test(Ground::open(GroundKind::Loopback, &[SERVER.into()]).await.unwrap()).await;
        });
    }

    fn serving() -> Rc<Serving> {
        Rc::new(Serving::new(Subject::new(authoritative(), Board::default(), &Reference).unwrap()))
    }

    #[test]
    fn a_port_that_is_taken_is_the_labs_trouble_and_not_the_subjects() {
        on_a_ground(async |ground| {
            let here = ground.here(SocketAddr::new(SERVER.into(), DNS_PORT)).unwrap();
            let taken = UdpSocket::bind(here).await.unwrap();
            let trouble = listen(&ground, &serving()).await.unwrap_err();
            assert_eq!(trouble.trouble, Trouble::LabBroke, "{trouble}");
            drop(taken);
            assert!(listen(&ground, &serving()).await.is_ok());
        });
    }

    #[test]
    fn every_asker_has_a_host_of_its_own_until_none_is_left() {
        let serving = serving();
        for n in (1..=252).chain(1..=252) {
            let asker = IpAddr::from([10, 0, 0, n]);
            assert_eq!(serving.asker_at(serving.host_of(asker).unwrap()), Some(asker));
        }
        let one_more = serving.host_of("2001:db8::1".parse().unwrap()).unwrap_err();
        assert_eq!(one_more.trouble, Trouble::CannotRun);
        assert_eq!(serving.asker_at(SERVER.into()), None);
    }
}
