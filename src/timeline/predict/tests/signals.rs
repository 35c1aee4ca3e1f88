//! Every health signal's prediction, held against what can be worked out by hand.

use std::net::IpAddr;

use super::*;
use crate::health::{
    Alarm, AlarmSettings, CalculatedCheck, CheckProtocol, Comparison, EndpointCheck, InsufficientData, MissingData,
    Statistic, StatusSettings,
};
use crate::journal::synthetic::llm;
use crate::plan::{
    AlarmPlan, Asks, CellKind, ClientProfile, EndpointPlan, EnginePlan, Fault, HealthCheckKind, HealthCheckPlan,
    LlmPlan, Metric, ProbePlan, QueuePlan, Signal, SignalPrediction,
};
use crate::service::{EngineSettings, QueueSettings};
use crate::zone::HealthCheckId;

const PRIMARY: &str = "us-east";
const STANDBY: &str = "us-west";
const CHECK: &str = "HC-PRIMARY-ID";

const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// The chat API's pair, its cells made of engines, under one fault.
struct Scenario {
    plan: Plan,
    zone: Zone,
}

impl Scenario {
    fn of(fault: Fault) -> Self {
        let drill = drill("chat-region-down.yaml");
        let mut plan = drill.plan(PlanOptions { seed: 1, speed: None, control: false, ..PlanOptions::default() });
        for (last, cell) in (1..).zip(plan.cells.values_mut()) {
            cell.kind = CellKind::Llm(llm(last));
        }
        for planned in plan.health_checks.values_mut() {
            let HealthCheckKind::Endpoint(endpoint) = &mut planned.kind else { panic!("{planned:?}") };
            endpoint.check.port = 8081;
        }
        let gateway = plan.clients.get_mut("gateway").unwrap();
        gateway.profile = ClientProfile::AgeingPool(secs(60));
        plan.faults = vec![fault];
        Self { plan, zone: drill.zone }
    }

    fn with(mut self, change: impl FnOnce(&mut Plan)) -> Self {
        change(&mut self.plan);
        self
    }

    fn check(self, id: &str, kind: HealthCheckKind) -> Self {
        self.with(|plan| {
            let status = StatusSettings { inverted: false, disabled: false };
            plan.health_checks.insert(HealthCheckId(id.into()), HealthCheckPlan { status, kind });
        })
    }

    fn predict(&self) -> Prediction {
        predict(&self.plan, &self.zone)
    }

    fn failover(&self) -> LegPrediction {
        self.predict().failover
    }
}

fn llm_of<'p>(plan: &'p mut Plan, cell: &str) -> &'p mut LlmPlan {
    let CellKind::Llm(llm) = &mut plan.cells.get_mut(cell).unwrap().kind else { panic!("{cell}") };
    llm
}

fn engine_of<'p>(plan: &'p mut Plan, cell: &str) -> &'p mut EngineSettings {
    let EnginePlan::Own { settings, .. } = &mut llm_of(plan, cell).engine else { panic!("{cell}") };
    settings
}

fn endpoint<'p>(plan: &'p mut Plan, id: &str) -> &'p mut EndpointPlan {
    let planned = plan.health_checks.get_mut(&HealthCheckId(id.into())).unwrap();
    let HealthCheckKind::Endpoint(endpoint) = &mut planned.kind else { panic!("{id} is no endpoint check") };
    endpoint
}

fn check_of(cell: &str, check: EndpointCheck) -> HealthCheckKind {
    HealthCheckKind::Endpoint(EndpointPlan { cell: cell.into(), name: None, check, checker_addresses: Vec::new() })
}

fn calculated(children: &[&str], healthy_threshold: u32) -> HealthCheckKind {
    let children = children.iter().map(|id| HealthCheckId((*id).into())).collect();
    HealthCheckKind::Calculated(CalculatedCheck { children, healthy_threshold })
}

fn alarm(metric: Metric, settings: AlarmSettings, insufficient_data: InsufficientData) -> HealthCheckKind {
    let datapoints_to_alarm = settings.evaluation_periods;
    let alarm = Alarm { settings, datapoints_to_alarm, treat_missing_data: MissingData::Missing };
    HealthCheckKind::Alarm(AlarmPlan { metric, alarm, insufficient_data })
}

