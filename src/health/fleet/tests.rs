//! What a fleet of checkers makes of its results.

use std::collections::BTreeSet;
use std::time::Duration;

use proptest::prelude::*;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::super::endpoint_check::CheckProtocol;
use super::*;

const TEN: Duration = Duration::from_secs(10);

fn check() -> EndpointCheck {
    EndpointCheck { protocol: CheckProtocol::Tcp, port: 443, interval: TEN, failure_threshold: 3 }
}

fn fleet(check: &EndpointCheck, seed: u64) -> Fleet {
    fleet_with(check, StatusSettings::default(), seed)
}

fn fleet_with(check: &EndpointCheck, status: StatusSettings, seed: u64) -> Fleet {
    Fleet::new(check, status, LabTime::START, &mut ChaCha8Rng::seed_from_u64(seed))
}

/// Runs until `end`; a probe passes when `endpoint_answers(start, checker)` and takes `takes(passed)`. Every change
/// with its moment.
fn run(
    fleet: &mut Fleet,
    end: LabTime,
    takes: impl Fn(bool) -> Duration,
    endpoint_answers: impl Fn(LabTime, CheckerId) -> bool,
) -> Vec<(LabTime, FleetChange)> {
    let (mut flying, mut changes) = (BTreeSet::<(LabTime, CheckerId, bool)>::new(), Vec::new());
    loop {
        let landing = flying.first().map(|&(at, ..)| at);
        let Some(now) = landing.into_iter().chain(fleet.next_wakeup()).min().filter(|&now| now <= end) else {
            return changes;
        };
        while let Some((_, id, passed)) = flying.first().copied().filter(|&(at, ..)| at == now) {
            flying.pop_first();
            changes.extend(fleet.finish(now, id, passed).map(|change| (now, change)));
        }
        for id in fleet.due(now) {
            let passed = endpoint_answers(now, id);
            flying.insert((now + takes(passed), id, passed));
        }
    }
}

#[test]
fn r53_124_the_share_is_one_setting_that_rule_and_wording_follow() {
    let (settings, rules) = (StatusSettings::default(), FleetRules { healthy_percent: 30, ..FleetRules::default() });
    assert!(!rules.endpoint_is_healthy(30, 100) && rules.endpoint_is_healthy(31, 100));
    let change = FleetChange { healthy: false, healthy_checkers: 30, reporting: 100, checkers: 100, rules, settings };
    assert_eq!(change.to_string(), "30 of 100 checkers say healthy, not more than 30 %");
}

#[test]
fn r53_103_by_other_rules_a_fleet_without_enough_data_is_unhealthy() {
    let rules = FleetRules { new_is_healthy: false, ..FleetRules::default() };
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    let mut fleet = Fleet::with_rules(rules, &check(), StatusSettings::default(), LabTime::START, rng);
    assert!(!fleet.is_healthy());
    let changes = run(&mut fleet, LabTime::secs(60), |_| Duration::ZERO, |_, _| true);
    assert!(changes.len() == 1 && fleet.is_healthy());
}

#[test]
fn r53_125_two_checkers_stand_in_each_of_eight_regions() {
    let names: BTreeSet<_> = CheckerId::all().map(|id| id.to_string()).collect();
    assert_eq!(names.len(), 16);
    assert!(names.contains("sa-east-1-checker-2"));
    for region in CHECKER_REGIONS {
        assert_eq!(CheckerId::all().filter(|id| id.region() == region).count(), 2, "{region}");
    }
}

#[test]
fn r53_126_a_30_s_interval_makes_about_one_request_every_2_s() {
    let thirty = EndpointCheck { interval: Duration::from_secs(30), ..check() };
    let probes = std::cell::Cell::new(0_u32);
    let count = |_, _| {
        probes.set(probes.get() + 1);
        true
    };
    run(&mut fleet(&thirty, 1), LabTime::secs(300), |_| Duration::ZERO, count);
    assert!((140..=170).contains(&probes.get()), "{} in 300 s", probes.get());
}

