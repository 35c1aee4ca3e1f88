//! How a run ends before its time.

use std::net::UdpSocket;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{PAIR, outcome_of, read};
use crate::conform::{Pace, Status, SuiteOutcome, run};
use crate::gherkin::{Catalogue, DrillRuns, Early, LabChoice, Setting, Stop, SubjectChoice};
use crate::report::conform_terminal::HeldAgainst;
use crate::report::{conform_junit, junit};
use crate::verdict::ExitCode;

fn run_as(text: &str, subject: SubjectChoice, stop: Stop, pace: Pace) -> SuiteOutcome {
    let features = read(text).unwrap();
    let (lab, drills) = (LabChoice::Virtual, Arc::new(DrillRuns::in_the_virtual_lab()));
    let setting = Setting { texts: Arc::new(features.texts), subject, lab, zone: None, seed: 1, stop, drills };
    run(&features.parsed, &Catalogue::new().unwrap(), &Arc::new(setting), pace).unwrap()
}

/// A scenario for each of these answers; `p` is right.
fn answers(expected: &[&str]) -> String {
    let scenario = |answer: &&str| {
        format!("\n  Scenario: one\n    When a client asks for A \"www\"\n    Then the answer is {answer}\n")
    };
    expected.iter().map(scenario).fold(PAIR.to_owned(), |text, scenario| text + &scenario)
}

fn statuses(outcome: &SuiteOutcome) -> Vec<Status> {
    outcome.scenarios().map(|(.., scenario)| scenario.status()).collect()
}

#[test]
fn the_first_failure_in_the_order_of_the_files_is_the_last_that_is_told() {
    let mut expected = vec!["p"; 40];
    (expected[7], expected[8], expected[20]) = ("s", "s", "s");
    for threads in [1, 2, 3, 8] {
        let outcome =
            run_as(&answers(&expected), SubjectChoice::Muster, Stop::default(), Pace { threads, fail_fast: true });
        let mut due = vec![Status::NotReached; 40];
        due[..7].fill(Status::Passed);
        due[7] = Status::Failed;
        assert_eq!(statuses(&outcome), due, "on {threads} threads");
        assert_eq!(outcome.exit_code(), ExitCode::Failed);
    }
}

#[test]
fn what_does_not_apply_is_no_failure_at_which_a_run_ends() {
    let drill = format!("{PAIR}\n  Scenario: one\n    When the drill \"none.yaml\" runs\n    Then the drill passes\n");
    let text = drill + &answers(&["p"])[PAIR.len()..];
    let mutant = "mutant:client-subnet-ignored".parse().unwrap();
    let outcome = run_as(&text, mutant, Stop::default(), Pace { threads: 1, fail_fast: true });
    assert_eq!(statuses(&outcome), [Status::NotApplicable, Status::Passed]);
}

#[test]
fn after_an_interrupt_no_step_is_begun_and_every_report_says_what_was_not_run() {
    let stop = Stop::default();
    stop.ask(Early::Interrupted("SIGTERM"));
    let outcome = run_as(&answers(&["p", "s"]), SubjectChoice::Muster, stop, Pace { threads: 2, fail_fast: false });
    assert_eq!(statuses(&outcome), [Status::NotReached; 2]);
    assert_eq!(outcome.exit_code(), ExitCode::Interrupted);
    let held = HeldAgainst { subject: "muster".into(), lab: "virtual".into() };
    let page = crate::report::conform_terminal::render(&outcome, &held, crate::report::Style::PLAIN);
    assert!(page.contains("the run ended before its time: it was interrupted by SIGTERM"), "{page}");
    assert!(page.contains("2 not reached"), "{page}");
    let xml = junit::render("conformance", conform_junit::suites(&outcome, &held, 1)).unwrap();
    assert_eq!(xml.matches("message=\"not run: it was interrupted by SIGTERM\"").count(), 2, "{xml}");
    assert!(xml.contains("<error type=\"interrupted\""), "{xml}");
}

#[test]
fn a_scenario_that_the_end_cut_in_two_did_not_pass() {
    let mut outcome =
        run_as(&answers(&["p"]), SubjectChoice::Muster, Stop::default(), Pace { threads: 1, fail_fast: false });
    let scenario = &mut outcome.features[0].rules[0].scenarios[0];
    assert_eq!(scenario.status(), Status::Passed);
    scenario.steps.last_mut().unwrap().status = Status::NotReached;
    assert_eq!(scenario.status(), Status::NotReached);
}

#[test]
fn a_server_that_never_answers_ends_the_run_once_and_is_told_with_the_question() {
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    let zone = "Feature: f\n  Background:\n    Given the zone \"example.com\" with the record sets:\n      | name |\n      | www  |\n";
    let text = zone.to_owned() + &answers(&["p"; 30])[PAIR.len()..];
    let started = Instant::now();
    let outcome = run_as(&text, SubjectChoice::Server(address), Stop::default(), Pace { threads: 2, fail_fast: false });
    // 30 scenarios of 6 s each would be 90 s on two threads.
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    assert_eq!(outcome.exit_code(), ExitCode::LabBroke);
    assert!(outcome.count(Status::LabBroke) <= 2, "{:?}", statuses(&outcome));
    assert_eq!(outcome.early, Some(Early::NobodyAnswers));
    let told = outcome.scenarios().find_map(|(.., scenario)| scenario.stopped_at()?.explanation.clone()).unwrap();
    for part in ["asked SOA example.com. over UDP: nothing came", "The run ends here", "`dig @127.0.0.1 -p "] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn a_stage_that_took_longer_than_it_may_fails_the_scenario_with_what_was_measured() {
    let drill = "When the drill \"../../drills/region-down.yaml\" runs";
    let took = |rows: &str| {
        format!(
            "{PAIR}\n  Scenario: one\n    {drill}\n    Then the failover took at most:\n      | stage | of | time |\n{rows}"
        )
    };
    let whole = took("      | detection | | 23 s |\n      | total | br-fresh | 90 s |\n");
    assert_eq!(statuses(&outcome_of(&whole)), [Status::Passed]);
    for (rows, told) in [
        ("      | detection | | 2 s |\n", "expected: at most 2 s\\nmeasured: "),
        ("      | total | nobody | 90 s |\n", "nothing is measured of total `nobody`; known here: "),
        ("      | detction | | 90 s |\n", "`detction` is no stage"),
        ("      | detection | br-fresh | 90 s |\n", "detection is of the whole drill"),
    ] {
        let outcome = outcome_of(&took(rows));
        let (.., scenario) = outcome.scenarios().next().unwrap();
        let why = format!("{:?}", scenario.stopped_at());
        assert!(why.contains(told), "{told}: {why}");
    }
}
