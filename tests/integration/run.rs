//! A drill is run whole, on every ground that this machine allows, and its control does not pass.

use std::collections::BTreeSet;
use std::sync::OnceLock;
use std::time::Duration;

use crate::desk::{Desk, allows, code, drill_file, muster, place, said};
use muster::journal::Reading;
use muster::journal::event::{Event, Phase, SeenAnswer, Server, Signal};
use muster::plan::Plan;
use muster::timeline::measure::{Fit, measure};

/// One run that several tests read.
fn database_down() -> &'static (Desk, Reading) {
    static RUN: OnceLock<(Desk, Reading)> = OnceLock::new();
    RUN.get_or_init(|| {
        let mut desk = Desk::new();
        let output = desk.run_to_a_verdict("database-down", &["--seed", "11"]);
        assert_eq!(code(&output), 0, "{}", said(&output));
        let journal = desk.journal();
        (desk, journal)
    })
}

fn plan(journal: &Reading) -> &Plan {
    let planned = journal.events.iter().find_map(|stamped| match &stamped.event {
        Event::Planned { plan } => Some(plan),
        _ => None,
    });
    planned.unwrap()
}

#[test]
fn a_drill_passes_on_every_ground_and_its_control_on_none() {
    for ground in ["loopback", "namespace"].into_iter().filter(|ground| allows(ground)) {
        let mut desk = Desk::new();
        let output = desk.run_to_a_verdict("region-down", &["--ground", ground, "--quiet"]);
        assert_eq!(code(&output), 0, "{ground}: {}", said(&output));
        let control = desk.run_to_a_verdict("region-down", &["--ground", ground, "--quiet", "--control"]);
        assert_eq!(code(&control), 1, "{ground}: {}", said(&control));
        assert!(said(&control).contains("control: failed, as it must"));
    }
}

#[test]
fn a_run_leaves_a_journal_a_junit_file_and_a_summary_that_agree() {
    let (desk, journal) = database_down();
    let folder = &desk.folders()[0];
    let summary: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("summary.json")).unwrap()).unwrap();
    assert_eq!(summary["outcome"], "passed");
    assert_eq!(summary["exit_code"], 0);
    assert_eq!(summary["seed"], 11);
    assert_eq!(summary["journal_chain"], journal.chain.to_string());
    let junit = std::fs::read_to_string(folder.join("junit.xml")).unwrap();
    assert!(junit.contains("<testsuite") && junit.contains("failures=\"0\""), "{junit}");
    let cases = plan(journal).expectations.len();
    assert!(junit.matches("<testcase").count() > cases);
}

#[test]
fn a_journal_is_judged_again_to_the_same_page() {
    let (desk, _) = database_down();
    let again = muster().arg("judge").arg(&desk.folders()[0]).output().unwrap();
    assert_eq!(code(&again), 0);
    assert!(said(&again).contains("verdict: passed"));
}

#[test]
fn the_undo_is_in_the_journal_before_the_fault_and_both_are_confirmed() {
    let (_, journal) = database_down();
    let events = &journal.events;
    let undo = place(events, |event| matches!(event, Event::UndoWritten { .. }));
    let asked = place(events, |event| matches!(event, Event::FaultRequested { .. }));
    let held = place(events, |event| matches!(event, Event::FaultHeld { .. }));
    let healing = place(events, |event| matches!(event, Event::HealRequested { .. }));
    let healed = place(events, |event| matches!(event, Event::Healed { .. }));
    assert!(undo < asked && asked < held && held < healing && healing < healed);
    let broken =
        events[asked..held].iter().any(|stamped| matches!(stamped.event, Event::FaultLooked { broken: true, .. }));
    assert!(broken, "the fault holds because it was looked at");
}

#[test]
fn every_stage_is_measured_and_none_lies_outside_its_prediction() {
    let (_, journal) = database_down();
    let measured = measure(&journal.events).unwrap();
    for leg in [&measured.failover, &measured.failback] {
        let all = leg.questions.iter().chain(&leg.resolvers).chain(&leg.clients).chain(&leg.totals);
        for row in all.chain([&leg.detection]) {
            assert!(row.span.is_some() || row.predicted.worst.is_none(), "{row:?} was not seen");
            assert_eq!(row.fit, Fit::Inside, "{row:?}");
        }
    }
    let worst = plan(journal).prediction.failover.totals["br-fresh"].worst;
    assert_eq!(worst, Some(Duration::from_secs(90)));
}

#[test]
fn answers_change_with_the_path_that_led_there() {
    let (_, journal) = database_down();
    let changes = journal.events.iter().filter_map(|stamped| match &stamped.event {
        Event::AnswerChanged { name, place, answers, path, .. } => Some((name, place, answers, path)),
        _ => None,
    });
    let mut brazil = changes.filter(|(name, place, ..)| *name == "api.exemplo.com." && *place == "Brazil");
    let moved = brazil.find(|(.., answers, _)| answers[0].answer == "us-east-1").unwrap();
    let groups: Vec<&str> = moved.3.iter().map(|step| step.group.as_str()).collect();
    assert!(groups.contains(&"api-sae1.exemplo.com."), "{groups:?}");
}

#[test]
fn a_floor_raises_what_a_plain_resolver_keeps_as_it_is() {
    let (_, journal) = database_down();
    let longest = |resolver: &str| {
        let ttls =
            journal.events.iter().filter_map(|stamped| match &stamped.event {
                Event::Observed {
                    server: Server::Resolver(name), answer: SeenAnswer::Addresses { ttl, .. }, ..
                } if name == resolver => Some(*ttl),
                _ => None,
            });
        ttls.max().unwrap()
    };
    assert!(longest("br") <= 60, "{}", longest("br"));
    assert!((61..=120).contains(&longest("us-floor")), "{}", longest("us-floor"));
}

