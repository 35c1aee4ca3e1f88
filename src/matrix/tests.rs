//! From a base to drills, and from journals to figures.

use super::made_up::{self, AS_PREDICTED, EVERYTHING_ELSE, Made, built_in, clients, row};
use super::*;
use crate::drill::PlanOptions;
use crate::journal::event::Event;
use crate::journal::synthetic::secs;
use crate::verdict::ExitCode;
use crate::verdict::ending;

const STAYS: [(&str, Option<f64>); 4] = [("curl", None), ("go", None), ("jvm", None), ("python-recycling", None)];

#[test]
fn the_drill_of_a_resolver_has_its_program_and_every_client_and_nothing_of_the_bases_own() {
    let floor = Resolver::named("unbound-floor").unwrap();
    insta::assert_snapshot!(built_in().with(floor, &clients(), "zone.json").unwrap());
}

#[test]
fn every_resolver_with_every_client_is_a_drill_that_can_be_planned() {
    let all: Vec<&Client> = CLIENTS.iter().collect();
    for resolver in &RESOLVERS {
        let plan = made_up::plan(resolver, &all, false);
        assert_eq!(plan.drill, name(resolver));
        assert_eq!(plan.clients.len(), CLIENTS.len());
        let leg = &plan.prediction.failover;
        assert!(leg.resolvers[resolver.name].worst.is_some(), "{}", resolver.name);
        let never: Vec<&str> =
            CLIENTS.iter().map(|client| client.name).filter(|name| leg.totals[*name].worst.is_none()).collect();
        assert_eq!(never, ["go", "jvm-forever", "node", "python", "nginx", "grpc"], "{}", resolver.name);
    }
}

#[test]
fn rsv_ttl_3_the_floor_is_predicted_to_hold_two_minutes() {
    let worst = |name| {
        let plan = made_up::plan(Resolver::named(name).unwrap(), &clients(), false);
        plan.prediction.failover.resolvers[name].worst.unwrap()
    };
    assert_eq!((worst("unbound"), worst("unbound-floor")), (secs(65.0), secs(125.0)));
}

#[test]
fn a_base_in_which_nobody_moves_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("zones")).unwrap();
    std::fs::write(folder.path().join(BUILT_IN_ZONE_AT), BUILT_IN_ZONE).unwrap();
    let text =
        BUILT_IN.split("expect:").next().unwrap().replace("kill-database: primary", "kill-static-site: secondary")
            + "expect:\n  - answer: { from: United States, is: primary, holds: always }\n";
    let plan = made_up::loaded(folder.path(), &text).plan(PlanOptions::default());
    let refused = Base::of(&text, &plan).unwrap_err();
    assert_eq!(refused, BaseError::NobodyMoves { drill: "matrix".into() });
}

#[test]
fn what_is_as_predicted_agrees_with_its_rule_and_says_so_in_figures() {
    let summary = made_up::summary(&AS_PREDICTED);
    assert_eq!(summary.exit_code, ExitCode::Passed, "{summary:#?}");
    insta::assert_snapshot!(summary.to_json().unwrap());
}

#[test]
fn who_is_never_to_move_and_does_differs_and_so_does_who_is_late_or_stays() {
    let row = row(EVERYTHING_ELSE[0], false);
    let told = row.told.as_ref().unwrap();
    let standings: Vec<_> = told.standings(Resolver::named("bind").unwrap()).collect();
    let expected = [
        ("bind", Standing::Agrees),
        ("curl", Standing::Agrees),
        ("go", Standing::Disagrees),
        ("jvm", Standing::Disagrees),
        ("python-recycling", Standing::Disagrees),
    ];
    assert_eq!(standings, expected);
    assert_eq!(row.exit_code, ExitCode::Failed);
    assert_eq!(row.reason.as_deref(), Some("not as predicted: go, jvm, python-recycling"));
    let [_, go, _, python] = told.clients.as_slice() else { panic!() };
    assert!(go.moved && go.never_in.is_none());
    assert_eq!(python.never_in, Some(secs(170.0)));
    // Every two seconds from the 1st second on, for 170 s, all refused.
    assert_eq!((python.arrived, python.refused), (85, 85));
    assert_eq!(python.stale, 72);
}

