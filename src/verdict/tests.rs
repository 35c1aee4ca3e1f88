//! Verdicts on journals made by hand.

mod limits;

use std::time::Duration;

use super::*;
use crate::clock::WallStep;
use crate::health::AlarmState;
use crate::journal::event::{Phase, RequestOutcome, SeenAnswer, Server};
use crate::journal::synthetic::{
    self, NAME, NEW, OLD, Script, addresses, at, br_fresh_is_served_by, brazil_is_answered, control, observed, passing,
    secs,
};
use crate::plan::expectation::{ExpectedAnswer, Holds, Leg};
use crate::plan::{Family, Fault, WireTtl};

fn verdict(script: &Script) -> Verdict {
    judge(&script.events()).unwrap()
}

/// The judgement of a passing run's journal when just this is expected of it.
fn judged(script: Script, claim: Claim) -> (Judgement, String) {
    let verdict = verdict(&script.expecting(claim));
    let judged = &verdict.expectations[0];
    (judged.judgement, judged.explanation.clone())
}

fn within(seconds: f64) -> Holds {
    Holds::Within(secs(seconds))
}

fn budget(stage: Stage, seconds: f64) -> Claim {
    Claim::Budget { stage, of: None, at_least: None, at_most: Some(secs(seconds)) }
}

fn health(holds: Holds) -> Claim {
    Claim::Health { of: OLD.into(), healthy: false, holds }
}

fn loss(failed: Option<u64>, slow: Option<u64>, stale: Option<u64>) -> Claim {
    Claim::Loss { client: "br-fresh".into(), failed_at_most: failed, slow_at_most: slow, stale_at_most: stale }
}

use Judgement::{Failed, Inconclusive, NotApplicable, Passed};

#[test]
fn a_failover_as_expected_passes() {
    let verdict = verdict(&passing());
    let judgements: Vec<_> = verdict.expectations.iter().map(|judged| judged.judgement).collect();
    assert_eq!(judgements, [Passed; 7], "{:#?}", verdict.expectations);
    assert_eq!((verdict.outcome, verdict.reason), (Outcome::Passed, None));
    assert_eq!(verdict.findings, Vec::<String>::new());
    assert_eq!(ExitCode::from(verdict.outcome).number(), 0);
}

#[test]
fn an_answer_in_time_passes_at_the_worst_reading_only() {
    // Between 29.4 s (90.1 - 60.7) and 30.4 s (90.6 - 60.2), 0.1 s of lateness on both sides.
    let of = |seconds| judged(passing(), brazil_is_answered(NEW, within(seconds)));
    assert_eq!(of(30.5).0, Passed);
    assert_eq!(of(30.49).0, Inconclusive);
    assert_eq!(of(29.3).0, Inconclusive);
    assert_eq!(of(29.29).0, Failed);
    assert_eq!(of(45.0).1, "true since 29.9 s ± 0.60 s after the fault held; the limit is 45 s");
}

#[test]
fn an_inconclusive_limit_names_the_cadence_that_would_settle_it() {
    let (_, said) = judged(passing(), brazil_is_answered(NEW, within(30.2)));
    assert_eq!(
        said,
        "true since 29.9 s ± 0.60 s after the fault held; the limit is 30.2 s, which lies inside what is uncertain \
         (29.3 s to 30.5 s); to settle it, ask the authoritative server every 0.25 s (now 0.50 s) and look at the fault \
         every 0.25 s (now 0.50 s)"
    );
    let (_, said) = judged(passing(), brazil_is_answered(NEW, within(29.9)));
    assert!(
        said.ends_with("no cadence would settle it, because the limit is all but the figure itself: move the limit"),
        "{said}"
    );
}

#[test]
fn an_answer_that_goes_back_has_not_held_within_the_time() {
    let script = passing().brazil_sees(200.3, OLD);
    let (judgement, said) = judged(script, brazil_is_answered(NEW, within(95.0)));
    assert_eq!(judgement, Failed, "{said}");
    assert!(said.starts_with("true since 140.0 s"), "{said}");
}

#[test]
fn an_answer_that_never_comes_fails_and_tells_what_came_instead() {
    let (judgement, said) = judged(control(), brazil_is_answered(NEW, within(95.0)));
    assert_eq!(judgement, Failed);
    assert_eq!(said, "still sa-east-1 at 238.9 s after the fault held, at the leg's end; the limit is 95 s");
}

#[test]
fn a_leg_shorter_than_the_limit_settles_nothing() {
    let (judgement, said) = judged(control(), brazil_is_answered(NEW, within(300.0)));
    assert_eq!(judgement, Inconclusive, "{said}");
    assert!(said.ends_with("a longer leg would settle it"), "{said}");
}

