use super::figures::agreement;
use super::*;
use crate::clock::Speed;
use crate::journal::event::{Event, RequestOutcome, SeenAnswer, Server, Signal};
use crate::journal::synthetic::{NEW, OLD, Script, addresses, at, bounds, control, observed, passing, secs};
use crate::plan::expectation::{Claim, Leg};
use crate::plan::{Bounds, ClientRuns, ClientSoftware, Family, WireTtl};
use crate::timeline::measure::{Fit, Span};
use crate::verdict::{ExitCode, Outcome};

fn side(script: &Script) -> BTreeMap<String, Run> {
    let run = Run::of(&script.events()).unwrap();
    BTreeMap::from([(run.drill().to_owned(), run)])
}

fn held(before: &Script, after: &Script) -> DrillComparison {
    compare(&side(before), &side(after)).drills.remove(0)
}

/// The other answers, health, and arrivals of a failover that came so much later, as far as they were observed.
fn later(by: f64) -> Script {
    passing().changed(|stamped| {
        let moved = stamped.at >= at(90.0) && stamped.at < at(90.0 + by);
        match &mut stamped.event {
            Event::HealthChanged { healthy: false, .. } => stamped.at = stamped.at + secs(by),
            Event::Observed { server: Server::Authoritative, answer, .. } if moved => *answer = addresses(OLD),
            _ => {}
        }
    })
}

fn figure(predicted: Bounds, measured: Option<(f64, f64)>, fit: Fit) -> Figure {
    let span = measured.map(|(least, most)| Span { least: secs(least), most: secs(most) });
    Figure::new(predicted, span, fit)
}

#[test]
fn figures_agree_when_they_meet_or_when_both_keep_to_the_same_prediction() {
    use Agreement::{Agree, Differ, NotTold};
    use Fit::{Inside, NotApplicable, NotSeen, Outside};
    let predicted = bounds(10.0, 20.0);
    for (before, after, overlap, due) in [
        // Where inside the same bounds is chance.
        ((Some((10.0, 11.0)), Inside), (Some((19.0, 20.0)), Inside), false, Agree),
        ((Some((10.0, 21.0)), Inside), (Some((20.5, 22.0)), Outside), true, Agree),
        ((Some((10.0, 11.0)), Inside), (Some((25.0, 26.0)), Outside), false, Differ),
        ((Some((30.0, 31.0)), Outside), (Some((40.0, 41.0)), Outside), false, Differ),
        ((Some((10.0, 11.0)), Inside), (None, NotSeen), false, Differ),
        ((None, NotSeen), (None, NotSeen), false, Agree),
        ((Some((10.0, 11.0)), Inside), (None, NotApplicable), false, NotTold),
    ] {
        let (one, other) = (figure(predicted, before.0, before.1), figure(predicted, after.0, after.1));
        assert_eq!(agreement(Some(one), Some(other), overlap), due, "{before:?} {after:?}");
        assert_eq!(agreement(Some(other), Some(one), overlap), due, "{after:?} {before:?}");
    }
    let (one, other) =
        (figure(predicted, Some((10.0, 11.0)), Inside), figure(bounds(10.0, 30.0), Some((19.0, 20.0)), Inside));
    assert_eq!(agreement(Some(one), Some(other), false), Differ, "not the same prediction");
    let unpredicted = |least: f64| figure(Bounds::default(), Some((least, least + 1.0)), Inside);
    let of_unpredicted = |overlap| agreement(Some(unpredicted(10.0)), Some(unpredicted(40.0)), overlap);
    assert_eq!([of_unpredicted(true), of_unpredicted(false)], [Agree, NotTold], "any time is no prediction");
    assert_eq!(agreement(Some(one), None, false), Differ, "on one side only");
}

#[test]
fn a_run_agrees_with_itself_at_another_speed_and_from_another_file() {
    let other = passing().planned(|plan| {
        (plan.seed, plan.speed) = (8, Speed::REAL);
        plan.sources[0].file = "elsewhere.yaml".into();
        plan.schedule.fault_after = secs(11.0);
        plan.expectations.iter_mut().for_each(|expectation| expectation.at = "elsewhere.yaml:9:9".into());
    });
    let drill = held(&passing(), &other);
    assert_eq!(drill.likeness, Likeness::Agree, "{drill:#?}");
    assert!(drill.figures.len() > 8 && drill.expectations.len() > 1, "{drill:#?}");
    assert!(drill.figures.iter().all(|pair| pair.overlap || pair.before.unwrap().measured.is_none()));
    let now: Vec<&AnswerPair> = drill.answers.iter().filter(|pair| pair.of == "Brazil").collect();
    let cells = |index: usize| now[index].before.iter().map(String::as_str).collect::<Vec<_>>();
    assert_eq!((now.len(), cells(0), cells(1), cells(2)), (3, vec![OLD], vec![NEW], vec![OLD]));
    let fresh = drill.answers.iter().find(|pair| pair.of == "client br-fresh" && pair.when == When::Held).unwrap();
    assert_eq!(fresh.after, BTreeSet::from([NEW.to_owned()]));
}

