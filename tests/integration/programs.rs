//! A drill whose resolvers and clients are programs, in a lab that has none of them.

use std::sync::Arc;

use muster::clock::Speed;
use muster::drill::{PlanOptions, load};
use muster::journal::event::{Event, Stamped};
use muster::lab::rehearse;
use muster::plan::Plan;
use muster::timeline::measure::{Fit, measure};
use muster::verdict::{Outcome, judge};

use crate::desk::drill_file;

/// What each line of the ready drill becomes.
const PROGRAMS: [(&str, &str); 7] = [
    ("br: { place: Brazil }", "br: { place: Brazil, software: unbound }"),
    ("ttl-floor: 120s }", "ttl-floor: 120s, software: pdns-recursor }"),
    ("resolver: br, profile: fresh-lookup, every: 2s }", "resolver: br, software: curl, every: 2s }"),
    ("profile: runtime-cache, cache: 30s }", "software: jvm }"),
    ("profile: cache-forever }", "software: nginx }"),
    ("profile: keep-alive-pool }", "software: go }"),
    ("resolver: us-floor, profile: fresh-lookup }", "resolver: us-floor, software: curl }"),
];

/// The run of `database-down` with programs, in the virtual lab.
fn played() -> (Plan, Vec<Stamped>) {
    let ready = drill_file("database-down");
    let zones = ready.with_file_name("zones");
    let text = std::fs::read_to_string(&ready).unwrap().replace("zone: zones", &format!("zone: {}", zones.display()));
    let text = PROGRAMS.iter().fold(text, |text, (old, new)| {
        assert!(text.contains(old), "{old}");
        text.replacen(old, new, 1)
    });
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("programs.yaml");
    std::fs::write(&file, text).unwrap();
    let loaded = load(&file).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let plan = loaded.plan(PlanOptions { seed: 7, speed: Some(Speed::REAL), ..PlanOptions::default() });
    let events = rehearse(plan.clone(), Arc::new(loaded.zone)).unwrap();
    (plan, events)
}

#[test]
fn muster_s_own_stands_for_programs_and_what_it_tells_is_used() {
    let (plan, events) = played();
    assert_eq!(plan.needs_docker(), None);
    assert!(plan.clients["br-jvm"].is_black_box() && !plan.clients["br-gateway"].is_black_box());
    let verdict = judge(&events).unwrap();
    assert_eq!(verdict.outcome, Outcome::Passed, "{verdict:#?}");
    let losses = measure(&events).unwrap().failover.losses;
    assert!(losses.values().all(|lost| lost.failed.is_some()), "{losses:?}");
}

#[test]
fn without_what_programs_do_not_tell_every_move_is_measured_as_well_and_nothing_fails() {
    let (plan, mut events) = played();
    let told = measure(&events).unwrap();
    let silent = |client: &String| plan.clients[client].is_black_box();
    events.retain(|stamped| !matches!(&stamped.event, Event::RequestEnded { client, .. } if silent(client)));
    let seen = measure(&events).unwrap();
    for (told, seen) in told.failover.totals.iter().zip(&seen.failover.totals) {
        assert_eq!((&told.of, told.moment), (&seen.of, seen.moment));
        assert_eq!(seen.fit, Fit::Inside, "{seen:?}");
    }
    for (client, lost) in &seen.failover.losses {
        assert_eq!(lost.failed.is_none(), silent(client), "{client}");
        assert_eq!(lost.stale, told.failover.losses[client].stale, "{client}");
    }
    let verdict = judge(&events).unwrap();
    assert_ne!(verdict.outcome, Outcome::Failed, "{verdict:#?}");
}
