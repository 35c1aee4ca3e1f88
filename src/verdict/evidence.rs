//! The observations that a claim is held against.

use std::time::Duration;

use crate::clock::LabTime;
use crate::health::AlarmState;
use crate::journal::event::{Event, RequestOutcome, SeenAnswer, Server, Signal, Stamped, is_served};
use crate::plan::expectation::{Claim, ExpectedAnswer};
use crate::plan::{CellKind, Family, HealthCheckKind, Plan};
use crate::timeline::measure::{labels, silences, tells_nothing};
use crate::timeline::steady_status;
use crate::zone::HealthCheckId;

use super::Case;

/// One observation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Observation {
    /// When what was observed began.
    pub(super) since: LabTime,
    /// When it was observed.
    pub(super) at: LabTime,
    /// Whether it is as claimed.
    pub(super) as_claimed: bool,
    /// What was seen.
    pub(super) saw: String,
}

/// Every observation that a claim is held against, in the order of time; also those before and after its leg.
pub(super) struct Evidence {
    pub(super) observations: Vec<Observation>,
    /// For people: `answers`, `requests`, `health checks`.
    pub(super) called: &'static str,
    /// Who would have to look more often to see it more exactly, and how often they look.
    pub(super) cadence: Vec<(String, Duration)>,
}

pub(super) fn of(case: &Case<'_>) -> Evidence {
    let fault = ("look at the fault".to_owned(), case.plan.observe.fault_every);
    match &case.expectation.claim {
        Claim::Answer { name, family, place, answer, .. } => Evidence {
            observations: answers(case, (name, *family, place), answer),
            called: "answers",
            cadence: vec![("ask the authoritative server".to_owned(), case.plan.observe.authoritative_every), fault],
        },
        Claim::Health { of, healthy, .. } => {
            Evidence { observations: statuses(case, of, *healthy), called: "health checks", cadence: vec![fault] }
        }
        Claim::Data { of, missing, .. } => {
            Evidence { observations: datapoints(case, of, *missing), called: "periods", cadence: vec![fault] }
        }
        Claim::Alarm { of, state, .. } => {
            Evidence { observations: alarm_states(case, of, *state), called: "evaluations", cadence: vec![fault] }
        }
        Claim::Served { client, by, .. } => {
            let every = case.plan.clients.get(client).map(|plan| (format!("let {client} ask"), plan.every));
            let (observations, called) = if tells_nothing(case.events, case.plan, client) {
                (with_silences(case, client, requests(case, client, by.as_deref()), by.is_none()), "arrivals")
            } else {
                (requests(case, client, by.as_deref()), "requests")
            };
            Evidence { observations, called, cadence: every.into_iter().chain([fault]).collect() }
        }
        Claim::Budget { .. } | Claim::Turns { .. } | Claim::Swings { .. } | Claim::Loss { .. } => {
            Evidence { observations: Vec::new(), called: "observations", cadence: Vec::new() }
        }
    }
}

/// What was published of the metric behind a health check, period by period.
fn datapoints(case: &Case<'_>, of: &str, missing: bool) -> Vec<Observation> {
    let planned = case.plan.health_checks.get(&HealthCheckId(of.to_owned())).map(|planned| &planned.kind);
    let Some(HealthCheckKind::Alarm(alarm)) = planned else { return Vec::new() };
    let seen = case.events.iter().filter_map(|stamped| match &stamped.event {
        Event::Published { metric, value } if *metric == alarm.metric => Some((stamped.at, *value)),
        _ => None,
    });
    seen.map(|(at, value)| Observation {
        since: at,
        at,
        as_claimed: value.is_none() == missing,
        saw: value.map_or_else(|| "no data".to_owned(), |value| value.to_string()),
    })
    .collect()
}

/// What the alarm that a health check copies was evaluated to.
fn alarm_states(case: &Case<'_>, of: &str, wanted: AlarmState) -> Vec<Observation> {
    let seen = case.events.iter().filter_map(|stamped| match &stamped.event {
        Event::AlarmEvaluated { copied_by, state } if copied_by == of => Some((stamped.at, *state)),
        _ => None,
    });
    seen.map(|(at, state)| Observation { since: at, at, as_claimed: state == wanted, saw: state.to_string() }).collect()
}

