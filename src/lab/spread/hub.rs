//! The hub of a spread lab: gathers its members, builds its own share, passes on what is told and what is ordered.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use crate::clock::{LabTime, WallSteps};
use crate::conduct::Command;
use crate::fault::Fault;
use crate::ground::{GroundKind, Recorder, WallClock, Wiring, cut_off};
use crate::journal::event::{Event, Stamped};
use crate::lab::building::{Building, Order, lab_addresses};
use crate::node::authoritative::SharedEvidence;
use crate::node::{DATABASE_BEHIND_PROXY_PORT, DATABASE_PORT, DNS_PORT, HTTP_PORT};
use crate::plan::{CellKind, Plan};

use super::clocks::{monotonic, wall};
use super::link::Link;
use super::members::{Members, News};
use super::message::{FromHub, FromMember, Opening, ToHub, ToMember, Welcome};
use super::relay::to_a_path;
use super::{SpreadError, Token};
use crate::lab::Share;

/// Where members come to.
pub const MEMBER_PORT: u16 = 9053;
/// Where who leads the lab comes to; its engine publishes it.
pub const CONTROL_PORT: u16 = 9054;
/// Where the operator's switches are turned; its engine publishes it.
pub const SWITCHES_PORT: u16 = 9055;
/// Where they are turned inside the hub.
const SWITCHES: &str = "/switches";

/// How long a member may be away before that is told. Whoever leads the lab sees sooner that its process has ended, and
/// can say how. Wall time.
const AWAY_WITHIN: Duration = Duration::from_secs(10);
/// How long the hub waits for somebody to lead it, wall time.
const LED_WITHIN: Duration = Duration::from_secs(120);
/// How often the wall clock is looked at, wall time.
const LOOKS_AT_THE_CLOCK_EVERY: Duration = Duration::from_secs(1);
/// How many may be heard at a time before one of them leads.
const MOST_AT_THE_DOOR: usize = 16;
/// One attempt to reach what is no member and comes up by itself, and from one to the next. Wall time.
const ATTEMPT: Duration = Duration::from_millis(500);
const AGAIN: Duration = Duration::from_millis(25);

/// Builds the hub's share of whatever lab it is given, and ends with whoever leads it. To be called inside a
/// `LocalSet`, in a container that is wired like this. `listening` is called when somebody may come; who does not say the
/// token leads nothing and turns nothing.
///
/// # Errors
/// When a port is taken, or nobody comes.
pub async fn run_hub(wiring: &Wiring, token: &Token, listening: impl FnOnce()) -> Result<(), SpreadError> {
    let control = listen(CONTROL_PORT).await?;
    let door = listen(MEMBER_PORT).await?;
    let switches = listen(SWITCHES_PORT).await?;
    let mut relays = JoinSet::new();
    relays.spawn(to_a_path(switches, SWITCHES.into(), token.clone()));
    listening();
    let led = tokio::time::timeout(LED_WITHIN, who_leads(&control, token)).await;
    let Ok(stream) = led else { return Err(SpreadError::NobodyLeads { seconds: LED_WITHIN.as_secs() }) };
    drop(control);
    let link: Link<FromHub, ToHub> = Link::over(stream);
    let Link { say, mut heard, mut running } = link;
    let opening = loop {
        match heard.recv().await {
            Some(ToHub::Ping(number)) => drop(say.send(pong(number, None))),
            Some(ToHub::Open(opening)) => break *opening,
            Some(ToHub::Command(_)) => {}
            Some(ToHub::Stop | ToHub::Stay) | None => return Ok(()),
        }
    };
    lead(opening, wiring, door, &say, &mut heard).await;
    drop(say);
    // Until its last word is written. One that is gone reads nothing any more, and the writing fails.
    while running.join_next().await.is_some() {
        if heard.is_closed() {
            break;
        }
    }
    Ok(())
}

async fn listen(port: u16) -> Result<TcpListener, SpreadError> {
    let here = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), port);
    TcpListener::bind(here).await.map_err(|problem| SpreadError::Port { port, problem })
}