#[test]
fn the_observers_keep_their_cadence() {
    let (_, journal) = database_down();
    let plan = plan(journal);
    let question = &plan.observe.questions[0];
    let asked: Vec<_> = journal
        .events
        .iter()
        .filter(|stamped| {
            matches!(&stamped.event, Event::Observed { server: Server::Authoritative, name, place, family, .. }
            if *name == question.name && *place == question.place && *family == question.family)
        })
        .map(|stamped| stamped.at)
        .collect();
    let ran = asked.last().unwrap().since(asked[0]).as_secs_f64();
    let due = ran / plan.observe.authoritative_every.as_secs_f64();
    // Ticks that were missed on a loaded machine show as lateness; a cadence that is wrong shows here.
    #[expect(clippy::cast_precision_loss, reason = "some hundred questions")]
    let share = (asked.len() - 1) as f64 / due;
    assert!((0.8..=1.01).contains(&share), "{share} of the ticks");
}

#[test]
fn every_client_arrives_where_its_profile_lets_it() {
    let (_, journal) = database_down();
    let held = place(&journal.events, |event| matches!(event, Event::FaultHeld { .. }));
    let healing = place(&journal.events, |event| matches!(event, Event::PhaseEntered { phase: Phase::Healing, .. }));
    let arrived_at = |who: &str| -> BTreeSet<&str> {
        let arrivals = journal.events[held..healing].iter().filter_map(|stamped| match &stamped.event {
            Event::RequestArrived { cell, client, .. } if client == who => Some(cell.as_str()),
            _ => None,
        });
        arrivals.collect()
    };
    for moves in ["br-fresh", "br-jvm", "br-gateway"] {
        assert_eq!(arrived_at(moves), BTreeSet::from(["sa-east-1", "us-east-1"]), "{moves}");
    }
    for stays in ["br-forever", "br-pool"] {
        assert_eq!(arrived_at(stays), BTreeSet::from(["sa-east-1"]), "{stays}");
    }
    assert_eq!(arrived_at("de-web"), BTreeSet::from(["eu-central-1"]));
}

#[test]
fn health_turns_after_two_failed_checks_of_each_target() {
    let (_, journal) = database_down();
    // From the request on: a check may fail before the first look at the fault.
    let asked = place(&journal.events, |event| matches!(event, Event::FaultRequested { .. }));
    let turned = asked
        + place(
            &journal.events[asked..],
            |event| matches!(event, Event::HealthChanged { signal: Signal::Cell { cell }, healthy: false, .. } if cell == "sa-east-1"),
        );
    for target in 0..2 {
        let signal = Signal::Target { cell: "sa-east-1".into(), target };
        let failed = journal.events[asked..=turned]
            .iter()
            .filter(
                |stamped| matches!(&stamped.event, Event::Checked { signal: of, passed: false, .. } if *of == signal),
            )
            .count();
        assert_eq!(failed, 2, "target {target}");
    }
}

#[test]
fn a_drill_that_expects_nothing_of_the_fault_is_found_out_by_its_control() {
    let mut desk = Desk::new();
    let text = std::fs::read_to_string(drill_file("chat-region-down")).unwrap();
    let zones = drill_file("chat-region-down").with_file_name("zones");
    let (drill, _) = text.split_once("expect:").unwrap();
    let drill = drill.replace("zone: zones", &format!("zone: {}", zones.display()));
    let vacuous = "expect:\n  - health: { of: HC-STANDBY-ID, is: healthy, holds: always }\n";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("vacuous.yaml");
    std::fs::write(&file, drill + vacuous).unwrap();
    let output = desk.run_to_a_verdict(&file.display().to_string(), &["--quiet", "--control"]);
    assert_eq!(code(&output), 0, "{}", said(&output));
    assert!(said(&output).contains("control: PASSED"), "{}", said(&output));
}

#[test]
fn the_chat_api_is_moved_by_its_checkers() {
    let mut desk = Desk::new();
    let output = desk.run_to_a_verdict("chat-region-down", &["--quiet"]);
    assert_eq!(code(&output), 0, "{}", said(&output));
    let journal = desk.journal();
    let failback = measure(&journal.events).unwrap().failback;
    assert_eq!(failback.detection.fit, Fit::Inside, "the checkers decide here, and not the load balancer");
    let checkers: BTreeSet<&String> = journal
        .events
        .iter()
        .filter_map(|stamped| match &stamped.event {
            Event::Checked { signal: Signal::HealthCheck { id }, by, .. } if id == "HC-PRIMARY-ID" => Some(by),
            _ => None,
        })
        .collect();
    assert_eq!(checkers.len(), 16);
}

#[test]
fn with_everything_down_every_name_still_resolves() {
    let mut desk = Desk::new();
    let output = desk.run_to_a_verdict("everything-down", &["--quiet"]);
    assert_eq!(code(&output), 0, "{}", said(&output));
    let unanswered = desk.journal().events.into_iter().find(|stamped| {
        matches!(
            stamped.event,
            Event::Observed {
                server: Server::Authoritative,
                answer: SeenAnswer::NoData | SeenAnswer::NxDomain | SeenAnswer::Failed(_),
                ..
            }
        )
    });
    assert_eq!(unanswered, None);
}

#[test]
fn germany_notices_nothing_of_two_dead_regions() {
    let mut desk = Desk::new();
    let output = desk.run_to_a_verdict("both-regions-down", &["--quiet"]);
    assert_eq!(code(&output), 0, "{}", said(&output));
    let elsewhere = desk.journal().events.into_iter().find(|stamped| {
        matches!(&stamped.event, Event::RequestArrived { cell, client, .. } if client == "de-web" && cell != "eu-central-1")
    });
    assert_eq!(elsewhere, None);
}