/// What the authoritative server was seen to answer. Silence, or an error, is an answer that nobody
/// claims.
fn answers(case: &Case<'_>, (name, family, place): (&str, Family, &str), wanted: &ExpectedAnswer) -> Vec<Observation> {
    let is_wanted = |shows: &[String]| match wanted {
        ExpectedAnswer::Cell(cell) => {
            !shows.is_empty() && shows.iter().all(|zone| case.plan.cell_of_zone(zone) == Some(cell))
        }
        ExpectedAnswer::Zones(zones) => shows == zones,
        ExpectedAnswer::NoData => shows == ["nodata"],
        ExpectedAnswer::NxDomain => shows == ["nxdomain"],
    };
    let seen = case.events.iter().filter_map(|stamped| match &stamped.event {
        Event::Observed { server: Server::Authoritative, name: n, family: f, place: p, answer, late }
            if n == name && *f == family && p == place =>
        {
            Some((stamped.at, *late, answer))
        }
        _ => None,
    });
    seen.map(|(at, late, answer)| {
        let shows = labels(case.plan, answer);
        let saw = match answer {
            SeenAnswer::Silent => "no answer".to_owned(),
            SeenAnswer::Failed(code) => code.clone(),
            _ => shows.join(" + "),
        };
        Observation { since: at - late, at, as_claimed: is_wanted(&shows), saw }
    })
    .collect()
}

/// The signal that a claim about a cell, a zone, a health check or a probe speaks of.
pub(super) fn signal_of(plan: &Plan, of: &str) -> Signal {
    match plan.cells.get(of).map(|cell| &cell.kind) {
        None if plan.probes.contains_key(of) => Signal::Probe { probe: of.to_owned() },
        None => match plan.cell_of_zone(of) {
            Some(cell) => Signal::Zone { cell: cell.to_owned(), zone: of.to_owned() },
            None => Signal::HealthCheck { id: of.to_owned() },
        },
        Some(CellKind::Llm(_)) => Signal::Verdict { cell: of.to_owned() },
        Some(CellKind::Region(_) | CellKind::TelemetryGateway | CellKind::StaticSite) => {
            Signal::Cell { cell: of.to_owned() }
        }
    }
}

/// The status that decisions use, seen at each check that feeds it and at each turn. It turns at a known moment: the
/// turn is seen twice, as it was and as it became. What no check feeds is known at every moment; it is looked at when
/// the authoritative server is.
pub(super) fn statuses(case: &Case<'_>, of: &str, wanted: bool) -> Vec<Observation> {
    let is_it = signal_of(case.plan, of);
    let feeds = Feeds::of(case.plan, &is_it);
    let mut status = starts(case.plan, &is_it);
    let mut seen = Vec::new();
    for stamped in case.events {
        let mut see = |status: bool| {
            let saw = if status { "healthy" } else { "unhealthy" }.to_owned();
            seen.push(Observation { since: stamped.at, at: stamped.at, as_claimed: status == wanted, saw });
        };
        if let Some(turned) = turned(&stamped.event, &is_it, status) {
            see(status);
            status = turned;
            see(status);
            continue;
        }
        match &stamped.event {
            Event::Checked { signal, .. } if feeds.by(signal) => see(status),
            Event::Observed { server: Server::Authoritative, .. } if feeds.are_none() => see(status),
            _ => {}
        }
    }
    seen
}

/// Every turn of a status, and to what.
pub(super) fn turns(case: &Case<'_>, of: &str) -> Vec<(LabTime, bool)> {
    let signal = signal_of(case.plan, of);
    let mut status = starts(case.plan, &signal);
    let turn = |stamped: &Stamped| {
        status = turned(&stamped.event, &signal, status)?;
        Some((stamped.at, status))
    };
    case.events.iter().filter_map(turn).collect()
}

/// What this event turns a status to.
fn turned(event: &Event, whose: &Signal, status: bool) -> Option<bool> {
    match event {
        Event::HealthChanged { signal, healthy, .. } if signal == whose => Some(*healthy),
        // The status of a probe is its last result.
        Event::Checked { signal: signal @ Signal::Probe { .. }, passed, .. }
            if signal == whose && *passed != status =>
        {
            Some(*passed)
        }
        _ => None,
    }
}

/// What a status is before anything turned it: healthy (R53-103), a verdict unhealthy, a switch as it stands.
fn starts(plan: &Plan, signal: &Signal) -> bool {
    match signal {
        Signal::Verdict { .. } => false,
        Signal::HealthCheck { id } => steady_status(plan, &HealthCheckId(id.clone())),
        Signal::Target { .. }
        | Signal::Node { .. }
        | Signal::Cell { .. }
        | Signal::Zone { .. }
        | Signal::Probe { .. } => true,
    }
}

/// The checks by which a status is seen.
struct Feeds(Vec<Signal>);