/// The first who comes and says the token. Nobody waits for another who says nothing.
async fn who_leads(control: &TcpListener, token: &Token) -> TcpStream {
    let mut heard = JoinSet::new();
    loop {
        tokio::select! {
            came = control.accept(), if heard.len() < MOST_AT_THE_DOOR => match came {
                Ok((mut stream, _)) => {
                    let token = token.clone();
                    heard.spawn(async move { token.is_said(&mut stream).await.then_some(stream) });
                }
                Err(_) => tokio::task::yield_now().await,
            },
            Some(said) = heard.join_next(), if !heard.is_empty() => {
                if let Ok(Some(stream)) = said {
                    return stream;
                }
            }
        }
    }
}

/// Leads the lab from its opening to its end.
async fn lead(
    opening: Opening,
    wiring: &Wiring,
    door: TcpListener,
    say: &mpsc::UnboundedSender<FromHub>,
    heard: &mut mpsc::UnboundedReceiver<ToHub>,
) {
    let Opening { plan, zone, started, members } = opening;
    let clock = WallClock::started(monotonic().saturating_sub(started), plan.speed);
    let (sink, mut events) = mpsc::unbounded_channel();
    let recorder = Recorder::new(clock, sink);
    let welcome = Welcome { plan: plan.clone(), started };
    let mut gathered = Members::gather(door, welcome);
    let order = Order {
        plan: &plan,
        zone: Some(Arc::new(zone)),
        share: Share::Hub,
        ground: GroundKind::Container,
        control_socket: Some(Path::new(SWITCHES)),
        clock: clock.into(),
        recorder: &recorder,
        resources: None,
    };
    let building = match Building::build(order).await {
        Ok(building) => building,
        Err(reason) => {
            let _ = say.send(FromHub::Event(Stamped { at: recorder.now(), event: Event::LabBroke { reason } }));
            while !matches!(heard.recv().await, Some(ToHub::Stop | ToHub::Stay) | None) {}
            let _ = say.send(FromHub::Closed);
            return;
        }
    };
    let (evidence, families) = (building.evidence(), building.families());
    let mut awaited = Awaited::of(members, doors(&plan));
    let (orders, to_obey) = mpsc::unbounded_channel();
    let mut orders = Some(orders);
    let (mut stays, mut led) = (false, true);
    let obeying = building.obey(to_obey);
    let mut obeying = std::pin::pin!(obeying);
    let mut steps = WallSteps::from(wall(), monotonic());
    let mut look = tokio::time::interval(LOOKS_AT_THE_CLOCK_EVERY);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        if awaited.is_over() {
            let _ = say.send(FromHub::Ready { hosts: lab_addresses(&plan).len(), families: families.clone() });
        }
        tokio::select! {
            biased;
            Some(stamped) = events.recv() => drop(say.send(FromHub::Event(stamped))),
            Some((share, news)) = gathered.news.recv() => {
                if let Some(stamped) = awaited.hear(&share, news, &evidence, recorder.now()) {
                    let _ = say.send(FromHub::Event(stamped));
                }
            }
            Some(_) = awaited.doors.join_next() => {}
            _ = look.tick() => {
                if let Some(step) = steps.look(wall(), monotonic()) {
                    let _ = say.send(FromHub::Event(Stamped { at: recorder.now(), event: Event::WallClockSet { step } }));
                }
            }
            Some(Ok(share)) = awaited.late.join_next() => {
                if let Some(event) = awaited.is_late(&share) {
                    let _ = say.send(FromHub::Event(Stamped { at: recorder.now(), event }));
                }
            }
            message = heard.recv(), if led && orders.is_some() => match message {
                Some(ToHub::Command(command)) => {
                    if let Some(event) = route(&plan, wiring, &command).await {
                        let _ = say.send(FromHub::Event(Stamped { at: recorder.now(), event }));
                    }
                    gathered.tell_all(&command);
                    let _ = orders.as_ref().map(|orders| orders.send(command));
                }
                Some(ToHub::Ping(number)) => {
                    let _ = say.send(pong(number, Some(recorder.now())));
                }
                Some(ToHub::Open(_)) => {}
                Some(ToHub::Stay) => {
                    let _ = say.send(FromHub::Closed);
                    stays = true;
                }
                None if stays => led = false,
                Some(ToHub::Stop) | None => orders = None,
            },
            ended = &mut obeying => {
                let event = ended.unwrap_or_else(|reason| Event::LabBroke { reason });
                while let Ok(stamped) = events.try_recv() {
                    let _ = say.send(FromHub::Event(stamped));
                }
                let _ = say.send(FromHub::Event(Stamped { at: recorder.now(), event }));
                let _ = say.send(FromHub::Closed);
                return;
            }
        }
    }
}

