//! Whether the steady state is seen: every status healthy, every answer and every client where the drill has them.

use std::collections::{BTreeMap, BTreeSet};

use crate::clock::LabTime;
use crate::journal::event::{Event, RequestOutcome, SeenAnswer, Server, Signal, Stamped, is_served};
use crate::plan::{CellKind, ClientPlan, ClientProfile, Family, Fault, HealthCheckKind, Move, Plan, ResolverKind};
use crate::timeline::measure::labels;
use crate::timeline::steady_status;
use crate::zone::HealthCheckId;

/// Which end of a leg the lab is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// The state before the fault.
    BeforeFault,
    /// The state after the heal, of everything that is predicted to come back.
    AfterHeal,
}

/// The last thing seen of everything that belongs to the steady state.
#[derive(Debug)]
pub(super) struct Steady {
    /// Everything whose checks must be seen to pass.
    to_be_checked: Vec<Signal>,
    checked: BTreeMap<Signal, bool>,
    /// The last status of everything that ever turned.
    statuses: BTreeMap<Signal, bool>,
    answers: BTreeMap<(String, String, String), Vec<String>>,
    /// What each resolver's cache was last seen to hold, by the family and the place that it was asked as from.
    cached: BTreeMap<(String, Family, String), Vec<String>>,
    /// Where each client's last request came to: a cell, or nowhere.
    clients: BTreeMap<String, Vec<String>>,
    /// The last arrival of each client that need not tell how its requests end; of every client where cells and clients
    /// are processes of their own.
    arrived: BTreeMap<String, Arrival>,
    /// Who has told how a request ended.
    telling: BTreeSet<String>,
    /// The families that the ground has connections for; `None`: not told.
    families: Option<Vec<Family>>,
    /// Since when clients ask.
    asking_since: Option<LabTime>,
    /// The latest moment that anything was seen.
    now: LabTime,
    unreachable: BTreeSet<String>,
    looks: BTreeMap<(Fault, String), Look>,
    looks_count_from: LabTime,
}

/// A request that arrived: when, and the cell (or zone) that served it, if one did.
#[derive(Clone, Debug)]
struct Arrival {
    at: LabTime,
    served_by: Option<String>,
}

#[derive(Clone, Copy, Debug)]
struct Look {
    at: LabTime,
    broken: bool,
}

impl Steady {
    pub(super) fn of(plan: &Plan) -> Self {
        Self {
            to_be_checked: checked_signals(plan),
            checked: BTreeMap::new(),
            statuses: BTreeMap::new(),
            answers: BTreeMap::new(),
            cached: BTreeMap::new(),
            clients: BTreeMap::new(),
            arrived: BTreeMap::new(),
            telling: BTreeSet::new(),
            families: None,
            asking_since: None,
            now: LabTime::START,
            unreachable: BTreeSet::new(),
            looks: BTreeMap::new(),
            looks_count_from: LabTime::START,
        }
    }

    /// Takes in what was seen.
    pub(super) fn see(&mut self, plan: &Plan, stamped: &Stamped) {
        self.now = self.now.max(stamped.at);
        match &stamped.event {
            Event::LabReady { families, .. } => self.families = Some(families.clone()),
            Event::Checked { signal, passed, .. } => {
                self.checked.insert(signal.clone(), *passed);
            }
            Event::HealthChanged { signal, healthy, .. } => {
                self.statuses.insert(signal.clone(), *healthy);
            }
            Event::Observed { server: Server::Authoritative, name, family, place, answer, .. } => {
                let key = (name.clone(), format!("{family:?}"), place.clone());
                self.answers.insert(key, answered(plan, answer));
            }
            Event::Observed { server: Server::Resolver(resolver), family, place, answer, .. } => {
                self.cached.insert((resolver.clone(), *family, place.clone()), answered(plan, answer));
            }
            Event::RequestEnded { client, address, outcome, .. } => {
                if *outcome == RequestOutcome::NotConnectable {
                    self.unreachable.insert(client.clone());
                }
                let came_to = match outcome {
                    RequestOutcome::Served { cell, .. } => {
                        let zone = address.and_then(|address| plan.zone_at(address));
                        vec![zone.filter(|zone| plan.cell_of_zone(zone) == Some(cell)).unwrap_or(cell).to_owned()]
                    }
                    // A name without an address may be just what is expected (R53-55).
                    RequestOutcome::Unresolved { .. } => vec!["nodata".to_owned(), "nxdomain".to_owned()],
                    _ => Vec::new(),
                };
                self.clients.insert(client.clone(), came_to);
                self.telling.insert(client.clone());
            }
            Event::RequestArrived { cell, zone, client, status, held } => {
                let served_by = is_served(*status).then(|| zone.as_ref().unwrap_or(cell).clone());
                self.arrives(plan, client, Arrival { at: stamped.at - *held, served_by });
            }
            // A stream that lasts for minutes shows where its client is long before it ends.
            Event::StreamAlive { cell, client, .. } => {
                self.clients.insert(client.clone(), vec![cell.clone()]);
                self.arrives(plan, client, Arrival { at: stamped.at, served_by: Some(cell.clone()) });
            }
            Event::FaultLooked { fault, part, broken, .. } => {
                let look = Look { at: stamped.at, broken: *broken };
                self.looks.insert((fault.clone(), part.clone()), look);
            }
            _ => {}
        }
    }