#[test]
fn a_failover_that_came_later_than_it_may_differs_in_what_is_late() {
    let predicted = |script: Script| script.planned(|plan| plan.prediction.failover.detection = bounds(15.0, 30.0));
    let drill = held(&predicted(passing()), &predicted(later(6.0)));
    assert_eq!(drill.likeness, Likeness::Differ);
    let differing: Vec<(Leg, Stage, &str)> = drill
        .figures
        .iter()
        .filter(|pair| pair.agreement == Agreement::Differ)
        .map(|pair| (pair.during, pair.stage, pair.of.as_str()))
        .collect();
    assert!(differing.contains(&(Leg::Failover, Stage::Detection, "")), "{differing:?}");
    assert!(differing.iter().all(|(leg, ..)| *leg == Leg::Failover), "{differing:?}");
}

#[test]
fn a_status_that_turned_on_one_side_only_differs() {
    let without = passing().without(|stamped| {
        matches!(&stamped.event, Event::HealthChanged { signal: Signal::Target { target: 1, .. }, healthy: false, .. })
    });
    for (before, after) in [(&passing(), &without), (&without, &passing())] {
        let drill = held(before, after);
        let differing = drill.figures.iter().find(|pair| pair.agreement == Agreement::Differ).unwrap();
        assert_eq!((differing.stage, differing.of.as_str()), (Stage::Signal, "target 1 of sa-east-1"));
        assert!(differing.before.is_none() || differing.after.is_none());
    }
}

#[test]
fn another_cell_that_is_answered_and_served_differs() {
    let elsewhere = passing().changed(|stamped| {
        let held = stamped.at > at(120.5) && stamped.at < at(300.0);
        match &mut stamped.event {
            Event::Observed { answer, .. } if held && *answer == addresses(NEW) => *answer = SeenAnswer::NoData,
            Event::RequestArrived { cell, client, .. } if held && client == "br-fresh" => *cell = "maintenance".into(),
            Event::RequestEnded { client, outcome: RequestOutcome::Served { cell, .. }, .. }
                if held && client == "br-fresh" =>
            {
                *cell = "maintenance".into();
            }
            _ => {}
        }
    });
    let drill = held(&passing(), &elsewhere);
    let differing: Vec<(&str, When)> = drill
        .answers
        .iter()
        .filter(|pair| pair.agreement == Agreement::Differ)
        .map(|pair| (pair.of.as_str(), pair.when))
        .collect();
    assert!(differing.contains(&("Brazil", When::Held)), "{differing:?}");
    assert!(differing.contains(&("client br-fresh", When::Held)), "{differing:?}");
    assert_eq!(drill.verdict, Agreement::Differ);
}

#[test]
fn of_a_weighted_choice_each_side_may_have_seen_a_part() {
    let weighted = |served: &str| {
        let served = served.to_owned();
        passing()
            .planned(|plan| {
                for leg in [&mut plan.prediction.failover, &mut plan.prediction.failback] {
                    let planned = leg.moves.get_mut("us-fresh").unwrap();
                    (planned.from, planned.to) = (vec![NEW.into(), OLD.into()], vec![NEW.into(), OLD.into()]);
                }
            })
            .changed(move |stamped| {
                if let Event::RequestArrived { cell, client, .. } = &mut stamped.event
                    && client == "us-fresh"
                {
                    cell.clone_from(&served);
                }
            })
    };
    let us = |after: &str| {
        let drill = held(&weighted(NEW), &weighted(after));
        drill.answers.iter().find(|pair| pair.of == "client us-fresh" && pair.when == When::Held).unwrap().agreement
    };
    assert_eq!([us(NEW), us(OLD), us("maintenance")], [Agreement::Agree, Agreement::NotTold, Agreement::Differ]);
}