const AGE_OVER_300: AlarmSettings = AlarmSettings {
    statistic: Statistic::Maximum,
    period: Duration::from_secs(60),
    evaluation_periods: 1,
    threshold: 300.0,
    comparison: Comparison::GreaterThanThreshold,
};

fn signal_of<'l>(leg: &'l LegPrediction, wanted: &Signal) -> Option<&'l SignalPrediction> {
    leg.signals.iter().find(|signal| signal.signal == *wanted)
}

fn check_signal(id: &str) -> Signal {
    Signal::HealthCheck { id: id.into() }
}

fn verdict_of(cell: &str) -> Signal {
    Signal::Verdict { cell: cell.into() }
}

fn bounds_of(leg: &LegPrediction, wanted: &Signal) -> Option<Bounds> {
    signal_of(leg, wanted).map(|signal| signal.bounds)
}

#[test]
fn a_dead_engine_is_left_within_165_s_as_the_article_estimates() {
    let Prediction { failover, failback } = Scenario::of(Fault::KillEngine(PRIMARY.into())).predict();
    assert_eq!(bounds_of(&failover, &verdict_of(PRIMARY)), Some(between(10, 15)));
    assert_eq!(bounds_of(&failover, &check_signal(CHECK)), Some(between(30, 45)));
    assert_eq!(failover.detection, between(30, 45));
    assert_eq!(failover.resolvers["isp"], between(0, 60));
    assert_eq!(failover.clients["gateway"], between(0, 60));
    assert_eq!(failover.totals["gateway"], between(30, 165));
    let order: Vec<&Signal> = failover.signals.iter().map(|signal| &signal.signal).collect();
    assert_eq!(order, [&verdict_of(PRIMARY), &check_signal(CHECK)]);
    // Twelve good probes of half a second each, five seconds apart, and then the checkers.
    let back = bounds_of(&failback, &verdict_of(PRIMARY)).unwrap();
    assert_eq!(back, Bounds::between(Duration::from_millis(61_000), Duration::from_millis(66_000)));
    assert_eq!(failback.detection, back.then(between(20, 30)));
    assert!(failback.signals.iter().all(|signal| signal.healthy));
}

#[test]
fn a_wedged_engine_takes_twelve_seconds_more_for_its_probes_last_their_budget() {
    let failover = Scenario::of(Fault::WedgeEngine(PRIMARY.into())).failover();
    // A probe of 16 tokens at 32 a second takes half a second.
    let verdict = Bounds::between(Duration::from_millis(21_500), secs(27));
    assert_eq!(bounds_of(&failover, &verdict_of(PRIMARY)), Some(verdict));
    assert_eq!(failover.detection.worst, Some(secs(57)));
    assert_eq!(failover.totals["web"].worst, Some(secs(117)));
    assert_eq!(failover.totals["gateway"].worst, Some(secs(177)));
    let why: Vec<&str> = failover.signals.iter().map(|signal| signal.why.as_str()).collect();
    assert_eq!(
        why,
        [
            "3 bad probes, each lasting its 4 s budget, 5 s apart",
            "3 bad probes, each lasting its 4 s budget, 5 s apart; then checkers every 10 s, 3 failures"
        ]
    );
}

#[test]
fn a_throttled_engine_is_probed_like_a_wedged_one_but_for_the_probe_that_is_under_way() {
    let throttled = Scenario::of(Fault::ThrottleEngine(PRIMARY.into())).predict();
    // The probe under way had its work done before: it may still pass, half a second after the fault.
    let verdict = Bounds::between(Duration::from_millis(21_500), Duration::from_millis(27_500));
    assert_eq!(bounds_of(&throttled.failover, &verdict_of(PRIMARY)), Some(verdict));
    let wedged = Scenario::of(Fault::WedgeEngine(PRIMARY.into())).predict();
    assert_eq!(throttled.failback, wedged.failback);
    assert_eq!(throttled.failover.totals["web"].best, wedged.failover.totals["web"].best);
    // Who waits for longer than it takes has an answer.
    let patient = Scenario::of(Fault::ThrottleEngine(PRIMARY.into())).with(|plan| {
        llm_of(plan, PRIMARY).prober.as_mut().unwrap().settings.budget = secs(11);
    });
    assert_eq!(patient.failover().detection, never(0));
}