fn pong(number: u32, shown: Option<LabTime>) -> FromHub {
    FromHub::Pong { number, monotonic: monotonic(), shown }
}

/// Has the router do what of an order is its: cut a cell off, and let it through again. What it could not do; a cell
/// that is not cut off is seen not to be.
async fn route(plan: &Plan, wiring: &Wiring, command: &Command) -> Option<Event> {
    let (cell, cut) = match command {
        Command::Inject(Fault::PartitionRegion(cell)) => (cell, true),
        Command::Heal(Fault::PartitionRegion(cell)) => (cell, false),
        _ => return None,
    };
    let planned = plan.cells.get(cell)?;
    let addresses: Vec<IpAddr> = planned.addresses.iter().copied().chain(planned.kind.inside()).collect();
    let refused = cut_off(wiring, &addresses, cut).await.err()?;
    let detail = format!("{cell}: {refused}");
    Some(if cut { Event::LabBroke { reason: detail } } else { Event::NotUndone { detail } })
}

/// What is still to come before the lab is ready.
struct Awaited {
    members: BTreeSet<Share>,
    /// The doors of what is no member: each ends when it was seen open.
    doors: JoinSet<()>,
    told: bool,
    /// The members that have gone and did not come again.
    away: BTreeSet<Share>,
    /// Each ends when a member that has gone should be back.
    late: JoinSet<Share>,
}

impl Awaited {
    fn of(members: impl IntoIterator<Item = Share>, doors: JoinSet<()>) -> Self {
        let members = members.into_iter().collect();
        Self { members, doors, told: false, away: BTreeSet::new(), late: JoinSet::new() }
    }

    /// Whether everything is there, for the first time.
    fn is_over(&mut self) -> bool {
        let over = !self.told && self.members.is_empty() && self.doors.is_empty();
        self.told |= over;
        over
    }

    /// Takes in what came from a member; what is to be told of it.
    fn hear(&mut self, share: &Share, news: News, evidence: &SharedEvidence, now: LabTime) -> Option<Stamped> {
        let broke = |reason| Some(Stamped { at: now, event: Event::LabBroke { reason } });
        match news {
            News::Said(FromMember::Event(stamped)) => Some(stamped),
            News::Said(FromMember::Evidence(news)) => {
                evidence.borrow_mut().take(news);
                None
            }
            News::Said(FromMember::Ready) => {
                self.members.remove(share);
                self.away.remove(share);
                None
            }
            News::Said(FromMember::Broke(reason)) => broke(format!("{share}: {reason}")),
            News::Said(FromMember::Hello(_)) => None,
            // A part is what faults kill; whoever leads the lab knows whether one did.
            News::Gone if matches!(share, Share::Part { .. }) => None,
            News::Gone => {
                self.away.insert(share.clone());
                let share = share.clone();
                self.late.spawn(async move {
                    tokio::time::sleep(AWAY_WITHIN).await;
                    share
                });
                None
            }
        }
    }

    /// What is told of a member that should be back by now.
    fn is_late(&mut self, share: &Share) -> Option<Event> {
        let reason =
            || format!("{share} is not to be heard any more, though its container runs; see its `docker logs`");
        self.away.remove(share).then(|| Event::LabBroke { reason: reason() })
    }
}

/// What is no member and must serve all the same: databases, load balancers that are not muster's, resolvers.
fn doors(plan: &Plan) -> JoinSet<()> {
    let databases = plan.cells.values().filter_map(|cell| match &cell.kind {
        CellKind::Region(region) => {
            // A Toxiproxy in front of it accepts before it does.
            let port = if cell.proxied { DATABASE_BEHIND_PROXY_PORT } else { DATABASE_PORT };
            Some(SocketAddr::new(region.database_address, port))
        }
        CellKind::Llm(_) | CellKind::TelemetryGateway | CellKind::StaticSite => None,
    });
    // One door of each tells of all: they are opened together. Not every engine has IPv6.
    let balanced = plan.cells.values().filter(|cell| cell.kind.load_balancer_software().is_some());
    let load_balancers = balanced.filter_map(|cell| cell.addresses.iter().min_by_key(|address| address.is_ipv6()));
    let load_balancers = load_balancers.map(|address| SocketAddr::new(*address, HTTP_PORT));
    let resolvers = plan.resolvers.values().map(|resolver| SocketAddr::new(resolver.address, DNS_PORT));
    let mut doors = JoinSet::new();
    for door in databases.chain(load_balancers).chain(resolvers) {
        doors.spawn(seen_open(door));
    }
    doors
}