#[test]
fn what_is_so_from_the_start_on_holds_within_any_time() {
    let (judgement, said) = judged(control(), brazil_is_answered(OLD, within(0.0)));
    assert_eq!((judgement, said.as_str()), (Passed, "true from the start, at all 478 answers of the leg"));
}

#[test]
fn always_and_never_look_at_every_observation_of_the_leg() {
    let of = |script: Script, cell, holds| judged(script, brazil_is_answered(cell, holds));
    assert_eq!(of(control(), OLD, Holds::Always), (Passed, "true at all 478 answers of the leg".into()));
    assert_eq!(of(control(), NEW, Holds::Never), (Passed, "true at none of 478 answers of the leg".into()));
    let blip = || control().brazil_sees(200.3, NEW);
    let failed = "not true at 1 of 479 answers: first us-east-1 at 139.6 s after the fault held";
    assert_eq!(of(blip(), OLD, Holds::Always), (Failed, failed.into()));
    assert_eq!(of(blip(), NEW, Holds::Never), (Failed, failed.into()));
    // What was before the leg is not of it.
    assert_eq!(of(control().brazil_sees(50.3, NEW), NEW, Holds::Never).0, Passed);
}

#[test]
fn nothing_observed_is_inconclusive_whatever_is_claimed() {
    let unseen =
        || passing().without(|stamped| matches!(stamped.event, Event::Observed { server: Server::Authoritative, .. }));
    for holds in [within(95.0), Holds::Always, Holds::Never] {
        let (judgement, said) = judged(unseen(), brazil_is_answered(NEW, holds));
        assert_eq!(judgement, Inconclusive, "{said}");
        assert!(said.starts_with("no answers in the leg"), "{said}");
    }
    let unchecked =
        passing().without(|stamped| matches!(stamped.event, Event::Checked { .. } | Event::HealthChanged { .. }));
    assert_eq!(judged(unchecked, health(Holds::Never)).0, Inconclusive);
}

#[test]
fn neither_an_error_nor_silence_is_an_expected_answer() {
    let with = |answer| control().add(200.3, observed(Server::Authoritative, "Brazil", answer));
    let of = |script| judged(script, brazil_is_answered(OLD, Holds::Always));
    assert_eq!(of(with(SeenAnswer::Silent)).0, Failed);
    let (judgement, said) = of(with(SeenAnswer::Failed("SERVFAIL".into())));
    assert_eq!(judgement, Failed);
    assert!(said.contains("first SERVFAIL"), "{said}");
}

#[test]
fn an_empty_answer_can_be_expected() {
    let script = control().changed(|stamped| {
        if let Event::Observed { answer, .. } = &mut stamped.event
            && stamped.at > at(60.7)
        {
            *answer = SeenAnswer::NoData;
        }
    });
    let claim = |answer| Claim::Answer {
        name: NAME.into(),
        family: Family::A,
        place: "Brazil".into(),
        answer,
        holds: Holds::Always,
    };
    assert_eq!(judged(script.clone(), claim(ExpectedAnswer::NoData)).0, Passed);
    assert_eq!(judged(script, claim(ExpectedAnswer::NxDomain)).0, Failed);
}

#[test]
fn a_health_status_turns_at_a_known_moment() {
    // 90.0 - 60.2 = 29.8 at most, 29.3 at least, and 0.1 s of lateness.
    assert_eq!(judged(passing(), health(within(29.9))).0, Passed);
    assert_eq!(judged(passing(), health(within(29.85))).0, Inconclusive);
    assert_eq!(judged(passing(), health(within(29.1))).0, Failed);
    assert_eq!(judged(control(), health(within(45.0))).0, Failed);
    assert_eq!(judged(control(), health(Holds::Never)).0, Passed);
    assert_eq!(judged(passing(), health(Holds::Never)).0, Failed);
}

#[test]
fn served_is_read_from_arrivals() {
    assert_eq!(judged(passing(), br_fresh_is_served_by(NEW, within(63.9))).0, Passed);
    assert_eq!(judged(passing(), br_fresh_is_served_by(NEW, within(60.0))).0, Inconclusive);
    assert_eq!(judged(passing(), br_fresh_is_served_by(NEW, within(58.0))).0, Failed);
    let lying = passing().ended(200.0, 200.1, "br-fresh", RequestOutcome::Served { cell: OLD.into(), status: 200 });
    assert_eq!(judged(lying, br_fresh_is_served_by(NEW, within(95.0))).0, Passed, "only arrivals count");
}