#[test]
fn a_shallow_check_never_sees_a_wedged_engine() {
    for protocol in
        [CheckProtocol::Tcp, CheckProtocol::Http { path: "/health".into(), host: None, tls: None, search: None }]
    {
        let scenario = Scenario::of(Fault::WedgeEngine(PRIMARY.into())).with(|plan| {
            let check = &mut endpoint(plan, CHECK).check;
            (check.port, check.protocol) = (80, protocol);
        });
        let failover = scenario.failover();
        assert_eq!(failover.detection, never(0));
        assert_eq!(bounds_of(&failover, &check_signal(CHECK)), None);
        assert_eq!(bounds_of(&failover, &verdict_of(PRIMARY)).unwrap().worst, Some(secs(27)), "nobody asks for it");
        assert_eq!(moved(&failover), [] as [&str; 0]);
    }
}

#[test]
fn a_frozen_engine_is_probed_like_a_wedged_one_and_a_check_of_its_health_sees_it() {
    let [frozen, wedged, stalled] = [Fault::FreezeEngine, Fault::WedgeEngine, Fault::StallEngine]
        .map(|fault| Scenario::of(fault(PRIMARY.into())).predict());
    assert_eq!(frozen, wedged);
    assert_eq!(stalled, frozen, "who asks cannot tell the way from the engine");
    let asks_health = |plan: &mut Plan, patience| {
        let check = &mut endpoint(plan, CHECK).check;
        check.port = 80;
        check.protocol = CheckProtocol::Http { path: "/health".into(), host: None, tls: None, search: None };
        llm_of(plan, PRIMARY).gateway.first_byte_within = patience;
    };
    let seen_within = |patience| {
        let [frozen, stalled] = [Fault::FreezeEngine, Fault::StallEngine]
            .map(|fault| Scenario::of(fault(PRIMARY.into())).with(|plan| asks_health(plan, patience)).predict());
        assert_eq!(frozen, stalled);
        let Prediction { failover, failback } = frozen;
        (failover.detection, failback.detection)
    };
    // R53-111: a status has 2 s; a gateway that gives its engine up sooner answers 504.
    assert_eq!(seen_within(secs(3)), (between(26, 36), between(20, 32)));
    assert_eq!(seen_within(secs(1)), (between(23, 33), between(20, 31)));
}

#[test]
fn a_check_of_the_engines_health_sees_it_dead_through_the_gateway() {
    let scenario = Scenario::of(Fault::KillEngine(PRIMARY.into())).with(|plan| {
        let check = &mut endpoint(plan, CHECK).check;
        check.port = 80;
        check.protocol = CheckProtocol::Http { path: "/health".into(), host: None, tls: None, search: None };
        engine_of(plan, PRIMARY).loads_for = secs(40);
    });
    let Prediction { failover, failback } = scenario.predict();
    assert_eq!(failover.detection, between(20, 30));
    assert_eq!(failback.detection, between(20, 30), "it tells that it is well while it loads: a shallow check");
}

#[test]
fn a_stale_verdict_expires_twenty_seconds_after_the_last_probe_ended() {
    let Prediction { failover, failback } = Scenario::of(Fault::KillProber(PRIMARY.into())).predict();
    let verdict = Bounds::between(Duration::from_millis(14_500), secs(20));
    assert_eq!(bounds_of(&failover, &verdict_of(PRIMARY)), Some(verdict));
    assert_eq!(failover.detection, verdict.then(between(20, 30)));
    assert_eq!(bounds_of(&failback, &verdict_of(PRIMARY)), Some(between(61, 61)), "a new prober begins unhealthy");
    // The cell serves as ever, so a pool leaves it at its age only.
    assert_eq!(failover.clients["gateway"], between(0, 60));
}

#[test]
fn how_long_an_engine_that_runs_already_takes_is_not_known() {
    let scenario = Scenario::of(Fault::KillProber(PRIMARY.into())).with(|plan| {
        let (base_url, model) = ("https://llm.example.com".into(), "chat-model".into());
        llm_of(plan, PRIMARY).engine = EnginePlan::Real { base_url, model, api_key_from: None };
    });
    let Prediction { failover, failback } = scenario.predict();
    assert_eq!(bounds_of(&failover, &verdict_of(PRIMARY)), Some(between(11, 20)));
    assert_eq!(bounds_of(&failback, &verdict_of(PRIMARY)), Some(between(55, 103)), "12 probes of 0 to 4 s");
}

