use std::time::Duration;

use super::*;
use crate::decide::Evidence;
use crate::health::{Alarm, AlarmSettings, AlarmState, Comparison, InsufficientData, MissingData, Statistic};
use crate::node::testbed::{Testbed, on_loopback};
use crate::plan::Metric;

fn too_old(insufficient_data: InsufficientData) -> AlarmPlan {
    let settings = AlarmSettings {
        statistic: Statistic::Maximum,
        period: Duration::from_secs(60),
        evaluation_periods: 1,
        threshold: 300.0,
        comparison: Comparison::GreaterThanThreshold,
    };
    let alarm = Alarm { settings, datapoints_to_alarm: 1, treat_missing_data: MissingData::Missing };
    AlarmPlan { metric: Metric::QueueAge("east".to_owned()), alarm, insufficient_data }
}

/// The next turn of the check: to what, and why. Each evaluation before it is journalled as such.
async fn turn(bed: &mut Testbed) -> (bool, String) {
    let mut evaluated = 0;
    let turn = bed.journal.wait_for("a turn", |stamped| match &stamped.event {
        Event::Checked { by, .. } => {
            assert_eq!(by, EVALUATION);
            evaluated += 1;
            None
        }
        Event::HealthChanged { healthy, reason, .. } => Some((*healthy, reason.clone())),
        _ => None,
    });
    let turned = turn.await;
    assert!(evaluated >= 1, "it turned without an evaluation");
    turned
}

#[test]
fn r53_142_a_datapoint_over_the_threshold_turns_the_check_and_silence_is_what_the_check_makes_of_it() {
    on_loopback(500.0, async |mut bed| {
        let (id, plan) = (HealthCheckId("age".to_owned()), too_old(InsufficientData::Healthy));
        let store = MetricStore::new([&plan].into_iter(), bed.environment.recorder.clone());
        store.publish(&plan.metric, Some(400.0));
        let board = bed.board();
        let _running = start(&id, &plan, StatusSettings::default(), &store, &board, &bed.environment);
        let (healthy, reason) = turn(&mut bed).await;
        assert!(!healthy && reason.contains("400"), "{reason}");
        // Nothing is published any more: the old datapoint leaves the range that is looked at.
        let (healthy, reason) = turn(&mut bed).await;
        assert!(healthy, "{reason}");
        assert!(bed.evidence.borrow().health_check_is_healthy(&id));
    });
}

#[test]
fn r53_144_the_alarm_has_a_state_of_its_own_beside_the_health_checks() {
    on_loopback(500.0, async |mut bed| {
        let (id, mut plan) = (HealthCheckId("age".to_owned()), too_old(InsufficientData::LastKnownStatus));
        plan.alarm.treat_missing_data = MissingData::Breaching;
        let store = MetricStore::new([&plan].into_iter(), bed.environment.recorder.clone());
        store.publish(&plan.metric, Some(0.0));
        let _running = start(&id, &plan, StatusSettings::default(), &store, &bed.board(), &bed.environment);
        let mut states = Vec::new();
        let checked = bed.journal.wait_for("an alarm without data", |stamped| match &stamped.event {
            Event::AlarmEvaluated { copied_by, state } => {
                assert_eq!(copied_by, "age");
                states.push(*state);
                None
            }
            Event::Checked { passed, detail, .. } if states.last() == Some(&AlarmState::Alarm) => {
                Some((*passed, detail.clone()))
            }
            _ => None,
        });
        let (passed, detail) = checked.await;
        assert!(passed && detail.starts_with("INSUFFICIENT_DATA, so the last known status is kept"), "{detail}");
        assert_eq!(states.first(), Some(&AlarmState::Ok), "the published value was fine");
    });
}

#[test]
fn r53_105_the_alarm_of_a_disabled_check_runs_on() {
    on_loopback(500.0, async |mut bed| {
        let (id, plan) = (HealthCheckId("age".to_owned()), too_old(InsufficientData::Unhealthy));
        let store = MetricStore::new([&plan].into_iter(), bed.environment.recorder.clone());
        store.publish(&plan.metric, Some(400.0));
        let status = StatusSettings { inverted: false, disabled: true };
        let _running = start(&id, &plan, status, &store, &bed.board(), &bed.environment);
        let insufficient = bed.journal.wait_for("an alarm without data", |stamped| match &stamped.event {
            Event::AlarmEvaluated { state, .. } => (*state == AlarmState::InsufficientData).then_some(()),
            Event::Checked { .. } | Event::HealthChanged { .. } => panic!("{stamped:?}"),
            _ => None,
        });
        insufficient.await;
    });
}

#[test]
fn r53_103_an_inverted_check_begins_unhealthy() {
    on_loopback(1.0, async |bed| {
        let id = HealthCheckId("age".to_owned());
        let status = StatusSettings { inverted: true, disabled: false };
        let plan = too_old(InsufficientData::Healthy);
        let store = MetricStore::new([&plan].into_iter(), bed.environment.recorder.clone());
        let _running = start(&id, &plan, status, &store, &bed.board(), &bed.environment);
        assert!(!bed.evidence.borrow().health_check_is_healthy(&id));
    });
}