#[test]
fn of_a_client_that_falls_silent_it_is_not_told_that_it_never_moves() {
    let resolver = Resolver::named("unbound").unwrap();
    let plan = made_up::plan(resolver, &clients(), false);
    let mut events = made_up::journal(&plan, 40.0, &STAYS);
    // It hangs in the middle of the hold.
    let hangs = crate::journal::synthetic::at(150.0);
    events.retain(|stamped| {
        stamped.at < hangs || !matches!(&stamped.event, Event::RequestArrived { client, .. } if client == "go")
    });
    let told = Told::of(&events, resolver, &clients()).unwrap();
    let go = told.clients.iter().find(|client| client.client == "go").unwrap();
    assert_eq!((go.standing, go.never_in), (Standing::NotTold, None));
    let whole = Told::of(&made_up::journal(&plan, 40.0, &STAYS), resolver, &clients()).unwrap();
    let go = whole.clients.iter().find(|client| client.client == "go").unwrap();
    assert_eq!((go.standing, go.never_in), (Standing::Agrees, Some(secs(170.0))));
}

#[test]
fn a_run_that_was_cut_off_tells_of_those_who_had_not_moved_nothing() {
    let row = row(EVERYTHING_ELSE[1], false);
    let told = row.told.as_ref().unwrap();
    assert!(told.clients.iter().all(|client| client.standing == Standing::NotTold && client.never_in.is_none()));
    assert_eq!(row.exit_code, ExitCode::LabBroke);
}

#[test]
fn as_a_control_nobody_moves_and_who_does_makes_it_pass() {
    let stays = Made::Run { resolver: "unbound", t3: f64::INFINITY, moves: &STAYS };
    assert_eq!(row(stays, true).exit_code, ExitCode::Failed);
    assert_eq!(made_up::control().exit_code, ExitCode::Failed);
    // One client arrives elsewhere all the same.
    let plan = made_up::plan(Resolver::named("unbound").unwrap(), &clients(), true);
    let mut events = made_up::journal(&plan, f64::INFINITY, &STAYS);
    for stamped in &mut events {
        if let Event::RequestArrived { cell, client, .. } = &mut stamped.event
            && client == "curl"
            && stamped.at > crate::journal::synthetic::at(100.0)
        {
            *cell = "secondary".into();
        }
    }
    let ran = Ran { seed: 7, speed: 5.0, folder: None, left: Left::Journal(events) };
    let row = ResolverSummary::of(Resolver::named("unbound").unwrap(), &clients(), ran, true);
    assert_eq!(row.reason.as_deref(), Some("moved though nothing was broken: curl"));
    assert_eq!(row.exit_code, ExitCode::Passed);
}

#[test]
fn a_matrix_ends_as_its_worst_run_and_with_130_when_it_was_stopped() {
    let summary = made_up::summary(&EVERYTHING_ELSE[..3]);
    assert_eq!(summary.exit_code, ExitCode::LabBroke);
    assert_eq!(summary.reason, "2 of 3 resolvers: knot-resolver, dnsmasq");
    let rows = EVERYTHING_ELSE.map(|made| row(made, false)).to_vec();
    let codes: Vec<ExitCode> = rows.iter().map(|row| row.exit_code).collect();
    assert_eq!(ending(&codes, false, false), ExitCode::Interrupted, "what was not run was interrupted");
    let stopped =
        MatrixSummary::of(("matrix".into(), String::new()), false, String::new(), secs(1.0), Some("SIGTERM"), rows);
    assert_eq!(stopped.exit_code, ExitCode::Interrupted);
    assert_eq!(stopped.reason, "stopped by SIGTERM; 3 of 4 resolvers had come to an end");
}

#[test]
fn a_second_try_keeps_what_the_first_said() {
    let (first, second) = (row(EVERYTHING_ELSE[1], false), row(AS_PREDICTED[0], false));
    let after = second.after(first.clone());
    assert_eq!(after.first_try.unwrap().folder, first.folder);
}