#[test]
fn a_request_that_comes_nowhere_or_is_refused_is_not_served() {
    let us_always = || Claim::Served { client: "us-fresh".into(), by: Some(NEW.into()), holds: Holds::Always };
    assert_eq!(judged(passing(), us_always()).0, Passed);
    let timed_out = passing().ended(100.0, 104.0, "us-fresh", RequestOutcome::TimedOut);
    let (judgement, said) = judged(timed_out, us_always());
    assert_eq!(judgement, Failed);
    assert!(said.contains("first no answer in time at 43.3 s"), "{said}");
    assert_eq!(judged(passing().request(100.0, "us-fresh", NEW, 503), us_always()).0, Failed);
    assert_eq!(judged(passing().request(100.0, "us-fresh", NEW, 460), us_always()).0, Failed, "given up, unanswered");
    // A request from before the fault that ends after it says nothing of the leg.
    let before = passing().ended(58.0, 62.0, "us-fresh", RequestOutcome::TimedOut);
    assert_eq!(judged(before, us_always()).0, Passed);
}

#[test]
fn nobody_serves_a_client_whose_requests_all_fail() {
    let nobody = || Claim::Served { client: "br-fresh".into(), by: None, holds: Holds::Always };
    let failing = passing().changed(|stamped| match &mut stamped.event {
        Event::RequestArrived { client, status, .. } if client == "br-fresh" => *status = 502,
        _ => {}
    });
    assert_eq!(judged(failing, nobody()).0, Passed);
    assert_eq!(judged(passing(), nobody()).0, Failed);
}

#[test]
fn a_budget_at_the_edge_of_what_is_uncertain_is_inconclusive() {
    // Detection: 29.2 to 29.9 s.
    assert_eq!(judged(passing(), budget(Stage::Detection, 29.9)).0, Passed);
    assert_eq!(judged(passing(), budget(Stage::Detection, 29.8)).0, Inconclusive);
    assert_eq!(judged(passing(), budget(Stage::Detection, 29.2)).0, Inconclusive);
    assert_eq!(judged(passing(), budget(Stage::Detection, 29.19)).0, Failed);
    // Total: 58.2 to 63.9 s.
    assert_eq!(judged(passing(), budget(Stage::Total, 63.9)).0, Passed);
    assert_eq!(judged(passing(), budget(Stage::Total, 60.0)).0, Inconclusive);
    assert_eq!(judged(passing(), budget(Stage::Total, 58.1)).0, Failed);
}

#[test]
fn each_stage_has_a_budget_of_its_own() {
    for (stage, enough, too_little) in
        [(Stage::Authoritative, 0.7, None), (Stage::Resolver, 31.0, Some(29.0)), (Stage::Client, 4.2, None)]
    {
        assert_eq!(judged(passing(), budget(stage, enough)).0, Passed, "{stage:?}");
        if let Some(seconds) = too_little {
            assert_eq!(judged(passing(), budget(stage, seconds)).0, Failed, "{stage:?}");
        }
    }
    let of = |of: &str| Claim::Budget {
        stage: Stage::Total,
        of: Some(of.into()),
        at_least: None,
        at_most: Some(secs(95.0)),
    };
    assert_eq!(judged(passing(), of("br-fresh")).0, Passed);
    assert_eq!(judged(passing(), of("us-fresh")).0, Inconclusive, "it is not predicted to move");
}

#[test]
fn a_budget_for_what_never_came_fails_once_it_is_over() {
    assert_eq!(judged(control(), budget(Stage::Detection, 45.0)).0, Failed);
    assert_eq!(judged(control(), budget(Stage::Authoritative, 1.0)).0, Failed);
    let (judgement, said) = judged(control(), budget(Stage::Total, 95.0));
    assert_eq!(judgement, Failed);
    assert_eq!(
        said,
        "the change of br-fresh was never seen: 238.3 s into the stage it was still the old; the budget is 95 s"
    );
    assert_eq!(judged(control(), budget(Stage::Total, 300.0)).0, Inconclusive);
}

#[test]
fn losses_are_held_against_their_limits() {
    assert_eq!(
        judged(passing(), loss(Some(12), Some(0), Some(6))),
        (Passed, "of 12 requests 12 failed (at most 12), 0 slow (at most 0), 6 stale (at most 6)".into())
    );
    assert_eq!(judged(passing(), loss(Some(11), None, None)).0, Failed);
    assert_eq!(judged(passing(), loss(None, None, Some(5))).0, Failed);
    let slow = passing().ended(100.0, 101.5, "br-fresh", RequestOutcome::Served { cell: OLD.into(), status: 200 });
    assert_eq!(judged(slow, loss(None, Some(0), None)).0, Failed);
    let arrival = Event::RequestArrived {
        cell: OLD.into(),
        zone: None,
        client: "br-fresh".into(),
        status: 500,
        held: Duration::ZERO,
    };
    let (judgement, said) = judged(passing().add(90.4, arrival), loss(None, None, Some(6)));
    assert_eq!(judgement, Inconclusive);
    assert!(said.contains("6 to 7 stale (at most 6)"), "{said}");
}