#[test]
fn another_model_is_seen_by_its_answers_and_serves_on() {
    let failover = Scenario::of(Fault::WrongModel(PRIMARY.into())).failover();
    let verdict = bounds_of(&failover, &verdict_of(PRIMARY)).unwrap();
    assert_eq!(verdict.best, Duration::from_millis(10_000));
    assert_eq!(verdict.worst, Some(Duration::from_millis(17_000)));
    let scenario = Scenario::of(Fault::WrongModel(PRIMARY.into())).with(|plan| {
        let check = &mut endpoint(plan, CHECK).check;
        check.port = 80;
        let (path, search) = ("/v1/models".into(), Some("\"chat-model\"".into()));
        check.protocol = CheckProtocol::Http { path, host: None, tls: None, search };
    });
    assert_eq!(scenario.failover().detection, between(20, 30), "R53-113: the list no longer names it");
}

#[test]
fn a_drained_cell_and_one_that_locks_checkers_out_serve_until_the_checkers_turn() {
    for fault in [Fault::Drain(PRIMARY.into()), Fault::LockOutCheckers(PRIMARY.into())] {
        let Prediction { failover, failback } = Scenario::of(fault.clone()).predict();
        assert_eq!((failover.detection, failback.detection), (between(20, 30), between(20, 30)), "{fault:?}");
        assert_eq!(failover.clients["gateway"], between(0, 60), "{fault:?}");
    }
    let tcp = Scenario::of(Fault::LockOutCheckers(PRIMARY.into()))
        .with(|plan| endpoint(plan, CHECK).check.protocol = CheckProtocol::Tcp);
    assert_eq!(tcp.failover().detection, never(0), "a firewall that answers 403 lets connections in");
}

#[test]
fn an_engine_that_loads_its_model_first_comes_back_that_much_later() {
    let cold =
        Scenario::of(Fault::KillEngine(PRIMARY.into())).with(|plan| engine_of(plan, PRIMARY).loads_for = secs(90));
    let warm = Scenario::of(Fault::KillEngine(PRIMARY.into()));
    let (cold, warm) = (cold.predict().failback.detection, warm.predict().failback.detection);
    assert_eq!(cold, between(90, 90).then(warm));
}

#[test]
fn a_whole_dead_region_is_refused_at_once_and_tells_no_verdict() {
    let Prediction { failover, failback } = Scenario::of(Fault::KillRegion(PRIMARY.into())).predict();
    assert_eq!(failover.detection, between(20, 30));
    assert_eq!(bounds_of(&failover, &verdict_of(PRIMARY)), None);
    assert_eq!(failover.clients["gateway"], between(0, 0), "its connections break");
    assert_eq!(failback.detection, between(81, 91));
}

#[test]
fn r53_128_a_calculated_check_turns_with_the_child_that_crosses_its_threshold() {
    let tcp = EndpointCheck { protocol: CheckProtocol::Tcp, port: 80, interval: secs(30), failure_threshold: 3 };
    let scenario = |threshold| {
        Scenario::of(Fault::KillRegion(PRIMARY.into()))
            .check("SLOW", check_of(PRIMARY, tcp.clone()))
            .check("OTHER", check_of(STANDBY, tcp.clone()))
            .check("ALL", calculated(&[CHECK, "SLOW", "OTHER"], threshold))
    };
    let of = |threshold| bounds_of(&scenario(threshold).failover(), &check_signal("ALL"));
    assert_eq!(of(3), Some(between(20, 30)), "with the first of both");
    assert_eq!(of(2), Some(between(60, 90)), "with the second");
    assert_eq!((of(1), of(0), of(4)), (None, None, None), "one is left; R53-131; R53-130");
    // The way back needs both children again for 3, one of them for 2.
    let back = |threshold| bounds_of(&scenario(threshold).predict().failback, &check_signal("ALL"));
    assert_eq!((back(3), back(2)), (Some(between(81, 91)), Some(between(60, 90))));
}