#[test]
fn who_the_ground_does_not_carry_is_not_told() {
    let aaaa = |families: Vec<Family>| {
        passing().planned(|plan| plan.clients.get_mut("us-fresh").unwrap().family = Family::Aaaa).changed(
            move |stamped| {
                if let Event::LabReady { families: carried, .. } = &mut stamped.event {
                    carried.clone_from(&families);
                }
            },
        )
    };
    let unconnected = aaaa(vec![Family::A])
        .without(|stamped| matches!(&stamped.event, Event::RequestArrived { client, .. } if client == "us-fresh"));
    let drill = held(&aaaa(vec![Family::A, Family::Aaaa]), &unconnected);
    let of_client = drill.answers.iter().filter(|pair| pair.of == "client us-fresh");
    assert!(of_client.clone().count() == 3 && of_client.clone().all(|pair| pair.agreement == Agreement::NotTold));
}

#[test]
fn other_settings_are_named_and_no_figure_is_compared() {
    let slower = passing().planned(|plan| plan.clients.get_mut("br-fresh").unwrap().every = secs(7.0));
    for (other, told) in [(slower, "clients.br-fresh.every: 5.0 → 7.0"), (control(), "control: false → true")] {
        let drill = held(&passing(), &other);
        assert_eq!((drill.likeness, drill.figures.len()), (Likeness::OtherSettings, 0));
        let reason = drill.reason.unwrap();
        assert!(reason.ends_with(told), "{reason}");
    }
}

#[test]
fn a_run_that_says_nothing_of_its_subject_makes_the_comparison_inconclusive() {
    let stopped = passing().until(100.0).add(100.0, Event::Interrupted { signal: "SIGINT".into() });
    let late = |stamped: &mut crate::journal::event::Stamped| {
        if let Event::Lateness { max, p99, .. } = &mut stamped.event {
            (*max, *p99) = (secs(20.0), secs(10.0));
        }
    };
    for (script, outcome) in [(stopped, Outcome::Interrupted), (passing().changed(late), Outcome::Inconclusive)] {
        let drill = held(&script, &passing());
        assert_eq!((drill.before.unwrap().outcome, drill.likeness), (outcome, Likeness::Inconclusive));
        assert!(drill.reason.unwrap().starts_with("the run before says nothing of its subject"));
    }
}

#[test]
fn a_drill_on_one_side_only_is_told_and_the_worst_drill_is_what_the_whole_is() {
    let mut more = side(&passing());
    more.extend(side(&passing().planned(|plan| plan.drill = "another".into())));
    let comparison = compare(&side(&passing()), &more);
    assert_eq!(comparison.likeness, Likeness::OnOneSide);
    assert_eq!(comparison.drills[0].reason.as_deref(), Some("only after has it"));
    assert_eq!(comparison.drills[1].likeness, Likeness::Agree);
}

#[test]
fn the_exit_code_is_that_of_the_worst() {
    use Likeness::{Agree, Differ, Inconclusive, OnOneSide, OtherSettings};
    let ordered = [Agree, OnOneSide, Differ, Inconclusive, OtherSettings];
    assert!(ordered.is_sorted());
    assert_eq!(ordered.map(|likeness| ExitCode::from(likeness).number()), [0, 1, 1, 3, 2]);
}

/// What became of this answer, as `before` and `after` have it.
fn told(drill: &DrillComparison, of: &str, when: When) -> Option<Agreement> {
    drill.answers.iter().find(|pair| pair.of == of && pair.when == when).map(|pair| pair.agreement)
}

#[test]
fn requests_that_fail_while_nothing_moves_differ_and_one_of_many_is_not_told() {
    let timed_out = |client: &'static str, from: f64, until: f64| {
        passing().changed(move |stamped| match &mut stamped.event {
            Event::RequestEnded { client: who, outcome, .. }
                if who == client && stamped.at > at(from) && stamped.at < at(until) =>
            {
                *outcome = RequestOutcome::TimedOut;
            }
            _ => {}
        })
    };
    let failed = |other: Script, when: When| {
        let drill = held(&passing(), &other);
        let of = |pair: &&RequestPair| (&*pair.client, pair.counted, pair.when) == ("us-fresh", Counted::Failed, when);
        drill.requests.iter().find(of).unwrap().agreement
    };
    let all = || timed_out("us-fresh", 40.0, 420.0);
    let when = [When::Steady, When::Held, When::Healed];
    // Before the fault there are two requests; they tell little.
    assert_eq!(when.map(|when| failed(all(), when)), [Agreement::NotTold, Agreement::Differ, Agreement::Differ]);
    assert_eq!(failed(timed_out("us-fresh", 150.0, 154.9), When::Held), Agreement::NotTold);
    assert_eq!(failed(timed_out("br-fresh", 40.0, 420.0), When::Held), Agreement::Agree);
}