impl Feeds {
    fn of(plan: &Plan, signal: &Signal) -> Self {
        let Signal::HealthCheck { id } = signal else { return Self(vec![signal.clone()]) };
        let Some(planned) = plan.health_checks.get(&HealthCheckId(id.clone())) else { return Self(Vec::new()) };
        let probed = |id: &HealthCheckId| {
            plan.health_checks.get(id).is_some_and(|planned| {
                let looks = matches!(planned.kind, HealthCheckKind::Endpoint(_) | HealthCheckKind::Alarm(_));
                looks && !planned.status.disabled
            })
        };
        let of = |id: &HealthCheckId| Signal::HealthCheck { id: id.0.clone() };
        match &planned.kind {
            HealthCheckKind::Calculated(check) => Self(check.children.iter().filter(|id| probed(id)).map(of).collect()),
            _ => Self(Some(HealthCheckId(id.clone())).filter(probed).iter().map(of).collect()),
        }
    }

    fn are_none(&self) -> bool {
        self.0.is_empty()
    }

    fn by(&self, checked: &Signal) -> bool {
        self.0.iter().any(|feeding| match (feeding, checked) {
            (
                Signal::Zone { cell, .. } | Signal::Cell { cell },
                Signal::Target { cell: of, .. } | Signal::Node { cell: of },
            ) => cell == of,
            _ => feeding == checked,
        })
    }
}

/// Where each request of a client was served, and when it arrived there; of a stream, each time that it was seen alive.
pub(crate) fn served(events: &[Stamped], client: &str) -> Vec<(LabTime, String)> {
    let seen = events.iter().filter_map(|stamped| match &stamped.event {
        Event::RequestArrived { cell, zone, client: who, status, held } if who == client && is_served(*status) => {
            Some((stamped.at - *held, zone.as_ref().unwrap_or(cell).clone()))
        }
        Event::StreamAlive { cell, client: who, .. } if who == client => Some((stamped.at, cell.clone())),
        _ => None,
    });
    seen.collect()
}

/// Whether a client was sent a stream in this time.
fn streamed(case: &Case<'_>, client: &str, from: LabTime, until: LabTime) -> bool {
    case.events.iter().any(|stamped| {
        matches!(&stamped.event, Event::StreamAlive { client: who, .. } if who == client)
            && stamped.at >= from
            && stamped.at <= until
    })
}

/// Of a client that tells nothing, that nothing arrives for long is all that is seen of requests that come nowhere.
fn with_silences(case: &Case<'_>, client: &str, arrivals: Vec<Observation>, as_claimed: bool) -> Vec<Observation> {
    let Some(planned) = case.plan.clients.get(client) else { return arrivals };
    let silent = silences(case.events, client, planned).into_iter().map(|at| Observation {
        since: at - planned.silent_after(),
        at,
        as_claimed,
        saw: "no arrival anywhere".to_owned(),
    });
    let mut all: Vec<Observation> = arrivals.into_iter().chain(silent).collect();
    all.sort_by_key(|seen| seen.at);
    all
}

/// Where a client's requests arrived and were answered below 500; and those that came nowhere.
fn requests(case: &Case<'_>, client: &str, by: Option<&str>) -> Vec<Observation> {
    let mut seen = Vec::new();
    for stamped in case.events {
        let (since, served, saw) = match &stamped.event {
            Event::RequestArrived { cell, zone, client: who, status, held } if who == client => {
                let served = is_served(*status).then_some((cell, zone.as_ref()));
                (stamped.at - *held, served, format!("{status} of {}", zone.as_ref().unwrap_or(cell)))
            }
            Event::RequestEnded { client: who, began, outcome, .. } if who == client => {
                let saw = match outcome {
                    // Told better by its arrival.
                    RequestOutcome::Served { .. } | RequestOutcome::Refused { .. } | RequestOutcome::NotConnectable => {
                        continue;
                    }
                    // A stream that its client cut was being served until then.
                    RequestOutcome::TimedOut if streamed(case, client, *began, stamped.at) => continue,
                    RequestOutcome::Unresolved { reason } => format!("no address ({reason})"),
                    RequestOutcome::Unconnected { reason } => format!("no connection ({reason})"),
                    RequestOutcome::TimedOut => "no answer in time".to_owned(),
                };
                (*began, None, saw)
            }
            // Whoever is sent a stream is being served.
            Event::StreamAlive { cell, client: who, .. } if who == client => {
                (stamped.at, Some((cell, None)), format!("a stream of {cell}"))
            }
            _ => continue,
        };
        let as_claimed = match (served, by) {
            (Some((cell, zone)), Some(by)) => cell == by || zone.is_some_and(|zone| zone == by),
            (served, by) => served.is_none() && by.is_none(),
        };
        seen.push(Observation { since, at: stamped.at, as_claimed, saw });
    }
    seen
}
