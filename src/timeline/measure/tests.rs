//! Measuring, held against journals made by hand.

use std::time::Duration;

use super::*;
use crate::journal::event::{RequestOutcome, SeenAnswer, Server};
use crate::journal::synthetic::{self, NEW, OLD, Script, addresses, at, bounds, observed, secs};
use crate::plan::{Family, Move};

fn measured(script: &Script) -> Measured {
    measure(&script.events()).unwrap()
}

#[expect(clippy::unnecessary_wraps, reason = "it is compared with what may be missing")]
fn interval(after: f64, until: f64) -> Option<Interval> {
    Some(Interval { after: at(after), until: at(until) })
}

#[expect(clippy::unnecessary_wraps, reason = "it is compared with what may be missing")]
fn span(least: f64, most: f64) -> Option<Span> {
    Some(Span { least: secs(least), most: secs(most) })
}

/// The synthetic run has 5 ms of wall lateness at speed 20.
const LATE: f64 = 0.1;

#[test]
fn each_boundary_of_a_failover_lies_between_the_last_old_and_the_first_new() {
    let leg = measured(&synthetic::passing()).failover;
    assert_eq!(leg.window.start, interval(60.2, 60.7));
    assert_eq!((leg.window.end, leg.window.complete), (at(300.0), true));
    assert_eq!(leg.detection.moment, interval(90.0, 90.0));
    assert_eq!(leg.detection.span, span(29.3 - LATE, 29.8 + LATE));
    assert_eq!(leg.questions[0].moment, interval(90.1, 90.6));
    assert_eq!(leg.authoritative.as_ref().unwrap().span, span(0.0, 0.6 + LATE));
    assert_eq!(leg.resolvers[0].moment, interval(120.0, 121.0));
    assert_eq!(leg.resolvers[0].span, span(29.4 - LATE, 30.9 + LATE));
    assert_eq!(leg.totals[0].moment, interval(119.0, 124.0));
    assert_eq!(leg.clients[0].span, span(0.0, 4.0 + LATE));
    assert_eq!(leg.totals[0].span, span(58.3 - LATE, 63.8 + LATE));
}

#[test]
fn the_failback_counts_from_the_fault_being_seen_to_be_gone() {
    let leg = measured(&synthetic::passing()).failback;
    assert_eq!(leg.window.start, interval(300.3, 300.8));
    assert_eq!(leg.detection.moment, interval(330.0, 330.0));
    assert_eq!(leg.questions[0].moment, interval(330.1, 330.6));
    assert_eq!(leg.resolvers[0].moment, interval(380.0, 381.0));
    assert_eq!(leg.totals[0].moment, interval(379.0, 384.0));
    assert!(leg.window.complete);
}

#[test]
fn by_two_clocks_a_leg_surely_ends_before_the_heal_by_as_much_as_they_may_be_apart() {
    let script = synthetic::passing().changed(|stamped| {
        if let Event::LabReady { clock, .. } = &mut stamped.event {
            *clock = Some(ClockOffset { ahead: -0.4, within: secs(0.1) });
        }
    });
    let measured = measured(&script);
    assert_eq!((measured.failover.window.end, measured.failover.window.complete), (at(299.5), true));
    assert_eq!(measured.clock.map(|clock| clock.at_most()), Some(secs(0.5)));
}

#[test]
fn probes_and_targets_are_kept_as_sub_stages_of_detection() {
    let leg = measured(&synthetic::passing()).failover;
    assert_eq!(leg.turnings.len(), 3);
    assert_eq!(leg.turnings[0].signal, Signal::Target { cell: OLD.into(), target: 0 });
    assert_eq!(leg.turnings[0].first_check, interval(60.0, 75.0));
    assert_eq!(leg.turnings[2].first_check, None);
}

#[test]
fn a_status_of_a_cell_that_the_fault_leaves_alone_is_no_detection() {
    let other = Signal::Cell { cell: NEW.into() };
    let script =
        synthetic::passing().add(200.0, Event::HealthChanged { signal: other, healthy: false, reason: String::new() });
    assert_eq!(measured(&script).failover.detection.moment, interval(90.0, 90.0));
}

