//! Leads a Docker lab from its networks to its last word.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use futures_util::future::{FutureExt, LocalBoxFuture, join_all};
use futures_util::stream::{FuturesUnordered, Stream, StreamExt};
use tokio::net::UnixListener;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use crate::conduct::Command;
use crate::containers::{Containers, ContainersError, Ended, MAKES_WITHIN, Owner};
use crate::fault::Fault;
use crate::ground::WallClock;
use crate::images::Engine;
use crate::journal::event::{Event, Stamped};
use crate::lab::spread::{CONTROL_PORT, FromHub, Link, Opening, SWITCHES_PORT, ToHub, Token, connect, to_a_port};
use crate::plan::{Family, Plan};
use crate::service::ONE_IN;
use crate::zone::Zone;

use super::blow::Blow;
use super::clock_reading::ClockReading;
use super::in_order::InOrder;
use super::layout::{Container, Layout, Start, lay_out};
use super::{COMES_UP_WITHIN, Footing, raising};

/// How often the way to the hub and back is timed, and how often its clock is read; the shortest counts.
const PINGS: u32 = 8;
/// From one attempt to reach the hub to the next, wall time.
const AGAIN: Duration = Duration::from_millis(25);
/// How long what is told is held back, so that all of a moment is there; wall time. Between containers it is under way
/// for less than a millisecond, but on a busy machine who tells it must first have its turn.
const HELD_BACK: Duration = Duration::from_millis(60);
/// How often it is asked which containers have ended, wall time.
const LOOKED_FOR_EVERY: Duration = Duration::from_secs(3);
/// How long a hub may take to say its last word, wall time.
pub(super) const LAST_WORD_WITHIN: Duration = Duration::from_secs(3);

/// A hub that has answered nothing for so long, wall time, is paused, or its machine is.
const SILENT_FOR: Duration = Duration::from_secs(20);
/// The number of a ping that asks for a sign of life only.
const ALIVE: u32 = u32::MAX;

/// How long a hub whose container has started may take to answer, wall time: less than the lab may take to come up, so
/// that what is said of it is why.
const REACHED_WITHIN: Duration = Duration::from_secs(45);
/// What to look at when a hub is not reached.
const MUST_BE_REACHED: &str = "its engine publishes that port, which must be reached from here: where DOCKER_HOST leads \
                               through a tunnel or past a firewall, run muster on the engine's machine";

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
    )
    .at(engine.host());
    let token = Token::of_chance();
    // Watched from before the first one runs: one that dies at its start would else be missed by everybody.
    let mut ended = std::pin::pin!(containers.ended());
    let mut coming_up =
        ComingUp { containers: &containers, until: began + COMES_UP_WITHIN, orders: &mut orders, ended: &mut ended };
    let making = raise(plan, zone, footing, &containers, &token);
    let Some(layout) = coming_up.waits_for(making, MAKES_WITHIN).await? else { return Ok(()) };
    let opening = open(plan, zone, &layout, &containers, &token, clock);
    let Some(link) = coming_up.waits_for(opening, Duration::ZERO).await? else { return Ok(()) };
    let mut switches = JoinSet::new();
    if let Some(control) = control {
        switches.spawn(serve_switches(control, &layout, &containers, token).await?);
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
        serves: None,
        hub_clock: ClockReading::of(PINGS),
        faults: BTreeSet::new(),
    };
    match lab.lead(&mut ended, &mut orders).await {
        Ok(()) => lab.finish(if footing.keep { ToHub::Stay } else { ToHub::Stop }).await,
        Err(reason) => {
            lab.pass_on_the_rest();
            return Err(reason);
        }
    }
    Ok(())
}

/// Passes on who comes to this path to the hub's switches.
async fn serve_switches(
    control: &Path,
    layout: &Layout,
    containers: &Containers,
    token: Token,
) -> Result<impl Future<Output = ()> + use<>, String> {
    let told =
        |error: &dyn std::fmt::Display| format!("the control plane cannot listen at {}: {error}", control.display());
    let hub = layout.hub().map(|hub| hub.spec.name.clone()).unwrap_or_default();
    let at = containers.published(&hub, SWITCHES_PORT).await.map_err(|error| told(&error))?;
    let listener = UnixListener::bind(control).map_err(|error| told(&error))?;
    Ok(to_a_port(listener, at, token))
}

/// Ends when nobody can order anything any more; what is ordered before the lab is up is nothing that it could do.
async fn given_up(orders: &mut mpsc::UnboundedReceiver<Command>) {
    while orders.recv().await.is_some() {}
}