#[test]
fn a_client_without_requests_lost_nothing_that_can_be_told() {
    let silent = passing().without(|stamped| matches!(stamped.event, Event::RequestEnded { .. }));
    assert_eq!(judged(silent, loss(Some(0), None, None)).0, Inconclusive);
}

#[test]
fn one_failed_expectation_fails_the_run() {
    let script = passing().planned(|plan| plan.expectations.push(synthetic::expect(budget(Stage::Detection, 10.0))));
    let verdict = verdict(&script);
    assert_eq!(verdict.outcome, Outcome::Failed);
    assert_eq!(ExitCode::from(verdict.outcome).number(), 1);
}

#[test]
fn an_inconclusive_expectation_never_passes_the_run() {
    let script = passing().planned(|plan| plan.expectations.push(synthetic::expect(budget(Stage::Detection, 29.5))));
    assert_eq!(verdict(&script).outcome, Outcome::Inconclusive);
}

#[test]
fn a_family_that_the_ground_lacks_is_listed_and_hinders_nothing() {
    let script = passing()
        .planned(|plan| plan.clients.get_mut("us-fresh").unwrap().family = Family::Aaaa)
        .changed(|stamped| match &mut stamped.event {
            Event::LabReady { families, .. } => *families = vec![Family::A],
            Event::RequestEnded { client, outcome, .. } if client == "us-fresh" => {
                *outcome = RequestOutcome::NotConnectable;
            }
            _ => {}
        })
        .without(|stamped| matches!(&stamped.event, Event::RequestArrived { client, .. } if client == "us-fresh"));
    let all = verdict(&script);
    assert_eq!(all.expectations[3].judgement, NotApplicable);
    assert_eq!(all.outcome, Outcome::Passed);
    // But a run of which nothing could be judged proves nothing.
    let only = script.planned(|plan| plan.expectations = vec![plan.expectations[3].clone()]);
    assert_eq!(verdict(&only).outcome, Outcome::Inconclusive);
}

#[test]
fn a_fault_that_did_not_hold_is_not_the_subjects_failure() {
    let fault = || Fault::KillDatabase(OLD.into());
    let script = control()
        .planned(|plan| plan.control = false)
        .add(70.0, Event::FaultDidNotHold { fault: fault(), detail: "the database still accepts".into() });
    let verdict = verdict(&script);
    assert_eq!(verdict.outcome, Outcome::FaultDidNotHold);
    assert_eq!(verdict.reason.as_deref(), Some("the database still accepts"));
    assert!(verdict.expectations.iter().all(|judged| judged.judgement == Inconclusive));
    assert_eq!(ExitCode::from(verdict.outcome).number(), 5);
}

#[test]
fn a_fault_that_nobody_saw_hold_is_not_taken_for_one_that_did() {
    let script = passing().without(|stamped| matches!(stamped.event, Event::FaultLooked { .. }));
    assert_eq!(verdict(&script).outcome, Outcome::FaultDidNotHold);
}

#[test]
fn troubles_go_before_one_another_in_a_fixed_order() {
    let undo = Event::UndoFailed { detail: "the database refuses".into() };
    let broke = Event::LabBroke { reason: "a checker died".into() };
    let stop = Event::Interrupted { signal: "SIGINT".into() };
    let mut script = passing().add(410.0, broke);
    assert_eq!(verdict(&script).outcome, Outcome::LabBroke);
    script = script.add(411.0, stop);
    let stopped = verdict(&script);
    assert_eq!(stopped.outcome, Outcome::Interrupted);
    assert_eq!(stopped.reason.as_deref(), Some("stopped by SIGINT"));
    script = script.add(412.0, undo);
    assert_eq!(verdict(&script).outcome, Outcome::UndoFailed);
}

#[test]
fn what_is_left_of_a_lab_is_an_undo_that_failed_on_a_busy_machine_too() {
    let busy = |event| {
        let script = passing().changed(|stamped| {
            if let Event::Lateness { p99, .. } = &mut stamped.event {
                *p99 = Duration::from_millis(26);
            }
        });
        verdict(&script.add(410.0, event)).outcome
    };
    assert_eq!(busy(Event::NotUndone { detail: "a container is left".into() }), Outcome::UndoFailed);
    assert_eq!(busy(Event::UndoFailed { detail: "not seen again".into() }), Outcome::Inconclusive);
}

