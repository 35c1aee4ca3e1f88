//! Journals made by hand, for the tests of everything that reads one.
//!
//! The story of [`passing`]: a database in sa-east-1 dies at 60.5 s and comes back at 300.5 s; Brazil is answered
//! us-east-1 in between. The times are chosen so that every boundary can be checked in the head.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use crate::clock::{LabTime, Speed};
use crate::decide::Viewpoint;
use crate::health::{MinimumHealthy, ProberSettings, TargetGroupSettings};
use crate::plan::expectation::{Claim, Expectation, ExpectedAnswer, Holds, Leg, Stage};
use crate::plan::{
    Asks, Bounds, CellKind, CellPlan, ClientPlan, ClientProfile, ClientRuns, ClientSoftware, EnginePlan, Family, Fault,
    GatewaySettings, LegPrediction, LlmPlan, Move, NodeCheck, ObservePlan, Plan, Prediction, ProberPlan, RegionPlan,
    ResolverKind, ResolverPlan, RoutingControlsPlan, Schedule, SignalPrediction, Source, WatchedQuestion, WireTtl,
};
use crate::service::EngineSettings;

use super::Chain;
use super::event::{Event, Phase, RequestOutcome, SeenAnswer, Server, Signal, Stamped};
use super::writer::Line;

/// The name that everybody asks for.
pub(crate) const NAME: &str = "app.example.com.";
/// The cell that breaks.
pub(crate) const OLD: &str = "sa-east-1";
/// The cell that takes over.
pub(crate) const NEW: &str = "us-east-1";

/// A plan and what happened, in the order in which it was put down.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    /// Written as the journal's second line.
    pub(crate) plan: Plan,
    /// Everything after it.
    pub(crate) happened: Vec<Stamped>,
}