/// What is watched while the lab comes up.
struct ComingUp<'a, E> {
    containers: &'a Containers,
    until: Instant,
    orders: &'a mut mpsc::UnboundedReceiver<Command>,
    ended: &'a mut E,
}

impl<E: Stream<Item = Ended> + Unpin> ComingUp<'_, E> {
    /// Does a part of it; `None` when everybody has given up. When it does not come about, what of it is under way may
    /// still take so long, wall time: what an engine was asked to make it makes, also when nobody waits for it any more,
    /// and nobody would remove it.
    async fn waits_for<T>(
        &mut self,
        work: impl Future<Output = Result<T, String>>,
        under_way: Duration,
    ) -> Result<Option<T>, String> {
        let mut work = std::pin::pin!(work);
        let why_not = tokio::select! {
            done = &mut work => return done.map(Some),
            () = tokio::time::sleep_until(self.until.into()) => {
                Err(format!(
                    "the lab was not up within {} s; see whether the engine's machine is busy, and whether something on it \
                     filters the wires, 100.126.0.0/15, as Tailscale does (`tailscale down`)",
                    COMES_UP_WITHIN.as_secs()
                ))
            }
            Some(ended) = self.ended.next() => Err(by_itself(&ended, self.containers).await),
            () = given_up(self.orders) => Ok(None),
        };
        self.containers.close();
        let _ = tokio::time::timeout(under_way, work).await;
        why_not
    }
}

/// Every container up that does not wait for the clients.
async fn raise(
    plan: &Plan,
    zone: &Zone,
    footing: &Footing,
    containers: &Containers,
    token: &Token,
) -> Result<Layout, String> {
    let subnets =
        raising::make_networks(plan, footing.addresses, containers).await.map_err(|error| error.to_string())?;
    let layout = lay_out(plan, &zone.apex.to_ascii(), containers.run(), &subnets, &footing.images)
        .map_err(|error| error.to_string())?
        .led_with(token);
    raising::raise(&layout, containers).await.map_err(|error| error.to_string())?;
    Ok(layout)
}

/// The hub reached, and told what to build.
async fn open(
    plan: &Plan,
    zone: &Zone,
    layout: &Layout,
    containers: &Containers,
    token: &Token,
    clock: WallClock,
) -> Result<HubLink, String> {
    let hub = layout.hub().map(|hub| hub.spec.name.clone()).unwrap_or_default();
    let at = containers.published(&hub, CONTROL_PORT).await.map_err(|error| error.to_string())?;
    let (link, started) = reach_the_hub(at, token, clock).await?;
    let opening = Opening { plan: plan.clone(), zone: zone.clone(), started, members: layout.members() };
    let _ = link.say.send(ToHub::Open(Box::new(opening)));
    Ok(link)
}

/// A connection to a hub that may still be coming up, and lab time 0 on its monotonic clock. A published port accepts
/// before anybody listens behind it, so only an answer counts.
async fn reach_the_hub(at: SocketAddr, token: &Token, clock: WallClock) -> Result<(HubLink, Duration), String> {
    let until = Instant::now() + REACHED_WITHIN;
    while Instant::now() < until {
        let stream = connect(at, until.saturating_duration_since(Instant::now())).await;
        let mut stream = stream.map_err(|error| format!("{error}; {MUST_BE_REACHED}"))?;
        if token.say(&mut stream).await.is_ok() {
            let mut link: HubLink = Link::over(stream);
            if let Some(started) = began(&mut link, clock).await {
                return Ok((link, started));
            }
        }
        tokio::time::sleep(AGAIN).await;
    }
    let seconds = REACHED_WITHIN.as_secs();
    Err(format!("the hub did not answer at {at} within {seconds} s; see `docker logs` of it; {MUST_BE_REACHED}"))
}

/// Lab time 0 on the hub's monotonic clock, as far as the shortest of several ways there and back tells: the clock was read
/// in the middle of it, give or take its half. `None` when there is no answer.
async fn began(link: &mut HubLink, clock: WallClock) -> Option<Duration> {
    let mut ways = Vec::new();
    for number in 0..PINGS {
        let asked = clock.running();
        let _ = link.say.send(ToHub::Ping(number));
        match link.heard.recv().await? {
            FromHub::Pong { number: back, monotonic, .. } if back == number => {
                let way = clock.running().saturating_sub(asked);
                ways.push((way, monotonic.saturating_sub(asked + way / 2)));
            }
            _ => return None,
        }
    }
    ways.into_iter().min().map(|(_, began)| began)
}