#[test]
fn a_wall_clock_that_was_set_tells_nothing_where_resolvers_count_by_it() {
    let set = |wire| {
        let step = WallStep { back: true, by: Duration::from_millis(3200) };
        let script = passing().planned(move |plan| plan.wire = wire).add(200.0, Event::WallClockSet { step });
        verdict(&script)
    };
    assert_eq!(set(WireTtl::Lab).outcome, Outcome::Passed);
    let verdict = set(WireTtl::WallSeconds);
    assert_eq!(verdict.outcome, Outcome::Inconclusive);
    assert!(verdict.reason.unwrap().starts_with("the wall clock was set back by 3.2 s during the run"));
}

#[test]
fn a_lab_that_never_became_steady_broke() {
    let script =
        passing().until(1.0).add(120.0, Event::LabBroke { reason: "not steady".into() }).add(121.0, Event::RunEnded);
    assert_eq!(verdict(&script).outcome, Outcome::LabBroke);
}

#[test]
fn an_interrupted_run_has_a_verdict_so_far() {
    let script =
        passing().until(200.0).add(200.0, Event::Interrupted { signal: "SIGINT".into() }).add(201.0, Event::RunEnded);
    let verdict = verdict(&script);
    assert_eq!(verdict.outcome, Outcome::Interrupted);
    assert_eq!(verdict.expectations[0].judgement, Inconclusive);
    assert!(verdict.expectations[0].explanation.starts_with("so far as expected"), "{:?}", verdict.expectations[0]);
}

#[test]
fn a_journal_that_was_cut_off_never_passes() {
    let text = passing().text();
    let reading = crate::journal::parse(std::path::Path::new("j.jsonl"), &text.as_bytes()[..text.len() - 10]).unwrap();
    assert!(reading.cut_off);
    let verdict = judge(&reading.events).unwrap();
    assert_eq!(verdict.outcome, Outcome::Interrupted);
    assert_eq!(verdict.reason.as_deref(), Some("the journal ends before its run did"));
}

#[test]
fn an_overloaded_machine_neither_fails_nor_passes_the_subject() {
    let late = |p99: u64, max: u64| {
        passing().planned(|plan| plan.expectations.push(synthetic::expect(budget(Stage::Detection, 10.0)))).changed(
            move |stamped| {
                if let Event::Lateness { p99: each, max: latest, .. } = &mut stamped.event {
                    (*each, *latest) = (Duration::from_millis(p99), Duration::from_millis(max));
                }
            },
        )
    };
    // At speed 20: 25 ms are 0.5 s, the cadence; 200 ms are 4 s, the clients' timeout.
    assert_eq!(verdict(&late(25, 200)).overload, None);
    assert_eq!(verdict(&late(25, 30)).outcome, Outcome::Failed);
    for script in [late(26, 30), late(1, 201)] {
        let verdict = verdict(&script);
        assert_eq!(verdict.outcome, Outcome::Inconclusive);
        assert_eq!(verdict.expectations[7].judgement, Inconclusive);
        assert!(verdict.expectations[7].explanation.starts_with("the machine was too loaded to tell"));
    }
    assert_eq!(
        verdict(&late(26, 30)).reason.as_deref(),
        Some(
            "the machine was too loaded to tell: 99 of 100 observers' questions were at most 0.52 s late (they ask every \
             0.50 s), the latest 0.60 s (the tightest time limit in this lab is 4 s); run it again with a lower --speed"
        )
    );
}

#[test]
fn a_control_must_fail_and_one_that_passes_is_told() {
    let verdict_of = |script: &Script| verdict(script);
    let failed = verdict_of(&control());
    assert_eq!(failed.outcome, Outcome::Failed);
    assert_eq!(failed.control_line(), Some("control: failed, as it must"));
    let proves_nothing =
        control().expecting(Claim::Served { client: "us-fresh".into(), by: Some(NEW.into()), holds: Holds::Always });
    let passed = verdict_of(&proves_nothing);
    assert_eq!(passed.outcome, Outcome::Passed);
    assert_eq!(passed.control_line(), Some("control: PASSED — this drill proves nothing"));
    assert_eq!(verdict(&passing()).control_line(), None);
}

#[test]
fn the_failback_is_judged_on_its_own_leg() {
    let back = |script: Script, holds| {
        let claim = brazil_is_answered(OLD, holds);
        let verdict = verdict(&script.expecting(claim).planned(|plan| plan.expectations[0].during = Leg::Failback));
        verdict.expectations[0].judgement
    };
    // 330.1 - 300.8 = 29.3 to 330.6 - 300.3 = 30.3, and lateness.
    assert_eq!(back(passing(), within(30.4)), Passed);
    assert_eq!(back(passing(), within(29.1)), Failed);
    assert_eq!(back(passing(), Holds::Always), Failed);
}

