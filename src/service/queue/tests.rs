use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::health::{
    Alarm, AlarmCheck, AlarmSettings, Comparison, InsufficientData, MetricStream, MissingData, Statistic,
    StatusSettings,
};

const HOUR: u64 = 3_600;

const fn settings() -> QueueSettings {
    QueueSettings {
        active_for: Duration::from_secs(6 * HOUR),
        wakes_within: Duration::from_secs(900),
        deleted_when_idle_for: Duration::from_secs(30 * 24 * HOUR),
        dead_letter_after: None,
    }
}

fn queue() -> Queue {
    seeded(1)
}

fn seeded(seed: u64) -> Queue {
    set_to(&settings(), seed)
}

fn set_to(settings: &QueueSettings, seed: u64) -> Queue {
    Queue::new(settings, LabTime::START, &mut ChaCha8Rng::seed_from_u64(seed))
}

/// What is published each minute, from the first to the last of these.
fn published(queue: &Queue, from: u64, to: u64) -> MetricStream {
    let mut metric = MetricStream::reaching(Duration::from_secs(8 * HOUR));
    for at in (from..=to).step_by(60).map(LabTime::secs) {
        if let Some(age) = queue.age_of_oldest(at) {
            metric.put(at, age);
        }
    }
    metric
}

#[test]
fn a_received_message_is_hidden_until_its_time_is_up_or_it_is_deleted() {
    let mut queue = queue();
    let id = queue.send(LabTime::secs(1));
    let message = Message { id, sent: LabTime::secs(1), receives: 1 };
    assert_eq!(queue.receive(LabTime::secs(2)), Some(message));
    assert_eq!(queue.receive(LabTime::secs(31)), None, "somebody is working on it");
    assert_eq!(queue.receive(LabTime::secs(32)), Some(Message { receives: 2, ..message }));
    assert_eq!(queue.len(LabTime::secs(32)), 1);
    assert!(queue.delete(LabTime::secs(33), id) && queue.is_empty(LabTime::secs(33)));
    assert!(!queue.delete(LabTime::secs(34), id), "it is gone");
    assert_eq!(queue.receive(LabTime::secs(99)), None);
}

#[test]
fn the_oldest_message_is_received_first() {
    let mut queue = queue();
    let sent = [1, 2].map(|at| queue.send(LabTime::secs(at)));
    let received = [3, 4].map(|at| queue.receive(LabTime::secs(at)).unwrap().id);
    assert_eq!(received, sent);
}

#[test]
fn r53_202_it_publishes_until_six_hours_after_its_last_use() {
    let mut queue = queue();
    queue.receive(LabTime::secs(100));
    assert_eq!(queue.age_of_oldest(LabTime::secs(100 + 6 * HOUR)), Some(0.0));
    assert_eq!(queue.age_of_oldest(LabTime::secs(101 + 6 * HOUR)), None);
}

#[test]
fn r53_202_it_publishes_as_long_as_it_holds_a_message() {
    let mut queue = queue();
    let id = queue.send(LabTime::secs(100));
    assert_eq!(queue.age_of_oldest(LabTime::secs(100 + 50 * HOUR)), Some(180_000.0));
    queue.delete(LabTime::secs(200 + 50 * HOUR), id);
    assert_eq!(queue.age_of_oldest(LabTime::secs(200 + 56 * HOUR)), Some(0.0));
    assert_eq!(queue.age_of_oldest(LabTime::secs(201 + 56 * HOUR)), None);
}

proptest! {
    #[test]
    fn r53_202_an_inactive_queue_wakes_within_fifteen_minutes_of_being_used(seed: u64, used in 7 * HOUR..9 * HOUR) {
        let mut queue = seeded(seed);
        queue.send(LabTime::secs(used));
        let first = (used..used + HOUR).find(|&at| queue.age_of_oldest(LabTime::secs(at)).is_some()).unwrap();
        prop_assert!(first - used <= 900);
        prop_assert!(queue.age_of_oldest(LabTime::secs(used + 900)).is_some());
        queue.send(LabTime::secs(first + 1));
        prop_assert!(queue.age_of_oldest(LabTime::secs(first + 1)).is_some(), "it is awake already");
    }
}

