//! How long requests wait in front of an engine, held against what can be worked out by hand.

use super::super::load::{asked_of, engine, lasts_behind_a_queue, longest_wait};
use super::super::scene::Scene;
use super::*;

/// The standby of 5 slots, which make 16 tokens a second each, with so many workers that all ask it for 32 tokens.
struct Standby {
    plan: Plan,
    zone: Zone,
}

impl Standby {
    fn with(workers: u32) -> Self {
        let drill = drill("thundering-standby.yaml");
        let mut plan = drill.plan(PlanOptions { seed: 1, speed: None, control: false, ..PlanOptions::default() });
        plan.clients.get_mut("app").unwrap().workers = workers;
        Self { plan, zone: drill.zone }
    }

    /// How long a client's request waits, and how long a probe for 16 tokens lasts.
    fn waits_and_lasts(&self) -> (Duration, Duration) {
        let mut scene = Scene::of(&self.plan, &self.zone);
        scene.clients.get_mut("app").unwrap().labels = vec!["us-west".into()];
        let left = engine(&self.plan, "us-west").unwrap();
        let waits = longest_wait(&self.plan, "us-west", left, &scene.clients);
        (waits, lasts_behind_a_queue(&self.plan, "us-west", left, &scene.clients, 16))
    }
}

const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[test]
fn no_more_requests_wait_than_there_are_workers_without_a_slot() {
    // A request takes 2 s, so a slot becomes free every 0.4 s; 11 of 16 workers have none. The probe waits for one slot
    // more, and takes 1 s itself.
    assert_eq!(Standby::with(16).waits_and_lasts(), (millis(4_400), millis(5_800)));
    assert_eq!(Standby::with(11).waits_and_lasts(), (millis(2_400), millis(3_800)));
    // The gateway gives up who waits for 8 s: 31 x 0.4 s are more than that.
    assert_eq!(Standby::with(36).waits_and_lasts(), (millis(12_400), millis(9_400)));
}

#[test]
fn an_engine_that_carries_its_clients_lets_nobody_wait() {
    // Five workers, five slots.
    assert_eq!(Standby::with(5).waits_and_lasts().0, Duration::ZERO);
}

#[test]
fn a_queue_that_its_workers_cannot_make_long_enough_fails_no_probe() {
    let asked = |standby: &Standby| {
        let scene = Scene::of(&standby.plan, &standby.zone);
        let (settings, gateway) = engine(&standby.plan, "us-west").unwrap();
        let mut clients = scene.clients;
        clients.get_mut("app").unwrap().labels = vec!["us-west".into()];
        asked_of(&standby.plan, "us-west", settings, gateway, &clients)
    };
    let unsettled = |standby: &Standby| predict(&standby.plan, &standby.zone).failover.unsettled;
    let (eleven, twelve) = (Standby::with(11), Standby::with(12));
    assert!(asked(&eleven) > 2.0, "it is asked for more than it carries");
    assert_eq!(unsettled(&eleven), None, "a probe lasts 3.8 s of its 4 s");
    assert!(unsettled(&twelve).is_some(), "4.2 s");
}
