//! What must be seen of each kind of signal before it is steady.

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::*;
use crate::health::{CalculatedCheck, CheckProtocol, EndpointCheck, StatusSettings};
use crate::journal::synthetic::{self, NEW, OLD, at, secs};
use crate::plan::{Bounds, ClientRuns, ClientSoftware, EndpointPlan, HealthCheckPlan, ProbePlan};

/// Both cells are engines, and nothing else has a health.
fn plan() -> Plan {
    let mut plan = synthetic::passing().plan;
    for (last, cell) in (1..).zip(plan.cells.values_mut()) {
        cell.kind = CellKind::Llm(synthetic::llm(last));
    }
    plan
}

fn add(plan: &mut Plan, id: &str, kind: HealthCheckKind, (inverted, disabled): (bool, bool)) {
    let planned = HealthCheckPlan { status: StatusSettings { inverted, disabled }, kind };
    plan.health_checks.insert(HealthCheckId(id.into()), planned);
}

fn endpoint() -> HealthCheckKind {
    let check = EndpointCheck { protocol: CheckProtocol::Tcp, port: 80, interval: secs(10.0), failure_threshold: 3 };
    HealthCheckKind::Endpoint(EndpointPlan { cell: OLD.into(), name: None, check, checker_addresses: Vec::new() })
}

fn verdict(cell: &str) -> Signal {
    Signal::Verdict { cell: cell.into() }
}

fn check(id: &str) -> Signal {
    Signal::HealthCheck { id: id.into() }
}

#[derive(Default)]
struct Seen(Vec<Event>);

impl Seen {
    fn checked(mut self, signal: Signal, passed: bool) -> Self {
        self.0.push(Event::Checked { signal, by: "test".into(), passed, detail: String::new() });
        self
    }

    fn turned(mut self, signal: Signal, healthy: bool) -> Self {
        self.0.push(Event::HealthChanged { signal, healthy, reason: String::new() });
        self
    }

    /// Both verdicts are healthy.
    fn engines() -> Self {
        [OLD, NEW]
            .into_iter()
            .fold(Self::default(), |seen, cell| seen.checked(verdict(cell), true).turned(verdict(cell), true))
    }

    fn unwell(self, plan: &Plan) -> Vec<String> {
        let mut steady = Steady::of(plan);
        for event in self.0 {
            steady.see(plan, &Stamped { at: at(1.0), event });
        }
        steady.unwell(plan)
    }
}

#[test]
fn a_verdict_is_well_once_it_turned_healthy_and_not_by_its_first_good_probe() {
    let plan = plan();
    assert_eq!(Seen::engines().unwell(&plan), [] as [&str; 0]);
    let one = Seen::default().checked(verdict(OLD), true).checked(verdict(NEW), true).turned(verdict(NEW), true);
    assert_eq!(one.unwell(&plan), ["the cached verdict of sa-east-1 has not become healthy yet"]);
    let lost = Seen::engines().turned(verdict(NEW), false);
    assert_eq!(lost.unwell(&plan), ["the cached verdict of us-east-1 is unhealthy"]);
}

#[test]
fn a_synthetic_probe_must_succeed() {
    let mut plan = plan();
    let (asks, resolver) = ("otel.example.".to_owned(), "br-isp".to_owned());
    let (every, timeout, address) = (secs(60.0), secs(5.0), IpAddr::from([10, 7, 0, 1]));
    plan.probes.insert("branch".into(), ProbePlan { asks, resolver, every, timeout, address });
    let probe = || Signal::Probe { probe: "branch".into() };
    assert_eq!(Seen::engines().unwell(&plan), ["no check of probe branch has ended"]);
    assert_eq!(Seen::engines().checked(probe(), false).unwell(&plan), ["the last check of probe branch failed"]);
    assert_eq!(Seen::engines().checked(probe(), true).unwell(&plan), [] as [&str; 0]);
}

