//! Limits from below, what comes again, and the status of a probe.

use super::*;

fn limited(stage: Stage, at_least: Option<f64>, at_most: Option<f64>) -> Claim {
    Claim::Budget { stage, of: None, at_least: at_least.map(secs), at_most: at_most.map(secs) }
}

fn again(seconds: f64) -> Claim {
    brazil_is_answered(OLD, Holds::AgainWithin(secs(seconds)))
}

#[test]
fn a_limit_from_below_inside_what_is_uncertain_is_inconclusive() {
    // Detection: 29.2 to 29.9 s.
    let of = |seconds| judged(passing(), limited(Stage::Detection, Some(seconds), None));
    assert_eq!(of(29.2).0, Passed);
    assert_eq!(of(29.3).0, Inconclusive);
    assert_eq!(of(29.9).0, Inconclusive);
    assert_eq!(of(29.91), (Failed, "took 29.6 s ± 0.35 s; the budget is at least 29.9 s".into()));
}

#[test]
fn both_limits_must_be_kept() {
    let of = |least, most| judged(passing(), limited(Stage::Detection, Some(least), Some(most)));
    assert_eq!(of(29.0, 30.0).0, Passed);
    assert_eq!(of(10.0, 20.0).0, Failed);
    assert_eq!(of(40.0, 50.0).0, Failed);
    assert_eq!(of(29.0, 29.8).0, Inconclusive);
    let (judgement, said) = of(29.5, 30.0);
    assert_eq!(judgement, Inconclusive);
    assert!(said.contains("the budget is 29.5 s to 30 s, of which 29.5 s lies inside what is uncertain"), "{said}");
}

#[test]
fn a_stage_that_never_ended_lasted_for_as_long_as_it_was_watched() {
    // 238.3 s, and 0.1 s of lateness.
    let of = |least, most| judged(control(), limited(Stage::Total, least, most)).0;
    assert_eq!(of(Some(238.0), None), Passed);
    assert_eq!(of(Some(238.3), None), Inconclusive);
    assert_eq!(of(Some(100.0), Some(95.0)), Failed, "the upper limit is over");
    assert_eq!(of(Some(100.0), Some(300.0)), Inconclusive, "the upper limit is not over yet");
    let (judgement, said) = judged(control(), limited(Stage::Client, Some(40.0), None));
    assert_eq!(judgement, Inconclusive, "it never began: {said}");
}

#[test]
fn a_client_that_moves_at_once_has_not_stayed_and_one_whose_stream_goes_on_has() {
    let stays = || limited(Stage::Client, Some(40.0), None);
    assert_eq!(judged(passing(), stays()).0, Failed);
    // Its resolver's answer moved at 120.5 s.
    let alive = || Event::StreamAlive { cell: OLD.into(), client: "br-fresh".into(), tokens: 7 };
    let (judgement, said) = judged(passing().add(165.0, alive()), stays());
    assert_eq!(judgement, Passed, "{said}");
    assert_eq!(judged(passing().add(150.0, alive()), stays()).0, Failed, "cut too soon");
}

#[test]
fn what_comes_again_was_otherwise_before() {
    let (judgement, said) = judged(passing(), again(200.0));
    assert_eq!(judgement, Failed, "once is not again");
    assert!(said.starts_with("not seen again at any of"), "{said}");
    assert_eq!(judged(passing(), brazil_is_answered(OLD, Holds::OnceWithin(secs(200.0)))).0, Passed);
    assert_eq!(judged(passing(), again(300.0)).0, Inconclusive, "the leg ends before");
    // Between 139.6 s (200.3 - 60.7) and 140.1 s (200.3 - 60.2), and 0.1 s of lateness.
    let back = || passing().brazil_sees(200.3, OLD);
    assert_eq!(judged(back(), again(140.2)).0, Passed);
    assert_eq!(judged(back(), again(140.0)).0, Inconclusive);
    assert_eq!(judged(back(), again(139.4)).0, Failed);
}

#[test]
fn what_was_otherwise_while_the_fault_came_to_hold_may_belong_to_the_leg_or_not() {
    assert_eq!(judged(passing().brazil_sees(60.4, NEW), again(20.0)).0, Inconclusive);
    assert_eq!(judged(passing().brazil_sees(61.3, NEW), again(20.0)).0, Passed);
    assert_eq!(judged(passing().brazil_sees(50.3, NEW), again(20.0)).0, Failed, "it was before the leg");
}

/// A run with a probe, and its results.
fn probed(results: &[(f64, bool)]) -> Script {
    let script = passing().planned(|plan| {
        let probe = crate::plan::ProbePlan {
            asks: NAME.into(),
            resolver: "br-isp".into(),
            every: secs(30.0),
            timeout: secs(5.0),
            address: std::net::IpAddr::from([198, 51, 100, 9]),
        };
        plan.probes.insert("end-to-end".into(), probe);
    });
    results.iter().fold(script, |script, &(seconds, passed)| {
        let signal = crate::journal::event::Signal::Probe { probe: "end-to-end".into() };
        script.add(seconds, Event::Checked { signal, by: "end-to-end".into(), passed, detail: String::new() })
    })
}

#[test]
fn the_status_of_a_probe_is_its_last_result() {
    let status = |healthy, holds| Claim::Health { of: "end-to-end".into(), healthy, holds };
    let turns = |count| Claim::Turns { of: "end-to-end".into(), at_least: Some(count), at_most: Some(count) };
    let comes_back = || probed(&[(50.0, true), (80.0, false), (110.0, true), (140.0, true)]);
    let stays_down = || probed(&[(50.0, true), (80.0, false), (110.0, false), (140.0, false)]);
    // Between 49.3 s (110 - 60.7) and 49.8 s (110 - 60.2), and 0.1 s of lateness.
    assert_eq!(judged(comes_back(), status(true, within(49.9))).0, Passed);
    assert_eq!(judged(comes_back(), status(true, within(49.1))).0, Failed);
    assert_eq!(judged(comes_back(), status(false, Holds::OnceWithin(secs(20.0)))).0, Passed);
    assert_eq!(judged(comes_back(), turns(2)).0, Passed);
    assert_eq!(judged(stays_down(), status(true, within(49.9))).0, Failed);
    assert_eq!(judged(stays_down(), status(false, within(20.0))).0, Passed);
    assert_eq!(judged(stays_down(), turns(1)).0, Passed);
    assert_eq!(judged(probed(&[]), turns(0)).0, Inconclusive, "it was never seen");
}