#[test]
fn what_is_measured_outside_its_prediction_is_a_finding_and_no_failure() {
    let script = passing().planned(|plan| plan.prediction.failover.detection = synthetic::bounds(10.0, 20.0));
    let verdict = verdict(&script);
    assert_eq!(verdict.outcome, Outcome::Passed);
    assert_eq!(verdict.findings, ["failover: detection took 29.6 s ± 0.35 s, outside the predicted 10 – 20 s"]);
}

#[test]
fn a_journal_without_a_plan_is_not_judged() {
    assert_eq!(judge(&[]), Err(NoPlan));
    let phase = Event::PhaseEntered { phase: Phase::Settling, until: None };
    assert_eq!(judge(&[Stamped { at: at(1.0), event: phase }]), Err(NoPlan));
    assert!(matches!(addresses(OLD), SeenAnswer::Addresses { .. }));
}

fn once(seconds: f64) -> Holds {
    Holds::OnceWithin(secs(seconds))
}

#[test]
fn once_within_needs_one_sure_sight_and_nothing_that_lasts() {
    // The turn lies 29.2 to 29.9 s after the fault, lateness included.
    assert_eq!(judged(passing(), health(once(29.9))).0, Passed);
    assert_eq!(judged(passing(), health(once(29.5))).0, Inconclusive);
    assert_eq!(judged(passing(), health(once(29.1))).0, Failed);
    let brief = passing().changed(|stamped| {
        if let Event::Observed { server: Server::Authoritative, answer, .. } = &mut stamped.event
            && stamped.at > at(95.0)
        {
            *answer = addresses(OLD);
        }
    });
    assert_eq!(judged(brief.clone(), brazil_is_answered(NEW, once(45.0))).0, Passed);
    assert_eq!(judged(brief, brazil_is_answered(NEW, within(45.0))).0, Failed);
}

#[test]
fn what_is_never_seen_in_a_leg_that_was_long_enough_was_not_there_once() {
    let (judgement, said) = judged(control(), brazil_is_answered(NEW, once(45.0)));
    assert_eq!(judgement, Failed);
    assert!(said.starts_with("not seen at any of 478 answers"), "{said}");
    assert_eq!(judged(control(), brazil_is_answered(NEW, once(300.0))).0, Inconclusive, "the leg ends before");
}

fn turns(at_least: Option<u64>, at_most: Option<u64>) -> Claim {
    Claim::Turns { of: OLD.into(), at_least, at_most }
}

fn cell_turned(healthy: bool) -> Event {
    let signal = crate::journal::event::Signal::Cell { cell: OLD.into() };
    Event::HealthChanged { signal, healthy, reason: String::new() }
}

#[test]
fn turns_are_counted_exactly() {
    let (judgement, said) = judged(passing(), turns(Some(1), Some(1)));
    assert_eq!(judgement, Passed);
    assert_eq!(said, "1 turn (at least 1, at most 1): to unhealthy at 29.3 s, after the fault held");
    assert_eq!(judged(passing(), turns(Some(2), None)).0, Failed);
    assert_eq!(judged(passing(), turns(None, Some(0))).0, Failed);
    assert_eq!(judged(control(), turns(None, Some(0))).0, Passed);
    assert_eq!(judged(control(), turns(Some(1), None)).0, Failed);
    let flapping = || passing().add(120.0, cell_turned(true)).add(150.0, cell_turned(false));
    assert_eq!(judged(flapping(), turns(Some(3), Some(3))).0, Passed);
}

#[test]
fn a_turn_while_the_fault_came_to_hold_may_belong_to_the_leg_or_not() {
    let script = || passing().add(60.4, cell_turned(false)).add(62.0, cell_turned(true));
    assert_eq!(judged(script(), turns(None, Some(2))).0, Inconclusive);
    assert_eq!(judged(script(), turns(Some(2), Some(3))).0, Passed);
}

#[test]
fn a_run_that_was_cut_short_has_not_shown_how_often_something_turns() {
    let cut = || passing().until(200.0).add(200.0, Event::Interrupted { signal: "SIGINT".into() });
    for claim in [turns(Some(2), None), turns(None, Some(1))] {
        let (judgement, said) = judged(cut(), claim);
        assert_eq!(judgement, Inconclusive);
        assert!(said.contains("cut short"), "{said}");
    }
}

#[test]
fn a_swing_is_an_arrival_elsewhere_by_all_of_a_clients_workers() {
    let swings = |count| Claim::Swings { client: "br-fresh".into(), at_least: Some(count), at_most: Some(count) };
    assert_eq!(judged(passing(), swings(1)).0, Passed);
    let stray = || passing().request(200.5, "br-fresh", OLD, 200);
    assert_eq!(judged(stray(), swings(3)).0, Passed, "there, back, and there again");
    let two = || stray().planned(|plan| plan.clients.get_mut("br-fresh").unwrap().workers = 2);
    assert_eq!(judged(two(), swings(1)).0, Passed, "one of two workers is not the client");
    assert_eq!(judged(control(), swings(0)).0, Passed);
    let silent = passing().without(|stamped| matches!(stamped.event, Event::RequestArrived { .. }));
    assert_eq!(judged(silent, swings(0)).0, Inconclusive);
}