#[test]
fn requests_that_become_slow_differ() {
    let slow = passing().changed(|stamped| {
        if matches!(&stamped.event, Event::RequestEnded { client, .. } if client == "us-fresh") {
            stamped.at = stamped.at + secs(2.0);
        }
    });
    let drill = held(&passing(), &slow);
    let differing = drill.requests.iter().find(|pair| pair.agreement == Agreement::Differ).unwrap();
    assert_eq!((&*differing.client, differing.counted), ("us-fresh", Counted::Slow));
}

#[test]
fn another_ttl_of_the_authoritative_server_differs_and_that_of_a_cache_does_not() {
    let other = |asked: Server, changed: u32| {
        passing().changed(move |stamped| match &mut stamped.event {
            Event::Observed { server, answer: SeenAnswer::Addresses { ttl, .. }, .. } if *server == asked => {
                *ttl = changed;
            }
            _ => {}
        })
    };
    let drill = held(&passing(), &other(Server::Authoritative, 0));
    assert_eq!(drill.likeness, Likeness::Differ);
    let told: Vec<(&str, Agreement)> = drill.ttls.iter().map(|pair| (&*pair.answer, pair.agreement)).collect();
    assert_eq!(told, [(OLD, Agreement::Differ), (NEW, Agreement::Differ)]);
    assert_eq!(held(&passing(), &other(Server::Resolver("br-isp".into()), 13)).likeness, Likeness::Agree);
}

#[test]
fn a_server_that_falls_silent_seems_to_answer_until_the_first_question_is_given_up() {
    let silent_from = |first: f64| {
        passing().changed(move |stamped| {
            let silent = stamped.at > at(first) && stamped.at < at(301.0);
            if let Event::Observed { server: Server::Authoritative, answer, .. } = &mut stamped.event
                && silent
            {
                *answer = SeenAnswer::Silent;
            }
        })
    };
    let whole = |script: Script| script.planned(|plan| plan.speed = Speed::new(20.0).unwrap());
    let told = |first| told(&held(&whole(silent_from(91.0)), &whole(silent_from(first))), "Brazil", When::Held);
    // At 20 times the speed a question is given up after 10 s of lab time.
    assert_eq!(told(96.0), Some(Agreement::Agree));
    assert_eq!(told(160.0), Some(Agreement::Differ));
}

#[test]
fn what_is_answered_on_the_way_and_is_not_predicted_differs() {
    let meanwhile = |wrong: SeenAnswer| {
        passing().changed(move |stamped| {
            let meanwhile = stamped.at > at(65.0) && stamped.at < at(89.0);
            if let Event::Observed { server: Server::Authoritative, answer, .. } = &mut stamped.event
                && meanwhile
            {
                answer.clone_from(&wrong);
            }
        })
    };
    let drill = held(&passing(), &meanwhile(SeenAnswer::NxDomain));
    assert_eq!(told(&drill, "Brazil", When::FailingOver), Some(Agreement::Differ));
    assert_eq!(drill.likeness, Likeness::Differ);
    let both = held(&meanwhile(SeenAnswer::NxDomain), &meanwhile(SeenAnswer::NxDomain));
    assert_eq!(told(&both, "Brazil", When::FailingOver), Some(Agreement::Agree));
    assert_eq!(told(&held(&passing(), &passing()), "Brazil", When::FailingOver), None, "nothing to tell");

    // Which cell is passed through is chance where several statuses turn.
    let third = |evidence: bool| {
        let other = SeenAnswer::Addresses { addresses: vec!["192.0.2.3".parse().unwrap()], ttl: 60 };
        let planned = move |script: Script| {
            script.planned(|plan| {
                let mut cell = plan.cells[NEW].clone();
                cell.addresses = vec!["192.0.2.3".parse().unwrap()];
                plan.cells.insert("third".into(), cell);
                plan.prediction.failover.signals[0].evidence = evidence;
            })
        };
        told(&held(&planned(passing()), &planned(meanwhile(other))), "Brazil", When::FailingOver)
    };
    assert_eq!([third(false), third(true)], [Some(Agreement::Differ), Some(Agreement::NotTold)]);
}