async fn last_words(container: &str, containers: &Containers) -> String {
    let log = containers.last_lines(container).await;
    if log.trim().is_empty() { "it logged nothing".to_owned() } else { format!("its last lines:\n{}", log.trim_end()) }
}

/// What is said of a container that ended though nobody killed it.
async fn by_itself(ended: &Ended, containers: &Containers) -> String {
    let Ended { container, code } = ended;
    let Some(code) = code else { return format!("{container} is gone: somebody has removed it from the engine") };
    let told = last_words(container, containers).await;
    format!("{container} ended by itself, with {code}; {told}")
}

/// A lab of which every node serves.
struct Serves {
    hosts: usize,
    families: Vec<Family>,
    /// Wall time from the lab's start until then.
    took: Duration,
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
    /// What is to be told as soon as the hub's clock is read.
    serves: Option<Serves>,
    hub_clock: ClockReading,
    /// The faults that hold.
    faults: BTreeSet<Fault>,
}

/// What came of something that the engine was asked.
enum Answer {
    /// This is to be told.
    Tells(Vec<Event>),
    /// These containers have ended.
    Dead(Vec<Ended>),
}

impl<'a> Leading<'a> {
    /// Until nobody is left who could order something. The engine is asked one thing after another, and while it thinks,
    /// what is told is passed on all the same.
    async fn lead(
        &mut self,
        ended: &mut (impl Stream<Item = Ended> + Unpin),
        orders: &mut mpsc::UnboundedReceiver<Command>,
    ) -> Result<(), String> {
        // An engine tells of each end, but an engine that is busy may not.
        let mut looks = tokio::time::interval(LOOKED_FOR_EVERY);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // One at most.
        let mut asked = FuturesUnordered::new();
        let mut heard = Instant::now();
        loop {
            let due = self.told.next_due();
            let idle = asked.is_empty();
            tokio::select! {
                biased;
                _ = self.clock.sleep_until(due.unwrap_or_default()), if due.is_some() => self.pass_on(),
                said = self.link.heard.recv() => match said {
                    Some(said) => {
                        heard = Instant::now();
                        self.hear(said);
                    }
                    None => return Err(format!("the hub ended by itself; {}", self.hubs_last_words().await)),
                },
                Some(answer) = asked.next(), if !idle => self.take(answer).await?,
                Some(_) = ended.next(), if idle => asked.push(self.look_for_the_dead()),
                _ = looks.tick() => {
                    if heard.elapsed() > SILENT_FOR {
                        return Err(self.hub_is_silent().await);
                    }
                    let _ = self.link.say.send(ToHub::Ping(ALIVE));
                    if idle {
                        asked.push(self.look_for_the_dead());
                    }
                }
                order = orders.recv(), if idle => match order {
                    Some(command) => asked.push(self.obey(command)),
                    None => return Ok(()),
                },
            }
        }
    }

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

    fn pass_on_the_rest(&mut self) {
        for stamped in self.told.rest() {
            self.keep(stamped);
        }
    }

    fn hear(&mut self, said: FromHub) {
        match said {
            FromHub::Event(stamped) => self.told.take(stamped),
            FromHub::Ready { hosts, families } => {
                self.serves = Some(Serves { hosts, families, took: self.began.elapsed() });
                self.read_the_hubs_clock();
            }
            FromHub::Pong { number, shown: Some(shown), .. } => {
                self.hub_clock.hear(number, shown, self.clock.now());
                self.read_the_hubs_clock();
            }
            FromHub::Pong { shown: None, .. } | FromHub::Closed => {}
        }
    }

    /// Asks once more; when that is done, the lab is ready.
    fn read_the_hubs_clock(&mut self) {
        if let Some(number) = self.hub_clock.ask(self.clock.now()) {
            let _ = self.link.say.send(ToHub::Ping(number));
        } else if let Some(Serves { hosts, families, took }) = self.serves.take() {
            let (lab, ground) = ("docker".to_owned(), "container".to_owned());
            self.record(Event::LabReady { lab, ground, hosts, took, families, clock: self.hub_clock.read() });
        }
    }