#[test]
fn a_stream_that_lives_is_served_where_it_lives() {
    let alive = Event::StreamAlive { cell: OLD.into(), client: "br-fresh".into(), tokens: 7 };
    let script = passing().add(200.0, alive);
    let (judgement, said) = judged(script, br_fresh_is_served_by(NEW, within(95.0)));
    assert_eq!(judgement, Failed, "{said}");
}

#[test]
fn a_fault_that_ends_while_it_is_to_be_held_did_not_hold() {
    let works = || Event::FaultLooked {
        fault: Fault::KillDatabase(OLD.into()),
        part: "the database of sa-east-1".into(),
        broken: false,
        detail: "answers queries".into(),
    };
    let early = verdict(&passing().add(150.0, works()));
    assert_eq!(early.outcome, Outcome::FaultDidNotHold);
    let reason = early.reason.unwrap();
    assert!(reason.contains("into the hold: the database of sa-east-1: answers queries"), "{reason}");
    // Before it holds, and after the heal, it is as it should be.
    assert_eq!(verdict(&passing().add(40.0, works())).outcome, Outcome::Passed);
}

#[test]
fn a_stream_that_its_client_cuts_was_served_and_one_that_never_came_was_not() {
    let cut = Event::RequestEnded {
        client: "br-fresh".into(),
        began: at(199.0),
        address: None,
        outcome: crate::journal::event::RequestOutcome::TimedOut,
        attempts: 1,
    };
    let alive = Event::StreamAlive { cell: NEW.into(), client: "br-fresh".into(), tokens: 7 };
    let claim = || br_fresh_is_served_by(NEW, within(95.0));
    let (judgement, said) = judged(passing().add(199.5, alive).add(200.0, cut.clone()), claim());
    assert_eq!(judgement, Passed, "{said}");
    assert_eq!(judged(passing().add(200.0, cut), claim()).0, Failed);
}

fn with_engine(script: Script) -> Script {
    script.planned(|plan| plan.cells.get_mut(NEW).unwrap().kind = crate::plan::CellKind::Llm(synthetic::llm(2)))
}

fn verdict_checked(passed: bool) -> Event {
    let signal = crate::journal::event::Signal::Verdict { cell: NEW.into() };
    Event::Checked { signal, by: "the prober".into(), passed, detail: String::new() }
}

#[test]
fn the_health_of_an_engines_cell_is_its_verdict_which_begins_unhealthy() {
    let claim = || Claim::Health { of: NEW.into(), healthy: true, holds: Holds::Always };
    let script = || with_engine(passing()).add(100.0, verdict_checked(true));
    assert_eq!(judged(script(), claim()).0, Failed, "nothing turned it healthy");
    let signal = crate::journal::event::Signal::Verdict { cell: NEW.into() };
    let turned = Event::HealthChanged { signal, healthy: true, reason: String::new() };
    assert_eq!(judged(script().add(45.0, turned), claim()).0, Passed);
}

#[test]
fn a_switch_that_no_check_feeds_is_known_at_every_moment() {
    let script = passing().planned(|plan| {
        let status = crate::health::StatusSettings { inverted: true, disabled: true };
        let kind = crate::plan::HealthCheckKind::RoutingControl("us".into());
        let planned = crate::plan::HealthCheckPlan { status, kind };
        plan.health_checks.insert(crate::zone::HealthCheckId("HC".into()), planned);
    });
    let claim = Claim::Health { of: "HC".into(), healthy: false, holds: Holds::Always };
    assert_eq!(judged(script, claim), (Passed, "true at all 478 health checks of the leg".into()));
}

#[test]
fn r53_144_an_alarm_is_judged_by_its_own_evaluations() {
    let evaluated = |of: &str, state| Event::AlarmEvaluated { copied_by: of.into(), state };
    let script = || {
        let script = passing().add(100.0, evaluated("HC", AlarmState::Ok));
        script.add(160.0, evaluated("HC", AlarmState::Alarm)).add(220.0, evaluated("OTHER", AlarmState::Ok))
    };
    let claim = |state, seconds| Claim::Alarm { of: "HC".into(), state, holds: within(seconds) };
    assert_eq!(judged(script(), claim(AlarmState::Alarm, 120.0)).0, Passed);
    assert_eq!(judged(script(), claim(AlarmState::Alarm, 30.0)).0, Failed);
    let (failed, said) = judged(script(), claim(AlarmState::Ok, 90.0));
    assert_eq!(failed, Failed);
    assert!(said.starts_with("still ALARM"), "{said}");
}