#[test]
fn r53_121_checkers_keep_phases_of_their_own() {
    let phases: BTreeSet<_> =
        fleet(&check(), 1).checkers.iter().map(|checker| checker.next_wakeup().unwrap()).collect();
    assert_eq!(phases.len(), 16);
    assert!(phases.iter().all(|&first| first < LabTime::at(TEN)));
    let again: BTreeSet<_> = fleet(&check(), 1).checkers.iter().map(|checker| checker.next_wakeup().unwrap()).collect();
    assert_eq!(phases, again, "the same seed gives the same phases");
}

#[test]
fn r53_103_a_new_check_is_healthy_and_an_inverted_one_is_not() {
    assert!(fleet(&check(), 1).is_healthy());
    assert!(!fleet_with(&check(), StatusSettings { inverted: true, disabled: false }, 1).is_healthy());
}

#[test]
fn r53_103_there_is_not_enough_data_before_every_checker_has_reported() {
    let mut fleet = fleet(&EndpointCheck { failure_threshold: 1, ..check() }, 1);
    let now = LabTime::at(TEN);
    let due = fleet.due(now);
    let (&last, others) = due.split_last().unwrap();
    for &id in others {
        assert_eq!(fleet.finish(now, id, false), None);
    }
    let change = fleet.finish(now, last, false).unwrap();
    let (settings, rules) = (StatusSettings::default(), FleetRules::default());
    let expected = FleetChange { healthy: false, healthy_checkers: 0, reporting: 16, checkers: 16, rules, settings };
    assert_eq!(change, expected);
    assert_eq!(change.to_string(), "0 of 16 checkers say healthy, not more than 18 %");
}

#[test]
fn r53_123_three_of_sixteen_keep_the_endpoint_healthy_and_two_do_not() {
    let outcome = |healthy_count: usize| {
        let mut fleet = fleet(&check(), 3);
        run(&mut fleet, LabTime::secs(100), |_| Duration::ZERO, |_, id| id.index() < healthy_count);
        fleet.is_healthy()
    };
    assert!(outcome(3));
    assert!(!outcome(2));
}

#[test]
fn r53_104_an_inverted_check_uses_the_opposite() {
    let mut fleet = fleet_with(&check(), StatusSettings { inverted: true, disabled: false }, 1);
    let changes = run(&mut fleet, LabTime::secs(100), |_| Duration::ZERO, |_, _| false);
    let [(_, change)] = changes[..] else { panic!("{changes:?}") };
    assert!(change.healthy && fleet.is_healthy());
    assert_eq!(change.to_string(), "2 of 16 checkers say healthy, not more than 18 %; the check is inverted");
}

#[test]
fn r53_105_r53_106_a_disabled_check_never_probes_and_keeps_its_status() {
    for inverted in [false, true] {
        let mut fleet = fleet_with(&check(), StatusSettings { inverted, disabled: true }, 1);
        assert_eq!(fleet.next_wakeup(), None);
        assert!(fleet.due(LabTime::secs(1000)).is_empty());
        assert_eq!(fleet.is_healthy(), !inverted);
    }
}

/// Inverted, and nothing else.
const INVERTED: StatusSettings = StatusSettings { inverted: true, disabled: false };
/// Disabled, and nothing else.
const DISABLED: StatusSettings = StatusSettings { inverted: false, disabled: true };

#[test]
fn r53_104_inverting_a_running_check_turns_it_at_once_and_back() {
    let mut fleet = fleet(&check(), 1);
    let now = LabTime::secs(5);
    let drained = fleet.update(now, INVERTED).unwrap();
    assert!(!drained.healthy && !fleet.is_healthy());
    let none = "0 of 16 checkers have reported, which is not enough data; the check is inverted";
    assert_eq!(drained.to_string(), none);
    assert_eq!(fleet.update(now, INVERTED), None, "it is inverted already");
    let back = fleet.update(now, StatusSettings::default()).unwrap();
    assert!(back.healthy && fleet.is_healthy());

    // And with every checker's word.
    run(&mut fleet, LabTime::secs(100), |_| Duration::ZERO, |_, _| true);
    let drained = fleet.update(LabTime::secs(100), INVERTED).unwrap();
    assert_eq!(drained.to_string(), "16 of 16 checkers say healthy, more than 18 %; the check is inverted");
}

