use serde_json::Value;

use crate::fault::Fault;
use crate::node::testbed::{EAST_QUEUE, STRANGER, Testbed, east_with_a_queue, http_client, on_loopback, url};
use crate::plan::CellKind;

use super::*;

/// Looks at the queue of `east` until it shows what is waited for.
async fn seen(bed: &Testbed, wanted: impl Fn(&QueueMetrics) -> bool) -> QueueMetrics {
    let http = http_client(&bed.environment.ground, STRANGER, true);
    let looking = async {
        loop {
            let look = http.get(url(&bed.environment.ground, EAST_QUEUE[0], "/metrics")).send().await.unwrap();
            let metrics: QueueMetrics = look.json().await.unwrap();
            if wanted(&metrics) {
                return metrics;
            }
        }
    };
    bed.environment.clock.within(std::time::Duration::from_secs(600), looking).await.unwrap()
}

#[test]
fn a_stopped_worker_lets_the_oldest_message_age_and_a_started_one_works_it_off() {
    on_loopback(100.0, async |bed| {
        let mut cell = bed.start_cell("east", &east_with_a_queue());
        let fault = Fault::StopWorker("east".to_owned());
        cell.apply(&fault).await;
        let behind = seen(&bed, |queue| queue.age_of_oldest.is_some_and(|age| age > 30.0)).await;
        assert!(behind.messages >= 6, "a message every 5 s: {behind:?}");
        cell.undo(&fault).unwrap();
        let caught_up = seen(&bed, |queue| queue.age_of_oldest.is_some_and(|age| age < 5.0)).await;
        assert!(caught_up.messages < behind.messages, "{caught_up:?}");
    });
}

#[test]
fn a_message_is_sent_received_once_and_deleted_once() {
    on_loopback(1.0, async |bed| {
        let mut cell = bed.start_cell("east", &east_with_a_queue());
        cell.apply(&Fault::QuietQueue("east".to_owned())).await;
        let http = http_client(&bed.environment.ground, STRANGER, true);
        let at = |path: &str| url(&bed.environment.ground, EAST_QUEUE[0], path);
        let take = async || http.post(at("/receive")).send().await.unwrap();
        assert_eq!(take().await.status(), StatusCode::NO_CONTENT, "the worker has finished");

        assert_eq!(http.post(at("/messages")).send().await.unwrap().status(), StatusCode::CREATED);
        let received = take().await.json::<Value>().await.unwrap();
        assert_eq!(received["receives"], 1);
        assert_eq!(take().await.status(), StatusCode::NO_CONTENT, "somebody works on it");
        let receipt = at(&format!("/messages/{}", received["receipt"]));
        assert_eq!(http.delete(&receipt).send().await.unwrap().status(), StatusCode::NO_CONTENT);
        assert_eq!(http.delete(&receipt).send().await.unwrap().status(), StatusCode::NOT_FOUND);
    });
}

#[test]
fn a_queue_that_falls_quiet_holds_nothing_whatever_the_moment() {
    on_loopback(100.0, async |bed| {
        let mut cell = bed.start_cell("east", &east_with_a_queue());
        let fault = Fault::QuietQueue("east".to_owned());
        for _ in 0..5 {
            // A message has just been sent, and is not yet worked on.
            seen(&bed, |queue| queue.messages > 0).await;
            cell.apply(&fault).await;
            assert_eq!(seen(&bed, |_| true).await.messages, 0);
            cell.undo(&fault).unwrap();
        }
    });
}

#[test]
fn a_queue_that_is_abandoned_holds_a_message_that_ages_whatever_the_moment() {
    on_loopback(100.0, async |bed| {
        let mut cell = bed.start_cell("east", &east_with_a_queue());
        let fault = Fault::AbandonQueue("east".to_owned());
        for _ in 0..5 {
            // The worker has just been done with everything.
            seen(&bed, |queue| queue.messages == 0).await;
            cell.apply(&fault).await;
            let left = seen(&bed, |queue| queue.age_of_oldest.is_some_and(|age| age > 60.0)).await;
            assert!(left.messages >= 1, "{left:?}");
            cell.undo(&fault).unwrap();
        }
    });
}

#[test]
fn r53_205_a_message_that_is_received_too_often_shows_as_a_dead_letter() {
    on_loopback(100.0, async |bed| {
        let mut plan = east_with_a_queue();
        let CellKind::Region(region) = &mut plan.kind else { panic!("a region") };
        region.queue.as_mut().unwrap().settings.dead_letter_after = Some(1);
        let mut cell = bed.start_cell("east", &plan);
        cell.apply(&Fault::QuietQueue("east".to_owned())).await;
        let http = http_client(&bed.environment.ground, STRANGER, true);
        let at = |path: &str| url(&bed.environment.ground, EAST_QUEUE[0], path);
        http.post(at("/messages")).send().await.unwrap();
        assert_eq!(http.post(at("/receive")).send().await.unwrap().status(), StatusCode::OK);
        assert_eq!(seen(&bed, |_| true).await.age_of_oldest_dead_letter, Some(0.0), "somebody works on it");
        let emptied = async {
            while seen(&bed, |_| true).await.messages > 0 {
                assert_eq!(http.post(at("/receive")).send().await.unwrap().status(), StatusCode::NO_CONTENT);
            }
        };
        emptied.await;
        let dead = seen(&bed, |queue| queue.age_of_oldest_dead_letter.is_some_and(|age| age > 10.0)).await;
        assert_eq!((dead.messages, dead.age_of_oldest), (0, Some(0.0)));
    });
}