#[test]
fn the_last_evidence_that_turns_is_the_detection() {
    use crate::health::{CheckProtocol, EndpointCheck, StatusSettings};
    use crate::plan::{EndpointPlan, HealthCheckKind, HealthCheckPlan};
    let check = EndpointCheck { protocol: CheckProtocol::Tcp, port: 443, interval: secs(10.0), failure_threshold: 3 };
    let id = crate::zone::HealthCheckId("hc".into());
    let turned = |healthy| Event::HealthChanged {
        signal: Signal::HealthCheck { id: "hc".into() },
        healthy,
        reason: String::new(),
    };
    let script = synthetic::passing()
        .planned(|plan| {
            let endpoint = EndpointPlan { cell: OLD.into(), name: None, check, checker_addresses: Vec::new() };
            let planned = HealthCheckPlan {
                status: StatusSettings { inverted: true, disabled: false },
                kind: HealthCheckKind::Endpoint(endpoint),
            };
            plan.health_checks.insert(id, planned);
        })
        .add(80.0, turned(false))
        .add(95.0, turned(true));
    // An inverted check turns healthy when its endpoint fails (R53-104).
    assert_eq!(measured(&script).failover.detection.moment, interval(95.0, 95.0));
}

#[test]
fn the_fault_holds_when_its_last_part_is_seen_broken() {
    let part = |seconds: f64, broken| Stamped {
        at: at(seconds),
        event: Event::FaultLooked {
            fault: crate::plan::Fault::KillDatabase(OLD.into()),
            part: "its second port".into(),
            broken,
            detail: String::new(),
        },
    };
    let mut script = synthetic::passing();
    script.happened.extend([part(60.4, false), part(61.4, true), part(300.1, false)]);
    assert_eq!(measured(&script).failover.window.start, interval(60.4, 61.4));
    let mut script = synthetic::passing();
    script.happened.push(part(60.4, false));
    assert_eq!(measured(&script).failover.window.start, None);
}

#[test]
fn a_control_starts_when_the_fault_would_have_held() {
    let measured = measured(&synthetic::control());
    assert_eq!(measured.failover.window.start, interval(60.7, 60.7));
    assert_eq!(measured.failback.window.start, interval(300.8, 300.8));
    assert_eq!(measured.failover.detection.fit, Fit::NotSeen);
    assert_eq!(measured.failover.totals[0].moment, None);
    assert_eq!(measured.failover.totals[0].still_old, Some(at(299.0)));
    // Nobody had moved away, so nobody came back.
    assert_eq!((measured.failback.questions[0].moment, measured.failback.totals[0].moment), (None, None));
}

#[test]
fn a_resolver_that_had_nothing_cached_changes_with_the_authoritative_answer() {
    let script = synthetic::passing().changed(|stamped| {
        if let Event::Observed { server: Server::Resolver(_), answer, .. } = &mut stamped.event {
            *answer = crate::journal::event::SeenAnswer::NoData;
        }
    });
    let leg = measured(&script).failover;
    assert_eq!(leg.resolvers[0].moment, leg.questions[0].moment);
}

#[test]
fn a_resolver_that_goes_back_to_the_old_answer_has_not_changed_before() {
    let script = synthetic::passing().resolver_holds(140.5, Some(OLD));
    assert_eq!(measured(&script).failover.resolvers[0].moment, interval(140.5, 141.0));
}

#[test]
fn a_resolver_with_client_subnets_is_measured_for_each_place_on_its_own() {
    use crate::plan::ResolverKind;
    let script = synthetic::passing().planned(|plan| {
        plan.resolvers.get_mut("br-isp").unwrap().kind = ResolverKind::ClientSubnet;
    });
    // Elsewhere the answer that Brazil is to leave is the right one.
    let elsewhere = observed(Server::Resolver("br-isp".into()), "Chile", addresses(OLD));
    let leg = measured(&script.add(290.0, elsewhere)).failover;
    assert_eq!(leg.resolvers[0].moment, interval(120.0, 121.0));
}