#[test]
fn a_record_that_names_a_calculated_check_is_decided_by_it_alone() {
    let scenario = Scenario::of(Fault::WedgeEngine(PRIMARY.into()));
    let inner = scenario.plan.health_checks[&HealthCheckId(CHECK.into())].clone();
    let scenario = scenario.check("INNER", inner.kind).check(CHECK, calculated(&["INNER"], 1));
    let failover = scenario.failover();
    assert_eq!(failover.detection.worst, Some(secs(57)));
    assert!(!signal_of(&failover, &check_signal("INNER")).unwrap().evidence);
    assert!(signal_of(&failover, &check_signal(CHECK)).unwrap().evidence);
    assert_eq!(failover.moves["web"].to, [STANDBY]);
}

#[test]
fn r53_106_and_154_a_switch_is_seen_at_once_both_ways() {
    let control = Scenario::of(Fault::TurnOff("us-east".into()))
        .with(|plan| {
            plan.routing_controls.controls = BTreeMap::from([("us-east".to_owned(), true)]);
        })
        .check(CHECK, HealthCheckKind::RoutingControl("us-east".into()));
    let drain = Scenario::of(Fault::DrainCheck(CHECK.into()))
        .with(|plan| plan.health_checks.get_mut(&HealthCheckId(CHECK.into())).unwrap().status.disabled = true);
    for scenario in [control, drain] {
        let Prediction { failover, failback } = scenario.predict();
        assert_eq!((failover.detection, failback.detection), (between(0, 0), between(0, 0)));
        assert_eq!(failover.moves["web"].to, [STANDBY]);
        assert_eq!(failover.totals["web"], between(0, 60));
    }
}

#[test]
fn a_routing_control_that_is_off_from_the_start_has_nothing_to_turn() {
    let scenario = Scenario::of(Fault::TurnOff("us-east".into()))
        .with(|plan| plan.routing_controls.controls = BTreeMap::from([("us-east".to_owned(), false)]))
        .check(CHECK, HealthCheckKind::RoutingControl("us-east".into()));
    let failover = scenario.failover();
    assert_eq!((failover.detection, failover.signals.len()), (never(0), 0));
    assert_eq!(failover.moves["web"].from, [STANDBY]);
}

fn with_queue(fault: Fault, insufficient_data: InsufficientData) -> Scenario {
    let region = prediction_region();
    Scenario::of(fault)
        .with(|plan| plan.cells.get_mut(PRIMARY).unwrap().kind = CellKind::Region(region))
        .check(CHECK, alarm(Metric::QueueAge(PRIMARY.into()), AGE_OVER_300, insufficient_data))
}

fn prediction_region() -> crate::plan::RegionPlan {
    let plan = drill("chat-region-down.yaml").plan(PlanOptions {
        seed: 1,
        speed: None,
        control: false,
        ..PlanOptions::default()
    });
    let CellKind::Region(mut region) = plan.cells[PRIMARY].kind.clone() else { panic!("a region") };
    let at = |last| IpAddr::from([10, 8, 0, last]);
    region.queue = Some(QueuePlan {
        settings: QueueSettings {
            active_for: secs(21_600),
            wakes_within: secs(900),
            deleted_when_idle_for: secs(30 * 86_400),
            dead_letter_after: None,
        },
        message_every: secs(5),
        work_takes: secs(1),
        queue_address: at(1),
        producer_address: at(2),
        worker_address: at(3),
    });
    region
}

#[test]
fn a_stuck_worker_is_seen_when_the_oldest_message_is_300_s_old() {
    let Prediction { failover, failback } =
        with_queue(Fault::StopWorker(PRIMARY.into()), InsufficientData::Healthy).predict();
    // 300 s, the message in work or the next one, a datapoint each minute, one period.
    assert_eq!(failover.detection, between(299, 425));
    assert_eq!(failback.detection.worst, None, "what piled up is not known before");
    assert_eq!(failover.clients["gateway"], between(0, 60), "the region serves on");
}