    /// Arrivals are written down when they are answered, and count in the order in which they came.
    fn arrives(&mut self, plan: &Plan, client: &str, arrival: Arrival) {
        let counts = plan.clients.get(client).is_some_and(|own| own.is_black_box() || !plan.wire.is_lab());
        if counts && self.arrived.get(client).is_none_or(|last| last.at <= arrival.at) {
            self.arrived.insert(client.to_owned(), arrival);
        }
    }

    /// Clients have been let ask.
    pub(super) const fn clients_ask(&mut self, now: LabTime) {
        self.asking_since = Some(now);
    }

    /// Whether every part of the faults was looked at since [`Steady::look_again`], and all are broken (or none is).
    ///
    /// The parts are known from the looks at the steady state.
    pub(super) fn all_parts(&self, broken: bool) -> bool {
        !self.looks.is_empty()
            && self.looks.values().all(|look| look.at >= self.looks_count_from && look.broken == broken)
    }

    /// Whether some part was looked at since [`Steady::look_again`] and is broken.
    pub(super) fn still_broken(&self) -> bool {
        self.looks.values().any(|look| look.at >= self.looks_count_from && look.broken)
    }

    /// The parts of the faults that were last seen broken, or working, for people.
    pub(super) fn parts(&self, broken: bool) -> Vec<String> {
        let parts = self.looks.iter().filter(|(_, look)| look.broken == broken);
        parts.map(|((_, part), _)| part.clone()).collect()
    }

    /// From now on only later looks at the faults' parts count.
    pub(super) const fn look_again(&mut self, now: LabTime) {
        self.looks_count_from = now;
    }

    /// What is still missing from the steady state, for people; empty when it is seen.
    pub(super) fn missing(&self, plan: &Plan, target: Target) -> Vec<String> {
        let mut missing = self.unwell(plan);
        self.missing_answers(plan, target, &mut missing);
        self.missing_clients(plan, target, &mut missing);
        if target == Target::AfterHeal {
            self.missing_resolvers(plan, &mut missing);
        }
        missing
    }

    /// What is not known to be healthy, for people; empty when everything is.
    pub(super) fn unwell(&self, plan: &Plan) -> Vec<String> {
        let mut missing = Vec::new();
        for signal in &self.to_be_checked {
            match self.checked.get(signal) {
                None => missing.push(format!("no check of {} has ended", describe(signal))),
                Some(false) => missing.push(format!("the last check of {} failed", describe(signal))),
                Some(true) => {}
            }
            // A verdict begins unhealthy, and only its turn tells that it no longer is.
            if matches!(signal, Signal::Verdict { .. }) && !self.statuses.contains_key(signal) {
                missing.push(format!("{} has not become healthy yet", describe(signal)));
            }
        }
        let otherwise = self.statuses.iter().filter(|(signal, status)| **status != is_well(plan, signal));
        missing.extend(otherwise.map(|(signal, status)| {
            format!("{} is {}", describe(signal), if *status { "healthy" } else { "unhealthy" })
        }));
        missing.extend(self.parts(true).into_iter().map(|part| format!("{part} is broken")));
        missing
    }