#[test]
fn a_cached_empty_answer_is_left_at_the_latest_when_the_new_one_is_seen() {
    let script = synthetic::passing()
        .planned(|plan| {
            for change in
                [&mut plan.prediction.failover.answers[0], plan.prediction.failover.moves.get_mut("br-fresh").unwrap()]
            {
                change.from = vec!["nodata".into()];
            }
        })
        .changed(|stamped| {
            if let Event::Observed { answer, .. } = &mut stamped.event
                && *answer == addresses(OLD)
            {
                *answer = SeenAnswer::NoData;
            }
        });
    let leg = measured(&script).failover;
    assert_eq!(leg.questions[0].moment, interval(90.1, 90.6));
    assert_eq!(leg.resolvers[0].moment, interval(90.1, 125.0));
}

/// What both cells' addresses are answered with.
fn both() -> SeenAnswer {
    let addresses = [OLD, NEW].into_iter().flat_map(|cell| match addresses(cell) {
        SeenAnswer::Addresses { addresses, .. } => addresses,
        _ => Vec::new(),
    });
    SeenAnswer::Addresses { addresses: addresses.collect(), ttl: 60 }
}

#[test]
fn a_run_that_ends_before_the_cache_holds_what_was_gained_knows_the_old_answer_by_the_servers() {
    let gains = Move { from: vec![NEW.into()], to: vec![OLD.into(), NEW.into()] };
    let script = synthetic::passing()
        .planned(|plan| {
            plan.prediction.failback.moves.insert("br-fresh".into(), gains.clone());
            plan.prediction.failback.answers = vec![gains];
        })
        .changed(|stamped| {
            let Event::Observed { server, answer, .. } = &mut stamped.event else { return };
            match server {
                Server::Authoritative if stamped.at > at(330.2) => *answer = both(),
                Server::Resolver(_) if stamped.at > at(384.5) => *answer = SeenAnswer::NoData,
                _ => {}
            }
        });
    assert_eq!(measured(&script).failback.resolvers[0].moment, interval(380.0, 381.0));
}

#[test]
fn a_client_without_arrivals_has_not_moved_while_its_requests_fail() {
    let script = synthetic::passing()
        .without(|stamped| {
            matches!(&stamped.event, Event::RequestArrived { cell, .. } if cell == OLD && stamped.at > at(60.7))
        })
        .changed(|stamped| {
            if let Event::RequestEnded { outcome: outcome @ RequestOutcome::Refused { .. }, .. } = &mut stamped.event {
                *outcome = RequestOutcome::Unconnected { reason: "refused".into() };
            }
        });
    let leg = measured(&script).failover;
    assert_eq!(leg.totals[0].moment, interval(119.0, 124.0));
    assert_eq!(leg.losses["br-fresh"].stale, 0);
    assert_eq!(leg.losses["br-fresh"].failed, Some(12));
}

#[test]
fn losses_count_what_failed_what_was_slow_and_what_was_stale() {
    let slow = RequestOutcome::Served { cell: NEW.into(), status: 200 };
    let script =
        synthetic::passing().ended(100.0, 101.5, "us-fresh", slow.clone()).ended(40.0, 42.0, "us-fresh", slow).add(
            90.4,
            Event::RequestArrived {
                cell: OLD.into(),
                zone: None,
                client: "br-fresh".into(),
                status: 500,
                held: Duration::ZERO,
            },
        );
    let losses = measured(&script).failover.losses;
    let br = losses["br-fresh"];
    // 64, 69, …, 119; of these 94, …, 119 came after 90.6; one more at 90.4 while the answer was changing.
    assert_eq!((br.requests, br.failed, br.slow, br.stale, br.stale_at_most), (Some(12), Some(12), Some(0), 6, 7));
    assert_eq!((losses["us-fresh"].slow, losses["us-fresh"].failed), (Some(1), Some(0)));
}