#[test]
fn r53_105_disabling_a_running_check_makes_it_healthy_and_stops_it() {
    let mut fleet = fleet(&check(), 1);
    run(&mut fleet, LabTime::secs(100), |_| Duration::ZERO, |_, _| false);
    assert!(!fleet.is_healthy());
    let change = fleet.update(LabTime::secs(100), DISABLED).unwrap();
    assert!(change.healthy && fleet.is_healthy());
    assert_eq!(change.to_string(), "the check is disabled");
    assert_eq!((fleet.next_wakeup(), fleet.due(LabTime::secs(500))), (None, Vec::new()));

    let enabled = fleet.update(LabTime::secs(500), StatusSettings::default()).unwrap();
    assert!(!enabled.healthy, "what the checkers saw last counts again");
    let probes = std::cell::RefCell::new(BTreeSet::new());
    let ended = run(
        &mut fleet,
        LabTime::at(TEN) + Duration::from_secs(500),
        |_| Duration::ZERO,
        |start, id| {
            probes.borrow_mut().insert((start, id));
            true
        },
    );
    let starts: BTreeSet<_> = probes.borrow().iter().map(|&(start, _)| start).collect();
    assert!(starts.len() >= 16 && ended.is_empty(), "each goes on at its own phase: {starts:?}");
    assert!(starts.iter().all(|&start| start >= LabTime::secs(500)));
}

#[test]
fn r53_109_an_update_leaves_what_the_checkers_do_and_what_they_have_counted() {
    let twins = [None, Some(INVERTED), Some(DISABLED)].map(|meanwhile| {
        let mut fleet = fleet(&check(), 5);
        run(&mut fleet, LabTime::secs(25), |_| Duration::ZERO, |_, _| false);
        if let Some(settings) = meanwhile {
            fleet.update(LabTime::secs(25), settings);
            fleet.update(LabTime::secs(25), StatusSettings::default());
        }
        run(&mut fleet, LabTime::secs(200), |_| Duration::ZERO, |start, _| start > LabTime::secs(60))
    });
    assert_eq!(twins[0].len(), 2, "it fails and recovers");
    assert!(twins.iter().all(|twin| *twin == twins[0]), "{twins:?}");
}

#[test]
fn r53_106_inverting_a_disabled_check_takes_traffic_away_and_back() {
    let mut fleet = fleet_with(&check(), DISABLED, 1);
    let drained = fleet.update(LabTime::secs(7), StatusSettings { inverted: true, disabled: true }).unwrap();
    assert!(!drained.healthy);
    assert_eq!(drained.to_string(), "the check is disabled; the check is inverted");
    assert!(fleet.update(LabTime::secs(8), DISABLED).unwrap().healthy);
    assert_eq!(fleet.settings(), DISABLED);
}

#[test]
fn r53_105_a_probe_that_was_under_way_when_the_check_was_disabled_changes_no_status() {
    let mut fleet = fleet(&EndpointCheck { failure_threshold: 1, ..check() }, 1);
    let now = LabTime::at(TEN);
    let due = fleet.due(now);
    assert_eq!(fleet.update(now, DISABLED), None);
    for id in due {
        assert_eq!(fleet.finish(now, id, false), None);
    }
    assert!(fleet.is_healthy());
}

/// A fleet of some size, and the checkers whose endpoint fails: near the border of 18 %, often exactly on it.
fn near_the_border() -> impl Strategy<Value = (usize, usize)> {
    (prop_oneof![3_usize..=60, Just(50), Just(100)], 0_usize..3)
        .prop_map(|(checkers, off)| (checkers, (checkers * 18 / 100 + off).saturating_sub(1)))
}