    fn missing_answers(&self, plan: &Plan, target: Target, missing: &mut Vec<String>) {
        for (question, failover) in plan.observe.questions.iter().zip(&plan.prediction.failover.answers) {
            let expected = &failover.from;
            let key = (question.name.clone(), format!("{:?}", question.family), question.place.clone());
            let seen = self.answers.get(&key);
            if seen.is_none_or(|cells| cells.is_empty() || !cells.iter().all(|cell| expected.contains(cell))) {
                let seen = seen.map_or_else(|| "nothing".to_owned(), |cells| cells.join(" and "));
                let want = expected.join(" or ");
                let again = if target == Target::AfterHeal { " again" } else { "" };
                missing.push(format!(
                    "{} {:?} asked as from {} should be answered {want}{again}, and was answered {seen}",
                    question.name, question.family, question.place
                ));
            }
        }
    }

    fn missing_clients(&self, plan: &Plan, target: Target, missing: &mut Vec<String>) {
        for (client, planned) in &plan.clients {
            if self.unreachable.contains(client) {
                continue;
            }
            let Some(expected) = expected_cells(plan, client, target) else { continue };
            let came_to = if planned.is_black_box() && !self.telling.contains(client) {
                if self.families.as_ref().is_some_and(|families| !families.contains(&planned.family)) {
                    continue;
                }
                self.black_box_came_to(client, planned)
            } else {
                self.clients.get(client).cloned().unwrap_or_default()
            };
            let comes = came_to.iter().any(|cell| expected.contains(cell));
            if !comes || (target == Target::AfterHeal && !self.its_cell_has_told(plan, client, &came_to)) {
                let seen = came_to.first().map_or("nobody", String::as_str);
                missing
                    .push(format!("{client} should be served by {}, and is served by {seen}", expected.join(" or ")));
            }
        }
    }

    /// Whether the cell that a client came to has told of its arrival, too. Where each is a process of its own, the
    /// client's word may come first; a run that ended with it would leave without the evidence that the client has moved.
    fn its_cell_has_told(&self, plan: &Plan, client: &str, came_to: &[String]) -> bool {
        let nowhere = came_to.iter().all(|at| !plan.cells.contains_key(at) && plan.cell_of_zone(at).is_none());
        let told = self.arrived.get(client).and_then(|last| last.served_by.as_ref());
        plan.wire.is_lab() || nowhere || told.is_some_and(|cell| came_to.contains(cell))
    }

    /// Where the last request of a client that tells nothing came to. An arrival from before the heal says nothing of
    /// what is after it. That a name has no address shows in nothing but that nothing arrives, anywhere, for long.
    fn black_box_came_to(&self, client: &str, planned: &ClientPlan) -> Vec<String> {
        let since = self.asking_since.map(|since| since.max(self.looks_count_from));
        let last = self.arrived.get(client).filter(|last| last.at >= self.looks_count_from);
        let seen = since.into_iter().chain(self.arrived.get(client).map(|last| last.at)).max();
        let silent = self.asking_since.is_some() && seen.is_some_and(|at| self.now.since(at) >= planned.silent_after());
        let nowhere = silent.then_some(["nodata".to_owned(), "nxdomain".to_owned()]);
        last.and_then(|last| last.served_by.clone()).into_iter().chain(nowhere.into_iter().flatten()).collect()
    }

    /// A cache that is predicted to let go of what it holds is seen to have done so. An empty one has.
    fn missing_resolvers(&self, plan: &Plan, missing: &mut Vec<String>) {
        let leg = &plan.prediction.failback;
        for (name, client) in &plan.clients {
            let Some(step) = leg.moves.get(name).filter(|step| step.changes()) else { continue };
            let Some(resolver) = plan.resolvers.get(&client.resolver) else { continue };
            if leg.resolvers.get(&client.resolver).is_none_or(|bounds| bounds.worst.is_none()) {
                continue;
            }
            let place = match resolver.kind {
                ResolverKind::ClientSubnet => &client.place,
                ResolverKind::Plain | ResolverKind::TtlFloor(_) => &resolver.place,
            };
            let held = self.cached.get(&(client.resolver.clone(), client.family, place.clone()));
            let is_old = |cells: &Vec<String>| {
                let gone = cells.iter().any(|cell| *cell != "nodata" && !step.to.contains(cell));
                gone || lacks_a_zone(plan, step, cells)
            };
            if held.is_none_or(is_old) {
                missing.push(format!("the cache of {} should have let go of what it held", client.resolver));
            }
        }
    }
}