#[test]
fn what_is_measured_outside_its_prediction_is_told() {
    let script = synthetic::passing().planned(|plan| plan.prediction.failover.detection = bounds(15.0, 29.1));
    assert_eq!(measured(&script).failover.detection.fit, Fit::Outside);
    let script = synthetic::passing().planned(|plan| plan.prediction.failover.detection = bounds(15.0, 29.2));
    assert_eq!(measured(&script).failover.detection.fit, Fit::Inside, "29.2 s is possible with 0.1 s of lateness");
    let script = synthetic::passing().planned(|plan| plan.prediction.failover.detection = bounds(30.0, 40.0));
    assert_eq!(measured(&script).failover.detection.fit, Fit::Outside);
}

#[test]
fn what_may_never_come_and_does_not_come_is_as_predicted() {
    let script = synthetic::control()
        .planned(|plan| *plan.prediction.failover.totals.get_mut("br-fresh").unwrap() = Bounds::unbounded(secs(15.0)));
    assert_eq!(measured(&script).failover.totals[0].fit, Fit::Inside);
}

#[test]
fn a_client_of_a_family_that_the_ground_lacks_is_not_measured() {
    let script = synthetic::passing()
        .planned(|plan| plan.clients.get_mut("br-fresh").unwrap().family = Family::Aaaa)
        .changed(|stamped| {
            if let Event::LabReady { families, .. } = &mut stamped.event {
                *families = vec![Family::A];
            }
        });
    assert_eq!(measured(&script).failover.totals[0].fit, Fit::NotApplicable);
}

#[test]
fn an_interrupted_leg_is_not_complete() {
    let script = synthetic::passing().until(200.0).add(200.0, Event::Interrupted { signal: "SIGINT".into() });
    let measured = measured(&script);
    assert!(!measured.failover.window.complete);
    assert_eq!(measured.failover.window.end, at(200.0));
    assert_eq!(measured.failback.window.start, None);
}

#[test]
fn answers_are_kept_once_per_change() {
    let measured = measured(&synthetic::passing());
    let labels: Vec<&str> = measured.seen[0].answers.iter().map(|(_, label)| label.as_str()).collect();
    assert_eq!(labels, [OLD, NEW, OLD]);
    let labels: Vec<&str> = measured.seen[1].answers.iter().map(|(_, label)| label.as_str()).collect();
    assert_eq!(labels, [OLD, "nothing cached", NEW, "nothing cached", OLD]);
}

#[test]
fn an_answer_of_two_cells_shows_both() {
    let plan = synthetic::passing().plan;
    let both = crate::journal::event::SeenAnswer::Addresses {
        addresses: vec![[192, 0, 2, 1].into(), [192, 0, 2, 2].into()],
        ttl: 60,
    };
    assert_eq!(labels(&plan, &both), [OLD, NEW]);
    assert_eq!(labels(&plan, &addresses(NEW)), [NEW]);
}

#[test]
fn silence_tells_nothing_of_an_answer() {
    let silent = observed(Server::Authoritative, "Brazil", crate::journal::event::SeenAnswer::Silent);
    let script = synthetic::passing().add(200.0, silent);
    assert_eq!(measured(&script).failover.questions[0].moment, interval(90.1, 90.6));
}

#[test]
fn a_journal_without_a_plan_cannot_be_measured() {
    assert_eq!(measure(&[Stamped { at: LabTime::at(Duration::ZERO), event: Event::RunEnded }]), Err(NoPlan));
}

#[test]
fn a_client_has_moved_when_its_request_arrived_and_not_when_it_was_answered() {
    let slow = synthetic::passing().changed(|Stamped { at, event }| match event {
        Event::RequestArrived { cell, client, held, .. } if client == "br-fresh" && cell == NEW => {
            *held = secs(4.0);
            *at = *at + secs(4.0);
        }
        _ => {}
    });
    let moved = |script: &Script| measure(&script.events()).unwrap().failover.totals[0].moment;
    assert_eq!(moved(&slow), moved(&synthetic::passing()));
    assert!(moved(&slow).is_some());
}

