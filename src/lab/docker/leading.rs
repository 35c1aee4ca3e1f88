//! Leads a Docker lab from its networks to its last word.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::future::join_all;
use tokio::net::UnixListener;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use crate::conduct::Command;
use crate::containers::{Containers, Ended, Owner};
use crate::fault::Fault;
use crate::ground::WallClock;
use crate::images::Engine;
use crate::journal::event::{Event, Stamped};
use crate::lab::spread::{CONTROL_PORT, FromHub, Link, Opening, SWITCHES_PORT, ToHub, connect, to_a_port};
use crate::plan::Plan;
use crate::zone::Zone;

use super::blow::Blow;
use super::in_order::InOrder;
use super::layout::{Container, Layout, Start, lay_out};
use super::{COMES_UP_WITHIN, Footing, raising};

/// How often the way to the hub and back is timed; the shortest counts.
const PINGS: u32 = 8;
/// From one attempt to reach the hub to the next, wall time.
const AGAIN: Duration = Duration::from_millis(25);
/// How long what is told is held back, so that all of a moment is there; wall time. Between containers it is under way
/// for less than a millisecond, but on a busy machine who tells it must first have its turn.
const HELD_BACK: Duration = Duration::from_millis(60);
/// How often it is asked which containers have ended, wall time.
const LOOKED_FOR_EVERY: Duration = Duration::from_secs(3);
/// How long a hub may take to say its last word, wall time.
const LAST_WORD_WITHIN: Duration = Duration::from_secs(3);

type HubLink = Link<ToHub, FromHub>;

/// Brings the lab up and does what it is told until nobody is left who could tell it something.
pub(super) async fn lead(
    plan: &Plan,
    zone: &Zone,
    footing: &Footing,
    control: Option<&Path>,
    clock: WallClock,
    sink: &mpsc::UnboundedSender<Stamped>,
    mut orders: mpsc::UnboundedReceiver<Command>,
) -> Result<(), String> {
    let began = Instant::now();
    let engine = Engine::reach().await.map_err(|error| error.to_string())?;
    let containers = Containers::of_run(
        engine.docker(),
        footing.run.clone(),
        if footing.keep { Owner::kept_by_this() } else { Owner::this() },
    );
    let raising = raise(plan, zone, footing, &containers, clock);
    // Watched from before the first one runs: one that dies at its start would else be missed by everybody.
    let mut ended = std::pin::pin!(containers.ended());
    // Whoever gives up while the lab comes up is not kept waiting: what is there by then is removed.
    let (layout, link) = tokio::select! {
        raised = tokio::time::timeout(COMES_UP_WITHIN, raising) => {
            raised.map_err(|_| format!("the containers were not up within {} s", COMES_UP_WITHIN.as_secs()))??
        }
        Some(ended) = ended.next() => return Err(by_itself(&ended, &containers).await),
        () = given_up(&mut orders) => return Ok(()),
    };
    let mut switches = JoinSet::new();
    if let Some(control) = control {
        switches.spawn(serve_switches(control, &layout, &containers).await?);
    }
    let mut lab = Leading {
        plan,
        layout: &layout,
        containers: &containers,
        link,
        sink: sink.clone(),
        clock,
        began,
        told: InOrder::holding(clock.speed().to_lab(HELD_BACK)),
        faults: BTreeSet::new(),
    };
    // An engine tells of each end, but an engine that is busy may not.
    let mut looks = tokio::time::interval(LOOKED_FOR_EVERY);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let due = lab.told.next_due();
        tokio::select! {
            biased;
            _ = clock.sleep_until(due.unwrap_or_default()), if due.is_some() => lab.pass_on(),
            said = lab.link.heard.recv() => match said {
                Some(said) => lab.hear(said),
                None => return Err(format!("the hub ended by itself; its last lines:\n{}", lab.hub_log().await)),
            },
            Some(_) = ended.next() => lab.look_for_the_dead().await?,
            _ = looks.tick() => lab.look_for_the_dead().await?,
            order = orders.recv() => match order {
                Some(command) => lab.obey(command).await,
                None => break,
            },
        }
    }
    lab.finish(if footing.keep { ToHub::Stay } else { ToHub::Stop }).await;
    Ok(())
}