proptest! {
    #[test]
    fn r53_123_a_share_of_exactly_18_percent_or_less_is_unhealthy((checkers, healthy) in near_the_border()) {
        // As fractions of whole numbers: 9/50 is 18 %.
        prop_assert_eq!(FleetRules::default().endpoint_is_healthy(healthy, checkers), 50 * healthy > 9 * checkers);
    }

    #[test]
    fn r53_123_the_status_is_the_18_percent_rule_for_any_interleaving_of_results(
        seed: u64,
        threshold in 1_u32..=3,
        (checkers, healthy) in near_the_border(),
        settings in (any::<bool>(), any::<bool>()),
        rounds in 1_u32..=3,
        chance in 0.0..=0.3_f64,
    ) {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let settings = StatusSettings { inverted: settings.0, disabled: settings.1 };
        let check = EndpointCheck { failure_threshold: threshold, ..check() };
        // All start enabled, so that each can probe.
        let mut fleet = Fleet::of(checkers, FleetRules::default(), &check, StatusSettings::default(), LabTime::START, rng);
        // Every checker gets its results so often, in an order of its own; then so many are left that say healthy.
        let mut results: Vec<usize> = (0..rounds * threshold).flat_map(|_| 0..checkers).collect();
        results.shuffle(rng);
        let mut places: Vec<usize> = (0..checkers).collect();
        places.shuffle(rng);
        let passes: BTreeSet<usize> = places.into_iter().take(healthy).collect();
        let mut last_rounds: Vec<usize> = (0..threshold).flat_map(|_| 0..checkers).collect();
        last_rounds.shuffle(rng);

        // The direct reading: each checker's results in a list of its own.
        let mut seen: Vec<Vec<bool>> = vec![Vec::new(); checkers];
        let (mut status, mut now) = (true, LabTime::at(TEN));
        let noisy = results.into_iter().map(|place| (place, true));
        for (place, noise) in noisy.chain(last_rounds.into_iter().map(|place| (place, false))) {
            let passed = passes.contains(&place) != (noise && rng.random_bool(chance));
            now = now + TEN;
            fleet.due(now);
            let change = fleet.finish(now, CheckerId(place), passed);
            seen[place].push(passed);
            let say_healthy = seen.iter().filter(|list| view(list, threshold)).count();
            let reporting = seen.iter().filter(|list| !list.is_empty()).count();
            let expected = reporting < checkers || 50 * say_healthy > 9 * checkers;
            prop_assert_eq!(fleet.is_healthy(), expected);
            prop_assert_eq!(change.map(|change| change.healthy), (expected != status).then_some(expected));
            status = expected;
        }
        let last = 50 * healthy > 9 * checkers;
        prop_assert_eq!(status, last, "{} of {}", healthy, checkers);
        // R53-104 to R53-106.
        let applied = (settings.disabled || last) != settings.inverted;
        let change = fleet.update(now, settings);
        prop_assert_eq!(change.map(|change| change.healthy), (applied != last).then_some(applied));
    }

    #[test]
    fn r53_127_the_fleet_turns_within_the_bounds_of_its_checkers_for_any_phases(
        seed: u64,
        threshold in 1_u32..=10,
        fault in 20_000_u64..40_000,
        passing in 0_u64..1_000,
        failing in 0_u64..6_000,
    ) {
        let ms = Duration::from_millis;
        let check = EndpointCheck { failure_threshold: threshold, ..check() };
        let (fault, heal) = (LabTime::at(ms(fault)), LabTime::at(ms(fault)) + ms(300_000));
        let takes = |passed| if passed { ms(passing) } else { ms(failing) };
        let answers = |start, _| start < fault || start >= heal;
        let changes = run(&mut fleet(&check, seed), heal + ms(300_000), takes, answers);
        let [(failed, down), (recovered, up)] = changes[..] else { panic!("{changes:?}") };
        prop_assert!(!down.healthy && up.healthy);
        let (best, worst) = check.turns_within(ms(passing), ms(failing));
        prop_assert!(best <= failed.since(fault) && failed.since(fault) <= worst);
        let (best, worst) = check.turns_within(ms(failing), ms(passing));
        prop_assert!(best <= recovered.since(heal) && recovered.since(heal) <= worst);
    }
}

/// A checker's view, read directly from its results: it turns when the last `threshold` all oppose it.
fn view(results: &[bool], threshold: u32) -> bool {
    let threshold = threshold as usize;
    let mut view = true;
    for end in threshold..=results.len() {
        if results[end - threshold..end].iter().all(|&passed| passed != view) {
            view = !view;
        }
    }
    view
}