/// A calculated check of one child that probes the broken cell, as a part of the passing run.
fn with_calculated(script: Script) -> Script {
    use crate::health::{CalculatedCheck, CheckProtocol, EndpointCheck, StatusSettings};
    use crate::plan::{EndpointPlan, HealthCheckKind, HealthCheckPlan};
    use crate::zone::HealthCheckId;
    script.planned(|plan| {
        let check =
            EndpointCheck { protocol: CheckProtocol::Tcp, port: 80, interval: secs(10.0), failure_threshold: 3 };
        let endpoint = EndpointPlan { cell: OLD.into(), name: None, check, checker_addresses: Vec::new() };
        let children = vec![HealthCheckId("child".into())];
        for (id, kind) in [
            ("child", HealthCheckKind::Endpoint(endpoint)),
            ("parent", HealthCheckKind::Calculated(CalculatedCheck { children, healthy_threshold: 1 })),
        ] {
            let status = StatusSettings { inverted: false, disabled: false };
            plan.health_checks.insert(HealthCheckId(id.into()), HealthCheckPlan { status, kind });
        }
    })
}

fn check_turned(id: &str, healthy: bool) -> Event {
    Event::HealthChanged { signal: Signal::HealthCheck { id: id.into() }, healthy, reason: String::new() }
}

#[test]
fn sub_stages_stand_beside_their_prediction() {
    let leg = measured(&synthetic::passing()).failover;
    assert!(leg.turnings.iter().all(|turning| turning.predicted == Some(bounds(15.0, 30.0))));
    let leg = measured(&synthetic::passing().planned(|plan| plan.prediction.failover.signals.clear())).failover;
    assert_eq!(leg.turnings[0].predicted, None);
}

#[test]
fn a_calculated_check_is_evidence_and_its_child_is_a_step_towards_it() {
    let script = with_calculated(synthetic::passing())
        .add(91.0, check_turned("child", false))
        .add(91.1, check_turned("parent", false))
        .add(99.0, check_turned("nobody", false));
    let leg = measured(&script).failover;
    let told: Vec<(&Signal, bool)> =
        leg.turnings.iter().skip(3).map(|turning| (&turning.signal, turning.evidence)).collect();
    let (child, parent) = (Signal::HealthCheck { id: "child".into() }, Signal::HealthCheck { id: "parent".into() });
    assert_eq!(told, [(&child, false), (&parent, true)]);
    assert_eq!(leg.detection.moment, interval(91.1, 91.1));
}

#[test]
fn what_is_predicted_to_turn_is_a_turning_wherever_it_belongs() {
    let verdict = || Signal::Verdict { cell: NEW.into() };
    let turned = || Event::HealthChanged { signal: verdict(), healthy: false, reason: String::new() };
    assert_eq!(measured(&synthetic::passing().add(100.0, turned())).failover.turnings.len(), 3);
    let script = synthetic::passing().add(100.0, turned()).planned(|plan| {
        let (bounds, why) = (bounds(0.0, 60.0), String::new());
        let signal = crate::plan::SignalPrediction { signal: verdict(), healthy: false, bounds, evidence: false, why };
        plan.prediction.failover.signals.push(signal);
    });
    let turning = measured(&script).failover.turnings.pop().unwrap();
    assert_eq!((turning.signal, turning.predicted), (verdict(), Some(bounds(0.0, 60.0))));
}

#[test]
fn a_stream_that_lives_keeps_its_client_at_the_old_cell() {
    let alive = Event::StreamAlive { cell: OLD.into(), client: "br-fresh".into(), tokens: 7 };
    let script = synthetic::passing().add(130.0, alive);
    assert_eq!(measured(&script).failover.totals[0].moment, interval(130.0, 134.0));
}

#[test]
fn a_stream_that_is_given_up_at_the_new_cell_does_not_show_that_its_client_had_not_moved() {
    let given_up_at = |cell| {
        let SeenAnswer::Addresses { addresses, .. } = synthetic::addresses(cell) else { panic!() };
        let (client, outcome) = ("br-fresh".to_owned(), RequestOutcome::TimedOut);
        let event = Event::RequestEnded { client, began: at(123.9), address: Some(addresses[0]), outcome, attempts: 1 };
        measured(&synthetic::passing().add(133.9, event)).failover.totals[0].moment
    };
    assert_eq!(given_up_at(NEW), interval(119.0, 124.0));
    assert_eq!(given_up_at(OLD), interval(123.9, 124.0));
}