#[test]
fn r53_105_a_disabled_check_is_not_waited_for_and_a_calculated_one_follows_its_children() {
    let mut plan = plan();
    let children = vec![HealthCheckId("probed".into()), HealthCheckId("drain".into())];
    add(&mut plan, "probed", endpoint(), (false, false));
    add(&mut plan, "drain", endpoint(), (false, true));
    let both = CalculatedCheck { children, healthy_threshold: 2 };
    add(&mut plan, "both", HealthCheckKind::Calculated(both), (false, false));
    assert_eq!(Seen::engines().unwell(&plan), ["no check of health check probed has ended"]);
    let well = || Seen::engines().checked(check("probed"), true);
    assert_eq!(well().unwell(&plan), [] as [&str; 0]);
    assert_eq!(well().turned(check("both"), false).unwell(&plan), ["health check both is unhealthy"]);
}

#[test]
fn a_switch_that_is_off_from_the_start_is_well_while_it_is_off() {
    let mut plan = plan();
    plan.routing_controls.controls = BTreeMap::from([("on".to_owned(), true), ("off".to_owned(), false)]);
    add(&mut plan, "on", HealthCheckKind::RoutingControl("on".into()), (false, false));
    add(&mut plan, "off", HealthCheckKind::RoutingControl("off".into()), (false, false));
    let off = || Seen::engines().turned(check("off"), false);
    assert_eq!(off().unwell(&plan), [] as [&str; 0]);
    assert_eq!(off().turned(check("on"), false).unwell(&plan), ["health check on is unhealthy"]);
    assert_eq!(off().turned(check("off"), true).unwell(&plan), ["health check off is healthy"]);
}

#[test]
fn a_client_is_waited_for_when_its_own_way_back_is_bounded_however_long_its_cell_takes() {
    let mut plan = plan();
    plan.prediction.failback.totals.insert("br-fresh".into(), Bounds::unbounded(secs(0.0)));
    assert_eq!(expected_cells(&plan, "br-fresh", Target::AfterHeal), Some(vec![OLD.to_owned()]));
    plan.prediction.failback.clients.insert("br-fresh".into(), Bounds::unbounded(secs(0.0)));
    assert_eq!(expected_cells(&plan, "br-fresh", Target::AfterHeal), None);
}

#[test]
fn a_pool_that_lets_go_of_nothing_is_not_waited_for_where_nothing_was_predicted() {
    let mut plan = plan();
    for leg in [&mut plan.prediction.failover, &mut plan.prediction.failback] {
        leg.clients.clear();
        leg.totals.clear();
    }
    assert!(expected_cells(&plan, "br-fresh", Target::AfterHeal).is_some());
    plan.prediction.failback.unsettled = Some("it swings".into());
    assert!(expected_cells(&plan, "br-fresh", Target::AfterHeal).is_some(), "it asks anew each time");
    plan.clients.get_mut("br-fresh").unwrap().profile = ClientProfile::KeepAlivePool;
    assert!(expected_cells(&plan, "br-fresh", Target::AfterHeal).is_none());
    assert!(expected_cells(&plan, "br-fresh", Target::BeforeFault).is_some());
}

/// A request of `client` that arrives at a moment, and is answered at once.
fn arrival(seconds: f64, client: &str, cell: &str, status: u16) -> Stamped {
    let (cell, client) = (cell.to_owned(), client.to_owned());
    let event = Event::RequestArrived { cell, zone: None, client, status, held: std::time::Duration::ZERO };
    Stamped { at: at(seconds), event }
}

/// The plan with a client that is curl, and is answered this before the fault.
fn with_curl(from: &str) -> Plan {
    let mut plan = plan();
    plan.clients.retain(|name, _| name == "br-fresh");
    plan.clients.get_mut("br-fresh").unwrap().runs = ClientRuns::Known(ClientSoftware::Curl);
    plan.prediction.failover.moves.get_mut("br-fresh").unwrap().from = vec![from.to_owned()];
    plan
}

/// What is missing of the clients after these, clients having been let ask at 10 s.
fn missing_of(plan: &Plan, target: Target, seen: impl IntoIterator<Item = Stamped>) -> Vec<String> {
    let mut steady = Steady::of(plan);
    steady.clients_ask(at(10.0));
    if target == Target::AfterHeal {
        steady.look_again(at(300.0));
    }
    seen.into_iter().for_each(|stamped| steady.see(plan, &stamped));
    let mut missing = Vec::new();
    steady.missing_clients(plan, target, &mut missing);
    missing
}