#[test]
fn a_message_in_an_abandoned_queue_is_seen_unless_the_queue_is_deleted_first() {
    let abandoned = |idle: u64| {
        let scenario = with_queue(Fault::AbandonQueue(PRIMARY.into()), InsufficientData::LastKnownStatus);
        let scenario = scenario.with(|plan| {
            let CellKind::Region(region) = &mut plan.cells.get_mut(PRIMARY).unwrap().kind else { panic!("a region") };
            region.queue.as_mut().unwrap().settings.deleted_when_idle_for = secs(idle);
        });
        scenario.predict()
    };
    let Prediction { failover, failback } = abandoned(600);
    // The message was sent up to 6 s before the fault was seen to hold: in work, or the one that was waited for.
    assert_eq!(failover.detection, between(294, 420));
    assert_eq!(failover.moves["web"].to, [STANDBY]);
    assert_eq!(failback.detection.worst, None);
    assert_eq!(abandoned(300).failover.detection.worst, None, "deleted before its age has been told");
}

#[test]
fn r53_187_an_alarm_of_five_minutes_is_predicted_to_turn_within_a_minute_of_its_window() {
    let slow = AlarmSettings { period: secs(300), ..AGE_OVER_300 };
    let failover = with_queue(Fault::StopWorker(PRIMARY.into()), InsufficientData::Healthy)
        .check(CHECK, alarm(Metric::QueueAge(PRIMARY.into()), slow, InsufficientData::Healthy))
        .failover();
    assert_eq!(failover.detection, between(299, 425), "as one of a minute: its maximum breaches at once");
}

#[test]
fn r53_142_a_metric_that_vanishes_drains_a_region_only_where_it_is_mapped_to_unhealthy() {
    let leg = |mapped| with_queue(Fault::QuietQueue(PRIMARY.into()), mapped).predict();
    for mapped in [InsufficientData::Healthy, InsufficientData::LastKnownStatus] {
        let failover = leg(mapped).failover;
        assert_eq!((failover.detection, moved(&failover)), (never(0), Vec::new()), "{mapped:?}");
    }
    let Prediction { failover, failback } = leg(InsufficientData::Unhealthy);
    assert!(failover.detection.best >= secs(21_600), "{:?}", failover.detection);
    assert!(failover.detection.worst.is_some() && failback.detection.worst.is_some());
    assert_eq!(failover.moves["web"].to, [STANDBY]);
}

fn with_probe(asks: &str) -> Scenario {
    let asks = asks.to_owned();
    Scenario::of(Fault::KillRegion(PRIMARY.into()))
        .with(|plan| {
            let (resolver, address) = ("isp".to_owned(), IpAddr::from([10, 7, 0, 1]));
            let probe = ProbePlan { asks, resolver, every: secs(60), timeout: secs(5), address };
            plan.probes.insert("branch".into(), probe);
        })
        .check(
            CHECK,
            alarm(
                Metric::ProbeSuccess("branch".into()),
                AlarmSettings {
                    statistic: Statistic::Minimum,
                    threshold: 1.0,
                    comparison: Comparison::LessThanThreshold,
                    ..AGE_OVER_300
                },
                InsufficientData::Unhealthy,
            ),
        )
}

#[test]
fn a_probe_that_asks_the_name_that_it_decides_never_comes_to_rest() {
    let failover = with_probe("api.example.com.").failover();
    let why = failover.unsettled.clone().unwrap();
    assert!(why.starts_with("probe branch asks api.example.com."), "{why}");
    assert_eq!(failover.detection, between(0, 125), "only the detection is predicted");
    assert!(failover.totals.is_empty() && failover.resolvers.is_empty() && failover.clients.is_empty());
    assert_eq!(failover.moves["web"], Move { from: vec![PRIMARY.into()], to: vec![PRIMARY.into()] });
}

/// One stream of the given length each second.
fn streaming(tokens: u32) -> impl FnOnce(&mut Plan) {
    move |plan| {
        for client in plan.clients.values_mut() {
            (client.asks, client.every, client.timeout) = (Asks::Page, secs(1), secs(300));
        }
        plan.clients.get_mut("web").unwrap().asks = Asks::Stream(tokens);
    }
}