#[test]
fn r53_202_the_delay_on_waking_is_drawn() {
    let waking = |seed| {
        let mut queue = seeded(seed);
        queue.send(LabTime::secs(7 * HOUR));
        queue.publishes_from
    };
    assert_eq!(waking(1), waking(1));
    assert_ne!(waking(1), waking(2));
}

#[test]
fn r53_203_empty_but_polled_it_reports_zero() {
    let mut queue = queue();
    for at in (0..20 * HOUR).step_by(600).map(LabTime::secs) {
        assert_eq!(queue.receive(at), None);
        assert_eq!(queue.age_of_oldest(at), Some(0.0));
    }
}

#[test]
fn r53_204_a_check_on_the_age_of_a_silent_queue_follows_what_insufficient_data_mean() {
    let age = AlarmSettings {
        statistic: Statistic::Maximum,
        period: Duration::from_secs(60),
        evaluation_periods: 1,
        threshold: 300.0,
        comparison: Comparison::GreaterThanThreshold,
    };
    let alarm = Alarm { settings: age, datapoints_to_alarm: 1, treat_missing_data: MissingData::NotBreaching };
    let metric = published(&queue(), 0, 8 * HOUR);
    let check = |insufficient, at| {
        let mut check = AlarmCheck::new(&alarm, insufficient, StatusSettings::default());
        check.evaluate(LabTime::secs(at), &metric)
    };
    assert_eq!(check(InsufficientData::Unhealthy, 6 * HOUR).passed, Some(true), "it is still active");
    for (insufficient, healthy) in [
        (InsufficientData::Healthy, true),
        (InsufficientData::Unhealthy, false),
        (InsufficientData::LastKnownStatus, true),
    ] {
        let evaluation = check(insufficient, 7 * HOUR);
        assert_eq!((evaluation.passed, evaluation.healthy), (None, healthy), "{insufficient:?}");
    }
}

#[test]
fn r53_205_a_message_received_three_times_no_longer_counts_and_the_next_does() {
    let mut queue = queue();
    queue.send(LabTime::secs(0));
    queue.send(LabTime::secs(50));
    for (at, age) in [(100, 100.0), (140, 140.0)] {
        assert_eq!(queue.receive(LabTime::secs(at)).unwrap().sent, LabTime::START);
        assert_eq!(queue.age_of_oldest(LabTime::secs(at)), Some(age));
    }
    assert_eq!(queue.receive(LabTime::secs(180)).unwrap().receives, 3);
    assert_eq!(queue.age_of_oldest(LabTime::secs(180)), Some(130.0));
}

#[test]
fn r53_205_with_none_left_that_counts_the_age_is_zero() {
    let mut queue = queue();
    queue.send(LabTime::secs(0));
    for at in [100, 140, 180] {
        queue.receive(LabTime::secs(at));
    }
    assert_eq!((queue.len(LabTime::secs(200)), queue.age_of_oldest(LabTime::secs(200))), (1, Some(0.0)));
}

#[test]
fn r53_206_with_producer_and_consumer_dead_the_metric_looks_perfect_and_then_vanishes() {
    let queue = queue();
    assert_eq!(queue.age_of_oldest(LabTime::secs(HOUR)), Some(0.0));
    assert_eq!(queue.age_of_oldest(LabTime::secs(7 * HOUR)), None);
}

#[test]
fn r53_202_its_last_datapoint_falls_into_the_predicted_minute() {
    let mut queue = queue();
    let used = 1_234;
    queue.receive(LabTime::secs(used));
    let minutes = (0..8 * HOUR).step_by(60);
    let last = minutes.filter(|&at| queue.age_of_oldest(LabTime::secs(at)).is_some()).max().unwrap();
    let (best, worst) = settings().falls_silent_within();
    assert!((best..=worst).contains(&Duration::from_secs(last - used)));
}