#[test]
fn a_client_that_tells_nothing_is_seen_where_its_requests_arrive() {
    let plan = with_curl(OLD);
    let before = |seen: &[(f64, &str, u16)]| {
        let seen = seen.iter().map(|(seconds, cell, status)| arrival(*seconds, "br-fresh", cell, *status));
        missing_of(&plan, Target::BeforeFault, seen)
    };
    let nobody = "br-fresh should be served by sa-east-1, and is served by nobody";
    assert_eq!(before(&[]), [nobody]);
    assert_eq!(before(&[(12.0, OLD, 200)]), [] as [&str; 0]);
    assert_eq!(before(&[(12.0, OLD, 503)]), [nobody]);
    assert_eq!(before(&[(12.0, OLD, 200), (14.0, OLD, 460)]), [nobody]);
    assert_eq!(
        before(&[(12.0, OLD, 200), (14.0, NEW, 200)]),
        ["br-fresh should be served by sa-east-1, and is served by us-east-1"]
    );
    // The same of a client that is to tell says nothing.
    let own = Plan { clients: synthetic::plan().clients, ..plan.clone() };
    let missing = missing_of(&own, Target::BeforeFault, [arrival(12.0, "br-fresh", OLD, 200)]);
    assert!(missing.contains(&nobody.to_owned()), "{missing:?}");
}

#[test]
fn an_arrival_from_before_the_heal_says_nothing_of_what_is_after_it() {
    let plan = with_curl(OLD);
    let after = |seconds| missing_of(&plan, Target::AfterHeal, [arrival(seconds, "br-fresh", OLD, 200)]);
    assert_eq!(after(299.0), ["br-fresh should be served by sa-east-1, and is served by nobody"]);
    assert_eq!(after(301.0), [] as [&str; 0]);
}

#[test]
fn an_answer_without_an_address_is_seen_by_nothing_arriving_for_three_cadences_and_a_timeout() {
    let plan = with_curl("nodata");
    let missing = |seen: Vec<Stamped>| missing_of(&plan, Target::BeforeFault, seen);
    // Every 5 s, given up after 4 s.
    let time = |seconds| Stamped { at: at(seconds), event: Event::RunEnded };
    assert_eq!(missing(vec![time(28.9)]), ["br-fresh should be served by nodata, and is served by nobody"]);
    assert_eq!(missing(vec![time(29.0)]), [] as [&str; 0]);
    let stray = missing(vec![arrival(20.0, "br-fresh", OLD, 200), time(38.0)]);
    assert_eq!(stray, ["br-fresh should be served by nodata, and is served by sa-east-1"]);
    assert_eq!(missing(vec![arrival(20.0, "br-fresh", OLD, 200), time(39.0)]), [] as [&str; 0]);
}

#[test]
fn what_muster_s_own_client_tells_counts_where_it_stands_for_a_program() {
    let plan = with_curl(OLD);
    let ended = |outcome| {
        let event =
            Event::RequestEnded { client: "br-fresh".into(), began: at(12.0), address: None, outcome, attempts: 1 };
        missing_of(&plan, Target::BeforeFault, [arrival(12.0, "br-fresh", OLD, 200), Stamped { at: at(12.5), event }])
    };
    assert_eq!(ended(RequestOutcome::Served { cell: OLD.into(), status: 200 }), [] as [&str; 0]);
    assert_eq!(ended(RequestOutcome::TimedOut), ["br-fresh should be served by sa-east-1, and is served by nobody"]);
}

#[test]
fn a_client_whose_family_the_ground_lacks_is_not_waited_for() {
    let plan = with_curl(OLD);
    let ready = |families| {
        let (lab, ground) = ("docker".to_owned(), "engine".to_owned());
        let took = std::time::Duration::ZERO;
        let event = Event::LabReady { lab, ground, hosts: 1, took, families, clock: None };
        missing_of(&plan, Target::BeforeFault, [Stamped { at: at(1.0), event }])
    };
    assert_eq!(ready(vec![Family::Aaaa]), [] as [&str; 0]);
    assert_eq!(ready(vec![Family::A]).len(), 1);
}