/// Passes on who comes to this path to the hub's switches.
async fn serve_switches(
    control: &Path,
    layout: &Layout,
    containers: &Containers,
) -> Result<impl Future<Output = ()> + use<>, String> {
    let told =
        |error: &dyn std::fmt::Display| format!("the control plane cannot listen at {}: {error}", control.display());
    let hub = layout.hub().map(|hub| hub.spec.name.clone()).unwrap_or_default();
    let port = containers.published(&hub, SWITCHES_PORT).await.map_err(|error| told(&error))?;
    let listener = UnixListener::bind(control).map_err(|error| told(&error))?;
    Ok(to_a_port(listener, ([127, 0, 0, 1], port).into()))
}

/// Ends when nobody can order anything any more; what is ordered before the lab is up is nothing that it could do.
async fn given_up(orders: &mut mpsc::UnboundedReceiver<Command>) {
    while orders.recv().await.is_some() {}
}

/// Everything up, and the hub told what to build.
async fn raise(
    plan: &Plan,
    zone: &Zone,
    footing: &Footing,
    containers: &Containers,
    clock: WallClock,
) -> Result<(Layout, HubLink), String> {
    let subnets = raising::make_networks(plan, containers).await.map_err(|error| error.to_string())?;
    let layout = lay_out(plan, &zone.apex.to_ascii(), containers.run(), &subnets, &footing.images)
        .map_err(|error| error.to_string())?;
    let hub = layout.hub().map(|hub| hub.spec.name.clone()).unwrap_or_default();
    raising::raise(&layout, containers).await.map_err(|error| error.to_string())?;
    let port = containers.published(&hub, CONTROL_PORT).await.map_err(|error| error.to_string())?;
    let (link, way) = reach_the_hub(([127, 0, 0, 1], port).into()).await?;
    let opening =
        Opening { plan: plan.clone(), zone: zone.clone(), running: clock.running() + way, members: layout.members() };
    let _ = link.say.send(ToHub::Open(Box::new(opening)));
    Ok((layout, link))
}

/// A connection to a hub that may still be coming up, and half of the shortest way to it and back: how far its clock may
/// be off, and what is allowed for. A published port accepts before anybody listens behind it, so only an answer counts.
async fn reach_the_hub(at: SocketAddr) -> Result<(HubLink, Duration), String> {
    let until = Instant::now() + COMES_UP_WITHIN;
    while Instant::now() < until {
        let stream = connect(at, COMES_UP_WITHIN).await.map_err(|error| error.to_string())?;
        let mut link: HubLink = Link::over(stream);
        if let Some(way) = way_to_the_hub(&mut link).await {
            return Ok((link, way));
        }
        tokio::time::sleep(AGAIN).await;
    }
    Err(format!("the hub did not answer within {} s; see `docker logs` of it", COMES_UP_WITHIN.as_secs()))
}

/// `None` when there is no answer.
async fn way_to_the_hub(link: &mut HubLink) -> Option<Duration> {
    let mut shortest = Duration::MAX;
    for number in 0..PINGS {
        let sent = Instant::now();
        let _ = link.say.send(ToHub::Ping(number));
        match link.heard.recv().await? {
            FromHub::Pong(back) if back == number => shortest = shortest.min(sent.elapsed()),
            _ => return None,
        }
    }
    Some(shortest / 2)
}

/// What is said of a container that ended though nobody killed it.
async fn by_itself(ended: &Ended, containers: &Containers) -> String {
    let Ended { container, code } = ended;
    let log = containers.last_lines(container).await;
    let told = if log.trim().is_empty() {
        "it logged nothing".to_owned()
    } else {
        format!("its last lines:\n{}", log.trim_end())
    };
    format!("{container} ended by itself, with {code}; {told}")
}

struct Leading<'a> {
    plan: &'a Plan,
    layout: &'a Layout,
    containers: &'a Containers,
    link: HubLink,
    sink: mpsc::UnboundedSender<Stamped>,
    clock: WallClock,
    began: Instant,
    /// What was told and is held back.
    told: InOrder,
    /// The faults that hold.
    faults: BTreeSet<Fault>,
}