#[test]
fn r53_205_a_message_received_too_often_is_a_dead_letter_whose_age_counts_from_the_move() {
    let mut queue = set_to(&QueueSettings { dead_letter_after: Some(2), ..settings() }, 1);
    for at in [0, 45] {
        queue.send(LabTime::secs(at));
    }
    // When, how old the message is that is handed out then, and the ages of both queues after it.
    for (at, handed_out, age, dead) in [
        (10, Some(10), 10.0, 0.0),
        (40, Some(40), 40.0, 0.0),
        (69, Some(24), 69.0, 0.0),
        // The third receiver finds it dead, and nothing else that nobody works on.
        (70, None, 25.0, 0.0),
        (99, Some(54), 54.0, 29.0),
        (129, None, 0.0, 59.0),
    ] {
        let at = LabTime::secs(at);
        let message = queue.receive(at).map(|message| at.since(message.sent).as_secs());
        let ages = (queue.age_of_oldest(at), queue.dead_letters().unwrap().age_of_oldest(at));
        assert_eq!((message, ages), (handed_out, (Some(age), Some(dead))), "{at:?}");
    }
    assert_eq!(queue.dead_letters().unwrap().len(LabTime::secs(129)), 2);
}

#[test]
fn r53_205_without_a_dead_letter_queue_a_message_comes_back_for_ever_and_is_skipped() {
    let mut queue = queue();
    queue.send(LabTime::START);
    for (receives, at) in (1..100).zip((0..).step_by(30).map(LabTime::secs)) {
        assert_eq!(queue.receive(at).unwrap().receives, receives);
        let age = if receives < 3 { at.since_start().as_secs_f64() } else { 0.0 };
        assert_eq!(queue.age_of_oldest(at), Some(age), "received {receives} times");
    }
    assert!(queue.dead_letters().is_none());
}

#[test]
fn r53_202_dead_letters_wake_their_queue_as_any_message_does() {
    let sleepy = QueueSettings { dead_letter_after: Some(1), active_for: Duration::from_secs(10), ..settings() };
    let mut queue = set_to(&sleepy, 1);
    queue.send(LabTime::secs(100));
    queue.receive(LabTime::secs(100));
    assert_eq!(queue.receive(LabTime::secs(130)), None);
    let dead = queue.dead_letters().unwrap();
    assert_eq!(dead.age_of_oldest(LabTime::secs(130)), None, "it had fallen silent");
    assert_eq!(dead.age_of_oldest(LabTime::secs(130 + 900)), Some(900.0));
}

#[test]
fn a_queue_that_nobody_uses_is_deleted_with_its_messages_and_comes_back_empty() {
    let mut queue = set_to(&QueueSettings { deleted_when_idle_for: Duration::from_secs(300), ..settings() }, 1);
    queue.send(LabTime::secs(100));
    assert_eq!((queue.age_of_oldest(LabTime::secs(400)), queue.len(LabTime::secs(400))), (Some(300.0), 1));
    assert_eq!((queue.age_of_oldest(LabTime::secs(401)), queue.len(LabTime::secs(401))), (None, 0));
    assert!(!queue.has_a_new_message(LabTime::secs(401)));
    assert_eq!(queue.receive(LabTime::secs(1_000)), None);
    queue.receive(LabTime::secs(1_200));
    queue.receive(LabTime::secs(1_500));
    queue.receive(LabTime::secs(1_800));
    assert_eq!(queue.age_of_oldest(LabTime::secs(1_900)), Some(0.0), "15 min later it publishes at the latest");
}

#[test]
fn r53_203_a_queue_that_empties_publishes_zero_before_it_falls_silent_and_one_that_is_deleted_does_not() {
    let last = |settings: QueueSettings, done: Option<u64>| {
        let mut queue = set_to(&settings, 1);
        let id = queue.send(LabTime::START);
        if let Some(done) = done {
            queue.delete(LabTime::secs(done), id);
        }
        let ages = (0..10 * HOUR).step_by(60).filter_map(|at| queue.age_of_oldest(LabTime::secs(at)));
        ages.last()
    };
    assert_eq!(last(settings(), Some(600)), Some(0.0), "the last word is that all is well");
    let idle = QueueSettings { deleted_when_idle_for: Duration::from_secs(600), ..settings() };
    assert_eq!(last(idle, None), Some(600.0));
}