/// Ends when somebody accepts there. Who leads the lab says how long that may take.
async fn seen_open(door: SocketAddr) {
    while !matches!(tokio::time::timeout(ATTEMPT, TcpStream::connect(door)).await, Ok(Ok(_))) {
        tokio::time::sleep(AGAIN).await;
    }
}

impl Members {
    /// Has every member do something. One that is gone cannot; that is seen elsewhere.
    fn tell_all(&self, command: &crate::conduct::Command) {
        for line in self.lines.borrow().values() {
            let _ = line.send(ToMember::Command(command.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Part;

    fn cell() -> Share {
        Share::Cell("east".to_owned())
    }

    fn database() -> Share {
        Share::Part { cell: "east".to_owned(), part: Part::Database }
    }

    fn awaited(members: [Share; 2]) -> Awaited {
        Awaited::of(members, JoinSet::new())
    }

    fn hears(awaited: &mut Awaited, share: &Share, news: News) -> Option<Event> {
        awaited.hear(share, news, &SharedEvidence::default(), LabTime::START).map(|stamped| stamped.event)
    }

    #[test]
    fn a_lab_is_ready_once_when_every_member_is() {
        let mut awaited = awaited([cell(), database()]);
        let ready = || News::Said(FromMember::Ready);
        assert_eq!(hears(&mut awaited, &cell(), ready()), None);
        assert_eq!(hears(&mut awaited, &cell(), ready()), None);
        assert!(!awaited.is_over(), "one is still to come");
        assert_eq!(hears(&mut awaited, &database(), ready()), None);
        assert!(awaited.is_over());
        // One that was killed and comes again says so again.
        assert_eq!(hears(&mut awaited, &database(), ready()), None);
        assert!(!awaited.is_over());
    }

    #[test]
    fn who_says_the_token_leads_though_strangers_came_before_and_nobody_else_does() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let control = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let at = control.local_addr().unwrap();
            let token = Token::of_chance();
            let _silent = TcpStream::connect(at).await.unwrap();
            let mut stranger = TcpStream::connect(at).await.unwrap();
            Token::of_chance().say(&mut stranger).await.unwrap();
            let mut leader = TcpStream::connect(at).await.unwrap();
            token.say(&mut leader).await.unwrap();
            let led = tokio::time::timeout(Duration::from_secs(60), who_leads(&control, &token)).await.unwrap();
            assert_eq!(led.peer_addr().unwrap(), leader.local_addr().unwrap());
        });
    }

    /// Who leads the lab asks the engine, which knows the exit code and the log.
    #[tokio::test]
    async fn that_a_member_is_gone_is_left_to_who_leads_the_lab_unless_nobody_says_it() {
        let mut awaited = awaited([cell(), database()]);
        assert_eq!(hears(&mut awaited, &database(), News::Gone), None);
        assert_eq!(hears(&mut awaited, &cell(), News::Gone), None);
        assert_eq!(awaited.late.len(), 1, "a part is what faults kill");
        let told = awaited.is_late(&cell());
        assert!(
            matches!(&told, Some(Event::LabBroke { reason }) if reason.starts_with("east is not to be heard")),
            "{told:?}"
        );

        assert_eq!(hears(&mut awaited, &cell(), News::Gone), None);
        assert_eq!(hears(&mut awaited, &cell(), News::Said(FromMember::Ready)), None);
        assert_eq!(awaited.is_late(&cell()), None, "it has come again");
    }

    #[test]
    fn why_a_member_breaks_is_told_in_its_own_words() {
        let mut awaited = awaited([cell(), database()]);
        let broke = |reason: &str| Some(Event::LabBroke { reason: reason.to_owned() });
        let why = News::Said(FromMember::Broke("its port is taken".to_owned()));
        assert_eq!(hears(&mut awaited, &database(), why), broke("east.database: its port is taken"));
    }
}
