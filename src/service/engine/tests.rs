//! What an engine does with its slots, and the laws that hold whatever comes in.

use proptest::prelude::*;

use super::*;

const START: LabTime = LabTime::START;

/// Ten tokens a second from each slot.
fn settings(slots: u32, queue: u32) -> EngineSettings {
    let loads_for = Duration::ZERO;
    EngineSettings { model: "chat-model".to_owned(), slots, queue, tokens_per_second: 10.0, loads_for }
}

fn at(milliseconds: u64) -> LabTime {
    LabTime::at(Duration::from_millis(milliseconds))
}

fn engine(slots: u32, queue: u32) -> Engine {
    Engine::start(settings(slots, queue), START)
}

#[test]
fn an_answer_takes_its_tokens_at_the_rate_and_not_a_moment_less() {
    let mut engine = engine(1, 0);
    let request = engine.submit(START, 16, Delivery::Whole).unwrap();
    assert_eq!(engine.next_wakeup(), Some(at(1600)));
    assert_eq!(engine.advance(at(1599)), []);
    assert_eq!(engine.advance(at(1600)), [Output::Finished(request)]);
    assert_eq!(engine.next_wakeup(), None);
    assert_eq!(engine.settings().answers_in(16), Duration::from_millis(1600));
}

#[test]
fn a_streamed_answer_is_told_token_by_token() {
    let mut engine = engine(1, 0);
    let request = engine.submit(START, 3, Delivery::Streamed).unwrap();
    assert_eq!(engine.next_wakeup(), Some(at(100)));
    assert_eq!(engine.advance(at(100)), [Output::Made { request, tokens: 1 }]);
    assert_eq!(engine.next_wakeup(), Some(at(200)));
    let rest = [Output::Made { request, tokens: 2 }, Output::Finished(request)];
    assert_eq!(engine.advance(at(300)), rest);
}

#[test]
fn who_waits_begins_when_a_slot_is_free_and_not_when_somebody_looks() {
    let mut engine = engine(1, 1);
    let first = engine.submit(START, 10, Delivery::Whole).unwrap();
    let second = engine.submit(at(500), 10, Delivery::Whole).unwrap();
    assert_eq!((engine.running(), engine.waiting()), (1, 1));
    assert_eq!(engine.submit(at(900), 10, Delivery::Whole), Err(TurnedAway::QueueFull { waiting: 1 }));
    assert_eq!(engine.advance(at(5000)), [Output::Finished(first), Output::Finished(second)]);
    let third = engine.submit(at(5000), 10, Delivery::Whole).unwrap();
    assert_eq!(engine.advance(at(5999)), []);
    assert_eq!(engine.advance(at(6000)), [Output::Finished(third)]);
}

#[test]
fn nothing_is_accepted_while_the_model_loads() {
    let loads_for = Duration::from_secs(240);
    let mut engine = Engine::start(EngineSettings { loads_for, ..settings(8, 64) }, LabTime::secs(10));
    let until = LabTime::secs(250);
    assert_eq!(engine.submit(LabTime::secs(249), 1, Delivery::Whole), Err(TurnedAway::Loading { until }));
    assert!(engine.submit(until, 1, Delivery::Whole).is_ok());
}

#[test]
fn a_wedged_engine_takes_everything_and_gives_nothing_and_loses_it_when_it_is_well_again() {
    let mut engine = engine(1, 1);
    let running = engine.submit(START, 10, Delivery::Whole).unwrap();
    engine.turn(at(500), Condition::Wedged);
    let held: Vec<RequestId> = (0..5).map(|_| engine.submit(at(600), 1, Delivery::Whole).unwrap()).collect();
    assert_eq!((engine.next_wakeup(), engine.advance(LabTime::secs(9999))), (None, vec![]));
    engine.turn(LabTime::secs(10_000), Condition::Well);
    assert_eq!(engine.next_wakeup(), Some(LabTime::secs(10_000)));
    let lost: Vec<Output> = std::iter::once(running).chain(held).map(Output::Dropped).collect();
    assert_eq!(engine.advance(LabTime::secs(10_000)), lost);
    assert_eq!((engine.running(), engine.waiting()), (0, 0));
    let fresh = engine.submit(LabTime::secs(10_000), 1, Delivery::Whole).unwrap();
    assert_eq!(engine.advance(LabTime::secs(10_001)), [Output::Finished(fresh)]);
}