#[test]
fn a_standby_that_its_new_clients_overload_is_not_the_labs_trouble() {
    let script = |seconds| with_engine(passing()).add(seconds, verdict_checked(false));
    assert_eq!(verdict(&script(200.0)).overload, None, "clients move there");
    assert_eq!(verdict(&script(50.0)).overload.unwrap().faltered, 1, "nothing explains it before the fault");
    let nobody_moves = |plan: &mut crate::plan::Plan| {
        for change in plan.prediction.failover.moves.values_mut() {
            change.to.clone_from(&change.from);
        }
    };
    assert_eq!(verdict(&script(200.0).planned(nobody_moves)).overload.unwrap().faltered, 1);
    let unsettled = script(200.0).planned(nobody_moves).planned(|plan| {
        plan.prediction.failover.unsettled = Some("it swings".into());
    });
    assert_eq!(verdict(&unsettled).overload, None);
}

#[test]
fn a_gateway_that_waits_for_an_engine_is_the_tightest_limit() {
    let late = with_engine(passing()).changed(|stamped| {
        if let Event::Lateness { max, .. } = &mut stamped.event {
            *max = Duration::from_millis(160);
        }
    });
    // At speed 20 that is 3.2 s, and a gateway waits for 3 s; clients wait for 4 s.
    assert_eq!(verdict(&late).overload.unwrap().limit, secs(3.0));
}

#[test]
fn what_a_client_that_tells_nothing_lost_is_never_passed() {
    let curl = || passing().with_curl_as("br-fresh");
    let (judgement, said) = judged(curl(), loss(Some(12), Some(0), Some(6)));
    assert_eq!(judgement, Inconclusive);
    assert_eq!(
        said,
        "of 13 requests that arrived at least 12 failed (at most 12), not seen how many slow (at most 0), 6 stale (at \
         most 6); br-fresh tells nothing, so what was lost before it arrived, and how long it waited, is not seen: a \
         client of muster's own beside it would tell"
    );
    assert_eq!(judged(curl(), loss(Some(11), None, None)).0, Failed, "twelve arrived and were refused");
    assert_eq!(judged(curl(), loss(Some(1000), None, None)).0, Inconclusive);
    assert_eq!(judged(curl(), loss(None, Some(1000), None)).0, Inconclusive);
    assert_eq!(judged(curl(), loss(None, None, Some(6))).0, Passed, "stale requests are seen where they arrive");
    assert_eq!(judged(curl(), loss(None, None, Some(5))).0, Failed);
    let silent = curl().without(|stamped| matches!(stamped.event, Event::RequestArrived { .. }));
    assert_eq!(judged(silent, loss(None, None, Some(6))).0, Inconclusive);
}

#[test]
fn a_client_that_tells_nothing_is_served_nowhere_while_nothing_arrives() {
    let us = |by: Option<&str>, holds| Claim::Served { client: "us-fresh".into(), by: by.map(str::to_owned), holds };
    let curl = || passing().with_curl_as("us-fresh");
    let (judgement, said) = judged(curl(), us(Some(NEW), Holds::Always));
    assert_eq!((judgement, said.as_str()), (Passed, "true at all 48 arrivals of the leg"));
    let gap = |from: f64, to: f64| {
        curl().without(move |stamped| {
            matches!(&stamped.event, Event::RequestArrived { client, .. } if client == "us-fresh")
                && (at(from)..at(to)).contains(&stamped.at)
        })
    };
    let (judgement, said) = judged(gap(100.0, 160.0), us(Some(NEW), Holds::Always));
    assert_eq!(judgement, Failed);
    assert!(said.contains("first no arrival anywhere at"), "{said}");
    assert_eq!(judged(gap(100.0, 110.0), us(Some(NEW), Holds::Always)).0, Passed, "one request may be lost on the way");
    let nobody = || us(None, within(60.0));
    assert_eq!(judged(gap(80.0, 420.0), nobody()).0, Passed);
    assert_eq!(judged(gap(80.0, 250.0), nobody()).0, Failed);
    assert_eq!(judged(curl(), nobody()).0, Failed);
    assert_eq!(judged(curl(), br_fresh_is_served_by(NEW, within(63.9))).0, Passed);
}

#[test]
fn a_budget_of_a_client_that_tells_nothing_is_held_against_its_arrivals() {
    let curl = || passing().with_curl_as("br-fresh");
    assert_eq!(judged(curl(), budget(Stage::Total, 95.0)), judged(passing(), budget(Stage::Total, 95.0)));
    assert_eq!(judged(curl(), budget(Stage::Total, 50.0)).0, Failed);
}