impl Leading<'_> {
    fn record(&self, event: Event) {
        self.keep(Stamped { at: self.clock.now(), event });
    }

    /// After the end of a run nobody listens, and that is no error.
    fn keep(&self, stamped: Stamped) {
        let _ = self.sink.send(stamped);
    }

    fn pass_on(&mut self) {
        for stamped in self.told.due(self.clock.now()) {
            self.keep(stamped);
        }
    }

    fn hear(&mut self, said: FromHub) {
        match said {
            FromHub::Event(stamped) => self.told.take(stamped),
            FromHub::Ready { hosts, families } => {
                let took = self.began.elapsed();
                let (lab, ground) = ("docker".to_owned(), "container".to_owned());
                self.record(Event::LabReady { lab, ground, hosts, took, families });
            }
            FromHub::Pong(_) | FromHub::Closed => {}
        }
    }

    /// A container that has ended though no fault kills it is the lab's own trouble. An engine that does not say it now is
    /// asked again.
    async fn look_for_the_dead(&self) -> Result<(), String> {
        let killed = self.layout.hit_by(self.plan, &self.faults, Blow::Kill);
        let dead = self.containers.dead().await.unwrap_or_default();
        let by_itself_alone = |ended: &&Ended| killed.iter().all(|one| one.spec.name != ended.container);
        match dead.iter().find(by_itself_alone) {
            Some(ended) => Err(by_itself(ended, self.containers).await),
            None => Ok(()),
        }
    }

    async fn hub_log(&self) -> String {
        let hub = self.layout.hub().map(|hub| hub.spec.name.clone()).unwrap_or_default();
        self.containers.last_lines(&hub).await.trim_end().to_owned()
    }

    async fn obey(&mut self, command: Command) {
        let _ = self.link.say.send(ToHub::Command(command.clone()));
        match command {
            Command::StartClients => {
                let clients = self.layout.containers.iter().filter(|container| container.start == Start::WithClients);
                let started = join_all(clients.map(|client| self.containers.start(&client.spec.name))).await;
                for error in started.into_iter().filter_map(Result::err) {
                    self.record(Event::LabBroke { reason: error.to_string() });
                }
            }
            Command::Inject(fault) => {
                self.faults.insert(fault.clone());
                if let Some(blow) = Blow::of(&fault) {
                    self.strike(blow, self.layout.hit_by(self.plan, [&fault], blow)).await;
                }
            }
            Command::Heal(fault) => {
                self.faults.remove(&fault);
                let Some(blow) = Blow::of(&fault) else { return };
                let still = self.layout.hit_by(self.plan, &self.faults, blow);
                let whole = self.layout.hit_by(self.plan, [&fault], blow).into_iter();
                self.mend(blow, whole.filter(|one| !still.contains(one)).collect()).await;
            }
        }
    }

    /// What is not hit is seen not to hold.
    async fn strike(&self, blow: Blow, containers: Vec<&Container>) {
        let strike = async |container: &Container| match blow {
            Blow::Kill => self.containers.kill(&container.spec.name).await,
            Blow::Pause => self.containers.pause(&container.spec.name).await,
        };
        let _ = join_all(containers.into_iter().map(strike)).await;
    }

    async fn mend(&self, blow: Blow, containers: Vec<&Container>) {
        let mend = async |container: &Container| match blow {
            Blow::Kill => self.containers.start(&container.spec.name).await,
            Blow::Pause => self.containers.unpause(&container.spec.name).await,
        };
        for error in join_all(containers.into_iter().map(mend)).await.into_iter().filter_map(Result::err) {
            self.record(Event::UndoFailed { detail: error.to_string() });
        }
    }

    /// Lets the hub say what it still has to say.
    async fn finish(mut self, last_order: ToHub) {
        let _ = self.link.say.send(last_order);
        let last = async {
            while let Some(said) = self.link.heard.recv().await {
                match said {
                    FromHub::Closed => return,
                    said => self.hear(said),
                }
            }
        };
        let _ = tokio::time::timeout(LAST_WORD_WITHIN, last).await;
        for stamped in self.told.rest() {
            self.keep(stamped);
        }
    }
}