#[test]
fn a_frozen_engine_goes_on_where_it_was_stopped_and_has_lost_nothing() {
    let mut engine = engine(1, 1);
    let running = engine.submit(START, 10, Delivery::Whole).unwrap();
    engine.turn(at(450), Condition::Frozen);
    let held: Vec<RequestId> = (0..3).map(|_| engine.submit(at(600), 1, Delivery::Whole).unwrap()).collect();
    assert_eq!((engine.next_wakeup(), engine.advance(LabTime::secs(9999))), (None, vec![]));
    engine.turn(LabTime::secs(10_000), Condition::Well);
    assert_eq!((engine.running(), engine.waiting()), (1, 3));
    // Half a token and five whole ones were left of it.
    let goes_on = LabTime::secs(10_000);
    assert_eq!(engine.advance(goes_on + Duration::from_millis(549)), []);
    assert_eq!(engine.advance(goes_on + Duration::from_millis(550)), [Output::Finished(running)]);
    let later: Vec<Output> = held.into_iter().map(Output::Finished).collect();
    assert_eq!(engine.advance(goes_on + Duration::from_millis(850)), later);
}

#[test]
fn a_starved_engine_goes_on_with_the_oldest_at_an_eighth_and_the_others_wait_with_what_they_have() {
    let mut engine = engine(2, 4);
    let oldest = engine.submit(START, 10, Delivery::Whole).unwrap();
    let other = engine.submit(START, 10, Delivery::Whole).unwrap();
    let last = engine.submit(at(450), 10, Delivery::Whole).unwrap();
    engine.turn(at(500), Condition::Starved);
    assert_eq!((engine.running(), engine.waiting()), (1, 2));
    assert!((engine.cache_usage() - 1.0).abs() < f64::EPSILON);
    // Five tokens are left of each: 0.5 s at full rate.
    assert_eq!(engine.next_wakeup(), Some(at(4500)));
    assert_eq!(engine.advance(at(4500)), [Output::Finished(oldest)]);
    engine.turn(at(4500), Condition::Well);
    assert_eq!(engine.advance(at(5000)), [Output::Finished(other)]);
    assert_eq!(engine.advance(at(5500)), [Output::Finished(last)]);
}

#[test]
fn a_token_under_way_when_an_engine_starves_is_slowed_for_what_is_left_of_it() {
    let mut engine = engine(1, 0);
    let request = engine.submit(START, 1, Delivery::Whole).unwrap();
    engine.turn(at(50), Condition::Starved);
    assert_eq!(engine.next_wakeup(), Some(at(450)));
    engine.turn(at(250), Condition::OtherModel);
    assert_eq!(engine.advance(at(274)), []);
    assert_eq!(engine.advance(at(275)), [Output::Finished(request)]);
}

#[test]
fn the_cache_is_never_full_but_when_it_starves() {
    let mut engine = engine(2, 0);
    assert!(engine.cache_usage().abs() < f64::EPSILON);
    for _ in 0..2 {
        engine.submit(START, 10, Delivery::Whole).unwrap();
    }
    assert!((engine.cache_usage() - CACHE_USED_BY_ALL_SLOTS).abs() < f64::EPSILON);
}

#[test]
fn an_engine_carries_what_its_slots_can_make_and_no_more() {
    // 8 slots at 32 tokens a second: 16 requests of 16 tokens a second.
    let engine = EngineSettings { slots: 8, tokens_per_second: 32.0, ..settings(8, 64) };
    assert_eq!(engine.answers_in(16), Duration::from_millis(500));
    assert!(engine.carries(16.0, 16));
    assert!(!engine.carries(16.1, 16));
    assert!(engine.carries(8.0, 32));
}