/// A load balancer's addresses are answered together: without one of the zone that came back, the answer is the old one.
fn lacks_a_zone(plan: &Plan, step: &Move, cells: &[String]) -> bool {
    let mut regained = step.to.iter().filter(|cell| !step.from.contains(cell) && plan.cell_of_zone(cell).is_some());
    cells.iter().any(|cell| cell != "nodata") && regained.any(|zone| !cells.contains(zone))
}

/// The cells that may serve a client at the target; `None` when its way back is not bounded.
fn expected_cells(plan: &Plan, client: &str, target: Target) -> Option<Vec<String>> {
    let (leg, end): (_, fn(&Move) -> Vec<String>) = match target {
        Target::BeforeFault => (&plan.prediction.failover, |step| step.from.clone()),
        Target::AfterHeal => (&plan.prediction.failback, comes_back_to),
    };
    if target == Target::AfterHeal {
        let profile = plan.clients.get(client).map(|client| client.profile);
        let keeps = matches!(profile, Some(ClientProfile::KeepAlivePool | ClientProfile::CacheForever));
        // Where nothing was predicted, who lets go of nothing may stay wherever the fault has left it.
        // When the statuses turn may not be bounded; they are waited for all the same, and then this is.
        if leg.clients.get(client).map_or(leg.unsettled.is_some() && keeps, |own| own.worst.is_none()) {
            return None;
        }
    }
    leg.moves.get(client).map(end)
}

/// Where only who has come back arrives; everywhere, if there is no such place.
fn comes_back_to(step: &Move) -> Vec<String> {
    let new: Vec<String> = step.to.iter().filter(|cell| !step.from.contains(cell)).cloned().collect();
    if new.is_empty() { step.to.clone() } else { new }
}

/// Everything whose checks must be seen to pass. What no check feeds (a calculated check, a routing control, a disabled
/// check, which never probes: R53-105) is known by its turns.
fn checked_signals(plan: &Plan) -> Vec<Signal> {
    let mut all = Vec::new();
    for (name, cell) in &plan.cells {
        let cell_name = || name.clone();
        match &cell.kind {
            CellKind::Region(region) => {
                all.extend((0..region.targets).map(|target| Signal::Target { cell: cell_name(), target }));
            }
            CellKind::Llm(llm) => all.extend(llm.prober.as_ref().map(|_| Signal::Verdict { cell: cell_name() })),
            CellKind::TelemetryGateway | CellKind::StaticSite => {}
        }
    }
    let looks = |kind: &HealthCheckKind| matches!(kind, HealthCheckKind::Endpoint(_) | HealthCheckKind::Alarm(_));
    let checks = plan.health_checks.iter().filter(|(_, planned)| looks(&planned.kind) && !planned.status.disabled);
    all.extend(checks.map(|(id, _)| Signal::HealthCheck { id: id.0.clone() }));
    all.extend(plan.probes.keys().map(|probe| Signal::Probe { probe: probe.clone() }));
    all
}

/// What a status is while all is well: healthy; of a health check also what inverting (R53-104), a switch that is off
/// from the start, and the count of its children make of that.
fn is_well(plan: &Plan, signal: &Signal) -> bool {
    match signal {
        Signal::HealthCheck { id } => steady_status(plan, &HealthCheckId(id.clone())),
        _ => true,
    }
}

fn answered(plan: &Plan, answer: &SeenAnswer) -> Vec<String> {
    match answer {
        SeenAnswer::Failed(code) => vec![code.clone()],
        SeenAnswer::Silent => vec!["silence".to_owned()],
        answer => labels(plan, answer),
    }
}

fn describe(signal: &Signal) -> String {
    match signal {
        Signal::Target { cell, target } => format!("target {target} of {cell}"),
        Signal::Node { cell } => format!("the load balancer node of {cell}"),
        Signal::Cell { cell } => cell.clone(),
        Signal::Zone { zone, .. } => format!("zone {zone}"),
        Signal::Verdict { cell } => format!("the cached verdict of {cell}"),
        Signal::Probe { probe } => format!("probe {probe}"),
        Signal::HealthCheck { id } => format!("health check {id}"),
    }
}

#[cfg(test)]
mod tests;