/// Every second request of this client is served elsewhere while the fault holds.
fn also_served_by(client: &'static str, by: &'static str) -> Script {
    let mut second = false;
    passing().changed(move |stamped| {
        let held = stamped.at > at(130.0) && stamped.at < at(290.0);
        if let Event::RequestArrived { cell, client: who, .. } = &mut stamped.event
            && held
            && who == client
        {
            second = !second;
            if second {
                by.clone_into(cell);
            }
        }
    })
}

#[test]
fn one_cell_in_common_is_not_enough() {
    let us = |by| told(&held(&passing(), &also_served_by("us-fresh", by)), "client us-fresh", When::Held);
    assert_eq!(us("maintenance"), Some(Agreement::Differ));
    assert_eq!(us(NEW), Some(Agreement::Agree));
    let cached = passing().changed(|stamped| {
        let held = stamped.at > at(150.0) && stamped.at < at(200.0);
        if let Event::Observed { server: Server::Resolver(_), answer, .. } = &mut stamped.event
            && held
        {
            *answer = SeenAnswer::NxDomain;
        }
    });
    assert_eq!(told(&held(&passing(), &cached), "resolver br-isp, Brazil", When::Held), Some(Agreement::Differ));
}

#[test]
fn what_a_cache_was_given_on_the_way_it_may_hold_to_the_end_and_nothing_else() {
    let elsewhere = || SeenAnswer::Addresses { addresses: vec![[192, 0, 2, 9].into()], ttl: 60 };
    let holds = |script: Script| {
        let script = script.changed(|stamped| {
            let held = stamped.at > at(120.5) && stamped.at < at(300.0);
            if let Event::Observed { server: Server::Resolver(_), answer, .. } = &mut stamped.event
                && held
            {
                *answer = elsewhere();
            }
        });
        told(&held(&passing(), &script), "resolver br-isp, Brazil", When::Held)
    };
    assert_eq!(
        holds(passing().add(90.3, observed(Server::Authoritative, "Brazil", elsewhere()))),
        Some(Agreement::NotTold)
    );
    assert_eq!(holds(passing()), Some(Agreement::Differ));
}

#[test]
fn one_request_without_a_connection_does_not_silence_a_client() {
    let elsewhere =
        also_served_by("us-fresh", "maintenance").ended(50.0, 50.1, "us-fresh", RequestOutcome::NotConnectable);
    assert_eq!(told(&held(&passing(), &elsewhere), "client us-fresh", When::Held), Some(Agreement::Differ));
}

#[test]
fn a_ttl_that_the_wire_rounded_up_to_whole_wall_seconds_is_the_same() {
    let containers = |ttl: u32| {
        passing().planned(|plan| (plan.wire, plan.speed) = (WireTtl::WallSeconds, Speed::new(7.0).unwrap())).changed(
            move |stamped| {
                if let Event::Observed { answer: SeenAnswer::Addresses { ttl: seen, .. }, .. } = &mut stamped.event {
                    *seen = ttl;
                }
            },
        )
    };
    // 60 s are 8.6 wall seconds, so 9, and these are 63 s.
    for (ttl, agreement) in [(63, Agreement::Agree), (70, Agreement::Differ), (56, Agreement::Differ)] {
        for (before, after) in [(passing(), containers(ttl)), (containers(ttl), passing())] {
            let drill = held(&before, &after);
            assert!(!drill.ttls.is_empty() && drill.ttls.iter().all(|pair| pair.agreement == agreement), "{drill:#?}");
        }
    }
}

#[test]
fn what_one_run_did_not_see_of_a_client_does_not_differ() {
    // What it lost could not be told, and then a run tells nothing.
    let played =
        || passing().planned(|plan| plan.expectations.retain(|each| !matches!(each.claim, Claim::Loss { .. })));
    let curl = |script: Script| {
        script.planned(|plan| {
            plan.clients.get_mut("br-fresh").unwrap().runs = ClientRuns::Known(ClientSoftware::Curl);
        })
    };
    // In the one muster's own client stands for it.
    let (told, silent) = (curl(played()), played().with_curl_as("br-fresh"));
    for (before, after) in [(&told, &silent), (&silent, &told)] {
        let drill = held(before, after);
        assert_eq!(drill.likeness, Likeness::Agree, "{drill:#?}");
        let mut of_client = drill.requests.iter().filter(|pair| pair.client == "br-fresh").peekable();
        assert!(of_client.peek().is_some() && of_client.all(|pair| pair.agreement == Agreement::NotTold), "{drill:#?}");
    }
    let neither = held(&silent, &silent);
    assert!(neither.requests.iter().all(|pair| pair.client == "us-fresh"), "{neither:#?}");
}