#[test]
fn no_rate_is_too_small_or_too_large_to_be_reckoned_with() {
    for tokens_per_second in [f64::MIN_POSITIVE, 1e-9, 1e12, f64::MAX] {
        let engine = EngineSettings { tokens_per_second, ..settings(1, 1) };
        assert!(engine.answers_in(u32::MAX) >= Duration::from_nanos(1));
        let mut engine = Engine::start(engine, START);
        engine.submit(START, u32::MAX, Delivery::Whole).unwrap();
        assert!(engine.next_wakeup() > Some(START));
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Submit(u32, Delivery),
    Wait(u64),
    Cancel(u64),
    Turn(Condition),
}

fn step() -> impl Strategy<Value = Step> {
    let delivery = prop_oneof![Just(Delivery::Whole), Just(Delivery::Streamed)];
    let conditions = [Condition::Well, Condition::Wedged, Condition::Frozen, Condition::Starved, Condition::OtherModel];
    prop_oneof![
        5 => (1..20_u32, delivery).prop_map(|(tokens, delivery)| Step::Submit(tokens, delivery)),
        5 => (0..3_000_u64).prop_map(Step::Wait),
        2 => (0..40_u64).prop_map(Step::Cancel),
        1 => proptest::sample::select(conditions.to_vec()).prop_map(Step::Turn),
    ]
}

proptest! {
    #[test]
    fn whatever_comes_in_slots_order_and_rate_are_kept(
        slots in 1..5_u32,
        queue in 0..6_u32,
        rate in 0.3..70.0_f64,
        steps in proptest::collection::vec(step(), 1..80),
    ) {
        let settings = EngineSettings { tokens_per_second: rate, ..settings(slots, queue) };
        let token_takes = settings.token_takes();
        let mut engine = Engine::start(settings, START);
        let (mut now, mut made, mut asked, mut ended) = (START, 0_u32, Vec::new(), Vec::new());
        for step in steps {
            match step {
                Step::Submit(tokens, delivery) => {
                    let (running, waiting) = (engine.running(), engine.waiting());
                    match engine.submit(now, tokens, delivery) {
                        Ok(request) => asked.push((request, tokens, delivery)),
                        Err(away) => {
                            prop_assert!(!engine.stands_still());
                            prop_assert_eq!(away, TurnedAway::QueueFull { waiting });
                            prop_assert!(running == engine.open_slots() && waiting >= as_count(queue));
                        }
                    }
                }
                Step::Wait(milliseconds) => now = now + Duration::from_millis(milliseconds),
                Step::Cancel(request) => {
                    let request = RequestId(request);
                    engine.cancel(now, request);
                    if asked.iter().any(|(asked, _, _)| *asked == request) {
                        ended.push(request);
                    }
                }
                Step::Turn(condition) => engine.turn(now, condition),
            }
            for output in engine.advance(now) {
                match output {
                    Output::Made { request, tokens } => {
                        made += tokens;
                        prop_assert!(!ended.contains(&request));
                    }
                    Output::Finished(request) | Output::Dropped(request) => {
                        let Some((_, tokens, delivery)) = asked.iter().find(|(asked, _, _)| *asked == request) else {
                            return Err(TestCaseError::fail("nobody asked for it"));
                        };
                        if *delivery == Delivery::Whole && output == Output::Finished(request) {
                            made += tokens;
                        }
                        prop_assert!(!ended.contains(&request), "{:?} ended twice", request);
                        ended.push(request);
                    }
                }
            }
            // At no moment more at work than there are slots, and no slot idle while somebody waits.
            if !engine.stands_still() {
                prop_assert!(engine.running() <= engine.open_slots());
                prop_assert!(engine.waiting() == 0 || engine.running() == engine.open_slots());
            }
            // First come, first served.
            let line: Vec<RequestId> =
                engine.running.iter().map(|(job, _)| job.request).chain(engine.waiting.iter().map(|job| job.request)).collect();
            prop_assert!(line.is_sorted(), "{line:?}");
            prop_assert!(line.iter().all(|request| !ended.contains(request)));
            // Each token has cost a slot its time.
            let worth = token_takes.as_nanos() * u128::from(made);
            prop_assert!(worth <= now.since_start().as_nanos() * u128::from(slots), "{made} tokens by {now}");
            // Whatever is due, is told: the next wake-up lies ahead.
            prop_assert!(engine.next_wakeup().is_none_or(|due| due > now));
        }
        // Nothing that was accepted is forgotten.
        engine.turn(now, Condition::Well);
        engine.turn(now, Condition::Wedged);
        engine.turn(now, Condition::Well);
        ended.extend(engine.advance(now).iter().filter_map(|output| match output {
            Output::Dropped(request) | Output::Finished(request) => Some(*request),
            Output::Made { .. } => None,
        }));
        prop_assert!(asked.iter().all(|(request, _, _)| ended.contains(request)));
    }
}