/// Lab seconds.
pub(crate) fn secs(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

/// A moment of lab time in seconds.
pub(crate) fn at(seconds: f64) -> LabTime {
    LabTime::at(secs(seconds))
}

/// Between two bounds in seconds.
pub(crate) fn bounds(best: f64, worst: f64) -> Bounds {
    Bounds::between(secs(best), secs(worst))
}

/// An expectation of the failover leg.
pub(crate) fn expect(claim: Claim) -> Expectation {
    Expectation { text: "as expected".into(), at: "drill.yaml:1:1".into(), during: Leg::Failover, claim }
}

/// What the authoritative server answers Brazil.
pub(crate) fn brazil_is_answered(cell: &str, holds: Holds) -> Claim {
    let answer = ExpectedAnswer::Cell(cell.into());
    Claim::Answer { name: NAME.into(), family: Family::A, place: "Brazil".into(), answer, holds }
}

/// Where the Brazilian client's requests arrive.
pub(crate) fn br_fresh_is_served_by(cell: &str, holds: Holds) -> Claim {
    Claim::Served { client: "br-fresh".into(), by: Some(cell.into()), holds }
}

impl Script {
    /// One more event.
    pub(crate) fn add(mut self, seconds: f64, event: Event) -> Self {
        self.happened.push(Stamped { at: at(seconds), event });
        self
    }

    /// The plan, changed.
    pub(crate) fn planned(mut self, change: impl FnOnce(&mut Plan)) -> Self {
        change(&mut self.plan);
        self
    }

    /// This client is curl, and tells nothing.
    pub(crate) fn with_curl_as(self, client: &str) -> Self {
        self.planned(|plan| {
            let curl = ClientRuns::Known(ClientSoftware::Curl);
            plan.clients.get_mut(client).into_iter().for_each(|plan| plan.runs = curl.clone());
        })
        .without(|stamped| matches!(&stamped.event, Event::RequestEnded { client: who, .. } if who == client))
    }

    /// With just this to be judged.
    pub(crate) fn expecting(self, claim: Claim) -> Self {
        self.planned(|plan| plan.expectations = vec![expect(claim)])
    }

    /// Without the events that `drop` picks.
    pub(crate) fn without(mut self, drop: impl Fn(&Stamped) -> bool) -> Self {
        self.happened.retain(|stamped| !drop(stamped));
        self
    }

    /// Every event changed in place.
    pub(crate) fn changed(mut self, mut change: impl FnMut(&mut Stamped)) -> Self {
        self.happened.iter_mut().for_each(&mut change);
        self
    }

    /// Whatever happened after this, with [`Event::RunEnded`], left out.
    pub(crate) fn until(self, seconds: f64) -> Self {
        self.without(|stamped| stamped.at > at(seconds))
    }

    /// The journal's events.
    pub(crate) fn events(&self) -> Vec<Stamped> {
        let mut events = vec![
            Event::RunStarted { version: "0.1.0".into(), wall: "2026-03-01T12:00:00Z".into() },
            Event::Planned { plan: Box::new(self.plan.clone()) },
        ]
        .into_iter()
        .map(|event| Stamped { at: LabTime::START, event })
        .collect::<Vec<_>>();
        events.extend(self.happened.iter().cloned());
        events.sort_by_key(|stamped| stamped.at);
        events
    }

    /// The journal's text.
    pub(crate) fn text(&self) -> String {
        let mut chain = Chain::START;
        let mut text = String::new();
        for (seq, stamped) in (0..).zip(self.events()) {
            let line = serde_json::to_string(&Line { seq, stamped }).unwrap();
            chain = chain.after(&line);
            text += &chain.seal(&line);
            text.push('\n');
        }
        text
    }

    /// The database's state, looked at.
    pub(crate) fn looked(self, seconds: f64, broken: bool) -> Self {
        let detail = if broken { "refused" } else { "accepted" }.into();
        let event = Event::FaultLooked { fault: fault(), part: "the database of sa-east-1".into(), broken, detail };
        self.add(seconds, event)
    }

    /// The authoritative server, asked as from Brazil.
    pub(crate) fn brazil_sees(self, seconds: f64, cell: &str) -> Self {
        let event = observed(Server::Authoritative, "Brazil", addresses(cell));
        self.add(seconds, event)
    }

    /// The resolver's cache; `None`: nothing in it.
    pub(crate) fn resolver_holds(self, seconds: f64, cell: Option<&str>) -> Self {
        let answer = cell.map_or(SeenAnswer::NoData, addresses);
        self.add(seconds, observed(Server::Resolver("br-isp".into()), "Brazil", answer))
    }

    /// A request that took 0.1 s; it arrives and is answered with `status`.
    pub(crate) fn request(self, seconds: f64, client: &str, cell: &str, status: u16) -> Self {
        let arrived = Event::RequestArrived {
            cell: cell.into(),
            zone: None,
            client: client.into(),
            status,
            held: Duration::ZERO,
        };
        let cell = cell.to_owned();
        let outcome = if status < 500 {
            RequestOutcome::Served { cell, status }
        } else {
            RequestOutcome::Refused { cell, status }
        };
        self.add(seconds, arrived).ended(seconds, seconds + 0.1, client, outcome)
    }

    /// A request's end.
    pub(crate) fn ended(self, began: f64, ended: f64, client: &str, outcome: RequestOutcome) -> Self {
        let event =
            Event::RequestEnded { client: client.into(), began: at(began), address: None, outcome, attempts: 1 };
        self.add(ended, event)
    }

    fn checks(mut self, from: f64, to: f64, passed: bool) -> Self {
        let mut now = from;
        while now < to {
            for target in 0..2 {
                let signal = Signal::Target { cell: OLD.into(), target };
                let by = "the load balancer of sa-east-1".into();
                self = self.add(now, Event::Checked { signal, by, passed, detail: String::new() });
            }
            now += 15.0;
        }
        self
    }

    fn turned(mut self, seconds: f64, healthy: bool) -> Self {
        let signals = [
            Signal::Target { cell: OLD.into(), target: 0 },
            Signal::Target { cell: OLD.into(), target: 1 },
            Signal::Cell { cell: OLD.into() },
        ];
        for signal in signals {
            self = self.add(seconds, Event::HealthChanged { signal, healthy, reason: "two in a row".into() });
        }
        self
    }
}

fn fault() -> Fault {
    Fault::KillDatabase(OLD.into())
}

/// The answer that holds a cell's address.
pub(crate) fn addresses(cell: &str) -> SeenAnswer {
    let last = if cell == OLD { 1 } else { 2 };
    SeenAnswer::Addresses { addresses: vec![IpAddr::from([192, 0, 2, last])], ttl: 60 }
}

/// An observation, asked in time.
pub(crate) fn observed(server: Server, place: &str, answer: SeenAnswer) -> Event {
    Event::Observed {
        server,
        name: NAME.into(),
        family: Family::A,
        place: place.into(),
        answer,
        late: Duration::from_millis(2),
    }
}

/// Every step at `every` from `from`, before `to`.
fn steps(from: f64, to: f64, every: f64) -> impl Iterator<Item = f64> {
    (0_u32..).map(move |step| from + f64::from(step) * every).take_while(move |&now| now < to - 1e-9)
}

/// A failover and a failback, both as predicted and as expected.
pub(crate) fn passing() -> Script {
    let mut script = Script { plan: plan(), happened: Vec::new() };
    script = script.add(
        1.0,
        Event::LabReady {
            lab: "embedded".into(),
            ground: "namespace".into(),
            hosts: 12,
            took: secs(0.4),
            families: vec![Family::A, Family::Aaaa],
            clock: None,
        },
    );
    script = script.add(1.0, Event::PhaseEntered { phase: Phase::Settling, until: Some(at(120.0)) });
    script = script.add(40.0, Event::PhaseEntered { phase: Phase::Steady, until: Some(at(60.0)) });
    script = script.add(60.0, Event::PhaseEntered { phase: Phase::Breaking, until: Some(at(70.0)) });
    script = script.add(60.0, Event::UndoWritten { fault: fault(), undo: "start the database".into() });
    script = script.add(60.0, Event::FaultRequested { fault: fault() });
    script = script.looked(59.7, false).looked(60.2, false).looked(60.7, true);
    script = script.add(60.7, Event::FaultHeld { fault: fault() });
    script = script.add(60.7, Event::PhaseEntered { phase: Phase::Holding, until: Some(at(300.7)) });
    script = script.checks(15.0, 61.0, true).checks(75.0, 301.0, false).checks(315.0, 419.0, true);
    script = script.turned(90.0, false).turned(330.0, true);
    for now in steps(50.1, 420.0, 0.5) {
        script = script.brazil_sees(now, if (90.2..330.2).contains(&now) { NEW } else { OLD });
    }
    for now in steps(50.0, 420.0, 1.0) {
        let holds = match now {
            _ if now < 120.5 => Some(OLD),
            _ if now < 124.5 => None,
            _ if now < 380.5 => Some(NEW),
            _ if now < 384.5 => None,
            _ => Some(OLD),
        };
        script = script.resolver_holds(now, holds);
    }
    for now in steps(49.0, 419.0, 5.0) {
        let cell = if (120.0..380.0).contains(&now) { NEW } else { OLD };
        let broken = cell == OLD && (60.5..300.5).contains(&now);
        script = script.request(now, "br-fresh", cell, if broken { 500 } else { 200 });
        script = script.request(now + 0.3, "us-fresh", NEW, 200);
    }
    script = script.add(300.0, Event::PhaseEntered { phase: Phase::Healing, until: Some(at(310.0)) });
    script = script.add(300.0, Event::HealRequested { fault: fault() });
    script = script.looked(300.3, true).looked(300.8, false).add(300.8, Event::Healed { fault: fault() });
    script = script.add(300.8, Event::PhaseEntered { phase: Phase::Recovering, until: Some(at(480.0)) });
    let wall = Duration::from_micros;
    script = script.add(420.0, Event::Lateness { count: 2000, p50: wall(100), p99: wall(1000), max: wall(5000) });
    script.add(420.0, Event::RunEnded)
}

/// The same drill with the fault left out: nothing ever changes.
pub(crate) fn control() -> Script {
    let mut script = passing().planned(|plan| plan.control = true).without(|stamped| {
        matches!(
            stamped.event,
            Event::FaultLooked { .. }
                | Event::FaultRequested { .. }
                | Event::UndoWritten { .. }
                | Event::FaultHeld { .. }
                | Event::HealRequested { .. }
                | Event::Healed { .. }
                | Event::HealthChanged { .. }
                | Event::PhaseEntered { phase: Phase::Breaking, .. }
        )
    });
    for stamped in &mut script.happened {
        match &mut stamped.event {
            Event::Observed { answer: answer @ SeenAnswer::Addresses { .. }, .. } => *answer = addresses(OLD),
            Event::Checked { passed, .. } => *passed = true,
            Event::RequestArrived { cell, client, status, .. } if client == "br-fresh" => {
                *cell = OLD.into();
                *status = 200;
            }
            Event::RequestEnded { client, outcome, .. } if client == "br-fresh" => {
                *outcome = RequestOutcome::Served { cell: OLD.into(), status: 200 };
            }
            _ => {}
        }
    }
    script
}

pub(crate) fn plan() -> Plan {
    let brazil = || Viewpoint { country: Some("BR".into()), ..Viewpoint::default() };
    let client = |place: &str, resolver: &str, last: u8| ClientPlan {
        place: place.into(),
        viewpoint: brazil(),
        resolver: resolver.into(),
        profile: ClientProfile::FreshLookup,
        runs: ClientRuns::Muster,
        family: Family::A,
        every: secs(5.0),
        timeout: secs(4.0),
        slow: secs(1.0),
        asks: Asks::Page,
        workers: 1,
        tier: None,
        addresses: vec![IpAddr::from([198, 51, 100, last])],
    };
    let resolver = |place: &str, last: u8| ResolverPlan {
        place: place.into(),
        viewpoint: brazil(),
        kind: ResolverKind::Plain,
        software: None,
        serve_stale: None,
        address: IpAddr::from([203, 0, 113, last]),
    };
    Plan {
        drill: "database-down".into(),
        title: "A region's database dies".into(),
        hazard: None,
        estimate: None,
        sources: vec![Source { file: "drills/database-down.yaml".into(), sha256: "ab".repeat(32) }],
        name: NAME.into(),
        seed: 7,
        speed: Speed::new(20.0).unwrap(),
        wire: WireTtl::Lab,
        control: false,
        cells: BTreeMap::from([(OLD.to_owned(), region(1)), (NEW.to_owned(), region(2))]),
        resolvers: BTreeMap::from([
            ("br-isp".to_owned(), resolver("Brazil", 1)),
            ("us-isp".to_owned(), resolver("Virginia", 2)),
        ]),
        clients: BTreeMap::from([
            ("br-fresh".to_owned(), client("Brazil", "br-isp", 1)),
            ("us-fresh".to_owned(), client("Virginia", "us-isp", 2)),
        ]),
        health_checks: BTreeMap::new(),
        probes: BTreeMap::new(),
        routing_controls: RoutingControlsPlan::default(),
        observe: ObservePlan {
            authoritative_every: secs(0.5),
            resolver_every: secs(1.0),
            fault_every: secs(0.5),
            questions: vec![WatchedQuestion {
                name: NAME.into(),
                family: Family::A,
                place: "Brazil".into(),
                viewpoint: brazil(),
                address: IpAddr::from([198, 51, 100, 1]),
            }],
            authoritative_addresses: vec![IpAddr::from([203, 0, 113, 53])],
        },
        faults: vec![fault()],
        schedule: Schedule {
            settle_within: secs(120.0),
            fault_after: secs(20.0),
            confirm_within: secs(10.0),
            hold: secs(240.0),
            recover_within: secs(180.0),
        },
        expectations: expectations(),
        prediction: Prediction { failover: leg(OLD, NEW), failback: leg(NEW, OLD) },
    }
}

fn region(last: u8) -> CellPlan {
    CellPlan {
        evaluated: true,
        proxied: false,
        engine_works: false,
        kind: CellKind::Region(RegionPlan {
            targets: 2,
            target_group: TargetGroupSettings {
                path: "/health".into(),
                interval: secs(15.0),
                timeout: secs(5.0),
                unhealthy_threshold: 2,
                healthy_threshold: 2,
            },
            minimum_healthy: MinimumHealthy::DEFAULT,
            node_check: NodeCheck { interval: secs(10.0), threshold: 2 },
            target_addresses: vec![IpAddr::from([10, 0, last, 1]), IpAddr::from([10, 0, last, 2])],
            database_address: IpAddr::from([10, 0, last, 3]),
            queue: None,
            zones: Vec::new(),
            cross_zone: true,
            load_balancer_software: None,
        }),
        alias_target: None,
        addresses: vec![IpAddr::from([192, 0, 2, last])],
    }
}

fn leg(from: &str, to: &str) -> LegPrediction {
    let moves = |from: &str, to: &str| Move { from: vec![from.into()], to: vec![to.into()] };
    LegPrediction {
        detection: bounds(15.0, 30.0),
        signals: signals(to == OLD),
        unsettled: None,
        authoritative: bounds(0.0, 0.0),
        resolvers: BTreeMap::from([("br-isp".to_owned(), bounds(0.0, 60.0))]),
        clients: BTreeMap::from([("br-fresh".to_owned(), bounds(0.0, 5.0))]),
        totals: BTreeMap::from([("br-fresh".to_owned(), bounds(15.0, 95.0))]),
        moves: BTreeMap::from([("br-fresh".to_owned(), moves(from, to)), ("us-fresh".to_owned(), moves(NEW, NEW))]),
        answers: vec![moves(from, to)],
    }
}

/// The targets of the cell that breaks, and the cell with them.
fn signals(healthy: bool) -> Vec<SignalPrediction> {
    let predicted = |signal, evidence| SignalPrediction {
        signal,
        healthy,
        bounds: bounds(15.0, 30.0),
        evidence,
        why: "2 checks in a row, 15 s apart, of each target".into(),
    };
    let targets = (0..2).map(|target| predicted(Signal::Target { cell: OLD.into(), target }, false));
    targets.chain([predicted(Signal::Cell { cell: OLD.into() }, true)]).collect()
}

/// An inference engine with its gateway and its prober: eight slots of 32 tokens a second, a probe of 16 tokens every
/// 5 s with a budget of 4 s, 3 bad ones to drain and 12 good ones to recover.
pub(crate) fn llm(last: u8) -> LlmPlan {
    let model = || "chat-model".to_owned();
    let engine =
        EngineSettings { model: model(), slots: 8, queue: 64, tokens_per_second: 32.0, loads_for: Duration::ZERO };
    let prober = ProberSettings {
        pause: secs(5.0),
        budget: secs(4.0),
        fails_to_drain: 3,
        good_to_recover: 12,
        max_age: secs(20.0),
        prompt: "Reply with the word ready.".into(),
        expects: "ready".into(),
        model: model(),
        max_tokens: 16,
    };
    LlmPlan {
        engine: EnginePlan::Own { settings: engine, address: IpAddr::from([10, 9, last, 1]) },
        gateway: GatewaySettings { first_byte_within: secs(3.0), sheds_above: None },
        prober: Some(ProberPlan { settings: prober, address: IpAddr::from([10, 9, last, 2]) }),
    }
}

fn expectations() -> Vec<Expectation> {
    let said = |text: &str, line: u32, claim| {
        let during = Leg::Failover;
        Expectation { text: text.into(), at: format!("drills/database-down.yaml:{line}:5"), during, claim }
    };
    let within = |seconds| Holds::Within(secs(seconds));
    let mut all = vec![
        said("Brazil is answered us-east-1 within 45s", 40, brazil_is_answered(NEW, within(45.0))),
        said(
            "sa-east-1 is unhealthy within 45s",
            41,
            Claim::Health { of: OLD.into(), healthy: false, holds: within(45.0) },
        ),
        said("br-fresh is served by us-east-1 within 95s", 42, br_fresh_is_served_by(NEW, within(95.0))),
        said(
            "us-fresh is served by us-east-1 always",
            43,
            Claim::Served { client: "us-fresh".into(), by: Some(NEW.into()), holds: Holds::Always },
        ),
        said(
            "total at most 95s",
            44,
            Claim::Budget { stage: Stage::Total, of: None, at_least: None, at_most: Some(secs(95.0)) },
        ),
        said(
            "br-fresh loses at most 20 requests, 10 of them stale",
            45,
            Claim::Loss {
                client: "br-fresh".into(),
                failed_at_most: Some(20),
                slow_at_most: Some(0),
                stale_at_most: Some(10),
            },
        ),
    ];
    let mut back = said("Brazil is answered sa-east-1 again within 45s", 46, brazil_is_answered(OLD, within(45.0)));
    back.during = Leg::Failback;
    all.push(back);
    all
}