    /// An engine that does not say it now is asked again.
    fn look_for_the_dead(&self) -> LocalBoxFuture<'a, Answer> {
        let containers = self.containers;
        let made: BTreeSet<&str> =
            self.layout.containers.iter().map(|container| container.spec.name.as_str()).collect();
        // An engine that does not answer tells of nobody's end; what is asked of it next says so.
        async move { Answer::Dead(containers.dead(&made).await.unwrap_or_default()) }.boxed_local()
    }

    /// A container that has ended though no fault kills it is the lab's own trouble.
    async fn take(&self, answer: Answer) -> Result<(), String> {
        let dead = match answer {
            Answer::Dead(dead) => dead,
            Answer::Tells(events) => {
                for event in events {
                    self.record(event);
                }
                return Ok(());
            }
        };
        let killed = self.layout.hit_by(self.plan, &self.faults, Blow::Kill);
        let by_itself_alone =
            |ended: &&Ended| ended.code.is_none() || killed.iter().all(|one| one.spec.name != ended.container);
        match dead.iter().find(by_itself_alone) {
            Some(ended) => Err(by_itself(ended, self.containers).await),
            None => Ok(()),
        }
    }

    async fn hub_is_silent(&self) -> String {
        let hub = self.layout.hub().map(|hub| hub.spec.name.as_str()).unwrap_or_default();
        format!(
            "the hub has said nothing for {} s; see whether its container runs (`docker ps --all --filter name={hub}`) and \
             whether the engine's machine is busy; {}",
            SILENT_FOR.as_secs(),
            self.hubs_last_words().await
        )
    }

    async fn hubs_last_words(&self) -> String {
        let hub = self.layout.hub().map(|hub| hub.spec.name.as_str()).unwrap_or_default();
        last_words(hub, self.containers).await
    }

    fn obey(&mut self, command: Command) -> LocalBoxFuture<'a, Answer> {
        let _ = self.link.say.send(ToHub::Command(command.clone()));
        let (engine, layout) = (self.containers, self.layout);
        match command {
            Command::StartClients => {
                let clients = layout.containers.iter().filter(|container| container.start == Start::WithClients);
                let broke = |error: ContainersError| Event::LabBroke { reason: error.to_string() };
                do_to_each(clients.collect(), async |client| engine.start(client).await, broke).boxed_local()
            }
            Command::Inject(fault) => {
                self.faults.insert(fault.clone());
                let Some(blow) = Blow::of(&fault) else { return nothing() };
                let hit = layout.hit_by(self.plan, [&fault], blow);
                // What is not hit is seen not to hold; this says why.
                let refused = move |error: ContainersError| Event::FaultRefused {
                    fault: fault.clone(),
                    detail: error.to_string(),
                };
                do_to_each(hit, async move |container| strike(engine, blow, container).await, refused).boxed_local()
            }
            Command::Heal(fault) => {
                self.faults.remove(&fault);
                let Some(blow) = Blow::of(&fault) else { return nothing() };
                let still = layout.hit_by(self.plan, &self.faults, blow);
                let mut whole = layout.hit_by(self.plan, [&fault], blow);
                whole.retain(|one| !still.contains(one));
                let failed = |error: ContainersError| Event::NotUndone { detail: error.to_string() };
                do_to_each(whole, async move |container| mend(engine, blow, container).await, failed).boxed_local()
            }
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
        self.pass_on_the_rest();
    }
}

fn nothing<'a>() -> LocalBoxFuture<'a, Answer> {
    std::future::ready(Answer::Tells(Vec::new())).boxed_local()
}

/// Does something to all of these at once; what is told of those to which it could not be done.
async fn do_to_each(
    containers: Vec<&Container>,
    what: impl AsyncFn(&str) -> Result<(), ContainersError>,
    told: impl Fn(ContainersError) -> Event,
) -> Answer {
    let done = join_all(containers.iter().map(|container| what(&container.spec.name))).await;
    Answer::Tells(done.into_iter().filter_map(Result::err).map(told).collect())
}

async fn strike(engine: &Containers, blow: Blow, container: &str) -> Result<(), ContainersError> {
    match blow {
        Blow::Kill => engine.kill(container).await,
        Blow::Pause => engine.pause(container).await,
        Blow::Throttle => engine.throttle(container, ONE_IN).await,
    }
}

async fn mend(engine: &Containers, blow: Blow, container: &str) -> Result<(), ContainersError> {
    match blow {
        Blow::Kill => engine.start(container).await,
        Blow::Pause => engine.unpause(container).await,
        Blow::Throttle => engine.unthrottle(container).await,
    }
}