#[test]
fn a_stream_keeps_its_client_until_it_ends_or_is_cut() {
    let held = |fault, tokens| Scenario::of(fault).with(streaming(tokens)).failover().clients["web"];
    assert_eq!(held(Fault::Drain(PRIMARY.into()), 64), between(0, 2));
    assert_eq!(held(Fault::WedgeEngine(PRIMARY.into()), 64), between(0, 300), "nothing ends it but the client");
    assert_eq!(held(Fault::KillEngine(PRIMARY.into()), 64), between(0, 0));
}

#[test]
fn a_standby_that_cannot_carry_the_load_is_predicted_not_to_come_to_rest() {
    let scenario = || {
        Scenario::of(Fault::KillEngine(PRIMARY.into())).with(|plan| {
            streaming(64)(plan);
            plan.clients.get_mut("web").unwrap().workers = 2;
            engine_of(plan, STANDBY).slots = 1;
        })
    };
    let why = scenario().failover().unsettled.unwrap();
    assert!(why.contains("us-west ask for 200 % of what its engine carries"), "{why}");
    let shed = scenario().with(|plan| {
        plan.clients.get_mut("web").unwrap().tier = Some("free".into());
        llm_of(plan, STANDBY).gateway.sheds_above = Some(1);
    });
    assert_eq!(shed.failover().unsettled, None, "the gateway sheds it");
    let enough = scenario().with(|plan| engine_of(plan, STANDBY).slots = 2);
    assert_eq!(enough.failover().unsettled, None);
    let patient = scenario().with(|plan| {
        llm_of(plan, STANDBY).gateway.first_byte_within = secs(1);
        engine_of(plan, STANDBY).tokens_per_second = 63.0;
    });
    assert_eq!(patient.failover().unsettled, None, "its probes still end in time");
    let one_at_a_time = scenario().with(|plan| plan.clients.get_mut("web").unwrap().workers = 1);
    assert_eq!(one_at_a_time.failover().unsettled, None, "one worker never asks for more than one slot");
    let unwatched = scenario().with(|plan| endpoint(plan, "HC-STANDBY-ID").check.port = 80);
    assert_eq!(unwatched.failover().unsettled, None, "nobody asks how it is");
}

#[test]
fn a_starved_engine_fails_its_probes_by_arithmetic() {
    let starved = || Scenario::of(Fault::StarveEngine(PRIMARY.into()));
    // 16 tokens at 4 a second: the whole budget, every time.
    assert_eq!(starved().failover().detection.worst, Some(secs(57)));
    let alone = || starved().with(|plan| llm_of(plan, PRIMARY).prober.as_mut().unwrap().settings.max_tokens = 8);
    assert_eq!(alone().failover().detection, never(0), "two seconds are within the budget");
    let loaded = alone().with(streaming(64)).with(|plan| plan.clients.get_mut("web").unwrap().workers = 2).failover();
    assert!(loaded.unsettled.unwrap().contains("once they are gone its probes pass"));
    assert_eq!(loaded.detection.best, Duration::from_millis(21_750 + 20_000));
    // Until the queue is long enough a probe passes, and may last its whole budget.
    let queued = loaded.signals.iter().find(|signal| signal.why.contains("the queue in front")).unwrap();
    assert_eq!(queued.bounds.worst, Some(secs(4 + 4 + 5 + 3 * 4 + 2 * 5)));
}

#[test]
fn every_fault_of_the_catalogue_is_predicted_both_ways_or_not_at_all() {
    let faults: [fn(String) -> Fault; 11] = [
        Fault::KillEngine,
        Fault::WedgeEngine,
        Fault::FreezeEngine,
        Fault::StarveEngine,
        Fault::ThrottleEngine,
        Fault::WrongModel,
        Fault::KillProber,
        Fault::KillRegion,
        Fault::LockOutCheckers,
        Fault::Drain,
        Fault::DrainCheck,
    ];
    for fault in faults {
        let Prediction { failover, failback } = Scenario::of(fault(PRIMARY.into())).predict();
        for signal in failover.signals.iter().filter(|signal| signal.evidence) {
            let back = signal_of(&failback, &signal.signal).unwrap();
            assert_eq!(back.healthy, !signal.healthy);
            assert!(!signal.why.is_empty() && !back.why.is_empty());
        }
        let order: Vec<_> = failover.signals.iter().map(|signal| signal.bounds.worst).collect();
        assert!(order.is_sorted(), "{order:?}");
    }
}