#[test]
fn a_switch_that_belongs_to_no_cell_has_its_moment_from_being_read_back() {
    use crate::health::StatusSettings;
    use crate::plan::{Fault, HealthCheckKind, HealthCheckPlan};
    let fault = || Fault::TurnOff("us".into());
    let script = synthetic::passing()
        .planned(|plan| {
            plan.faults = vec![fault()];
            plan.prediction.failover.signals.clear();
            let status = StatusSettings { inverted: false, disabled: false };
            let kind = HealthCheckKind::RoutingControl("us".into());
            plan.health_checks.insert(crate::zone::HealthCheckId("HC".into()), HealthCheckPlan { status, kind });
        })
        .changed(|stamped| {
            if let Event::FaultLooked { fault: looked, .. } | Event::FaultRequested { fault: looked } =
                &mut stamped.event
            {
                *looked = fault();
            }
        })
        .add(60.5, check_turned("HC", false));
    let leg = measured(&script).failover;
    assert_eq!(leg.window.start, interval(60.2, 60.7));
    assert_eq!(leg.detection.moment, interval(60.5, 60.5));
    assert_eq!(leg.detection.span, span(0.0, 0.3 + LATE));
}

#[test]
fn a_client_that_tells_nothing_has_moved_when_its_requests_arrive_and_lost_what_nobody_saw() {
    let leg = measured(&synthetic::passing().with_curl_as("br-fresh")).failover;
    assert_eq!(leg.totals[0].moment, interval(119.0, 124.0), "the last arrival at the old, the first at the new");
    assert_eq!(leg.totals[0].fit, Fit::Inside);
    let lost = leg.losses["br-fresh"];
    assert_eq!((lost.requests, lost.failed, lost.slow), (None, None, None));
    // 64, 69, …, 119 were refused, and 124 arrived at the new cell; 94, …, 119 came after the answer had changed.
    assert_eq!((lost.arrived, lost.refused, lost.stale), (13, 12, 6));
    let other = leg.losses["us-fresh"];
    assert_eq!((other.failed, other.slow), (Some(0), Some(0)));
    assert!(other.requests.is_some_and(|requests| requests > 40), "{other:?}");
}

#[test]
fn that_nothing_arrives_any_more_is_the_sign_of_an_empty_answer() {
    let script = synthetic::passing()
        .with_curl_as("br-fresh")
        .planned(|plan| {
            let step = |from: &str, to: &str| Move { from: vec![from.into()], to: vec![to.into()] };
            plan.prediction.failover.moves.insert("br-fresh".into(), step(OLD, "nodata"));
            plan.prediction.failback.moves.insert("br-fresh".into(), step("nodata", OLD));
        })
        .without(|stamped| {
            matches!(&stamped.event, Event::RequestArrived { client, cell, .. } if client == "br-fresh" && cell == NEW)
        });
    let measured = measured(&script);
    // Every 5 s, given up after 4 s: 19 s after the last arrival.
    assert_eq!(measured.failover.totals[0].moment, interval(119.0, 138.0));
    // The next arrival is at 384 s, and shows the old until a cadence before.
    let back = measured.failback.totals[0].moment.unwrap();
    assert_eq!(back.until, at(384.0));
    assert!(back.after > at(370.0) && back.after <= at(379.0), "{back:?}");
}

#[test]
fn a_resolver_that_fails_when_it_is_asked_for_what_it_keeps_keeps_nothing() {
    let unbound = synthetic::passing().changed(|stamped| {
        if let Event::Observed { server: Server::Resolver(_), answer: answer @ SeenAnswer::NoData, .. } =
            &mut stamped.event
        {
            *answer = SeenAnswer::Failed("Server Failure".to_owned());
        }
    });
    let seen = |script: Script| measure(&script.events()).unwrap().seen;
    let kept = seen(unbound);
    assert!(kept.iter().any(|seen| seen.answers.iter().any(|(_, answer)| answer == NOTHING_CACHED)), "{kept:?}");
    assert_eq!(kept, seen(synthetic::passing()));
}
